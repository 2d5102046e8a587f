/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* TRUE for the value of a field that says nothing: GST_CLOCK_TIME_NONE. Not for
 * entries of arrays, which are numbers up to the last. */
gboolean gst_cl_field_is_unknown (const GValue *value);

/* The number @x as text that gives the same bits again, whatever the locale.
 * @text: G_ASCII_DTOSTR_BUF_SIZE bytes. NULL for what is no number (NaN,
 * infinity). */
const gchar *gst_cl_field_print_double (gdouble x, gchar *text);

G_END_DECLS

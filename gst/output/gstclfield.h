/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* TRUE for the value of a field that says nothing: GST_CLOCK_TIME_NONE. Not for
 * entries of arrays, which are numbers up to the last. */
gboolean gst_cl_field_is_unknown (const GValue *value);

/* Appends the number that @value holds as text that gives the same bits again,
 * whatever the locale, or @nothing for NaN and infinity. FALSE: it holds
 * none. */
gboolean gst_cl_field_append_number (GString *text, const GValue *value,
    const gchar *nothing);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns TRUE if the value of a field says nothing: GST_CLOCK_TIME_NONE. Not
 * for entries of arrays, which are numbers up to the last. */
gboolean gst_cl_field_is_unknown (const GValue *value);

/* Appends the number that @value holds as text from which the same bits can be
 * read, whatever the locale; for NaN and infinity, @nothing. FALSE: it holds no
 * number. */
gboolean gst_cl_field_append_number (GString *text, const GValue *value,
    const gchar *nothing);

G_END_DECLS

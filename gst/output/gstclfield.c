/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What JSON and CSV agree on about a field of a structure. */

#include "gstclfield.h"

#include <math.h>

gboolean
gst_cl_field_is_unknown (const GValue *value)
{
  return G_VALUE_HOLDS_UINT64 (value) &&
         g_value_get_uint64 (value) == GST_CLOCK_TIME_NONE;
}

gboolean
gst_cl_field_append_number (GString *text, const GValue *value,
    const gchar *nothing)
{
  gchar buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (G_VALUE_HOLDS_UINT64 (value)) {
    g_string_append_printf (text, "%" G_GUINT64_FORMAT,
        g_value_get_uint64 (value));
  } else if (G_VALUE_HOLDS_UINT (value)) {
    g_string_append_printf (text, "%u", g_value_get_uint (value));
  } else if (G_VALUE_HOLDS_INT (value)) {
    g_string_append_printf (text, "%d", g_value_get_int (value));
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    const gdouble x = g_value_get_double (value);

    g_string_append (text,
        isfinite (x) ? g_ascii_dtostr (buffer, sizeof buffer, x) : nothing);
  } else {
    return FALSE;
  }

  return TRUE;
}

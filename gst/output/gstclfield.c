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

const gchar *
gst_cl_field_print_double (gdouble x, gchar *text)
{
  return isfinite (x) ? g_ascii_dtostr (text, G_ASCII_DTOSTR_BUF_SIZE, x)
                      : NULL;
}

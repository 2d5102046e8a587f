/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mapping caps dimensions through a filter. */

#include "gstcldimension.h"

static void
set_range (GValue *out, gint low, gint high)
{
  low = MAX (low, 1);
  high = MAX (high, low);

  if (low == high) {
    g_value_init (out, G_TYPE_INT);
    g_value_set_int (out, low);
  } else {
    g_value_init (out, GST_TYPE_INT_RANGE);
    gst_value_set_int_range (out, low, high);
  }
}

static gboolean
map_value (const GValue *in, GValue *out, GstClDimensionFunc map,
    gpointer user_data)
{
  if (G_VALUE_HOLDS_INT (in)) {
    gint n = g_value_get_int (in);

    set_range (out, map (n, FALSE, user_data), map (n, TRUE, user_data));
    return TRUE;
  }

  if (GST_VALUE_HOLDS_INT_RANGE (in)) {
    set_range (out, map (gst_value_get_int_range_min (in), FALSE, user_data),
        map (gst_value_get_int_range_max (in), TRUE, user_data));
    return TRUE;
  }

  if (GST_VALUE_HOLDS_LIST (in)) {
    g_value_init (out, GST_TYPE_LIST);
    for (guint i = 0; i < gst_value_list_get_size (in); i++) {
      GValue item = G_VALUE_INIT;

      if (map_value (gst_value_list_get_value (in, i), &item, map, user_data))
        gst_value_list_append_and_take_value (out, &item);
    }
    return TRUE;
  }

  return FALSE;
}

gboolean
gst_cl_dimension_map (const GstStructure *in, GstStructure *out,
    const gchar *name, GstClDimensionFunc map, gpointer user_data)
{
  const GValue *value = gst_structure_get_value (in, name);
  GValue mapped = G_VALUE_INIT;

  if (!value || !map_value (value, &mapped, map, user_data))
    return FALSE;

  gst_structure_take_value (out, name, &mapped);

  return TRUE;
}

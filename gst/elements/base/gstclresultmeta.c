/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results of elements as a custom meta of the buffer. */

#include "gstclresultmeta.h"

#define ELEMENT "element" /* the field with the element's name */
#define EARLIER "earlier" /* the field of a meta with earlier results */

void
gst_cl_result_meta_register (const gchar *name)
{
  /* without tags the meta is kept by scaling and conversion, so it says which
   * frame was measured */
  static const gchar *tags[] = { NULL };

  if (!gst_meta_get_info (name))
    gst_meta_register_custom (name, tags, NULL, NULL, NULL);
}

static gboolean
copy_field (GQuark field, const GValue *value, gpointer user_data)
{
  gst_structure_id_set_value (user_data, field, value);

  return TRUE;
}

static void
append_structure (GValue *array, const GstStructure *structure)
{
  GValue entry = G_VALUE_INIT;

  g_value_init (&entry, GST_TYPE_STRUCTURE);
  gst_value_set_structure (&entry, structure);
  gst_value_array_append_and_take_value (array, &entry);
}

static gboolean
is_of_element (const GstStructure *structure, const gchar *element)
{
  return g_strcmp0 (gst_structure_get_string (structure, ELEMENT), element) ==
         0;
}

/* Sets the empty @results to the results in the meta's structure @latest, in
 * their order, without the result of @element. */
static void
take_earlier (GValue *results, GstStructure *latest, const gchar *element)
{
  g_autoptr (GstStructure) own = gst_structure_copy (latest);
  const GValue *earlier = gst_structure_get_value (latest, EARLIER);
  const guint n = earlier ? gst_value_array_get_size (earlier) : 0;

  for (guint i = 0; i < n; i++) {
    const GstStructure *result = gst_value_get_structure (
        gst_value_array_get_value (earlier, i));

    if (!is_of_element (result, element))
      append_structure (results, result);
  }
  gst_structure_remove_field (own, EARLIER);
  if (!is_of_element (own, element))
    append_structure (results, own);
}

void
gst_cl_result_meta_add (GstBuffer *buffer, const gchar *name,
    const GstStructure *structure)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, name);
  GValue earlier = G_VALUE_INIT;
  GstStructure *latest;

  gst_value_array_init (&earlier, 0);
  if (!meta) {
    meta = gst_buffer_add_custom_meta (buffer, name);
    latest = gst_custom_meta_get_structure (meta);
  } else {
    latest = gst_custom_meta_get_structure (meta);
    take_earlier (&earlier, latest,
        gst_structure_get_string (structure, ELEMENT));
    gst_structure_remove_all_fields (latest);
  }

  gst_structure_foreach (structure, copy_field, latest);
  if (gst_value_array_get_size (&earlier) > 0)
    gst_structure_take_value (latest, EARLIER, &earlier);
  else
    g_value_unset (&earlier);
}

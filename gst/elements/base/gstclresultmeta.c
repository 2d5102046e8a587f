/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results of elements as a custom meta of the buffer. */

#include "gstclresultmeta.h"

/* The fields with the names of the element and, of one with several inputs, of
 * the pad. */
#define ELEMENT "element"
#define PAD     "pad"

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
has_same (const GstStructure *a, const GstStructure *b, const gchar *field)
{
  return g_strcmp0 (gst_structure_get_string (a, field),
             gst_structure_get_string (b, field)) == 0;
}

/* Returns TRUE if both results are of the same element and pad. */
static gboolean
is_of_source (const GstStructure *a, const GstStructure *b)
{
  return has_same (a, b, ELEMENT) && has_same (a, b, PAD);
}

/* Sets the empty @results to the results in the meta's structure @latest, in
 * their order, without the one that @structure replaces. */
static void
take_earlier (GValue *results, GstStructure *latest,
    const GstStructure *structure)
{
  g_autoptr (GstStructure) own = gst_structure_copy (latest);
  const GValue *earlier = gst_structure_get_value (latest, EARLIER);
  const guint n = earlier ? gst_value_array_get_size (earlier) : 0;

  for (guint i = 0; i < n; i++) {
    const GstStructure *result = gst_value_get_structure (
        gst_value_array_get_value (earlier, i));

    if (!is_of_source (result, structure))
      append_structure (results, result);
  }
  gst_structure_remove_field (own, EARLIER);
  if (!is_of_source (own, structure))
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
    take_earlier (&earlier, latest, structure);
    gst_structure_remove_all_fields (latest);
  }

  gst_structure_foreach (structure, copy_field, latest);
  if (gst_value_array_get_size (&earlier) > 0)
    gst_structure_take_value (latest, EARLIER, &earlier);
  else
    g_value_unset (&earlier);
}

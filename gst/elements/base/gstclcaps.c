/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory features in caps. */

#include "gstclcaps.h"

#include <gst/allocators/gstdmabuf.h>
#include <gst/video/video.h>

#include "cl/import/gstclimportpath.h"
#include "cl/memory/gstclmemory.h"
#include "cl/video/gstcldrm.h"
#include "cl/video/gstclformat.h"

#define DEVICE GST_CAPS_FEATURE_MEMORY_OPENCL_MEMORY
#define SYSTEM GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY
#define FIELDS GST_CAPS_FEATURE_FORMAT_INTERLACED

/* --- features ------------------------------------------------------------ */

/* Returns TRUE if each buffer has one field. */
static gboolean
has_fields (const GstCapsFeatures *features)
{
  return !gst_caps_features_is_any (features) &&
         gst_caps_features_contains (features, FIELDS);
}

/* Returns the memory feature in @features; NULL if they are ANY, or if there is
 * a feature of another kind. */
static const gchar *
memory_feature (const GstCapsFeatures *features)
{
  const gchar *memory = NULL;

  if (gst_caps_features_is_any (features))
    return NULL;

  for (guint i = 0; i < gst_caps_features_get_size (features); i++) {
    const gchar *feature = gst_caps_features_get_nth (features, i);

    if (g_str_equal (feature, FIELDS))
      continue;
    if (memory)
      return NULL;
    memory = feature;
  }

  return memory ? memory : SYSTEM;
}

/* Returns features with @memory (NULL: system memory). transfer full */
static GstCapsFeatures *
make_features (const gchar *memory, gboolean fields)
{
  GstCapsFeatures *features = gst_caps_features_new_empty ();

  if (memory)
    gst_caps_features_add (features, memory);
  if (fields)
    gst_caps_features_add (features, FIELDS);

  return features;
}

/* Returns @caps (transfer full) in @memory (NULL: system memory). Fields remain
 * fields. transfer full */
static GstCaps *
set_memory (GstCaps *caps, const gchar *memory)
{
  caps = gst_caps_make_writable (caps);
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    gst_caps_set_features (caps, i,
        make_features (memory, has_fields (gst_caps_get_features (caps, i))));

  return caps;
}

gboolean
gst_cl_caps_is_device (const GstCaps *caps)
{
  return gst_caps_features_contains (gst_caps_get_features (caps, 0), DEVICE);
}

gboolean
gst_cl_caps_is_system (const GstCaps *caps)
{
  return g_strcmp0 (memory_feature (gst_caps_get_features (caps, 0)), SYSTEM) ==
         0;
}

GstCaps *
gst_cl_caps_in_device (GstCaps *caps)
{
  return set_memory (gst_cl_drm_resolve (caps), DEVICE);
}

GstCaps *
gst_cl_caps_in_system (GstCaps *caps)
{
  return set_memory (gst_cl_drm_resolve (caps), NULL);
}

GstCaps *
gst_cl_caps_in_both (const GstCaps *caps)
{
  return gst_caps_merge (gst_cl_caps_in_device (gst_caps_copy (caps)),
      gst_cl_caps_in_system (gst_caps_copy (caps)));
}

/* --- foreign memory ------------------------------------------------------ */

/* Returns the feature of foreign memory in @features; NULL: there is none. */
static const gchar *
foreign_feature (const GstCapsFeatures *features)
{
  const gchar *memory = memory_feature (features);

  return memory && gst_cl_import_paths_know_feature (memory) ? memory : NULL;
}

gboolean
gst_cl_caps_is_foreign (const GstCaps *caps)
{
  return foreign_feature (gst_caps_get_features (caps, 0)) != NULL;
}

static gboolean
is_dmabuf (const GstCapsFeatures *features)
{
  return g_strcmp0 (foreign_feature (features),
             GST_CAPS_FEATURE_MEMORY_DMABUF) == 0;
}

/* Adds @structure (transfer full; NULL: nothing) in the memory of @feature. */
static GstCaps *
add_foreign (GstCaps *foreign, GstStructure *structure, const gchar *feature,
    gboolean fields)
{
  return structure ? gst_caps_merge_structure_full (foreign, structure,
                         make_features (feature, fields))
                   : foreign;
}

GstCaps *
gst_cl_caps_in_foreign (const GstCaps *caps, gboolean is_export)
{
  GstCaps *foreign = gst_caps_new_empty ();

  for (guint w = 0; w < gst_cl_n_import_paths; w++) {
    const gchar *feature = gst_cl_import_paths[w]->caps_feature;

    if (!feature || !gst_cl_import_paths_know_feature (feature) ||
        (is_export && !gst_cl_import_paths[w]->has_export))
      continue;

    for (guint i = 0; i < gst_caps_get_size (caps); i++) {
      const GstStructure *structure = gst_caps_get_structure (caps, i);

      const gboolean fields = has_fields (gst_caps_get_features (caps, i));

      if (!gst_structure_has_name (structure, "video/x-raw"))
        continue;
      if (gst_cl_import_paths[w] == &gst_cl_import_path_dmabuf)
        foreign = add_foreign (foreign, gst_cl_drm_make_structure (structure),
            feature, fields);
      foreign = add_foreign (foreign, gst_structure_copy (structure), feature,
          fields);
    }
  }

  return foreign;
}

GstCaps *
gst_cl_caps_importable (GstCaps *caps, GstClContext *context)
{
  if (!context || gst_caps_is_any (caps))
    return caps;

  caps = gst_caps_make_writable (caps);
  for (guint i = gst_caps_get_size (caps); i > 0; i--) {
    const gchar *feature = foreign_feature (
        gst_caps_get_features (caps, i - 1));

    if (feature && !gst_cl_import_paths_support_feature (context, feature))
      gst_caps_remove_structure (caps, i - 1);
  }

  return caps;
}

/* --- fields -------------------------------------------------------------- */

gboolean
gst_cl_caps_mixes_fields (const GstCaps *caps)
{
  const gchar *mode = gst_structure_get_string (
      gst_caps_get_structure (caps, 0), "interlace-mode");

  return mode && !g_str_equal (mode, "progressive") &&
         !g_str_equal (mode, "alternate");
}

gboolean
gst_cl_structure_has_fields (const GstStructure *structure)
{
  return g_strcmp0 (gst_structure_get_string (structure, "interlace-mode"),
             "alternate") == 0;
}

gint
gst_cl_field_height (gint height)
{
  return height / 2 + height % 2;
}

/* Returns @caps and their raw video as fields. transfer full */
static GstCaps *
add_fields (const GstCaps *caps)
{
  GstCaps *all = gst_caps_copy (caps);

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *structure = gst_caps_get_structure (caps, i);

    if (!gst_structure_has_name (structure, "video/x-raw"))
      continue;
    structure = gst_structure_copy (structure);
    gst_structure_set (structure, "interlace-mode", G_TYPE_STRING, "alternate",
        NULL);
    gst_caps_append_structure_full (all, structure, make_features (NULL, TRUE));
  }

  return all;
}

/* --- negotiation --------------------------------------------------------- */

GstCaps *
gst_cl_caps_in_all (const GstCaps *caps)
{
  GstCaps *all = gst_caps_merge (gst_cl_caps_in_device (gst_caps_copy (caps)),
      gst_cl_caps_in_foreign (caps, FALSE));

  return gst_caps_merge (all, gst_cl_caps_in_system (gst_caps_copy (caps)));
}

static GstCaps *
in_both_system_first (const GstCaps *caps)
{
  return gst_caps_merge (gst_cl_caps_in_system (gst_caps_copy (caps)),
      gst_cl_caps_in_device (gst_caps_copy (caps)));
}

gboolean
gst_cl_caps_has_system (const GstCaps *caps)
{
  if (gst_caps_is_any (caps))
    return TRUE;

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const gchar *memory = memory_feature (gst_caps_get_features (caps, i));

    if (!memory || g_str_equal (memory, SYSTEM))
      return TRUE;
  }

  return FALSE;
}

GstCaps *
gst_cl_caps_uploading (const GstCaps *caps, GstPadDirection direction)
{
  GstCaps *moved = gst_caps_copy (caps);

  if (direction == GST_PAD_SINK)
    return gst_caps_merge (moved, gst_cl_caps_in_device (gst_caps_copy (caps)));

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    g_autoptr (GstCaps) one = NULL;

    if (!gst_caps_features_contains (gst_caps_get_features (caps, i), DEVICE))
      continue;
    one = gst_caps_copy_nth (caps, i);
    moved = gst_caps_merge (moved, gst_cl_caps_in_all (one));
  }

  return moved;
}

#define N_RANKS 4

/* Returns the sort key of structure @index: 0 for device memory, 1 for foreign
 * memory that the device of @context (NULL: not known yet) reads without the
 * host, 2 for system memory, 3 for other DMABuf. */
static guint
rank (const GstCaps *caps, guint index, GstClContext *context)
{
  const GstCapsFeatures *features = gst_caps_get_features (caps, index);

  if (gst_caps_features_contains (features, DEVICE))
    return 0;
  if (!is_dmabuf (features))
    return foreign_feature (features) ? 1 : 2;

  return gst_cl_drm_is_structure (gst_caps_get_structure (caps, index)) &&
                 context &&
                 gst_cl_import_check_may_pass (gst_cl_import_path_dmabuf.check,
                     context)
             ? 1
             : 3;
}

/* Returns TRUE if upstream, which queries with @filter, has no memory but
 * DMABuf, or if @filter is NULL: the query asks for all caps. Other elements do
 * not get caps that have the last rank: without a modifier, frames may be
 * tiled, and VA decoders of GStreamer 1.22 prefer them to system memory; memory
 * that the host must map may be slow to read. */
static gboolean
has_only_dmabuf (const GstCaps *filter)
{
  for (guint i = 0; filter && i < gst_caps_get_size (filter); i++) {
    if (!is_dmabuf (gst_caps_get_features (filter, i)))
      return FALSE;
  }

  return !filter || !gst_caps_is_any (filter);
}

void
gst_cl_caps_prefer_device (GstQuery *query, GstClContext *context)
{
  g_autoptr (GstCaps) sorted = gst_caps_new_empty ();
  GstCaps *caps, *filter;
  guint n_ranks = N_RANKS;

  gst_query_parse_caps_result (query, &caps);
  if (gst_caps_is_any (caps))
    return;

  gst_query_parse_caps (query, &filter);
  if (!has_only_dmabuf (filter))
    n_ranks--;
  for (guint pass = 0; pass < n_ranks; pass++) {
    for (guint i = 0; i < gst_caps_get_size (caps); i++) {
      if (rank (caps, i, context) == pass)
        gst_caps_append_structure_full (sorted,
            gst_structure_copy (gst_caps_get_structure (caps, i)),
            gst_caps_features_copy (gst_caps_get_features (caps, i)));
    }
  }
  gst_query_set_caps_result (query, sorted);
}

/* Returns TRUE if structure @index of @caps, on a pad of @direction, has
 * device, system or (input only) foreign memory, and no feature but that of
 * fields. */
static gboolean
is_supported (const GstCaps *caps, guint index, GstPadDirection direction)
{
  const GstCapsFeatures *features = gst_caps_get_features (caps, index);
  const gchar *memory = memory_feature (features);

  return gst_caps_features_is_any (features) ||
         (direction == GST_PAD_SINK && foreign_feature (features)) ||
         g_strcmp0 (memory, DEVICE) == 0 || g_strcmp0 (memory, SYSTEM) == 0;
}

GstCaps *
gst_cl_caps_admitted (GstCaps *caps, GstPad *other, GstCaps *filter)
{
  g_autoptr (GstCaps) template = gst_pad_get_pad_template_caps (other);
  GstCaps *result = gst_caps_intersect_full (caps, template,
      GST_CAPS_INTERSECT_FIRST);

  gst_caps_unref (caps);
  if (filter) {
    GstCaps *filtered = gst_caps_intersect_full (filter, result,
        GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (result);
    result = filtered;
  }

  return result;
}

/* Returns structure @index of @caps, mapped by @map. transfer full */
static GstCaps *
map_structure (const GstCaps *caps, guint index, GstPadDirection direction,
    GstClCapsMapFunc map, gpointer user_data)
{
  GstStructure *structure = gst_structure_copy (
      gst_caps_get_structure (caps, index));
  GstCaps *mapped;

  if (has_fields (gst_caps_get_features (caps, index)))
    gst_structure_set (structure, "interlace-mode", G_TYPE_STRING, "alternate",
        NULL);
  mapped = map (direction, structure, user_data);
  gst_structure_free (structure);
  for (guint i = 0; i < gst_caps_get_size (mapped); i++) {
    if (gst_cl_structure_has_fields (gst_caps_get_structure (mapped, i)))
      gst_caps_set_features (mapped, i, make_features (NULL, TRUE));
  }

  return mapped;
}

GstCaps *
gst_cl_caps_transform (const GstCaps *caps, GstPadDirection direction,
    GstPad *other, GstCaps *filter, GstClCapsMapFunc map, gpointer user_data)
{
  g_autoptr (GstCaps)
      plain = gst_cl_drm_resolve (gst_caps_ref ((GstCaps *) caps));
  GstCaps *mapped = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (plain); i++) {
    g_autoptr (GstCaps) one = NULL;

    if (!is_supported (plain, i, direction))
      continue;

    one = map_structure (plain, i, direction, map, user_data);
    mapped = gst_caps_merge (mapped, direction == GST_PAD_SINK
                                         ? in_both_system_first (one)
                                         : gst_cl_caps_in_all (one));
  }

  return gst_cl_caps_admitted (mapped, other, filter);
}

static gboolean
keep_if_in (GQuark field, GValue *value, gpointer structure)
{
  return gst_structure_id_has_field (structure, field);
}

/* Returns the error that shows the first structure of @caps (only the fields
 * that @peer restricts) and of @peer, with their features. */
static GError *
make_refusal (const GstCaps *caps, const GstCaps *peer, const gchar *names)
{
  g_autoptr (GstCaps) accepted = gst_caps_copy_nth (peer, 0);
  g_autoptr (GstCaps) made = gst_caps_copy_nth (caps, 0);
  g_autofree gchar *made_text = NULL;
  g_autofree gchar *accepted_text = gst_caps_to_string (accepted);

  gst_structure_filter_and_map_in_place (gst_caps_get_structure (made, 0),
      keep_if_in, gst_caps_get_structure (accepted, 0));
  made_text = gst_caps_to_string (made);

  return g_error_new (GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "Downstream does not accept the caps that properties %s give for this "
      "input: they give %s, it accepts %s",
      names, made_text, accepted_text);
}

GError *
gst_cl_caps_check_downstream (GstCaps *caps, GstPad *src, const gchar *names)
{
  g_autoptr (GstCaps) made = caps;
  g_autoptr (GstCaps) accepted = gst_pad_peer_query_caps (src, NULL);

  if (gst_caps_is_empty (made) || gst_caps_is_empty (accepted) ||
      GST_PAD_IS_FLUSHING (src) || gst_caps_can_intersect (made, accepted))
    return NULL;

  return make_refusal (made, accepted, names);
}

void
gst_cl_caps_add_templates (GstElementClass *klass, const GstCaps *sink,
    const GstCaps *src, gboolean gives_foreign, gboolean accepts_fields)
{
  g_autoptr (GstCaps) sink_fields = accepts_fields ? add_fields (sink)
                                                   : gst_caps_copy (sink);
  g_autoptr (GstCaps) src_fields = accepts_fields ? add_fields (src)
                                                  : gst_caps_copy (src);
  g_autoptr (GstCaps) sink_caps = gst_cl_caps_in_all (sink_fields);
  g_autoptr (GstCaps) src_caps = gives_foreign
                                     ? gst_cl_caps_in_all (src_fields)
                                     : gst_cl_caps_in_both (src_fields);

  gst_element_class_add_pad_template (klass,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, sink_caps));
  gst_element_class_add_pad_template (klass,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, src_caps));
}

/* --- mapping caps dimensions through a filter ----------------------------- */

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

/* --- caps events in transit ----------------------------------------------- */

static gboolean has_sent (GstPad *source, GstCaps *caps);

/* GCompareFunc for gst_iterator_find_custom(). Returns 0 for a sink pad that
 * forwards caps unchanged and to which @caps were sent. */
static gint
compare_with_sent (gconstpointer value, gconstpointer caps)
{
  GstPad *sink = g_value_get_object (value);
  g_autoptr (GstPad)
      source = GST_PAD_IS_PROXY_CAPS (sink) ? gst_pad_get_peer (sink) : NULL;

  return source && has_sent (source, (GstCaps *) caps) ? 0 : 1;
}

/* Returns TRUE if @source, or an upstream pad whose caps it forwards, has sent
 * the event @caps. A pad stores the event before it pushes it. */
static gboolean
has_sent (GstPad *source, GstCaps *caps)
{
  g_autoptr (GstCaps) sent = gst_pad_get_current_caps (source);
  GstIterator *sinks;
  GValue found = G_VALUE_INIT;
  gboolean is_sent;

  if (sent && gst_caps_is_equal (sent, caps))
    return TRUE;

  sinks = gst_pad_iterate_internal_links (source);
  is_sent = sinks &&
            gst_iterator_find_custom (sinks, compare_with_sent, &found, caps);
  g_clear_pointer (&sinks, gst_iterator_free);
  if (is_sent)
    g_value_unset (&found);

  return is_sent;
}

/* --- unsupported input ---------------------------------------------------- */

/* Returns the unsupported raw video format in @caps; GST_VIDEO_FORMAT_UNKNOWN
 * if there is none. */
static GstVideoFormat
find_other_format (const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *name = gst_structure_get_string (structure, "format");
  GstVideoFormat format = GST_VIDEO_FORMAT_UNKNOWN;

  if (gst_structure_has_name (structure, "video/x-raw") && name)
    format = gst_video_format_from_string (name);

  return gst_cl_format_find (format) ? GST_VIDEO_FORMAT_UNKNOWN : format;
}

/* Returns NULL if @caps have a linear layout. */
static GError *
make_modifier_error (const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *modifier = gst_cl_drm_find_modifier (structure);
  const gchar *drm_format = gst_structure_get_string (structure, "drm-format");

  if (!modifier)
    return NULL;

  return g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      "The element does not support the modifier %s of the DRM format %s: it "
      "reads linear layouts only. Put \"video/x-raw(memory:DMABuf),"
      "drm-format=%.4s\", or \"video/x-raw\" for system memory, before the "
      "element.",
      modifier, drm_format, drm_format);
}

/* Returns the element that converts @caps, which are not raw video, to raw
 * video; NULL: not known. */
static const gchar *
find_converter (const GstCaps *caps)
{
  const gchar *name = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  if (g_str_equal (name, "video/x-bayer"))
    return "bayer2rgb";
  if (!g_str_equal (name, "video/x-raw") &&
      (g_str_has_prefix (name, "video/") || g_str_has_prefix (name, "image/")))
    return "decodebin";

  return NULL;
}

static GError *
make_error (const GstCaps *caps)
{
  const GstVideoFormat format = find_other_format (caps);
  GstVideoFormat nearest = GST_VIDEO_FORMAT_UNKNOWN;
  gboolean keeps_all;
  GError *error = make_modifier_error (caps);

  if (error)
    return error;

  if (format > GST_VIDEO_FORMAT_ENCODED)
    nearest = gst_cl_format_find_nearest (format, &keeps_all);
  if (nearest == GST_VIDEO_FORMAT_UNKNOWN) {
    g_autofree gchar *text = gst_caps_to_string (caps);
    const gchar *converter = find_converter (caps);

    return g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
        "The element does not support %s.%s%s%s", text,
        converter ? " Put \"" : "", converter ? converter : "",
        converter ? "\" before the element." : "");
  }

  return g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      keeps_all
          ? "The element does not support the video format %s. %s keeps "
            "every bit: put \"videoconvert dither=none ! "
            "video/x-raw,format=%s\" before the element."
          : "The element does not support the video format %s, and no "
            "format that it supports keeps every bit. %s is the nearest: put "
            "\"videoconvert ! video/x-raw,format=%s\" before the "
            "element.",
      gst_video_format_to_string (format), gst_video_format_to_string (nearest),
      gst_video_format_to_string (nearest));
}

GError *
gst_cl_caps_check_input (GstPad *sink, GstQuery *query)
{
  g_autoptr (GstPad) source = gst_pad_get_peer (sink);
  gboolean is_accepted;
  GstCaps *caps;

  gst_query_parse_accept_caps (query, &caps);
  gst_query_parse_accept_caps_result (query, &is_accepted);
  if (is_accepted || !source || !has_sent (source, caps))
    return NULL;

  return make_error (caps);
}

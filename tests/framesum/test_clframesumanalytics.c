/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum analytics-meta=true: events as classes, statistics as tensors. */

#include <string.h>

#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>

static GstStructure *
pop_structure (GstHarness *h, const gchar *name)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstMessage) message = pop_element_message (bus, name);

  return message ? gst_structure_copy (gst_message_get_structure (message))
                 : NULL;
}

/* --- classes ------------------------------------------------------------- */

/* Removes classes that the frame before showed from @classes, then adds and
 * removes those of the messages on the bus. */
static void
follow_messages (GstHarness *h, GHashTable *classes)
{
  GstStructure *event;

  g_hash_table_remove (classes, "gst-opencl/events/scene");
  while ((event = pop_structure (h, "clframesum-event"))) {
    const gchar *name = gst_structure_get_string (event, "event");
    gchar *class = g_strconcat ("gst-opencl/events/", name, NULL);
    guint zone;

    if (gst_structure_get_uint (event, "zone", &zone)) {
      g_free (class);
      class = g_strdup_printf ("gst-opencl/events/%s/zone/%u", name, zone);
    }
    if (g_str_equal (gst_structure_get_string (event, "state"), "start"))
      g_hash_table_add (classes, g_strdup (class));
    else
      fail_unless (g_hash_table_remove (classes, class));
    g_free (class);
    gst_structure_free (event);
  }
}

static void
expect_classes (GstBuffer *buffer, GHashTable *classes)
{
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (
      buffer);
  const guint n = g_hash_table_size (classes);
  gpointer state = NULL;
  GstAnalyticsMtd mtd;

  fail_unless_equals_int (meta != NULL, n > 0);
  if (!meta)
    return;

  fail_unless_equals_int (gst_analytics_relation_get_length (meta), 1);
  fail_unless (gst_analytics_relation_meta_iterate (meta, &state,
      gst_analytics_cls_mtd_get_mtd_type (), &mtd));
  fail_unless_equals_int (gst_analytics_cls_mtd_get_length (&mtd), n);
  for (guint i = 0; i < n; i++) {
    fail_unless (g_hash_table_contains (classes,
        g_quark_to_string (gst_analytics_cls_mtd_get_quark (&mtd, i))));
    fail_unless_equals_float (gst_analytics_cls_mtd_get_level (&mtd, i), 1);
  }
}

/* Scenes of 10 frames; at the end, nothing is open. */
LOOP_TEST (test_classes, 2)
{
  static const guint8 scenes[] = { 100, 10, 100, 250, 100 };
  g_autofree gchar *description = g_strconcat (
      "clframesum analytics-meta=true black-min-duration=200000000 "
      "freeze-duration=200000000 events=black+freeze+scene ",
      __i__ ? "zone-events=true grid-columns=2 grid-rows=2" : "", NULL);
  g_autoptr (GHashTable)
      classes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GstHarness) h = harness_new (description);
  guint n_classes = 0;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 48, 20, &info);
  for (guint i = 0; i < 50; i++) {
    /* grey moves */
    GstBuffer *frame = frame_new_filled (&info,
        scenes[i / 10] + (i / 10 % 2 ? 0 : i % 2 * 2));
    g_autoptr (GstBuffer) out = NULL;

    GST_BUFFER_PTS (frame) = i * 40 * GST_MSECOND;
    GST_BUFFER_DURATION (frame) = 40 * GST_MSECOND;
    out = harness_run (h, frame);
    follow_messages (h, classes);
    expect_classes (out, classes);
    n_classes += g_hash_table_size (classes);
  }
  fail_unless_equals_int (g_hash_table_size (classes), 0);
  /* 4 cuts; black and two freezes, which are reported after 5 of 10 frames, of
   * the frame and of each zone */
  fail_unless_equals_int (n_classes, 4 + (__i__ ? 5 : 1) * 3 * 5);
}
#else
TEST (test_missing_library)
{
  static const gchar *const parts[] = { "analytics-meta", "1.24", NULL };
  g_autoptr (GstHarness) h = harness_new ("clframesum analytics-meta=true");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 8, 8, &info);
  harness_run_into (h, frame_new (&info, 1), GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (bus, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, parts);
}
#endif

/* --- tensors ------------------------------------------------------------- */

#if defined(HAVE_ANALYTICS) && GST_CHECK_VERSION(1, 26, 0)
#define SETTINGS                                                               \
  "analytics-meta=true grid-columns=3 grid-rows=2 histogram-bins=16 "          \
  "statistics=moments+range+positions+histogram+noise+profiles+cells+"         \
  "waveform+vectorscope+light-histogram+range-evidence "

static gdouble
read_number (gconstpointer data, GstTensorDataType type, gsize i)
{
  return type == GST_TENSOR_DATA_TYPE_UINT64   ? ((const guint64 *) data)[i]
         : type == GST_TENSOR_DATA_TYPE_UINT32 ? ((const guint32 *) data)[i]
         : type == GST_TENSOR_DATA_TYPE_INT32  ? ((const gint32 *) data)[i]
                                               : ((const gdouble *) data)[i];
}

/* Checks the numbers of @value, in the order of its arrays, against those at
 * @data. Returns how many there are. */
static gsize
expect_numbers (const GValue *value, gconstpointer data, GstTensorDataType type,
    gsize at)
{
  GValue number = G_VALUE_INIT;
  gsize n = 0, n_bytes;

  if (GST_VALUE_HOLDS_ARRAY (value)) {
    for (guint i = 0; i < gst_value_array_get_size (value); i++)
      n += expect_numbers (gst_value_array_get_value (value, i), data, type,
          at + n);
    return n;
  }
  if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    gconstpointer bytes = g_bytes_get_data (g_value_get_boxed (value),
        &n_bytes);

    fail_unless_equals_int (type, GST_TENSOR_DATA_TYPE_UINT32);
    fail_unless (memcmp ((const guint32 *) data + at, bytes, n_bytes) == 0);
    return n_bytes / sizeof (guint32);
  }

  g_value_init (&number, G_TYPE_DOUBLE);
  fail_unless (g_value_transform (value, &number));
  fail_unless (read_number (data, type, at) == g_value_get_double (&number));

  return 1;
}

/* Checks that @tensor has the numbers of its field in @structure; of region of
 * interest @box. Returns its id, without the version. */
static gchar *
expect_tensor (const GstTensor *tensor, const GstStructure *structure,
    guint box)
{
  g_auto (GStrv) parts = g_strsplit (g_quark_to_string (tensor->id), "/", -1);
  const gboolean is_box = g_str_equal (parts[1], "box");
  const gboolean is_zones = g_str_equal (parts[1], "zones");
  g_autofree gchar *name = g_strconcat (is_box     ? "roi-"
                                        : is_zones ? "zone-"
                                                   : "",
      parts[2], NULL);
  const GValue *value = gst_structure_get_value (structure, name);
  gsize n = 1, n_found = 0;
  GstMapInfo map;

  fail_unless_equals_string (parts[0], "gst-opencl");
  fail_unless_equals_string (parts[3], "1");
  fail_unless_equals_int (tensor->dims_order, GST_TENSOR_DIM_ORDER_ROW_MAJOR);
  if (!value) { /* of a component of the frame */
    gchar *component = strrchr (name, '-') + 1;

    component[-1] = '\0';
    value = gst_value_array_get_value (
        gst_structure_get_value (structure, name), *component == 'Y'   ? 0
                                                   : *component == 'U' ? 1
                                                                       : 2);
  }
  for (gsize i = 0; i < tensor->num_dims; i++)
    n *= tensor->dims[i];
  fail_unless (gst_buffer_map (tensor->data, &map, GST_MAP_READ));
  if (is_box && GST_VALUE_HOLDS_ARRAY (gst_value_array_get_value (value, 0))) {
    for (guint c = 0; c < 3; c++)
      n_found += expect_numbers (
          gst_value_array_get_value (gst_value_array_get_value (value, c), box),
          map.data, tensor->data_type, n_found);
  } else {
    n_found = expect_numbers (is_box ? gst_value_array_get_value (value, box)
                                     : value,
        map.data, tensor->data_type, 0);
  }
  fail_unless_equals_int (n_found, n);
  gst_buffer_unmap (tensor->data, &map);

  return g_strdup_printf ("%s/%s", parts[1], parts[2]);
}

/* Tensors of docs/statistics.md: I420 of 132 x 80, 3 x 2 zones, 16 bins. */
static const struct {
  const gchar *id;
  GstTensorDataType type;
  gsize n_dims, dims[4];
} shapes[] = {
  { "zones/mean", GST_TENSOR_DATA_TYPE_FLOAT64, 3, { 3, 2, 3 } },
  { "zones/sum", GST_TENSOR_DATA_TYPE_UINT64, 3, { 3, 2, 3 } },
  { "zones/max", GST_TENSOR_DATA_TYPE_UINT32, 3, { 3, 2, 3 } },
  { "zones/min-x", GST_TENSOR_DATA_TYPE_INT32, 3, { 3, 2, 3 } },
  { "zones/noise", GST_TENSOR_DATA_TYPE_FLOAT64, 2, { 2, 3 } },
  { "zones/width", GST_TENSOR_DATA_TYPE_INT32, 2, { 2, 3 } },
  { "zones/histogram", GST_TENSOR_DATA_TYPE_UINT64, 4, { 3, 2, 3, 16 } },
  { "zones/histogram-data", GST_TENSOR_DATA_TYPE_UINT32, 4, { 3, 2, 3, 16 } },
  { "frame/histogram-V", GST_TENSOR_DATA_TYPE_UINT64, 1, { 16 } },
  { "frame/histogram-data-V", GST_TENSOR_DATA_TYPE_UINT32, 1, { 16 } },
  { "frame/light-histogram", GST_TENSOR_DATA_TYPE_UINT64, 1, { 256 } },
  { "frame/light-histogram-data", GST_TENSOR_DATA_TYPE_UINT32, 1, { 256 } },
  { "frame/row-sum-Y", GST_TENSOR_DATA_TYPE_UINT32, 1, { 80 } },
  { "frame/column-max-U", GST_TENSOR_DATA_TYPE_UINT32, 1, { 66 } },
  { "frame/cell-means-Y", GST_TENSOR_DATA_TYPE_UINT32, 2, { 18, 32 } },
  { "frame/waveform-U", GST_TENSOR_DATA_TYPE_UINT32, 2, { 66, 16 } },
  { "frame/vectorscope", GST_TENSOR_DATA_TYPE_UINT32, 2, { 16, 16 } },
};

/* Returns 1 if @tensor, named @id, is one of the table. */
static guint
expect_shape (const GstTensor *tensor, const gchar *id)
{
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    if (!g_str_equal (shapes[i].id, id))
      continue;
    fail_unless_equals_int (tensor->data_type, shapes[i].type);
    fail_unless_equals_int (tensor->num_dims, shapes[i].n_dims);
    fail_unless (memcmp (tensor->dims, shapes[i].dims,
                     tensor->num_dims * sizeof *tensor->dims) == 0);
    return 1;
  }

  return 0;
}

/* With and without the other meta, and delayed. */
LOOP_TEST (test_tensors, 3)
{
  static const gchar *const settings[] = { SETTINGS,
    SETTINGS "histogram-format=packed stats-meta=false",
    SETTINGS "stats-meta=false async-depth=2" };
  g_autofree gchar *description = g_strconcat ("clframesum ", settings[__i__],
      NULL);
  g_autoptr (GstHarness) h = harness_new (description);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 132, 80, &info);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_harness_push (h, frame_new (&info, i)),
        GST_FLOW_OK);
  harness_drain (h);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) out = gst_harness_pull (h);
    g_autoptr (GstStructure) structure = pop_structure (h, "clframesum");
    GstTensorMeta *meta = gst_buffer_get_tensor_meta (out);
    guint n_shapes = 0;

    fail_unless (meta != NULL);
    for (gsize t = 0; t < meta->num_tensors; t++) {
      const GstTensor *tensor = gst_tensor_meta_get (meta, t);
      g_autofree gchar *id = expect_tensor (tensor, structure, 0);

      n_shapes += expect_shape (tensor, id);
    }
    /* histograms are packed or not */
    fail_unless_equals_int (n_shapes, G_N_ELEMENTS (shapes) - 3);
    /* 12 arrays of each component and 2 of the frame; of zones: 13 and
     * range-evidence of each component, noise and the rectangle */
    fail_unless_equals_int (meta->num_tensors, 3 * 12 + 2 + 13 + 5 + 1 + 4);
  }
}

/* Tensors of detectors stay; those of an earlier clframesum do not. */
TEST (test_tensors_of_others)
{
  g_autoptr (GstHarness)
      h = harness_new ("clframesum name=a analytics-meta=true grid-columns=3 ! "
                       "clframesum name=b analytics-meta=true grid-columns=2");
  g_autoptr (GstBuffer) out = NULL;
  GstTensorMeta *meta;
  GstVideoInfo info;
  GstBuffer *in;
  gsize size = 4;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 64, 48, &info);
  in = frame_new (&info, 1);
  meta = gst_buffer_add_tensor_meta (in);
  meta->tensors = g_new (GstTensor *, 1);
  meta->tensors[meta->num_tensors++] = gst_tensor_new_simple (
      g_quark_from_string ("other"), GST_TENSOR_DATA_TYPE_UINT8,
      gst_buffer_new_allocate (NULL, 4, NULL), GST_TENSOR_DIM_ORDER_ROW_MAJOR,
      1, &size);
  out = harness_run (h, in);
  meta = gst_buffer_get_tensor_meta (out);
  fail_unless_equals_int (meta->num_tensors, 1 + 8 + 4);
  fail_unless (meta->tensors[0]->id == g_quark_from_string ("other"));
  fail_unless_equals_int (meta->tensors[1]->dims[2], 2);
}
#endif

/* --- boxes --------------------------------------------------------------- */

#if defined(HAVE_ANALYTICS) && GST_CHECK_VERSION(1, 28, 0)
/* A region that is no box, with the id of a box outside the frame; and boxes,
 * up to the limit of tensors. A copy has the same. */
TEST (test_boxes)
{
  g_autoptr (GstHarness) h = harness_new (
      "clframesum analytics-meta=true statistics=moments+histogram+noise "
      "histogram-bins=4");
  g_autoptr (GstStructure) structure = NULL;
  g_autoptr (GstBuffer) copy = NULL;
  GstAnalyticsRelationMeta *meta;
  GstAnalyticsMtd boxes[50], mtd;
  GstBuffer *frame, *out;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 64, 48, &info);
  frame = frame_new (&info, 1);
  gst_buffer_add_video_region_of_interest_meta (frame, "face", 4, 4, 8, 8)
      ->id = 0;
  meta = gst_buffer_add_analytics_relation_meta (frame);
  for (gint i = 0; i < 50; i++)
    fail_unless (gst_analytics_relation_meta_add_od_mtd (meta, 0,
        i == 0 ? 500 : i, 8, 16, 20, .5f, &boxes[i]));
  out = harness_run (h, frame);
  structure = pop_structure (h, "clframesum");
  copy = gst_buffer_copy (out);
  gst_buffer_unref (out);

  meta = gst_buffer_get_analytics_relation_meta (copy);
  for (guint i = 0; i < 50; i++) {
    gpointer state = NULL;
    guint n = 0;

    for (; gst_analytics_relation_meta_get_direct_related (meta, boxes[i].id,
             GST_ANALYTICS_REL_TYPE_RELATE_TO,
             gst_analytics_tensor_mtd_get_mtd_type (), &state, &mtd);
         n++) {
      g_free (expect_tensor (gst_analytics_tensor_mtd_get_tensor (&mtd),
          structure, i));
      fail_unless_equals_int (
          gst_analytics_relation_meta_get_relation (meta, mtd.id, boxes[i].id),
          GST_ANALYTICS_REL_TYPE_RELATE_TO);
    }
    /* 6 of moments, histogram, noise and the rectangle */
    fail_unless_equals_int (n, i > 0 && i <= 256 / 12 ? 6 + 1 + 1 + 4 : 0);
  }
}
#endif

SUITE (.start = harness_share_context);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfers of frames between memories: clupload, cldownload, and the transfers
 * of the filters. */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/reference.h"
#include "suite.h"

#define DEVICE_FEATURE "memory:OpenCLMemory"

/* --- helpers ------------------------------------------------------------- */

static gboolean
has_device_caps (GstElement *element, const gchar *pad_name)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, pad_name);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  fail_unless (caps != NULL);

  return gst_caps_features_contains (gst_caps_get_features (caps, 0),
      DEVICE_FEATURE);
}

/* Returns one of the counters of the context of @h. */
static guint64
count_bytes (GstHarness *h, const gchar *property)
{
  GstQuery *query = gst_query_new_context ("gst.cl.context");
  GstContext *context;
  GObject *object;
  guint64 bytes;

  fail_unless (gst_pad_query (GST_PAD_PEER (h->srcpad), query));
  gst_query_parse_context (query, &context);
  object = g_value_get_object (
      gst_structure_get_value (gst_context_get_structure (context), "context"));
  g_object_get (object, property, &bytes, NULL);
  gst_query_unref (query);

  return bytes;
}

static gboolean
is_on_device (GstBuffer *buffer)
{
  return gst_memory_is_type (gst_buffer_peek_memory (buffer, 0),
      "OpenCLMemory");
}

/* --- the same bytes ------------------------------------------------------ */

static const struct {
  const gchar *explicit, *implicit;
} chains[] = {
  { "clupload ! clintegral ! cllocalmean ! cldownload",
      "clintegral ! cllocalmean" },
  { "clupload ! cllocalmean kernel-width=5 ! cldownload",
      "cllocalmean kernel-width=5" },
  { "clupload ! clintegral ! cldownload", "clintegral" },
  { "clupload ! clframesum ! cllocalmean ! clupload ! cldownload",
      "cllocalmean" },
};

LOOP_TEST (test_explicit_transfers_change_no_result, G_N_ELEMENTS (chains))
{
  g_autoptr (GstHarness) a = harness_new (chains[__i__].explicit);
  g_autoptr (GstHarness) b = harness_new (chains[__i__].implicit);
  guint n;
  const GstVideoFormat *formats = test_formats (&n);

  for (guint f = 0; f < n; f++) {
    GstVideoInfo info;

    harness_set_format (a, formats[f], 35, 18, &info);
    harness_set_format (b, formats[f], 35, 18, &info);
    for (guint i = 0; i < 4; i++) {
      g_autoptr (GstBuffer) in = frame_new (&info, f * 10 + i);
      g_autoptr (GstBuffer) out_a = harness_run (a, gst_buffer_ref (in));
      g_autoptr (GstBuffer) out_b = harness_run (b, gst_buffer_ref (in));

      expect_same_bytes (out_a, out_b);
    }
  }
}

LOOP_TEST (test_device_memory_between_elements, G_N_ELEMENTS (chains))
{
  g_autoptr (GstHarness) h = harness_new (chains[__i__].explicit);
  g_autoptr (GstElement) upload = harness_element (h, "clupload");
  g_autoptr (GstElement) download = harness_element (h, "cldownload");
  g_autoptr (GstHarness) filters = harness_new (
      "clframesum ! cllocalmean ! clintegral ! cllocalmean ! videoconvert");
  g_autoptr (GstElement) integral = harness_element (filters, "clintegral");
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 32, 16, &info);
  out = harness_run (h, frame_new (&info, 1));
  fail_unless (has_device_caps (upload, "src"));
  fail_unless (has_device_caps (download, "sink"));
  fail_if (has_device_caps (download, "src"));

  gst_clear_buffer (&out);
  harness_set_format (filters, GST_VIDEO_FORMAT_GRAY8, 32, 16, &info);
  out = harness_run (filters, frame_new (&info, 1));
  fail_unless (has_device_caps (integral, "sink"));
  fail_unless (has_device_caps (integral, "src"));
}

/* Every layout is uploaded, with any padding of rows. */
TEST (test_layouts_of_uploads_and_downloads)
{
  g_autoptr (GstHarness)
      h = harness_new_with_video_meta ("clupload ! cldownload");
  guint n;
  const GstVideoFormat *formats = test_formats (&n);

  for (guint f = 0; f < n; f++) {
    g_autoptr (GstBuffer) in = NULL;
    GstVideoInfo info;

    harness_set_format (h, formats[f], 35, 18, &info);
    in = frame_new (&info, f);
    for (guint l = 0; l < N_LAYOUTS; l++) {
      g_autoptr (GstBuffer)
          out = harness_run (h, frame_copy_to_layout (in, &info, l));

      frame_expect_components (out, in, &info, frame_layout_name (l));
    }
  }
}

/* Downstream without support for GstVideoMeta gets the layout of the caps. */
TEST (test_default_layout_without_video_meta)
{
  g_autoptr (GstHarness) h = harness_new ("clupload ! cldownload");
  g_autoptr (GstBuffer) in = NULL;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 35, 18, &info);
  in = frame_new (&info, 1);
  for (guint l = 0; l < N_LAYOUTS; l++) {
    g_autoptr (GstBuffer)
        out = harness_run (h, frame_copy_to_layout (in, &info, l));
    g_autofree guint8 *a = frame_component (in, &info, 2, NULL, NULL);
    g_autofree guint8 *b = NULL;
    GstVideoMeta *meta = gst_buffer_get_video_meta (out);

    fail_unless (gst_buffer_get_size (out) >= info.size);
    for (guint p = 0; meta && p < meta->n_planes; p++)
      fail_unless_equals_int (meta->stride[p], info.stride[p]);
    b = frame_component (out, &info, 2, NULL, NULL);
    fail_unless (memcmp (a, b, 18 * 9) == 0, "layout %s: the bytes differ",
        frame_layout_name (l));
  }
}

/* With three columns, the stride of the caps has no place for the last V. The
 * frame's own stride has, and the output must not overflow. */
TEST (test_rows_longer_than_the_stride_of_the_caps)
{
  gint strides[GST_VIDEO_MAX_PLANES] = { 8, 8 };
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 0, 16 };
  static const gchar *const parts[] = { "Plane 1", "4 bytes", "need 8", NULL };
  g_autoptr (GstHarness) h = harness_new ("clupload ! cldownload");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstBuffer *in = gst_buffer_new_allocate (NULL, 32, NULL);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_NV12_10LE32, 3, 2, &info);
  gst_buffer_memset (in, 0, 0, 32);
  gst_buffer_add_video_meta_full (in, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_NV12_10LE32, 3, 2, 2, offsets, strides);
  harness_run_into (h, in, GST_FLOW_ERROR);
  expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, parts);
}

/* --- no transfer ---------------------------------------------------------- */

TEST (test_passthrough)
{
  g_autoptr (GstHarness) download = harness_new ("cldownload");
  g_autoptr (GstHarness) up = harness_new ("clupload");
  g_autoptr (GstHarness) again = harness_new ("clupload");
  g_autoptr (GstCaps) device_caps = NULL;
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstBuffer) device = NULL;
  GstVideoInfo info;

  harness_set_format (download, GST_VIDEO_FORMAT_NV12, 32, 16, &info);
  in = frame_new (&info, 1);
  out = harness_run (download, gst_buffer_ref (in));
  fail_unless (out == in);

  harness_set_format (up, GST_VIDEO_FORMAT_NV12, 32, 16, &info);
  device = harness_run (up, gst_buffer_ref (in));
  fail_unless (is_on_device (device));

  device_caps = harness_out_caps (up);
  gst_harness_set_src_caps (again, gst_caps_ref (device_caps));
  gst_clear_buffer (&out);
  out = harness_run (again, gst_buffer_ref (device));
  fail_unless (out == device);
}

/* Device memory of another context is mapped like any memory. */
TEST (test_memory_of_another_context)
{
  g_autoptr (GstHarness) up = harness_new ("clupload");
  g_autoptr (GstHarness) other = harness_new ("clintegral");
  g_autoptr (GstHarness) alone = harness_new ("clintegral");
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) device = NULL;
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstBuffer) expected = NULL;
  GstVideoInfo info;

  harness_set_format (up, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  harness_set_format (alone, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  in = frame_new (&info, 1);
  device = harness_run (up, gst_buffer_ref (in));
  expected = harness_run (alone, gst_buffer_ref (in));
  caps = harness_out_caps (up);
  gst_harness_set_src_caps (other, gst_caps_ref (caps));
  out = harness_run (other, gst_buffer_ref (device));
  expect_same_bytes (out, expected);
}

/* --- counters ------------------------------------------------------------ */

/* A host-unified device copies nothing; a discrete one exactly the bytes that
 * are read and mapped. */
#define KEPT                                                                   \
  "capsfilter caps=video/x-raw(memory:OpenCLMemory);"                          \
  "video/x-integral-image(memory:OpenCLMemory)"

TEST (test_bytes_moved)
{
  static const struct {
    const gchar *description;
    guint up, down; /* bytes of a 64x32 I420 frame, on a discrete device */
  } rows[] = {
    { "clframesum", 64 * 32 * 3 / 2, 0 },
    { "clframesum planes=y", 64 * 32, 0 },
    { "clframesum planes=b", 32 * 16, 0 },
    { "clframesum planes=r+b", 64 * 32 + 32 * 16, 0 },
    { "clintegral ! " KEPT, 64 * 32, 0 },
    { "cllocalmean ! " KEPT, 64 * 32 * 3 / 2, 0 },
    { "cllocalmean", 64 * 32 * 3 / 2, 64 * 32 * 3 / 2 },
    { "clintegral ! cllocalmean ! cldownload", 64 * 32, 64 * 32 },
    { "clscope", 64 * 32 * 3 / 2, 64 * 32 * 4 },
    /* the device memory of the first one is kept for the next */
    { "clframesum ! cllocalmean ! " KEPT, 64 * 32 * 3 / 2, 0 },
    { "clframesum ! clframesum stats-meta=false ! clintegral ! " KEPT,
        64 * 32 * 3 / 2, 0 },
    { "clframesum ! clframesum ! cllocalmean ! "
      "cldownload",
        64 * 32 * 3 / 2, 64 * 32 * 3 / 2 },
    { "clupload ! cllocalmean ! cldownload", 64 * 32 * 3 / 2, 64 * 32 * 3 / 2 },
    { "clupload ! clframesum ! cllocalmean ! clintegral ! cllocalmean",
        64 * 32 * 3 / 2, 64 * 32 },
  };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++) {
    g_autoptr (GstHarness) h = harness_new (rows[r].description);
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_I420, 64, 32, &info);
    for (guint i = 0; i < 10; i++)
      gst_buffer_unref (harness_run (h, frame_new (&info, i)));
    harness_drain (h);
    fail_unless (count_bytes (h, "bytes-to-device") ==
                     (runs_as_discrete () ? 10 * rows[r].up : 0),
        "%s: %" G_GUINT64_FORMAT " up", rows[r].description,
        count_bytes (h, "bytes-to-device"));
    fail_unless (count_bytes (h, "bytes-from-device") ==
                     (runs_as_discrete () ? 10 * rows[r].down : 0),
        "%s: %" G_GUINT64_FORMAT " down", rows[r].description,
        count_bytes (h, "bytes-from-device"));
  }
}

/* --- shared buffers ------------------------------------------------------- */

/* Two branches of a tee share a buffer: an element that writes gets a copy. */
TEST (test_copy_on_write)
{
  g_autoptr (GstHarness) h = harness_new ("clupload ! cllocalmean");
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GBytes) before = NULL;
  g_autoptr (GBytes) after = NULL;
  GstBuffer *branch;
  GstVideoInfo info;
  GstMapInfo map;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  out = harness_run (h, frame_new (&info, 1));
  before = frame_bytes (out);
  branch = gst_buffer_make_writable (gst_buffer_ref (out));
  fail_unless (gst_buffer_map (branch, &map, GST_MAP_WRITE));
  memset (map.data, 0x5a, map.size);
  gst_buffer_unmap (branch, &map);
  fail_unless (is_on_device (branch));
  after = frame_bytes (out);
  fail_unless (g_bytes_equal (before, after));

  fail_unless (gst_buffer_map (branch, &map, GST_MAP_READ));
  fail_unless_equals_int (map.data[33 * 17 - 1], 0x5a);
  gst_buffer_unmap (branch, &map);
  gst_buffer_unref (branch);
}

/* A frame that the device reads in upstream's memory is not written, either. */
TEST (test_uploaded_frames_are_not_written)
{
  g_autoptr (GstHarness) h = harness_new ("clupload");
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GBytes) before = NULL;
  g_autoptr (GBytes) after = NULL;
  GstBuffer *out;
  GstVideoInfo info;
  GstMapInfo map;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  in = frame_new (&info, 1);
  before = frame_bytes (in);
  out = gst_buffer_make_writable (harness_run (h, gst_buffer_ref (in)));
  fail_unless (gst_buffer_map (out, &map, GST_MAP_READWRITE));
  memset (map.data, 0x5a, map.size);
  gst_buffer_unmap (out, &map);
  after = frame_bytes (in);
  fail_unless (g_bytes_equal (before, after));
  gst_buffer_unref (out);
}

/* Filters that continue while upstream's buffer is in flight keep a reference,
 * release it at the end of the stream, and never modify it. */
LOOP_TEST (test_buffers_come_back, G_N_ELEMENTS (chains))
{
  g_autoptr (GstHarness) h = harness_new (chains[__i__].implicit);
  GstBuffer *held[8];
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 64, 48, &info);
  for (guint i = 0; i < G_N_ELEMENTS (held); i++) {
    held[i] = frame_new (&info, i);
    gst_buffer_unref (harness_run (h, gst_buffer_ref (held[i])));
  }
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  for (guint i = 0; i < G_N_ELEMENTS (held); i++) {
    fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (held[i]), 1);
    gst_buffer_unref (held[i]);
  }
}

TEST (test_buffer_smaller_than_its_caps)
{
  static const gchar *const parts[] = { "smaller than its caps", NULL };
  g_autoptr (GstHarness) h = harness_new ("clupload");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;
  GstBuffer *in;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 32, 16, &info);
  in = frame_new (&info, 1);
  gst_buffer_set_size (in, info.size - 1);
  harness_run_into (h, in, GST_FLOW_ERROR);
  expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, parts);
}

/* Upstream is offered a pool that needs no copy, and enough buffers. */
/* Downstream supports one layout only, so that rows have to be moved. The meta
 * of the device's buffer is wrong: the second plane begins too close to the
 * end, another format, a frame too small. */
TEST (test_wrong_video_meta_is_an_error)
{
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstHarness) up = harness_new ("clupload");
    g_autoptr (GstHarness) down = harness_new ("cldownload");
    g_autoptr (GstBus) bus = harness_bus (down);
    g_autoptr (GstCaps) caps = NULL;
    GstVideoMeta *meta;
    GstBuffer *buffer;
    GstVideoInfo info;

    harness_set_format (up, GST_VIDEO_FORMAT_NV12, 64, 32, &info);
    gst_harness_set_sink_caps_str (up,
        "video/x-raw(memory:OpenCLMemory), format=NV12");
    buffer = harness_run (up, frame_new (&info, 0));
    caps = harness_out_caps (up);
    gst_harness_set_src_caps (down, gst_caps_ref (caps));

    buffer = gst_buffer_make_writable (buffer);
    meta = gst_buffer_get_video_meta (buffer);
    if (!meta)
      meta = gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
          GST_VIDEO_FORMAT_NV12, 64, 32, 2, info.offset, info.stride);
    meta->offset[1] += i == 0 ? 1024 * 1024 : 2;
    if (i == 1)
      meta->format = GST_VIDEO_FORMAT_NV21;
    if (i == 2)
      meta->height = 31;
    harness_run_into (down, buffer, GST_FLOW_ERROR);
    expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, NULL);
  }
}

TEST (test_offered_memory)
{
  g_autoptr (GstHarness) h = harness_new ("cllocalmean");
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GstBufferPool) pool = NULL;
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  GstQuery *query;
  GstVideoInfo info;
  guint size, min;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 64, 32, &info);
  gst_buffer_unref (harness_run (h, frame_new (&info, 0)));
  caps = gst_video_info_to_caps (&info);
  query = gst_query_new_allocation (caps, TRUE);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, NULL);
  fail_unless (size >= info.size && min >= 2);
  fail_unless (
      gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  fail_unless ((pool != NULL) == runs_as_discrete ());
  gst_query_unref (query);
  if (!pool)
    return;

  /* written like any memory, transferred in place */
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  fail_unless (gst_buffer_pool_acquire_buffer (pool, &in, NULL) == GST_FLOW_OK);
  fail_unless (gst_memory_is_type (gst_buffer_peek_memory (in, 0),
      "OpenCLPinnedMemory"));
  gst_buffer_memset (in, 0, 77, info.size);
  out = harness_run (h, gst_buffer_ref (in));
  expect_means (h->element, out, &info, in, &info);
  harness_drain (h);
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (in), 1);
  gst_clear_buffer (&in);
  gst_buffer_pool_set_active (pool, FALSE);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames in DMABuf: files in memory, on a device that imports dma_bufs by the
 * mock of cl_khr_external_memory_dma_buf, and on the device as it is, which
 * reads or copies them through a mapping. The mock works with drivers of CPUs:
 * it needs buffers that share the host's memory, and NVIDIA's driver opens
 * descriptors of its own. */

#include "elements/common.h"
#include "elements/dmabuf.h"
#include "elements/frames.h"
#include "memory/importcontext.h"
#include "mocks/external.h"
#include "suite.h"
#include "sweep/line.h"

#include <CL/cl.h>
#include <gst/allocators/gstdmabuf.h>
#include <string.h>

static guint n_descriptors;

/* Environment variable CL_TEST_AS_GPU: a CPU reports itself as a GPU. */
static gboolean
runs_as_gpu (void)
{
  return g_getenv ("CL_TEST_AS_GPU") != NULL;
}

static void
setup (void)
{
  n_descriptors = dma_buf_n_descriptors ();
}

static void
teardown (void)
{
  external_set_fault (EXTERNAL_WORKS);
  external_set_failure (EXTERNAL_NO_CALL, CL_SUCCESS, 0);
  fail_unless_equals_int (external_n_held (), 0);
  fail_unless_equals_int (external_n_imports (), 0);
}

/* --- results -------------------------------------------------------------- */

typedef struct {
  gchar *results; /* g_free() */
  GPtrArray *errors;
} Played;

static void
clear_played (Played *played)
{
  g_free (played->results);
  g_ptr_array_unref (played->errors);
}

/* Plays a frame in each of the first @n_layouts layouts, and two of another
 * size. */
static Played
play (const LineKind *kind, guint n_layouts)
{
  Line *line = line_new (kind);
  gboolean plays = line_open (line);
  Played played;

  line_set_size (line, 64, 48);
  for (guint i = 0; i < n_layouts && plays; i++)
    plays = line_push (line, i) == GST_FLOW_OK;
  line_set_size (line, 33, 17);
  for (guint i = 0; i < 2 && plays; i++)
    plays = line_push (line, LAYOUT_PADDED) == GST_FLOW_OK;
  line_push_eos (line);
  fail_unless (line_stop (line));
  played.results = line_take_results (line);
  played.errors = g_ptr_array_ref ((GPtrArray *) line_errors (line));
  line_free (line);

  return played;
}

/* Plays @kind with frames and caps of system memory, and returns the results;
 * g_free(). */
static gchar *
expected_results (const LineKind *kind, guint n_layouts)
{
  LineKind system = *kind;
  Played played;

  system.in_dma_buf = FALSE;
  system.caps_feature = system.drm_format = NULL;
  played = play (&system, n_layouts);
  fail_unless_equals_int (played.errors->len, 0);
  g_ptr_array_unref (played.errors);

  return played.results;
}

/* Results may be too long for a message of the test. */
static void
expect_results (const Played *played, const gchar *expected)
{
  if (strcmp (played->results, expected) != 0)
    g_printerr ("found:\n%sexpected:\n%s", played->results, expected);
  fail_unless (strcmp (played->results, expected) == 0);
}

static void
expect_same_results (const LineKind *kind)
{
  g_autofree gchar *expected = expected_results (kind, N_LAYOUTS);
  Played played = play (kind, N_LAYOUTS);

  fail_unless_equals_int (played.errors->len, 0);
  expect_results (&played, expected);
  clear_played (&played);
}

#define DMABUF GST_CAPS_FEATURE_MEMORY_DMABUF

/* Elements such as v4l2src of GStreamer 1.22 have caps of system memory. */
static const LineKind lines[] = {
  { "clframesum", .in_dma_buf = TRUE },
  { "clframesum", .in_dma_buf = TRUE, .caps_feature = DMABUF },
  { "clframesum", .in_dma_buf = TRUE, .format = GST_VIDEO_FORMAT_P010_10LE },
  { "clframesum async-depth=2 statistics=moments+temporal+percentiles",
      .in_dma_buf = TRUE, .caps_feature = DMABUF },
  { "cllocalmean kernel-width=5", .in_dma_buf = TRUE },
  { "cllocalmean kernel-width=5", .in_dma_buf = TRUE, .caps_feature = DMABUF,
      .format = GST_VIDEO_FORMAT_NV12 },
  { "clintegral ! cllocalmean", .in_dma_buf = TRUE, .caps_feature = DMABUF },
  { "clscope kind=all", .in_dma_buf = TRUE, .caps_feature = DMABUF },
  { "clupload ! cldownload", .in_dma_buf = TRUE, .caps_feature = DMABUF },
  { "clupload ! cllocalmean", .in_dma_buf = TRUE },
  { "clframesum ! cllocalmean", .in_dma_buf = TRUE, .caps_feature = DMABUF },
  { "cldownload", .in_dma_buf = TRUE, .caps_feature = DMABUF },
#if GST_CHECK_VERSION(1, 24, 0)
  { "clframesum", .in_dma_buf = TRUE, .caps_feature = DMABUF,
      .drm_format = "YU12" },
  { "cllocalmean kernel-width=5", .in_dma_buf = TRUE, .caps_feature = DMABUF,
      .drm_format = "YU12" },
  { "clintegral ! cllocalmean", .in_dma_buf = TRUE, .caps_feature = DMABUF,
      .format = GST_VIDEO_FORMAT_NV12, .drm_format = "NV12" },
  { "clupload ! cldownload", .in_dma_buf = TRUE, .caps_feature = DMABUF,
      .format = GST_VIDEO_FORMAT_BGRx, .drm_format = "XR24" },
  { "clframesum ! cllocalmean", .in_dma_buf = TRUE, .caps_feature = DMABUF,
      .drm_format = "YU12" },
  { "cldownload", .in_dma_buf = TRUE, .caps_feature = DMABUF,
      .format = GST_VIDEO_FORMAT_NV12, .drm_format = "NV12" },
#endif
  { "cldownload", .in_dma_buf = TRUE, .lacks_video_meta = TRUE },
};

/* Elements read the imported memory, and return it. The host reads the frame
 * for cldownload; in front of it, clupload of a host-unified device only wraps
 * the frame. */
LOOP_TEST (imported_frames_have_same_results, G_N_ELEMENTS (lines))
{
  const gint n_acquired = external_n_acquired ();

  if (!import_context_is_on_cpu ())
    return; /* see the top */

  expect_same_results (&lines[__i__]);
  fail_unless (external_n_acquired () > n_acquired ||
               strstr (lines[__i__].description, "cldownload") != NULL);
  fail_unless_equals_int (dma_buf_n_descriptors (), n_descriptors);
}

/* Other devices read or copy the memory through its mapping. */
LOOP_TEST (mapped_frames_have_same_results, G_N_ELEMENTS (lines))
{
  const gint n_acquired = external_n_acquired ();

  external_set_fault (EXTERNAL_IS_MISSING);
  expect_same_results (&lines[__i__]);
  fail_unless_equals_int (external_n_acquired (), n_acquired);
}

/* --- caps ---------------------------------------------------------------- */

/* The numbers of structures with DMABuf that an element offers. */
typedef struct {
  guint n_linear; /* with DMA_DRM */
  guint n_others;
} Offered;

/* Returns what the sink pad of @h offers upstream for @filter (NULL: none).
 * DMABuf without DMA_DRM must be behind all other memory. */
static Offered
count_offered (GstHarness *h, const gchar *filter)
{
  g_autoptr (GstCaps) wanted = filter ? gst_caps_from_string (filter) : NULL;
  g_autoptr (GstPad) pad = gst_element_get_static_pad (h->element, "sink");
  g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, wanted);
  Offered offered = { 0 };

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const gchar *format = gst_structure_get_string (
        gst_caps_get_structure (caps, i), "format");

    if (!gst_caps_features_contains (gst_caps_get_features (caps, i), DMABUF))
      fail_unless (offered.n_others == 0);
    else if (g_strcmp0 (format, "DMA_DRM") == 0)
      offered.n_linear++;
    else
      offered.n_others++;
  }

  return offered;
}

/* Every device accepts DMABuf. To decoders with other memory, elements offer
 * linear layouts only, if the device imports them: caps without a modifier may
 * mean tiled frames. */
LOOP_TEST (caps_are_offered_to_sources_of_dmabuf, 2)
{
  static const gchar *const elements[] = { "clframesum", "cllocalmean",
    "clintegral", "clscope", "clupload", "cldownload" };
  static const gchar *const only_dmabuf[] = { NULL,
    "video/x-raw(memory:DMABuf)" };
  static const gchar *const also_system[] = {
    "video/x-raw(memory:DMABuf); video/x-raw", "ANY"
  };
  static const ExternalFault faults[] = { EXTERNAL_WORKS, EXTERNAL_IS_MISSING };
  const gboolean has_linear = GST_CHECK_VERSION (1, 24, 0) &&
                              faults[__i__] == EXTERNAL_WORKS;
  Offered offered;
  GstHarness *h;

  external_set_fault (faults[__i__]);
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    h = harness_new (elements[i]);
    for (guint f = 0; f < G_N_ELEMENTS (only_dmabuf); f++) {
      offered = count_offered (h, only_dmabuf[f]);
      fail_unless (offered.n_others > 0);
      fail_unless (offered.n_linear > 0 || !has_linear);
    }
    for (guint f = 0; f < G_N_ELEMENTS (also_system); f++) {
      offered = count_offered (h, also_system[f]);
      fail_unless_equals_int (offered.n_others, 0);
      fail_unless_equals_int (offered.n_linear > 0, has_linear);
    }
    harness_free (h);
  }
}

/* --- imports that fail ---------------------------------------------------- */

static const ExternalFault faults[] = { EXTERNAL_IMPORTS_FAIL,
  EXTERNAL_ACQUIRES_FAIL, EXTERNAL_COPIES_FAIL, EXTERNAL_HAS_OTHER_BYTES,
  MAPPED_FILES_ARE_COPIED };

/* Frames are copied, with the same results, if the import check fails, or that
 * of memory in place. */
LOOP_TEST (failing_import_is_disabled, G_N_ELEMENTS (faults))
{
  static const LineKind kind = { "clframesum", .in_dma_buf = TRUE };
  g_autofree gchar *expected = expected_results (&kind, N_LAYOUTS);
  const gint n_acquired = external_n_acquired ();
  Played played;

  /* for a CPU, all mapped memory is the same */
  if (faults[__i__] == MAPPED_FILES_ARE_COPIED && !runs_as_gpu ())
    return;

  external_set_fault (faults[__i__]);
  played = play (&kind, N_LAYOUTS);
  fail_unless_equals_int (played.errors->len, 0);
  expect_results (&played, expected);
  fail_unless (external_n_acquired () <= n_acquired + 1);
  clear_played (&played);
}

/* --- calls that fail ------------------------------------------------------ */

static const struct {
  ExternalCall call;
  cl_int codes[12]; /* up to the first 0 */
} calls[] = {
  { EXTERNAL_CREATE,
      { CL_INVALID_CONTEXT, -64 /* CL_INVALID_PROPERTY */, CL_INVALID_VALUE,
          CL_INVALID_BUFFER_SIZE, CL_INVALID_HOST_PTR, CL_INVALID_OPERATION,
          CL_INVALID_DEVICE, CL_MEM_OBJECT_ALLOCATION_FAILURE,
          CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY } },
  { EXTERNAL_ACQUIRE,
      { CL_INVALID_VALUE, CL_INVALID_MEM_OBJECT, CL_INVALID_COMMAND_QUEUE,
          CL_INVALID_CONTEXT, CL_INVALID_EVENT_WAIT_LIST, CL_OUT_OF_RESOURCES,
          CL_OUT_OF_HOST_MEMORY } },
  { EXTERNAL_RELEASE,
      { CL_INVALID_VALUE, CL_INVALID_MEM_OBJECT, CL_INVALID_COMMAND_QUEUE,
          CL_INVALID_CONTEXT, CL_INVALID_EVENT_WAIT_LIST, CL_OUT_OF_RESOURCES,
          CL_OUT_OF_HOST_MEMORY } },
  { EXTERNAL_COPY, { CL_INVALID_VALUE, CL_INVALID_MEM_OBJECT,
                       CL_MEM_COPY_OVERLAP, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                       CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY } },
};

#define N_WALKED 2 /* layouts: one is read in place, one is copied */

/* Returns whether the stream was long enough for the failure. */
static gboolean
expect_copy_or_error (const LineKind *kind, const gchar *expected,
    ExternalCall call, cl_int code, guint n_before)
{
  gboolean has_failed;
  Played played;

  external_set_failure (call, code, n_before);
  played = play (kind, N_WALKED);
  has_failed = external_has_failed ();
  external_set_failure (EXTERNAL_NO_CALL, CL_SUCCESS, 0);
  if (played.errors->len == 0) {
    expect_results (&played, expected);
  } else {
    g_autoptr (GError) error = NULL;

    fail_unless_equals_int (played.errors->len, 1);
    gst_message_parse_error (g_ptr_array_index (played.errors, 0), &error,
        NULL);
    fail_unless (strstr (error->message, "CL_") != NULL, "%s", error->message);
  }
  clear_played (&played);
  fail_unless_equals_int (external_n_held (), 0);
  fail_unless_equals_int (external_n_imports (), 0);

  return has_failed;
}

/* Each call fails at each time, with the first of its codes and with those that
 * the seed chooses: the results are the same, or there is one error. No import
 * and no descriptor is leaked. */
LOOP_TEST (each_call_fails, G_N_ELEMENTS (calls))
{
  static const LineKind kinds[] = {
    { "clframesum", .in_dma_buf = TRUE },
    { "clupload ! cldownload", .in_dma_buf = TRUE,
        .format = GST_VIDEO_FORMAT_P010_10LE },
  };

  if (!import_context_is_on_cpu ())
    return; /* see the top */

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    g_autofree gchar *expected = expected_results (&kinds[k], N_WALKED);

    for (guint i = 0; calls[__i__].codes[i] != 0; i++) {
      guint n = 0;

      if (i > 0 && (test_seed () + i) % 4 != 0)
        continue;
      while (expect_copy_or_error (&kinds[k], expected, calls[__i__].call,
          calls[__i__].codes[i], n))
        n++;
    }
  }
  fail_unless_equals_int (dma_buf_n_descriptors (), n_descriptors);
}

/* --- recurring memory ----------------------------------------------------- */

#define N_MEMORIES 5 /* more than a filter keeps */
#define N_ROUNDS   4

static void
fill (GstMemory *memory, guint8 value)
{
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = value + i % 2;
  gst_memory_unmap (memory, &map);
}

static GstBuffer *
new_buffer (GstMemory *memory)
{
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_append_memory (buffer, gst_memory_ref (memory));

  return buffer;
}

static void
expect_mean (GstHarness *h, gdouble expected)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstMessage) message = NULL;
  const GValue *means;

  harness_drain (h);
  message = pop_element_message (bus, "clframesum");
  fail_unless (message != NULL);
  means = gst_structure_get_value (gst_message_get_structure (message), "mean");
  fail_unless_equals_float (
      g_value_get_double (gst_value_array_get_value (means, 0)), expected);
}

/* The device sees what upstream has written since the frame before, and a
 * memory is imported once. Only the import check copies. */
TEST (recurring_memory_is_imported_once)
{
  GstMemory *memories[N_MEMORIES];
  GstVideoInfo info;
  GstHarness *h = harness_new ("clframesum");

  if (!import_context_is_on_cpu ())
    return; /* see the top */

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 320, 240, &info);
  for (guint i = 0; i < N_MEMORIES; i++)
    memories[i] = dma_buf_new (GST_VIDEO_INFO_SIZE (&info), TRUE);
  for (guint i = 0; i < N_MEMORIES * N_ROUNDS; i++) {
    GstMemory *memory = memories[i % N_MEMORIES];

    fill (memory, (guint8) (3 * i));
    gst_buffer_unref (harness_run (h, new_buffer (memory)));
    expect_mean (h, 3 * i + 0.5);
  }
  fail_unless_equals_int (external_n_imports (), N_MEMORIES);
  fail_unless_equals_uint64 (import_context_bytes (h, "bytes-to-device"), 0);
  fail_unless_equals_uint64 (import_context_bytes (h, "bytes-within-device"),
      0);
  harness_free (h);
  for (guint i = 0; i < N_MEMORIES; i++)
    gst_memory_unref (memories[i]);
}

#define N_STREAMS 3

static gpointer
play_memory (gpointer memory)
{
  GstVideoInfo info;
  /* two elements read each frame */
  GstHarness *h = harness_new ("clframesum ! clframesum");

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 320, 240, &info);
  for (guint i = 0; i < N_MEMORIES; i++) {
    gst_buffer_unref (harness_run (h, new_buffer (memory)));
    expect_mean (h, 9.5);
  }
  harness_free (h);

  return NULL;
}

/* Elements that read one memory at the same time use different imports: the
 * mock aborts if one is acquired twice. */
TEST (streams_share_memory)
{
  GstMemory *memory = dma_buf_new (320 * 240, TRUE);
  GThread *streams[N_STREAMS];

  fill (memory, 9);
  for (guint i = 0; i < N_STREAMS; i++)
    streams[i] = g_thread_new ("stream", play_memory, memory);
  for (guint i = 0; i < N_STREAMS; i++)
    g_thread_join (streams[i]);
  fail_unless (external_n_imports () <= 4);
  gst_memory_unref (memory);
}

/* --- memory that cannot be imported --------------------------------------- */

/* A frame whose bytes are all the same cannot show that the device reads the
 * right memory: it is copied. */
TEST (uniform_frame_is_copied)
{
  GstVideoInfo info;
  GstHarness *h = harness_new ("clframesum");
  g_autoptr (GstBuffer) frame = NULL;
  gint n_acquired;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 320, 240, &info);
  external_set_fault (EXTERNAL_HAS_OTHER_BYTES);
  frame = frame_new_filled (&info, 0);
  n_acquired = external_n_acquired ();
  for (guint i = 0; i < 3; i++) {
    gst_buffer_unref (harness_run (h, dma_buf_copy (frame)));
    expect_mean (h, 0);
  }
  fail_unless_equals_int (external_n_acquired (), n_acquired + 1);
  harness_free (h);
}

/* Memory that nobody can map, such as tiled memory of GStreamer's VA elements,
 * is an error, and no wrong result. */
LOOP_TEST (memory_that_cannot_be_mapped_is_an_error, 2)
{
  static const gchar *const parts[] = { "could not be mapped", NULL };
  GstVideoInfo info;
  GstHarness *h = harness_new ("clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) frame = NULL;
  GstBuffer *unreadable = gst_buffer_new ();
  const gint n_acquired = external_n_acquired ();

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 320, 240, &info);
  frame = frame_new (&info, 1);
  if (__i__ > 0) /* the import check has passed before */
    gst_buffer_unref (harness_run (h, dma_buf_copy (frame)));
  gst_buffer_append_memory (unreadable,
      dma_buf_new (GST_VIDEO_INFO_SIZE (&info), FALSE));
  harness_run_into (h, unreadable, GST_FLOW_ERROR);
  expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, parts);
  fail_unless (external_n_acquired () == n_acquired || __i__ > 0);
  harness_free (h);
}

static void
start (void)
{
  if (runs_as_gpu ())
    external_report_cpu_as_gpu ();
}

SUITE (.start = start, .setup = setup, .teardown = teardown);

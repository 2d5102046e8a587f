/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C code of the pages, word for word. */

#include "common.h"
#include "frames.h"
#include "suite.h"

#include <CL/cl.h>
#include <gst/opencl/statistics.h>
#define SNIPPET library_1
#include "snippets.inc"
#undef SNIPPET

#define N_SKIPPED 7 /* bytes at the start of a memory */

static cl_command_queue
find_queue (GstElement *element)
{
  g_autoptr (GstContext)
      context = gst_element_get_context (element, "gst.cl.context");
  cl_command_queue queue;

  fail_unless (gst_structure_get (gst_context_get_structure (context),
      "cl-queue", G_TYPE_POINTER, &queue, NULL));

  return queue;
}

/* --- memories ------------------------------------------------------------- */

static GByteArray *bytes_read;

static void
enqueue (cl_command_queue queue, cl_mem mem, gsize offset, gsize size)
{
  const guint at = bytes_read->len;

  g_byte_array_set_size (bytes_read, at + size);
  fail_unless_equals_int (clEnqueueReadBuffer (queue, mem, CL_TRUE, offset,
                              size, bytes_read->data + at, 0, NULL, NULL),
      CL_SUCCESS);
}

static gboolean
use_memories (GstBuffer *buffer, cl_command_queue queue, GError **error)
{
#define SNIPPET library_2
#include "snippets.inc"
#undef SNIPPET

  return TRUE;
}

static gboolean
make_writable (GstBuffer *buffer, guint i, GError **error)
{
#define SNIPPET library_3
#include "snippets.inc"
#undef SNIPPET

  return TRUE;
}

/* Memory of the host that clupload wraps, and memory of two buffers. */
TEST (test_memories_to_write)
{
  g_autoptr (GstHarness) h = harness_new ("clupload");
  g_autoptr (GstBuffer) frame = NULL, expected = NULL, other = NULL;
  GstMemory *memory;
  GstMapInfo map;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 33, &info);
  gst_harness_set_sink_caps_str (h, "video/x-raw(memory:OpenCLMemory)");
  expected = frame_new (&info, 1);
  frame = harness_run (h, gst_buffer_ref (expected));
  for (guint i = 0; i < 2; i++) {
    fail_unless (make_writable (frame, 0, NULL));
    memory = gst_buffer_peek_memory (frame, 0);
    fail_unless (gst_is_cl_memory (memory));
    fail_unless (gst_memory_is_writable (memory));
    fail_if (GST_MEMORY_IS_READONLY (memory));
    fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
    fail_unless_equals_uint64 (map.size, gst_buffer_get_size (expected));
    fail_unless (gst_buffer_memcmp (expected, 0, map.data, map.size) == 0);
    gst_memory_unmap (memory, &map);
    if (i == 0)
      other = gst_buffer_copy (frame);
  }
  fail_if (gst_buffer_peek_memory (other, 0) == memory);
}

/* Two frames in one buffer, a memory each; the second memory has an offset. */
TEST (test_memories)
{
  g_autoptr (GstHarness) h = harness_new ("clupload");
  g_autoptr (GstBuffer) both = NULL, cut = NULL, expected = NULL;
  g_autoptr (GError) error = NULL;
  GstVideoInfo info;

  /* without padding, which is not transferred */
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 33, &info);
  gst_harness_set_sink_caps_str (h, "video/x-raw(memory:OpenCLMemory)");
  both = harness_run (h, frame_new (&info, 1));
  cut = harness_run (h, frame_new (&info, 2));
  gst_buffer_resize (cut, N_SKIPPED, -1);
  both = gst_buffer_append (g_steal_pointer (&both), g_steal_pointer (&cut));
  fail_unless_equals_int (gst_buffer_n_memory (both), 2);
  cut = frame_new (&info, 2);
  gst_buffer_resize (cut, N_SKIPPED, -1);
  expected = gst_buffer_append (frame_new (&info, 1), g_steal_pointer (&cut));

  bytes_read = g_byte_array_new ();
  fail_unless (use_memories (both, find_queue (h->element), NULL));
  fail_unless_equals_int (bytes_read->len, gst_buffer_get_size (expected));
  fail_unless (
      gst_buffer_memcmp (expected, 0, bytes_read->data, bytes_read->len) == 0);
  g_byte_array_unref (bytes_read);
  fail_if (use_memories (expected, NULL, &error),
      "the snippet accepts host memory");
  g_assert_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
}

/* --- results -------------------------------------------------------------- */

static const GstStructure *
find_before (GstBuffer *buffer)
{
#define SNIPPET statistics_1
#include "snippets.inc"
#undef SNIPPET

  return result;
}

static const GstStructure *
read_result (GstMessage *message, GstBuffer *buffer)
{
#define SNIPPET README_1
#include "snippets.inc"
#undef SNIPPET

  return fields;
}

static gdouble printed;

static void
read_printed (const gchar *text)
{
  printed = g_ascii_strtod (text, NULL);
}

/* Every other frame is measured by both, the others by one or by neither. */
TEST (test_results)
{
  g_autoptr (GstHarness)
      h = harness_new ("clframesum name=before frame-interval=2 ! "
                       "clframesum name=last frame-interval=4");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstMessage) message = NULL;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 65, 33, &info);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) buffer = harness_run (h, frame_new (&info, i));
    const GstStructure *fields;
    gdouble mean = -1;

    if (i == 0)
      message = pop_element_message (bus, "clframesum");
    fail_unless ((find_before (buffer) != NULL) == (i % 2 == 0));
    fail_unless ((gst_cl_statistics_find_result (buffer, "last") != NULL) ==
                 (i % 4 == 0));
    fail_unless (gst_cl_statistics_find_result (buffer, "other") == NULL);

    g_set_print_handler (read_printed);
    fields = read_result (message, buffer);
    g_set_print_handler (NULL);
    fail_unless ((fields != NULL) == (i % 2 == 0));
    if (!fields)
      fields = gst_message_get_structure (message);
    else
      fail_unless_equals_string (gst_structure_get_string (fields, "element"),
          i == 0 ? "last" : "before");
    fail_unless (gst_cl_statistics_get_mean (fields, "Y", &mean));
    fail_unless (ABS (printed - mean) < 1e-5);
  }
}

/* --- an application's context --------------------------------------------- */

static gboolean
share (GstElement *pipeline, cl_device_id device, cl_context cl,
    cl_command_queue queue, GError **error)
{
#define SNIPPET memory_1
#include "snippets.inc"
#undef SNIPPET
  gst_context_unref (context);

  return TRUE;
}

static gboolean
share_by_library (GstElement *pipeline, cl_device_id device, cl_context cl,
    cl_command_queue queue, GError **error)
{
#define SNIPPET library_4
#include "snippets.inc"
#undef SNIPPET

  return TRUE;
}

static gboolean (*const ways_to_share[]) (GstElement *pipeline,
    cl_device_id device, cl_context cl, cl_command_queue queue,
    GError **error) = { share, share_by_library };

LOOP_TEST (test_own_context, G_N_ELEMENTS (ways_to_share))
{
  g_autoptr (GstHarness) theirs = harness_new ("clupload");
  g_autoptr (GstElement) element = gst_element_factory_make ("clupload", NULL);
  const cl_command_queue queue = find_queue (theirs->element);
  cl_device_id device;
  cl_context cl;

  gst_object_ref_sink (element);
  clGetCommandQueueInfo (queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
  clGetCommandQueueInfo (queue, CL_QUEUE_CONTEXT, sizeof cl, &cl, NULL);
  fail_unless (ways_to_share[__i__](element, device, cl, queue, NULL));
  gst_element_set_state (element, GST_STATE_PAUSED);
  fail_unless (find_queue (element) == queue);
  gst_element_set_state (element, GST_STATE_NULL);
}

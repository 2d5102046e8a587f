/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Import paths of host memory that do not transfer a frame's bytes are
 * disabled. */

#include "elements/common.h"
#include "elements/frames.h"
#include "memory/importcontext.h"
#include "mocks/external.h"
#include "mocks/hostbuffers.h"
#include "suite.h"

#include <string.h>

static void
teardown (void)
{
  external_set_fault (EXTERNAL_WORKS);
}

static gdouble
pop_mean (GstHarness *h)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstMessage) message = NULL;
  const GValue *means;

  harness_drain (h);
  message = pop_element_message (bus, "clframesum");
  fail_unless (message != NULL);
  means = gst_structure_get_value (gst_message_get_structure (message), "mean");

  return g_value_get_double (gst_value_array_get_value (means, 0));
}

static void
fill (GstMemory *memory, guint8 value)
{
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  memset (map.data, value, map.size);
  gst_memory_unmap (memory, &map);
}

/* If memory read in place has other bytes, or those of an earlier frame, frames
 * are copied, with correct results. */
LOOP_TEST (in_place_import_that_fails_is_disabled, 2)
{
  static const ExternalFault faults[] = { HOST_MEMORY_IS_COPIED,
    HOST_MEMORY_IS_STALE };
  static const guint8 values[] = { 77, 12, 200 };
  const gchar *unified = g_getenv ("GST_OPENCL_HOST_UNIFIED");
  GstMemory *memory;
  GstVideoInfo info;
  GstHarness *h;

  /* other devices read nothing in place */
  if ((unified && unified[0] == '0') || !import_context_is_on_cpu ())
    return;

  external_set_fault (faults[__i__]);
  h = harness_new ("clframesum");
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 640, 480, &info);
  memory = gst_allocator_alloc (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    GstBuffer *buffer = gst_buffer_new ();

    fill (memory, values[i]);
    gst_buffer_append_memory (buffer, gst_memory_ref (memory));
    gst_buffer_unref (harness_run (h, buffer));
    fail_unless_equals_float (pop_mean (h), values[i]);
  }
  fail_unless_equals_uint64 (import_context_bytes (h, "bytes-to-device"),
      G_N_ELEMENTS (values) * 640 * 480);
  harness_free (h);
  gst_memory_unref (memory);
}

/* If no path works, there is an error and no wrong result. */
TEST (failed_pinned_import_is_an_error)
{
  static const gchar *const parts[] = { "pinned host memory", NULL };
  g_autofree gchar *unified = g_strdup (g_getenv ("GST_OPENCL_HOST_UNIFIED"));
  g_autoptr (GstBus) bus = NULL;
  GstVideoInfo info;
  GstHarness *h;

  g_setenv ("GST_OPENCL_HOST_UNIFIED", "0", TRUE);
  external_set_fault (HOST_WRITES_ARE_LOST);
  h = harness_new ("clframesum");
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 640, 480, &info);
  bus = harness_bus (h);
  harness_run_into (h, frame_new_filled (&info, 77), GST_FLOW_ERROR);
  expect_one_error (bus, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, parts);
  harness_free (h);
  if (unified)
    g_setenv ("GST_OPENCL_HOST_UNIFIED", unified, TRUE);
  else
    g_unsetenv ("GST_OPENCL_HOST_UNIFIED");
}

/* --- recurring buffers ---------------------------------------------------- */

#define N_MEMORIES 5 /* more than a filter keeps */
#define N_ROUNDS   6

typedef struct {
  gchar *unified; /* the previous value of GST_OPENCL_HOST_UNIFIED */
  GstHarness *h;
  GstVideoInfo info;
  GstMemory *memories[N_MEMORIES];
  guint n_frames;
  gint n_reads_before;
} Recurring;

static void
start (Recurring *r, const gchar *element)
{
  r->n_reads_before = host_buffers_n_reads ();
  r->unified = g_strdup (g_getenv ("GST_OPENCL_HOST_UNIFIED"));
  g_setenv ("GST_OPENCL_HOST_UNIFIED", "0", TRUE);
  r->h = harness_new (element);
  harness_set_format (r->h, GST_VIDEO_FORMAT_GRAY8, 640, 480, &r->info);
  for (guint i = 0; i < N_MEMORIES; i++)
    r->memories[i] = gst_allocator_alloc (NULL, GST_VIDEO_INFO_SIZE (&r->info),
        NULL);
}

static void
stop (Recurring *r)
{
  harness_free (r->h);
  for (guint i = 0; i < N_MEMORIES; i++)
    gst_memory_unref (r->memories[i]);
  if (r->unified)
    g_setenv ("GST_OPENCL_HOST_UNIFIED", r->unified, TRUE);
  else
    g_unsetenv ("GST_OPENCL_HOST_UNIFIED");
  g_free (r->unified);
}

/* Returns a frame of @value in the memory that was used N_MEMORIES frames ago.
 * transfer full */
static GstBuffer *
next_frame (Recurring *r, guint8 value, gboolean has_time)
{
  GstMemory *memory = r->memories[r->n_frames % N_MEMORIES];
  GstBuffer *buffer = gst_buffer_new ();

  fill (memory, value);
  gst_buffer_append_memory (buffer, gst_memory_ref (memory));
  if (has_time)
    GST_BUFFER_PTS (buffer) = r->n_frames * GST_MSECOND;
  r->n_frames++;

  return buffer;
}

/* Pushes @n_rounds frames in each memory, and checks their means. */
static void
push_rounds (Recurring *r, guint n_rounds, gboolean have_times)
{
  g_autoptr (GstBus) bus = harness_bus (r->h);

  for (guint n = 0; n < n_rounds * N_MEMORIES; n++) {
    const guint8 value = (guint8) (17 + 7 * n);

    gst_buffer_unref (harness_run (r->h, next_frame (r, value, have_times)));
    fail_unless_equals_float (pop_mean (r->h), value);
    gst_bus_set_flushing (bus, TRUE);
    gst_bus_set_flushing (bus, FALSE);
  }
}

/* Returns the number of transfers from registered memory since start(), one of
 * which is the import check. */
static gint
count_reads (const Recurring *r)
{
  return host_buffers_n_reads () - r->n_reads_before;
}

TEST (recurring_memory_is_registered)
{
  Recurring r = { 0 };

  start (&r, "clframesum");
  push_rounds (&r, 2, TRUE);
  fail_unless_equals_int (count_reads (&r), 1);
  push_rounds (&r, N_ROUNDS - 2, TRUE);
  /* the import check, and each memory from its third frame on */
  fail_unless_equals_int (count_reads (&r), 1 + (N_ROUNDS - 2) * N_MEMORIES);
  stop (&r);
}

/* Frames without a timestamp may be planes of one frame. */
TEST (memory_without_timestamps_is_registered_later)
{
  Recurring r = { 0 };

  start (&r, "clframesum");
  push_rounds (&r, 23, FALSE);
  fail_unless_equals_int (count_reads (&r), 1);
  push_rounds (&r, 1, FALSE);
  fail_unless_equals_int (count_reads (&r), 1 + N_MEMORIES);
  stop (&r);
}

TEST (memory_used_once_is_not_registered)
{
  Recurring r = { 0 };

  start (&r, "clframesum");
  for (guint i = 0; i < N_ROUNDS * N_MEMORIES; i++) {
    GstBuffer *buffer = frame_new_filled (&r.info, (guint8) i);

    GST_BUFFER_PTS (buffer) = i * GST_MSECOND;
    gst_buffer_unref (harness_run (r.h, buffer));
    fail_unless_equals_float (pop_mean (r.h), i);
  }
  fail_unless_equals_int (count_reads (&r), 1);
  stop (&r);
}

/* All planes of a frame without a timestamp, in all elements, count as one use
 * of its memory. */
TEST (planes_of_a_frame_count_once)
{
  Recurring r = { 0 };

  start (&r, "clframesum ! clframesum");
  harness_set_format (r.h, GST_VIDEO_FORMAT_Y444, 640, 480, &r.info);
  for (guint i = 0; i < 10; i++)
    gst_buffer_unref (harness_run (r.h, frame_new_filled (&r.info, 5)));
  harness_drain (r.h);
  fail_unless_equals_int (count_reads (&r), 1);
  stop (&r);
}

/* If registered memory does not work, the host copies frames, with correct
 * results. */
LOOP_TEST (failing_registration_is_disabled, 2)
{
  static const ExternalFault faults[] = { REGISTERED_MEMORY_IS_STALE,
    REGISTERED_MEMORY_IS_REFUSED };
  Recurring r = { 0 };

  external_set_fault (faults[__i__]);
  start (&r, "clframesum");
  push_rounds (&r, N_ROUNDS, TRUE);
  fail_unless (count_reads (&r) <= 1);
  stop (&r);
}

SUITE (.teardown = teardown);

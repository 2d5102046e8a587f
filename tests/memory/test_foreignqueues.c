/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device memory on queues of an application: gst/opencl/opencl.h. */

#include "cl/context/gstclprogram.h"
#include "cl/video/gstclbufferpool.h"
#include "gst/opencl/opencl.h"
#include "suite.h"

#include <gst/video/video.h>

#define N_BYTES 4096

static GstClContext *context;
static GstAllocator *allocator;
static cl_command_queue queue, other; /* an application's */
static cl_event gate;                 /* commands that wait for it do not run */

#define SUCCEED(call) fail_unless_equals_int (call, CL_SUCCESS)

static cl_command_queue
new_queue (void)
{
  cl_int code;
  cl_command_queue created = clCreateCommandQueue (
      gst_cl_context_get_handle (context), gst_cl_context_get_device (context),
      0, &code);

  SUCCEED (code);

  return created;
}

static void
close_gate (void)
{
  cl_int code;

  gate = clCreateUserEvent (gst_cl_context_get_handle (context), &code);
  SUCCEED (code);
}

static void
setup (void)
{
  g_autoptr (GError) error = NULL;

  context = gst_cl_context_new_for_device (NULL, &error);
  g_assert_no_error (error);
  allocator = gst_cl_allocator_new (context);
  queue = new_queue ();
  other = new_queue ();
  close_gate ();
}

/* NVIDIA's driver does not return from releasing a context that has a user
 * event without a state. */
static void
open_gate_if_closed (void)
{
  cl_int state;

  SUCCEED (clGetEventInfo (gate, CL_EVENT_COMMAND_EXECUTION_STATUS,
      sizeof state, &state, NULL));
  if (state > CL_COMPLETE)
    SUCCEED (clSetUserEventStatus (gate, CL_COMPLETE));
}

static void
teardown (void)
{
  gpointer watched = context;

  open_gate_if_closed ();
  clReleaseEvent (gate);
  clReleaseCommandQueue (queue);
  clReleaseCommandQueue (other);
  gst_clear_object (&allocator);
  g_object_add_weak_pointer (G_OBJECT (context), &watched);
  gst_object_unref (context);
  fail_unless (watched == NULL);
}

/* Runs commands on a queue without the gate for as long as a command needs that
 * waits for nothing: one that runs too early has run then. */
static void
let_others_run (void)
{
  cl_command_queue third = new_queue ();
  GstMemory *memory = gst_allocator_alloc (allocator, N_BYTES, NULL);
  const cl_uchar value = 1;

  for (guint i = 0; i < 1000; i++) {
    SUCCEED (clEnqueueFillBuffer (third, gst_cl_memory_get_handle (memory),
        &value, 1, 0, N_BYTES, 0, NULL, NULL));
    SUCCEED (clFinish (third));
  }
  gst_memory_unref (memory);
  clReleaseCommandQueue (third);
}

static void
open_gate (cl_int state)
{
  SUCCEED (clSetUserEventStatus (gate, state));
}

static GstMemory *
new_memory (guint8 value)
{
  GstMemory *memory = gst_allocator_alloc (allocator, N_BYTES, NULL);
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  memset (map.data, value, N_BYTES);
  gst_memory_unmap (memory, &map);

  return memory;
}

static void
expect_bytes (const guint8 *data, guint8 value)
{
  for (gsize i = 0; i < N_BYTES; i++)
    fail_unless_equals_int (data[i], value);
}

static void
expect_memory (GstMemory *memory, guint8 value)
{
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  expect_bytes (map.data, value);
  gst_memory_unmap (memory, &map);
}

/* Writes @value on the application's queue once the gate is open. */
static void
write_gated (GstMemory *memory, guint8 value, gboolean names_event)
{
  g_autoptr (GError) error = NULL;
  cl_event event;

  fail_unless (gst_cl_memory_begin (memory, queue, GST_MAP_WRITE, &error));
  SUCCEED (clEnqueueFillBuffer (queue, gst_cl_memory_get_handle (memory),
      &value, 1, 0, N_BYTES, 1, &gate, &event));
  fail_unless (gst_cl_memory_end (memory, queue, GST_MAP_WRITE,
      names_event ? event : NULL, &error));
  clReleaseEvent (event);
}

/* Reads into @data on @by; returns the event. */
static cl_event
read_on (cl_command_queue by, GstMemory *memory, guint8 *data, gboolean gated)
{
  g_autoptr (GError) error = NULL;
  cl_event event;

  fail_unless (gst_cl_memory_begin (memory, by, GST_MAP_READ, &error));
  SUCCEED (clEnqueueReadBuffer (by, gst_cl_memory_get_handle (memory), CL_FALSE,
      0, N_BYTES, data, gated ? 1 : 0, gated ? &gate : NULL, &event));
  fail_unless (gst_cl_memory_end (memory, by, GST_MAP_READ, event, &error));

  return event;
}

static void
wait_for (cl_event event)
{
  SUCCEED (clWaitForEvents (1, &event));
  clReleaseEvent (event);
}

/* --- order ---------------------------------------------------------------- */

LOOP_TEST (the_plugin_waits_for_a_write, 2)
{
  GstMemory *memory = new_memory (1), *copy;

  write_gated (memory, 2, __i__ == 0);
  copy = gst_memory_copy (memory, 0, -1);
  let_others_run ();
  open_gate (CL_COMPLETE);
  expect_memory (copy, 2);
  expect_memory (memory, 2);
  gst_memory_unref (copy);
  gst_memory_unref (memory);
}

TEST (the_plugin_does_not_write_before_a_read)
{
  GstMemory *memory = new_memory (1);
  cl_command_queue own = gst_cl_context_get_queue (context);
  guint8 read[N_BYTES];
  const cl_uchar value = 2;
  GstMapInfo map;
  cl_event event = read_on (queue, memory, read, TRUE);

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE | GST_MAP_OPENCL));
  SUCCEED (clEnqueueFillBuffer (own, gst_cl_memory_get_handle (memory), &value,
      1, 0, N_BYTES, 0, NULL, NULL));
  gst_memory_unmap (memory, &map);
  let_others_run ();
  open_gate (CL_COMPLETE);
  wait_for (event);
  expect_bytes (read, 1);
  expect_memory (memory, 2);
  gst_memory_unref (memory);
}

/* The gate is closed: a map that waited for it would not return. */
TEST (reads_do_not_wait_for_reads)
{
  GstMemory *memory = new_memory (1);
  guint8 first[N_BYTES], second[N_BYTES];
  cl_event event = read_on (queue, memory, first, TRUE);

  expect_memory (memory, 1);
  wait_for (read_on (other, memory, second, FALSE));
  expect_bytes (second, 1);
  open_gate (CL_COMPLETE);
  wait_for (event);
  gst_memory_unref (memory);
}

TEST (an_application_waits_for_the_plugin)
{
  GstMemory *memory = new_memory (1), *copy;
  guint8 read[N_BYTES];
  cl_event event;

  SUCCEED (clEnqueueBarrierWithWaitList (gst_cl_context_get_queue (context), 1,
      &gate, NULL));
  copy = gst_memory_copy (memory, 0, -1);
  event = read_on (queue, copy, read, FALSE);
  let_others_run ();
  open_gate (CL_COMPLETE);
  wait_for (event);
  expect_bytes (read, 1);
  gst_memory_unref (copy);
  gst_memory_unref (memory);
}

/* A read on @reader waits for a write on the application's queue. */
static void
expect_read_waits (cl_command_queue reader)
{
  GstMemory *memory = new_memory (1);
  guint8 read[N_BYTES];
  cl_event event;

  write_gated (memory, 2, TRUE);
  event = read_on (reader, memory, read, FALSE);
  let_others_run ();
  open_gate (CL_COMPLETE);
  wait_for (event);
  expect_bytes (read, 2);
  gst_memory_unref (memory);
}

TEST (two_queues_of_an_application)
{
  expect_read_waits (other);
}

/* More uses than a wait list of one command has room for. */
TEST (many_uses)
{
  GstMemory *memory = new_memory (1);
  guint8 read[50][N_BYTES];
  cl_event events[G_N_ELEMENTS (read)];

  for (guint i = 0; i < G_N_ELEMENTS (read); i++)
    events[i] = read_on (queue, memory, read[i], TRUE);
  write_gated (memory, 2, TRUE);
  open_gate (CL_COMPLETE);
  for (guint i = 0; i < G_N_ELEMENTS (read); i++) {
    wait_for (events[i]);
    expect_bytes (read[i], 1);
  }
  expect_memory (memory, 2);
  gst_memory_unref (memory);
}

/* On the plugin's own queue, too. */
TEST (the_queue_of_the_context)
{
  expect_read_waits (gst_cl_context_get_queue (context));
}

/* The next use reports the error; the one after it works again. */
TEST (a_command_that_fails)
{
  GstMemory *memory = new_memory (1);
  g_autoptr (GError) error = NULL;

  fail_unless (gst_cl_memory_begin (memory, queue, GST_MAP_WRITE, &error));
  fail_unless (gst_cl_memory_end (memory, queue, GST_MAP_WRITE, gate, &error));
  open_gate (CL_OUT_OF_RESOURCES);
  fail_if (gst_cl_memory_begin (memory, other, GST_MAP_READ, &error));
  fail_unless (g_error_matches (error, GST_CL_ERROR, CL_OUT_OF_RESOURCES));
  expect_memory (memory, 1);
  gst_memory_unref (memory);
}

/* --- misuse --------------------------------------------------------------- */

TEST (readonly_memory_is_not_written)
{
  GstAllocationParams params = { .flags = GST_MEMORY_FLAG_READONLY };
  GstMemory *memory = gst_allocator_alloc (allocator, N_BYTES, &params), *copy;
  g_autoptr (GError) error = NULL;
  guint8 read[N_BYTES];

  /* by one buffer alone */
  fail_unless (gst_memory_is_writable (memory));
  fail_if (gst_cl_memory_begin (memory, queue, GST_MAP_READWRITE, &error));
  fail_unless (g_error_matches (error, GST_CL_ERROR, CL_INVALID_OPERATION));
  fail_unless (strstr (error->message, "gst_memory_copy()") != NULL);

  wait_for (read_on (queue, memory, read, FALSE));
  expect_bytes (read, 0);
  copy = gst_memory_copy (memory, 0, -1);
  open_gate (CL_COMPLETE);
  write_gated (copy, 2, TRUE);
  expect_memory (copy, 2);
  expect_memory (memory, 0);
  gst_memory_unref (copy);
  gst_memory_unref (memory);
}

TEST (begin_and_end_are_pairs)
{
  GstMemory *memory = new_memory (1);
  g_autoptr (GError) error = NULL;

  ASSERT_CRITICAL (
      gst_cl_memory_end (memory, queue, GST_MAP_READ, NULL, &error));
  for (guint i = 0; i < 2; i++)
    fail_unless (gst_cl_memory_begin (memory, queue, GST_MAP_READ, &error));
  for (guint i = 0; i < 2; i++)
    fail_unless (gst_cl_memory_end (memory, queue, GST_MAP_READ, NULL, &error));
  ASSERT_CRITICAL (
      gst_cl_memory_end (memory, queue, GST_MAP_READ, NULL, &error));
  fail_unless (gst_cl_memory_begin (memory, queue, GST_MAP_READ, &error));
  ASSERT_CRITICAL (gst_memory_unref (memory));
}

TEST (host_memory_is_refused)
{
  GstMemory *memory = gst_allocator_alloc (NULL, N_BYTES, NULL);

  ASSERT_CRITICAL (fail_unless (gst_cl_memory_get_handle (memory) == NULL));
  ASSERT_CRITICAL (fail_unless (gst_cl_memory_get_context (memory) == NULL));
  ASSERT_CRITICAL (
      fail_if (gst_cl_memory_begin (memory, queue, GST_MAP_READ, NULL)));
  ASSERT_CRITICAL (
      fail_if (gst_cl_memory_end (memory, queue, GST_MAP_READ, NULL, NULL)));
  gst_memory_unref (memory);
}

/* --- buffers of an application -------------------------------------------- */

typedef struct {
  guint8 read[N_BYTES]; /* by a command */
  guint8 seen;          /* when the memory was freed */
  guint n_calls;
} Owner;

static void
release_owner (gpointer user_data)
{
  Owner *owner = user_data;

  owner->seen = owner->read[N_BYTES - 1];
  owner->n_calls++;
}

static gpointer
free_memory (gpointer memory)
{
  gst_memory_unref (memory);

  return NULL;
}

TEST (a_wrapped_buffer_is_returned_after_its_commands)
{
  g_autoptr (GError) error = NULL;
  Owner owner = { .seen = 0 };
  cl_int code;
  cl_mem buffer = clCreateBuffer (gst_cl_context_get_handle (context),
      CL_MEM_READ_WRITE, N_BYTES, NULL, &code);
  const cl_uchar value = 3;
  GstMemory *memory;
  GThread *thread;

  SUCCEED (code);
  memory = gst_cl_allocator_alloc_wrapped (GST_CL_ALLOCATOR (allocator), buffer,
      &owner, release_owner, &error);
  g_assert_no_error (error);
  clReleaseMemObject (buffer);
  fail_unless (gst_is_cl_memory (memory));
  fail_unless (gst_cl_memory_get_handle (memory) == buffer);
  fail_unless (gst_cl_memory_get_context (memory) == context);
  fail_unless_equals_uint64 (memory->size, N_BYTES);

  fail_unless (gst_cl_memory_begin (memory, queue, GST_MAP_WRITE, &error));
  SUCCEED (clEnqueueFillBuffer (queue, buffer, &value, 1, 0, N_BYTES, 0, NULL,
      NULL));
  fail_unless (gst_cl_memory_end (memory, queue, GST_MAP_WRITE, NULL, &error));
  clReleaseEvent (read_on (queue, memory, owner.read, TRUE));
  thread = g_thread_new ("free", free_memory, memory);
  let_others_run ();
  open_gate (CL_COMPLETE);
  g_thread_join (thread);
  fail_unless_equals_int (owner.n_calls, 1);
  fail_unless_equals_int (owner.seen, value);
}

TEST (buffers_of_other_contexts_are_refused)
{
  g_autoptr (GError) error = NULL;
  cl_device_id device = gst_cl_context_get_device (context);
  cl_context foreign = clCreateContext (NULL, 1, &device, NULL, NULL, NULL);
  cl_mem buffer = clCreateBuffer (foreign, CL_MEM_READ_WRITE, N_BYTES, NULL,
      NULL);

  fail_unless (gst_cl_allocator_alloc_wrapped (GST_CL_ALLOCATOR (allocator),
                   buffer, NULL, NULL, &error) == NULL);
  fail_unless (g_error_matches (error, GST_CL_ERROR, CL_INVALID_CONTEXT));
  clReleaseMemObject (buffer);
  clReleaseContext (foreign);
}

TEST (the_offset_is_that_of_the_memory)
{
  GstMemory *memory = new_memory (1);
  const cl_uchar value = 2;
  g_autoptr (GError) error = NULL;
  gsize offset, size;
  GstMapInfo map;

  gst_memory_resize (memory, 64, N_BYTES - 128);
  size = gst_memory_get_sizes (memory, &offset, NULL);
  fail_unless (gst_cl_memory_begin (memory, queue, GST_MAP_WRITE, &error));
  SUCCEED (clEnqueueFillBuffer (queue, gst_cl_memory_get_handle (memory),
      &value, 1, offset, size, 0, NULL, NULL));
  fail_unless (gst_cl_memory_end (memory, queue, GST_MAP_WRITE, NULL, &error));

  gst_memory_resize (memory, -64, N_BYTES);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  for (gsize i = 0; i < N_BYTES; i++)
    fail_unless_equals_int (map.data[i], i < 64 || i >= N_BYTES - 64 ? 1 : 2);
  gst_memory_unmap (memory, &map);
  gst_memory_unref (memory);
}

/* --- pools and contexts --------------------------------------------------- */

TEST (pools_have_the_size_of_frames)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      "video/x-raw(memory:OpenCLMemory), format=I420, width=64, height=48, "
      "framerate=1/1");
  g_autoptr (GstCaps) sound = gst_caps_from_string ("audio/x-raw");
  GstBufferPool *pool = gst_cl_buffer_pool_new (allocator, caps, 1, 2);
  GstBuffer *buffer = NULL;

  fail_unless (gst_cl_buffer_pool_new (allocator, sound, 1, 2) == NULL);
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL),
      GST_FLOW_OK);
  fail_unless_equals_uint64 (gst_buffer_get_size (buffer), 64 * 48 * 3 / 2);
  fail_unless (gst_is_cl_memory (gst_buffer_peek_memory (buffer, 0)));
  gst_buffer_unref (buffer);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

TEST (elements_use_an_application_s_context)
{
  g_autoptr (GstContext) offer = gst_cl_context_to_gst_context (context);
  g_autoptr (GstElement) element = gst_object_ref_sink (gst_bin_new (NULL));
  g_autoptr (GstQuery) query = gst_query_new_context (GST_CL_CONTEXT_TYPE);
  g_autoptr (GstClContext) found = NULL;

  fail_unless (gst_context_is_persistent (offer));
  fail_if (gst_cl_handle_context_query (query, NULL));
  fail_unless (gst_cl_handle_context_query (query, context));
  gst_element_set_context (element, offer);
  found = gst_cl_ensure_element_context (element, NULL, NULL);
  fail_unless (found == context);
}

TEST (objects_of_an_application_are_wrapped)
{
  gpointer handle = gst_cl_context_get_handle (context);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClContext)
      wrapped = gst_cl_context_new_wrapped (handle, NULL, queue, &error);
  g_autoptr (GstClContext) again = gst_cl_context_new_wrapped (handle,
      gst_cl_context_get_device (context), queue, &error);

  g_assert_no_error (error);
  fail_unless (wrapped == again);
  fail_unless (gst_cl_context_get_handle (wrapped) == handle);
  fail_unless (gst_cl_context_get_queue (wrapped) == queue);
  fail_unless (gst_cl_context_get_device (wrapped) ==
               gst_cl_context_get_device (context));
}

/* No element has loaded the plugin. */
TEST (the_library_has_the_program_that_tests_compilers)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *text = gst_cl_source_load ("probe/probe.cl", &error);

  g_assert_no_error (error);
  fail_unless (strstr (text, "probe_all") != NULL);
  fail_unless (gst_cl_source_load ("moments/cpu.cl", NULL) == NULL);
}

SUITE (.setup = setup, .teardown = teardown);

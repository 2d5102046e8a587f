/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frame rate of a driver, by the way of submission: submit [--threads=N]
 *   [--frames=N] [--bytes=N] [--by=each|one] [--together=N]
 *
 * Each stream has a thread that sends frames of N bytes, from pinned memory,
 * three in flight at a time; a frame is one transfer, one kernel that sums its
 * bytes, and one read of the result. With `each`, every thread enqueues its own
 * frames; with `one`, a separate thread enqueues the frames of all, in order of
 * arrival. --together: the most frames (of whatever streams) that share a
 * kernel and a read, up to 8; `each` waits for more of them until one of their
 * streams waits for its result, `one` uses the available ones.
 *
 * Every result is compared. Prints one JSON object: the frames a second, the
 * microseconds of the process's processors for a frame, and how many frames a
 * launch had on average. The device is the one that GST_OPENCL_DEVICE names. */

#include "cl/context/gstclcontext.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclpinned.h"

#include <string.h>
#include <sys/resource.h>

#define MAX_TOGETHER 8
#define N_GROUPS     64 /* of work-items, for each frame */
#define N_ITEMS      128
#define N_SLOTS      3 /* frames of a stream in flight */
#define N_WARM_UP    100

#define FIRST_NAP_US 50
#define LAST_NAP_US  400

static const char source[] =
    "__kernel void sums (__global const uint *f0, __global const uint *f1,\n"
    "    __global const uint *f2, __global const uint *f3,\n"
    "    __global const uint *f4, __global const uint *f5,\n"
    "    __global const uint *f6, __global const uint *f7, const uint n,\n"
    "    __global uint *results, __local uint *parts)\n"
    "{\n"
    "  const uint frame = get_group_id (1), item = get_local_id (0);\n"
    "  __global const uint *p = frame == 0 ? f0 : frame == 1 ? f1\n"
    "      : frame == 2 ? f2 : frame == 3 ? f3 : frame == 4 ? f4\n"
    "      : frame == 5 ? f5 : frame == 6 ? f6 : f7;\n"
    "  uint sum = 0;\n"
    "  for (uint i = get_global_id (0); i < n; i += get_global_size (0))\n"
    "    sum += p[i];\n"
    "  parts[item] = sum;\n"
    "  barrier (CLK_LOCAL_MEM_FENCE);\n"
    "  for (uint step = get_local_size (0) / 2; step > 0; step /= 2) {\n"
    "    if (item < step)\n"
    "      parts[item] += parts[item + step];\n"
    "    barrier (CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  if (item == 0)\n"
    "    results[frame * get_num_groups (0) + get_group_id (0)] = parts[0];\n"
    "}\n";

typedef struct _Frame Frame;

/* Frames that share a kernel and a read. */
typedef struct {
  cl_kernel kernel;
  cl_mem results;
  GstClPinned host;
  Frame *frames[MAX_TOGETHER];
  guint n;
  cl_event done; /* atomic; NULL: not enqueued yet */
  gint n_users;  /* frames whose result has not been read; atomic */
} Launch;

struct _Frame {
  GstClPinned host;
  cl_mem mem;
  cl_event up;
  guint32 sum;
  Launch *launch; /* atomic */
  guint place;    /* in the launch */
};

typedef struct {
  GstClContext *context;
  cl_program program;
  gint n_threads, n_frames, n_bytes, together;
  gboolean by_one;

  GAsyncQueue *idle; /* Launch */
  GAsyncQueue *jobs; /* Frame, for the one that enqueues; its own: the end */
  Frame end;
  GMutex lock;                            /* protects the members below */
  Launch *filled;                         /* waits for more frames; or NULL */
  gint n_launches;                        /* atomic */
  gint n_ready, is_open, n_done, is_over; /* atomic */
} Bench;

static void
check (cl_int code, const gchar *what)
{
  if (code != CL_SUCCESS)
    g_error ("%s: %s", what, gst_cl_error_name (code));
}

/* --- a launch ------------------------------------------------------------ */

static Launch *
launch_new (Bench *bench)
{
  Launch *self = g_new0 (Launch, 1);
  cl_int code;

  self->kernel = clCreateKernel (bench->program, "sums", &code);
  check (code, "clCreateKernel");
  self->results = gst_cl_buffer_new (bench->context,
      MAX_TOGETHER * N_GROUPS * sizeof (guint32), NULL);
  if (!self->results || !gst_cl_pinned_reserve (&self->host, bench->context,
                            MAX_TOGETHER * N_GROUPS * sizeof (guint32), NULL))
    g_error ("no memory for results");

  return self;
}

static void
launch_free (Bench *bench, Launch *self)
{
  clReleaseKernel (self->kernel);
  gst_cl_buffer_free (self->results);
  gst_cl_pinned_clear (&self->host, bench->context);
  g_free (self);
}

static Launch *
launch_take (Bench *bench)
{
  Launch *self = g_async_queue_pop (bench->idle);

  self->n = 0;
  self->done = NULL;

  return self;
}

static void
launch_add (Launch *self, Frame *frame)
{
  frame->place = self->n;
  self->frames[self->n++] = frame;
  g_atomic_pointer_set (&frame->launch, self);
}

static void
launch_submit (Bench *bench, Launch *self)
{
  cl_command_queue queue = bench->context->queue;
  const size_t global[] = { N_GROUPS * N_ITEMS, self->n };
  const size_t local[] = { N_ITEMS, 1 };
  const cl_uint n_words = (cl_uint) bench->n_bytes / sizeof (guint32);
  const gsize bytes = self->n * N_GROUPS * sizeof (guint32);
  cl_event ups[MAX_TOGETHER], done;

  for (guint i = 0; i < MAX_TOGETHER; i++)
    check (clSetKernelArg (self->kernel, i, sizeof (cl_mem),
               &self->frames[MIN (i, self->n - 1)]->mem),
        "clSetKernelArg");
  check (clSetKernelArg (self->kernel, 8, sizeof n_words, &n_words), "words");
  check (clSetKernelArg (self->kernel, 9, sizeof (cl_mem), &self->results),
      "results");
  check (clSetKernelArg (self->kernel, 10, N_ITEMS * sizeof (cl_uint), NULL),
      "parts");

  for (guint i = 0; i < self->n; i++)
    ups[i] = self->frames[i]->up;
  self->n_users = (gint) self->n;
  check (clEnqueueNDRangeKernel (queue, self->kernel, 2, NULL, global, local,
             self->n, ups, NULL),
      "clEnqueueNDRangeKernel");
  check (clEnqueueReadBuffer (queue, self->results, CL_FALSE, 0, bytes,
             self->host.data, 0, NULL, &done),
      "clEnqueueReadBuffer");
  check (clFlush (queue), "clFlush");
  for (guint i = 0; i < self->n; i++)
    clReleaseEvent (ups[i]);
  g_atomic_int_inc (&bench->n_launches);
  g_atomic_pointer_set (&self->done, done);
}

/* --- a frame ------------------------------------------------------------- */

static void
frame_init (Bench *bench, Frame *self, guint seed)
{
  guint32 *words;

  memset (self, 0, sizeof *self);
  self->mem = gst_cl_buffer_new (bench->context, (gsize) bench->n_bytes, NULL);
  if (!self->mem || !gst_cl_pinned_reserve (&self->host, bench->context,
                        (gsize) bench->n_bytes, NULL))
    g_error ("no memory for frames");
  words = (guint32 *) self->host.data;
  for (gint i = 0; i < bench->n_bytes / 4; i++) {
    words[i] = (guint32) i * 2654435761u + seed;
    self->sum += words[i];
  }
}

static void
frame_clear (Bench *bench, Frame *self)
{
  gst_cl_buffer_free (self->mem);
  gst_cl_pinned_clear (&self->host, bench->context);
}

static void
frame_upload (Bench *bench, Frame *self)
{
  cl_command_queue queue = bench->context->queues[GST_CL_QUEUE_UPLOAD];

  check (clEnqueueWriteBuffer (queue, self->mem, CL_FALSE, 0,
             (gsize) bench->n_bytes, self->host.data, 0, NULL, &self->up),
      "clEnqueueWriteBuffer");
  check (clFlush (queue), "clFlush");
}

/* Takes the launch that waits for more frames, or the launch of @frame if that
 * is not NULL; NULL: it has been enqueued. */
static Launch *
take_filled (Bench *bench, const Frame *frame)
{
  Launch *launch = NULL;

  g_mutex_lock (&bench->lock);
  if (bench->filled && (!frame || frame->launch == bench->filled))
    launch = g_steal_pointer (&bench->filled);
  g_mutex_unlock (&bench->lock);

  return launch;
}

static void
frame_send (Bench *bench, Frame *self)
{
  Launch *launch = NULL;

  if (bench->by_one) {
    g_async_queue_push (bench->jobs, self);
    return;
  }

  frame_upload (bench, self);
  g_mutex_lock (&bench->lock);
  if (!bench->filled)
    bench->filled = launch_take (bench);
  launch_add (bench->filled, self);
  if ((gint) bench->filled->n == bench->together)
    launch = g_steal_pointer (&bench->filled);
  g_mutex_unlock (&bench->lock);
  if (launch)
    launch_submit (bench, launch);
}

/* Returns the state of the launch; positive until it is complete. */
static cl_int
launch_state (Launch *self)
{
  cl_event done = g_atomic_pointer_get (&self->done);

  return done ? gst_cl_completion_state (done) : CL_QUEUED;
}

static void
frame_finish (Bench *bench, Frame *self)
{
  gulong nap_us = FIRST_NAP_US;
  const guint32 *parts;
  guint32 sum = 0;
  Launch *launch;

  if (!bench->by_one && (launch = take_filled (bench, self)))
    launch_submit (bench, launch);
  while (!(launch = g_atomic_pointer_get (&self->launch)) ||
         launch_state (launch) > CL_COMPLETE) {
    g_usleep (nap_us);
    nap_us = MIN (2 * nap_us, LAST_NAP_US);
  }
  check (launch_state (launch), "a frame");

  parts = (const guint32 *) launch->host.data + self->place * N_GROUPS;
  for (guint i = 0; i < N_GROUPS; i++)
    sum += parts[i];
  if (sum != self->sum)
    g_error ("a frame's sum is %u, not %u", sum, self->sum);

  self->launch = NULL;
  if (g_atomic_int_dec_and_test (&launch->n_users)) {
    clReleaseEvent (launch->done);
    g_async_queue_push (bench->idle, launch);
  }
}

/* --- threads ------------------------------------------------------------- */

/* Enqueues the frames of all streams. Returns when all are complete. */
static gpointer
enqueue_all (gpointer user_data)
{
  Bench *bench = user_data;
  Frame *frame;

  while ((frame = g_async_queue_pop (bench->jobs)) != &bench->end) {
    Launch *launch = launch_take (bench);

    do {
      frame_upload (bench, frame);
      launch_add (launch, frame);
    } while ((gint) launch->n < bench->together &&
             (frame = g_async_queue_try_pop (bench->jobs)));
    launch_submit (bench, launch);
  }

  return NULL;
}

/* The thread has reached the point where all wait for each other. Both are
 * atomic. */
static void
wait_at (gint *n_there, const gint *is_open)
{
  g_atomic_int_inc (n_there);
  while (!g_atomic_int_get (is_open))
    g_usleep (LAST_NAP_US);
}

static void
send_and_finish (Bench *bench, Frame *frames, gint n)
{
  for (gint i = 0; i < n + N_SLOTS; i++) {
    Frame *frame = &frames[i % N_SLOTS];

    if (i >= N_SLOTS && i - N_SLOTS < n)
      frame_finish (bench, frame);
    if (i < n)
      frame_send (bench, frame);
  }
}

/* A stream. */
static gpointer
stream (gpointer user_data)
{
  Bench *bench = user_data;
  Frame frames[N_SLOTS];

  for (guint i = 0; i < N_SLOTS; i++)
    frame_init (bench, &frames[i], i);
  send_and_finish (bench, frames, N_WARM_UP);
  wait_at (&bench->n_ready, &bench->is_open);
  send_and_finish (bench, frames, bench->n_frames);
  wait_at (&bench->n_done, &bench->is_over);
  for (guint i = 0; i < N_SLOTS; i++)
    frame_clear (bench, &frames[i]);

  return NULL;
}

/* --- measurement ---------------------------------------------------------- */

static gint64
processor_us (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);

  return (gint64) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) *
             G_USEC_PER_SEC +
         usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

/* Waits until all threads are there. */
static void
wait_for (const Bench *bench, const gint *n_there)
{
  while (g_atomic_int_get (n_there) < bench->n_threads)
    g_usleep (LAST_NAP_US);
}

static void
run (Bench *bench)
{
  g_autofree GThread **threads = g_new0 (GThread *, bench->n_threads);
  const gint n_launches = bench->n_threads * N_SLOTS + 1;
  GThread *one = NULL;
  gint64 start, processors;
  gdouble seconds, n_frames = (gdouble) bench->n_frames * bench->n_threads;

  for (gint i = 0; i < n_launches; i++)
    g_async_queue_push (bench->idle, launch_new (bench));
  if (bench->by_one)
    one = g_thread_new ("one", enqueue_all, bench);
  for (gint i = 0; i < bench->n_threads; i++)
    threads[i] = g_thread_new ("stream", stream, bench);
  wait_for (bench, &bench->n_ready);

  g_atomic_int_set (&bench->n_launches, 0);
  processors = processor_us ();
  start = g_get_monotonic_time ();
  g_atomic_int_set (&bench->is_open, TRUE);
  wait_for (bench, &bench->n_done);
  seconds = (gdouble) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  processors = processor_us () - processors;
  g_atomic_int_set (&bench->is_over, TRUE);
  for (gint i = 0; i < bench->n_threads; i++)
    g_thread_join (threads[i]);
  if (one) {
    g_async_queue_push (bench->jobs, &bench->end);
    g_thread_join (one);
  }

  g_print ("{ \"threads\": %d, \"by\": \"%s\", \"together\": %d, "
           "\"bytes\": %d, \"fps\": %.0f, \"processor-us\": %.1f, "
           "\"frames-of-a-launch\": %.2f, \"device\": \"%s\" }\n",
      bench->n_threads, bench->by_one ? "one" : "each", bench->together,
      bench->n_bytes, n_frames / seconds, (gdouble) processors / n_frames,
      n_frames / g_atomic_int_get (&bench->n_launches),
      bench->context->device->name);

  for (gint i = 0; i < n_launches; i++)
    launch_free (bench, g_async_queue_pop (bench->idle));
}

static void
build (Bench *bench)
{
  const char *text = source;
  cl_int code;

  bench->program = clCreateProgramWithSource (bench->context->handle, 1, &text,
      NULL, &code);
  check (code, "clCreateProgramWithSource");
  check (clBuildProgram (bench->program, 1, &bench->context->device->id, "",
             NULL, NULL),
      "clBuildProgram");
}

int
main (int argc, char **argv)
{
  Bench bench = { .n_threads = 16,
    .n_frames = 2000,
    .n_bytes = 640 * 360 * 3 / 2,
    .together = 1 };
  g_autofree gchar *by = NULL;
  const GOptionEntry entries[] = {
    { "threads", 0, 0, G_OPTION_ARG_INT, &bench.n_threads, "streams", "N" },
    { "frames", 0, 0, G_OPTION_ARG_INT, &bench.n_frames, "of each stream",
        "N" },
    { "bytes", 0, 0, G_OPTION_ARG_INT, &bench.n_bytes, "of a frame", "N" },
    { "by", 0, 0, G_OPTION_ARG_STRING, &by, "who enqueues", "each|one" },
    { "together", 0, 0, G_OPTION_ARG_INT, &bench.together,
        "frames of a launch at most", "N" },
    { .long_name = NULL },
  };
  g_autoptr (GOptionContext) options = g_option_context_new (NULL);
  g_autoptr (GstClDevice) device = NULL;
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (options, entries, NULL);
  g_option_context_add_group (options, gst_init_get_option_group ());
  if (g_option_context_parse (options, &argc, &argv, &error) &&
      (bench.n_threads < 1 || bench.n_frames < 1 || bench.n_bytes < 4 ||
          bench.together < 1 || bench.together > MAX_TOGETHER ||
          (by && !g_str_equal (by, "each") && !g_str_equal (by, "one"))))
    g_set_error (&error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "a number is out of range, or --by is neither each nor one");
  if (!error)
    device = gst_cl_device_choose ("auto", &error);
  if (device)
    bench.context = gst_cl_context_new (device, FALSE, &error);
  if (!bench.context) {
    g_printerr ("submit: %s\n", error->message);
    return error->domain == G_OPTION_ERROR ? 2 : 1;
  }

  bench.by_one = by && g_str_equal (by, "one");
  bench.idle = g_async_queue_new ();
  bench.jobs = g_async_queue_new ();
  build (&bench);
  run (&bench);
  clReleaseProgram (bench.program);
  g_async_queue_unref (bench.idle);
  g_async_queue_unref (bench.jobs);
  gst_object_unref (bench.context);

  return 0;
}

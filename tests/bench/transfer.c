/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of transfers: transfer WIDTH HEIGHT
 *
 * For a GRAY8 frame of that size on the device that GST_OPENCL_DEVICE names,
 * prints one JSON object of microseconds a frame: `up`, `down` and `both` with
 * pinned memory and no other work (the bounds of any pipeline);
 * `blocking-framesum` and `blocking-localmean`, the chains of the plugin's
 * pipelines in simple code: from and to ordinary memory, one blocking call
 * after the other. */

#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclpinned.h"
#include "ops/choose.h"
#include "ops/localmean/localmean.h"
#include "statistics/moments/moments.h"

#include <string.h>

#define N_FRAMES 300
#define N_PLACES 3

typedef struct {
  GstClContext *context;
  gint width, height;
  gsize bytes;
  cl_mem in[N_PLACES], out[N_PLACES];
  GstClPinned up[N_PLACES], down[N_PLACES];
  guint8 *host;
  GstClMomentsOp *stats;
  GstClLocalMeanOp *mean;
} Bench;

/* Enqueues or runs frame @i. */
typedef gboolean (*Step) (Bench *bench, guint i, GError **error);

static const GstClSampleType bytes = { 1, 8, 0 };

static GstClComponent
component (const Bench *bench, cl_mem mem)
{
  return (GstClComponent){ .mem = mem,
    .stride_bytes = bench->width,
    .pixel_stride_bytes = 1,
    .width = bench->width,
    .height = bench->height,
    .sample = bytes };
}

static gboolean
step_up (Bench *bench, guint i, GError **error)
{
  cl_command_queue queue = bench->context->queues[GST_CL_QUEUE_UPLOAD];

  i %= N_PLACES;

  return gst_cl_check (clEnqueueWriteBuffer (queue, bench->in[i], CL_FALSE, 0,
                           bench->bytes, bench->up[i].data, 0, NULL, NULL),
             "write", error) &&
         gst_cl_context_flush (bench->context, GST_CL_QUEUE_UPLOAD, error);
}

static gboolean
step_down (Bench *bench, guint i, GError **error)
{
  cl_command_queue queue = bench->context->queues[GST_CL_QUEUE_DOWNLOAD];

  i %= N_PLACES;

  return gst_cl_check (clEnqueueReadBuffer (queue, bench->out[i], CL_FALSE, 0,
                           bench->bytes, bench->down[i].data, 0, NULL, NULL),
             "read", error) &&
         gst_cl_context_flush (bench->context, GST_CL_QUEUE_DOWNLOAD, error);
}

static gboolean
step_both (Bench *bench, guint i, GError **error)
{
  return step_up (bench, i, error) && step_down (bench, i, error);
}

static gboolean
step_blocking_stats (Bench *bench, guint i, GError **error)
{
  const GstClComponent in = component (bench, bench->in[0]);
  GstClMoments stats;

  return gst_cl_buffer_write (bench->context, bench->in[0], 0, bench->bytes,
             bench->host, error) &&
         gst_cl_moments_op_run (bench->stats, &in, error) &&
         gst_cl_moments_op_read (bench->stats, &stats, error);
}

static gboolean
step_blocking_mean (Bench *bench, guint i, GError **error)
{
  const GstClComponent in = component (bench, bench->in[0]);
  const GstClComponent out = component (bench, bench->out[0]);
  const GstClLocalMeanIo io = { .samples = &in, .results = &out };

  return gst_cl_buffer_write (bench->context, bench->in[0], 0, bench->bytes,
             bench->host, error) &&
         gst_cl_local_mean_op_run (bench->mean, &io, error) &&
         gst_cl_buffer_read (bench->context, bench->out[0], 0, bench->bytes,
             bench->host, error);
}

static gdouble
microseconds (Bench *bench, Step step)
{
  g_autoptr (GError) error = NULL;
  gint64 start = 0;

  for (gint i = -10; i < N_FRAMES; i++) {
    if (i == 0) {
      gst_cl_context_finish (bench->context, NULL);
      start = g_get_monotonic_time ();
    }
    if (!step (bench, i + 10, &error))
      g_error ("%s", error->message);
  }
  gst_cl_context_finish (bench->context, NULL);

  return (g_get_monotonic_time () - start) / (gdouble) N_FRAMES;
}

static void
prepare (Bench *bench, GError **error)
{
  const GstClComponent in = component (bench, NULL);
  const GstClLocalMeanProblem problem = {
    .operation = GST_CL_LOCAL_MEAN_OPERATION_MEAN,
    .window = { .kernel_width = 15,
        .kernel_height = 15,
        .anchor_x = -1,
        .anchor_y = -1,
        .step_x = 1,
        .step_y = 1 },
    .width = bench->width,
    .height = bench->height,
    .src_pixel_stride_bytes = 1,
    .dst_pixel_stride_bytes = 1,
    .sample = bytes,
  };
  const GstClMomentsProblem statistics = { 1, { in } };
  GstClCandidate candidate;

  for (guint i = 0; i < N_PLACES; i++) {
    bench->in[i] = gst_cl_buffer_new (bench->context, bench->bytes, error);
    bench->out[i] = gst_cl_buffer_new (bench->context, bench->bytes, error);
    gst_cl_pinned_reserve (&bench->up[i], bench->context, bench->bytes, error);
    gst_cl_pinned_reserve (&bench->down[i], bench->context, bench->bytes,
        error);
    memset (bench->up[i].data, i, bench->bytes);
    memset (bench->down[i].data, i, bench->bytes);
  }
  bench->host = g_malloc0 (bench->bytes);

  candidate = gst_cl_op_table_choose (&gst_cl_moments_table, bench->context,
      GST_CL_REDUCTION_AUTO, &statistics, TRUE, NULL);
  bench->stats = gst_cl_moments_op_new (bench->context, &candidate, &statistics,
      error);
  candidate = gst_cl_local_mean_choose (bench->context,
      GST_CL_LOCAL_MEAN_METHOD_AUTO, &problem, FALSE, NULL);
  bench->mean = gst_cl_local_mean_op_new (bench->context, &candidate, &problem,
      error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClDevice) device = NULL;
  Bench bench = { 0 };

  gst_init (&argc, &argv);
  if (argc != 3) {
    g_printerr ("usage: transfer WIDTH HEIGHT\n");
    return 2;
  }

  bench.width = atoi (argv[1]);
  bench.height = atoi (argv[2]);
  bench.bytes = (gsize) bench.width * bench.height;
  device = gst_cl_device_choose ("auto", &error);
  if (device)
    bench.context = gst_cl_context_new (device, FALSE, &error);
  if (bench.context)
    prepare (&bench, &error);
  if (!bench.context || error) {
    g_printerr ("%s\n", error ? error->message : "no device");
    return 1;
  }

  g_print ("{ \"width\": %d, \"height\": %d, \"up\": %.1f, \"down\": %.1f, "
           "\"both\": %.1f, \"blocking-framesum\": %.1f, "
           "\"blocking-localmean\": %.1f }\n",
      bench.width, bench.height, microseconds (&bench, step_up),
      microseconds (&bench, step_down), microseconds (&bench, step_both),
      microseconds (&bench, step_blocking_stats),
      microseconds (&bench, step_blocking_mean));

  return 0;
}

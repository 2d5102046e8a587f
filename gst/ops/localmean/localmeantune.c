/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which variant, and how many bands, make local means fastest. */

#include "localmeanprivate.h"
#include "ops/operation/operation.h"
#include "ops/tune.h"

#include "cl/memory/gstclbuffer.h"

/* Raise it when the kernels have changed so much that another candidate may be
 * the fastest. */
#define VERSION 2

/* ---- ways ---- */

/* Operations of a kind take as long as each other. */
typedef struct {
  const gchar *name;
  GstClLocalMeanOperation operation; /* stands for all */
} Kind;

static const Kind *
find_kind (GstClLocalMeanOperation operation)
{
  static const Kind mean = { "mean", GST_CL_LOCAL_MEAN_OPERATION_MEAN };
  static const Kind of_means = { "operation on means",
    GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE };
  static const Kind of_sums = { "operation on sums",
    GST_CL_LOCAL_MEAN_OPERATION_BRADLEY };
  static const Kind of_squares = { "operation on sums and squares",
    GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA };

  if (operation == GST_CL_LOCAL_MEAN_OPERATION_MEAN)
    return &mean;
  if (gst_cl_operation_takes_means (operation))
    return &of_means;

  return gst_cl_local_mean_needs_squares (operation) ? &of_squares : &of_sums;
}

/* Copies, and operations that go from an integral image straight to results,
 * every variant makes the same. */
static gboolean
depends_on_variant (const GstClLocalMeanSpec *spec)
{
  if (spec->operation == GST_CL_LOCAL_MEAN_OPERATION_COPY)
    return FALSE;

  return !spec->from_sums ||
         spec->operation == GST_CL_LOCAL_MEAN_OPERATION_MEAN ||
         gst_cl_operation_takes_means (spec->operation);
}

/* A core slides over as many rows as the window is tall before its own: where
 * those are not half as many, an integral image may be faster. Elsewhere it is
 * not, and takes seconds to compile. */
static gboolean
is_tall (const GstClDevice *device, const GstClLocalMeanSpec *spec)
{
  return (guint64) spec->window.kernel_height * device->compute_units >
         2 * (guint64) spec->height;
}

/* Adds the variant for @method unless it is no other than @usual for @spec. */
static guint
add_method (GstClLocalMeanWay *ways, guint n_ways, GstClLocalMeanMethod method,
    const GstClDevice *device, const GstClLocalMeanSpec *spec)
{
  const GstClImplementation *usual = ways[0].variant;
  const GstClImplementation *row = gst_cl_local_mean_choose (method, spec,
      device);
  const gboolean slides = row && gst_cl_local_mean_slides (row, spec);

  if (!row || row == usual ||
      slides != (method == GST_CL_LOCAL_MEAN_METHOD_SLIDING) ||
      (!slides && method == GST_CL_LOCAL_MEAN_METHOD_DIRECT &&
          !gst_cl_local_mean_slides (usual, spec)))
    return n_ways;

  ways[n_ways] = (GstClLocalMeanWay){ row->name, row, 0, FALSE };

  return n_ways + 1;
}

guint
gst_cl_local_mean_ways (const GstClDevice *device,
    const GstClLocalMeanSpec *spec,
    GstClLocalMeanWay ways[GST_CL_LOCAL_MEAN_MAX_WAYS])
{
  const GstClImplementation *usual = gst_cl_local_mean_choose (
      GST_CL_LOCAL_MEAN_METHOD_AUTO, spec, device);
  const gboolean is_cpu = device->family == GST_CL_FAMILY_CPU;
  guint n = 0;

  ways[n++] = (GstClLocalMeanWay){ usual->name, usual, 0, FALSE };
  if (!depends_on_variant (spec))
    return n;

  if (is_cpu && gst_cl_local_mean_slides (usual, spec)) {
    ways[n++] = (GstClLocalMeanWay){ "half the bands", usual, 50, FALSE };
    ways[n++] = (GstClLocalMeanWay){ "twice the bands", usual, 200, FALSE };
  }
  if (!is_cpu && gst_cl_operation_takes_means (spec->operation) &&
      gst_cl_local_mean_slides (usual, spec))
    ways[n++] = (GstClLocalMeanWay){ "means first", usual, 0, TRUE };
  if (!is_cpu || is_tall (device, spec))
    n = add_method (ways, n, GST_CL_LOCAL_MEAN_METHOD_DIRECT, device, spec);
  if (!is_cpu)
    n = add_method (ways, n,
        spec->from_sums ? GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY
                        : GST_CL_LOCAL_MEAN_METHOD_SLIDING,
        device, spec);

  return n;
}

/* ---- frames to measure with ---- */

typedef struct {
  GstClContext *context;
  const GstClLocalMeanSpec *spec;
  GstClLocalMeanWay ways[GST_CL_LOCAL_MEAN_MAX_WAYS];
  guint n_ways;

  /* for all of them; made with the first op */
  GstClComponent src, dst;
  GstClSums sums; /* in the place of src */
} Trial;

static gboolean
make_component (Trial *trial, GstClComponent *component, gint width,
    gint height, gint pixel_stride_bytes, GError **error)
{
  *component = (GstClComponent){
    .stride_bytes = width * pixel_stride_bytes,
    .pixel_stride_bytes = pixel_stride_bytes,
    .width = width,
    .height = height,
    .sample = trial->spec->sample,
  };
  component->mem = gst_cl_buffer_new_zeroed (trial->context,
      (gsize) component->stride_bytes * height, error);

  return component->mem != NULL;
}

static gboolean
make_sums (Trial *trial, GError **error)
{
  const GstClLocalMeanSpec *spec = trial->spec;
  const guint border = spec->layout == GST_CL_LAYOUT_EXCLUSIVE;
  const guint64 n_sums = ((guint64) spec->width + border) *
                         ((guint64) spec->height + border) * spec->channels;

  trial->sums = (GstClSums){
    .layout = spec->layout,
    .width = spec->width,
    .height = spec->height,
    .channels = spec->channels,
    .sum_bytes = spec->sum_bytes,
  };
  trial->sums.mem = gst_cl_buffer_new_zeroed (trial->context,
      n_sums * spec->sum_bytes, error);

  return trial->sums.mem != NULL;
}

static gboolean
make_frames (Trial *trial, GError **error)
{
  const GstClLocalMeanSpec *spec = trial->spec;
  gint width, height;

  if (!trial->sums.mem && !trial->src.mem &&
      !(spec->from_sums
              ? make_sums (trial, error)
              : make_component (trial, &trial->src, spec->width, spec->height,
                    spec->src_pixel_stride_bytes, error)))
    return FALSE;

  gst_cl_local_mean_results (spec, &width, &height);

  return trial->dst.mem || make_component (trial, &trial->dst, width, height,
                               spec->dst_pixel_stride_bytes, error);
}

static gboolean
fits_memory (const Trial *trial)
{
  /* an integral image for each candidate */
  const GstClLocalMeanSpec *spec = trial->spec;
  const guint64 sums_bytes = (guint64) spec->width * spec->height *
                             sizeof (cl_ulong);

  return gst_cl_tune_fits_memory (trial->context->device,
      sums_bytes * trial->n_ways);
}

/* ---- candidates as gst_cl_tune_choose() takes them ---- */

static gpointer
make_op (gpointer user_data, guint index, GError **error)
{
  Trial *trial = user_data;
  GstClLocalMeanSpec spec = *trial->spec;

  if (!make_frames (trial, error))
    return NULL;

  spec.bands_percent = trial->ways[index].bands_percent;
  spec.means_first = trial->ways[index].means_first;

  return gst_cl_local_mean_op_new (trial->context, trial->ways[index].variant,
      &spec, error);
}

static gboolean
run_op (gpointer user_data, gpointer op, guint n_times, GError **error)
{
  Trial *trial = user_data;
  gboolean done = TRUE;

  for (guint i = 0; i < n_times && done; i++)
    done = trial->spec->from_sums
               ? gst_cl_local_mean_op_run_sums (op, &trial->sums, NULL, 0,
                     &trial->dst, error)
               : gst_cl_local_mean_op_run (op, &trial->src, &trial->dst, error);

  return done && gst_cl_context_finish (trial->context, error);
}

static void
free_op (gpointer op)
{
  gst_cl_local_mean_op_free (op);
}

static gchar *
describe_spec (const GstClLocalMeanSpec *spec)
{
  const GstClWindow *window = &spec->window;
  g_autofree gchar *from = spec->from_sums
                               ? g_strdup_printf ("%d %s sums of %u bytes",
                                     spec->channels,
                                     spec->layout == GST_CL_LAYOUT_EXCLUSIVE
                                         ? "exclusive"
                                         : "inclusive",
                                     spec->sum_bytes)
                               : g_strdup_printf ("samples every %d bytes",
                                     spec->src_pixel_stride_bytes);

  return g_strdup_printf ("local %s %dx%d, %u+%u bits every %d bytes, from "
                          "%s, window %dx%d at %d,%d every %d,%d, border %d",
      find_kind (spec->operation)->name, spec->width, spec->height,
      spec->sample.depth, spec->sample.shift, spec->dst_pixel_stride_bytes,
      from, window->kernel_width, window->kernel_height, window->anchor_x,
      window->anchor_y, window->step_x, window->step_y, window->border);
}

static const GstClLocalMeanWay *
choose_way (Trial *trial, gboolean may_measure)
{
  g_autofree gchar *key = describe_spec (trial->spec);
  const gchar *names[GST_CL_LOCAL_MEAN_MAX_WAYS];
  const GstClTuneJob job = {
    .key = key,
    .version = VERSION,
    .names = names,
    .n_candidates = trial->n_ways,
    .make = make_op,
    .run = run_op,
    .free = free_op,
    .user_data = trial,
  };
  guint index;

  for (guint i = 0; i < trial->n_ways; i++)
    names[i] = trial->ways[i].name;
  index = gst_cl_tune_choose (trial->context->choices, &job,
      may_measure && fits_memory (trial), NULL);

  gst_cl_buffer_free (trial->src.mem);
  gst_cl_buffer_free (trial->sums.mem);
  gst_cl_buffer_free (trial->dst.mem);

  return &trial->ways[index];
}

const GstClImplementation *
gst_cl_local_mean_choose_fastest (GstClContext *context, gint method,
    GstClLocalMeanSpec *spec, gboolean may_measure)
{
  GstClLocalMeanSpec once = *spec;
  Trial trial = { .context = context, .spec = &once };
  const GstClLocalMeanWay *way;

  if (method != GST_CL_LOCAL_MEAN_METHOD_AUTO)
    return gst_cl_local_mean_choose (method, spec, context->device);

  /* a pass like any other */
  once.repeat = 1;
  if (spec->operation != GST_CL_LOCAL_MEAN_OPERATION_COPY)
    once.operation = find_kind (spec->operation)->operation;
  trial.n_ways = gst_cl_local_mean_ways (context->device, &once, trial.ways);
  way = choose_way (&trial, may_measure);
  spec->bands_percent = way->bands_percent;
  spec->means_first = way->means_first;

  return way->variant;
}

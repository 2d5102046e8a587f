/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integral images on a GPU: tiles, one work-group each, in two launches or
 * one. */

#include "integralprivate.h"

#include "cl/memory/gstclbuffer.h"
#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY_EXTERN (gst_cl_op_debug);
#define GST_CAT_DEFAULT gst_cl_op_debug ()

/* A tile has 4 * lanes columns. It is processed by row_groups groups of
 * work-items, one below the other; a group has as many work-items as there are
 * lanes. Members are in the order of the values of a tuning. */
typedef struct {
  guint lanes, row_groups, tile_rows;
} Tiling;

/* The default tile sizes; docs/performance.md has the measurements. */
static const Tiling small_frame = {
  .lanes = 32,
  .row_groups = 4,
  .tile_rows = 32,
};
static const Tiling large_frame = {
  .lanes = 32,
  .row_groups = 8,
  .tile_rows = 64,
};
static const Tiling large_frame_of_bytes = {
  .lanes = 64, /* for sums of 32 bits */
  .row_groups = 4,
  .tile_rows = 64,
};

/* In larger frames the edges of a tile cost more than idle work-groups. */
#define LARGE_FRAME_SAMPLES (4 << 20)

#define COLUMNS_PER_LANE 4 /* of a tile */

#define MAX_ARGUMENTS 24

enum {
  BOTTOMS, /* scratch: the last row of each tile's sums */
  RIGHTS,  /* the last column */
  SHARED,  /* synchronisation between the work-groups of a single pass */
};

/* Words before those of the tiles, and per tile; equal to the numbers in the
 * kernel. */
#define SHARED_WORDS          4
#define SHARED_WORDS_PER_TILE 2

/* The number of launches after which the host checks whether one has timed out.
 * It checks the state after the first of them, and the interval is longer than
 * the number of frames that filters have in flight, so that no thread waits. */
#define LOOK_INTERVAL 16

/* Four sums of a row can be stored at once if each row starts at a multiple of
 * four. */
static gboolean
is_staged (const GstClIntegralProblem *problem)
{
  return problem->channels > 1 || gst_cl_integral_border (problem) > 0 ||
         problem->width % 4 != 0;
}

static Tiling
default_tiling (const GstClIntegralProblem *problem)
{
  if ((gint64) problem->width * problem->height < LARGE_FRAME_SAMPLES)
    return small_frame;

  /* floats are converted from sums of 8 bytes */
  return problem->sum_bytes == 4 && !problem->is_float ? large_frame_of_bytes
                                                       : large_frame;
}

void
gst_cl_integral_gpu_resolve (gconstpointer problem, const GstClDevice *device,
    const GstClTuning *tuning, guint *values)
{
  const Tiling tiling = default_tiling (problem);

  values[0] = tuning ? tuning->values[0] : tiling.lanes;
  values[1] = tuning ? tuning->values[1] : tiling.row_groups;
  values[2] = tuning ? tuning->values[2] : tiling.tile_rows;
}

static Tiling
get_tiling (const GstClIntegralOp *op)
{
  const guint *values = op->candidate.values;

  return (Tiling){ values[0], values[1], values[2] };
}

static gchar *
gpu_options (const GstClIntegralOp *op)
{
  const GstClIntegralProblem *problem = &op->problem;
  const Tiling tiling = get_tiling (op);

  return g_strdup_printf ("-DSUM_T=%s -DSTAGED=%d -DLANES=%u -DROW_GROUPS=%u "
                          "-DTILE_ROWS=%u",
      problem->sum_bytes == 8 ? "ulong" : "uint", is_staged (problem),
      tiling.lanes, tiling.row_groups, tiling.tile_rows);
}

static gsize
count_columns (const GstClIntegralOp *op)
{
  const guint tile_columns = COLUMNS_PER_LANE * get_tiling (op).lanes;

  return ((guint) op->problem.width - 1) / tile_columns + 1;
}

static gsize
count_bands (const GstClIntegralOp *op)
{
  return ((guint) op->problem.height - 1) / get_tiling (op).tile_rows + 1;
}

static gboolean
allocate_gpu (GstClIntegralOp *op, GError **error)
{
  const Tiling tiling = get_tiling (op);
  const guint tile_columns = COLUMNS_PER_LANE * tiling.lanes;

  op->n_tiles = count_columns (op) * count_bands (op) * op->problem.channels;

  return gst_cl_integral_allocate (op, BOTTOMS,
             op->n_tiles * tile_columns * sizeof (cl_uint), error) &&
         gst_cl_integral_allocate (op, RIGHTS,
             op->n_tiles * tiling.tile_rows * sizeof (cl_uint), error);
}

/* Fills the first arguments of all kernels; returns the number of @args
 * filled. */
static guint
fill_gpu_arguments (const GstClIntegralOp *op, const GstClComponent *components,
    GstClArg *args)
{
  const GstClIntegralProblem *problem = &op->problem;
  guint n = gst_cl_integral_fill_components (problem, components, args);

  args[n++] = (GstClArg) GST_CL_INT (gst_cl_integral_pixel_stride (problem));
  args[n++] = (GstClArg) GST_CL_INT (problem->width);
  args[n++] = (GstClArg) GST_CL_INT (problem->height);
  args[n++] = (GstClArg) GST_CL_INT (problem->channels);
  args[n++] = (GstClArg) GST_CL_MEM (op->scratch[BOTTOMS]);
  args[n++] = (GstClArg) GST_CL_MEM (op->scratch[RIGHTS]);

  return n;
}

/* Launches one work-group for each tile, by channel, column and band. */
static gboolean
launch_tiles (const GstClIntegralOp *op, GstClKernel *kernel,
    const GstClArg *args, guint n_args, GError **error)
{
  return gst_cl_kernel_launch (kernel,
      op->problem.channels * gst_cl_kernel_local_size (kernel, 0),
      count_columns (op), count_bands (op), args, n_args, error);
}

static gboolean
run_gpu (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  GstClArg args[MAX_ARGUMENTS];
  guint n_args = fill_gpu_arguments (op, components, args);

  /* a single tile needs no sums of other tiles */
  if (op->n_tiles > (gsize) op->problem.channels &&
      !launch_tiles (op, op->kernels[0], args, n_args, error))
    return FALSE;

  args[n_args++] = (GstClArg) GST_CL_MEM (sums->mem);
  args[n_args++] = (GstClArg) GST_CL_ULONG (sums->offset_bytes);
  args[n_args++] = (GstClArg) GST_CL_INT (
      gst_cl_integral_border (&op->problem));

  return launch_tiles (op, op->kernels[1], args, n_args, error);
}

const GstClIntegralSteps gst_cl_integral_gpu_steps = {
  .kernels = { "integral_gpu_tiles", "integral_gpu_sums" },
  .options = gpu_options,
  .allocate = allocate_gpu,
  .run = run_gpu,
};

/* ---- one launch ---- */

/* The mark of a context on whose device the wait of a work-group has timed
 * out. */
static GQuark
timed_out_quark (void)
{
  return g_quark_from_static_string ("gst-cl-integral-timed-out");
}

static gboolean
allocate_single (GstClIntegralOp *op, GError **error)
{
  g_autofree cl_uint *zeros = NULL;
  gsize size_bytes;

  if (!allocate_gpu (op, error))
    return FALSE;

  op->has_fallen_back = g_object_get_qdata (G_OBJECT (op->context),
                            timed_out_quark ()) != NULL;
  op->readback = gst_cl_readback_new (op->context, 1, sizeof (cl_uint), error);

  /* once only: all shared values grow from launch to launch */
  size_bytes = (SHARED_WORDS + SHARED_WORDS_PER_TILE * op->n_tiles) *
               sizeof *zeros;
  zeros = g_malloc0 (size_bytes);

  return op->readback &&
         gst_cl_integral_allocate (op, SHARED, size_bytes, error) &&
         gst_cl_buffer_write (op->context, op->scratch[SHARED], 0, size_bytes,
             zeros, error);
}

/* Called at intervals: returns whether a launch has timed out so far. */
static gboolean
check_timeout (GstClIntegralOp *op, GError **error)
{
  const cl_uint *gave_up;

  if (op->epoch == 0 || op->epoch % LOOK_INTERVAL != 0)
    return TRUE;

  gave_up = gst_cl_readback_wait (op->readback, 0, error);
  if (!gave_up)
    return FALSE;

  if (*gave_up != 0) {
    GST_WARNING_OBJECT (op->context,
        "the wait of a work-group timed out in launch %u: two launches from "
        "now on",
        *gave_up);
    op->has_fallen_back = TRUE;
    g_object_set_qdata (G_OBJECT (op->context), timed_out_quark (),
        GINT_TO_POINTER (TRUE));
  }

  return TRUE;
}

static gboolean
run_single (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  GstClArg args[MAX_ARGUMENTS];
  guint n_args;

  if (!op->has_fallen_back && !check_timeout (op, error))
    return FALSE;
  if (op->has_fallen_back)
    return run_gpu (op, components, sums, error);

  n_args = fill_gpu_arguments (op, components, args);
  args[n_args++] = (GstClArg) GST_CL_MEM (sums->mem);
  args[n_args++] = (GstClArg) GST_CL_ULONG (sums->offset_bytes);
  args[n_args++] = (GstClArg) GST_CL_INT (
      gst_cl_integral_border (&op->problem));
  args[n_args++] = (GstClArg) GST_CL_MEM (op->scratch[SHARED]);
  args[n_args++] = (GstClArg) GST_CL_UINT (op->epoch + 1);
  args[n_args++] = (GstClArg) GST_CL_UINT (
      gst_cl_device_spin_limit (op->context->device));

  if (!gst_cl_kernel_launch (op->kernels[2],
          op->n_tiles * gst_cl_kernel_local_size (op->kernels[2], 0), 1, 1,
          args, n_args, error))
    return FALSE;

  /* a launch that was not enqueued took no tickets */
  op->epoch++;

  return op->epoch % LOOK_INTERVAL != 1 ||
         gst_cl_readback_enqueue (op->readback, 0, op->scratch[SHARED], error);
}

const GstClIntegralSteps gst_cl_integral_single_steps = {
  .kernels = { "integral_gpu_tiles", "integral_gpu_sums",
      "integral_gpu_single" },
  .options = gpu_options,
  .allocate = allocate_single,
  .run = run_single,
};

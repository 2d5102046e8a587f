/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Local means by running sums on GPUs: a work-group slides down a tile. */

#include "localmeanprivate.h"

#include "ops/sample.h"

#define RESOURCE       "localmean/gpu.cl"
#define NARROW_SAMPLES 256 /* of a window */
#define TALL_ROWS      43  /* of a window, from which taller tiles are faster */
#define MAX_COLUMN_SUM G_MAXUINT16 /* of a window's column */

/* Kernels, those with the most restrictions first: NARROW, WIDE and TALL
 * support only samples of 8 bits, and all but SPARSE only a vertical step of 1.
 */
enum { NARROW, WIDE, TALL, ANY, SPARSE, N_KERNELS };

/* For a tall window, larger work-groups are faster, because more work-items
 * share the sums of columns; for a flat window, more and smaller work-groups
 * are. */
/* clang-format off */
static const struct {
  const gchar *name;
  gint row_groups, rows_per_item; /* of a work-group */
} table[N_KERNELS] = {
  { "localmean_sliding_gpu_narrow", 2, 8 },
  { "localmean_sliding_gpu_wide",   4, 8 },
  { "localmean_sliding_gpu_wide",   6, 7 },
  { "localmean_sliding_gpu_any",    4, 8 },
  { "localmean_sliding_gpu_sparse", 2, 8 },
};
/* clang-format on */

typedef struct {
  GstClLocalMeanProblem problem;
  GstClKernel *kernels[N_KERNELS]; /* NULL: not for these samples, or this
                                      device */
  guint choice;                    /* index of the kernel for the problem's
                                      window */
  cl_int4 divisor;
} Sliding;

static void
free_sliding (gpointer sliding)
{
  Sliding *self = sliding;

  if (!self)
    return;

  for (guint i = 0; i < N_KERNELS; i++)
    gst_cl_kernel_free (self->kernels[i]);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Sliding, free_sliding)

static gboolean
computes (gconstpointer user_problem)
{
  const GstClLocalMeanProblem *p = user_problem;

  return p->window.kernel_width <= GST_CL_TILE_WIDEST_WINDOW &&
         p->window.kernel_height <= G_MAXINT16 &&
         gst_cl_window_sum_bytes (&p->window,
             gst_cl_local_mean_largest_code (p)) <= 4 &&
         gst_cl_window_has_inner_anchor (&p->window);
}

/* --- creating ------------------------------------------------------------ */

/* Returns TRUE if the device has enough local memory for a work-group of TALL:
 * 44 KB for its lines, and 13 KB more if the device lacks NVIDIA's scan in
 * registers. */
static gboolean
has_room_for_tall (const GstClDevice *device)
{
  const guint64 least_bytes = device->compute_capability > 0 ? 48 : 64;

  return device->max_work_group_size >=
             (gsize) table[TALL].row_groups * GST_CL_TILE_LANES &&
         device->local_bytes >= least_bytes << 10;
}

static gboolean
create_kernels (Sliding *self, GstClContext *context, GError **error)
{
  const GstClLocalMeanProblem *problem = &self->problem;
  const guint first = problem->sample.bytes == 2 ? ANY : NARROW;
  g_autofree gchar *sample = gst_cl_sample_options (&problem->sample);

  for (guint i = first; i < N_KERNELS; i++) {
    g_autofree gchar *options = NULL;

    if (i == TALL && !has_room_for_tall (context->device))
      continue;

    options = g_strdup_printf ("%s -DSAMPLE_MAX=%u -DBORDER=%d "
                               "-DLINE_LANES=%d -DLINE_GROUPS=%d -DROWS=%d",
        sample, gst_cl_local_mean_largest_code (problem),
        gst_cl_window_border_of_kernels (problem->window.border),
        GST_CL_TILE_LANES, table[i].row_groups, table[i].rows_per_item);
    self->kernels[i] = gst_cl_kernel_new (context, RESOURCE, options,
        table[i].name, error);
    if (!self->kernels[i])
      return FALSE;
  }

  return TRUE;
}

/* Returns the kernel for the window; WIDE also for TALL. */
static guint
find_kernel (const GstClLocalMeanProblem *problem)
{
  const GstClWindow *window = &problem->window;
  const guint largest = gst_cl_local_mean_largest_code (problem);

  if (window->step_y != 1)
    return SPARSE;
  if (problem->sample.bytes == 2 ||
      window->kernel_height * largest > MAX_COLUMN_SUM)
    return ANY;

  return gst_cl_window_samples (window) <= NARROW_SAMPLES ? NARROW : WIDE;
}

void
gst_cl_local_mean_sliding_gpu_resolve (gconstpointer user_problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values)
{
  const GstClLocalMeanProblem *problem = user_problem;
  guint kernel = find_kernel (problem);

  if (kernel == WIDE && problem->window.kernel_height >= TALL_ROWS &&
      has_room_for_tall (device))
    kernel = TALL;
  values[0] = (guint) table[kernel].row_groups;
  values[1] = (guint) table[kernel].rows_per_item;
}

/* Returns the constants of an exact division by @n: (dividend + z) * x / 2^(32
 * + y), rounded down, for dividends below 2^31, which @n times @max must be: T.
 * Granlund and P. Montgomery, "Division by invariant integers using
 * multiplication", 1994. z rounds halves up. x is 0 if there is no such
 * division. */
static cl_int4
make_divisor (guint64 n, guint64 max)
{
  const guint shift = g_bit_storage (n - 1) - 1;

  if (n * max + n / 2 > G_MAXINT32)
    return (cl_int4){ .s = { 0 } };
  if (n == 1) /* (s + 1) * (2^32 - 1) = s * 2^32 + less */
    return (cl_int4){ .s = { -1, 0, 1 } };

  return (cl_int4){
    .s = { (cl_int) (((G_GUINT64_CONSTANT (1) << (32 + shift)) + n - 1) / n),
        (cl_int) shift, (cl_int) (n / 2) }
  };
}

/* Returns the constants of a division by @n as above, with 2^24, for dividends
 * of up to 256 samples of 8 bits. */
static cl_int4
make_narrow_divisor (gint n)
{
  return (cl_int4){ .s = { ((1 << 24) + n - 1) / n, 0, n / 2 } };
}

static cl_int4
choose_divisor (const GstClLocalMeanProblem *problem, guint kernel)
{
  const guint64 n = gst_cl_window_samples (&problem->window);

  return kernel == NARROW
             ? make_narrow_divisor ((gint) n)
             : make_divisor (n, gst_cl_local_mean_largest_code (problem));
}

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  g_autoptr (Sliding) self = g_new0 (Sliding, 1);

  self->problem = *(const GstClLocalMeanProblem *) problem;

  self->choice = find_kernel (&self->problem);
  if (self->choice == WIDE &&
      candidate->values[0] == (guint) table[TALL].row_groups)
    self->choice = TALL;
  self->divisor = choose_divisor (&self->problem, self->choice);

  return create_kernels (self, context, error) ? g_steal_pointer (&self) : NULL;
}

/* --- running ------------------------------------------------------------- */

static gboolean
run (gpointer sliding, gconstpointer io, GError **error)
{
  const Sliding *self = sliding;
  const GstClLocalMeanIo *frames = io;
  const GstClComponent *src = frames->samples, *dst = frames->results;
  const GstClLocalMeanProblem *problem = &self->problem;
  const GstClWindow *window = &problem->window;
  GstClKernel *kernel = self->kernels[self->choice];
  const cl_int4 frame = { .s = { problem->width, problem->height, 0,
                              (gint) gst_cl_window_outside (window) } };
  const cl_int4 grid = gst_cl_window_grid (problem);
  const cl_int4 tile = gst_cl_sliding_tile (problem, grid.s[0], src, dst);
  const gsize columns = (grid.s[0] - 1) / tile.s[0] + 1;
  const gsize rows = grid.s[1];
  const gsize items = self->choice == SPARSE
                          ? rows * gst_cl_kernel_local_size (kernel, 1)
                          : (rows - 1) /
                                    (gsize) table[self->choice].rows_per_item +
                                1;
  const GstClArg args[] = {
    GST_CL_MEM (src->mem),
    GST_CL_ULONG (src->offset_bytes),
    GST_CL_INT (src->stride_bytes),
    GST_CL_INT4 (frame),
    GST_CL_MEM (dst->mem),
    GST_CL_ULONG (dst->offset_bytes),
    GST_CL_INT (dst->stride_bytes),
    GST_CL_INT4 (gst_cl_window_argument (window, 0)),
    GST_CL_INT4 (grid),
    GST_CL_INT4 (tile),
    GST_CL_INT4 (self->divisor),
  };

  return gst_cl_kernel_launch (kernel, columns * GST_CL_TILE_LANES, items, 1,
      args, G_N_ELEMENTS (args), error);
}

const GstClInstanceFuncs gst_cl_local_mean_sliding_gpu = {
  .computes = computes,
  .create = create,
  .run = run,
  .free = free_sliding,
};

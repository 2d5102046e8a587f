/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Local means by running sums. */

#include "localmeansliding.h"

#include "cl/memory/gstclbuffer.h"
#include "cl/context/gstclkernel.h"
#include "localmeanprivate.h"
#include "ops/window/slidingtile.h"

#define MAX_KERNEL_SIZE G_MAXINT16
#define N_ARGUMENTS     11

/* More bands than cores, so that none waits long for the last; but the rows
 * around a band are summed up once more for it, which must not outweigh its
 * own. */
#define BANDS_PER_CORE          8
#define MIN_ROWS_PER_BAND       16
#define CPU_ROWS_OF_SCRATCH     8
#define CPU_SPARE_ELEMENTS      64
#define CPU_BYTES_PER_ELEMENT   4
#define CPU_NARROW_SUM          256  /* samples of a window */
#define CPU_WIDE_COLUMNS        1024 /* beyond, its parts cost more than ANY */
#define MAX_SUM_OF_SIGNED_LANES G_MAXINT32

#define GPU_NARROW_WINDOW 256         /* samples */
#define GPU_TALL_WINDOW   43          /* rows, from which taller tiles pay */
#define GPU_WIDE_COLUMN   G_MAXUINT16 /* sum of a window's column */

/* Kernels of a family: those with assumptions, from the strictest on, one of them
 * once more for tall windows; any window, with steps of 1 down the frame; any
 * window. */
enum { NARROW, WIDE, TALL, ANY, SPARSE, N_KERNELS };

typedef struct {
  const gchar *resource, *name;
  gint row_groups, rows_per_item; /* of a work-group; GPU only */
} Kernel;

/* clang-format off */
static const Kernel cpu_kernels[N_KERNELS] = {
  { "localmean/cpusliding16.cl", "localmean_sliding_cpu_narrow", 0, 0 },
  { "localmean/cpusliding16.cl", "localmean_sliding_cpu_wide",   0, 0 },
  { NULL, NULL, 0, 0 },
  { "localmean/cpusliding.cl",   "localmean_sliding_cpu_any",    0, 0 },
  { NULL, NULL, 0, 0 }, /* ANY does it */
};

/* more work-items share the sums of a tall window's columns; where there are
 * few to sum up, more places for work-groups are worth more */
static const Kernel gpu_kernels[N_KERNELS] = {
  { "localmean/gpu.cl", "localmean_sliding_gpu_narrow", 2, 8 },
  { "localmean/gpu.cl", "localmean_sliding_gpu_wide",   4, 8 },
  { "localmean/gpu.cl", "localmean_sliding_gpu_wide",   6, 7 },
  { "localmean/gpu.cl", "localmean_sliding_gpu_any",    4, 8 },
  { "localmean/gpu.cl", "localmean_sliding_gpu_sparse", 2, 8 },
};
/* clang-format on */

struct _GstClLocalMeanSliding {
  GstClLocalMeanSlidingSpec spec;
  GstClKernel *kernels[N_KERNELS]; /* NULL: not for such samples */

  /* CPU only */
  const GstClDevice *device; /* the context's */
  gint row_length;           /* elements of a row of scratch */
  cl_mem scratch;
};

static gboolean
is_cpu (const GstClLocalMeanSlidingSpec *spec)
{
  return spec->family == GST_CL_FAMILY_CPU;
}

static guint
sample_max (const GstClLocalMeanSlidingSpec *spec)
{
  return (1u << spec->sample.depth) - 1;
}

static gint
widest_window (const GstClLocalMeanSlidingSpec *spec)
{
  return MAX (spec->width, spec->window.kernel_width);
}

gboolean
gst_cl_local_mean_sliding_takes (const GstClLocalMeanSlidingSpec *spec,
    const GstClWindow *window)
{
  if (window->border != spec->window.border ||
      window->kernel_width > MAX_KERNEL_SIZE ||
      window->kernel_height > MAX_KERNEL_SIZE ||
      gst_cl_window_sum_bytes (window, sample_max (spec)) > 4 ||
      !gst_cl_window_has_inner_anchor (window))
    return FALSE;

  return window->kernel_width <=
         (is_cpu (spec) ? widest_window (spec) : GST_CL_TILE_WIDEST_WINDOW);
}

/* TRUE if the device has room for a work-group of TALL: its lines take 44 KB of
 * local memory, and where NVIDIA's work-items do not scan them in registers, 13
 * more. */
static gboolean
has_room_for_tall (const GstClDevice *device)
{
  const guint64 least_bytes = device->compute_capability > 0 ? 48 : 64;

  return device->max_work_group_size >=
             (gsize) gpu_kernels[TALL].row_groups * GST_CL_TILE_LANES &&
         device->local_bytes >= least_bytes << 10;
}

static gboolean
create_kernels (GstClLocalMeanSliding *self, GstClContext *context,
    GError **error)
{
  const GstClLocalMeanSlidingSpec *spec = &self->spec;
  const guint bytes = spec->sample.bytes;
  const Kernel *table = is_cpu (spec) ? cpu_kernels : gpu_kernels;
  g_autofree gchar *sample = gst_cl_sample_options (&spec->sample);
  g_autoptr (GString) options = g_string_new (NULL);

  g_string_printf (options, "%s -DSAMPLE_MAX=%u -DBORDER=%d", sample,
      sample_max (spec), gst_cl_window_border_of_kernels (spec->window.border));
  if (is_cpu (spec))
    g_string_append_printf (options, " -DPIXEL_STRIDE=%d -DDST_PIXEL_STRIDE=%d",
        spec->src_pixel_stride_bytes / (gint) bytes,
        spec->dst_pixel_stride_bytes / (gint) bytes);
  else
    g_string_append_printf (options, " -DLINE_LANES=%d", GST_CL_TILE_LANES);

  for (guint i = bytes == 2 ? ANY : NARROW; i < N_KERNELS; i++) {
    g_autofree gchar *all = NULL;

    if (!table[i].name || (i == TALL && !has_room_for_tall (context->device)))
      continue;

    all = is_cpu (spec)
              ? g_strdup (options->str)
              : g_strdup_printf ("%s -DLINE_GROUPS=%d -DROWS=%d", options->str,
                    table[i].row_groups, table[i].rows_per_item);
    self->kernels[i] = gst_cl_kernel_new (context, table[i].resource, all,
        table[i].name, error);
    if (!self->kernels[i])
      return FALSE;
  }

  return TRUE;
}

/* Usual bands of a frame at most. */
static gint
most_bands (const GstClDevice *device, gint height)
{
  return CLAMP (height / MIN_ROWS_PER_BAND, 1,
      (gint) device->compute_units * BANDS_PER_CORE);
}

/* @percent of @n, @most at most; 0: @n. */
static gint
scale_bands (gint n, guint percent, gint most)
{
  return percent ? CLAMP (n * (gint) percent / 100, 1, most) : n;
}

/* Bands of at least MIN_ROWS_PER_BAND rows of the frame and, where that leaves
 * no core without one, of at least the window's height; the same number for
 * each core. */
gint
gst_cl_local_mean_sliding_bands (const GstClDevice *device,
    const GstClWindow *window, guint percent, gint height, gint n_results)
{
  const gint n_cores = MAX ((gint) device->compute_units, 1);
  const gint most = CLAMP (n_results /
                               MAX (MIN_ROWS_PER_BAND / window->step_y, 1),
      1, most_bands (device, height));
  const gint tall = n_results / MAX (window->kernel_height / window->step_y, 1);
  const gint n = CLAMP (tall, MIN (n_cores, most), most);

  return scale_bands (n > n_cores ? n - n % n_cores : n, percent, n_results);
}

cl_mem
gst_cl_local_mean_sliding_scratch (GstClContext *context, gint width,
    gint widest_window, gint n_bands, gint *row_length, GError **error)
{
  *row_length = (width + widest_window + CPU_SPARE_ELEMENTS + 15) / 16 * 16;

  return gst_cl_buffer_new (context,
      (gsize) n_bands * CPU_ROWS_OF_SCRATCH * *row_length *
          CPU_BYTES_PER_ELEMENT,
      error);
}

static gboolean
create_scratch (GstClLocalMeanSliding *self, GstClContext *context,
    GError **error)
{
  const GstClLocalMeanSlidingSpec *spec = &self->spec;

  self->device = context->device;
  self->scratch = gst_cl_local_mean_sliding_scratch (context, spec->width,
      widest_window (spec),
      scale_bands (most_bands (self->device, spec->height), spec->bands_percent,
          G_MAXINT),
      &self->row_length, error);

  return self->scratch != NULL;
}

GstClLocalMeanSliding *
gst_cl_local_mean_sliding_new (GstClContext *context,
    const GstClLocalMeanSlidingSpec *spec, GError **error)
{
  g_autoptr (GstClLocalMeanSliding) self = NULL;

  g_return_val_if_fail (gst_cl_local_mean_sliding_takes (spec, &spec->window),
      NULL);

  self = g_new0 (GstClLocalMeanSliding, 1);
  self->spec = *spec;
  if (!create_kernels (self, context, error) ||
      (is_cpu (spec) && !create_scratch (self, context, error)))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_local_mean_sliding_free (GstClLocalMeanSliding *self)
{
  if (!self)
    return;

  for (guint i = 0; i < N_KERNELS; i++)
    g_clear_pointer (&self->kernels[i], gst_cl_kernel_free);
  g_clear_pointer (&self->scratch, gst_cl_buffer_free);
  g_free (self);
}

/* --- CPUs ---------------------------------------------------------------- */

static guint
choose_cpu_kernel (const GstClLocalMeanSliding *self, const GstClWindow *window)
{
  const guint64 n = gst_cl_window_samples (window);

  if (!self->kernels[NARROW] || window->step_x != 1 || window->step_y != 1)
    return ANY;
  if (n <= CPU_NARROW_SUM)
    return NARROW;

  return window->kernel_width <= CPU_WIDE_COLUMNS &&
                 n * sample_max (&self->spec) <= MAX_SUM_OF_SIGNED_LANES
             ? WIDE
             : ANY;
}

static gboolean
run_on_cpu (GstClLocalMeanSliding *self, GstClArg *args, guint n_args,
    const GstClWindow *window, gint n_rows, GError **error)
{
  GstClKernel *kernel = self->kernels[choose_cpu_kernel (self, window)];

  args[n_args++] = (GstClArg) GST_CL_MEM (self->scratch);

  return gst_cl_kernel_launch (kernel,
      gst_cl_local_mean_sliding_bands (self->device, window,
          self->spec.bands_percent, self->spec.height, n_rows),
      1, 1, args, n_args, error);
}

/* --- GPUs ---------------------------------------------------------------- */

static guint
choose_gpu_kernel (const GstClLocalMeanSliding *self, const GstClWindow *window)
{
  if (window->step_y != 1)
    return SPARSE;
  if (!self->kernels[NARROW] ||
      window->kernel_height * sample_max (&self->spec) > GPU_WIDE_COLUMN)
    return ANY;

  if (gst_cl_window_samples (window) <= GPU_NARROW_WINDOW)
    return NARROW;

  return self->kernels[TALL] && window->kernel_height >= GPU_TALL_WINDOW ? TALL
                                                                         : WIDE;
}

/* Division by @n, exact: (dividend + z) * x / 2^(32 + y), rounded down, for
 * dividends below 2^31, which @n times @max is to be: T. Granlund and P.
 * Montgomery, "Division by invariant integers using multiplication", 1994. z
 * rounds halves up. x is 0 if there is none. */
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

/* The same by 2^24, for dividends of up to 256 samples of 8 bits. */
static cl_int4
make_narrow_divisor (gint n)
{
  return (cl_int4){ .s = { ((1 << 24) + n - 1) / n, 0, n / 2 } };
}

static gboolean
run_on_gpu (GstClLocalMeanSliding *self, GstClArg *args, guint n_args,
    const GstClWindow *window, const cl_int4 *tile, const cl_int4 *grid,
    GError **error)
{
  const guint choice = choose_gpu_kernel (self, window);
  GstClKernel *kernel = self->kernels[choice];
  const gsize columns = (grid->s[0] - 1) / tile->s[0] + 1;
  const gsize rows = grid->s[1];
  const gsize items = choice == SPARSE
                          ? rows * gst_cl_kernel_local_size (kernel, 1)
                          : (rows - 1) /
                                    (gsize) gpu_kernels[choice].rows_per_item +
                                1;

  args[n_args++] = (GstClArg) GST_CL_INT4 (*tile);
  args[n_args++] = (GstClArg) GST_CL_INT4 (
      choice == NARROW
          ? make_narrow_divisor ((gint) gst_cl_window_samples (window))
          : make_divisor (gst_cl_window_samples (window),
                sample_max (&self->spec)));

  return gst_cl_kernel_launch (kernel, columns * GST_CL_TILE_LANES, items, 1,
      args, n_args, error);
}

/* --- both ---------------------------------------------------------------- */

gboolean
gst_cl_local_mean_sliding_run (GstClLocalMeanSliding *self,
    const GstClComponent *src, const GstClComponent *dst,
    const GstClWindow *window, GError **error)
{
  const GstClLocalMeanSlidingSpec *spec = &self->spec;
  const cl_int4 frame = { .s = { spec->width, spec->height, self->row_length,
                              (gint) gst_cl_window_outside (window) } };
  const cl_int4 grid = gst_cl_local_mean_grid (window, spec->width,
      spec->height);
  GstClArg args[N_ARGUMENTS] = {
    GST_CL_MEM (src->mem),
    GST_CL_ULONG (src->offset_bytes),
    GST_CL_INT (src->stride_bytes),
    GST_CL_INT4 (frame),
    GST_CL_MEM (dst->mem),
    GST_CL_ULONG (dst->offset_bytes),
    GST_CL_INT (dst->stride_bytes),
    GST_CL_INT4 (gst_cl_local_mean_window (window)),
    GST_CL_INT4 (grid),
  };
  const guint n_args = N_ARGUMENTS - 2; /* the family adds one or two */

  g_return_val_if_fail (gst_cl_local_mean_sliding_takes (spec, window), FALSE);

  if (is_cpu (spec))
    return run_on_cpu (self, args, n_args, window, grid.s[1], error);

  const cl_int4 tile = gst_cl_sliding_tile (&spec->sample, window, grid.s[0],
      src, spec->src_pixel_stride_bytes, dst, spec->dst_pixel_stride_bytes);

  return run_on_gpu (self, args, n_args, window, &tile, &grid, error);
}

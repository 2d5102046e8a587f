/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integral images on a GPU: tiles, a work-group each. */

#include "integralprivate.h"

/* A tile has 4 x LANES columns. Others that fit each other: kernels/gpu/
 * integral.cl; the figures for these: docs/performance.md. */
#define LANES      64
#define ROW_GROUPS 4
#define TILE_ROWS  64

#define TILE_COLUMNS (4 * LANES)
#define ITEMS        (LANES * ROW_GROUPS)

#define MAX_ARGUMENTS 24

enum {
  BOTTOMS, /* scratch: the last row of each tile's sums */
  RIGHTS,  /* the last column */
};

/* Four sums of a row can be stored together where each row starts at a multiple
 * of four. */
static gboolean
is_staged (const GstClIntegralSpec *spec)
{
  return spec->channels > 1 || gst_cl_integral_border (spec) > 0 ||
         spec->width % 4 != 0;
}

static gchar *
gpu_options (const GstClIntegralSpec *spec)
{
  return g_strdup_printf ("-DSUM_T=%s -DSTAGED=%d -DLANES=%d -DROW_GROUPS=%d "
                          "-DTILE_ROWS=%d",
      spec->sum_bytes == 8 ? "ulong" : "uint", is_staged (spec), LANES,
      ROW_GROUPS, TILE_ROWS);
}

static gboolean
allocate_gpu (GstClIntegralOp *op, GError **error)
{
  const GstClIntegralSpec *spec = &op->spec;
  const guint64 columns = (spec->width - 1) / TILE_COLUMNS + 1;
  const guint64 bands = (spec->height - 1) / TILE_ROWS + 1;

  op->n_tiles = columns * bands * spec->channels;

  return gst_cl_integral_allocate (op, BOTTOMS,
             op->n_tiles * TILE_COLUMNS * sizeof (cl_uint), error) &&
         gst_cl_integral_allocate (op, RIGHTS,
             op->n_tiles * TILE_ROWS * sizeof (cl_uint), error);
}

/* What all kernels take first; returns how many @args it filled. */
static guint
fill_gpu_arguments (const GstClIntegralOp *op, const GstClComponent *components,
    GstClArg *args)
{
  const GstClIntegralSpec *spec = &op->spec;
  cl_int4 strides;
  guint n = 0;

  /* the kernels have room for four; those beyond the last repeat it */
  for (gint i = 0; i < GST_CL_INTEGRAL_MAX_CHANNELS; i++) {
    const GstClComponent *component = &components[MIN (i, spec->channels - 1)];

    strides.s[i] = component->stride_bytes;
    args[n] = (GstClArg) GST_CL_MEM (component->mem);
    args[n + GST_CL_INTEGRAL_MAX_CHANNELS] = (GstClArg) GST_CL_ULONG (
        component->offset_bytes);
    n++;
  }
  n += GST_CL_INTEGRAL_MAX_CHANNELS;

  args[n++] = (GstClArg) GST_CL_INT4 (strides);
  args[n++] = (GstClArg) GST_CL_INT (spec->pixel_stride_bytes);
  args[n++] = (GstClArg) GST_CL_INT (spec->width);
  args[n++] = (GstClArg) GST_CL_INT (spec->height);
  args[n++] = (GstClArg) GST_CL_INT (spec->channels);
  args[n++] = (GstClArg) GST_CL_MEM (op->scratch[BOTTOMS]);
  args[n++] = (GstClArg) GST_CL_MEM (op->scratch[RIGHTS]);

  return n;
}

static gboolean
run_gpu (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  GstClArg args[MAX_ARGUMENTS];
  guint n_args = fill_gpu_arguments (op, components, args);

  /* a tile alone adds nothing of others */
  if (op->n_tiles > (gsize) op->spec.channels &&
      !gst_cl_kernel_launch (op->kernels[0], op->n_tiles * ITEMS, 1, 1, args,
          n_args, error))
    return FALSE;

  args[n_args++] = (GstClArg) GST_CL_MEM (sums->mem);
  args[n_args++] = (GstClArg) GST_CL_ULONG (sums->offset_bytes);
  args[n_args++] = (GstClArg) GST_CL_INT (gst_cl_integral_border (&op->spec));

  return gst_cl_kernel_launch (op->kernels[1], op->n_tiles * ITEMS, 1, 1, args,
      n_args, error);
}

const GstClIntegralForm gst_cl_integral_gpu_form = {
  { "integral_gpu_tiles", "integral_gpu_sums" },
  gpu_options,
  allocate_gpu,
  run_gpu,
};

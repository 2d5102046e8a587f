/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integral images: which kernels, which scratch memory, in which order. */

#include "integral.h"
#include "cl/gstclbuffer.h"
#include "cl/gstclkernel.h"

#define MAX_CHANNELS  4
#define MAX_KERNELS   3
#define MAX_ARGUMENTS 24

/* Bands of the plain form: enough work-items for a GPU, few enough that adding
 * up the bands above costs little. */
#define ROWS_PER_BAND 32
#define MAX_BANDS     64

/* Bands of the CPU form: more than cores, so that none waits long for the
 * last, and whole groups of the rows that run together. */
#define BANDS_PER_CORE    4
#define MIN_ROWS_PER_BAND 32

struct _GstClIntegralOp {
  GstClContext *context;
  const struct Form *form;
  GstClIntegralSpec spec;

  gint n_bands;
  GstClKernel *kernels[MAX_KERNELS]; /* in the order of their launches */
  cl_mem totals;                     /* of columns, by band; may be NULL */
  cl_mem above;                      /* row of sums above each band */
};

/* How a variant works: one row for each of the public table, in its order. */
typedef struct Form {
  const gchar *kernels[MAX_KERNELS];
  gchar *(*options) (const GstClIntegralSpec *spec);
  gboolean (*allocate) (GstClIntegralOp *op, GError **error);
  gboolean (*run) (GstClIntegralOp *op, const GstClComponent *components,
      const GstClSums *sums, GError **error);
} Form;

static gint
border_of (const GstClIntegralSpec *spec)
{
  return spec->layout == GST_CL_LAYOUT_EXCLUSIVE ? 1 : 0;
}

/* Sums in a row of the result. */
static guint64
row_length (const GstClIntegralSpec *spec)
{
  return ((guint64) spec->width + border_of (spec)) * spec->channels;
}

static gboolean
allocate_scratch (GstClIntegralOp *op, cl_mem *mem, guint64 size_bytes,
    GError **error)
{
  if (!gst_cl_buffer_check_size (op->context, size_bytes, error))
    return FALSE;

  *mem = gst_cl_buffer_new (op->context, size_bytes, error);

  return *mem != NULL;
}

/* ---- plain form: along the rows, then down the columns ---- */

static gchar *
plain_options (const GstClIntegralSpec *spec)
{
  return g_strdup_printf ("-DSUM_T=%s",
      spec->sum_bytes == 8 ? "ulong" : "uint");
}

static gboolean
allocate_plain (GstClIntegralOp *op, GError **error)
{
  op->n_bands = CLAMP (op->spec.height / ROWS_PER_BAND, 1, MAX_BANDS);

  return allocate_scratch (op, &op->totals,
      op->n_bands * row_length (&op->spec) * op->spec.sum_bytes, error);
}

/* One work-group for each row of each component, the border row included. */
static gboolean
launch_rows (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  GstClKernel *kernel = op->kernels[0];
  const GstClIntegralSpec *spec = &op->spec;

  for (gint channel = 0; channel < spec->channels; channel++) {
    const GstClComponent *component = &components[channel];
    const GstClArg args[] = {
      GST_CL_MEM (component->mem),
      GST_CL_ULONG (component->offset_bytes),
      GST_CL_INT (component->stride_bytes),
      GST_CL_INT (spec->pixel_stride_bytes),
      GST_CL_INT (spec->width),
      GST_CL_MEM (sums->mem),
      GST_CL_ULONG (sums->offset_bytes),
      GST_CL_INT (spec->channels),
      GST_CL_INT (channel),
      GST_CL_INT (border_of (spec)),
    };

    if (!gst_cl_kernel_launch (kernel, gst_cl_kernel_local_size (kernel, 0),
            (gsize) spec->height + border_of (spec), 1, args,
            G_N_ELEMENTS (args), error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
run_plain (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  const gint length = (gint) row_length (&op->spec);
  const GstClArg args[] = {
    GST_CL_MEM (sums->mem),
    GST_CL_ULONG (sums->offset_bytes),
    GST_CL_INT (length),
    GST_CL_INT (op->spec.height + border_of (&op->spec)),
    GST_CL_INT (op->n_bands),
    GST_CL_MEM (op->totals),
  };

  return launch_rows (op, components, sums, error) &&
         gst_cl_kernel_launch (op->kernels[1], length, op->n_bands, 1, args,
             G_N_ELEMENTS (args), error) &&
         gst_cl_kernel_launch (op->kernels[2], length, op->n_bands, 1, args,
             G_N_ELEMENTS (args), error);
}

/* ---- asynchronous copies: the same order, strips in local memory ---- */

static gboolean
allocate_nothing (GstClIntegralOp *op, GError **error)
{
  return TRUE;
}

static gboolean
run_async (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  GstClKernel *columns = op->kernels[1];
  const gint length = (gint) row_length (&op->spec);
  const GstClArg args[] = {
    GST_CL_MEM (sums->mem),
    GST_CL_ULONG (sums->offset_bytes),
    GST_CL_INT (length),
    GST_CL_INT (op->spec.height + border_of (&op->spec)),
  };

  return launch_rows (op, components, sums, error) &&
         gst_cl_kernel_launch (columns, gst_cl_kernel_local_size (columns, 0),
             length, 1, args, G_N_ELEMENTS (args), error);
}

/* ---- CPU form: bands of rows, one work-item each ---- */

static gchar *
cpu_options (const GstClIntegralSpec *spec)
{
  return g_strdup_printf ("-DSUM_T=%s -DCHANNELS=%d -DPIXEL_STRIDE=%d",
      spec->sum_bytes == 8 ? "ulong -DSUM_IS_WIDE" : "uint", spec->channels,
      spec->pixel_stride_bytes);
}

static gboolean
allocate_cpu (GstClIntegralOp *op, GError **error)
{
  const GstClIntegralSpec *spec = &op->spec;
  const gint most = (gint) op->context->device->compute_units * BANDS_PER_CORE;
  guint64 n_elements;

  op->n_bands = CLAMP (spec->height / MIN_ROWS_PER_BAND, 1,
      MIN (most, MAX_BANDS));
  n_elements = (guint64) op->n_bands * spec->channels * spec->width;

  return allocate_scratch (op, &op->totals, n_elements * sizeof (cl_uint),
             error) &&
         allocate_scratch (op, &op->above, n_elements * spec->sum_bytes, error);
}

/* What both kernels take first; returns how many @args it filled. */
static guint
fill_cpu_arguments (const GstClIntegralOp *op, const GstClComponent *components,
    GstClArg *args)
{
  const GstClIntegralSpec *spec = &op->spec;
  cl_int4 strides;
  guint n = 0;

  /* the kernels have room for four; those beyond the last repeat it */
  for (gint i = 0; i < MAX_CHANNELS; i++) {
    const GstClComponent *component = &components[MIN (i, spec->channels - 1)];

    strides.s[i] = component->stride_bytes;
    args[n] = (GstClArg) GST_CL_MEM (component->mem);
    args[n + MAX_CHANNELS] = (GstClArg) GST_CL_ULONG (component->offset_bytes);
    n++;
  }
  n += MAX_CHANNELS;

  args[n++] = (GstClArg) GST_CL_INT4 (strides);
  args[n++] = (GstClArg) GST_CL_INT (spec->width);
  args[n++] = (GstClArg) GST_CL_INT (spec->height);
  args[n++] = (GstClArg) GST_CL_INT (op->n_bands);
  args[n++] = (GstClArg) GST_CL_MEM (op->totals);

  return n;
}

static gboolean
run_cpu (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  GstClArg args[MAX_ARGUMENTS];
  guint n_args = fill_cpu_arguments (op, components, args);

  /* nothing lies below the last band: its totals are not needed */
  if (op->n_bands > 1 && !gst_cl_kernel_launch (op->kernels[0], op->n_bands - 1,
                             op->spec.channels, 1, args, n_args, error))
    return FALSE;

  args[n_args++] = (GstClArg) GST_CL_MEM (op->above);
  args[n_args++] = (GstClArg) GST_CL_MEM (sums->mem);
  args[n_args++] = (GstClArg) GST_CL_ULONG (sums->offset_bytes);
  args[n_args++] = (GstClArg) GST_CL_INT (border_of (&op->spec));

  return gst_cl_kernel_launch (op->kernels[1], op->n_bands, 1, 1, args, n_args,
      error);
}

/* ---- tables ---- */

static const GstClOpVariant variants[] = {
  /* clang-format off */
  { "multi-pass-cpu", GST_CL_INTEGRAL_METHOD_MULTI_PASS, "cpu/integral.cl",
      GST_CL_FAMILY_CPU },
  { "multi-pass", GST_CL_INTEGRAL_METHOD_MULTI_PASS, "integral.cl",
      GST_CL_FAMILY_ANY },
  { "async-copy", GST_CL_INTEGRAL_METHOD_ASYNC_COPY, "integral.cl",
      GST_CL_FAMILY_ANY },
  /* clang-format on */
};

static const Form forms[] = {
  /* clang-format off */
  { { "integral_cpu_bands", "integral_cpu_rows" },
      cpu_options, allocate_cpu, run_cpu },
  { { "integral_rows", "integral_bands", "integral_columns" },
      plain_options, allocate_plain, run_plain },
  { { "integral_async_rows", "integral_async_columns" },
      plain_options, allocate_nothing, run_async },
  /* clang-format on */
};
G_STATIC_ASSERT (G_N_ELEMENTS (variants) == G_N_ELEMENTS (forms));

const GstClOpVariant *
gst_cl_integral_variants (guint *n_rows)
{
  *n_rows = G_N_ELEMENTS (variants);

  return variants;
}

/* ---- public face ---- */

static gboolean
build_kernels (GstClIntegralOp *op, const gchar *resource, GError **error)
{
  g_autofree gchar *options = op->form->options (&op->spec);

  for (guint i = 0; i < MAX_KERNELS && op->form->kernels[i]; i++) {
    op->kernels[i] = gst_cl_kernel_new (op->context, resource, options,
        op->form->kernels[i], error);
    if (!op->kernels[i])
      return FALSE;
  }

  return TRUE;
}

GstClIntegralOp *
gst_cl_integral_op_new (GstClContext *context, const GstClOpVariant *variant,
    const GstClIntegralSpec *spec, GError **error)
{
  g_autoptr (GstClIntegralOp) op = NULL;

  g_return_val_if_fail (variant >= variants &&
                            variant < variants + G_N_ELEMENTS (variants),
      NULL);
  g_return_val_if_fail (spec->width > 0 && spec->height > 0, NULL);
  g_return_val_if_fail (spec->channels >= 1 && spec->channels <= MAX_CHANNELS,
      NULL);
  /* the kernels count the sums of a row in an int */
  if (row_length (spec) > G_MAXINT) {
    g_set_error (error, GST_CL_ERROR, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        "A row of %zu sums is needed, %d are the most.",
        (gsize) row_length (spec), G_MAXINT);
    return NULL;
  }

  op = g_new0 (GstClIntegralOp, 1);
  op->context = gst_object_ref (context);
  op->form = &forms[variant - variants];
  op->spec = *spec;

  if (!build_kernels (op, variant->resource, error) ||
      !op->form->allocate (op, error))
    return NULL;

  return g_steal_pointer (&op);
}

void
gst_cl_integral_op_free (GstClIntegralOp *op)
{
  if (!op)
    return;

  for (guint i = 0; i < MAX_KERNELS; i++)
    gst_cl_kernel_free (op->kernels[i]);
  gst_cl_buffer_free (op->totals);
  gst_cl_buffer_free (op->above);
  gst_object_unref (op->context);
  g_free (op);
}

gboolean
gst_cl_integral_op_run (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  return op->form->run (op, components, sums, error);
}

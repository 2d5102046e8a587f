/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integral images: the ways to make them. */

#include "integralprivate.h"

#include "cl/memory/gstclbuffer.h"

/* ---- tables ---- */

static const GstClImplementation variants[] = {
  /* clang-format off */
  { "multi-pass-cpu", GST_CL_INTEGRAL_METHOD_MULTI_PASS, "integral/cpu.cl",
      GST_CL_FAMILY_CPU },
  { "multi-pass-gpu", GST_CL_INTEGRAL_METHOD_MULTI_PASS, "integral/gpu.cl",
      GST_CL_FAMILY_GPU },
  { "multi-pass", GST_CL_INTEGRAL_METHOD_MULTI_PASS, "integral/plain.cl",
      GST_CL_FAMILY_ANY },
  { "single-pass", GST_CL_INTEGRAL_METHOD_SINGLE_PASS, "integral/gpu.cl",
      GST_CL_FAMILY_ANY },
  { "async-copy", GST_CL_INTEGRAL_METHOD_ASYNC_COPY, "integral/plain.cl",
      GST_CL_FAMILY_ANY },
  /* clang-format on */
};

/* Where the kernels that every device can run are. */
#define PLAIN_RESOURCE "integral/plain.cl"

static const GstClIntegralForm *const forms[] = {
  &gst_cl_integral_cpu_form,
  &gst_cl_integral_gpu_form,
  &gst_cl_integral_plain_form,
  &gst_cl_integral_single_form,
  &gst_cl_integral_async_form,
};
G_STATIC_ASSERT (G_N_ELEMENTS (variants) == G_N_ELEMENTS (forms));

const GstClImplementation *
gst_cl_integral_variants (guint *n_rows)
{
  *n_rows = G_N_ELEMENTS (variants);

  return variants;
}

/* ---- shared ---- */

gint
gst_cl_integral_border (const GstClIntegralSpec *spec)
{
  return spec->layout == GST_CL_LAYOUT_EXCLUSIVE ? 1 : 0;
}

guint64
gst_cl_integral_row_length (const GstClIntegralSpec *spec)
{
  return ((guint64) spec->width + gst_cl_integral_border (spec)) *
         spec->channels;
}

guint64
gst_cl_integral_max_value (const GstClIntegralSpec *spec)
{
  const guint64 max = gst_cl_sample_max_code (&spec->sample);

  return spec->kind == GST_CL_INTEGRAL_SQUARES ? max * max : max;
}

gint
gst_cl_integral_pixel_stride (const GstClIntegralSpec *spec)
{
  return spec->pixel_stride_bytes / (gint) spec->sample.bytes;
}

gboolean
gst_cl_integral_allocate (GstClIntegralOp *op, guint index, guint64 size_bytes,
    GError **error)
{
  if (!gst_cl_buffer_check_size (op->context, size_bytes, error))
    return FALSE;

  op->scratch[index] = gst_cl_buffer_new (op->context, size_bytes, error);

  return op->scratch[index] != NULL;
}

/* ---- placing: from exact sums to what was asked for ---- */

static gboolean
needs_place (const GstClIntegralForm *form, const GstClIntegralSpec *spec)
{
  return spec->is_float || (spec->sum_bytes == sizeof (cl_ulong) &&
                               spec->starts_at_word && !form->suits_words);
}

static guint64
count_sums (const GstClIntegralSpec *spec)
{
  return gst_cl_integral_row_length (spec) *
         ((guint64) spec->height + gst_cl_integral_border (spec));
}

static gboolean
prepare_place (GstClIntegralOp *op, const GstClIntegralSpec *spec,
    GError **error)
{
  g_autofree gchar *options = g_strdup_printf (
      "-DPLACE_BYTES=%u -DPLACE_IS_FLOAT=%d", spec->sum_bytes, spec->is_float);
  const guint64 size_bytes = count_sums (spec) * sizeof (cl_ulong);

  op->spec.sum_bytes = sizeof (cl_ulong);
  op->spec.is_float = FALSE;
  op->place = gst_cl_kernel_new (op->context, PLAIN_RESOURCE, options,
      "integral_place", error);
  if (!op->place || !gst_cl_buffer_check_size (op->context, size_bytes, error))
    return FALSE;
  op->exact = gst_cl_buffer_new (op->context, size_bytes, error);

  return op->exact != NULL;
}

static gboolean
run_place (GstClIntegralOp *op, const GstClSums *sums, GError **error)
{
  const guint64 n_sums = count_sums (&op->spec);
  const GstClArg args[] = {
    GST_CL_MEM (op->exact),
    GST_CL_ULONG (n_sums),
    GST_CL_MEM (sums->mem),
    GST_CL_ULONG (sums->offset_bytes),
  };

  return gst_cl_kernel_launch (op->place, n_sums, 1, 1, args,
      G_N_ELEMENTS (args), error);
}

/* ---- public face ---- */

static gboolean
build_kernels (GstClIntegralOp *op, const gchar *resource, GError **error)
{
  g_autofree gchar *options = op->form->options (&op->spec);

  for (guint i = 0; i < GST_CL_INTEGRAL_MAX_KERNELS && op->form->kernels[i];
       i++) {
    op->kernels[i] = gst_cl_kernel_new (op->context, resource, options,
        op->form->kernels[i], error);
    if (!op->kernels[i])
      return FALSE;
  }

  return TRUE;
}

const GstClIntegralForm *
gst_cl_integral_form (const GstClImplementation *variant,
    const GstClIntegralSpec *spec, const gchar **resource)
{
  const GstClIntegralForm *form = forms[variant - variants];

  *resource = PLAIN_RESOURCE;
  if (spec->kind == GST_CL_INTEGRAL_TILTED)
    return &gst_cl_integral_tilted_form;
  if (form->sums_bytes &&
      (spec->kind != GST_CL_INTEGRAL_SUM || spec->sample.bytes > 1))
    return &gst_cl_integral_plain_form;
  *resource = variant->resource;

  return form;
}

GstClIntegralOp *
gst_cl_integral_op_new (GstClContext *context,
    const GstClImplementation *variant, const GstClIntegralSpec *spec,
    GError **error)
{
  g_autoptr (GstClIntegralOp) op = NULL;
  const gchar *resource;

  g_return_val_if_fail (variant >= variants &&
                            variant < variants + G_N_ELEMENTS (variants),
      NULL);
  g_return_val_if_fail (spec->width > 0 && spec->height > 0, NULL);
  g_return_val_if_fail (spec->channels >= 1 &&
                            spec->channels <= GST_CL_INTEGRAL_MAX_CHANNELS,
      NULL);
  g_return_val_if_fail (spec->sample.bytes == 1 || spec->sample.bytes == 2,
      NULL);
  g_return_val_if_fail (spec->kind != GST_CL_INTEGRAL_SQUARES ||
                            spec->sum_bytes == sizeof (cl_ulong),
      NULL);
  /* the kernels count the sums of a row in an int */
  if (gst_cl_integral_row_length (spec) > G_MAXINT) {
    g_set_error (error, GST_CL_ERROR, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        "A row of %zu sums is needed, %d are the most.",
        (gsize) gst_cl_integral_row_length (spec), G_MAXINT);
    return NULL;
  }

  op = g_new0 (GstClIntegralOp, 1);
  op->context = gst_object_ref (context);
  op->form = gst_cl_integral_form (variant, spec, &resource);
  op->spec = *spec;

  if (needs_place (op->form, spec) && !prepare_place (op, spec, error))
    return NULL;
  if (!build_kernels (op, resource, error) ||
      (op->form->allocate && !op->form->allocate (op, error)))
    return NULL;

  return g_steal_pointer (&op);
}

void
gst_cl_integral_op_free (GstClIntegralOp *op)
{
  if (!op)
    return;

  for (guint i = 0; i < GST_CL_INTEGRAL_MAX_KERNELS; i++)
    gst_cl_kernel_free (op->kernels[i]);
  for (guint i = 0; i < GST_CL_INTEGRAL_MAX_SCRATCH; i++)
    gst_cl_buffer_free (op->scratch[i]);
  gst_cl_readback_free (op->readback);
  gst_cl_kernel_free (op->place);
  gst_cl_buffer_free (op->exact);
  gst_object_unref (op->context);
  g_free (op);
}

gboolean
gst_cl_integral_op_has_given_up (const GstClIntegralOp *op)
{
  return op->has_given_up;
}

gboolean
gst_cl_integral_op_run (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  GstClSums exact = *sums;

  if (!op->place)
    return op->form->run (op, components, sums, error);

  exact.mem = op->exact;
  exact.offset_bytes = 0;
  exact.sum_bytes = op->spec.sum_bytes;
  exact.is_float = FALSE;

  return op->form->run (op, components, &exact, error) &&
         run_place (op, sums, error);
}

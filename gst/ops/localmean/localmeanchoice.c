/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which ways there are to local means, and which of them a spec goes. */

#include "localmean.h"

#include "localmeanprivate.h"
#include "ops/operation/operation.h"
#include "ops/operation/operationbands.h"
#include "ops/operation/operationsliding.h"

/* On an H100 at 4K sliding takes 16 us at 3x3, 20 at 31x31, 34 at 101x101, an
 * integral image and its corners 63 whatever the window. */
#define MAX_GPU_SLIDING 128

/* clang-format off */
static const GstClImplementation variants[] = {
  { .name = "sliding-cpu", .method = GST_CL_LOCAL_MEAN_METHOD_SLIDING, .resource = "localmean/cpusliding.cl", .family = GST_CL_FAMILY_CPU },
  { .name = "direct-cpu", .method = GST_CL_LOCAL_MEAN_METHOD_DIRECT, .resource = "localmean/cpu.cl", .family = GST_CL_FAMILY_CPU },
  { .name = "direct", .method = GST_CL_LOCAL_MEAN_METHOD_DIRECT, .resource = "localmean/plain.cl", .family = GST_CL_FAMILY_ANY },
  { .name = "async-copy", .method = GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY, .resource = "localmean/plain.cl", .family = GST_CL_FAMILY_ANY },
  { .name = "sliding-gpu", .method = GST_CL_LOCAL_MEAN_METHOD_SLIDING, .resource = "localmean/gpu.cl", .family = GST_CL_FAMILY_GPU },
};
/* clang-format on */

const GstClImplementation *
gst_cl_local_mean_variants (guint *n_rows)
{
  *n_rows = G_N_ELEMENTS (variants);

  return variants;
}

gboolean
gst_cl_local_mean_takes_sums (const GstClImplementation *variant)
{
  return variant->method != GST_CL_LOCAL_MEAN_METHOD_SLIDING;
}

const GstClImplementation *
gst_cl_local_mean_choose (gint method, const GstClLocalMeanSpec *spec,
    const GstClDevice *device)
{
  const GstClImplementation *row = gst_cl_implementation_choose (variants,
      G_N_ELEMENTS (variants), method, device);
  const gboolean is_wide = device->family == GST_CL_FAMILY_GPU &&
                           MAX (spec->window.kernel_width,
                               spec->window.kernel_height) > MAX_GPU_SLIDING;

  if (!row || gst_cl_local_mean_takes_sums (row))
    return row;
  if (method != GST_CL_LOCAL_MEAN_METHOD_AUTO)
    return spec->from_sums ? NULL : row;
  if (!spec->from_sums && !is_wide)
    return row;

  return gst_cl_implementation_choose (variants, G_N_ELEMENTS (variants),
      GST_CL_LOCAL_MEAN_METHOD_DIRECT, device);
}

GstClLocalMeanSlidingSpec
gst_cl_local_mean_sliding_spec (const GstClImplementation *variant,
    const GstClLocalMeanSpec *spec)
{
  return (GstClLocalMeanSlidingSpec){
    .family = variant->family,
    .sample = spec->sample,
    .src_pixel_stride_bytes = spec->src_pixel_stride_bytes,
    .dst_pixel_stride_bytes = spec->dst_pixel_stride_bytes,
    .width = spec->width,
    .height = spec->height,
    .window = spec->window,
    .bands_percent = spec->bands_percent,
  };
}

gboolean
gst_cl_local_mean_slides_means (const GstClImplementation *variant,
    const GstClLocalMeanSpec *spec)
{
  const GstClLocalMeanSlidingSpec sliding = gst_cl_local_mean_sliding_spec (
      variant, spec);

  return !gst_cl_local_mean_takes_sums (variant) &&
         gst_cl_local_mean_sliding_takes (&sliding, &spec->window);
}

gboolean
gst_cl_local_mean_slides_operation (const GstClImplementation *variant,
    const GstClLocalMeanSpec *spec)
{
  if (variant->method != GST_CL_LOCAL_MEAN_METHOD_SLIDING ||
      spec->operation == GST_CL_LOCAL_MEAN_OPERATION_MEAN ||
      (spec->means_first && gst_cl_operation_takes_means (spec->operation)))
    return FALSE;

  return variant->family == GST_CL_FAMILY_GPU
             ? gst_cl_operation_sliding_takes (spec)
             : gst_cl_operation_bands_takes (spec);
}

gboolean
gst_cl_local_mean_slides (const GstClImplementation *variant,
    const GstClLocalMeanSpec *spec)
{
  const gboolean has_means = spec->operation ==
                                 GST_CL_LOCAL_MEAN_OPERATION_MEAN ||
                             gst_cl_operation_takes_means (spec->operation);

  return gst_cl_local_mean_slides_operation (variant, spec) ||
         (has_means && gst_cl_local_mean_slides_means (variant, spec));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of integral images. */

#include "ops/grid.h"
#include "ops/integral/integral.h"

static const struct {
  gint width, height;
} sizes[] = { { 1, 1 }, { 320, 240 }, { 1920, 1080 }, { 3840, 2160 } };

static const struct {
  GstClIntegralKind kind;
  guint sum_bytes;
  gboolean is_float, starts_at_word;
} arrays[] = {
  { GST_CL_INTEGRAL_SUM, 4, FALSE, FALSE },
  { GST_CL_INTEGRAL_SUM, 8, FALSE, FALSE },
  { GST_CL_INTEGRAL_SUM, 8, FALSE, TRUE },
  { GST_CL_INTEGRAL_SUM, 4, TRUE, FALSE },
  { GST_CL_INTEGRAL_SQUARES, 8, FALSE, FALSE },
  { GST_CL_INTEGRAL_SQUARES, 8, TRUE, FALSE },
  { GST_CL_INTEGRAL_TILTED, 4, FALSE, FALSE },
};

static const GstClSampleType samples[] = { { 1, 8, 0 }, { 2, 10, 6 } };

static const struct {
  gint channels, pixel_stride;
  GstClLayout layout;
} shapes[] = {
  { 1, 1, GST_CL_LAYOUT_INCLUSIVE },
  { 3, 4, GST_CL_LAYOUT_EXCLUSIVE },
};

static gconstpointer
get_problem (guint index)
{
  static GstClIntegralProblem problem;
  const guint shape = index % G_N_ELEMENTS (shapes);
  const guint of_shape = index / G_N_ELEMENTS (shapes);
  const guint sample = of_shape % G_N_ELEMENTS (samples);
  const guint of_sample = of_shape / G_N_ELEMENTS (samples);
  const guint array = of_sample % G_N_ELEMENTS (arrays);
  const guint size = of_sample / G_N_ELEMENTS (arrays);

  if (size >= G_N_ELEMENTS (sizes))
    return NULL;

  problem = (GstClIntegralProblem){
    .width = sizes[size].width,
    .height = sizes[size].height,
    .channels = shapes[shape].channels,
    .pixel_stride_bytes = shapes[shape].pixel_stride *
                          (gint) samples[sample].bytes,
    .sample = samples[sample],
    .layout = shapes[shape].layout,
    .sum_bytes = arrays[array].sum_bytes,
    .is_float = arrays[array].is_float,
    .kind = arrays[array].kind,
    .starts_at_word = arrays[array].starts_at_word,
  };

  return &problem;
}

static const gchar *const methods[] = { "auto", "multi-pass", "async-copy",
  "single-pass", NULL };

const OpGrid integral_grid = {
  .name = "integral",
  .table = &gst_cl_integral_table,
  .methods = methods,
  .get_problem = get_problem,
};

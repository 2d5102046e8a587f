/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of frame statistics. */

#include "ops/grid.h"
#include "statistics/moments/moments.h"

static const struct {
  gint width, height;
} sizes[] = { { 1, 1 }, { 200, 100 }, { 320, 240 }, { 1920, 1080 },
  { 7680, 4320 } };

static const GstClSampleType samples[] = { { 1, 8, 0 }, { 2, 10, 6 } };

/* All components in one pixel. */
static const struct {
  guint n_components;
  gint pixel_stride;
} shapes[] = { { 1, 1 }, { 3, 4 } };

static gconstpointer
get_problem (guint index)
{
  static GstClMomentsProblem problem;
  const guint shape = index % G_N_ELEMENTS (shapes);
  const guint of_shape = index / G_N_ELEMENTS (shapes);
  const GstClSampleType *sample = &samples[of_shape % G_N_ELEMENTS (samples)];
  const guint size = of_shape / G_N_ELEMENTS (samples);
  const gint pixel_stride_bytes = shapes[shape].pixel_stride *
                                  (gint) sample->bytes;

  if (size >= G_N_ELEMENTS (sizes))
    return NULL;

  problem.n_components = shapes[shape].n_components;
  for (guint c = 0; c < problem.n_components; c++)
    problem.components[c] = (GstClComponent){
      .offset_bytes = c * sample->bytes,
      .stride_bytes = sizes[size].width * pixel_stride_bytes,
      .pixel_stride_bytes = pixel_stride_bytes,
      .width = sizes[size].width,
      .height = sizes[size].height,
      .sample = *sample,
    };

  return &problem;
}

static const gchar *const methods[] = { "auto", "inner", "outer", NULL };

const OpGrid moments_grid = {
  .name = "moments",
  .table = &gst_cl_moments_table,
  .methods = methods,
  .get_problem = get_problem,
};

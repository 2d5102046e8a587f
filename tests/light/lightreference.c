/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of the numbers of light, in the simplest code. */

#include "lightreference.h"

#include "harness/harness.h"

/* The arguments of the functions below. */
typedef struct {
  const GstClLightProblem *problem;
  const guint8 *const *bytes;
  const GstClPictureInput *input;
} Picture;

static gint
code_at (const Picture *self, guint c, gint x, gint y)
{
  const GstClComponent *component = &self->input->components[c];

  x = MIN (x, component->width - 1);
  y = MIN (y, component->height - 1);

  return (gint) test_code_at (self->bytes[c], component, x, y);
}

/* Sets @values to R, G, B and Y of a pixel. */
static void
get_values (const Picture *self, gint x, gint y, gint values[4])
{
  const GstClLightProblem *problem = self->problem;
  const guint x_shift = problem->picture.x_shift,
              y_shift = problem->picture.y_shift;
  gint row = y >> y_shift, codes[3] = { code_at (self, 0, x, y) };
  gint weights[3];

  /* the rows of chroma of a field alternate with those of the other */
  if (self->input->is_interlaced && y_shift > 0)
    row = 2 * ((y / 2) >> y_shift) + y % 2;
  for (guint c = 1; c < problem->picture.n_components; c++)
    codes[c] = code_at (self, c, x >> x_shift, row);
  gst_cl_rgb_of_codes (&problem->picture.matrix, codes, values);
  values[3] = codes[0];
  if (problem->picture.matrix.kind == GST_CL_RGB_RGB) {
    gst_cl_rgb_round_weights (problem->weights, GST_CL_RGB_ONE, weights);
    values[3] = (codes[0] * weights[0] + codes[1] * weights[1] +
                    codes[2] * weights[2] + GST_CL_RGB_ONE / 2) /
                GST_CL_RGB_ONE;
  }
}

/* Returns 64 times the filtered value @c of a pixel. */
static gint
filter (const Picture *self, gint x, gint y, guint c)
{
  static const gint across[] = { 1, 2, 3, 4, 3, 2, 1 }, down[] = { 1, 2, 1 };
  const GstClComponent *first = &self->input->components[0];
  const gint step = self->input->is_interlaced ? 2 : 1;
  const gint last_y = first->height - 1 - (first->height - 1 - y % step) % step;
  gint sum = 0;

  for (gint j = -1; j <= 1; j++) {
    for (gint i = -3; i <= 3; i++) {
      gint values[4];

      get_values (self, CLAMP (x + i, 0, first->width - 1),
          CLAMP (y + j * step, y % step, last_y), values);
      sum += across[i + 3] * down[j + 1] * values[c];
    }
  }

  return sum;
}

void
ref_light (const GstClLightProblem *problem, const guint8 *const *bytes,
    const GstClPictureInput *input, guint32 *histogram,
    GstClLightCounts *counts)
{
  const Picture self = { problem, bytes, input };
  const GstClComponent *first = &input->components[0];
  const gint n_codes = 1 << problem->picture.shapes[0].sample.depth;

  *counts = (GstClLightCounts){
    .n_pixels = (guint64) first->width * first->height,
    .n_codes = (guint) n_codes,
    .histogram = histogram,
  };
  for (gint i = 0; i < n_codes; i++)
    histogram[i] = 0;

  for (gint y = 0; y < first->height; y++) {
    for (gint x = 0; x < first->width; x++) {
      gint values[4], max = 0;

      get_values (&self, x, y, values);
      for (guint c = 0; c < 3; c++) {
        const gint code = CLAMP (values[c], 0, n_codes - 1);

        counts->max[c] = MAX (counts->max[c], (guint32) code);
        max = MAX (max, code);
      }
      histogram[max]++;
      for (guint c = 0; c < GST_CL_LEVELS_N_COMPONENTS; c++) {
        const gint sum = filter (&self, x, y, c);

        counts->n_beyond[c] += sum < 64 * problem->low ||
                               sum > 64 * problem->high;
      }
    }
  }
}

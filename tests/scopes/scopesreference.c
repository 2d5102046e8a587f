/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of the numbers of scopes, in the simplest code. */

#include "scopesreference.h"

#include "harness/harness.h"

#include <string.h>

static gint
code_at (const guint8 *const *bytes, const GstClPictureInput *input, guint c,
    gint x, gint y)
{
  const GstClComponent *component = &input->components[c];

  x = MIN (x, component->width - 1);
  y = MIN (y, component->height - 1);

  return (gint) test_code_at (bytes[c], component, x, y);
}

/* Sets @rgb to those of a pixel. */
static void
get_rgb (const GstClScopesProblem *problem, const guint8 *const *bytes,
    const GstClPictureInput *input, gint x, gint y, gint rgb[3])
{
  gint row = y >> problem->picture.y_shift, codes[3];

  /* the rows of chroma of a field alternate with those of the other */
  if (input->is_interlaced && problem->picture.y_shift > 0)
    row = 2 * ((y / 2) >> problem->picture.y_shift) + y % 2;
  codes[0] = code_at (bytes, input, 0, x, y);
  for (guint c = 1; c < problem->picture.n_components; c++)
    codes[c] = code_at (bytes, input, c, x >> problem->picture.x_shift, row);
  gst_cl_rgb_of_codes (&problem->picture.matrix, codes, rgb);
}

/* Returns Y, U or V of a pixel of RGB. */
static gint
get_yuv (const GstClScopesProblem *problem, const guint8 *const *bytes,
    const GstClPictureInput *input, guint i, gint x, gint y)
{
  const gint max = (1 << problem->picture.shapes[0].sample.depth) - 1;
  gint rgb[3];

  get_rgb (problem, bytes, input, x, y, rgb);

  return CLAMP (gst_cl_yuv_of_rgb (&problem->yuv, rgb, i), 0, max);
}

/* Returns the code of waveform @trace at a pixel or a sample. */
static gint
value_at (const GstClScopesProblem *problem, const guint8 *const *bytes,
    const GstClPictureInput *input, guint trace, gint x, gint y)
{
  const gint max = (1 << problem->picture.shapes[0].sample.depth) - 1;
  gint rgb[3];

  if (problem->source == GST_CL_SCOPES_LUMA &&
      problem->picture.matrix.kind == GST_CL_RGB_RGB)
    return get_yuv (problem, bytes, input, 0, x, y);
  if (problem->source != GST_CL_SCOPES_RGB)
    return code_at (bytes, input, trace, x, y);

  get_rgb (problem, bytes, input, x, y, rgb);

  return CLAMP (rgb[trace], 0, max);
}

static guint32 *
count_waveform (const GstClScopesProblem *problem, const guint8 *const *bytes,
    const GstClPictureInput *input, guint trace, guint32 *words)
{
  const gboolean is_of_pixels = problem->source != GST_CL_SCOPES_COMPONENTS;
  const GstClComponent *component = &input
                                         ->components[is_of_pixels ? 0 : trace];
  const guint n_bins = problem->waveform_bins;
  const guint n_columns = (guint) component->width;

  memset (words, 0, (gsize) n_bins * n_columns * sizeof *words);
  for (gint y = 0; y < component->height; y++) {
    for (gint x = 0; x < component->width; x++) {
      const guint code = (guint) value_at (problem, bytes, input, trace, x, y);
      const guint bin = code * n_bins / (1u << component->sample.depth);

      if (problem->has_rows_of_bins)
        words[bin * n_columns + (guint) x]++;
      else
        words[(guint) x * n_bins + bin]++;
    }
  }

  return words + (gsize) n_bins * n_columns;
}

gsize
ref_scopes (const GstClScopesProblem *problem, const guint8 *const *bytes,
    const GstClPictureInput *input, guint32 *words)
{
  const guint n_bins = problem->vectorscope_bins;
  const guint n_codes = 1u << problem->picture.shapes[0].sample.depth;
  const gboolean is_rgb = problem->picture.matrix.kind == GST_CL_RGB_RGB;
  guint32 *next = words;

  for (guint i = 0; i < problem->n_waveforms; i++)
    next = count_waveform (problem, bytes, input, i, next);
  if (n_bins == 0)
    return next - words;

  memset (next, 0, (gsize) n_bins * n_bins * sizeof *next);
  for (gint y = 0; y < input->components[1].height; y++) {
    for (gint x = 0; x < input->components[1].width; x++) {
      const guint u = (guint) (is_rgb ? get_yuv (problem, bytes, input, 1, x, y)
                                      : code_at (bytes, input, 1, x, y));
      const guint v = (guint) (is_rgb ? get_yuv (problem, bytes, input, 2, x, y)
                                      : code_at (bytes, input, 2, x, y));

      next[v * n_bins / n_codes * n_bins + u * n_bins / n_codes]++;
    }
  }

  return next + (gsize) n_bins * n_bins - words;
}

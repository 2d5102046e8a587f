/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scalar reference of the op xpsnr, of pictures in memory. */

#include "xpsnrcomponents.h"

#include "harness/harness.h"

static RefXpsnrPlane
read_plane (const guint8 *bytes, const GstClComponent *component)
{
  guint16 *codes = g_new (guint16, component->width * component->height);
  guint16 *next = codes;

  for (gint y = 0; y < component->height; y++) {
    for (gint x = 0; x < component->width; x++)
      *next++ = (guint16) test_code_at (bytes, component, x, y);
  }

  return (RefXpsnrPlane){ component->width, component->height, codes };
}

GstClXpsnrBlock *
ref_xpsnr_measure_components (RefXpsnr *self, const GstClXpsnrProblem *problem,
    const RefXpsnrPicture *original, const RefXpsnrPicture *compared,
    guint *n_blocks)
{
  const guint n = problem->picture.n_components;
  const RefXpsnrSettings settings = { problem->picture.shapes[0].sample.depth,
    problem->order, problem->is_large };
  const GstClXpsnrGrid grid = gst_cl_xpsnr_grid (
      (guint) original->components[0].width,
      (guint) original->components[0].height);
  RefXpsnrPlane planes[2][GST_CL_XPSNR_COMPONENTS];
  GstClXpsnrBlock *blocks;

  *n_blocks = grid.columns * grid.rows;
  blocks = g_new (GstClXpsnrBlock, *n_blocks);
  for (guint c = 0; c < n; c++) {
    planes[0][c] = read_plane (original->bytes[c], &original->components[c]);
    planes[1][c] = read_plane (compared->bytes[c], &compared->components[c]);
  }
  ref_xpsnr_measure (self, planes[0], planes[1], n, &settings, blocks);
  for (guint c = 0; c < n; c++) {
    g_free ((gpointer) planes[0][c].codes);
    g_free ((gpointer) planes[1][c].codes);
  }

  return blocks;
}

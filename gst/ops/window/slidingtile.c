/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tiles of windows that slide, on GPUs. */

#include "slidingtile.h"

#define TILE_COLUMNS (4 * GST_CL_TILE_LANES)
#define LEAD         3 /* columns of a tile before its first window, at most */

/* bits of tile.w in the kernels */
#define SOURCE_QUADS 1
#define RESULT_QUADS 2

/* TRUE if every fourth sample of a component can be loaded, or stored, with the
 * three after it at once. */
static gboolean
has_quads (const GstClSampleType *sample, gint pixel_stride_bytes,
    const GstClComponent *component)
{
  const gint quad_bytes = 4 * (gint) sample->bytes;

  return pixel_stride_bytes == (gint) sample->bytes &&
         component->offset_bytes % quad_bytes == 0 &&
         component->stride_bytes % quad_bytes == 0;
}

static gint
tile_lead (const GstClWindow *window)
{
  const gint anchor = window->border == GST_CL_BORDER_VALID ? 0
                                                            : window->anchor_x;

  return window->step_x % 4 == 0 ? -anchor & 3 : LEAD;
}

gint
gst_cl_sliding_tile_results (const GstClWindow *window, gint n_results)
{
  const gint starts = TILE_COLUMNS - tile_lead (window) - window->kernel_width;
  const gint most = starts / window->step_x + 1;
  const gint unit = window->step_x == 1 ? 4 : 1; /* whole quads of results */
  gint n = most / unit * unit;

  n = (n_results - 1) / ((n_results - 1) / n + 1) + 1;

  return (n + unit - 1) / unit * unit;
}

cl_int4
gst_cl_sliding_tile (const GstClSampleType *sample, const GstClWindow *window,
    gint n_results, const GstClComponent *src, gint src_pixel_stride_bytes,
    const GstClComponent *dst, gint dst_pixel_stride_bytes)
{
  const gint bytes = (gint) sample->bytes;
  gint quads = 0;

  if (has_quads (sample, src_pixel_stride_bytes, src))
    quads |= SOURCE_QUADS;
  if (has_quads (sample, dst_pixel_stride_bytes, dst) && window->step_x == 1)
    quads |= RESULT_QUADS;

  return (cl_int4){ .s = { gst_cl_sliding_tile_results (window, n_results),
                        src_pixel_stride_bytes / bytes,
                        dst_pixel_stride_bytes / bytes, quads } };
}

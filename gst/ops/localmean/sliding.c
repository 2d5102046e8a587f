/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bands of rows for sliding windows, and their scratch memory. */

#include "localmeanprivate.h"

#include "cl/memory/gstclbuffer.h"

/* More bands than cores, so that no core waits long for the last one; but the
 * rows around a band are summed again for it, and must not outnumber its own
 * rows. */
#define BANDS_PER_CORE    8
#define MIN_ROWS_PER_BAND 16

#define ROWS_OF_SCRATCH   10
#define SPARE_ELEMENTS    64
#define BYTES_PER_ELEMENT 4

/* Returns a number of bands with at least MIN_ROWS_PER_BAND rows of the frame
 * and, unless a core would have none, at least the window's height; the same
 * number for each core. */
gint
gst_cl_sliding_bands (const GstClDevice *device,
    const GstClLocalMeanProblem *problem, guint percent)
{
  const GstClWindow *window = &problem->window;
  const gint n_cores = MAX ((gint) device->compute_units, 1);
  const gint most_of_frame = CLAMP (problem->height / MIN_ROWS_PER_BAND, 1,
      (gint) device->compute_units * BANDS_PER_CORE);
  gint n_columns, n_rows, most, tall, n;

  gst_cl_local_mean_result_size (problem, &n_columns, &n_rows);
  most = CLAMP (n_rows / MAX (MIN_ROWS_PER_BAND / window->step_y, 1), 1,
      most_of_frame);
  tall = n_rows / MAX (window->kernel_height / window->step_y, 1);
  n = CLAMP (tall, MIN (n_cores, most), most);
  if (n > n_cores)
    n -= n % n_cores;

  return percent ? CLAMP (n * (gint) percent / 100, 1, n_rows) : n;
}

cl_mem
gst_cl_sliding_scratch (GstClContext *context, gint width, gint widest_window,
    gint n_bands, gint *row_length, GError **error)
{
  *row_length = (width + widest_window + SPARE_ELEMENTS + 15) / 16 * 16;

  return gst_cl_buffer_new (context,
      (gsize) n_bands * ROWS_OF_SCRATCH * *row_length * BYTES_PER_ELEMENT,
      error);
}

/* --- tiles on GPUs -------------------------------------------------------- */

#define TILE_COLUMNS (4 * GST_CL_TILE_LANES)
#define LEAD         3 /* most columns of a tile before its first window */

/* bits of tile.w in the kernels */
#define SOURCE_QUADS 1
#define RESULT_QUADS 2

/* Returns TRUE if every fourth sample of a component can be loaded, or stored,
 * together with the three samples after it. */
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
gst_cl_sliding_tile (const GstClLocalMeanProblem *problem, gint n_results,
    const GstClComponent *src, const GstClComponent *dst)
{
  const GstClWindow *window = &problem->window;
  const gint bytes = (gint) problem->sample.bytes;
  gint quads = 0;

  if (has_quads (&problem->sample, problem->src_pixel_stride_bytes, src))
    quads |= SOURCE_QUADS;
  if (has_quads (&problem->sample, problem->dst_pixel_stride_bytes, dst) &&
      window->step_x == 1)
    quads |= RESULT_QUADS;

  return (cl_int4){ .s = { gst_cl_sliding_tile_results (window, n_results),
                        problem->src_pixel_stride_bytes / bytes,
                        problem->dst_pixel_stride_bytes / bytes, quads } };
}

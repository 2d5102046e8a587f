/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bands of rows that windows slide down, and their scratch memory. */

#include "slidingbands.h"

#include "cl/memory/gstclbuffer.h"

/* More bands than cores, so that none waits long for the last; but the rows
 * around a band are summed up once more for it, which must not outweigh its
 * own. */
#define BANDS_PER_CORE    8
#define MIN_ROWS_PER_BAND 16

#define ROWS_OF_SCRATCH   8
#define SPARE_ELEMENTS    64
#define BYTES_PER_ELEMENT 4

/* Bands of at least MIN_ROWS_PER_BAND rows of the frame and, where that leaves
 * no core without one, of at least the window's height; the same number for
 * each core. */
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Local means by their definition, sample by sample. */

#include "localmeanreference.h"

/* Returns whether the window around position @at covers only whole samples of
 * the frame, along one axis. */
static gboolean
is_whole (gint at, gint anchor, gint kernel, gint size)
{
  return at - anchor >= 0 && at - anchor + kernel <= size;
}

static gboolean
is_valid (const GstClWindow *window)
{
  return window->border == GST_CL_BORDER_VALID;
}

/* Returns the sample of the first result: with VALID the first one whose window
 * is whole. */
static gint
first_position (gboolean valid, gint anchor)
{
  return valid ? anchor : 0;
}

static gint
count_results (gboolean valid, gint size, gint kernel, gint anchor, gint step)
{
  gint n = 0;

  for (gint at = first_position (valid, anchor); at < size; at += step) {
    if (!valid || is_whole (at, anchor, kernel, size))
      n++;
  }

  return n;
}

void
ref_local_mean_size (gint width, gint height, const GstClWindow *window,
    gint *results_width, gint *results_height)
{
  *results_width = count_results (is_valid (window), width,
      window->kernel_width, window->anchor_x, window->step_x);
  *results_height = count_results (is_valid (window), height,
      window->kernel_height, window->anchor_y, window->step_y);
}

static guint16
mean (guint64 sum, guint64 n, guint sum_bytes, guint max_code)
{
  g_assert (n > 0);
  if (sum_bytes == 4)
    sum &= G_MAXUINT32;

  return (guint16) MIN ((sum + n / 2) / n, max_code);
}

/* Follows the mirroring or repetition of the border from @at, step by step, to
 * a sample of the frame. */
static gint
walk_inside (GstClBorder border, gint at, gint size)
{
  while (at < 0 || at >= size) {
    switch (border) {
      case GST_CL_BORDER_REFLECT:
        at = at < 0 ? -1 - at : 2 * size - 1 - at;
        break;
      case GST_CL_BORDER_REFLECT_101:
        if (size == 1)
          return 0;
        at = at < 0 ? -at : 2 * size - 2 - at;
        break;
      case GST_CL_BORDER_WRAP:
        at += at < 0 ? size : -size;
        break;
      default:
        at = at < 0 ? 0 : size - 1;
        break;
    }
  }

  return at;
}

/* Returns the sample at (x, y) of the infinite plane around the frame; FALSE if
 * there is none. */
static gboolean
sample_at (const guint32 *samples, gint width, gint height,
    const GstClWindow *window, gint x, gint y, guint32 *sample)
{
  const gint inside_x = walk_inside (window->border, x, width);
  const gint inside_y = walk_inside (window->border, y, height);
  const gboolean is_outside = inside_x != x || inside_y != y;

  *sample = samples[(gsize) inside_y * width + inside_x];
  if (is_outside && window->border == GST_CL_BORDER_CONSTANT)
    *sample = window->border_value;

  return !is_outside || (window->border != GST_CL_BORDER_SHRINK &&
                            window->border != GST_CL_BORDER_VALID);
}

void
ref_local_mean_moments (const guint32 *samples, gint width, gint height,
    const GstClWindow *window, gint i, gint j, RefMoments *moments)
{
  const gint left = first_position (is_valid (window), window->anchor_x) +
                    i * window->step_x - window->anchor_x;
  const gint top = first_position (is_valid (window), window->anchor_y) +
                   j * window->step_y - window->anchor_y;
  guint32 sample;

  *moments = (RefMoments){ 0 };
  for (gint y = top; y < top + window->kernel_height; y++) {
    for (gint x = left; x < left + window->kernel_width; x++) {
      if (sample_at (samples, width, height, window, x, y, &sample)) {
        moments->sum += sample;
        moments->squares += (guint64) sample * sample;
        moments->n++;
      }
    }
  }
}

guint16 *
ref_local_mean (const guint32 *samples, gint width, gint height,
    const GstClWindow *window, guint sum_bytes, guint max_code)
{
  gint results_width, results_height;
  guint16 *results, *next;
  RefMoments moments;

  ref_local_mean_size (width, height, window, &results_width, &results_height);
  next = results = g_new (guint16, (gsize) results_width * results_height);

  for (gint j = 0; j < results_height; j++) {
    for (gint i = 0; i < results_width; i++) {
      ref_local_mean_moments (samples, width, height, window, i, j, &moments);
      *next++ = mean (moments.sum, moments.n, sum_bytes, max_code);
    }
  }

  return results;
}

/* Sums and counts over the frame and its surroundings, within reach of a
 * window; each with a row and a column of zeros before. */
typedef struct {
  gint left, top; /* first column and row, relative to the frame */
  gsize stride;   /* elements of a row */
  guint64 *sums, *counts;
} Padded;

static Padded
padded_sums (const guint32 *samples, gint width, gint height,
    const GstClWindow *window)
{
  const gint columns = width + 2 * window->kernel_width;
  const gint rows = height + 2 * window->kernel_height;
  Padded p = {
    .left = -window->kernel_width,
    .top = -window->kernel_height,
    .stride = (gsize) columns + 1,
  };

  p.sums = g_new0 (guint64, p.stride * (rows + 1));
  p.counts = g_new0 (guint64, p.stride * (rows + 1));

  for (gint y = 0; y < rows; y++) {
    const gsize above = p.stride * y, here = p.stride * (y + 1);
    guint64 row_sum = 0, row_count = 0;

    for (gint x = 0; x < columns; x++) {
      guint32 sample;

      if (sample_at (samples, width, height, window, x + p.left, y + p.top,
              &sample)) {
        row_sum += sample;
        row_count++;
      }
      p.sums[here + x + 1] = p.sums[above + x + 1] + row_sum;
      p.counts[here + x + 1] = p.counts[above + x + 1] + row_count;
    }
  }

  return p;
}

static guint64
corners (const guint64 *sums, gsize stride, gsize x, gsize y,
    const GstClWindow *window)
{
  const guint64 *top = sums + y * stride + x;
  const guint64 *bottom = top + window->kernel_height * stride;
  const gint right = window->kernel_width;

  return bottom[right] - bottom[0] - top[right] + top[0];
}

guint16 *
ref_local_mean_fast (const guint32 *samples, gint width, gint height,
    const GstClWindow *window, guint sum_bytes, guint max_code)
{
  const gint start_x = first_position (is_valid (window), window->anchor_x);
  const gint start_y = first_position (is_valid (window), window->anchor_y);
  Padded p = padded_sums (samples, width, height, window);
  gint results_width, results_height;
  guint16 *results, *next;

  ref_local_mean_size (width, height, window, &results_width, &results_height);
  next = results = g_new (guint16, (gsize) results_width * results_height);

  for (gint j = 0; j < results_height; j++) {
    const gint y = start_y + j * window->step_y - window->anchor_y - p.top;

    for (gint i = 0; i < results_width; i++) {
      const gint x = start_x + i * window->step_x - window->anchor_x - p.left;

      *next++ = mean (corners (p.sums, p.stride, x, y, window),
          corners (p.counts, p.stride, x, y, window), sum_bytes, max_code);
    }
  }

  g_free (p.sums);
  g_free (p.counts);

  return results;
}

guint16 *
ref_local_mean_copy (const guint32 *samples, gint width, gint height,
    const GstClWindow *window)
{
  const gint start_x = first_position (is_valid (window), window->anchor_x);
  const gint start_y = first_position (is_valid (window), window->anchor_y);
  gint results_width, results_height;
  guint16 *results, *next;

  ref_local_mean_size (width, height, window, &results_width, &results_height);
  next = results = g_new (guint16, (gsize) results_width * results_height);

  for (gint j = 0; j < results_height; j++) {
    const guint32 *row = samples +
                         (gsize) (start_y + j * window->step_y) * width;

    for (gint i = 0; i < results_width; i++)
      *next++ = (guint16) row[start_x + i * window->step_x];
  }

  return results;
}

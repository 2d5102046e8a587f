/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XPSNR: from the integers of blocks to dB. */

#include "gstclxpsnr.h"

#include <math.h>

#define UHD_SAMPLES   (3840.0 * 2160.0) /* with blocks of 128 x 128 samples */
#define LARGE_SAMPLES (2048 * 1152)
#define SMALL_SAMPLES (640 * 480) /* pictures up to here smooth their weights */
#define LARGE_EDGE    2           /* samples of the edge without activity */
#define LARGE_MIN     12          /* narrower blocks have no spatial activity */
#define TEMPORAL      2           /* the weight of temporal activity */

static guint64
count_samples (guint width, guint height)
{
  return (guint64) width * height;
}

gboolean
gst_cl_xpsnr_is_large (guint width, guint height)
{
  return count_samples (width, height) > LARGE_SAMPLES;
}

guint
gst_cl_xpsnr_order (gint rate_numerator, gint rate_denominator)
{
  if (rate_denominator <= 0)
    return 1;

  return rate_numerator / rate_denominator < 32 ? 1 : 2;
}

GstClXpsnrGrid
gst_cl_xpsnr_grid (guint width, guint height)
{
  const gdouble ratio = (gdouble) count_samples (width, height) / UHD_SAMPLES;
  const guint size = 4 * (guint) (32 * sqrt (ratio) + 0.5);

  if (size == 0)
    return (GstClXpsnrGrid){ 0, 1, 1 };

  return (GstClXpsnrGrid){ size, (width + size - 1) / size,
    (height + size - 1) / size };
}

gsize
gst_cl_xpsnr_most_blocks (guint width, guint height)
{
  /* Blocks of 4 k x 4 k samples have pictures of less than 8100 (k + 1/2)^2
   * samples: w h / (4 k)^2 < 507 (1 + 1 / (2 k))^2 < 1141. Columns and rows are
   * rounded up. */
  return 1142 + ((gsize) width + height) / 4;
}

/* --- weights -------------------------------------------------------------- */

/* Samples of a block in one direction: all, and those with spatial activity. */
typedef struct {
  gint all, active;
} Extent;

/* @i: of @n blocks of @size samples in a row, or a column, of @length. */
static Extent
get_extent (guint i, guint n, guint size, guint length, gint edge)
{
  const gint all = (gint) (i + 1 < n ? size : length - i * size);

  return (Extent){ all, all - (i == 0 ? edge : 0) - (i + 1 == n ? edge : 0) };
}

static gdouble
weigh (const GstClXpsnrBlock *block, Extent x, Extent y, guint depth,
    gboolean is_narrow)
{
  const gdouble least = 1 << (depth - 6); /* the gain of the high-pass */
  gdouble activity = 0;

  if (x.active <= 0 || y.active <= 0)
    return 1;

  if (!is_narrow)
    activity = (gdouble) block->spatial /
               ((gdouble) x.active * (gdouble) y.active);
  activity += (gdouble) (block->temporal * TEMPORAL) /
              ((gdouble) x.all * (gdouble) y.all);

  return 1 / MAX (activity, least);
}

/* Lowers each weight, in row order, to the greatest of its neighbours: left,
 * right and above. As in the filter, the weight of a block without neighbours
 * becomes 0, except that of the last block: it stays as it is, unless block
 * i - columns - 1 exists. */
static void
smooth (gdouble *weights, const GstClXpsnrGrid *grid)
{
  const guint n = grid->columns * grid->rows;

  for (guint i = 0; i < n; i++) {
    const guint column = i % grid->columns;
    gdouble limit = 0;

    if (i == n - 1 && i <= grid->columns)
      break;
    if (column > 0)
      limit = weights[i - 1];
    if (column + 1 < grid->columns)
      limit = MAX (limit, weights[i + 1]);
    if (i >= grid->columns)
      limit = MAX (limit, weights[i - grid->columns]);
    weights[i] = MIN (weights[i], limit);
  }
}

/* Transfer full. */
static gdouble *
new_weights (const GstClXpsnrPicture *picture, const GstClXpsnrGrid *grid,
    const GstClXpsnrBlock *blocks)
{
  const guint width = picture->widths[0], height = picture->heights[0];
  const gboolean is_large = gst_cl_xpsnr_is_large (width, height);
  const gint edge = is_large ? LARGE_EDGE : 1;
  gdouble *weights = g_new (gdouble, (gsize) grid->columns * grid->rows);

  for (guint row = 0; row < grid->rows; row++) {
    const Extent y = get_extent (row, grid->rows, grid->size, height, edge);

    for (guint column = 0; column < grid->columns; column++) {
      const Extent x = get_extent (column, grid->columns, grid->size, width,
          edge);
      const guint i = row * grid->columns + column;
      /* the filter measures from the block's own first column on */
      const gint end = x.active + (column == 0 ? edge : 0);

      weights[i] = weigh (&blocks[i], x, y, picture->depth,
          is_large && end <= LARGE_MIN);
    }
  }
  if (count_samples (width, height) <= SMALL_SAMPLES)
    smooth (weights, grid);

  return weights;
}

/* --- sums and levels ------------------------------------------------------ */

/* Returns the weight of a picture of usual activity. */
static gdouble
get_picture_weight (const GstClXpsnrPicture *picture)
{
  const gdouble ratio = (gdouble) count_samples (picture->widths[0],
                            picture->heights[0]) /
                        UHD_SAMPLES;

  return sqrt (
      16.0 * (1 << (2 * picture->depth - 9)) / sqrt (MAX (0.00001, ratio)));
}

static guint64
sum_component (const GstClXpsnrPicture *picture, const GstClXpsnrGrid *grid,
    const GstClXpsnrBlock *blocks, const gdouble *weights, guint c)
{
  gdouble sum = 0;

  for (guint i = 0; i < grid->columns * grid->rows; i++) {
    const gdouble weighted = (gdouble) blocks[i].squares[c] * weights[i];

    sum += weighted; /* apart, so that no compiler fuses them */
  }

  return (guint64) (sum * get_picture_weight (picture) + 0.5);
}

void
gst_cl_xpsnr_sums (const GstClXpsnrPicture *picture,
    const GstClXpsnrBlock *blocks, guint64 sums[GST_CL_XPSNR_COMPONENTS])
{
  const GstClXpsnrGrid grid = gst_cl_xpsnr_grid (picture->widths[0],
      picture->heights[0]);
  g_autofree gdouble *weights = NULL;

  if (grid.size > 0)
    weights = new_weights (picture, &grid, blocks);
  for (guint c = 0; c < picture->n_components; c++)
    sums[c] = weights ? sum_component (picture, &grid, blocks, weights, c)
                      : blocks[0].squares[c];
}

/* Returns the XPSNR of a picture whose sum has the square root @root. */
static gdouble
get_xpsnr (const GstClXpsnrPicture *picture, guint c, gdouble root)
{
  const guint64 greatest = (G_GUINT64_CONSTANT (1) << picture->depth) - 1;
  const guint64 limit = count_samples (picture->widths[c],
                            picture->heights[c]) *
                        greatest * greatest;

  return 10.0 * log10 ((gdouble) limit / (root * root));
}

gdouble
gst_cl_xpsnr_of_sum (const GstClXpsnrPicture *picture, guint c, guint64 sum)
{
  return sum > 0 ? get_xpsnr (picture, c, sqrt ((gdouble) sum)) : INFINITY;
}

void
gst_cl_xpsnr_pool_add (GstClXpsnrPool *self, const GstClXpsnrPicture *picture,
    const guint64 sums[GST_CL_XPSNR_COMPONENTS])
{
  self->n_pictures++;
  for (guint c = 0; c < picture->n_components; c++)
    self->roots[c] += (guint64) (sqrt ((gdouble) sums[c]) *
                                     GST_CL_XPSNR_ROOT_ONE +
                                 0.5);
}

gdouble
gst_cl_xpsnr_pool_get (const GstClXpsnrPool *self,
    const GstClXpsnrPicture *picture, guint c)
{
  const gdouble n = (gdouble) self->n_pictures;
  const gdouble root = (gdouble) self->roots[c] / GST_CL_XPSNR_ROOT_ONE / n;

  return n > 0 && root >= 1 ? get_xpsnr (picture, c, root) : INFINITY;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The integers of blocks for XPSNR, in the simplest code. */

#include "xpsnrreference.h"

#include <string.h>

/* A rectangle of samples, without those of @end. */
typedef struct {
  gint x, y, end_x, end_y;
} Area;

static Area
get_area (const GstClXpsnrGrid *grid, guint column, guint row,
    const RefXpsnrPlane *plane, const RefXpsnrPlane *first)
{
  const gint width = (gint) grid->size * plane->width / MAX (first->width, 1);
  const gint height = (gint) grid->size * plane->height /
                      MAX (first->height, 1);
  const gint x = (gint) column * width, y = (gint) row * height;

  if (grid->size == 0)
    return (Area){ 0, 0, plane->width, plane->height };

  return (Area){ x, y, MIN (x + width, plane->width),
    MIN (y + height, plane->height) };
}

static guint64
sum_squares (const RefXpsnrPlane *a, const RefXpsnrPlane *b, const Area *area)
{
  guint64 sum = 0;

  for (gint y = area->y; y < area->end_y; y++) {
    for (gint x = area->x; x < area->end_x; x++) {
      const gint64 error = (gint64) a->codes[y * a->width + x] -
                           b->codes[y * b->width + x];

      sum += (guint64) (error * error);
    }
  }

  return sum;
}

/* Returns a code as activities have it. Beyond the picture, its edge
 * continues. */
static gint
activity_code (const RefXpsnrPlane *plane, gint x, gint y, guint depth)
{
  const guint16 code = plane->codes[MIN (y, plane->height - 1) * plane->width +
                                    MIN (x, plane->width - 1)];

  return depth == 16 ? (gint) (gint16) code : (gint) code;
}

static gint64
weigh_window (const RefXpsnrPlane *plane, gint x, gint y, guint depth,
    gboolean is_large)
{
  static const gint of_sample[3][3] = {
    { -1, -2, -1 },
    { -2, 12, -2 },
    { -1, -2, -1 },
  };
  static const gint of_cell[6][6] = {
    { 0, -1, -1, -1, -1, 0 },
    { -1, -2, -3, -3, -2, -1 },
    { -1, -3, 12, 12, -3, -1 },
    { -1, -3, 12, 12, -3, -1 },
    { -1, -2, -3, -3, -2, -1 },
    { 0, -1, -1, -1, -1, 0 },
  };
  const gint n = is_large ? 6 : 3, reach = is_large ? 2 : 1;
  gint64 sum = 0;

  for (gint j = 0; j < n; j++) {
    for (gint i = 0; i < n; i++)
      sum += (gint64) activity_code (plane, x + i - reach, y + j - reach,
                 depth) *
             (is_large ? of_cell[j][i] : of_sample[j][i]);
  }

  return ABS (sum);
}

static guint64
sum_spatial (const RefXpsnrPlane *plane, const Area *area,
    const RefXpsnrSettings *settings)
{
  const gint edge = settings->is_large ? 2 : 1; /* also the step */
  guint64 sum = 0;

  for (gint y = area->y; y < area->end_y; y += edge) {
    for (gint x = area->x; x < area->end_x; x += edge) {
      if (x >= edge && y >= edge && x < plane->width - edge &&
          y < plane->height - edge)
        sum += (guint64) weigh_window (plane, x, y, settings->depth,
            settings->is_large);
    }
  }

  return sum;
}

/* Returns the change of a sample, or of the sum of a cell of @n x @n. */
static gint64
get_change (const RefXpsnrPlane *plane, const RefXpsnr *self, gint x, gint y,
    gint n, const RefXpsnrSettings *settings)
{
  const guint depth = settings->depth;
  const RefXpsnrPlane last = { self->width, self->height, self->before[0] };
  const RefXpsnrPlane earlier = { self->width, self->height, self->before[1] };
  gint64 sum = 0;

  for (gint j = y; j < y + n; j++) {
    for (gint i = x; i < x + n; i++) {
      if (settings->order == 1)
        sum += activity_code (plane, i, j, depth) -
               activity_code (&last, i, j, depth);
      else
        sum += activity_code (plane, i, j, depth) -
               2 * activity_code (&last, i, j, depth) +
               activity_code (&earlier, i, j, depth);
    }
  }

  return ABS (sum);
}

static guint64
sum_temporal (const RefXpsnrPlane *plane, const RefXpsnr *self,
    const Area *area, const RefXpsnrSettings *settings)
{
  const gint n = settings->is_large ? 2 : 1;
  guint64 sum = 0;

  for (gint y = area->y; y < area->end_y; y += n) {
    for (gint x = area->x; x < area->end_x; x += n)
      sum += (guint64) get_change (plane, self, x, y, n, settings);
  }

  return sum;
}

void
ref_xpsnr_clear (RefXpsnr *self)
{
  g_free (self->before[0]);
  g_free (self->before[1]);
  *self = (RefXpsnr){ 0 };
}

/* Makes room for pictures of the size of @plane. */
static void
prepare (RefXpsnr *self, const RefXpsnrPlane *plane)
{
  const gsize n = (gsize) plane->width * (gsize) plane->height;

  if (self->before[0] && self->width == plane->width &&
      self->height == plane->height)
    return;

  ref_xpsnr_clear (self);
  self->width = plane->width;
  self->height = plane->height;
  self->before[0] = g_new0 (guint16, n);
  self->before[1] = g_new0 (guint16, n);
}

/* @plane becomes the last picture. */
static void
push (RefXpsnr *self, const RefXpsnrPlane *plane)
{
  guint16 *oldest = self->before[1];

  self->before[1] = self->before[0];
  self->before[0] = oldest;
  memcpy (oldest, plane->codes,
      (gsize) plane->width * (gsize) plane->height * sizeof *oldest);
}

void
ref_xpsnr_measure (RefXpsnr *self, const RefXpsnrPlane *original,
    const RefXpsnrPlane *compared, guint n, const RefXpsnrSettings *settings,
    GstClXpsnrBlock *blocks)
{
  const GstClXpsnrGrid grid = gst_cl_xpsnr_grid ((guint) original->width,
      (guint) original->height);

  prepare (self, original);
  for (guint i = 0; i < grid.columns * grid.rows; i++) {
    const guint column = i % grid.columns, row = i / grid.columns;
    const Area area = get_area (&grid, column, row, original, original);

    blocks[i] = (GstClXpsnrBlock){
      .spatial = sum_spatial (original, &area, settings),
      .temporal = sum_temporal (original, self, &area, settings),
    };
    for (guint c = 0; c < n; c++) {
      const Area part = get_area (&grid, column, row, &original[c], original);

      blocks[i].squares[c] = sum_squares (&original[c], &compared[c], &part);
    }
  }
  push (self, original);
}

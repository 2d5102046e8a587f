/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rounds of a reduction in plain code: the expected results of the kernels. */

#include "reductions.h"

#include <string.h>

gsize
reduction_sample_bytes (const ReductionFrame *frame)
{
  return frame->is_float ? sizeof (gfloat) : sizeof (guint8);
}

gsize
reduction_partial_bytes (const ReductionFrame *frame)
{
  return frame->is_float ? sizeof (gfloat) : sizeof (GstClMoments);
}

gsize
reduction_n_partials (ReductionGrid grid)
{
  return (gsize) grid.width * grid.height;
}

ReductionGrid
reduction_after_round (ReductionGrid grid, gint block)
{
  return (ReductionGrid){ (grid.width - 1) / block + 1,
    (grid.height - 1) / block + 1 };
}

/* Position of a block in the grid before the round; ends are exclusive. */
typedef struct {
  gint x, x_end, y, y_end;
} Block;

static Block
find_block (ReductionGrid before, gint block, gint block_x, gint block_y)
{
  return (Block){
    .x = block_x * block,
    .x_end = MIN ((block_x + 1) * block, before.width),
    .y = block_y * block,
    .y_end = MIN ((block_y + 1) * block, before.height),
  };
}

/* --- floats --------------------------------------------------------------- */

/* Row by row. */
static gfloat
sum_outer (const gfloat *in, gint width, const Block *block)
{
  gfloat sum = 0;

  for (gint y = block->y; y < block->y_end; y++) {
    for (gint x = block->x; x < block->x_end; x++)
      sum += in[(gsize) y * width + x];
  }

  return sum;
}

/* Halves each row, then the first column. @square: room for size * size. */
static gfloat
sum_inner (const gfloat *in, gint width, const Block *block, gint size,
    gfloat *square)
{
  memset (square, 0, sizeof *square * size * size);
  for (gint y = block->y; y < block->y_end; y++)
    memcpy (square + (y - block->y) * size, in + (gsize) y * width + block->x,
        sizeof *square * (block->x_end - block->x));

  for (gint reach = size / 2; reach > 0; reach /= 2) {
    for (gint y = 0; y < size; y++) {
      for (gint x = 0; x < reach; x++)
        square[y * size + x] += square[y * size + x + reach];
    }
  }
  for (gint reach = size / 2; reach > 0; reach /= 2) {
    for (gint y = 0; y < reach; y++)
      square[y * size] += square[(y + reach) * size];
  }

  return square[0];
}

static gpointer
reduce_floats (const gfloat *in, ReductionGrid before, gint block,
    gboolean is_outer)
{
  const ReductionGrid after = reduction_after_round (before, block);
  g_autofree gfloat *square = g_new (gfloat, block * block);
  gfloat *out = g_new (gfloat, reduction_n_partials (after));

  for (gint y = 0; y < after.height; y++) {
    for (gint x = 0; x < after.width; x++) {
      const Block place = find_block (before, block, x, y);

      out[(gsize) y * after.width + x] = is_outer ? sum_outer (in, before.width,
                                                        &place)
                                                  : sum_inner (in, before.width,
                                                        &place, block, square);
    }
  }

  return out;
}

/* --- samples of 8 bits, whose order does not matter ----------------------- */

static GstClMoments
moments_of_sample (guint8 sample)
{
  return (
      GstClMoments){ sample, (guint64) sample * sample, 1, sample, sample, 0 };
}

static void
merge (GstClMoments *into, const GstClMoments *from)
{
  into->sum += from->sum;
  into->sum_squares += from->sum_squares;
  into->count += from->count;
  into->min = MIN (into->min, from->min);
  into->max = MAX (into->max, from->max);
}

/* @partials: of the round before; NULL: of @samples. */
static gpointer
reduce_moments (const guint8 *samples, const GstClMoments *partials,
    ReductionGrid before, gint block)
{
  const ReductionGrid after = reduction_after_round (before, block);
  const gsize n_partials = reduction_n_partials (after);
  GstClMoments *out = g_new (GstClMoments, n_partials);

  for (gsize i = 0; i < n_partials; i++)
    out[i] = (GstClMoments){ .min = G_MAXUINT32 };

  for (gint y = 0; y < before.height; y++) {
    for (gint x = 0; x < before.width; x++) {
      const gsize i = (gsize) y * before.width + x;
      const GstClMoments own = partials ? partials[i]
                                        : moments_of_sample (samples[i]);

      merge (&out[(gsize) (y / block) * after.width + x / block], &own);
    }
  }

  return out;
}

gpointer
reduction_reference (const ReductionFrame *frame, gconstpointer partials,
    ReductionGrid before, gint block, gboolean is_outer)
{
  if (frame->is_float)
    return reduce_floats (partials ? partials : frame->samples, before, block,
        is_outer);

  return reduce_moments (frame->samples, partials, before, block);
}

gboolean
reduction_partials_equal (const ReductionFrame *frame, gconstpointer a,
    gconstpointer b, gsize n_partials)
{
  return memcmp (a, b, reduction_partial_bytes (frame) * n_partials) == 0;
}

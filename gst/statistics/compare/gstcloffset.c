/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds a constant shift of a stream against its reference. */

#include "gstcloffset.h"

#include <string.h>

#define MIN_FRAMES 8
#define MAX_FRAMES 120

/* A shift counts if its distance is less than 1 / RATIO of that of no shift,
 * which is at least MIN_DISTANCE: a quarter of a code of a cell, on average. */
#define RATIO        2
#define MIN_DISTANCE (GST_CL_CELL_ONE / 4)

typedef struct {
  guint32 cells[GST_CL_N_CELLS];
} Picture;

struct _GstClOffset {
  guint n_frames;
  guint64 n_added; /* since the last start */
  Picture *references, *compared;
};

GstClOffset *
gst_cl_offset_new (guint n_frames)
{
  GstClOffset *self = g_new0 (GstClOffset, 1);

  self->n_frames = CLAMP (n_frames, MIN_FRAMES, MAX_FRAMES);
  self->references = g_new (Picture, self->n_frames);
  self->compared = g_new (Picture, self->n_frames);

  return self;
}

void
gst_cl_offset_free (GstClOffset *self)
{
  if (!self)
    return;

  g_free (self->references);
  g_free (self->compared);
  g_free (self);
}

void
gst_cl_offset_forget (GstClOffset *self)
{
  self->n_added = 0;
}

static guint64
get_distance (const Picture *a, const Picture *b)
{
  guint64 sum = 0;

  for (guint i = 0; i < GST_CL_N_CELLS; i++)
    sum += a->cells[i] > b->cells[i] ? a->cells[i] - b->cells[i]
                                     : b->cells[i] - a->cells[i];

  return sum;
}

/* Returns the mean distance of a cell if the compared pictures are @shift
 * frames late, in 1 / 256 of a unit. */
static guint64
get_distance_of_shift (const GstClOffset *self, gint shift)
{
  const guint n = self->n_frames;
  const guint64 oldest = self->n_added - n;
  guint64 sum = 0, n_pairs = 0;

  for (guint i = 0; i < n; i++) {
    const gint k = (gint) i + shift;

    if (k < 0 || k >= (gint) n)
      continue;
    sum += get_distance (&self->references[(oldest + i) % n],
        &self->compared[(oldest + (guint) k) % n]);
    n_pairs++;
  }

  return sum * 256 / (n_pairs * GST_CL_N_CELLS);
}

static gint
find_offset (const GstClOffset *self)
{
  const gint reach = (gint) self->n_frames / 2;
  const guint64 unshifted = get_distance_of_shift (self, 0);
  guint64 least = unshifted;
  gint offset = 0;

  if (unshifted < MIN_DISTANCE * 256)
    return 0;

  for (gint shift = -reach; shift <= reach; shift++) {
    const guint64 distance = get_distance_of_shift (self, shift);

    if (distance < least || (distance == least && ABS (shift) < ABS (offset))) {
      least = distance;
      offset = shift;
    }
  }

  return least * RATIO < unshifted ? offset : 0;
}

gboolean
gst_cl_offset_add (GstClOffset *self, const guint32 *reference,
    const guint32 *compared, gint *offset)
{
  const guint64 i = self->n_added % self->n_frames;

  memcpy (self->references[i].cells, reference, sizeof (Picture));
  memcpy (self->compared[i].cells, compared, sizeof (Picture));
  self->n_added++;
  if (self->n_added < self->n_frames ||
      (self->n_added - self->n_frames) % (self->n_frames / 2) != 0)
    return FALSE;

  *offset = find_offset (self);

  return TRUE;
}

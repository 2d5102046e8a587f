/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The field order, with the thresholds and the history of FFmpeg's idet. */

#include "gstclfields.h"

#include <string.h>

/* FFmpeg multiplies and compares floats, which matters close to a threshold. */
#define INTERLACED_RATIO  1.04f
#define PROGRESSIVE_RATIO 1.5f
#define REPEATED_RATIO    3.0f

/* The number of decisions in a row that change an earlier one. */
#define MIN_MATCHES 3

/* The least contrast of a frame that repeats a field in a cadence, and the
 * greatest contrast of other frames as share of it. */
#define MIN_CONTRAST 0.15
#define MAX_OTHERS   0.67

static const gchar *const type_names[] = {
  [GST_CL_FIELDS_UNDETERMINED] = "undetermined",
  [GST_CL_FIELDS_TFF] = "tff",
  [GST_CL_FIELDS_BFF] = "bff",
  [GST_CL_FIELDS_PROGRESSIVE] = "progressive",
};

static const gchar *const order_names[] = {
  [GST_CL_FIELDS_UNDETERMINED] = "unknown",
  [GST_CL_FIELDS_TFF] = "top",
  [GST_CL_FIELDS_BFF] = "bottom",
  [GST_CL_FIELDS_PROGRESSIVE] = "progressive",
};

static const gchar *const cadence_names[] = {
  [GST_CL_CADENCE_UNKNOWN] = "unknown",
  [GST_CL_CADENCE_NONE] = "none",
  [GST_CL_CADENCE_2_2] = "2:2",
  [GST_CL_CADENCE_2_3] = "2:3",
  [GST_CL_CADENCE_BROKEN] = "broken",
};

static const gchar *const repeat_names[] = {
  [GST_CL_FIELDS_NEITHER] = "neither",
  [GST_CL_FIELDS_TOP] = "top",
  [GST_CL_FIELDS_BOTTOM] = "bottom",
};

/* --- decisions ------------------------------------------------------------ */

static gboolean
exceeds (guint64 a, gfloat ratio, guint64 b)
{
  const gfloat limit = ratio * (gfloat) b;

  return (gfloat) a > limit;
}

/* @after: the sums of the frame after @sums that are in fields_current. */
static GstClFieldsType
decide_type (const GstClSeriesFieldSums *sums, const guint64 *after)
{
  /* weaving a field of a neighbour into this frame costs less if both fields
   * are of about the same time */
  const guint64 top = sums->previous[0] + after[1];
  const guint64 bottom = sums->previous[1] + after[0];

  if (exceeds (top, INTERLACED_RATIO, bottom))
    return GST_CL_FIELDS_TFF;
  if (exceeds (bottom, INTERLACED_RATIO, top))
    return GST_CL_FIELDS_BFF;

  return exceeds (bottom, PROGRESSIVE_RATIO, sums->own[0] + sums->own[1])
             ? GST_CL_FIELDS_PROGRESSIVE
             : GST_CL_FIELDS_UNDETERMINED;
}

static GstClFieldsRepeat
decide_repeat (const GstClSeriesFieldSums *sums)
{
  if (exceeds (sums->change[1], REPEATED_RATIO, sums->change[0]))
    return GST_CL_FIELDS_TOP;

  return exceeds (sums->change[0], REPEATED_RATIO, sums->change[1])
             ? GST_CL_FIELDS_BOTTOM
             : GST_CL_FIELDS_NEITHER;
}

/* Returns the latest decision in the history that is not undetermined, and sets
 * the number of decisions that agree; 0 if another differs. */
static GstClFieldsType
find_latest (const GstClFields *self, guint *n_matches)
{
  GstClFieldsType latest = GST_CL_FIELDS_UNDETERMINED;

  *n_matches = 0;
  for (guint i = 0; i < GST_CL_FIELDS_N_HISTORY; i++) {
    const GstClFieldsType type = self->history[i];

    if (type == GST_CL_FIELDS_UNDETERMINED)
      continue;
    if (latest == GST_CL_FIELDS_UNDETERMINED)
      latest = type;
    if (type != latest) {
      *n_matches = 0;
      break;
    }
    (*n_matches)++;
  }

  return latest;
}

GstClFieldsType
gst_cl_fields_order (const GstClFields *self)
{
  for (guint i = 0; i < GST_CL_FIELDS_N_HISTORY; i++) {
    if (self->history[i] != GST_CL_FIELDS_UNDETERMINED)
      return self->multiple;
  }

  return GST_CL_FIELDS_UNDETERMINED;
}

static void
decide (GstClFields *self, const guint64 *after)
{
  GstClFieldsType latest;
  guint n_matches;

  self->single = decide_type (&self->pending, after);
  self->repeated = decide_repeat (&self->pending);
  memmove (self->history + 1, self->history,
      sizeof self->history - sizeof self->history[0]);
  self->history[0] = self->single;

  latest = find_latest (self, &n_matches);
  if (n_matches >=
      (self->multiple == GST_CL_FIELDS_UNDETERMINED ? 1 : MIN_MATCHES))
    self->multiple = latest;

  self->n_frames++;
  self->n_single[self->single]++;
  self->n_multiple[self->multiple]++;
  self->n_repeated[self->repeated]++;
}

/* --- the cadence ---------------------------------------------------------- */

/* Returns the difference of the changes of both fields as share of their sum:
 * -1 if the frame repeats the top field, 1 if it repeats the bottom field.
 * Coding brings it closer to 0. */
static gdouble
get_contrast (const GstClSeriesFieldSums *sums)
{
  const gdouble top = sums->change[0], bottom = sums->change[1];

  return top + bottom > 0.0 ? (top - bottom) / (top + bottom) : 0.0;
}

/* Returns TRUE if in each of the last two cycles the frame @top repeats the top
 * field and the frame @bottom the bottom field, and other frames neither.
 * 0 is the latest frame. */
static gboolean
is_cycle (const GstClFields *self, guint top, guint bottom)
{
  gdouble least = 1.0, most = 0.0;

  for (guint i = 0; i < G_N_ELEMENTS (self->contrasts); i++) {
    const guint phase = i % GST_CL_CADENCE_FRAMES;
    const gdouble contrast = self->contrasts[i];

    if (phase == top)
      least = MIN (least, -contrast);
    else if (phase == bottom)
      least = MIN (least, contrast);
    else
      most = MAX (most, ABS (contrast));
  }

  return least >= MIN_CONTRAST && most <= MAX_OTHERS * least;
}

/* Sets the phase of the last frame if the last two cycles are 2:3. The fields
 * that a cycle repeats are two or three frames apart. */
static gboolean
find_cycle (const GstClFields *self, guint *phase)
{
  if (self->n_contrasts < G_N_ELEMENTS (self->contrasts))
    return FALSE;
  for (guint top = 0; top < GST_CL_CADENCE_FRAMES; top++) {
    for (guint distance = 2; distance <= 3; distance++) {
      if (is_cycle (self, top, (top + distance) % GST_CL_CADENCE_FRAMES)) {
        *phase = top;
        return TRUE;
      }
    }
  }

  return FALSE;
}

static gboolean
has_repeat (const GstClFields *self)
{
  for (guint i = 0; i < self->n_contrasts; i++) {
    if (ABS (self->contrasts[i]) >= MIN_CONTRAST)
      return TRUE;
  }

  return FALSE;
}

static GstClCadence
find_cadence (const GstClFields *self, guint *phase)
{
  const GstClFieldsType tag = self->pending_tag;
  const GstClFieldsType order = gst_cl_fields_order (self);

  if (find_cycle (self, phase))
    return GST_CL_CADENCE_2_3;
  /* two cycles without a repeated field end what was 2:3 */
  if ((self->cadence == GST_CL_CADENCE_2_3 ||
          self->cadence == GST_CL_CADENCE_BROKEN) &&
      has_repeat (self))
    return GST_CL_CADENCE_BROKEN;
  if (order == GST_CL_FIELDS_UNDETERMINED)
    return GST_CL_CADENCE_UNKNOWN;

  return order == GST_CL_FIELDS_PROGRESSIVE &&
                 (tag == GST_CL_FIELDS_TFF || tag == GST_CL_FIELDS_BFF)
             ? GST_CL_CADENCE_2_2
             : GST_CL_CADENCE_NONE;
}

static void
update_cadence (GstClFields *self)
{
  memmove (self->contrasts + 1, self->contrasts,
      sizeof self->contrasts - sizeof self->contrasts[0]);
  self->contrasts[0] = get_contrast (&self->pending);
  self->n_contrasts = MIN (self->n_contrasts + 1,
      G_N_ELEMENTS (self->contrasts));

  self->cadence_phase = 0;
  self->cadence = find_cadence (self, &self->cadence_phase);
}

void
gst_cl_fields_flush (GstClFields *self)
{
  if (self->has_pending)
    decide (self, self->pending.own);
  self->has_pending = FALSE;
}

void
gst_cl_fields_add (GstClFields *self, const GstClSeriesFieldSums *sums,
    GstClFieldsType tag)
{
  if (!sums->has_previous) {
    gst_cl_fields_flush (self);
    self->n_contrasts = 0;
    self->cadence = GST_CL_CADENCE_UNKNOWN;
    self->cadence_phase = 0;
  } else if (self->has_pending) {
    decide (self, sums->current);
    update_cadence (self);
  }
  self->pending = *sums;
  self->pending_tag = tag;
  self->has_pending = TRUE;
}

/* --- results -------------------------------------------------------------- */

const gchar *
gst_cl_fields_order_name (GstClFieldsType order)
{
  return order_names[order];
}

void
gst_cl_fields_add_decisions (const GstClFields *self, GstStructure *structure,
    gboolean has_lavfi)
{
  const gchar *single = type_names[self->single];
  const gchar *multiple = type_names[self->multiple];
  const gchar *repeated = repeat_names[self->repeated];

  gst_structure_set (structure, "field-single", G_TYPE_STRING, single,
      "field-multiple", G_TYPE_STRING, multiple, "field-repeated",
      G_TYPE_STRING, repeated, "field-order", G_TYPE_STRING,
      gst_cl_fields_order_name (gst_cl_fields_order (self)), "cadence",
      G_TYPE_STRING, cadence_names[self->cadence], "cadence-phase", G_TYPE_UINT,
      self->cadence_phase, NULL);
  if (has_lavfi)
    gst_structure_set (structure, "idet.repeated.current_frame", G_TYPE_STRING,
        repeated, "idet.single.current_frame", G_TYPE_STRING, single,
        "idet.multiple.current_frame", G_TYPE_STRING, multiple, NULL);
}

static void
add_counts (GstStructure *structure, const gchar *prefix,
    const gchar *const *names, const guint64 *counts, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree gchar *name = g_strconcat (prefix, names[i], NULL);

    gst_structure_set (structure, name, G_TYPE_UINT64, counts[i], NULL);
  }
}

void
gst_cl_fields_take_counts (GstClFields *self, GstStructure *structure)
{
  if (self->n_frames == 0)
    return;

  add_counts (structure, "field-single-", type_names, self->n_single,
      GST_CL_FIELDS_N_TYPES);
  add_counts (structure, "field-multiple-", type_names, self->n_multiple,
      GST_CL_FIELDS_N_TYPES);
  add_counts (structure, "field-repeated-", repeat_names, self->n_repeated,
      GST_CL_FIELDS_N_REPEATS);
  self->n_frames = 0;
  memset (self->n_single, 0, sizeof self->n_single);
  memset (self->n_multiple, 0, sizeof self->n_multiple);
  memset (self->n_repeated, 0, sizeof self->n_repeated);
}

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

/* Returns TRUE if the last two cycles repeat the same fields: one top and one
 * bottom field each. */
static gboolean
has_cycle (const GstClFields *self)
{
  guint n[GST_CL_FIELDS_N_REPEATS] = { 0 };

  if (self->n_repeats < G_N_ELEMENTS (self->repeats))
    return FALSE;
  for (guint i = 0; i < GST_CL_CADENCE_FRAMES; i++) {
    if (self->repeats[i] != self->repeats[i + GST_CL_CADENCE_FRAMES])
      return FALSE;
    n[self->repeats[i]]++;
  }

  return n[GST_CL_FIELDS_TOP] == 1 && n[GST_CL_FIELDS_BOTTOM] == 1;
}

static gboolean
has_repeat (const GstClFields *self)
{
  for (guint i = 0; i < self->n_repeats; i++) {
    if (self->repeats[i] != GST_CL_FIELDS_NEITHER)
      return TRUE;
  }

  return FALSE;
}

static GstClCadence
find_cadence (const GstClFields *self)
{
  const GstClFieldsType tag = self->pending_tag;
  const GstClFieldsType order = gst_cl_fields_order (self);

  if (has_cycle (self))
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
  memmove (self->repeats + 1, self->repeats,
      sizeof self->repeats - sizeof self->repeats[0]);
  self->repeats[0] = self->repeated;
  self->n_repeats = MIN (self->n_repeats + 1, G_N_ELEMENTS (self->repeats));

  self->cadence = find_cadence (self);
  self->cadence_phase = 0;
  while (self->cadence == GST_CL_CADENCE_2_3 &&
         self->repeats[self->cadence_phase] != GST_CL_FIELDS_TOP)
    self->cadence_phase++;
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
    self->n_repeats = 0;
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

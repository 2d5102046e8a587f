/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The colour range that samples show, and the event range: the caps name the
 * other one. EBU R 103 allows signals of limited range the codes 5 to 246 of 8
 * bits, and ignores 1 % of the samples. */

#include "gstclrange.h"

#include "statistics/series/gstcleventsprivate.h"

/* --- evidence ------------------------------------------------------------- */

/* Parts of the code range. Each begins at a code of 8 bits and ends where the
 * next one begins. */
typedef enum {
  DEEP,       /* below what limited range allows */
  UNDERSHOOT, /* limited range allows it beyond black */
  BLACK,      /* black of limited range */
  DARK,
  MIDDLE,
  BRIGHT,
  WHITE,     /* white of limited range */
  OVERSHOOT, /* limited range allows it beyond white */
  HIGH,      /* above what limited range allows */
  N_PARTS,
} Part;

static const guint begins[] = { 0, 5, 16, 17, 27, 225, 235, 236, 247, 256 };

G_STATIC_ASSERT (G_N_ELEMENTS (begins) == N_PARTS + 1);

/* The divisors of shares of all samples. */
#define EVIDENT   100  /* 1 %: this many samples decide */
#define PEAK      200  /* 0.5 %: clipped samples */
#define TOLERATED 1000 /* 0.1 %: this many samples mean nothing */

/* Adds the samples of each part. A code of more than 8 bits belongs to the
 * nearest code of 8 bits. */
static void
add_parts (guint64 parts[N_PARTS], const guint32 *histogram, guint depth)
{
  const guint shift = depth - 8, n_codes = 1u << depth;
  const guint half = (1u << shift) >> 1;

  for (guint part = 0, code = 0; part < N_PARTS; part++) {
    const guint end = part == N_PARTS - 1 ? n_codes
                                          : (begins[part + 1] << shift) - half;

    for (; code < end; code++)
      parts[part] += histogram[code];
  }
}

/* Returns TRUE if samples were clipped at an end of limited range: there are
 * @peak of them at its last code, at least four times as many as at each of the
 * ten codes inside, which have @inside, and as many as the @outside that
 * coding noise has moved beyond the end. */
static gboolean
is_clipped (guint64 peak, guint64 inside, guint64 outside, guint64 count)
{
  return peak * PEAK >= count && peak * 10 >= 4 * inside && peak >= outside;
}

GstClRangeEvidence
gst_cl_range_find_evidence (const guint32 *const *histograms,
    guint n_components, guint depth)
{
  guint64 parts[N_PARTS] = { 0 }, count = 0;
  gboolean has_deep, has_high;

  for (guint c = 0; c < n_components; c++)
    add_parts (parts, histograms[c], depth);
  for (guint part = 0; part < N_PARTS; part++)
    count += parts[part];
  if (count == 0)
    return GST_CL_RANGE_UNKNOWN;

  has_deep = parts[DEEP] * TOLERATED > count;
  has_high = parts[HIGH] * TOLERATED > count;

  /* Noise around the black of limited range thins out towards 0. Highlights
   * alone decide nothing: cameras record them above white. */
  if (has_deep && 4 * parts[DEEP] >= parts[UNDERSHOOT] &&
      (parts[DEEP] + parts[HIGH]) * EVIDENT >= count)
    return GST_CL_RANGE_FULL;
  if (!has_deep &&
      (is_clipped (parts[BLACK], parts[DARK], parts[UNDERSHOOT], count) ||
          (!has_high && is_clipped (parts[WHITE], parts[BRIGHT],
                            parts[OVERSHOOT], count))))
    return GST_CL_RANGE_LIMITED;

  return GST_CL_RANGE_UNKNOWN;
}

GstClRangeEvidence
gst_cl_range_of_frames (guint64 n_limited, guint64 n_full)
{
  const guint64 least = (n_limited + n_full) / 10;

  if (n_limited > 0 && n_full <= least)
    return GST_CL_RANGE_LIMITED;

  return n_full > 0 && n_limited <= least ? GST_CL_RANGE_FULL
                                          : GST_CL_RANGE_UNKNOWN;
}

const gchar *
gst_cl_range_evidence_name (GstClRangeEvidence evidence)
{
  static const gchar *const names[GST_CL_RANGE_N_EVIDENCES] = {
    [GST_CL_RANGE_UNKNOWN] = "unknown",
    [GST_CL_RANGE_LIMITED] = "limited",
    [GST_CL_RANGE_FULL] = "full",
  };

  return names[evidence];
}

/* --- the event ------------------------------------------------------------ */

typedef struct {
  GstClSpan span;
  GstClockTime last; /* position of the last frame with evidence */
} Range;

/* Sets the shares of samples below and above limited range, of all components
 * that decide. */
static void
find_shares (const GstClSeriesFrame *frame, gdouble shares[2])
{
  const guint shift = frame->depth - 8, n_codes = 1u << frame->depth;
  guint64 below = 0, above = 0, count = 0;

  for (guint c = 0; c < gst_cl_brightness_components (frame); c++) {
    below += gst_cl_count_codes (frame->histograms[c], 0, (16u << shift) - 1);
    above += gst_cl_count_codes (frame->histograms[c], (235u << shift) + 1,
        n_codes - 1);
    count += frame->moments[c].count;
  }
  shares[0] = gst_cl_ratio (below, count);
  shares[1] = gst_cl_ratio (above, count);
}

static void
step (gpointer state, const GstClDetection *detection, const GstClInstant *at,
    const GstClSeriesFrame *frame)
{
  Range *self = state;
  const GstClockTime min_duration = detection->settings->range_min_duration;
  const GstClRangeEvidence evidence = gst_cl_range_find_evidence (
      frame->histograms, gst_cl_brightness_components (frame), frame->depth);
  const gboolean contradicts = evidence == (frame->is_full_range
                                                   ? GST_CL_RANGE_LIMITED
                                                   : GST_CL_RANGE_FULL);
  gdouble shares[2];

  /* single frames far apart are no event */
  if (evidence == GST_CL_RANGE_UNKNOWN) {
    if (!self->span.is_posted && at->position - self->last > min_duration)
      self->span.has_begun = FALSE;
    return;
  }

  self->last = at->position;
  find_shares (frame, shares);
  gst_cl_span_step (&self->span, detection, at, contradicts, contradicts,
      min_duration, shares);
}

static void
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  Range *self = state;

  gst_cl_span_finish (&self->span, detection, at_end);
}

static const GstClProperty range_properties[] = {
  /**
   * GstClFrameSum:range-min-duration:
   *
   * Minimum duration of an event `range`: samples show another colour range
   * than the caps name.
   *
   * Since: 0.3
   */
  { "range-min-duration", "Minimum duration of an event range, in nanoseconds",
      GST_CL_EVENT_UINT64 (range_min_duration, 2 * GST_SECOND) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_range = {
  .type = GST_CL_EVENT_RANGE,
  .name = "range",
  .needs = GST_CL_STATISTIC (BRIGHTNESS),
  .values = { "below", "above" },
  .state_bytes = sizeof (Range),
  .step = step,
  .finish = finish,
  .properties = range_properties,
};

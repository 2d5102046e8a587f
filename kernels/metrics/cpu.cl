/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics/cpu.cl: the metrics of metrics/plain.cl, for CPU devices
 *
 * Math      as metrics/plain.cl. Each row is gone over once for each metric, 16
 *           samples at a time, while it lies in the nearest cache.
 * Shape     components whose samples lie STRIDE_FIRST apart (the first) and
 *           STRIDE_OTHERS (all others).
 * Units     samples as stored, their codes measured; offsets and strides of rows
 *           in bytes.
 * Memory    as metrics/plain.cl; an item counts in private memory where that is
 *           small, in two copies, so that equal neighbours do not wait for each
 *           other; beyond MAX_OWN_BINS in its words of the result, runs at once.
 * Launch    metrics_cpu_measure: one work-item, one item.
 *           metrics_cpu_merge: dimension 0 is the span, dimension 1
 *           METRIC_MERGE_WORDS of its histograms. Local (1, 1, 1).
 * Range     lanes of WIDE_T hold sums of SEGMENT_STEPS samples, lanes of bytes
 *           COUNT_STEPS counts; squares are summed in 64 bits where 32 are not
 *           enough.
 * Accuracy  exact: integers; tests/metrics/metricsreference.c.
 * Source    with a private histogram of all codes, sums and extremes follow from
 *           it; where a new extreme was met is looked for in one row only.
 */

#include "cl_common.clh"
#include "cl_metriclanes.clh"
#include "cl_metricparts.clh"
#include "cl_metricrows.clh"
#include "cl_metrics.clh"
#include "cl_pixel.clh"

#ifndef STRIDE_FIRST
#define STRIDE_FIRST 1 /* samples, 1 .. 4 */
#endif
#ifndef STRIDE_OTHERS
#define STRIDE_OTHERS 1
#endif

/* --- gamut --------------------------------------------------------------- */

/* All ones in lanes beyond @low .. @low + @span. */
static inline SAMPLE16_T
beyond16 (const SAMPLE16_T v, const int low, const int span)
{
  return PASTE (as_, SAMPLE16_T) (
      v - (SAMPLE16_T) ((SAMPLE_T) low) > (SAMPLE16_T) ((SAMPLE_T) span));
}

/* Lane i of vector @part of the 1 << X_SHIFT that a vector of chroma spreads to
 * is its lane (16 * part + i) >> X_SHIFT. */
static ALWAYS_INLINE SAMPLE16_T
spread16 (const SAMPLE16_T v, const int part)
{
#if X_SHIFT == 0
  return v;
#elif X_SHIFT == 1
  const VECTOR_T (SAMPLE_T, 8) eight = part == 0 ? v.lo : v.hi;

  return (SAMPLE16_T) (eight.s00112233, eight.s44556677);
#elif X_SHIFT == 2
  const VECTOR_T (SAMPLE_T, 8) eight = part < 2 ? v.lo : v.hi;
  const VECTOR_T (SAMPLE_T, 4) q = part & 1 ? eight.hi : eight.lo;

  return (SAMPLE16_T) (q.xxxx, q.yyyy, q.zzzz, q.wwww);
#else
#error "X_SHIFT is 0 .. 2"
#endif
}

/* Of the chroma of LANES samples of it from chroma sample @x on. */
static ALWAYS_INLINE SAMPLE16_T
chroma_beyond16 (const Work *work, const int x, const int y, const int4 low,
    const int4 span)
{
  SAMPLE16_T is_out = (SAMPLE16_T) (0);

#if N_COMPONENTS > 1
  is_out |= beyond16 (
      load_codes (metric_row (&work->planes[1], y) + x * STRIDE_OTHERS,
          STRIDE_OTHERS),
      low.y, span.y);
#endif
#if N_COMPONENTS > 2
  is_out |= beyond16 (
      load_codes (metric_row (&work->planes[2], y) + x * STRIDE_OTHERS,
          STRIDE_OTHERS),
      low.z, span.z);
#endif

  return is_out;
}

/* Of the components at full size of LANES samples from @x on. */
static ALWAYS_INLINE SAMPLE16_T
full_beyond16 (const Work *work, const int x, const int y, const int4 low,
    const int4 span)
{
  SAMPLE16_T is_out = beyond16 (
      load_codes (metric_row (&work->plane, y) + x * STRIDE_FIRST,
          STRIDE_FIRST),
      low.x, span.x);

#if N_COMPONENTS > 3
  is_out |= beyond16 (
      load_codes (metric_row (&work->planes[3], y) + x * STRIDE_OTHERS,
          STRIDE_OTHERS),
      low.w, span.w);
#endif

  return is_out;
}

static inline uint
count_out_of_gamut (const Work *work, const int y, const int4 low,
    const int4 high)
{
  const int step = LANES << X_SHIFT;
  const int end = work->item.x_end;
  const int4 span = high - low;
  uint n_out = 0;
  int x = work->item.x;

  for (; x < end && (x & ((1 << X_SHIFT) - 1)) != 0; x++)
    n_out += metric_is_out_of_gamut (work->planes, x, y, low, high);

  while (x + step <= end) {
    SAMPLE16_T count = (SAMPLE16_T) (0);

    for (int i = 0; i < COUNT_STEPS && x + step <= end; i++, x += step) {
      const SAMPLE16_T chroma = chroma_beyond16 (work, x >> X_SHIFT,
          y >> Y_SHIFT, low, span);

      for (int part = 0; part < 1 << X_SHIFT; part++)
        count += (spread16 (chroma, part) |
                     full_beyond16 (work, x + part * LANES, y, low, span)) &
                 (SAMPLE16_T) (1);
    }
    n_out += sum_wide (CONVERT (WIDE16_T) (count));
  }

  for (; x < end; x++)
    n_out += metric_is_out_of_gamut (work->planes, x, y, low, high);

  return n_out;
}

/* --- sharpness ----------------------------------------------------------- */

static inline SQUARE16_T
square16 (const SAMPLE16_T v)
{
  const WIDE16_T wide = CONVERT (WIDE16_T) (v);

  return CONVERT (SQUARE16_T) (wide * wide);
}

/* Squared differences of a row to what is on the right and, unless it is the
 * last, to the row below. */
static ALWAYS_INLINE ulong
sum_gradients (const Work *work, __global const SAMPLE_T *p, const int stride,
    const int y)
{
  const bool has_below = y + 1 < work->item.bottom;
  __global const SAMPLE_T *below = metric_row (&work->plane,
                                       has_below ? y + 1 : y) +
                                   work->item.x * stride;
  ulong total = 0;
  int x = 0;

  while (x + LANES < work->n) {
    SQUARE16_T sum = (SQUARE16_T) (0);

    for (int i = 0; i < SEGMENT_STEPS && x + LANES < work->n; i++, x += LANES) {
      const SAMPLE16_T v = load_codes (p + x * stride, stride);

      sum += square16 (
          difference16 (v, load_codes (p + (x + 1) * stride, stride)));
      sum += square16 (
          difference16 (v, load_codes (below + x * stride, stride)));
    }
    total += PASTE (sum_, SQUARE_T) (sum);
  }
  for (; x < work->n; x++) {
    const uint v = metric_code (p[x * stride]);
    const uint across = x + 1 < work->n
                            ? abs_diff (v, metric_code (p[(x + 1) * stride]))
                            : 0;
    const uint down = abs_diff (v, metric_code (below[x * stride]));

    total += across * across;
    total += down * down;
  }

  return total;
}

/* --- chroma -------------------------------------------------------------- */

static ALWAYS_INLINE void
count_pair (const uint chroma, const int copy, OwnCounts *own)
{
  own->saturations[copy][chroma & 0xFFFF]++;
  own->hues[copy][chroma >> 16]++;
}

static ALWAYS_INLINE void
count_chroma (const Work *work, __global const SAMPLE_T *u, const int y,
    __global const uint *table, OwnCounts *own, __global uint *counts)
{
  __global const SAMPLE_T *v = metric_row (&work->planes[2], y) +
                               work->item.x * STRIDE_OTHERS;
  int x = 0;

#if DEPTH == 8
  for (; x < work->n_all; x += LANES) {
    const int at = x * STRIDE_OTHERS;
    const ulong4 words = as_ulong4 (
        convert_ushort16 (load_codes (u + at, STRIDE_OTHERS)) |
        convert_ushort16 (load_codes (v + at, STRIDE_OTHERS))
            << (ushort16) (8));
    const ulong word[4] = { words.x, words.y, words.z, words.w };

#pragma unroll
    for (int i = 0; i < LANES; i++)
      count_pair (table[(ushort) (word[i / 4] >> 16 * (i % 4))], i % HUE_COPIES,
          own);
  }
#endif
  for (; x < work->n; x++) {
    const uint chroma = metric_chroma (metric_code (u[x * STRIDE_OTHERS]),
        metric_code (v[x * STRIDE_OTHERS]), table);

    if (HAS_OWN_HUES) {
      count_pair (chroma, x % HUE_COPIES, own);
    } else {
      counts[SATURATION_WORD + (chroma & 0xFFFF)]++;
      counts[SATURATION_WORD + N_BINS + (chroma >> 16)]++;
    }
  }
}

/* --- items --------------------------------------------------------------- */

/* Adds what the first component alone tells, at row @y. */
static ALWAYS_INLINE void
add_of_first (const Work *work, __global const SAMPLE_T *p, const int y,
    const int4 gamut_low, const int4 gamut_high, MetricRecord *record)
{
  if (HAS (OUTLIERS))
    record->n_outliers += count_outliers (work, STRIDE_FIRST, y);
  if (HAS (REPETITION))
    record->n_repeated_rows += is_row_repeated (work, p, STRIDE_FIRST, y);
  if (HAS (GAMUT))
    record->n_out_of_gamut += count_out_of_gamut (work, y, gamut_low,
        gamut_high);
  if (HAS (SHARPNESS))
    record->sharpness += sum_gradients (work, p, STRIDE_FIRST, y);
}

static ALWAYS_INLINE void
measure_row (const Work *work, const int y, const int stride, OwnCounts *own,
    __global uint *counts, MetricRecord *record)
{
  __global const SAMPLE_T *p = metric_row (&work->plane, y) +
                               work->item.x * stride;

  if (HAS_OWN_BINS)
    count_row (work, p, stride, own);
  else if (HAS (HISTOGRAM))
    count_runs (work, p, stride, counts);
  if (ADDS_SUMS || ADDS_EXTREMES || ADDS_BITS)
    add_row (work, p, stride, y, record);
  if (HAS_KEPT)
    compare_row (work, p, stride, y, record);
}

static inline void
clear_counts (const int n_words, OwnCounts *own, __global uint *counts)
{
  for (int copy = 0; HAS_OWN_BINS && copy < BIN_COPIES; copy++) {
    for (int i = 0; i < OWN_BINS; i++)
      own->bins[copy][i] = 0;
  }
  for (int copy = 0; HAS_OWN_HUES && copy < HUE_COPIES; copy++) {
    for (int i = 0; i < N_BINS; i++)
      own->saturations[copy][i] = 0;
    for (int i = 0; i < N_HUES; i++)
      own->hues[copy][i] = 0;
  }
  for (int i = 0; i < n_words; i++)
    counts[i] = 0;
}

/* Joined counts, into the item's words. */
static inline void
store_counts (const MetricItem *item, const OwnCounts *own,
    __global uint *counts)
{
  for (int i = 0; HAS_OWN_BINS && i < OWN_BINS; i++)
    counts[i >> (FOLD - OWN_FOLD)] += own->bins[0][i];

  if (HAS_OWN_HUES && item->component == CHROMA_LEADER) {
    __global uint *saturations = counts + SATURATION_WORD;

    for (int i = 0; i < N_BINS; i++)
      saturations[i] = own->saturations[0][i];
    for (int i = 0; i < N_HUES; i++)
      saturations[N_BINS + i] = own->hues[0][i];
  }
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
metrics_cpu_measure (METRIC_FRAME_ARGUMENTS, __global const MetricItem *items,
    const int n_items, __global SAMPLE_T *frames, const ulong frame_samples,
    __global const MetricRing *ring, const int is_first,
    __global const uint *table, const int4 gamut_low, const int4 gamut_high,
    __global MetricRecord *records, __global uint *counts)
{
  const int index = (int) get_global_id (0);
  const MetricPlane planes[4] = METRIC_PLANES;

  if (index >= n_items)
    return;

  const MetricItem item = items[index];
  const int n = item.x_end - item.x;
  const Work work = { item, planes, planes[item.component],
    metric_kept (frames, frame_samples, *ring, widths, heights, item.component),
    is_first != 0, n, n / LANES * LANES };
  const bool is_of_first = item.component == 0;
  __global uint *words = counts + item.histogram;
  MetricRecord record = metric_record_empty ();
  OwnCounts own;

  clear_counts (METRIC_WORDS (item.component), &own, words);

  for (int y = item.y; y < item.y_end; y++) {
    if (is_of_first || STRIDE_FIRST == STRIDE_OTHERS)
      measure_row (&work, y, STRIDE_FIRST, &own, words, &record);
    else
      measure_row (&work, y, STRIDE_OTHERS, &own, words, &record);

    if (is_of_first)
      add_of_first (&work, metric_row (&work.plane, y) + item.x * STRIDE_FIRST,
          y, gamut_low, gamut_high, &record);
    if (HAS (CHROMA) && item.component == CHROMA_LEADER)
      count_chroma (&work, metric_row (&work.plane, y) + item.x * STRIDE_OTHERS,
          y, table, &own, words);
  }

  join_copies (&own);
  if (HAS_CODES)
    add_counted (own.bins[0], &record);
  store_counts (&item, &own, words);
  records[index] = record;
}

DEFINE_METRIC_MERGE (metrics_cpu_merge)

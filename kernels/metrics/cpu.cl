/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics/cpu.cl: metrics of regions of a frame, for CPU devices
 *
 * Math      The metrics that metrics/plain.cl defines. Each row is read once
 *           for each metric, a vector of 32 bytes at a time, while it is in the
 *           L1 cache.
 * Shape     Regions in items, bands of rows of one component. The pixel stride
 *           of the first component is STRIDE_FIRST, that of all others
 *           STRIDE_OTHERS.
 * Units     Codes of samples are measured. Offsets and strides of rows are in
 *           bytes.
 * Memory    records: one for each item, then one for each span. counts:
 *           histograms of the spans one after the other. frames: a ring of
 *           packed frames. Up to MAX_OWN_BINS an item counts in private memory,
 *           in several copies, so that equal neighbours do not wait for each
 *           other. Beyond that it counts in its words of the result, a run of
 *           equal bins at once. Items with a partner count pairs of chroma
 *           codes in local memory, and write the records of both.
 * Launch    Local (1, 1, 1). metrics_cpu_measure: a work-item for an item.
 *           metrics_cpu_merge: dimension 0 is the span, dimension 1
 *           METRIC_MERGE_WORDS of its histograms.
 * Range     An element of WIDE_T holds the sum of SEGMENT_STEPS pairs of
 *           samples, a lane of bytes COUNT_STEPS counts. Squares are summed
 *           modulo the range of WIDE_T, and their upper halves are summed
 *           separately.
 * Accuracy  Integers are exact. The reference is
 *           tests/metrics/metricsreference.c.
 * Source    With a private histogram of all codes, sums and extremes follow
 *           from it. The position of a new extreme is searched in one row only.
 */

#define FOR_CPU

#include "cl_common.clh"
#include "cl_lanes.clh"
#include "cl_metricbands.clh"
#include "cl_metricchroma.clh"
#include "cl_metriccodes.clh"
#include "cl_metricdifferences.clh"
#include "cl_metricfields.clh"
#include "cl_metricgamut.clh"
#include "cl_metrickept.clh"
#include "cl_metricnoise.clh"
#include "cl_metricoutliers.clh"
#include "cl_metricpairs.clh"
#include "cl_metricrepetition.clh"
#include "cl_metrics.clh"
#include "cl_metricsharpness.clh"
#include "cl_metricspans.clh"
#include "cl_metrictable.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

/* --- items --------------------------------------------------------------- */

/* Adds the metrics of the first component only, at row @y. @has_others_beyond:
 * see count_gamut_of_row(). */
static ALWAYS_INLINE void
add_of_first (const BandWork *work, __global const SAMPLE_T *p, const int y,
    const int4 gamut_low, const int4 gamut_high, bool *has_others_beyond,
    MetricRecord *record)
{
  if (HAS (OUTLIERS))
    record->n_outliers += count_outliers (work, STRIDE_FIRST, y);
  if (HAS (REPETITION))
    record->n_repeated_rows += is_row_repeated (work, p, STRIDE_FIRST, y);
  if (HAS (GAMUT))
    record->n_out_of_gamut += count_gamut_of_row (work, y, gamut_low,
        gamut_high, has_others_beyond);
  if (HAS (SHARPNESS))
    record->sharpness += sum_gradients (work, p, STRIDE_FIRST, y);
  if (HAS (NOISE))
    record->noise += sum_noise (work, STRIDE_FIRST, y);
}

/* Adds the metrics of every component, except the counts of codes. */
static ALWAYS_INLINE void
measure_row (const BandWork *work, __global const SAMPLE_T *p, const int y,
    const int stride, MetricRecord *record)
{
  add_codes_of_row (work, p, stride, y, record);
  if (HAS_KEPT)
    compare_row (work, p, stride, y, record);
  if (HAS (FIELDS))
    add_fields_of_row (work, p, stride, y, record);
}

static ALWAYS_INLINE void
count_and_measure_row (const BandWork *work, const int y, const int stride,
    OwnCounts *own, __global uint *counts, MetricRecord *record)
{
  __global const SAMPLE_T *p = plane_row (&work->plane, y) +
                               work->item.x * stride;

  if (HAS_OWN_BINS)
    count_row (&work->row, p, stride, own);
  else if (HAS (HISTOGRAM))
    count_runs (&work->row, p, stride, counts);
  measure_row (work, p, y, stride, record);
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

/* The arguments that all items of a launch share. */
typedef struct {
  const Plane *planes;
  __global const MetricItem *items;
  __global SAMPLE_T *frames;
  ulong frame_samples;
  __global const MetricRing *rings;
  int n_known;
  int4 widths, heights;
  __global const uint *table;
  int4 gamut_low, gamut_high;
  __global MetricRecord *records;
  __global uint *counts;
} Launch;

static ALWAYS_INLINE BandWork
start_item (const Launch *launch, const int index)
{
  const MetricItem item = launch->items[index];

  return (BandWork){ item, launch->planes, launch->planes[item.component],
    metric_kept (launch->frames, launch->frame_samples, launch->rings,
        launch->n_known, launch->widths, launch->heights, &item),
    launch->n_known == 0, cover_row (item.x_end - item.x) };
}

static ALWAYS_INLINE void
measure_item (const Launch *launch, const int index)
{
  const BandWork work = start_item (launch, index);
  const MetricItem *item = &work.item;
  const bool is_of_first = item->component == 0;
  __global uint *words = launch->counts + item->histogram;
  MetricRecord record = metric_record_empty ();
  bool has_others_beyond = true;
  const int widths[4] = { launch->widths.x, launch->widths.y, launch->widths.z,
    launch->widths.w };
  OwnCounts own;

  if (METRICS == METRIC_MOMENTS && widths[item->component] >= LANES) {
    if (is_of_first || STRIDE_FIRST == STRIDE_OTHERS)
      add_moments_of_item (&work, STRIDE_FIRST, &record);
    else
      add_moments_of_item (&work, STRIDE_OTHERS, &record);
    launch->records[index] = record;
    return;
  }

  clear_counts (METRIC_WORDS (item->component), &own, words);

  for (int y = item->y; y < item->y_end; y++) {
    if (is_of_first || STRIDE_FIRST == STRIDE_OTHERS)
      count_and_measure_row (&work, y, STRIDE_FIRST, &own, words, &record);
    else
      count_and_measure_row (&work, y, STRIDE_OTHERS, &own, words, &record);

    if (is_of_first)
      add_of_first (&work, plane_row (&work.plane, y) + item->x * STRIDE_FIRST,
          y, launch->gamut_low, launch->gamut_high, &has_others_beyond,
          &record);
    if (HAS (CHROMA) && item->component == CHROMA_LEADER)
      count_chroma (&work, plane_row (&work.plane, y) + item->x * STRIDE_OTHERS,
          y, launch->table, &own, words);
  }

  join_copies (&own);
  if (HAS_CODES)
    add_counted (own.bins[0], &record);
  if (HAS_CODES && HAS (GAMUT) && is_of_first)
    record.n_out_of_gamut += count_codes_beyond (own.bins[0],
        launch->gamut_low.x, launch->gamut_high.x);
  store_bins (own.bins[0], words);
  if (HAS_OWN_HUES && item->component == CHROMA_LEADER)
    store_chroma (own.saturations[0], own.hues[0], words);
  launch->records[index] = record;
}

#if HAS_PAIRS
/* Stores the record of an item and the counts of its codes. */
static inline void
store_item (const Launch *launch, const int index, const BandWork *work,
    const uint *bins, MetricRecord *record)
{
  __global uint *words = launch->counts + work->item.histogram;

  for (int i = 0; HAS (HISTOGRAM) && i < N_BINS; i++)
    words[i] = 0;
  if (HAS_CODES)
    add_counted (bins, record);
  store_bins (bins, words);
  launch->records[index] = *record;
}

/* Measures both chroma components in the rows of item @index. */
static ALWAYS_INLINE void
measure_chroma (const Launch *launch, const int index, __local ushort16 *pairs)
{
  const BandWork u = start_item (launch, index);
  const BandWork v = start_item (launch, u.item.partner);
  const int n_even = (u.row.n + 1) / PAIR_TABLES * PAIR_TABLES;
  MetricRecord u_record = metric_record_empty (), v_record = u_record;
  ChromaCounts counts;
  int n_undrained = 0;

  clear_chroma_counts (&counts);
  clear_pairs (pairs);

  for (int y = u.item.y; y < u.item.y_end; y++) {
    __global const SAMPLE_T *p = plane_row (&u.plane, y) +
                                 u.item.x * STRIDE_OTHERS;
    __global const SAMPLE_T *q = plane_row (&v.plane, y) +
                                 v.item.x * STRIDE_OTHERS;

    if (n_undrained + n_even > MAX_UNDRAINED) {
      drain_pairs (pairs, launch->table, &counts);
      n_undrained = 0;
    }
    n_undrained += n_even;
    count_row_pairs (p, q, STRIDE_OTHERS, u.row.n, (__local ushort *) pairs);
    measure_row (&u, p, y, STRIDE_OTHERS, &u_record);
    measure_row (&v, q, y, STRIDE_OTHERS, &v_record);
  }
  drain_pairs (pairs, launch->table, &counts);

  store_item (launch, index, &u, counts.u, &u_record);
  store_item (launch, u.item.partner, &v, counts.v, &v_record);
  store_chroma (counts.saturations, counts.hues,
      launch->counts + u.item.histogram);
}
#endif

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
metrics_cpu_measure (PLANE_ARGUMENTS, __global const MetricItem *items,
    const int n_items, __global SAMPLE_T *frames, const ulong frame_samples,
    __global const MetricRing *rings, const int n_known,
    __global const uint *table, const int4 gamut_low, const int4 gamut_high,
    __global MetricRecord *records, __global uint *counts)
{
  const int index = (int) get_global_id (0);
  const Plane planes[4] = PLANES;
  const Launch launch = { planes, items, frames, frame_samples, rings, n_known,
    widths, heights, table, gamut_low, gamut_high, records, counts };
#if HAS_PAIRS
  __local ushort16 pairs[PAIR_WORDS / PAIR_LANES];
#endif

  if (index >= n_items)
    return;

#if HAS_PAIRS
  if (items[index].partner > 0)
    measure_chroma (&launch, index, pairs);
  if (items[index].partner != 0)
    return;
#endif
  measure_item (&launch, index);
}

DEFINE_METRIC_MERGE (metrics_cpu_merge)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics/gpu.cl: the metrics of metrics/plain.cl, for GPUs
 *
 * Math      as metrics/plain.cl; moments and bits of all bytes follow from their
 *           histogram, on the host, where that is asked for as well.
 * Shape     as metrics/plain.cl.
 * Units     samples as stored, their codes measured; offsets and strides of rows
 *           in bytes, pixel strides in samples.
 * Memory    histograms in local memory, in copies that neighbours use by turns,
 *           then added to those of the span, which all its items share. They
 *           must be 0: each launch clears those that the next will add to. Of
 *           more than MAX_LOCAL_BINS, those that are met first are in local
 *           memory; others are added to at once.
 * Launch    metrics_gpu_measure: one work-group, one item: each work-item
 *           takes every GROUPth chunk of its rows. metrics_gpu_advance: one
 *           work-group. metrics_gpu_clear: one work-item, one word.
 * Range     as metrics/plain.cl; an extreme and its place, value << PLACE_BITS and
 *           index in the frame, fit 64 bits.
 * Accuracy  exact: integers; tests/metrics/metricsreference.c.
 * Source    histograms in eight copies, loads of 128 bits: docs/performance.md.
 */

#include "cl_common.clh"
#include "cl_metricchunks.clh"
#include "cl_metricgroups.clh"
#include "cl_metricparts.clh"
#include "cl_metrics.clh"
#include "cl_pixel.clh"

#define ADVANCE_GROUP 64
#define CLEAR_GROUP   256
#define APART_CHUNK   4 /* samples that a work-item takes where they lie apart */

/* Something of every sample of every component is looked at. */
#define LOOKS_AT_ALL                                                           \
  (HAS (HISTOGRAM) || ADDS_SUMS || ADDS_BITS || ADDS_EXTREMES || HAS_KEPT)

/* Other rows of the first component are. */
#define LOOKS_AT_ROWS (HAS (OUTLIERS) || HAS (REPETITION) || HAS (SHARPNESS))

/* An item at work; what follows is the work-item's own. */
typedef struct {
  MetricItem item;
  MetricPlane plane;
  MetricKept kept;
  bool is_first;
  bool is_even; /* a chunk of a row lies in other rows at chunks' addresses */
  int4 gamut_low, gamut_high;
  __global const uint *table;
  __global uint *counts;
  MetricRecord record;
} Work;

/* --- codes --------------------------------------------------------------- */

static ALWAYS_INLINE void
count_code (const uint code, __local LocalCounts *local_counts, Work *work)
{
  if (HAS_LOCAL_BINS)
    count_bin (local_counts->counts.bins, code >> FOLD, BIN_COPIES);
  else if (HAS (HISTOGRAM))
    count_word (code >> FOLD, local_counts, work->counts);
}

static ALWAYS_INLINE void
count_chroma (const uint u, const uint v, __local LocalCounts *local_counts,
    Work *work)
{
  const uint chroma = metric_chroma (u, v, work->table);

  if (HAS_LOCAL_HUES) {
    count_bin (local_counts->counts.saturations, chroma & 0xFFFF, HUE_COPIES);
    count_bin (local_counts->counts.hues, chroma >> 16, HUE_COPIES);
  } else {
    count_word (SATURATION_WORD + (chroma & 0xFFFF), local_counts,
        work->counts);
    count_word (SATURATION_WORD + N_BINS + (chroma >> 16), local_counts,
        work->counts);
  }
}

/* --- single samples ------------------------------------------------------ */

static ALWAYS_INLINE void
add_code (const uint v, const int x, const int y,
    __local LocalCounts *local_counts, Work *work)
{
  MetricRecord *record = &work->record;

  count_code (v, local_counts, work);
  if (ADDS_SUMS) {
    record->sum += v;
    record->sum_squares += v * v;
  }
  if (ADDS_BITS)
    record->bits |= v;
  if (ADDS_EXTREMES && note_low (v, record)) {
    record->min_x = x;
    record->min_y = y;
  }
  if (ADDS_EXTREMES && note_high (v, record)) {
    record->max_x = x;
    record->max_y = y;
  }
  if (HAS_KEPT)
    metric_compare_kept (v, x, y, &work->item, &work->kept, work->is_first,
        record);
}

/* Samples @x .. @end - 1 of row @y, one by one. */
static ALWAYS_INLINE void
add_samples (const MetricPlane *planes, int x, const int end, const int y,
    __local uint *row_difference, __local LocalCounts *local_counts, Work *work)
{
  const MetricItem *item = &work->item;
  uint difference = 0;

  for (; x < end; x++) {
    const uint v = metric_code_at (&work->plane, x, y);

    if (LOOKS_AT_ALL)
      add_code (v, x, y, local_counts, work);
    if (HAS (CHROMA) && item->component == CHROMA_LEADER)
      count_chroma (v, metric_code_at (&planes[2], x, y), local_counts, work);
    if (item->component > 0)
      continue;
    if (HAS (OUTLIERS) && metric_is_outlier (&work->plane, item, x, y))
      work->record.n_outliers++;
    if (HAS (GAMUT) && metric_is_out_of_gamut (planes, x, y, work->gamut_low,
                           work->gamut_high))
      work->record.n_out_of_gamut++;
    if (HAS (SHARPNESS))
      work->record.sharpness += metric_square_gradient (&work->plane, item, x,
          y);
    if (HAS (REPETITION) && y - VREP_ROWS >= item->top)
      difference += abs_diff (v,
          metric_code_at (&work->plane, x, y - VREP_ROWS));
  }

  if (HAS (REPETITION) && difference > 0)
    atomic_add (row_difference, difference);
}

/* --- chunks -------------------------------------------------------------- */

static ALWAYS_INLINE void
compare_chunk (const Chunk *now, const int x, const int y, Work *work)
{
  const MetricKept *kept = &work->kept;
  const ulong at = (ulong) y * (ulong) kept->stride + (ulong) x;

  if (x % CHUNK != 0) {
    for (int i = 0; i < CHUNK; i++)
      metric_compare_kept (chunk_code (now, i), x + i, y, &work->item, kept,
          work->is_first, &work->record);
    return;
  }

  if (HAS (TEMPORAL) && !work->is_first) {
    const Chunk previous = load_chunk_of_codes (kept->previous + at);

    work->record.difference += chunk_difference (now, &previous);
  }
  if (HAS (FREEZE) && !work->is_first && work->item.region == 0) {
    const Chunk reference = load_chunk_of_codes (kept->reference + at);

    work->record.freeze_difference += chunk_difference (now, &reference);
  }
  if (work->item.is_kept)
    *(__global uint4 *) (kept->current + at) = (uint4) (now->words[0],
        now->words[1], now->words[2], now->words[3]);
}

static ALWAYS_INLINE void
add_codes (const Chunk *now, const int x, const int y,
    __local LocalCounts *local_counts, Work *work)
{
  MetricRecord *record = &work->record;

#pragma unroll
  for (int i = 0; i < CHUNK; i++)
    count_code (chunk_code (now, i), local_counts, work);
  if (ADDS_SUMS) {
    uint sum = 0;

#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
      sum += chunk_code (now, i);
      record->sum_squares += chunk_code (now, i) * chunk_code (now, i);
    }
    record->sum += sum;
  }
  if (ADDS_BITS) {
#pragma unroll
    for (int i = 0; i < CHUNK; i++)
      record->bits |= chunk_code (now, i);
  }
  if (ADDS_EXTREMES)
    note_chunk_extremes (now, x, y, record);
  if (HAS_KEPT)
    compare_chunk (now, x, y, work);
}

/* What the first component alone tells, or all at its samples. */
static ALWAYS_INLINE void
add_chunk_of_first (const MetricPlane *planes, const Chunk *now, const int x,
    const int y, __local uint *row_difference, Work *work)
{
  const MetricPlane *plane = &work->plane;
  const MetricItem *item = &work->item;

  if (HAS (OUTLIERS))
    work->record.n_outliers += chunk_outliers (plane, item, now, x, y);
  if (HAS (GAMUT))
    work->record.n_out_of_gamut += chunk_out_of_gamut (planes, now, x, y,
        work->gamut_low, work->gamut_high);
  if (HAS (SHARPNESS))
    work->record.sharpness += chunk_square_gradient (plane, item, now, x, y);
  if (HAS (REPETITION) && y - VREP_ROWS >= item->top) {
    const Chunk above = load_chunk (metric_row (plane, y - VREP_ROWS) + x);
    const uint difference = chunk_difference (now, &above);

    if (difference > 0)
      atomic_add (row_difference, difference);
  }
}

/* A chunk that lies within the item. */
static ALWAYS_INLINE void
add_chunk (const MetricPlane *planes, const Chunk *now, const int x,
    const int y, __local uint *row_difference,
    __local LocalCounts *local_counts, Work *work)
{
  if (LOOKS_AT_ALL)
    add_codes (now, x, y, local_counts, work);
  if (work->item.component == 0)
    add_chunk_of_first (planes, now, x, y, row_difference, work);
  if (HAS (CHROMA) && work->item.component == CHROMA_LEADER) {
    const Chunk v = load_some (&planes[2], x, y, CHUNK);

#pragma unroll
    for (int i = 0; i < CHUNK; i++)
      count_chroma (chunk_code (now, i), chunk_code (&v, i), local_counts,
          work);
  }
}

/* --- items --------------------------------------------------------------- */

/* Whether the chunk at @x need not be looked at sample by sample. */
static ALWAYS_INLINE bool
takes_chunk (const Work *work, const int x)
{
  if (work->item.component > 0)
    return true;
  if (HAS (GAMUT) && x % (1 << X_SHIFT) != 0)
    return false;

  return work->is_even || !(LOOKS_AT_ROWS);
}

/* Samples from the address of a chunk to that of sample @x of row @y. */
static ALWAYS_INLINE int
samples_into_chunk (const MetricPlane *plane, const int x, const int y)
{
  return (int) ((size_t) (metric_row (plane, y) + x) % CHUNK_BYTES /
                sizeof (SAMPLE_T));
}

/* Where a work-item is: chunk @column of row @y. */
typedef struct {
  int column, y;
} Place;

/* Its first sample, which may lie before the item. */
static ALWAYS_INLINE int
place_x (const Work *work, const Place *place, const int step)
{
  const bool is_apart = work->plane.pixel_stride > 1;

  return work->item.x + place->column * step -
         (is_apart ? 0
                   : samples_into_chunk (&work->plane, work->item.x, place->y));
}

/* Whether it is a chunk within the item. */
static ALWAYS_INLINE bool
is_whole (const Work *work, const Place *place, const int step)
{
  const int x = place_x (work, place, step);

  return work->plane.pixel_stride == 1 && x >= work->item.x &&
         x + CHUNK <= work->item.x_end && takes_chunk (work, x);
}

/* Rows @first .. @end - 1 by all work-items. */
static ALWAYS_INLINE void
add_rows (const MetricPlane *planes, const int first, const int end,
    __local uint *row_differences, __local LocalCounts *local_counts,
    Work *work)
{
  const MetricItem *item = &work->item;
  const bool is_apart = work->plane.pixel_stride > 1;
  const int step = is_apart ? APART_CHUNK : CHUNK;
  const int most_before = is_apart        ? 0
                          : work->is_even ? samples_into_chunk (&work->plane,
                                                item->x, first)
                                          : CHUNK - 1;
  const int n_columns = (most_before + item->x_end - item->x + step - 1) / step;
  const int rows_on = GROUP / n_columns, columns_on = GROUP % n_columns;
  Place place = { (int) get_local_id (0) % n_columns,
    first + (int) get_local_id (0) / n_columns };
  Chunk next = { { 0, 0, 0, 0 } };

  if (place.y < end && is_whole (work, &place, step))
    next = load_chunk (
        metric_row (&work->plane, place.y) + place_x (work, &place, step));

  while (place.y < end) {
    const Chunk now = next;
    const int x = place_x (work, &place, step), y = place.y;
    const bool is_now_whole = is_whole (work, &place, step);
    __local uint *difference = row_differences +
                               (HAS (REPETITION) ? y - first : 0);

    /* the next chunk is on its way while this one is counted */
    place.y += rows_on;
    place.column += columns_on;
    if (place.column >= n_columns) {
      place.column -= n_columns;
      place.y++;
    }
    if (place.y < end && is_whole (work, &place, step))
      next = load_chunk (
          metric_row (&work->plane, place.y) + place_x (work, &place, step));

    if (is_now_whole)
      add_chunk (planes, &now, x, y, difference, local_counts, work);
    else
      add_samples (planes, max (x, item->x), min (x + step, item->x_end), y,
          difference, local_counts, work);
  }
}

/* Counts and clears the rows @first .. @end - 1 that are repeated: one
 * work-item, one row. */
static ALWAYS_INLINE void
count_repeated (const int first, const int end, __local uint *row_differences,
    Work *work)
{
  const MetricItem *item = &work->item;
  const int row = (int) get_local_id (0);

  if (row >= end - first)
    return;

  work->record.n_repeated_rows += item->component == 0 &&
                                  first + row - VREP_ROWS >= item->top &&
                                  READ_ONCE (row_differences[row]) <
                                      (uint) (item->x_end - item->x)
                                          << (DEPTH - 8);
  row_differences[row] = 0;
}

/* --- kernels ------------------------------------------------------------- */

/* Arguments as metrics_measure; words @stale_first .. @stale_end - 1 of
 * @stale are cleared. */
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
metrics_gpu_measure (METRIC_FRAME_ARGUMENTS, __global const MetricItem *items,
    const int n_items, __global SAMPLE_T *frames, const ulong frame_samples,
    __global const MetricRing *ring, const int is_first,
    __global const uint *table, const int4 gamut_low, const int4 gamut_high,
    __global MetricRecord *records, __global uint *counts, __global uint *stale,
    const uint stale_first, const uint stale_end)
{
  __local LocalCounts local_counts;
  __local uint row_differences[N_PASS_SUMS];
  const int index = (int) get_group_id (0);
  const int i = (int) get_local_id (0);
  const MetricPlane planes[4] = METRIC_PLANES;
  const MetricItem item = items[index];
  const MetricPlane plane = metric_plane (planes, item.component);
  Work work = { item, plane,
    metric_kept (frames, frame_samples, *ring, widths, heights, item.component),
    is_first != 0, plane.stride_bytes % CHUNK_BYTES == 0, gamut_low, gamut_high,
    table, counts + item.histogram, metric_record_empty () };

  for (uint word = stale_first + (uint) get_global_id (0); word < stale_end;
       word += (uint) get_global_size (0))
    stale[word] = 0;
  (void) n_items; /* one group an item, exactly */
  clear_local_counts (&local_counts);
  if (i < N_PASS_SUMS)
    row_differences[i] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);

  for (int first = item.y; first < item.y_end; first += PASS_ROWS) {
    const int end = min (first + PASS_ROWS, item.y_end);

    add_rows (planes, first, end, row_differences, &local_counts, &work);
    if (HAS (REPETITION)) {
      barrier (CLK_LOCAL_MEM_FENCE);
      count_repeated (first, end, row_differences, &work);
      barrier (CLK_LOCAL_MEM_FENCE);
    }
  }

  barrier (CLK_LOCAL_MEM_FENCE);
  add_local_counts (&local_counts, item.component, work.counts);

  if (N_SLOTS > 0) {
    barrier (CLK_LOCAL_MEM_FENCE);
    leave_shares (&work.record, local_counts.scratch);
    barrier (CLK_LOCAL_MEM_FENCE);
    reduce_slots (local_counts.scratch);
    if (i == 0)
      records[index] = record_of_group (local_counts.scratch);
  }
}

/* Which frame the next is compared with. Arguments as metrics_merge. */
__kernel __attribute__ ((reqd_work_group_size (ADVANCE_GROUP, 1, 1))) void
metrics_gpu_advance (__global const MetricRecord *records,
    __global MetricRing *ring, const int is_first, const int n_reference_items,
    const ulong largest_frozen)
{
  __local ulong differences[ADVANCE_GROUP];
  const int i = (int) get_local_id (0);
  ulong difference = 0;

  for (int k = i; HAS (FREEZE) && k < n_reference_items; k += ADVANCE_GROUP)
    difference += records[k].freeze_difference;
  differences[i] = difference;

  for (int reach = ADVANCE_GROUP / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach)
      differences[i] += differences[i + reach];
  }

  if (i == 0)
    *ring = metric_ring_next (*ring,
        is_first == 0 && differences[0] <= largest_frozen);
}

/* Words @first .. @end - 1. */
__kernel __attribute__ ((reqd_work_group_size (CLEAR_GROUP, 1, 1))) void
metrics_gpu_clear (__global uint *counts, const uint first, const uint end)
{
  const uint word = first + (uint) get_global_id (0);

  if (word < end)
    counts[word] = 0;
}

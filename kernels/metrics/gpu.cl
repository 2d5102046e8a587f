/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics/gpu.cl: metrics of regions of a frame, for GPUs
 *
 * Math      The metrics that metrics/plain.cl defines. If a histogram of all
 *           codes of 8 bits is measured, too, the host computes moments and
 *           bits from it.
 * Shape     Regions in items, bands of rows of one component.
 * Units     Codes of samples are measured. Offsets and strides of rows are in
 *           bytes, pixel strides in samples.
 * Memory    Histograms are in local memory, in several copies for neighbouring
 *           work-items, and are then added to those of the span, which all its
 *           items share. Those must be 0: each launch clears the ones for the
 *           next launch. With more than MAX_LOCAL_BINS bins, the first that are
 *           counted are in local memory; others are added to global memory
 *           directly.
 * Launch    metrics_gpu_measure: local (GROUP, 1, 1), a work-group for an item;
 *           a work-item measures every GROUPth chunk of it.
 *           metrics_gpu_advance: a work-group of ADVANCE_GROUP for a
 *           reference.
 *           metrics_gpu_clear: local (CLEAR_GROUP, 1, 1), a work-item for a
 *           word.
 * Range     Sums of squares are exact up to 32767 x 32767 samples of 16 bits.
 *           An extreme and its position, value << PLACE_BITS | y << PLACE_BITS
 *           / 2 | x, fit 64 bits.
 * Accuracy  Integers are exact. The reference is
 *           tests/metrics/metricsreference.c.
 * Source    Why histograms have eight copies and loads 128 bits:
 *           docs/performance.md.
 *
 * An item of a component with pixel stride 1. Chunks are at addresses that are
 * multiples of 16 bytes, independent of the item's edges:
 *
 *       address of a chunk
 *       v
 *       |       |       |       |       |       |
 *       .   +-----------------------------------+...   item.y
 *       . 0 |   1   |   2   |   3   |   4   | 5 |  .
 *       .   +-----------------------------------+  .   chunks by the work-items
 *       . 6 |   7   |   8   |   9   |  10   | 11|  .   that take them: every
 *       .   +-----------------------------------+  .   GROUPth by the same
 *       ......................................
 *           item.x                              item.x_end
 *
 * Whole chunks (1 .. 4) are one load each; the next one is loaded while the
 * current one is counted. Chunks at the edges (0, 5) are measured sample by
 * sample. The halo are the samples around it that some metrics need, within the
 * region; each work-item loads them when it needs them: one and two rows above
 * and below for outliers, VREP_ROWS above for repeated rows, the row below and
 * the next sample for sharpness, the rows above and below for fields.
 */

#define FOR_GPU

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_memory.clh"
#include "cl_metricchroma.clh"
#include "cl_metricchunks.clh"
#include "cl_metriccodes.clh"
#include "cl_metricdifferences.clh"
#include "cl_metricfields.clh"
#include "cl_metricgamut.clh"
#include "cl_metrickept.clh"
#include "cl_metricnoise.clh"
#include "cl_metricoutliers.clh"
#include "cl_metricrepetition.clh"
#include "cl_metrics.clh"
#include "cl_metricsharpness.clh"
#include "cl_metricspans.clh"
#include "cl_metrictable.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

/* --- counting ------------------------------------------------------------ */

static ALWAYS_INLINE void
clear_local_counts (__local LocalCounts *local_counts)
{
  __local uint *words = (__local uint *) &local_counts->counts;

  for (int i = (int) get_local_id (0);
       i < (int) (sizeof local_counts->counts / sizeof *words); i += GROUP)
    words[i] = (__local uint *) &words[i] >= local_counts->counts.met_words
                   ? NO_WORD
                   : 0;
}

/* Adds the local counts of an item of @component to the words of its span. All
 * work-items must have counted, and a barrier must follow that. */
static ALWAYS_INLINE void
add_local_counts (const __local LocalCounts *local_counts, const int component,
    __global uint *counts)
{
  __global uint *saturations = counts + SATURATION_WORD;

  if (HAS_LOCAL_BINS)
    add_bins (local_counts->counts.bins, N_BINS, BIN_COPIES, counts);
  for (int i = (int) get_local_id (0); HAS_MET_WORDS && i < N_MET_WORDS;
       i += GROUP) {
    if (local_counts->counts.met_counts[i] > 0)
      add_global (&counts[local_counts->counts.met_words[i]],
          local_counts->counts.met_counts[i]);
  }
  if (HAS_LOCAL_HUES && component == CHROMA_LEADER) {
    add_bins (local_counts->counts.saturations, N_BINS, HUE_COPIES,
        saturations);
    add_bins (local_counts->counts.hues, N_HUES, HUE_COPIES,
        saturations + N_BINS);
  }
}

/* --- reductions ---------------------------------------------------------- */

/* How two shares of a slot are merged. The greatest number is stored as its
 * complement, so that the least is the result. */
enum { JOIN_SUM, JOIN_BITS, JOIN_MINIMUM };

#define JOIN_ADD      JOIN_SUM
#define JOIN_PLACE    JOIN_SUM
#define JOIN_OR       JOIN_BITS
#define JOIN_LEAST    JOIN_MINIMUM
#define JOIN_GREATEST JOIN_MINIMUM
#define PICK_JOIN(type, name, merge, metric, scope)                            \
  if (LEAVES_##merge (metric) && slot == SLOT_##name)                          \
    join = JOIN_##merge;

static ALWAYS_INLINE int
join_of_slot (const int slot)
{
  int join = JOIN_SUM;

  METRIC_NUMBERS (PICK_JOIN)

  return join;
}

/* Merges two shares without a branch, as work-items of a warp merge shares of
 * different slots. */
static ALWAYS_INLINE ulong
join_shares (const int join, const ulong a, const ulong b)
{
  const ulong either = join == JOIN_BITS ? a | b : a + b;

  return join == JOIN_MINIMUM ? min (a, b) : either;
}

/* Merges the shares of all work-items of each slot; the result is the first
 * share. All work-items of the group must have stored their shares before a
 * barrier, and must call this. */
static ALWAYS_INLINE void
reduce_slots (__local ulong *scratch)
{
  const int i = (int) get_local_id (0);

  for (int k = i; k < N_SLOTS * N_PARTS; k += GROUP) {
    const int slot = k / N_PARTS;
    const int join = join_of_slot (slot);
    __local ulong *shares = scratch + slot * GROUP + k % N_PARTS;
    ulong part = shares[0];

    for (int j = N_PARTS; j < GROUP; j += N_PARTS)
      part = join_shares (join, part, shares[j]);
    shares[0] = part;
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  if (i < N_SLOTS) {
    const int join = join_of_slot (i);
    __local ulong *parts = scratch + i * GROUP;
    ulong all = parts[0];

    for (int j = 1; j < N_PARTS; j++)
      all = join_shares (join, all, parts[j]);
    parts[0] = all;
  }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* --- records ------------------------------------------------------------- */

/* Returns @value, or its complement, with its position in the lower bits: the
 * minimum is the first of the least values. Without a position it is greater
 * than any of them. */
static ALWAYS_INLINE ulong
with_place (const uint value, const int x, const int y)
{
  return y < 0 ? ULONG_MAX
               : (ulong) value << PLACE_BITS | (ulong) y << PLACE_BITS / 2 |
                     (ulong) x;
}

static ALWAYS_INLINE void
leave_share (const int slot, const ulong value, __local ulong *scratch)
{
  scratch[slot * GROUP + (int) get_local_id (0)] = value;
}

#define SHARE_ADD(name)   own->name
#define SHARE_OR(name)    own->name
#define SHARE_LEAST(name) with_place (own->name, own->name##_x, own->name##_y)
#define SHARE_GREATEST(name)                                                   \
  with_place ((uint) (N_CODES - 1) - own->name, own->name##_x, own->name##_y)
#define SHARE_PLACE(name) 0
#define LEAVE_SHARE(type, name, merge, metric, scope)                          \
  if (LEAVES_##merge (metric))                                                 \
    leave_share (SLOT_##name, SHARE_##merge (name), scratch);

static ALWAYS_INLINE void
leave_shares (const MetricRecord *own, __local ulong *scratch)
{
  METRIC_NUMBERS (LEAVE_SHARE)
}

/* Returns the merged shares of @slot. */
static ALWAYS_INLINE ulong
total_of (const int slot, const __local ulong *scratch)
{
  return scratch[slot * GROUP];
}

#define PLACE_MASK (((ulong) 1 << PLACE_BITS / 2) - 1)

#define TAKE_ADD(type, name) record.name = (METRIC_##type) total;
#define TAKE_OR(type, name)  record.name = (METRIC_##type) total;
#define TAKE_LEAST(type, name)                                                 \
  record.name = (uint) (total >> PLACE_BITS);                                  \
  record.name##_x = (int) (total & PLACE_MASK);                                \
  record.name##_y = (int) (total >> PLACE_BITS / 2 & PLACE_MASK);
#define TAKE_GREATEST(type, name)                                              \
  TAKE_LEAST (type, name)                                                      \
  record.name = (uint) (N_CODES - 1) - record.name;
#define TAKE_PLACE(type, name) (void) total;
#define TAKE_TOTAL(type, name, merge, metric, scope)                           \
  if (LEAVES_##merge (metric)) {                                               \
    const ulong total = total_of (SLOT_##name, scratch);                       \
                                                                               \
    TAKE_##merge (type, name)                                                  \
  }

static ALWAYS_INLINE MetricRecord
record_of_group (const __local ulong *scratch)
{
  MetricRecord record = metric_record_empty ();

  METRIC_NUMBERS (TAKE_TOTAL)

  return record;
}

/* --- single samples ------------------------------------------------------ */

/* Measures samples @x .. @end - 1 of row @y, one by one. */
static ALWAYS_INLINE void
add_samples (const Plane *planes, int x, const int end, const int y,
    __local uint *row_difference, __local LocalCounts *local_counts,
    GroupWork *work)
{
  const MetricItem *item = &work->item;
  uint difference = 0;

  for (; x < end; x++) {
    const uint v = masked_code_at (&work->plane, x, y);

    add_code (v, x, y, local_counts, work);
    if (HAS_KEPT)
      metric_compare_kept (v, x, y, item, &work->kept, work->is_first,
          &work->record);
    if (HAS (FIELDS))
      metric_add_fields (&work->plane, item, &work->kept, work->is_first, v, x,
          y, &work->record);
    if (HAS (CHROMA) && item->component == CHROMA_LEADER)
      count_chroma (v, masked_code_at (&planes[2], x, y), local_counts, work);
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
    if (HAS (NOISE))
      work->record.noise += metric_noise (&work->plane, item, x, y);
    if (HAS (REPETITION) && y - VREP_ROWS >= item->top)
      difference += abs_diff (v,
          masked_code_at (&work->plane, x, y - VREP_ROWS));
  }

  if (HAS (REPETITION) && difference > 0)
    add_local (row_difference, difference);
}

/* --- chunks -------------------------------------------------------------- */

/* Adds the metrics of the first component only, and those of all components at
 * its samples. */
static ALWAYS_INLINE void
add_chunk_of_first (const Plane *planes, const Chunk *now, const int x,
    const int y, __local uint *row_difference, GroupWork *work)
{
  const Plane *plane = &work->plane;
  const MetricItem *item = &work->item;

  if (HAS (OUTLIERS))
    work->record.n_outliers += chunk_outliers (plane, item, now, x, y);
  if (HAS (GAMUT))
    work->record.n_out_of_gamut += chunk_out_of_gamut (planes, now, x, y,
        work->gamut_low, work->gamut_high);
  if (HAS (SHARPNESS))
    work->record.sharpness += chunk_square_gradient (plane, item, now, x, y);
  if (HAS (NOISE))
    work->record.noise += chunk_noise (plane, item, now, x, y);
  if (HAS (REPETITION))
    add_row_difference (now, x, y, row_difference, work);
}

/* Measures a chunk that is within the item. */
static ALWAYS_INLINE void
add_chunk (const Plane *planes, const Chunk *now, const int x, const int y,
    __local uint *row_difference, __local LocalCounts *local_counts,
    GroupWork *work)
{
  add_codes (now, x, y, local_counts, work);
  if (HAS_KEPT)
    compare_chunk (now, x, y, work);
  if (HAS (FIELDS))
    add_fields_of_chunk (now, x, y, work);
  if (work->item.component == 0)
    add_chunk_of_first (planes, now, x, y, row_difference, work);
  if (HAS (CHROMA) && work->item.component == CHROMA_LEADER)
    count_chunk_chroma (planes, now, x, y, local_counts, work);
}

/* --- items --------------------------------------------------------------- */

/* Whether other rows of the first component are read; FIELDS reads those of
 * each component. */
#define LOOKS_AT_ROWS                                                          \
  (HAS (FIELDS) || HAS (OUTLIERS) || HAS (REPETITION) || HAS (SHARPNESS) ||    \
      HAS (NOISE))

/* Returns whether the chunk at @x can be measured as a whole. */
static ALWAYS_INLINE bool
takes_chunk (const GroupWork *work, const int x)
{
  if (work->item.component > 0)
    return work->is_even || !HAS (FIELDS);
  if (HAS (GAMUT) && x % (1 << X_SHIFT) != 0)
    return false;

  return work->is_even || !(LOOKS_AT_ROWS);
}

/* Number of samples from the start of the chunk to sample @x of row @y. */
static ALWAYS_INLINE int
samples_into_chunk (const Plane *plane, const int x, const int y)
{
  return (int) ((size_t) (plane_row (plane, y) + x) % CHUNK_BYTES /
                sizeof (SAMPLE_T));
}

/* The position of a work-item: chunk @column of row @y. */
typedef struct {
  int column, y;
} Place;

/* Its first sample, which may be before the item. */
static ALWAYS_INLINE int
place_x (const GroupWork *work, const Place *place, const int step)
{
  const bool is_apart = work->plane.pixel_stride > 1;

  return work->item.x + place->column * step -
         (is_apart ? 0
                   : samples_into_chunk (&work->plane, work->item.x, place->y));
}

/* Returns whether it is a chunk within the item. */
static ALWAYS_INLINE bool
is_whole (const GroupWork *work, const Place *place, const int step)
{
  const int x = place_x (work, place, step);

  return work->plane.pixel_stride == 1 && x >= work->item.x &&
         x + CHUNK <= work->item.x_end && takes_chunk (work, x);
}

/* Measures rows @first .. @end - 1, by all work-items. */
static ALWAYS_INLINE void
add_rows (const Plane *planes, const int first, const int end,
    __local uint *row_differences, __local LocalCounts *local_counts,
    GroupWork *work)
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
        plane_row (&work->plane, place.y) + place_x (work, &place, step));

  while (place.y < end) {
    const Chunk now = next;
    const int x = place_x (work, &place, step), y = place.y;
    const bool is_now_whole = is_whole (work, &place, step);
    __local uint *difference = row_differences +
                               (HAS (REPETITION) ? y - first : 0);

    /* the next chunk is in flight while this one is counted */
    place.y += rows_on;
    place.column += columns_on;
    if (place.column >= n_columns) {
      place.column -= n_columns;
      place.y++;
    }
    if (place.y < end && is_whole (work, &place, step))
      next = load_chunk (
          plane_row (&work->plane, place.y) + place_x (work, &place, step));

    if (is_now_whole)
      add_chunk (planes, &now, x, y, difference, local_counts, work);
    else
      add_samples (planes, max (x, item->x), min (x + step, item->x_end), y,
          difference, local_counts, work);
  }
}

/* --- kernels ------------------------------------------------------------- */

/* Measures an item, and clears words @stale_first .. @stale_end - 1 of
 * @stale. */
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
metrics_gpu_measure (PLANE_ARGUMENTS, __global const MetricItem *items,
    const int n_items, __global SAMPLE_T *frames, const ulong frame_samples,
    __global const MetricRing *rings, const int n_known,
    __global const uint *table, const int4 gamut_low, const int4 gamut_high,
    __global MetricRecord *records, __global uint *counts, __global uint *stale,
    const uint stale_first, const uint stale_end)
{
  __local LocalCounts local_counts;
  __local uint row_differences[N_PASS_SUMS];
  const int index = (int) get_group_id (0);
  const int i = (int) get_local_id (0);
  const Plane planes[4] = PLANES;
  const MetricItem item = items[index];
  const Plane plane = pick_plane (planes, item.component);
  GroupWork work = { item, plane,
    metric_kept (frames, frame_samples, rings, n_known, widths, heights, &item),
    n_known == 0, plane.stride_bytes % CHUNK_BYTES == 0, gamut_low, gamut_high,
    table, counts + item.histogram, metric_record_empty () };

  for (uint word = stale_first + (uint) get_global_id (0); word < stale_end;
       word += (uint) get_global_size (0))
    stale[word] = 0;
  (void) n_items; /* exactly one work-group for each item */
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

/* Chooses the reference of the next frame, in a work-group for each reference.
 * The arguments are those of metric_merge_span(). */
__kernel __attribute__ ((reqd_work_group_size (ADVANCE_GROUP, 1, 1))) void
metrics_gpu_advance (__global const MetricRecord *records,
    __global MetricRing *rings, const int n_known,
    __global const MetricReference *references)
{
  __local ulong differences[ADVANCE_GROUP];
  const int index = (int) get_group_id (0);
  const MetricReference reference = references[index];
  const int i = (int) get_local_id (0);
  ulong difference = 0;

  for (int k = i; HAS (FREEZE) && k < reference.n_items; k += ADVANCE_GROUP)
    difference += records[reference.first_item + k].freeze_difference;
  differences[i] = difference;

  for (int reach = ADVANCE_GROUP / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach)
      differences[i] += differences[i + reach];
  }

  if (i == 0)
    metric_advance (references, index, n_known, differences[0], rings);
}

/* Clears words @first .. @end - 1. */
__kernel __attribute__ ((reqd_work_group_size (CLEAR_GROUP, 1, 1))) void
metrics_gpu_clear (__global uint *counts, const uint first, const uint end)
{
  const uint word = first + (uint) get_global_id (0);

  if (word < end)
    counts[word] = 0;
}

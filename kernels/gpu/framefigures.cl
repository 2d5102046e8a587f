/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpu/framefigures.cl: the figures of framefigures.cl, for GPUs
 *
 * Math      as framefigures.cl. Where codes are counted anyway, or are of 8 bits,
 *           sums and extremes follow from their histogram.
 * Shape     as framefigures.cl.
 * Units     samples as stored, their codes measured; offsets and strides of rows
 *           in bytes, pixel strides in samples.
 * Memory    histograms in local memory, in copies that neighbours use by turns,
 *           then added to those of the span, which all its items share and which
 *           framefigures_gpu_clear has cleared. Of more than MAX_LOCAL_BINS they
 *           are added to at once, runs of equal codes in one go.
 * Launch    framefigures_gpu_measure: one work-group, one item: ROWS rows of
 *           LANES work-items, each four samples at a time.
 *           framefigures_gpu_merge: one work-group, one span.
 *           framefigures_gpu_clear: one work-item, one word.
 * Range     as framefigures.cl; an extreme and its place, value << PLACE_BITS and
 *           index in the frame, fit 64 bits.
 * Accuracy  exact: integers; tests/kernels/ref/framefigures.c.
 * Source    histograms in eight copies, loads of 32 bits: docs/performance.md.
 */
#ifndef CL_COMMON_CLH
#include "cl_common.clh"
#endif
#ifndef CL_PIXEL_CLH
#include "cl_pixel.clh"
#endif
#ifndef CL_FIGURES_CLH
#include "cl_figures.clh"
#endif
#ifndef CL_FIGUREPARTS_CLH
#include "cl_figureparts.clh"
#endif

#define LANES       32 /* work-items of a row */
#define ROWS        16 /* rows at a time */
#define GROUP       (LANES * ROWS)
#define MERGE_GROUP 64
#define CLEAR_GROUP 256
#define PER_ITEM    4 /* samples that follow each other: 32 bits of bytes */

/* Local histograms: of all codes up to 12 bits, else of the bins. */
#define MAX_LOCAL_BINS 4096
#define LOCAL_FOLD     (DEPTH > 12 ? FOLD : 0)
#define LOCAL_BINS     (N_CODES >> LOCAL_FOLD)
#define COUNTS_CODES   (HAS (HISTOGRAM) || (DEPTH == 8 && HAS (MOMENTS)))
#define HAS_LOCAL_BINS (COUNTS_CODES && LOCAL_BINS <= MAX_LOCAL_BINS)
#define HAS_CODES      (HAS_LOCAL_BINS && LOCAL_FOLD == 0)
#define BIN_COPIES     (LOCAL_BINS > 2048 ? 1 : LOCAL_BINS > 512 ? 4 : 8)

#define MAX_LOCAL_HUES 1024 /* bins of saturation beside those of hue */
#define HAS_LOCAL_HUES (HAS (CHROMA) && N_BINS <= MAX_LOCAL_HUES)
#define HUE_COPIES     (N_BINS > 256 ? 2 : 4)

/* What does not follow from a histogram of codes. */
#define ADDS_SUMS     (HAS (MOMENTS) && !HAS_CODES)
#define ADDS_BITS     (HAS (BITS) && !HAS_CODES)
#define ADDS_EXTREMES (HAS (POSITIONS) || ADDS_SUMS)

#define PLACE_BITS 40

/* Copies interleaved: equal bins of different copies lie in different banks. PoCL
 * 3.1 loses what a function writes there that it has not inlined: all who take
 * it are ALWAYS_INLINE. */
typedef struct {
  uint bins[HAS_LOCAL_BINS ? LOCAL_BINS * BIN_COPIES : 1];
  uint saturations[HAS_LOCAL_HUES ? N_BINS * HUE_COPIES : 1];
  uint hues[HAS_LOCAL_HUES ? N_HUES * HUE_COPIES : 1];
  uint row_differences[ROWS];
  ulong scratch[GROUP];
} LocalCounts;

/* Codes of one bin that one work-item has met, not yet counted. */
typedef struct {
  uint bin, n;
} Run;

/* An item at work; what follows is the work-item's own. */
typedef struct {
  FigureItem item;
  FigurePlane plane;
  FigureKept kept;
  bool is_first;
  __global uint *counts;
  Run run, saturation_run, hue_run;
  FigureRecord record;
  ulong least, greatest; /* code, or its complement, << PLACE_BITS | place */
} Work;

/* --- counting ------------------------------------------------------------ */

/* Adds @bin, at once with those before and after if they are the same. */
static inline void
count_in_run (const uint bin, __global uint *counts, Run *run)
{
  if (bin != run->bin && run->n > 0) {
    atomic_add (&counts[run->bin], run->n);
    run->n = 0;
  }
  run->bin = bin;
  run->n++;
}

static inline void
end_run (__global uint *counts, const Run *run)
{
  if (run->n > 0)
    atomic_add (&counts[run->bin], run->n);
}

static ALWAYS_INLINE void
count_code (const uint code, __local LocalCounts *local_counts, Work *work)
{
  const uint copy = get_local_id (0) % BIN_COPIES;

  if (HAS_LOCAL_BINS)
    atomic_inc (&local_counts->bins[(code >> LOCAL_FOLD) * BIN_COPIES + copy]);
  else if (HAS (HISTOGRAM))
    count_in_run (code >> FOLD, work->counts, &work->run);
}

static ALWAYS_INLINE void
count_chroma (const uint chroma, __local LocalCounts *local_counts, Work *work)
{
  const uint copy = get_local_id (0) % HUE_COPIES;
  __global uint *saturations = work->counts + SATURATION_WORD;

  if (HAS_LOCAL_HUES) {
    atomic_inc (
        &local_counts->saturations[(chroma & 0xFFFF) * HUE_COPIES + copy]);
    atomic_inc (&local_counts->hues[(chroma >> 16) * HUE_COPIES + copy]);
  } else {
    count_in_run (chroma & 0xFFFF, saturations, &work->saturation_run);
    count_in_run (chroma >> 16, saturations + N_BINS, &work->hue_run);
  }
}

static ALWAYS_INLINE uint
sum_of_copies (const __local uint *bins, const int bin, const int n_copies)
{
  uint sum = 0;

  for (int copy = 0; copy < n_copies; copy++)
    sum += bins[bin * n_copies + copy];

  return sum;
}

/* This work-item's share of a chroma histogram. */
static ALWAYS_INLINE void
add_bins (const __local uint *bins, const int n_bins, __global uint *counts)
{
  for (int i = (int) get_local_id (0); i < n_bins; i += GROUP) {
    const uint n = sum_of_copies (bins, i, HUE_COPIES);

    if (n > 0)
      atomic_add (&counts[i], n);
  }
}

/* This work-item's share of the local histograms: into the span's, and what
 * follows from codes. All have counted, behind a barrier. */
static ALWAYS_INLINE void
add_local_counts (const __local LocalCounts *local_counts, Work *work)
{
  const int i = (int) get_local_id (0);
  __global uint *saturations = work->counts + SATURATION_WORD;

  for (int bin = i; HAS_LOCAL_BINS && bin < LOCAL_BINS; bin += GROUP) {
    const uint n = sum_of_copies (local_counts->bins, bin, BIN_COPIES);

    if (n == 0)
      continue;
    if (HAS (HISTOGRAM))
      atomic_add (&work->counts[bin >> (FOLD - LOCAL_FOLD)], n);
    if (HAS_CODES) {
      work->record.sum += (ulong) n * (uint) bin;
      work->record.sum_squares += (ulong) n * (uint) (bin * bin);
      work->record.bits |= (uint) bin;
      work->record.min = min (work->record.min, (uint) bin);
      work->record.max = max (work->record.max, (uint) bin);
    }
  }

  if (HAS_LOCAL_HUES && work->item.component == CHROMA_LEADER) {
    add_bins (local_counts->saturations, N_BINS, saturations);
    add_bins (local_counts->hues, N_HUES, saturations + N_BINS);
  }
}

static ALWAYS_INLINE void
clear_local_counts (__local LocalCounts *local_counts)
{
  __local uint *words = (__local uint *) local_counts;

  for (int i = (int) get_local_id (0);
       i < (int) (sizeof *local_counts / sizeof *words); i += GROUP)
    words[i] = 0;
}

/* --- samples ------------------------------------------------------------- */

static ALWAYS_INLINE void
add_code (const uint v, const int x, const int y,
    __local LocalCounts *local_counts, Work *work)
{
  if (COUNTS_CODES)
    count_code (v, local_counts, work);
  if (ADDS_SUMS) {
    work->record.sum += v;
    work->record.sum_squares += v * v;
  }
  if (ADDS_BITS)
    work->record.bits |= v;
  if (ADDS_EXTREMES) {
    const ulong place = (ulong) y << PLACE_BITS / 2 | (ulong) x;

    work->least = min (work->least, (ulong) v << PLACE_BITS | place);
    work->greatest = min (work->greatest,
        (ulong) (N_CODES - 1 - v) << PLACE_BITS | place);
  }
  if (HAS_KEPT)
    figure_compare_kept (v, x, y, &work->item, &work->kept, work->is_first,
        &work->record);
}

/* Chunk of four samples from @x on, those that the item has. At the start of a
 * word of bytes they are one load. */
static ALWAYS_INLINE void
add_chunk (__global const SAMPLE_T *row, const int x, const int y,
    __local LocalCounts *local_counts, Work *work)
{
  const int stride = work->plane.pixel_stride;

#if DEPTH == 8
  if (stride == 1 && x >= work->item.x && x + PER_ITEM <= work->item.x_end) {
    const uchar4 v = *(__global const uchar4 *) (row + x);

    add_code (v.x, x, y, local_counts, work);
    add_code (v.y, x + 1, y, local_counts, work);
    add_code (v.z, x + 2, y, local_counts, work);
    add_code (v.w, x + 3, y, local_counts, work);
    return;
  }
#endif
  for (int i = max (x, work->item.x); i < min (x + PER_ITEM, work->item.x_end);
       i++)
    add_code (figure_code (row[i * stride]), i, y, local_counts, work);
}

/* Bytes from the start of a word to (@row + @x); larger samples are loaded one by
 * one. */
static inline int
bytes_into_word (__global const SAMPLE_T *row, const int x)
{
  return DEPTH == 8 ? (int) ((size_t) (row + x) % PER_ITEM) : 0;
}

/* Row @y by LANES work-items. */
static ALWAYS_INLINE void
add_row (const int lane, const int y, __local LocalCounts *local_counts,
    Work *work)
{
  __global const SAMPLE_T *row = figure_row (&work->plane, y);
  const int start = work->item.x - bytes_into_word (row, work->item.x);

  for (int x = start + lane * PER_ITEM; x < work->item.x_end;
       x += LANES * PER_ITEM)
    add_chunk (row, x, y, local_counts, work);
}

/* What the first component alone tells of a row, or all at its samples; the
 * difference to the row that may be repeated goes to *@row_difference. */
static ALWAYS_INLINE void
add_of_first (const FigurePlane *planes, const int lane, const int y,
    const int4 gamut_low, const int4 gamut_high,
    volatile __local uint *row_difference, Work *work)
{
  const FigureItem *item = &work->item;
  const bool has_row = y - VREP_ROWS >= item->top;
  uint difference = 0;

  for (int x = item->x + lane; x < item->x_end; x += LANES) {
    if (HAS (OUTLIERS) && figure_is_outlier (&work->plane, item, x, y))
      work->record.n_outliers++;
    if (HAS (GAMUT) &&
        figure_is_out_of_gamut (planes, x, y, gamut_low, gamut_high))
      work->record.n_out_of_gamut++;
    if (HAS (SHARPNESS))
      work->record.sharpness += figure_square_gradient (&work->plane, item, x,
          y);
    if (HAS (REPETITION) && has_row)
      difference += abs_diff (figure_code_at (&work->plane, x, y),
          figure_code_at (&work->plane, x, y - VREP_ROWS));
  }

  if (HAS (REPETITION))
    atomic_add (row_difference, difference);
}

/* --- reductions ---------------------------------------------------------- */

typedef enum { SUM, LEAST, UNION } Reduction;

/* Of what the work-items of the group hold; all of them must call this. */
static ALWAYS_INLINE ulong
group_reduce (const Reduction reduction, const ulong own,
    __local ulong *scratch)
{
  const int i = (int) get_local_id (0);

  scratch[i] = own;
  for (int reach = GROUP / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach) {
      const ulong a = scratch[i], b = scratch[i + reach];

      scratch[i] = reduction == SUM     ? a + b
                   : reduction == LEAST ? min (a, b)
                                        : a | b;
    }
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  const ulong all = scratch[0];
  barrier (CLK_LOCAL_MEM_FENCE);

  return all;
}

/* Puts that of all work-items in the place of each one's; the conditions are the
 * same for all of them. */
static ALWAYS_INLINE void
group_record (Work *work, __local ulong *scratch)
{
  const ulong place_mask = ((ulong) 1 << PLACE_BITS / 2) - 1;
  FigureRecord *all = &work->record;

  if (HAS (MOMENTS)) {
    all->sum = group_reduce (SUM, all->sum, scratch);
    all->sum_squares = group_reduce (SUM, all->sum_squares, scratch);
  }
  if (HAS (MOMENTS) && HAS_CODES) {
    all->min = (uint) group_reduce (LEAST, all->min, scratch);
    all->max = N_CODES - 1 -
               (uint) group_reduce (LEAST, N_CODES - 1 - all->max, scratch);
  }
  if (ADDS_EXTREMES) {
    const ulong least = group_reduce (LEAST, work->least, scratch);
    const ulong greatest = group_reduce (LEAST, work->greatest, scratch);

    all->min = (uint) (least >> PLACE_BITS);
    all->min_x = (int) (least & place_mask);
    all->min_y = (int) (least >> PLACE_BITS / 2 & place_mask);
    all->max = N_CODES - 1 - (uint) (greatest >> PLACE_BITS);
    all->max_x = (int) (greatest & place_mask);
    all->max_y = (int) (greatest >> PLACE_BITS / 2 & place_mask);
  }
  if (HAS (BITS))
    all->bits = group_reduce (UNION, all->bits, scratch);
  if (HAS (TEMPORAL))
    all->difference = group_reduce (SUM, all->difference, scratch);
  if (HAS (FREEZE))
    all->freeze_difference = group_reduce (SUM, all->freeze_difference,
        scratch);
  if (HAS (SHARPNESS))
    all->sharpness = group_reduce (SUM, all->sharpness, scratch);
  if (HAS (OUTLIERS))
    all->n_outliers = (uint) group_reduce (SUM, all->n_outliers, scratch);
  if (HAS (REPETITION))
    all->n_repeated_rows = (uint) group_reduce (SUM, all->n_repeated_rows,
        scratch);
  if (HAS (GAMUT))
    all->n_out_of_gamut = (uint) group_reduce (SUM, all->n_out_of_gamut,
        scratch);
}

/* --- kernels ------------------------------------------------------------- */

/* Arguments as framefigures_measure. */
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
framefigures_gpu_measure (FIGURE_FRAME_ARGUMENTS,
    __global const FigureItem *items, const int n_items,
    __global SAMPLE_T *frames, const ulong frame_samples,
    __global const FigureRing *ring, const int is_first,
    __global const uint *table, const int4 gamut_low, const int4 gamut_high,
    __global FigureRecord *records, __global uint *counts)
{
  __local LocalCounts local_counts;
  const int index = (int) get_group_id (0);
  const int lane = (int) get_local_id (0) % LANES;
  const int row = (int) get_local_id (0) / LANES;
  const FigurePlane planes[4] = FIGURE_PLANES;
  const FigureItem item = items[index];
  const Run none = { 0, 0 };
  Work work = { item, planes[item.component],
    figure_kept (frames, frame_samples, *ring, widths, heights, item.component),
    is_first != 0, counts + item.histogram, none, none, none,
    figure_record_empty (), ULONG_MAX, ULONG_MAX };

  (void) n_items; /* one group an item, exactly */
  clear_local_counts (&local_counts);
  barrier (CLK_LOCAL_MEM_FENCE);

  for (int first = item.y; first < item.y_end; first += ROWS) {
    const int y = first + row;

    if (y < item.y_end) {
      if (COUNTS_CODES || ADDS_SUMS || ADDS_BITS || ADDS_EXTREMES || HAS_KEPT)
        add_row (lane, y, &local_counts, &work);
      if (item.component == 0)
        add_of_first (planes, lane, y, gamut_low, gamut_high,
            &local_counts.row_differences[row], &work);
      if (HAS (CHROMA) && item.component == CHROMA_LEADER) {
        for (int x = item.x + lane; x < item.x_end; x += LANES)
          count_chroma (figure_chroma (figure_code_at (&planes[1], x, y),
                            figure_code_at (&planes[2], x, y), table),
              &local_counts, &work);
      }
    }

    if (HAS (REPETITION)) {
      barrier (CLK_LOCAL_MEM_FENCE);
      if (lane == 0) {
        work.record.n_repeated_rows += item.component == 0 && y < item.y_end &&
                                       y - VREP_ROWS >= item.top &&
                                       local_counts.row_differences[row] <
                                           (uint) (item.x_end - item.x)
                                               << (DEPTH - 8);
        local_counts.row_differences[row] = 0;
      }
      barrier (CLK_LOCAL_MEM_FENCE);
    }
  }

  end_run (work.counts, &work.run);
  end_run (work.counts + SATURATION_WORD, &work.saturation_run);
  end_run (work.counts + SATURATION_WORD + N_BINS, &work.hue_run);
  barrier (CLK_LOCAL_MEM_FENCE);
  add_local_counts (&local_counts, &work);

  group_record (&work, local_counts.scratch);

  if (get_local_id (0) == 0)
    records[index] = work.record;
}

/* Arguments as framefigures_merge; histograms have been merged as they were
 * counted. */
__kernel __attribute__ ((reqd_work_group_size (MERGE_GROUP, 1, 1))) void
framefigures_gpu_merge (__global const FigureItem *items,
    __global const FigureSpan *spans, const int n_spans,
    __global const FigureRecord *records, __global FigureRecord *results,
    __global uint *counts, __global FigureRing *ring, const int is_first,
    const int n_reference_items, const ulong largest_frozen)
{
  __local FigureRecord merged[MERGE_GROUP];
  __local ulong differences[MERGE_GROUP];
  const int index = (int) get_group_id (0);
  const int i = (int) get_local_id (0);
  const FigureSpan span = spans[index];
  FigureRecord own = figure_record_empty ();
  ulong difference = 0;

  (void) items;
  (void) n_spans; /* one group a span, exactly */
  (void) counts;
  for (int k = i; k < span.n_items; k += MERGE_GROUP)
    own = figure_record_merge (own, records[span.first_item + k]);
  for (int k = i; HAS (FREEZE) && index == 0 && k < n_reference_items;
       k += MERGE_GROUP)
    difference += records[k].freeze_difference;
  merged[i] = own;
  differences[i] = difference;

  for (int reach = MERGE_GROUP / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach) {
      merged[i] = figure_record_merge (merged[i], merged[i + reach]);
      differences[i] += differences[i + reach];
    }
  }

  if (i == 0) {
    results[index] = merged[0];
    if (HAS_KEPT && index == 0)
      *ring = figure_ring_next (*ring,
          is_first == 0 && differences[0] <= largest_frozen);
  }
}

/* Words @first .. @end - 1. */
__kernel __attribute__ ((reqd_work_group_size (CLEAR_GROUP, 1, 1))) void
framefigures_gpu_clear (__global uint *counts, const uint first, const uint end)
{
  const uint word = first + (uint) get_global_id (0);

  if (word < end)
    counts[word] = 0;
}

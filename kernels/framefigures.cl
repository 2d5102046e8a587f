/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* framefigures.cl: figures of regions of a frame
 *
 * Math      per component: histogram, sum, sum of squares, extremes and where
 *           they come first, OR of codes, sums of absolute differences to two
 *           earlier frames. Of the first: outliers, repeated rows, squared
 *           differences of neighbours. Of all: samples out of gamut; of chroma:
 *           histograms of saturation and hue.
 * Shape     regions of a frame, which may overlap, in items: bands of rows of
 *           one component. A region is measured as if it were cut out: what
 *           lies beyond it is nobody's neighbour.
 * Units     samples as stored, their codes measured; offsets and strides of rows
 *           in bytes, pixel strides in samples.
 * Memory    records: one an item, then one a span; counts: histograms of the
 *           spans one after the other, the first item of a span counts there,
 *           others in words of their own; frames: a ring of packed frames.
 * Launch    framefigures_measure: one work-item, one item. framefigures_merge:
 *           dimension 0 is the span, dimension 1 MERGE_WORDS of its histograms.
 *           Local (1, 1, 1).
 * Range     as framestats.cl; squares of differences are no larger.
 * Accuracy  exact: integers; tests/kernels/ref/framefigures.c.
 * Source    FFmpeg's vf_signalstats for outliers, repetition, saturation, hue;
 *           its thresholds are scaled with the depth.
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

#define MERGE_WORDS 2048 /* of histograms, by one work-item */

static inline uint
code_at (const FigurePlane *plane, const int x, const int y)
{
  return figure_code (figure_row (plane, y)[x * plane->pixel_stride]);
}

static inline void
add_sample (const uint v, const int x, const int y, FigureRecord *record)
{
  record->sum += v;
  record->sum_squares += v * v;
  record->bits |= v;
  if (v < record->min) {
    record->min = v;
    record->min_x = x;
    record->min_y = y;
  }
  if (v > record->max || record->max_x < 0) {
    record->max = v;
    record->max_x = x;
    record->max_y = y;
  }
}

/* Compares with the frames before, and leaves the code for those to come. */
static inline void
compare_kept (const uint v, const int x, const int y, const FigureItem *item,
    const FigureKept *kept, const bool is_first, FigureRecord *record)
{
  const ulong at = (ulong) y * (ulong) kept->width + (ulong) x;

  if (HAS (TEMPORAL) && !is_first)
    record->difference += abs_diff (v, (uint) kept->previous[at]);
  if (HAS (FREEZE) && !is_first && item->region == 0)
    record->freeze_difference += abs_diff (v, (uint) kept->reference[at]);
  if (item->is_kept)
    kept->current[at] = (SAMPLE_T) v;
}

/* Whether (x - 1 .. x + 1, y) stick out of the rows @reach above and below. */
static inline bool
three_stick_out (const FigurePlane *plane, const int x, const int y,
    const int reach)
{
  bool all = true;

  for (int i = x - 1; i <= x + 1; i++)
    all = all &&
          figure_sticks_out ((int) code_at (plane, i, y - reach),
              (int) code_at (plane, i, y), (int) code_at (plane, i, y + reach));

  return all;
}

static inline bool
is_outlier (const FigurePlane *plane, const FigureItem *item, const int x,
    const int y)
{
  const bool has_two = y - 2 >= item->top && y + 2 < item->bottom;

  return x > item->x && x + 1 < item->x_end && y > item->top &&
         y + 1 < item->bottom && three_stick_out (plane, x, y, 1) &&
         (!has_two || three_stick_out (plane, x, y, 2));
}

static inline bool
is_repeated (const FigurePlane *plane, const FigureItem *item, const int y)
{
  ulong difference = 0;

  if (y - VREP_ROWS < item->top)
    return false;
  for (int x = item->x; x < item->x_end; x++)
    difference += abs_diff (code_at (plane, x, y),
        code_at (plane, x, y - VREP_ROWS));

  return difference < (ulong) (item->x_end - item->x) << (DEPTH - 8);
}

/* @low, @high: codes within gamut of each component, inclusive. */
static inline bool
is_out_of_gamut (const FigurePlane *planes, const int x, const int y,
    const int4 low, const int4 high)
{
  const int lows[4] = { low.x, low.y, low.z, low.w };
  const int highs[4] = { high.x, high.y, high.z, high.w };
  bool is_out = false;

  for (int c = 0; c < N_COMPONENTS; c++) {
    const bool is_chroma = c == 1 || c == 2;
    const int v = (int) code_at (&planes[c], is_chroma ? x >> X_SHIFT : x,
        is_chroma ? y >> Y_SHIFT : y);

    is_out = is_out || v < lows[c] || v > highs[c];
  }

  return is_out;
}

/* Squares of the differences to the samples on the right and below. */
static inline ulong
square_gradient (const FigurePlane *plane, const FigureItem *item, const int x,
    const int y)
{
  const uint v = code_at (plane, x, y);
  const uint across = x + 1 < item->x_end
                          ? abs_diff (v, code_at (plane, x + 1, y))
                          : 0;
  const uint down = y + 1 < item->bottom
                        ? abs_diff (v, code_at (plane, x, y + 1))
                        : 0;

  return (ulong) (across * across) + down * down;
}

/* What is of the first component alone, or of all at its samples. */
static inline void
add_of_first (const FigurePlane *planes, const FigureItem *item, const int x,
    const int y, const int4 gamut_low, const int4 gamut_high,
    FigureRecord *record)
{
  if (HAS (OUTLIERS) && is_outlier (&planes[0], item, x, y))
    record->n_outliers++;
  if (HAS (REPETITION) && x == item->x && is_repeated (&planes[0], item, y))
    record->n_repeated_rows++;
  if (HAS (GAMUT) && is_out_of_gamut (planes, x, y, gamut_low, gamut_high))
    record->n_out_of_gamut++;
  if (HAS (SHARPNESS))
    record->sharpness += square_gradient (&planes[0], item, x, y);
}

/* Saturation and hue of one chroma sample. */
static inline void
count_chroma (const FigurePlane *planes, const int x, const int y,
    __global const uint *table, __global uint *counts)
{
  const uint chroma = figure_chroma (code_at (&planes[1], x, y),
      code_at (&planes[2], x, y), table);

  counts[SATURATION_WORD + (chroma & 0xFFFF)]++;
  counts[SATURATION_WORD + N_BINS + (chroma >> 16)]++;
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
framefigures_measure (FIGURE_FRAME_ARGUMENTS, __global const FigureItem *items,
    const int n_items, __global SAMPLE_T *frames, const ulong frame_samples,
    __global const FigureRing *ring, const int is_first,
    __global const uint *table, const int4 gamut_low, const int4 gamut_high,
    __global FigureRecord *records, __global uint *counts)
{
  const int index = (int) get_global_id (0);
  const FigurePlane planes[4] = FIGURE_PLANES;
  FigureRecord record = figure_record_empty ();

  if (index >= n_items)
    return;

  const FigureItem item = items[index];
  const FigurePlane plane = planes[item.component];
  const FigureKept kept = figure_kept (frames, frame_samples, *ring, widths,
      heights, item.component);
  __global uint *own = counts + item.histogram;

  for (int word = 0; word < FIGURE_WORDS (item.component); word++)
    own[word] = 0;

  for (int y = item.y; y < item.y_end; y++) {
    for (int x = item.x; x < item.x_end; x++) {
      const uint v = code_at (&plane, x, y);

      add_sample (v, x, y, &record);
      if (HAS (HISTOGRAM))
        own[v >> FOLD]++;
      if (HAS_KEPT)
        compare_kept (v, x, y, &item, &kept, is_first != 0, &record);
      if (item.component == 0)
        add_of_first (planes, &item, x, y, gamut_low, gamut_high, &record);
      if (HAS (CHROMA) && item.component == CHROMA_LEADER)
        count_chroma (planes, x, y, table, own);
    }
  }

  records[index] = record;
}

/* Adds the counts of a span's other items to its first's. */
static inline void
merge_counts (const FigureSpan *span, __global const FigureItem *items,
    const uint first_word, __global uint *counts)
{
  const uint end = min (first_word + MERGE_WORDS, span->n_words);

  for (uint word = first_word; word < end; word++) {
    uint total = span->n_items > 0 ? counts[span->histogram + word] : 0;

    for (int i = 1; i < span->n_items; i++)
      total += counts[items[span->first_item + i].histogram + word];
    counts[span->histogram + word] = total;
  }
}

/* @results: one a span; @counts is the same memory. @n_reference_items: the
 * first so many items are of region 0. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
framefigures_merge (__global const FigureItem *items,
    __global const FigureSpan *spans, const int n_spans,
    __global const FigureRecord *records, __global FigureRecord *results,
    __global uint *counts, __global FigureRing *ring, const int is_first,
    const int n_reference_items, const ulong largest_frozen)
{
  const int index = (int) get_global_id (0);
  const uint first_word = (uint) get_global_id (1) * MERGE_WORDS;

  if (index >= n_spans)
    return;

  const FigureSpan span = spans[index];

  merge_counts (&span, items, first_word, counts);
  if (first_word > 0)
    return;

  FigureRecord merged = figure_record_empty ();
  for (int i = 0; i < span.n_items; i++)
    merged = figure_record_merge (merged, records[span.first_item + i]);
  results[index] = merged;

  if (HAS_KEPT && index == 0) {
    ulong difference = 0;

    for (int i = 0; i < n_reference_items; i++)
      difference += records[i].freeze_difference;
    *ring = figure_ring_next (*ring,
        is_first == 0 && difference <= largest_frozen);
  }
}

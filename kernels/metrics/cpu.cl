/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics/cpu.cl: metrics of regions of a frame, for CPU devices
 *
 * Math      The metrics that metrics/plain.cl defines. Each row is gone over
 *           once for each metric, a vector of 32 bytes at a time, while it
 *           lies in the nearest cache.
 * Shape     Regions in items, bands of rows of one component. The samples of
 *           the first component lie STRIDE_FIRST apart, those of all others
 *           STRIDE_OTHERS.
 * Units     Codes of samples are measured. Offsets and strides of rows are in
 *           bytes.
 * Memory    records: one for each item, then one for each span. counts:
 *           histograms of the spans one after the other. frames: a ring of
 *           packed frames. An item counts in private memory where that is
 *           small, in copies, so that equal neighbours do not wait for each
 *           other; beyond MAX_OWN_BINS it counts in its words of the result,
 *           runs at once. Items with a partner count pairs of chroma codes in
 *           local memory, and leave the records of both.
 * Launch    Local (1, 1, 1). metrics_cpu_measure: a work-item for an item.
 *           metrics_cpu_merge: dimension 0 is the span, dimension 1
 *           METRIC_MERGE_WORDS of its histograms.
 * Range     Elements of WIDE_T hold the sums of SEGMENT_STEPS pairs of
 *           samples, lanes of bytes COUNT_STEPS counts. Squares are summed
 *           modulo the range of WIDE_T, with their upper halves beside that.
 * Accuracy  Integers are exact. The reference is
 *           tests/metrics/metricsreference.c.
 * Source    With a private histogram of all codes, sums and extremes follow
 *           from it; where a new extreme was met is looked for in one row only.
 */

#include "cl_common.clh"
#include "cl_metriclanes.clh"
#include "cl_metricpairs.clh"
#include "cl_metricparts.clh"
#include "cl_metrics.clh"
#include "cl_metrictable.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#ifndef STRIDE_FIRST
#define STRIDE_FIRST 1 /* samples, 1 .. 4 */
#endif
#ifndef STRIDE_OTHERS
#define STRIDE_OTHERS 1
#endif

/* Vectors of a row that may repeat another, before their sum is looked at: few
 * rows do, and most differ at once. */
#define REPETITION_STEPS 8

#define GRADIENT_STEPS 60 /* cl_metriclanes.clh: SEGMENT_STEPS, with two each */

/* Private histograms: of all codes up to 12 bits, else of the bins. */
#define MAX_OWN_BINS 4096
#define OWN_FOLD     (DEPTH > 12 ? FOLD : 0)
#define OWN_BINS     (N_CODES >> OWN_FOLD)
#define HAS_OWN_BINS (HAS (HISTOGRAM) && OWN_BINS <= MAX_OWN_BINS)
#define HAS_OWN_HUES (HAS (CHROMA) && N_BINS <= MAX_OWN_BINS)
#define HAS_CODES    (HAS_OWN_BINS && OWN_FOLD == 0)

/* What does not follow from a histogram of codes. */
#define ADDS_SUMS     (HAS (MOMENTS) && !HAS_CODES)
#define ADDS_BITS     (HAS (BITS) && !HAS_CODES)
#define ADDS_EXTREMES (HAS (POSITIONS) || ADDS_SUMS)

/* Copies of a private histogram, that neighbours count in by turns: what has
 * just been added to is slow to add to again, and pictures are smooth. As many
 * as the nearest cache holds. */
#define BIN_COPIES (OWN_BINS > 1024 ? 2 : OWN_BINS > 256 ? 4 : 8)
#define HUE_COPIES 4

typedef struct {
  uint bins[HAS_OWN_BINS ? BIN_COPIES : 1][HAS_OWN_BINS ? OWN_BINS : 1];
  uint saturations[HAS_OWN_HUES ? HUE_COPIES : 1][HAS_OWN_HUES ? N_BINS : 1];
  uint hues[HAS_OWN_HUES ? HUE_COPIES : 1][HAS_OWN_HUES ? N_HUES : 1];
} OwnCounts;

/* An item at work. */
typedef struct {
  MetricItem item;
  const Plane *planes; /* of all components */
  Plane plane;         /* of its own */
  MetricKept kept;
  bool is_first;
  RowCover row;
} BandWork;

/* Where the row at @p first has @code, which it has. */
static inline int
find_code (__global const SAMPLE_T *p, const int stride, const uint code)
{
  int x = 0;

  while (metric_code (p[x * stride]) != code)
    x++;

  return x;
}

/* --- histograms ---------------------------------------------------------- */

/* Counts the codes of @v: at once if they are all the first. */
static ALWAYS_INLINE void
count_codes (const LANES_T v, OwnCounts *own)
{
  const ULONGS_T words = AS_ULONGS (v);
#if LANE_ULONGS == 4
  const ulong word[4] = { words.x, words.y, words.z, words.w };
  const bool are_equal = word[0] == word[1] && word[0] == word[2] &&
                         word[0] == word[3];
#else
  const ulong word[2] = { words.x, words.y };
  const bool are_equal = word[0] == word[1];
#endif

  if (are_equal && word[0] == rotate (word[0], (ulong) SAMPLE_BITS)) {
    own->bins[0][(SAMPLE_T) word[0] >> OWN_FOLD] += LANES;
    return;
  }

#pragma unroll
  for (int i = 0; i < LANES; i++) {
    const SAMPLE_T code = (SAMPLE_T) (word[i / PER_ULONG] >>
                                      SAMPLE_BITS * (i % PER_ULONG));

    own->bins[i % BIN_COPIES][code >> OWN_FOLD]++;
  }
}

static ALWAYS_INLINE void
count_row (const RowCover *row, __global const SAMPLE_T *p, const int stride,
    OwnCounts *own)
{
  for (int x = 0; x < row->n_all; x += LANES)
    count_codes (load_codes (p + x * stride, stride), own);
  for (int x = row->n_all; x < row->n; x++)
    own->bins[x % BIN_COPIES][metric_code (p[x * stride]) >> OWN_FOLD]++;
}

/* Counts the codes of a row in the words of the result, where there are too
 * many bins for private ones. */
static ALWAYS_INLINE void
count_runs (const RowCover *row, __global const SAMPLE_T *p, const int stride,
    __global uint *bins)
{
  uint bin = metric_code (p[0]) >> FOLD;
  int start = 0;

  for (int x = 1; x < row->n; x++) {
    const uint next = metric_code (p[x * stride]) >> FOLD;

    if (next != bin) {
      bins[bin] += (uint) (x - start);
      bin = next;
      start = x;
    }
  }
  bins[bin] += (uint) (row->n - start);
}

/* All copies into the first. */
static inline void
join_copies (OwnCounts *own)
{
  for (int copy = 1; HAS_OWN_BINS && copy < BIN_COPIES; copy++) {
    for (int i = 0; i < OWN_BINS; i++)
      own->bins[0][i] += own->bins[copy][i];
  }
  for (int copy = 1; HAS_OWN_HUES && copy < HUE_COPIES; copy++) {
    for (int i = 0; i < N_BINS; i++)
      own->saturations[0][i] += own->saturations[copy][i];
    for (int i = 0; i < N_HUES; i++)
      own->hues[0][i] += own->hues[copy][i];
  }
}

/* What follows from the counts of all codes. */
static inline void
add_counted (const uint *bins, MetricRecord *record)
{
  for (uint code = 0; code < OWN_BINS; code++) {
    if (bins[code] == 0)
      continue;
    record->sum += (ulong) bins[code] * code;
    record->sum_squares += (ulong) bins[code] * (code * code);
    record->bits |= code;
    record->least = min (record->least, code);
    record->greatest = max (record->greatest, code);
  }
}

/* --- moments, extremes --------------------------------------------------- */

static inline void
note_extremes (__global const SAMPLE_T *p, const int stride,
    const MetricItem *item, const int y, const uint low, const uint high,
    MetricRecord *record)
{
  if (low < record->least) {
    record->least = low;
    record->least_x = HAS (POSITIONS) ? item->x + find_code (p, stride, low)
                                      : 0;
    record->least_y = y;
  }
  if (high > record->greatest || record->greatest_y < 0) {
    record->greatest = high;
    record->greatest_x = HAS (POSITIONS) ? item->x + find_code (p, stride, high)
                                         : 0;
    record->greatest_y = y;
  }
}

/* Extremes and bits in use of a row, lane by lane. */
typedef struct {
  LANES_T low, high, bits;
} Extremes;

/* Sums of squares of pairs: modulo WIDE_T's range, and of their upper halves
 * beside that. */
typedef struct {
  PAIRS_T all, upper;
} SquareSums;

static ALWAYS_INLINE void
add_square (const PAIRS_T v, SquareSums *sums)
{
  const PAIRS_T square = v * v;

  sums->all += square;
  sums->upper += square >> (PAIRS_T) (SAMPLE_BITS);
}

/* Returns the sum of all squares. Each element of sums holds at most 2 *
 * SEGMENT_STEPS of them. */
static inline ulong
total_squares (const SquareSums *sums)
{
  const PAIRS_T lower = sums->all - (sums->upper << (PAIRS_T) (SAMPLE_BITS));

  return ((ulong) sum_pairs (sums->upper) << SAMPLE_BITS) + sum_pairs (lower);
}

/* These are sums of at most SEGMENT_STEPS vectors. */
typedef struct {
  PAIRS_T sum;
  SquareSums squares;
} Sums;

static ALWAYS_INLINE void
add_pairs_of_row (const PAIRS_T v, Sums *sums)
{
  sums->sum += v;
  add_square (v, &sums->squares);
}

/* Adds the lanes of @v that @is_new has all ones in. */
static ALWAYS_INLINE void
add_lanes (const LANES_T v, const LANES_T is_new, Sums *sums,
    Extremes *extremes)
{
  const LANES_T added = v & is_new;

  extremes->low = lesser (extremes->low, v);
  extremes->high = greater (extremes->high, v);
  if (ADDS_BITS)
    extremes->bits |= v;
  if (ADDS_SUMS) {
    add_pairs_of_row (even_lanes (added), sums);
    add_pairs_of_row (odd_lanes (added), sums);
  }
}

static ALWAYS_INLINE void
flush_sums (const Sums *sums, MetricRecord *record)
{
  if (!ADDS_SUMS)
    return;

  record->sum += sum_pairs (sums->sum);
  record->sum_squares += total_squares (&sums->squares);
}

static ALWAYS_INLINE void
add_row (const BandWork *work, __global const SAMPLE_T *p, const int stride,
    const int y, MetricRecord *record)
{
  const RowCover *row = &work->row;
  const Sums none = { (PAIRS_T) (0), { (PAIRS_T) (0), (PAIRS_T) (0) } };
  const LANES_T all = ~(LANES_T) (0);
  Extremes extremes = { all, (LANES_T) (0), (LANES_T) (0) };
  uint row_low = UINT_MAX, row_high = 0;

  for (int x = 0; x < row->n_all;) {
    const int end = min (row->n_all, x + SEGMENT_STEPS * LANES);
    Sums sums = none;

    for (; x < end; x += LANES)
      add_lanes (load_codes (p + x * stride, stride), all, &sums, &extremes);
    flush_sums (&sums, record);
  }
  if (has_tail (row)) {
    Sums sums = none;

    add_lanes (load_codes (p + (row->n - LANES) * stride, stride), row->tail,
        &sums, &extremes);
    flush_sums (&sums, record);
  }
  if (row->n_done > 0) {
    row_low = least (extremes.low);
    row_high = greatest (extremes.high);
  }
  for (int x = row->n_done; x < row->n; x++) {
    const uint v = metric_code (p[x * stride]);

    row_low = min (row_low, v);
    row_high = max (row_high, v);
    if (ADDS_SUMS) {
      record->sum += v;
      record->sum_squares += v * v;
    }
    if (ADDS_BITS)
      record->bits |= v;
  }

  if (ADDS_EXTREMES)
    note_extremes (p, stride, &work->item, y, row_low, row_high, record);
  if (ADDS_BITS)
    record->bits |= any_of (extremes.bits);
}

/* --- other rows, other frames -------------------------------------------- */

/* Lanes of a row at @p that is compared with codes at @q, @q_stride apart. */
static ALWAYS_INLINE LANES_T
differ (__global const SAMPLE_T *p, const int stride,
    __global const SAMPLE_T *q, const int q_stride, const bool are_codes,
    const int x)
{
  return difference (load_codes (p + x * stride, stride),
      are_codes ? load_lanes (q + x) : load_codes (q + x * q_stride, q_stride));
}

/* Sum of absolute differences of the row at @p to codes at @q, whose samples
 * lie @q_stride apart; what comes behind the vector that reaches @enough is not
 * added. @n_steps: vectors from one look at that to the next. */
static ALWAYS_INLINE ulong
sum_differences (const RowCover *row, __global const SAMPLE_T *p,
    const int stride, __global const SAMPLE_T *q, const int q_stride,
    const bool are_codes, const int n_steps, const ulong enough)
{
  ulong total = 0;

  for (int x = 0; x < row->n_all && total < enough;) {
    const int end = min (row->n_all, x + n_steps * LANES);
    PAIRS_T sum = (PAIRS_T) (0);

    for (; x < end; x += LANES)
      sum += sum_of_pairs (differ (p, stride, q, q_stride, are_codes, x));
    total += sum_pairs (sum);
  }
  if (has_tail (row))
    total += sum_pairs (
        sum_of_pairs (row->tail & differ (p, stride, q, q_stride, are_codes,
                                      row->n - LANES)));
  for (int x = row->n_done; x < row->n; x++) {
    const SAMPLE_T other = q[x * q_stride];

    total += abs_diff (metric_code (p[x * stride]),
        are_codes ? (uint) other : metric_code (other));
  }

  return total;
}

static ALWAYS_INLINE ulong
compare_to_kept (const RowCover *row, __global const SAMPLE_T *p,
    const int stride, __global const SAMPLE_T *kept)
{
  return sum_differences (row, p, stride, kept, 1, true, SEGMENT_STEPS,
      ULONG_MAX);
}

static ALWAYS_INLINE void
keep_row (const RowCover *row, __global const SAMPLE_T *p, const int stride,
    __global SAMPLE_T *kept)
{
  for (int x = 0; x < row->n_all; x += LANES)
    store_lanes (load_codes (p + x * stride, stride), kept + x);
  for (int x = row->n_all; x < row->n; x++)
    kept[x] = (SAMPLE_T) metric_code (p[x * stride]);
}

/* While pictures move, the reference is the frame before. */
static ALWAYS_INLINE void
compare_row (const BandWork *work, __global const SAMPLE_T *p, const int stride,
    const int y, MetricRecord *record)
{
  const MetricKept *kept = &work->kept;
  const ulong at = (ulong) y * (ulong) kept->stride + (ulong) work->item.x;
  const bool is_previous = HAS (TEMPORAL) && kept->reference == kept->previous;
  ulong difference = 0;

  if (HAS (TEMPORAL) && !work->is_first) {
    difference = compare_to_kept (&work->row, p, stride, kept->previous + at);
    record->difference += difference;
  }
  if (HAS (FREEZE) && !work->is_first && work->item.region == 0)
    record->freeze_difference += is_previous
                                     ? difference
                                     : compare_to_kept (&work->row, p, stride,
                                           kept->reference + at);
  if (work->item.is_kept)
    keep_row (&work->row, p, stride, kept->current + at);
}

static ALWAYS_INLINE bool
is_row_repeated (const BandWork *work, __global const SAMPLE_T *p,
    const int stride, const int y)
{
  const ulong enough = (ulong) work->row.n << (DEPTH - 8);

  return y - VREP_ROWS >= work->item.top &&
         sum_differences (&work->row, p, stride,
             plane_row (&work->plane, y - VREP_ROWS) + work->item.x * stride,
             stride, false, REPETITION_STEPS, enough) < enough;
}

/* --- outliers ------------------------------------------------------------ */

/* Rows above and below, one and two away. */
typedef struct {
  __global const SAMPLE_T *above_2, *above, *row, *below, *below_2;
  bool has_two;
} Around;

/* All ones in lanes whose @v sticks out: metric_sticks_out(). Twice what is
 * beyond OUTLIER_STEP is compared with the spread: lanes are not halved. Where
 * the double does not fit, the spread is below what is left. */
static ALWAYS_INLINE LANES_T
stick_out (const LANES_T above, const LANES_T v, const LANES_T below)
{
  const LANES_T low = lesser (above, below), high = greater (above, below);
  const LANES_T beyond = subtract_to_0 (
      greater (subtract_to_0 (v, high), subtract_to_0 (low, v)),
      (LANES_T) (OUTLIER_STEP));
  const LANES_T twice = beyond + lesser (beyond, ~beyond);

  return AS_LANES (subtract_to_0 (twice, (LANES_T) (1)) > high - low);
}

static ALWAYS_INLINE LANES_T
columns_stick_out (const Around *around, const int x, const int stride)
{
  const int at = x * stride;
  const LANES_T v = load_codes (around->row + at, stride);
  const LANES_T near = stick_out (load_codes (around->above + at, stride), v,
      load_codes (around->below + at, stride));

  if (!around->has_two)
    return near;

  return near & stick_out (load_codes (around->above_2 + at, stride), v,
                    load_codes (around->below_2 + at, stride));
}

static ALWAYS_INLINE bool
column_sticks_out (const Around *around, const int x, const int stride)
{
  const int at = x * stride;
  const int v = (int) metric_code (around->row[at]);

  return metric_sticks_out ((int) metric_code (around->above[at]), v,
             (int) metric_code (around->below[at])) &&
         (!around->has_two ||
             metric_sticks_out ((int) metric_code (around->above_2[at]), v,
                 (int) metric_code (around->below_2[at])));
}

/* Lanes of @now that lie between two others that stick out, too: @before is
 * what the sample before the first does, @after that behind the last. */
static ALWAYS_INLINE LANES_T
between_others (const SAMPLE_T before, const LANES_T now, const SAMPLE_T after)
{
  return now & shift_up (before, now) & shift_down (now, after);
}

static ALWAYS_INLINE SAMPLE_T
column_lane (const Around *around, const int x, const int stride)
{
  return (SAMPLE_T) (column_sticks_out (around, x, stride) ? -1 : 0);
}

/* Outliers are columns that stick out between two others that do; none do
 * beyond the region, so that its own margins hold none. */
static ALWAYS_INLINE uint
count_outliers_of_row (const RowCover *row, const Around *around,
    const int stride)
{
  const LANES_T one = (LANES_T) (1);
  uint n_outliers = 0;
  SAMPLE_T before = 0;
  LANES_T now = (LANES_T) (0);

  if (row->n_all > 0)
    now = columns_stick_out (around, 0, stride);
  for (int x = 0; x < row->n_all;) {
    const int end = min (row->n_all, x + SEGMENT_STEPS * LANES);
    LANES_T count = (LANES_T) (0);

    for (; x < end; x += LANES) {
      const int next = x + LANES;
      const LANES_T then = next < row->n_all
                               ? columns_stick_out (around, next, stride)
                               : (LANES_T) (next < row->n ? column_lane (around,
                                                                next, stride)
                                                          : 0);

      count += between_others (before, now, FIRST_LANE (then)) & one;
      before = LAST_LANE (now);
      now = then;
    }
    n_outliers += sum_pairs (sum_of_pairs (count));
  }
  if (has_tail (row)) {
    const int x = row->n - LANES;

    n_outliers += sum_pairs (sum_of_pairs (
        between_others (x > 0 ? column_lane (around, x - 1, stride) : 0,
            columns_stick_out (around, x, stride), 0) &
        row->tail & one));
  }
  for (int x = max (row->n_done, 1); x + 1 < row->n; x++)
    n_outliers += column_sticks_out (around, x, stride) &&
                  column_sticks_out (around, x - 1, stride) &&
                  column_sticks_out (around, x + 1, stride);

  return n_outliers;
}

static ALWAYS_INLINE uint
count_outliers (const BandWork *work, const int stride, const int y)
{
  const MetricItem *item = &work->item;
  const int first = item->x * stride;
  const bool has_two = y - 2 >= item->top && y + 2 < item->bottom;

  if (y - 1 < item->top || y + 1 >= item->bottom)
    return 0;

  const Around around = { plane_row (&work->plane, has_two ? y - 2 : y) + first,
    plane_row (&work->plane, y - 1) + first,
    plane_row (&work->plane, y) + first,
    plane_row (&work->plane, y + 1) + first,
    plane_row (&work->plane, has_two ? y + 2 : y) + first, has_two };

  return count_outliers_of_row (&work->row, &around, stride);
}

/* --- gamut --------------------------------------------------------------- */

/* All ones in lanes beyond @low .. @low + @span. */
static inline LANES_T
beyond_span (const LANES_T v, const int low, const int span)
{
  return AS_LANES (
      v - (LANES_T) ((SAMPLE_T) low) > (LANES_T) ((SAMPLE_T) span));
}

/* Lane i of vector @part of the 1 << X_SHIFT that a vector of chroma spreads to
 * is its lane (LANES * part + i) >> X_SHIFT. */
static ALWAYS_INLINE LANES_T
spread (const LANES_T v, const int part)
{
#if X_SHIFT == 0
  (void) part; /* there is one */

  return v;
#elif X_SHIFT == 1 && LANES == 32
  const SAMPLE16_T side = part == 0 ? v.lo : v.hi;

  return (
      LANES_T) (side.s00112233, side.s44556677, side.s8899aabb, side.sccddeeff);
#elif X_SHIFT == 1
  const VECTOR_T (SAMPLE_T, 8) side = part == 0 ? v.lo : v.hi;

  return (LANES_T) (side.s00112233, side.s44556677);
#elif X_SHIFT == 2 && LANES == 32
  const SAMPLE16_T side = part < 2 ? v.lo : v.hi;
  const VECTOR_T (SAMPLE_T, 8) q = part & 1 ? side.hi : side.lo;

  return (LANES_T) (q.s00001111, q.s22223333, q.s44445555, q.s66667777);
#elif X_SHIFT == 2
  const VECTOR_T (SAMPLE_T, 8) side = part < 2 ? v.lo : v.hi;
  const VECTOR_T (SAMPLE_T, 4) q = part & 1 ? side.hi : side.lo;

  return (LANES_T) (q.xxxx, q.yyyy, q.zzzz, q.wwww);
#else
#error "X_SHIFT is 0 .. 2"
#endif
}

/* All ones where the chroma of sample @x, or of one of the next, is beyond;
 * LANES samples of the chroma components. */
static ALWAYS_INLINE LANES_T
chroma_beyond (const BandWork *work, const int x, const int y, const int4 low,
    const int4 span)
{
  LANES_T is_out = (LANES_T) (0);

#if N_COMPONENTS == 1
  (void) work; /* without chroma */
  (void) x;
  (void) y;
  (void) low;
  (void) span;
#endif
#if N_COMPONENTS > 1
  is_out |= beyond_span (
      load_codes (plane_row (&work->planes[1], y) + x * STRIDE_OTHERS,
          STRIDE_OTHERS),
      low.y, span.y);
#endif
#if N_COMPONENTS > 2
  is_out |= beyond_span (
      load_codes (plane_row (&work->planes[2], y) + x * STRIDE_OTHERS,
          STRIDE_OTHERS),
      low.z, span.z);
#endif

  return is_out;
}

/* All ones where component @c, of full size, is beyond, of LANES samples from
 * @x on. */
static ALWAYS_INLINE LANES_T
full_beyond (const BandWork *work, const int x, const int y, const int c,
    const int low, const int span)
{
  const int stride = c == 0 ? STRIDE_FIRST : STRIDE_OTHERS;

  return beyond_span (
      load_codes (plane_row (&work->planes[c], y) + x * stride, stride), low,
      span);
}

/* Whether a component other than the first is beyond anywhere in row @y of the
 * item; true of rows too narrow for a vector. */
static ALWAYS_INLINE bool
are_others_beyond (const BandWork *work, const int y, const int4 low,
    const int4 high)
{
  const int x = work->item.x >> X_SHIFT;
  const int n = ((work->item.x_end - 1) >> X_SHIFT) - x + 1;
  const int4 span = high - low;
  LANES_T is_out = (LANES_T) (0);

  if (n < LANES)
    return true;

  for (int i = 0; i < n; i += LANES)
    is_out |= chroma_beyond (work, x + min (i, n - LANES), y >> Y_SHIFT, low,
        span);
#if N_COMPONENTS > 3
  for (int i = 0; i < work->row.n; i += LANES)
    is_out |= full_beyond (work, work->item.x + min (i, work->row.n - LANES), y,
        3, low.w, span.w);
#endif

  return any_of (is_out) != 0;
}

/* All ones in the lanes that are counted, of LANES samples from @x on whose
 * chroma is @chroma. With counts of all codes it is known how often the first
 * component is beyond: those samples are not counted. */
static ALWAYS_INLINE LANES_T
out_of_gamut (const BandWork *work, const int x, const int y,
    const LANES_T chroma, const int4 low, const int4 span)
{
  const LANES_T first = full_beyond (work, x, y, 0, low.x, span.x);
  LANES_T others = chroma;

#if N_COMPONENTS > 3
  others |= full_beyond (work, x, y, 3, low.w, span.w);
#endif

  return HAS_CODES ? others & ~first : others | first;
}

static inline bool
is_out_of_gamut (const BandWork *work, const int x, const int y, const int4 low,
    const int4 high)
{
  const int v = (int) metric_code (
      plane_row (&work->plane, y)[x * STRIDE_FIRST]);
  const bool is_first_out = v < low.x || v > high.x;

  return !(HAS_CODES && is_first_out) &&
         metric_is_out_of_gamut (work->planes, x, y, low, high);
}

static inline uint
count_out_of_gamut (const BandWork *work, const int y, const int4 low,
    const int4 high)
{
  const int step = LANES << X_SHIFT;
  const int end = work->item.x_end;
  const int4 span = high - low;
  uint n_out = 0;
  int x = work->item.x;

  for (; x < end && (x & ((1 << X_SHIFT) - 1)) != 0; x++)
    n_out += is_out_of_gamut (work, x, y, low, high);

  while (x + step <= end) {
    LANES_T count = (LANES_T) (0);

    for (int i = 0; i < COUNT_STEPS && x + step <= end; i++, x += step) {
      const LANES_T chroma = chroma_beyond (work, x >> X_SHIFT, y >> Y_SHIFT,
          low, span);

      for (int part = 0; part < 1 << X_SHIFT; part++)
        count += out_of_gamut (work, x + part * LANES, y, spread (chroma, part),
                     low, span) &
                 (LANES_T) (1);
    }
    n_out += sum_pairs (sum_of_pairs (count));
  }

  for (; x < end; x++)
    n_out += is_out_of_gamut (work, x, y, low, high);

  return n_out;
}

/* How many of the counted codes of the first component are beyond. */
static inline uint
count_codes_beyond (const uint *bins, const int low, const int high)
{
  uint n_out = 0;

  for (int code = 0; code < OWN_BINS; code++)
    n_out += code < low || code > high ? bins[code] : 0;

  return n_out;
}

/* --- sharpness ----------------------------------------------------------- */

static ALWAYS_INLINE void
add_gradient (const LANES_T d, SquareSums *sums)
{
  add_square (even_lanes (d), sums);
  add_square (odd_lanes (d), sums);
}

/* Squared differences of a row of @n > LANES samples at @p to what is on the
 * right, and to the row at @below. */
static ALWAYS_INLINE ulong
sum_gradients_of_row (__global const SAMPLE_T *p,
    __global const SAMPLE_T *below, const int stride, const int n)
{
  const SquareSums none = { (PAIRS_T) (0), (PAIRS_T) (0) };
  const int n_all = (n - 1) / LANES * LANES; /* with samples on the right */
  const int across = (n - 1 - LANES) * stride, down = (n - LANES) * stride;
  ulong total = 0;
  SquareSums sums = none;

  for (int x = 0; x < n_all;) {
    const int end = min (n_all, x + GRADIENT_STEPS * LANES);

    for (; x < end; x += LANES) {
      const LANES_T v = load_codes (p + x * stride, stride);

      add_gradient (difference (v, load_codes (p + (x + 1) * stride, stride)),
          &sums);
      add_gradient (difference (v, load_codes (below + x * stride, stride)),
          &sums);
    }
    total += total_squares (&sums);
    sums = none;
  }

  add_gradient (difference (load_codes (p + across, stride),
                    load_codes (p + across + stride, stride)) &
                    last_lanes (n - 1 - n_all),
      &sums);
  add_gradient (difference (load_codes (p + down, stride),
                    load_codes (below + down, stride)) &
                    last_lanes (n - n_all),
      &sums);

  return total + total_squares (&sums);
}

/* Squared differences of a row to what is on the right and, unless it is the
 * last, to the row below. */
static ALWAYS_INLINE ulong
sum_gradients (const BandWork *work, __global const SAMPLE_T *p,
    const int stride, const int y)
{
  const int below_y = min (y + 1, work->item.bottom - 1);
  __global const SAMPLE_T *below = plane_row (&work->plane, below_y) +
                                   work->item.x * stride;
  const int n = work->row.n;
  ulong total = 0;

  if (n > LANES)
    return sum_gradients_of_row (p, below, stride, n);

  for (int x = 0; x < n; x++) {
    const uint v = metric_code (p[x * stride]);
    const uint across = x + 1 < n
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

#if DEPTH > 8 && DEPTH <= MAX_QUADRANT_DEPTH
/* Counts LANES pairs, each as metric_chroma_of_quadrant() tells: where in the
 * table they are is found for all of them at once. */
static ALWAYS_INLINE void
count_pairs_of_quadrants (const LANES_T u, const LANES_T v,
    __global const uint *table, OwnCounts *own)
{
  const short16 from_u = as_short16 (u) - (short16) (N_CODES / 2);
  const short16 from_v = as_short16 (v) - (short16) (N_CODES / 2);
  const short16 is_v_negative = from_v < (short16) (0);
  const short16 is_u_negative = from_u < (short16) (0);
  const short16 is_u_zero = from_u == (short16) (0);
  const short16 in_0 = is_v_negative & (is_u_negative | is_u_zero);
  const short16 in_90 = is_u_negative & ~in_0;
  const short16 in_180 = ~is_u_negative & ~in_0 &
                         (is_u_zero | (from_v > (short16) (0)));
  const ushort16 first = select (
      select (select ((ushort16) (270), (ushort16) (180), in_180),
          (ushort16) (90), in_90),
      (ushort16) (0), in_0);
  const short16 is_v_x = in_0 | in_180;
  const ushort16 x = select (abs (from_u), abs (from_v), is_v_x);
  const ushort16 y = select (abs (from_v), abs (from_u), is_v_x);
  ushort hue[16];
  uint at[16];

  vstore16 (first, 0, hue);
  vstore16 (convert_uint16 (y) +
                convert_uint16 (x) * (uint16) (N_CODES / 2 + 1),
      0, at);
#pragma unroll
  for (int i = 0; i < 16; i++)
    count_pair (table[at[i]] + ((uint) hue[i] << 16), i % HUE_COPIES, own);
}
#endif

static ALWAYS_INLINE void
count_chroma (const BandWork *work, __global const SAMPLE_T *u, const int y,
    __global const uint *table, OwnCounts *own, __global uint *counts)
{
  __global const SAMPLE_T *v = plane_row (&work->planes[2], y) +
                               work->item.x * STRIDE_OTHERS;
  int x = 0;

#if DEPTH == 8
  for (; x + 16 <= work->row.n; x += 16) {
    const int at = x * STRIDE_OTHERS;
    const ulong4 words = as_ulong4 (
        convert_ushort16 (load16_apart (u + at, STRIDE_OTHERS)) |
        convert_ushort16 (load16_apart (v + at, STRIDE_OTHERS))
            << (ushort16) (8));
    const ulong word[4] = { words.x, words.y, words.z, words.w };

#pragma unroll
    for (int i = 0; i < 16; i++)
      count_pair (table[(ushort) (word[i / 4] >> 16 * (i % 4))], i % HUE_COPIES,
          own);
  }
#elif DEPTH <= MAX_QUADRANT_DEPTH
  for (; x + LANES <= work->row.n; x += LANES)
    count_pairs_of_quadrants (load_codes (u + x * STRIDE_OTHERS, STRIDE_OTHERS),
        load_codes (v + x * STRIDE_OTHERS, STRIDE_OTHERS), table, own);
#endif
  for (; x < work->row.n; x++) {
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

/* Adds what the first component alone tells, at row @y. @has_others_beyond is
 * kept from one row to the next: they may share a row of chroma. */
static ALWAYS_INLINE void
add_of_first (const BandWork *work, __global const SAMPLE_T *p, const int y,
    const int4 gamut_low, const int4 gamut_high, bool *has_others_beyond,
    MetricRecord *record)
{
  if (HAS (OUTLIERS))
    record->n_outliers += count_outliers (work, STRIDE_FIRST, y);
  if (HAS (REPETITION))
    record->n_repeated_rows += is_row_repeated (work, p, STRIDE_FIRST, y);
  if (HAS (GAMUT)) {
#if N_COMPONENTS > 3
    const bool is_another_row = true;
#else
    const bool is_another_row = y == work->item.y ||
                                (y & ((1 << Y_SHIFT) - 1)) == 0;
#endif

    if (HAS_CODES && is_another_row)
      *has_others_beyond = are_others_beyond (work, y, gamut_low, gamut_high);
    if (!HAS_CODES || *has_others_beyond)
      record->n_out_of_gamut += count_out_of_gamut (work, y, gamut_low,
          gamut_high);
  }
  if (HAS (SHARPNESS))
    record->sharpness += sum_gradients (work, p, STRIDE_FIRST, y);
}

/* Adds what every component tells beside its codes' counts. */
static ALWAYS_INLINE void
measure_row (const BandWork *work, __global const SAMPLE_T *p, const int y,
    const int stride, MetricRecord *record)
{
  if (ADDS_SUMS || ADDS_EXTREMES || ADDS_BITS)
    add_row (work, p, stride, y, record);
  if (HAS_KEPT)
    compare_row (work, p, stride, y, record);
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

/* Adds @bins to the item's words. */
static inline void
store_bins (const uint *bins, __global uint *counts)
{
  for (int i = 0; HAS_OWN_BINS && i < OWN_BINS; i++)
    counts[i >> (FOLD - OWN_FOLD)] += bins[i];
}

static inline void
store_chroma (const uint *saturations, const uint *hues, __global uint *counts)
{
  for (int i = 0; i < N_BINS; i++)
    counts[SATURATION_WORD + i] = saturations[i];
  for (int i = 0; i < N_HUES; i++)
    counts[SATURATION_WORD + N_BINS + i] = hues[i];
}

/* What all items of a launch share. */
typedef struct {
  const Plane *planes;
  __global const MetricItem *items;
  __global SAMPLE_T *frames;
  ulong frame_samples;
  MetricRing ring;
  int4 widths, heights;
  bool is_first;
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
    metric_kept (launch->frames, launch->frame_samples, launch->ring,
        launch->widths, launch->heights, item.component),
    launch->is_first, cover_row (item.x_end - item.x) };
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
  OwnCounts own;

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
/* Leaves what was found of an item, and the counts of its codes. */
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

/* Both chroma components in the rows of the item @index. */
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
    __global const MetricRing *ring, const int is_first,
    __global const uint *table, const int4 gamut_low, const int4 gamut_high,
    __global MetricRecord *records, __global uint *counts)
{
  const int index = (int) get_global_id (0);
  const Plane planes[4] = PLANES;
  const Launch launch = { planes, items, frames, frame_samples, *ring, widths,
    heights, is_first != 0, table, gamut_low, gamut_high, records, counts };
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics/cpu.cl: metrics of regions of a frame, for CPU devices
 *
 * Math      The metrics that metrics/plain.cl defines. Each row is gone over
 *           once for each metric, 16 samples at a time, while it lies in the
 *           nearest cache.
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
 *           runs at once.
 * Launch    Local (1, 1, 1). metrics_cpu_measure: a work-item for an item.
 *           metrics_cpu_merge: dimension 0 is the span, dimension 1
 *           METRIC_MERGE_WORDS of its histograms.
 * Range     Lanes of WIDE_T hold the sums of SEGMENT_STEPS samples, lanes of
 *           bytes COUNT_STEPS counts. Squares are summed in 64 bits where 32
 *           are not enough.
 * Accuracy  Integers are exact. The reference is
 *           tests/metrics/metricsreference.c.
 * Source    With a private histogram of all codes, sums and extremes follow
 *           from it; where a new extreme was met is looked for in one row only.
 */

#include "cl_common.clh"
#include "cl_metricparts.clh"
#include "cl_metrics.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#ifndef STRIDE_FIRST
#define STRIDE_FIRST 1 /* samples, 1 .. 4 */
#endif
#ifndef STRIDE_OTHERS
#define STRIDE_OTHERS 1
#endif

#if DEPTH > 8
#define WIDE_T    uint /* twice the bits of a sample */
#define SQUARE_T  ulong
#define PER_ULONG 4 /* samples */
#else
#define WIDE_T    ushort
#define SQUARE_T  uint
#define PER_ULONG 8
#endif
#define WIDE16_T    VECTOR_T (WIDE_T, 16)
#define SQUARE16_T  VECTOR_T (SQUARE_T, 16)
#define SAMPLE_BITS (8 * (int) sizeof (SAMPLE_T))

#define LANES         16
#define SEGMENT_STEPS 256 /* steps of WIDE_T lanes */
#define COUNT_STEPS   60  /* steps of lanes of samples that count to 4 */

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
  int n;     /* samples of a row */
  int n_all; /* of these, in whole vectors */
} BandWork;

/* --- lanes --------------------------------------------------------------- */

static ALWAYS_INLINE SAMPLE16_T
load_codes (__global const SAMPLE_T *p, const int stride)
{
  const SAMPLE16_T v = sample_codes16 (load16_apart (p, stride));

  return SAMPLE_BITS - SAMPLE_SHIFT > DEPTH ? v & (SAMPLE16_T) (N_CODES - 1)
                                            : v;
}

static inline SAMPLE16_T
difference16 (const SAMPLE16_T a, const SAMPLE16_T b)
{
  return max (a, b) - min (a, b);
}

static inline uint
sum_uint (const uint16 v)
{
  const uint8 a = v.lo + v.hi;
  const uint4 b = a.lo + a.hi;

  return b.x + b.y + b.z + b.w;
}

static inline ulong
sum_ulong (const ulong16 v)
{
  const ulong8 a = v.lo + v.hi;
  const ulong4 b = a.lo + a.hi;

  return b.x + b.y + b.z + b.w;
}

/* The sum of lanes that hold at most SEGMENT_STEPS samples each. */
static inline uint
sum_wide (const WIDE16_T v)
{
  return sum_uint (convert_uint16 (v));
}

static inline uint
least (const SAMPLE16_T v)
{
  const VECTOR_T (SAMPLE_T, 8) a = min (v.lo, v.hi);
  const VECTOR_T (SAMPLE_T, 4) b = min (a.lo, a.hi);

  return min (min (b.x, b.y), min (b.z, b.w));
}

static inline uint
greatest (const SAMPLE16_T v)
{
  const VECTOR_T (SAMPLE_T, 8) a = max (v.lo, v.hi);
  const VECTOR_T (SAMPLE_T, 4) b = max (a.lo, a.hi);

  return max (max (b.x, b.y), max (b.z, b.w));
}

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

/* Counts the codes of @v. */
static ALWAYS_INLINE void
count_codes (const SAMPLE16_T v, OwnCounts *own)
{
#if DEPTH > 8
  const ulong4 words = as_ulong4 (v);
  const ulong word[4] = { words.x, words.y, words.z, words.w };
#else
  const ulong2 words = as_ulong2 (v);
  const ulong word[2] = { words.x, words.y };
#endif

#pragma unroll
  for (int i = 0; i < LANES; i++) {
    const SAMPLE_T code = (SAMPLE_T) (word[i / PER_ULONG] >>
                                      SAMPLE_BITS * (i % PER_ULONG));

    own->bins[i % BIN_COPIES][code >> OWN_FOLD]++;
  }
}

static ALWAYS_INLINE void
count_row (const BandWork *work, __global const SAMPLE_T *p, const int stride,
    OwnCounts *own)
{
  for (int x = 0; x < work->n_all; x += LANES)
    count_codes (load_codes (p + x * stride, stride), own);
  for (int x = work->n_all; x < work->n; x++)
    own->bins[x % BIN_COPIES][metric_code (p[x * stride]) >> OWN_FOLD]++;
}

/* Counts the codes of a row in the words of the result, where there are too
 * many bins for private ones. */
static ALWAYS_INLINE void
count_runs (const BandWork *work, __global const SAMPLE_T *p, const int stride,
    __global uint *bins)
{
  uint bin = metric_code (p[0]) >> FOLD;
  int start = 0;

  for (int x = 1; x < work->n; x++) {
    const uint next = metric_code (p[x * stride]) >> FOLD;

    if (next != bin) {
      bins[bin] += (uint) (x - start);
      bin = next;
      start = x;
    }
  }
  bins[bin] += (uint) (work->n - start);
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
    record->min = min (record->min, code);
    record->max = max (record->max, code);
  }
}

/* --- moments, extremes --------------------------------------------------- */

static inline void
note_extremes (__global const SAMPLE_T *p, const int stride,
    const MetricItem *item, const int y, const uint low, const uint high,
    MetricRecord *record)
{
  if (low < record->min) {
    record->min = low;
    record->min_x = HAS (POSITIONS) ? item->x + find_code (p, stride, low) : 0;
    record->min_y = y;
  }
  if (high > record->max || record->max_y < 0) {
    record->max = high;
    record->max_x = HAS (POSITIONS) ? item->x + find_code (p, stride, high) : 0;
    record->max_y = y;
  }
}

/* Moments of vectors @x .. @x_end, @x_end - @x <= SEGMENT_STEPS * LANES.
 * Squares are summed modulo WIDE_T's range, and their upper halves beside
 * that. */
static ALWAYS_INLINE void
add_segment (__global const SAMPLE_T *p, const int stride, int x,
    const int x_end, SAMPLE16_T *low, SAMPLE16_T *high, SAMPLE16_T *bits,
    MetricRecord *record)
{
  WIDE16_T sum = (WIDE16_T) (0), squares = sum, upper = sum;

  for (; x < x_end; x += LANES) {
    const SAMPLE16_T v = load_codes (p + x * stride, stride);
    const WIDE16_T wide = CONVERT (WIDE16_T) (v);
    const WIDE16_T square = wide * wide;

    *low = min (*low, v);
    *high = max (*high, v);
    if (ADDS_BITS)
      *bits |= v;
    if (ADDS_SUMS) {
      sum += wide;
      squares += square;
      upper += square >> (WIDE16_T) (SAMPLE_BITS);
    }
  }

  if (ADDS_SUMS) {
    record->sum += sum_wide (sum);
    record->sum_squares += ((ulong) sum_wide (upper) << SAMPLE_BITS) +
                           sum_wide (
                               squares - (upper << (WIDE16_T) (SAMPLE_BITS)));
  }
}

static ALWAYS_INLINE void
add_row (const BandWork *work, __global const SAMPLE_T *p, const int stride,
    const int y, MetricRecord *record)
{
  SAMPLE16_T low = ~(SAMPLE16_T) (0), high = (SAMPLE16_T) (0), bits = high;
  uint row_low = UINT_MAX, row_high = 0;

  for (int x = 0; x < work->n_all; x += SEGMENT_STEPS * LANES)
    add_segment (p, stride, x, min (work->n_all, x + SEGMENT_STEPS * LANES),
        &low, &high, &bits, record);
  if (work->n_all > 0) {
    row_low = least (low);
    row_high = greatest (high);
  }
  for (int x = work->n_all; x < work->n; x++) {
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
  if (ADDS_BITS) {
    const VECTOR_T (SAMPLE_T, 8) a = bits.lo | bits.hi;
    const VECTOR_T (SAMPLE_T, 4) b = a.lo | a.hi;

    record->bits |= (uint) (b.x | b.y | b.z | b.w);
  }
}

/* --- other rows, other frames -------------------------------------------- */

/* Sum of absolute differences of the item's row at @p to codes at @q, whose
 * samples lie @q_stride apart. */
static ALWAYS_INLINE ulong
sum_differences (const BandWork *work, __global const SAMPLE_T *p,
    const int stride, __global const SAMPLE_T *q, const int q_stride,
    const bool are_codes)
{
  ulong total = 0;

  for (int x = 0; x < work->n_all;) {
    const int end = min (work->n_all, x + SEGMENT_STEPS * LANES);
    WIDE16_T sum = (WIDE16_T) (0);

    for (; x < end; x += LANES) {
      const SAMPLE16_T other = are_codes
                                   ? LOAD16 (SAMPLE_T, q + x)
                                   : load_codes (q + x * q_stride, q_stride);

      sum += CONVERT (WIDE16_T) (
          difference16 (load_codes (p + x * stride, stride), other));
    }
    total += sum_wide (sum);
  }
  for (int x = work->n_all; x < work->n; x++) {
    const SAMPLE_T other = q[x * q_stride];

    total += abs_diff (metric_code (p[x * stride]),
        are_codes ? (uint) other : metric_code (other));
  }

  return total;
}

static ALWAYS_INLINE void
compare_row (const BandWork *work, __global const SAMPLE_T *p, const int stride,
    const int y, MetricRecord *record)
{
  const ulong at = (ulong) y * (ulong) work->kept.stride + (ulong) work->item.x;
  __global SAMPLE_T *kept = work->kept.current + at;

  if (HAS (TEMPORAL) && !work->is_first)
    record->difference += sum_differences (work, p, stride,
        work->kept.previous + at, 1, true);
  if (HAS (FREEZE) && !work->is_first && work->item.region == 0)
    record->freeze_difference += sum_differences (work, p, stride,
        work->kept.reference + at, 1, true);
  if (work->item.is_kept) {
    for (int x = 0; x < work->n_all; x += LANES)
      STORE16 (SAMPLE_T, load_codes (p + x * stride, stride), kept + x);
    for (int x = work->n_all; x < work->n; x++)
      kept[x] = (SAMPLE_T) metric_code (p[x * stride]);
  }
}

static ALWAYS_INLINE bool
is_row_repeated (const BandWork *work, __global const SAMPLE_T *p,
    const int stride, const int y)
{
  return y - VREP_ROWS >= work->item.top &&
         sum_differences (work, p, stride,
             plane_row (&work->plane, y - VREP_ROWS) + work->item.x * stride,
             stride, false) < (ulong) work->n << (DEPTH - 8);
}

/* --- outliers ------------------------------------------------------------ */

/* Rows above and below, one and two away. */
typedef struct {
  __global const SAMPLE_T *above_2, *above, *row, *below, *below_2;
  bool has_two;
} Around;

/* All ones in lanes whose @v sticks out: metric_sticks_out(). */
static inline SAMPLE16_T
stick_out16 (const SAMPLE16_T above, const SAMPLE16_T v, const SAMPLE16_T below)
{
  const SAMPLE16_T low = min (above, below), high = max (above, below);
  const SAMPLE16_T beyond = max (max (v, high) - high, low - min (v, low));
  const SAMPLE16_T spread = high - low;
  const SAMPLE16_T limit = spread - (spread >> (SAMPLE16_T) (1)) +
                           (SAMPLE16_T) (OUTLIER_STEP);

  return PASTE (as_, SAMPLE16_T) (beyond > limit);
}

static ALWAYS_INLINE SAMPLE16_T
columns_stick_out (const Around *around, const int x, const int stride)
{
  const int at = x * stride;
  const SAMPLE16_T v = load_codes (around->row + at, stride);
  const SAMPLE16_T near = stick_out16 (load_codes (around->above + at, stride),
      v, load_codes (around->below + at, stride));

  if (!around->has_two)
    return near;

  return near & stick_out16 (load_codes (around->above_2 + at, stride), v,
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

/* Outliers are columns that stick out between two others that do; none do
 * beyond the region, so that its own margins hold none. */
static ALWAYS_INLINE uint
count_outliers (const BandWork *work, const int stride, const int y)
{
  const MetricItem *item = &work->item;
  const int first = item->x * stride;
  const bool has_two = y - 2 >= item->top && y + 2 < item->bottom;
  uint n_outliers = 0;

  if (y - 1 < item->top || y + 1 >= item->bottom)
    return 0;

  const Around around = { plane_row (&work->plane, has_two ? y - 2 : y) + first,
    plane_row (&work->plane, y - 1) + first,
    plane_row (&work->plane, y) + first,
    plane_row (&work->plane, y + 1) + first,
    plane_row (&work->plane, has_two ? y + 2 : y) + first, has_two };
  const SAMPLE_T none = 0;
  SAMPLE16_T before = (SAMPLE16_T) (0), now = before, after = before;
  WIDE16_T count = (WIDE16_T) (0);

  if (work->n_all > 0)
    now = columns_stick_out (&around, 0, stride);
  for (int x = 0; x < work->n_all; x += LANES) {
    const int next = x + LANES;

    if (next < work->n_all)
      after = columns_stick_out (&around, next, stride);
    else
      after = (SAMPLE16_T) (next < work->n &&
                                    column_sticks_out (&around, next, stride)
                                ? (SAMPLE_T) ~none
                                : none);
    count += CONVERT (WIDE16_T) (
        now &
        (SAMPLE16_T) (before.sf, now.s0123, now.s4567, now.s89ab, now.sc,
            now.sd, now.se) &
        (SAMPLE16_T) (now.s1, now.s2, now.s3, now.s4567, now.s89ab, now.scdef,
            after.s0) &
        (SAMPLE16_T) (1));
    before = now;
    now = after;
  }
  n_outliers = sum_wide (count);

  for (int x = max (work->n_all, 1); x + 1 < work->n; x++)
    n_outliers += column_sticks_out (&around, x, stride) &&
                  column_sticks_out (&around, x - 1, stride) &&
                  column_sticks_out (&around, x + 1, stride);

  return n_outliers;
}

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

/* All ones where the chroma of sample @x, or of one of the next, is beyond;
 * LANES samples of the chroma components. */
static ALWAYS_INLINE SAMPLE16_T
chroma_beyond16 (const BandWork *work, const int x, const int y, const int4 low,
    const int4 span)
{
  SAMPLE16_T is_out = (SAMPLE16_T) (0);

#if N_COMPONENTS > 1
  is_out |= beyond16 (
      load_codes (plane_row (&work->planes[1], y) + x * STRIDE_OTHERS,
          STRIDE_OTHERS),
      low.y, span.y);
#endif
#if N_COMPONENTS > 2
  is_out |= beyond16 (
      load_codes (plane_row (&work->planes[2], y) + x * STRIDE_OTHERS,
          STRIDE_OTHERS),
      low.z, span.z);
#endif

  return is_out;
}

/* All ones where a component of full size is beyond, of LANES samples from @x
 * on. */
static ALWAYS_INLINE SAMPLE16_T
full_beyond16 (const BandWork *work, const int x, const int y, const int4 low,
    const int4 span)
{
  SAMPLE16_T is_out = beyond16 (
      load_codes (plane_row (&work->plane, y) + x * STRIDE_FIRST, STRIDE_FIRST),
      low.x, span.x);

#if N_COMPONENTS > 3
  is_out |= beyond16 (
      load_codes (plane_row (&work->planes[3], y) + x * STRIDE_OTHERS,
          STRIDE_OTHERS),
      low.w, span.w);
#endif

  return is_out;
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
sum_gradients (const BandWork *work, __global const SAMPLE_T *p,
    const int stride, const int y)
{
  const bool has_below = y + 1 < work->item.bottom;
  __global const SAMPLE_T *below = plane_row (&work->plane,
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
count_chroma (const BandWork *work, __global const SAMPLE_T *u, const int y,
    __global const uint *table, OwnCounts *own, __global uint *counts)
{
  __global const SAMPLE_T *v = plane_row (&work->planes[2], y) +
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
add_of_first (const BandWork *work, __global const SAMPLE_T *p, const int y,
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
measure_row (const BandWork *work, const int y, const int stride,
    OwnCounts *own, __global uint *counts, MetricRecord *record)
{
  __global const SAMPLE_T *p = plane_row (&work->plane, y) +
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
metrics_cpu_measure (PLANE_ARGUMENTS, __global const MetricItem *items,
    const int n_items, __global SAMPLE_T *frames, const ulong frame_samples,
    __global const MetricRing *ring, const int is_first,
    __global const uint *table, const int4 gamut_low, const int4 gamut_high,
    __global MetricRecord *records, __global uint *counts)
{
  const int index = (int) get_global_id (0);
  const Plane planes[4] = PLANES;

  if (index >= n_items)
    return;

  const MetricItem item = items[index];
  const int n = item.x_end - item.x;
  const BandWork work = { item, planes, planes[item.component],
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
      add_of_first (&work, plane_row (&work.plane, y) + item.x * STRIDE_FIRST,
          y, gamut_low, gamut_high, &record);
    if (HAS (CHROMA) && item.component == CHROMA_LEADER)
      count_chroma (&work, plane_row (&work.plane, y) + item.x * STRIDE_OTHERS,
          y, table, &own, words);
  }

  join_copies (&own);
  if (HAS_CODES)
    add_counted (own.bins[0], &record);
  store_counts (&item, &own, words);
  records[index] = record;
}

DEFINE_METRIC_MERGE (metrics_cpu_merge)

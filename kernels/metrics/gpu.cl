/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics/gpu.cl: metrics of regions of a frame, for GPUs
 *
 * Math      The metrics that metrics/plain.cl defines. Where a histogram of all
 *           codes of bytes is asked for as well, moments and bits follow from
 *           it, on the host.
 * Shape     Regions in items, bands of rows of one component.
 * Units     Codes of samples are measured. Offsets and strides of rows are in
 *           bytes, pixel strides in samples.
 * Memory    Histograms are in local memory, in copies that neighbours use by
 *           turns, and are then added to those of the span, which all its items
 *           share. These must be 0: each launch clears those that the next will
 *           add to. Of more than MAX_LOCAL_BINS bins, those that are met first
 *           are in local memory; others are added to at once.
 * Launch    metrics_gpu_measure: local (GROUP, 1, 1), a work-group for an item,
 *           of whose chunks a work-item takes every GROUPth.
 *           metrics_gpu_advance: one work-group of ADVANCE_GROUP.
 *           metrics_gpu_clear: local (CLEAR_GROUP, 1, 1), a work-item for a
 *           word.
 * Range     Sums of squares are exact up to 32767 x 32767 samples of 16 bits.
 *           An extreme and its place, value << PLACE_BITS and index in the
 *           frame, fit 64 bits.
 * Accuracy  Integers are exact. The reference is
 *           tests/metrics/metricsreference.c.
 * Source    Why histograms have eight copies and loads 128 bits:
 *           docs/performance.md.
 *
 * An item of a component whose samples follow each other. Chunks lie at
 * addresses that are multiples of 16 bytes, whatever the item's edges:
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
 * Whole chunks (1 .. 4) come by one load each, the next one while the last is
 * counted. Those at the edges (0, 5) are taken sample by sample. The halo is
 * what some metrics ask of the rows of the region around a sample, which each
 * work-item loads when it needs it: one and two rows above and below for
 * outliers, VREP_ROWS above for repeated rows, the row below and the next
 * sample for sharpness.
 */

#include "cl_common.clh"
#include "cl_memory.clh"
#include "cl_metricparts.clh"
#include "cl_metrics.clh"
#include "cl_metrictable.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#define ADVANCE_GROUP 64
#define CLEAR_GROUP   256
#define APART_CHUNK   4 /* samples of a work-item where they lie apart */

#ifndef GROUP
#define GROUP 512 /* work-items of an item, a multiple of N_PARTS */
#endif
#define N_PARTS 32 /* of what the work-items hold, in the middle of adding */

/* Rows between two looks at which are repeated. */
#define PASS_ROWS   (HAS (REPETITION) ? 64 : 1 << 24)
#define N_PASS_SUMS (HAS (REPETITION) ? PASS_ROWS : 1)

#define PLACE_BITS 40 /* of an extreme's place: index in the frame */

/* Histograms in local memory: of codes, of chroma. What is too large for that
 * shares a table of the words that were met first. */
#define MAX_LOCAL_BINS 4096
#define HAS_LOCAL_BINS (HAS (HISTOGRAM) && N_BINS <= MAX_LOCAL_BINS)
#ifndef BIN_COPIES
#define BIN_COPIES (N_BINS > 2048 ? 1 : N_BINS > 512 ? 4 : 8)
#endif

#define MAX_LOCAL_HUES 1024 /* bins of saturation beside those of hue */
#define HAS_LOCAL_HUES (HAS (CHROMA) && N_BINS <= MAX_LOCAL_HUES)
#define HUE_COPIES     (N_BINS > 256 ? 2 : 4)

#define HAS_MET_WORDS                                                          \
  ((HAS (HISTOGRAM) && !HAS_LOCAL_BINS) || (HAS (CHROMA) && !HAS_LOCAL_HUES))
#define N_MET_WORDS (HAS_MET_WORDS ? 2048 : 1)
#define NO_WORD     UINT_MAX

#define ADDS_EXTREMES (HAS (POSITIONS) || HAS (MOMENTS))

/* Which numbers work-items leave a share of: places go with their extremes. */
#define LEAVES_ADD(metric)      HAS (metric)
#define LEAVES_OR(metric)       HAS (metric)
#define LEAVES_LEAST(metric)    ADDS_EXTREMES
#define LEAVES_GREATEST(metric) ADDS_EXTREMES
#define LEAVES_PLACE(metric)    0

/* Where in the scratch memory the work-items' share of each number lies. */
#define SLOT(type, name, merge, metric, scope)                                 \
  SLOT_##name, SLOT_END_##name = SLOT_##name + LEAVES_##merge (metric) - 1,
enum { METRIC_NUMBERS (SLOT) N_SLOTS };

/* Copies of one bin follow each other, so that equal bins of different copies
 * lie in different banks. PoCL loses what a function that it has not inlined
 * writes here: all functions that take it are ALWAYS_INLINE. */
typedef union {
  struct {
    uint bins[HAS_LOCAL_BINS ? N_BINS * BIN_COPIES : 1];
    uint saturations[HAS_LOCAL_HUES ? N_BINS * HUE_COPIES : 1];
    uint hues[HAS_LOCAL_HUES ? N_HUES * HUE_COPIES : 1];
    uint met_counts[N_MET_WORDS];
    uint met_words[N_MET_WORDS]; /* or NO_WORD */
  } counts;
  ulong scratch[(N_SLOTS > 0 ? N_SLOTS : 1) * GROUP]; /* once counts are told */
} LocalCounts;

/* A chunk is 16 bytes of a row at an address that is a multiple of 16. */
#define CHUNK_BYTES 16
#define N_WORDS     4 /* of 32 bits, of a chunk */
#define PER_WORD    (4 / (int) sizeof (SAMPLE_T))
#define CHUNK       (N_WORDS * PER_WORD) /* samples */
#define SAMPLE_BITS (8 * (int) sizeof (SAMPLE_T))
#define WORD_CODES  (DEPTH == 8 ? 0xFFFFFFFFu : (uint) (N_CODES - 1) * 0x10001u)

/* Something of every sample of every component is looked at. */
#define LOOKS_MOMENTS 1
#define LOOKS_MIN     1
#define LOOKS_MAX     1
#define LOOKS_EACH    1
#define LOOKS_FRAME   1
#define LOOKS_FIRST   0
#define LOOKS(type, name, merge, metric, scope)                                \
  || (LOOKS_##scope && HAS (metric))
#define LOOKS_AT_ALL (HAS (HISTOGRAM) METRIC_NUMBERS (LOOKS))

/* Other rows of the first component are. */
#define LOOKS_AT_ROWS (HAS (OUTLIERS) || HAS (REPETITION) || HAS (SHARPNESS))

/* --- chunks of codes ----------------------------------------------------- */

/* Codes, as many of a word as there are samples. */
typedef struct {
  uint words[N_WORDS];
} Chunk;

static ALWAYS_INLINE uint
word_codes (const uint word)
{
  return word >> SAMPLE_SHIFT & WORD_CODES;
}

static ALWAYS_INLINE Chunk
load_chunk (__global const SAMPLE_T *p)
{
  const uint4 v = *(__global const uint4 *) p;

  return (Chunk){ { word_codes (v.x), word_codes (v.y), word_codes (v.z),
      word_codes (v.w) } };
}

/* Loads a chunk of a kept frame, which holds codes already. */
static ALWAYS_INLINE Chunk
load_chunk_of_codes (__global const SAMPLE_T *p)
{
  const uint4 v = *(__global const uint4 *) p;

  return (Chunk){ { v.x, v.y, v.z, v.w } };
}

static ALWAYS_INLINE uint
chunk_code (const Chunk *chunk, const int i)
{
  return chunk->words[i / PER_WORD] >> SAMPLE_BITS * (i % PER_WORD) &
         (uint) (N_CODES - 1);
}

/* The first @n of a chunk from @x on, wherever that lies; @n is a multiple of
 * PER_WORD. */
static ALWAYS_INLINE Chunk
load_some (const Plane *plane, const int x, const int y, const int n)
{
  __global const SAMPLE_T *p = plane_row (plane, y) + x * plane->pixel_stride;
  Chunk chunk = { { 0, 0, 0, 0 } };

  if (plane->pixel_stride == 1 && (size_t) p % sizeof (uint) == 0) {
#pragma unroll
    for (int i = 0; i < n / PER_WORD; i++)
      chunk.words[i] = word_codes (((__global const uint *) p)[i]);
  } else {
#pragma unroll
    for (int i = 0; i < n; i++)
      chunk.words[i / PER_WORD] |= metric_code (p[i * plane->pixel_stride])
                                   << SAMPLE_BITS * (i % PER_WORD);
  }

  return chunk;
}

/* Sum of absolute differences. */
static ALWAYS_INLINE uint
chunk_difference (const Chunk *a, const Chunk *b)
{
  uint sum = 0;

#pragma unroll
  for (int i = 0; i < CHUNK; i++)
    sum += abs_diff (chunk_code (a, i), chunk_code (b, i));

  return sum;
}

/* --- extremes ------------------------------------------------------------ */

/* Whether @low is less than all before: only the first of equals counts, and
 * work-items meet samples in raster order. */
static ALWAYS_INLINE bool
note_low (const uint low, MetricRecord *record)
{
  const bool is_lower = low < record->least;

  record->least = min (record->least, low);

  return is_lower;
}

static ALWAYS_INLINE bool
note_high (const uint high, MetricRecord *record)
{
  const bool is_higher = high > record->greatest || record->greatest_y < 0;

  record->greatest = max (record->greatest, high);

  return is_higher;
}

/* Where @chunk first has @code, which it has. */
static ALWAYS_INLINE int
find_in_chunk (const Chunk *chunk, const uint code)
{
  int first = 0;

#pragma unroll
  for (int i = CHUNK - 1; i >= 0; i--)
    first = chunk_code (chunk, i) == code ? i : first;

  return first;
}

static ALWAYS_INLINE void
note_chunk_extremes (const Chunk *now, const int x, const int y,
    MetricRecord *record)
{
  uint low = UINT_MAX, high = 0;

#pragma unroll
  for (int i = 0; i < CHUNK; i++) {
    low = min (low, chunk_code (now, i));
    high = max (high, chunk_code (now, i));
  }

  if (note_low (low, record)) {
    record->least_x = HAS (POSITIONS) ? x + find_in_chunk (now, low) : 0;
    record->least_y = HAS (POSITIONS) ? y : 0;
  }
  if (note_high (high, record)) {
    record->greatest_x = HAS (POSITIONS) ? x + find_in_chunk (now, high) : 0;
    record->greatest_y = HAS (POSITIONS) ? y : 0;
  }
}

/* --- outliers ------------------------------------------------------------ */

/* Bit i: whether sample i of @now sticks out of those above and below. */
static ALWAYS_INLINE uint
chunk_sticks_out (const Chunk *above, const Chunk *now, const Chunk *below)
{
  uint mask = 0;

#pragma unroll
  for (int i = 0; i < CHUNK; i++)
    mask |= (uint) metric_sticks_out ((int) chunk_code (above, i),
                (int) chunk_code (now, i), (int) chunk_code (below, i))
            << i;

  return mask;
}

/* Bit i: whether sample i of @now sticks out of the rows @reach above and below
 * row @y. */
static ALWAYS_INLINE uint
chunk_sticks_out_of (const Plane *plane, const Chunk *now, const int x,
    const int y, const int reach)
{
  const Chunk above = load_chunk (plane_row (plane, y - reach) + x);
  const Chunk below = load_chunk (plane_row (plane, y + reach) + x);

  return chunk_sticks_out (&above, now, &below);
}

static ALWAYS_INLINE bool
column_sticks_out (const Plane *plane, const int x, const int y,
    const bool has_two)
{
  const int v = (int) metric_code_at (plane, x, y);

  return metric_sticks_out ((int) metric_code_at (plane, x, y - 1), v,
             (int) metric_code_at (plane, x, y + 1)) &&
         (!has_two || metric_sticks_out ((int) metric_code_at (plane, x, y - 2),
                          v, (int) metric_code_at (plane, x, y + 2)));
}

/* Outliers are columns that stick out between two others that do: two of these
 * lie within the chunk. */
static ALWAYS_INLINE uint
chunk_outliers (const Plane *plane, const MetricItem *item, const Chunk *now,
    const int x, const int y)
{
  const bool has_two = y - 2 >= item->top && y + 2 < item->bottom;
  uint mask;

  if (y - 1 < item->top || y + 1 >= item->bottom)
    return 0;

  mask = chunk_sticks_out_of (plane, now, x, y, 1);
  if ((mask & mask >> 1) == 0)
    return 0;
  if (has_two)
    mask &= chunk_sticks_out_of (plane, now, x, y, 2);

  const bool is_left = (mask & 3) == 3 && x > item->x &&
                       column_sticks_out (plane, x - 1, y, has_two);
  const bool is_right = mask >> (CHUNK - 2) == 3 && x + CHUNK < item->x_end &&
                        column_sticks_out (plane, x + CHUNK, y, has_two);

  return popcount (mask & (mask << 1 | (uint) is_left) &
                   (mask >> 1 | (uint) is_right << (CHUNK - 1)));
}

/* --- gamut, sharpness ---------------------------------------------------- */

/* Bit i: whether sample i of the first @n is beyond @low .. @high. */
static ALWAYS_INLINE uint
chunk_beyond (const Chunk *chunk, const int n, const int low, const int high)
{
  uint mask = 0;

#pragma unroll
  for (int i = 0; i < n; i++)
    mask |= (uint) (chunk_code (chunk, i) - (uint) low > (uint) (high - low))
            << i;

  return mask;
}

/* Samples of the first component; @x a multiple of 1 << X_SHIFT. */
static ALWAYS_INLINE uint
chunk_out_of_gamut (const Plane *planes, const Chunk *now, const int x,
    const int y, const int4 low, const int4 high)
{
  uint mask = chunk_beyond (now, CHUNK, low.x, high.x);

  (void) planes; /* of one component alone */
  (void) x;
  (void) y;
#if N_COMPONENTS > 1
  const int n_chroma = CHUNK >> X_SHIFT;
  const Chunk u = load_some (&planes[1], x >> X_SHIFT, y >> Y_SHIFT, n_chroma);
  uint chroma = chunk_beyond (&u, n_chroma, low.y, high.y);

#if N_COMPONENTS > 2
  const Chunk v = load_some (&planes[2], x >> X_SHIFT, y >> Y_SHIFT, n_chroma);

  chroma |= chunk_beyond (&v, n_chroma, low.z, high.z);
#endif
#pragma unroll
  for (int i = 0; i < CHUNK; i++)
    mask |= (chroma >> (i >> X_SHIFT) & 1) << i;
#endif
#if N_COMPONENTS > 3
  const Chunk a = load_some (&planes[3], x, y, CHUNK);

  mask |= chunk_beyond (&a, CHUNK, low.w, high.w);
#endif

  return popcount (mask);
}

static ALWAYS_INLINE ulong
chunk_square_gradient (const Plane *plane, const MetricItem *item,
    const Chunk *now, const int x, const int y)
{
  const bool has_next = x + CHUNK < item->x_end;
  const bool has_below = y + 1 < item->bottom;
  const Chunk below = load_chunk (plane_row (plane, has_below ? y + 1 : y) + x);
  const uint last = chunk_code (now, CHUNK - 1);
  const uint next = has_next ? metric_code_at (plane, x + CHUNK, y) : last;
  ulong sum = 0;

#pragma unroll
  for (int i = 0; i < CHUNK; i++) {
    const uint v = chunk_code (now, i);
    const uint across = abs_diff (v,
        i + 1 < CHUNK ? chunk_code (now, min (i + 1, CHUNK - 1)) : next);
    const uint down = abs_diff (v, chunk_code (&below, i));

    sum += across * across;
    sum += down * down;
  }

  return sum;
}

/* --- counting ------------------------------------------------------------ */

/* One more of @word of @counts: in the table, if it is there or a place for it
 * is free. Smooth pictures, and flat ones above all, meet few words. */
static ALWAYS_INLINE void
count_word (const uint word, __local LocalCounts *local_counts,
    __global uint *counts)
{
  const uint place = word % N_MET_WORDS;
  volatile __local uint *tag = &local_counts->counts.met_words[place];
#ifdef IS_OCLGRIND
  uint met = max_local (tag, 0);
#else
  uint met = *tag;
#endif

  /* a read that others overtake costs an exchange, which decides; oclgrind
   * takes any plain one beside atomics for a race */
  if (met == NO_WORD)
    met = compare_exchange_local (tag, NO_WORD, word);
  if (met == NO_WORD || met == word)
    count_local (&local_counts->counts.met_counts[place]);
  else
    count_global (&counts[word]);
}

/* One more in this work-item's copy of @bin. */
static ALWAYS_INLINE void
count_bin (__local uint *bins, const uint bin, const int n_copies)
{
  count_local (
      &bins[bin * (uint) n_copies + get_local_id (0) % (uint) n_copies]);
}

/* This work-item's share of the copies of a histogram, into the one that all
 * groups share. Neighbours begin at different copies, that is banks. */
static ALWAYS_INLINE void
add_bins (const __local uint *bins, const int n_bins, const int n_copies,
    __global uint *counts)
{
  for (int bin = (int) get_local_id (0); bin < n_bins; bin += GROUP) {
    uint sum = 0;

    for (int copy = 0; copy < n_copies; copy++)
      sum += bins[bin * n_copies + (copy + bin * n_copies / 32) % n_copies];
    if (sum > 0)
      add_global (&counts[bin], sum);
  }
}

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
 * work-items have counted, behind a barrier. */
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

/* What two hold, together: their sum, but for some. Of the greatest they hold
 * the least complement. */
#define JOIN_ADD(slot_)
#define JOIN_PLACE(slot_)
#define JOIN_OR(slot_)                                                         \
  if (slot == slot_)                                                           \
    return a | b;
#define JOIN_LEAST(slot_)                                                      \
  if (slot == slot_)                                                           \
    return min (a, b);
#define JOIN_GREATEST(slot_) JOIN_LEAST (slot_)
#define JOIN(type, name, merge, metric, scope)                                 \
  if (LEAVES_##merge (metric)) {                                               \
    JOIN_##merge (SLOT_##name)                                                 \
  }

static inline ulong
join_shares (const int slot, const ulong a, const ulong b)
{
  METRIC_NUMBERS (JOIN)

  return a + b;
}

/* Joins the shares of all work-items in the first of each slot. Everyone has
 * left its own, behind a barrier, and must call this. */
static ALWAYS_INLINE void
reduce_slots (__local ulong *scratch)
{
  const int i = (int) get_local_id (0);

  for (int k = i; k < N_SLOTS * N_PARTS; k += GROUP) {
    const int slot = k / N_PARTS;
    __local ulong *shares = scratch + slot * GROUP + k % N_PARTS;
    ulong part = shares[0];

    for (int j = N_PARTS; j < GROUP; j += N_PARTS)
      part = join_shares (slot, part, shares[j]);
    shares[0] = part;
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  if (i < N_SLOTS) {
    __local ulong *parts = scratch + i * GROUP;
    ulong all = parts[0];

    for (int j = 1; j < N_PARTS; j++)
      all = join_shares (i, all, parts[j]);
    parts[0] = all;
  }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* --- records ------------------------------------------------------------- */

/* @value, or its complement, and where it is: the least is that of the first of
 * the least values. Nothing at all is more than any of them. */
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

/* What all have left in @slot. */
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

/* --- items at work ------------------------------------------------------- */

/* An item at work; what follows is the work-item's own. */
typedef struct {
  MetricItem item;
  Plane plane;
  MetricKept kept;
  bool is_first;
  bool is_even; /* a chunk of a row lies in other rows at chunks' addresses */
  int4 gamut_low, gamut_high;
  __global const uint *table;
  __global uint *counts;
  MetricRecord record;
} GroupWork;

/* --- codes --------------------------------------------------------------- */

static ALWAYS_INLINE void
count_code (const uint code, __local LocalCounts *local_counts, GroupWork *work)
{
  if (HAS_LOCAL_BINS)
    count_bin (local_counts->counts.bins, code >> FOLD, BIN_COPIES);
  else if (HAS (HISTOGRAM))
    count_word (code >> FOLD, local_counts, work->counts);
}

static ALWAYS_INLINE void
count_chroma (const uint u, const uint v, __local LocalCounts *local_counts,
    GroupWork *work)
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
    __local LocalCounts *local_counts, GroupWork *work)
{
  MetricRecord *record = &work->record;

  count_code (v, local_counts, work);
  if (HAS (MOMENTS)) {
    record->sum += v;
    record->sum_squares += v * v;
  }
  if (HAS (BITS))
    record->bits |= v;
  if (ADDS_EXTREMES && note_low (v, record)) {
    record->least_x = x;
    record->least_y = y;
  }
  if (ADDS_EXTREMES && note_high (v, record)) {
    record->greatest_x = x;
    record->greatest_y = y;
  }
  if (HAS_KEPT)
    metric_compare_kept (v, x, y, &work->item, &work->kept, work->is_first,
        record);
}

/* Samples @x .. @end - 1 of row @y, one by one. */
static ALWAYS_INLINE void
add_samples (const Plane *planes, int x, const int end, const int y,
    __local uint *row_difference, __local LocalCounts *local_counts,
    GroupWork *work)
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
    add_local (row_difference, difference);
}

/* --- chunks -------------------------------------------------------------- */

static ALWAYS_INLINE void
compare_chunk (const Chunk *now, const int x, const int y, GroupWork *work)
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
    __local LocalCounts *local_counts, GroupWork *work)
{
  MetricRecord *record = &work->record;

#pragma unroll
  for (int i = 0; i < CHUNK; i++)
    count_code (chunk_code (now, i), local_counts, work);
  if (HAS (MOMENTS)) {
    uint sum = 0;

#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
      sum += chunk_code (now, i);
      record->sum_squares += chunk_code (now, i) * chunk_code (now, i);
    }
    record->sum += sum;
  }
  if (HAS (BITS)) {
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
  if (HAS (REPETITION) && y - VREP_ROWS >= item->top) {
    const Chunk above = load_chunk (plane_row (plane, y - VREP_ROWS) + x);
    const uint difference = chunk_difference (now, &above);

    if (difference > 0)
      add_local (row_difference, difference);
  }
}

/* A chunk that lies within the item. */
static ALWAYS_INLINE void
add_chunk (const Plane *planes, const Chunk *now, const int x, const int y,
    __local uint *row_difference, __local LocalCounts *local_counts,
    GroupWork *work)
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
takes_chunk (const GroupWork *work, const int x)
{
  if (work->item.component > 0)
    return true;
  if (HAS (GAMUT) && x % (1 << X_SHIFT) != 0)
    return false;

  return work->is_even || !(LOOKS_AT_ROWS);
}

/* Samples from the address of a chunk to that of sample @x of row @y. */
static ALWAYS_INLINE int
samples_into_chunk (const Plane *plane, const int x, const int y)
{
  return (int) ((size_t) (plane_row (plane, y) + x) % CHUNK_BYTES /
                sizeof (SAMPLE_T));
}

/* Where a work-item is: chunk @column of row @y. */
typedef struct {
  int column, y;
} Place;

/* Its first sample, which may lie before the item. */
static ALWAYS_INLINE int
place_x (const GroupWork *work, const Place *place, const int step)
{
  const bool is_apart = work->plane.pixel_stride > 1;

  return work->item.x + place->column * step -
         (is_apart ? 0
                   : samples_into_chunk (&work->plane, work->item.x, place->y));
}

/* Whether it is a chunk within the item. */
static ALWAYS_INLINE bool
is_whole (const GroupWork *work, const Place *place, const int step)
{
  const int x = place_x (work, place, step);

  return work->plane.pixel_stride == 1 && x >= work->item.x &&
         x + CHUNK <= work->item.x_end && takes_chunk (work, x);
}

/* Rows @first .. @end - 1 by all work-items. */
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

    /* the next chunk is on its way while this one is counted */
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

/* Counts and clears the rows @first .. @end - 1 that are repeated: one
 * work-item, one row. */
static ALWAYS_INLINE void
count_repeated (const int first, const int end, __local uint *row_differences,
    GroupWork *work)
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

/* Measures an item, and clears words @stale_first .. @stale_end - 1 of
 * @stale. */
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
metrics_gpu_measure (PLANE_ARGUMENTS, __global const MetricItem *items,
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
  const Plane planes[4] = PLANES;
  const MetricItem item = items[index];
  const Plane plane = pick_plane (planes, item.component);
  GroupWork work = { item, plane,
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

/* Chooses the frame that the next is compared with. Each argument is what
 * metric_merge_span() is told by that name. */
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

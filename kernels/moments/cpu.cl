/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* moments/cpu.cl: count, sum, sum of squares, minimum and maximum of a
 * frame, for CPU devices
 *
 * Math      The five statistics of the samples of each component; all
 *           components of a plane in one pass over it.
 * Shape     A plane is rows of periods of PERIOD samples. Phase p of a row is
 *           samples p, p + PERIOD, ..: a component is one phase (RGBA), two
 *           (the luma of YUY2) or, with PERIOD 1, the whole row. Phases may
 *           differ in length; samples between them may belong to no component.
 * Units     Codes of samples are measured. Offsets and strides of rows are in
 *           bytes.
 * Memory    partials: phase p of a plane is slot first_slot + p, with n_bands
 *           partials each. results: one partial for each component.
 * Launch    Local (1, 1, 1). moments_cpu_band: a work-item for a band of rows
 *           of one plane. moments_cpu_merge: a work-item for a component.
 * Range     Lanes of WIDE_T, which has twice the bits of a sample, hold the
 *           sums of SEGMENT_STEPS <= 257 samples; they are moved to 64 bits
 *           after each segment.
 * Accuracy  Integers are exact. The reference is
 *           tests/moments/momentsreference.c.
 * Source    A square of a sample fits WIDE_T: it is computed and summed there,
 *           in two overlapping halves, so that a vector has twice as many lanes
 *           as with more bits.
 */

#include "cl_partial.clh"
#include "cl_pixel.clh"

#ifndef PERIOD
#define PERIOD 1 /* samples after which the components repeat: 1, 3 or 4 */
#endif
#ifndef WIDE_T
#define WIDE_T ushort /* twice the bits of a sample: ushort, uint */
#endif

#define WIDE16_T  VECTOR_T (WIDE_T, 16)
#define HALF_BITS (8 * (int) sizeof (SAMPLE_T)) /* of WIDE_T */

#define LOAD_SAMPLES  16
#define SEGMENT_STEPS 256 /* vector steps between two moves to 64 bits */

/* A step loads 16 samples and uses STEP_SAMPLES of them, so that a lane has the
 * same phase in each step: lane l has phase l % PERIOD. The quarters are the
 * lanes in groups of four; lane p of each has phase p. */
#if PERIOD == 1 || PERIOD == 4
#define STEP_SAMPLES 16
#define QUARTER_0    s0123
#define QUARTER_1    s4567
#define QUARTER_2    s89ab
#define QUARTER_3    scdef
#elif PERIOD == 3 /* the four lanes of the next step are used as phase 3 */
#define STEP_SAMPLES 12
#define QUARTER_0    s012c
#define QUARTER_1    s345d
#define QUARTER_2    s678e
#define QUARTER_3    s9abf
#else
#error "PERIOD is 1, 3 or 4"
#endif

/* Running metrics of a segment, by lane. The sum of squares needs more bits
 * than WIDE_T: it is kept modulo the range of WIDE_T, together with the sum of
 * the upper halves of the squares (of bytes: <= 254 * 257 < 2^16). The sum of
 * the lower halves also fits WIDE_T: it is the first sum minus the second one
 * shifted up, modulo the range of WIDE_T. */
typedef struct {
  WIDE16_T sum, squares, squares_upper;
} Segment;

/* Running metrics of a band: sums by phase, extremes by lane. */
typedef struct {
  ulong4 sum, sum_squares;
  SAMPLE16_T min, max;
} Lanes;

/* Adds the step at @p; reads LOAD_SAMPLES. */
static inline void
add_step (__global const SAMPLE_T *p, Segment *segment, Lanes *lanes)
{
  const SAMPLE16_T v = sample_codes16 (LOAD16 (SAMPLE_T, p));
  const WIDE16_T wide = CONVERT (WIDE16_T) (v);
  const WIDE16_T square = wide * wide;

  segment->sum += wide;
  segment->squares += square;
  segment->squares_upper += square >> (WIDE16_T) (HALF_BITS);
  lanes->min = min (lanes->min, v);
  lanes->max = max (lanes->max, v);
}

/* Returns the sums of the four quarters, by phase. Each lane of @v is a sum of
 * at most 257 values of 16 bits, so the sum of four lanes is below 2^32. */
static inline ulong4
sum_quarters (const uint16 v)
{
  return convert_ulong4 (v.QUARTER_0 + v.QUARTER_1 + v.QUARTER_2 + v.QUARTER_3);
}

/* Moves a segment of at most SEGMENT_STEPS steps to 64 bits. */
static inline void
add_segment (const Segment *segment, Lanes *lanes)
{
  const WIDE16_T squares_lower = segment->squares -
                                 (segment->squares_upper
                                     << (WIDE16_T) (HALF_BITS));

  lanes->sum += sum_quarters (convert_uint16 (segment->sum));
  lanes->sum_squares += (sum_quarters (convert_uint16 (segment->squares_upper))
                            << HALF_BITS) +
                        sum_quarters (convert_uint16 (squares_lower));
}

/* Adds @n_steps steps from @row on. */
static inline void
add_row (__global const SAMPLE_T *row, const int n_steps, Lanes *lanes)
{
  for (int step = 0; step < n_steps;) {
    const int end = min (n_steps, step + SEGMENT_STEPS);
    Segment segment = { (WIDE16_T) (0), (WIDE16_T) (0), (WIDE16_T) (0) };

    for (; step + 4 <= end; step += 4) {
      __global const SAMPLE_T *p = row + step * STEP_SAMPLES;

      add_step (p, &segment, lanes);
      add_step (p + STEP_SAMPLES, &segment, lanes);
      add_step (p + 2 * STEP_SAMPLES, &segment, lanes);
      add_step (p + 3 * STEP_SAMPLES, &segment, lanes);
    }
    for (; step < end; step++)
      add_step (row + step * STEP_SAMPLES, &segment, lanes);

    add_segment (&segment, lanes);
  }
}

/* Adds the rest of a row: samples @from .. @n_samples - 1 of each phase. */
static inline void
add_tail (__global const SAMPLE_T *row, const int from, const int *n_samples,
    Partial *phases)
{
  for (int phase = 0; phase < PERIOD; phase++) {
    for (int i = from; i < n_samples[phase]; i++) {
      const uint v = sample_code (row[i * PERIOD + phase]);

      phases[phase].sum += v;
      phases[phase].sum_squares += v * v;
      phases[phase].min = min (phases[phase].min, v);
      phases[phase].max = max (phases[phase].max, v);
    }
  }
}

/* Adds the sums of the vector steps to the partials of the phases. */
static inline void
add_lanes (const Lanes *lanes, Partial *phases)
{
  const SAMPLE16_T low = lanes->min, high = lanes->max;
  const uint4 low4 = convert_uint4 (min (min (low.QUARTER_0, low.QUARTER_1),
      min (low.QUARTER_2, low.QUARTER_3)));
  const uint4 high4 = convert_uint4 (max (max (high.QUARTER_0, high.QUARTER_1),
      max (high.QUARTER_2, high.QUARTER_3)));
  const Partial found[4] = {
    { lanes->sum.x, lanes->sum_squares.x, 0, low4.x, high4.x, 0 },
    { lanes->sum.y, lanes->sum_squares.y, 0, low4.y, high4.y, 0 },
    { lanes->sum.z, lanes->sum_squares.z, 0, low4.z, high4.z, 0 },
    { lanes->sum.w, lanes->sum_squares.w, 0, low4.w, high4.w, 0 },
  };

  for (int i = 0; i < 4; i++) {
    if (PERIOD != 3 || i < PERIOD)
      phases[i % PERIOD] = partial_merge (phases[i % PERIOD], found[i]);
  }
}

/* @offset_bytes: of phase 0 of row 0. @n_vector: number of samples of each row
 * that may be read from there; each whole period of them has a sample of every
 * measured phase. @n_samples: samples of each phase in a row; 0 for a phase
 * that is not measured, whose partials are then undefined. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
moments_cpu_band (__global const uchar *restrict src, const ulong offset_bytes,
    const int stride_bytes, const int height, const int n_vector,
    const int4 n_samples, const int n_bands,
    __global Partial *restrict partials, const int first_slot)
{
  const int band = (int) get_global_id (0);
  const int y_start = band_start (band, n_bands, height);
  const int y_end = band_start (band + 1, n_bands, height);
  const int n_steps = n_vector < LOAD_SAMPLES
                          ? 0
                          : (n_vector - LOAD_SAMPLES) / STEP_SAMPLES + 1;
  const int samples[4] = { n_samples.x, n_samples.y, n_samples.z, n_samples.w };
  Partial phases[PERIOD];
  Lanes lanes = { (ulong4) (0), (ulong4) (0), ~(SAMPLE16_T) (0),
    (SAMPLE16_T) (0) };

  for (int phase = 0; phase < PERIOD; phase++)
    phases[phase] = partial_empty ();

  for (int y = y_start; y < y_end; y++) {
    __global const SAMPLE_T *row = read_row (src, offset_bytes, stride_bytes,
        y);

    add_row (row, n_steps, &lanes);
    add_tail (row, n_steps * STEP_SAMPLES / PERIOD, samples, phases);
  }
  add_lanes (&lanes, phases);

  for (int phase = 0; phase < PERIOD; phase++) {
    phases[phase].count = (uint) samples[phase] * (uint) (y_end - y_start);
    partials[(first_slot + phase) * n_bands + band] = phases[phase];
  }
}

/* @slots: bit s of element c is set if slot s has samples of component c. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
moments_cpu_merge (__global const Partial *restrict partials, const int n_bands,
    const int4 slots, __global Partial *restrict results)
{
  const int component = (int) get_global_id (0);
  const int masks[4] = { slots.x, slots.y, slots.z, slots.w };
  Partial total = partial_empty ();

  for (int slot = 0; masks[component] >> slot != 0; slot++) {
    if ((masks[component] >> slot & 1) == 0)
      continue;
    for (int band = 0; band < n_bands; band++)
      total = partial_merge (total, partials[slot * n_bands + band]);
  }

  results[component] = total;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* integral/place.cl: exact sums in the requested type
 *
 * Math      Sums become floats, doubles or integers of 64 bits.
 * Shape     n_sums sums, one after the other.
 * Units     Offsets are in bytes, a multiple of 4.
 * Memory    exact and sums are distinct buffers.
 * Launch    integral_place: local (PLACE_ITEMS, 1, 1), a work-item for a sum,
 *           global x rounded up.
 * Range     All of ulong.
 * Accuracy  Floats are rounded to nearest, ties to even, on every device, as
 *           their bits are computed from integers. The reference is
 *           tests/integral/integralreference.c.
 * Source    IEEE 754-2019, 4.3.1.
 */

#include "cl_common.clh"

#define PLACE_ITEMS 64

/* Returns the bits of the floating-point number nearest to @v, ties to even,
 * with @n_fraction stored bits of the fraction and the exponent's @bias. */
static inline ulong
float_bits (const ulong v, const int n_fraction, const int bias)
{
  if (v == 0)
    return 0;

  const int top = 63 - (int) clz (v);
  const int n_dropped = top - n_fraction;
  ulong kept = n_dropped > 0 ? v >> n_dropped : v << -n_dropped;

  if (n_dropped > 0) {
    const ulong rest = v - (kept << n_dropped);
    const ulong half_unit = 1UL << (n_dropped - 1);

    kept += rest > half_unit || (rest == half_unit && (kept & 1));
  }

  /* the leading one is not stored; rounding up to the next power of two carries
   * into the exponent, as it must */
  return ((ulong) (bias + top) << n_fraction) + (kept - (1UL << n_fraction));
}

/* Converts exact sums to the requested type, in words of 32 bits: works on
 * devices without doubles, with memory that is aligned to a word only.
 * @is_float: to float (@sum_bytes 4) or double (8); otherwise to ulong. */
__kernel __attribute__ ((reqd_work_group_size (PLACE_ITEMS, 1, 1))) void
integral_place (__global const ulong *restrict exact, const ulong n_sums,
    __global uchar *restrict sums, const ulong sums_offset, const int sum_bytes,
    const int is_float)
{
  const size_t i = get_global_id (0);
  __global uint *words = (__global uint *) (sums + sums_offset);

  if (i >= n_sums)
    return;

  if (!is_float)
    vstore2 (as_uint2 (exact[i]), i, words);
  else if (sum_bytes == sizeof (float))
    words[i] = (uint) float_bits (exact[i], 23, 127);
  else
    vstore2 (as_uint2 (float_bits (exact[i], 52, 1023)), i, words);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integers of 128 bits. */

#include "statistics/series/gstclpooled.h"

#include "suite.h"

TEST (test_arithmetic)
{
  const GstClUint128 a = { 5, G_MAXUINT64 }, b = { 2, 3 };
  GstClUint128 c = gst_cl_uint128_add (a, b);

  fail_unless (c.high == 8 && c.low == 2);
  c = gst_cl_uint128_subtract (c, a);
  fail_unless (c.high == 2 && c.low == 3);
  c = gst_cl_uint128_subtract (b, (GstClUint128){ 0, 4 });
  fail_unless (c.high == 1 && c.low == G_MAXUINT64);
  c = gst_cl_uint128_multiply (a, G_MAXUINT32);
  /* (6 x 2^64 - 1) x (2^32 - 1) */
  fail_unless (c.high == G_GUINT64_CONSTANT (0x5fffffff9) &&
               c.low == G_GUINT64_CONSTANT (0xffffffff00000001));
  fail_unless (gst_cl_uint128_is_less (b, a));
  fail_if (gst_cl_uint128_is_less (a, a));
  fail_unless (gst_cl_uint128_is_less (b, (GstClUint128){ 2, 4 }));
  fail_unless (gst_cl_uint128_to_double ((GstClUint128){ 1, 0 }) == 0x1p64);
}

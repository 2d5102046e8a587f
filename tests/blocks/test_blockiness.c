/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The blockiness that gst_cl_blockiness() finds in sums of steps. */

#include "statistics/blockiness/blocks.h"

#include "suite.h"

/* Steps at every eighth line are ten times as great as others; an edge beside
 * counts, too. Lines at the ends have no steps. */
TEST (test_blockiness)
{
  guint64 sums[64] = { 0 }, none[64] = { 0 };

  for (guint i = 3; i < 60; i++)
    sums[i] = i % 8 == 7 ? 1000 : 100;
  fail_unless_equals_float (gst_cl_blockiness (sums, 64, none, 64), 10.0);
  fail_unless_equals_float (gst_cl_blockiness (none, 64, sums, 64), 10.0);
  sums[15] = 100;
  sums[16] = 1000;
  fail_unless (gst_cl_blockiness (sums, 64, none, 7) > 8.0);
  fail_unless_equals_float (gst_cl_blockiness (none, 64, none, 64), 0.0);
  fail_unless_equals_float (gst_cl_blockiness (sums, 7, none, 1), 0.0);
}

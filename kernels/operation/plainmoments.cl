/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operation/plainmoments.cl: operations on means and deviations of
 * windows, from integral images, on any device
 *
 * Math      The formulas of cl_operation.clh.
 * Shape     As in cl_plainoperation.clh.
 * Units     As in cl_plainoperation.clh.
 * Memory    As in cl_plainoperation.clh.
 * Launch    Local (64, 4), a work-item for a result.
 * Range     Codes are up to 65535; n < 2^30.
 * Accuracy  Integers only, with each quotient and product rounded as in the
 *           code: results are the same on every device. The reference is
 *           tests/operation/operationreference.c.
 * Source    Papers: cl_operation.clh.
 */

#include "cl_border.clh"
#include "cl_common.clh"
#include "cl_deviation.clh"
#include "cl_operation.clh"
#include "cl_plainoperation.clh"
#include "cl_windowmoments.clh"

/* Results from the sum of each window and that of its squares; only WOLF reads
 * extremes. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 4, 1))) void
operation_of_moments (PIXELS_ARGUMENTS, SUMS_ARGUMENTS, SQUARES_ARGUMENTS,
    __global const uint *restrict extremes, RESULTS_ARGUMENTS)
{
  const int border = BORDER_OF (format.w);
  const int i = (int) get_global_id (0);
  const int j = (int) get_global_id (1);
  RETURN_IF_OUTSIDE (i, j, grid.x, grid.y);

  const uint2 of_frame = read_extremes (extremes, operation);
  const Moments moments = window_moments (sums + sums_offset,
      squares + squares_offset, frame, window, grid, border, border_value, i,
      j);

  STORE_RESULT (moments.mean, moments.deviation, of_frame.x, of_frame.y);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operation/plainmeans.cl: operations on stored means, on any device
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

#include "cl_common.clh"
#include "cl_operation.clh"
#include "cl_pixel.clh"
#include "cl_plainoperation.clh"

/* Results from stored means, one for each result, in the samples' type; for
 * operations that round means. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 4, 1))) void
operation_of_means (PIXELS_ARGUMENTS, __global const uchar *restrict means,
    const int means_stride, RESULTS_ARGUMENTS)
{
  const int i = (int) get_global_id (0);
  const int j = (int) get_global_id (1);
  RETURN_IF_OUTSIDE (i, j, grid.x, grid.y);

  const uint mean = read_row (means, 0, means_stride, j)[i] >> format.y;

  STORE_RESULT (mean << 8, 0, 0, 0);
}

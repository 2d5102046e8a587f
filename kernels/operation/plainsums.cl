/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operation/plainsums.cl: operations on means of windows, from an
 * integral image, on any device
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
#include "cl_exact.clh"
#include "cl_operation.clh"
#include "cl_plainoperation.clh"
#include "cl_window.clh"

/* Results from the sum of each window. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 4, 1))) void
operation_of_sums (PIXELS_ARGUMENTS, SUMS_ARGUMENTS, RESULTS_ARGUMENTS)
{
  const int border = BORDER_OF (format.w);
  const int i = (int) get_global_id (0);
  const int j = (int) get_global_id (1);
  RETURN_IF_OUTSIDE (i, j, grid.x, grid.y);

  const WindowAxis x = window_axis (i * grid.z, window.z, window.x, frame.x,
      border);
  const WindowAxis y = window_axis (j * grid.w, window.w, window.y, frame.y,
      border);
  const SUM_T sum = WINDOW (window_sum, SUM_T) (sums + sums_offset, frame.z,
                        frame.w, x, y, border) +
                    (SUM_T) (n_constant (x, y, border) * border_value);
  const uint mean = exact_fraction_cut (sum, (uint) (x.count * y.count),
      (uint) format.z);

  STORE_RESULT (mean, 0, 0, 0);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operation/plainextremes.cl: the largest deviation of a frame's
 * windows, and its smallest code, on any device
 *
 * Math      The formulas of cl_operation.clh.
 * Shape     As in cl_plainoperation.clh.
 * Units     As in cl_plainoperation.clh.
 * Memory    As in cl_plainoperation.clh.
 * Launch    operation_extremes: local (64, 4), as many work-items as there are
 *           results or samples of the frame, whichever are more each way.
 *           operation_clear: local (1, 1).
 * Range     Codes are up to 65535; n < 2^30.
 * Accuracy  Integers only, with each quotient and product rounded as in the
 *           code: results are the same on every device. The reference is
 *           tests/operation/operationreference.c.
 * Source    Papers: cl_operation.clh.
 */

#include "cl_border.clh"
#include "cl_memory.clh"
#include "cl_operation.clh"
#include "cl_plainoperation.clh"
#include "cl_windowmoments.clh"

/* Sets the initial extremes, before each frame. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
operation_clear (__global uint *restrict extremes)
{
  clear_extremes (extremes);
}

/* Largest deviation of all results, smallest code of all samples: first of each
 * work-group. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 4, 1))) void
operation_extremes (PIXELS_ARGUMENTS, SUMS_ARGUMENTS, SQUARES_ARGUMENTS,
    const int4 grid, volatile __global uint *extremes)
{
  const int border = BORDER_OF (format.w);
  __local uint largest, smallest;
  const int i = (int) get_global_id (0);
  const int j = (int) get_global_id (1);
  const bool is_first = get_local_id (0) == 0 && get_local_id (1) == 0;

  if (is_first) {
    largest = 0;
    smallest = UINT_MAX;
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  if (i < grid.x && j < grid.y)
    max_local (&largest,
        window_moments (sums + sums_offset, squares + squares_offset, frame,
            window, grid, border, border_value, i, j)
            .deviation);
  if (i < frame.x && j < frame.y)
    min_local (&smallest, PIXEL_AT (i, j));
  barrier (CLK_LOCAL_MEM_FENCE);

  if (is_first) {
    max_global (extremes, largest);
    min_global (extremes + 1, smallest);
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
//!DESC Weighted sum of the 3x3, 5x5 or 7x7 samples around each sample
//!PARAM matrix
//!DESC The 9, 25 or 49 weights of the samples, row by row
//!TYPE int[]
//!MINIMUM -600
//!MAXIMUM 600
0 0 0 0 1 0 0 0 0
//!PARAM rdiv
//!DESC Factor of the sum; 0: the sum is divided by that of the matrix, exactly
//!TYPE float
//!MINIMUM 0
0
//!PARAM bias
//!DESC Added to the result, in codes
//!TYPE int
0
//!PARAM planes
//!DESC Components to filter: 1 Y or R, 2 U or G, 4 V or B, 8 alpha, added
//!TYPE int
//!MINIMUM 0
//!MAXIMUM 15
15
//!WORK samples16
*/
#include "gst_cl.clh"

/* the product and the sum are two operations on each device */
#pragma OPENCL FP_CONTRACT OFF

__kernel void
convolution (GST_CL_IN (in), GST_CL_OUT (out), GST_CL_ARRAY (int, matrix),
    float rdiv, int bias, int planes)
{
  const int x = get_global_id (0) * 16, y = get_global_id (1),
            c = get_global_id (2);
  const int radius = matrix_count >= 49 ? 3 : matrix_count >= 25 ? 2 : 1;
  int16 sum = 0;
  int total = 0;

  if (!gst_cl_contains (in, c, x, y))
    return;
  if (!(planes >> c & 1)) {
    gst_cl_store16 (out, c, x, y, gst_cl_load16 (in, c, x, y));
    return;
  }
  for (int i = -radius, k = 0; i <= radius; i++) {
    for (int j = -radius; j <= radius && k < matrix_count; j++, k++) {
      total += matrix[k];
      sum += matrix[k] * gst_cl_load16 (in, c, x + j, y + i);
    }
  }
  if (rdiv > 0) {
    sum = convert_int16_sat (floor (convert_float16 (sum) * rdiv + 0.5f));
  } else if (total > 1) {
    /* to the nearest, halves up; a negative sum becomes 0 or less */
    sum = (sum + total / 2) / total;
  }
  gst_cl_store16 (out, c, x, y, add_sat (sum, (int16) (bias)));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The noise of a picture (J. Immerkaer, "Fast noise variance estimation",
 * Computer Vision and Image Understanding 64(2), 1996). */

#include "gstclquality.h"

#include <math.h>

gdouble
gst_cl_noise_deviation (gdouble sum, guint64 count)
{
  /* the weights of the nine samples are the square root of 36 = 6 long */
  return count > 0 ? sqrt (G_PI_2) * sum / (6.0 * count) : 0.0;
}

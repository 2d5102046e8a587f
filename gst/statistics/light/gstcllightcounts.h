/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the device counts of the R, G and B of pixels: docs/light.md. */

/* The components whose levels EBU R 103 limits, in the order of counts. */
enum {
  GST_CL_LEVELS_R,
  GST_CL_LEVELS_G,
  GST_CL_LEVELS_B,
  GST_CL_LEVELS_Y,
  GST_CL_LEVELS_N_COMPONENTS,
};

/* The numbers of a picture. Codes of R, G and B beyond 0 .. 2^depth - 1 count
 * as the nearest of these. */
typedef struct {
  guint64 n_pixels;
  guint n_codes;            /* 2^depth */
  const guint32 *histogram; /* of the maximum of R, G and B; borrowed; NULL: not
                               measured */
  guint32 max[3];           /* the greatest R, G and B */
  guint32 n_beyond[GST_CL_LEVELS_N_COMPONENTS]; /* pixels beyond the preferred
                                                   range, after the filter */
} GstClLightCounts;

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "common/gstclrgb.h"
#include "common/gstcltransfer.h"

G_BEGIN_DECLS

/* From the colorimetry of caps to R, G and B, and to light. */

/* Sets @matrix to the matrix of the caps, or of BT.709 if they have none.
 * @depth: bits of a code. */
void gst_cl_colour_matrix (const GstVideoInfo *info, guint depth,
    GstClRgbMatrix *matrix);

/* Sets @weights to the weights of R, G and B in Y, after the matrix of the
 * caps, or BT.709 if the caps have none. */
void gst_cl_colour_luma (const GstVideoInfo *info, gdouble weights[3]);

/* Sets @weights to the weights of R, G and B in the luminance, after the
 * primaries of the caps: BT.2020 or, for all others, BT.709. */
void gst_cl_colour_luminance (const GstVideoInfo *info, gdouble weights[3]);

/* Returns the curve of codes of @depth bits. @transfer: a GstClTransfer; -1: of
 * the caps. @peak: of the display, cd/m2; 0: 200, and 1000 for HLG. */
GstClLightCurve gst_cl_colour_curve (const GstVideoInfo *info, guint depth,
    gint transfer, gdouble peak);

/* Sets *low and *high to the preferred range of EBU R 103, table 1: 5 .. 246
 * times 2^(depth - 8); in full range, the codes of the same signals. */
void gst_cl_colour_preferred_range (const GstVideoInfo *info, guint depth,
    gint *low, gint *high);

G_END_DECLS

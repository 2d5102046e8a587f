/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcllightcounts.h"
#include "ops/pictureop.h"

G_BEGIN_DECLS

/* The R, G and B of pixels: the histogram of their maximum, and levels beyond
 * the preferred range of EBU R 103. */

/* What to measure. */
typedef enum {
  GST_CL_LIGHT_HISTOGRAM = 1 << 0, /* and the greatest R, G and B */
  GST_CL_LIGHT_LEVELS = 1 << 1,
} GstClLightPart;

/* The problem that an instance is built for. */
typedef struct {
  GstClPictureShape picture; /* of pixels */
  GstClLightPart parts;
  gint low, high;     /* the preferred range, codes */
  gdouble weights[3]; /* of R, G and B in the Y of RGB; their sum is 1 */
} GstClLightProblem;

/* The implementations; problems are GstClLightProblem, io is const
 * GstClPictureInput *. Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_light_table;

/* Create and free a GstClPictureOp. */
extern const GstClTieredFuncs gst_cl_light_tiered;

/* Waits for the read into @slot, and sets @counts to the numbers of the run;
 * its histogram stays valid until the next read into the slot. FALSE with
 * @error. Any thread, one per slot. */
gboolean gst_cl_light_op_result (GstClPictureOp *op, guint slot,
    GstClLightCounts *counts, GError **error);

G_END_DECLS

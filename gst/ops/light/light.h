/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "common/gstcllight.h"
#include "common/gstclrgb.h"
#include "ops/picture.h"
#include "ops/tieredop.h"

G_BEGIN_DECLS

/* The R, G and B of pixels: the histogram of their maximum, and levels beyond
 * the preferred range of EBU R 103. */

#define GST_CL_LIGHT_MAX_COMPONENTS 3

/* What to measure. */
typedef enum {
  GST_CL_LIGHT_HISTOGRAM = 1 << 0, /* and the greatest R, G and B */
  GST_CL_LIGHT_LEVELS = 1 << 1,
} GstClLightPart;

/* The problem that an instance is built for. Later pictures have the same pixel
 * strides and sample type (one for all components), and no component is larger.
 * Memory, offsets and strides are ignored. */
typedef struct {
  guint n_components; /* 1 if the matrix is GREY, else 3 */
  GstClComponent shapes[GST_CL_LIGHT_MAX_COMPONENTS];
  guint x_shift, y_shift; /* subsampling of chroma */
  GstClRgbMatrix matrix;
  GstClLightPart parts;
  gint low, high;     /* the preferred range, codes */
  gdouble weights[3]; /* of R, G and B in the Y of RGB; their sum is 1 */
} GstClLightProblem;

/* The implementations; problems are GstClLightProblem, io is const
 * GstClPictureInput *. Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_light_table;

typedef struct _GstClLightOp GstClLightOp;

/* create() and free() of all rows. Creates a GstClLightOp of @candidate. NULL
 * with @error; transfer full. */
gpointer gst_cl_light_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
void gst_cl_light_op_free (gpointer op);

/* Create and free an op; problems are GstClLightProblem. */
extern const GstClTieredFuncs gst_cl_light_tiered;

/* Enqueues one picture, @input. Neither waits nor allocates. FALSE with
 * CL_INVALID_VALUE if a component is larger than that of the problem or has
 * another pixel stride. */
gboolean gst_cl_light_op_run (gpointer op, gconstpointer input, GError **error);

/* The maximum number of results in flight. */
#define GST_CL_LIGHT_SLOTS 64

/* Enqueues the read of the last run's results into @slot (below
 * GST_CL_LIGHT_SLOTS). Does not wait; other runs may follow. */
gboolean gst_cl_light_op_fetch (GstClLightOp *op, guint slot, GError **error);

/* Waits for the read into @slot, and sets @counts to the numbers of the run;
 * its histogram stays valid until the next read into the slot. FALSE with
 * @error. Any thread, one per slot. */
gboolean gst_cl_light_op_result (GstClLightOp *op, guint slot,
    GstClLightCounts *counts, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLightOp, gst_cl_light_op_free)

G_END_DECLS

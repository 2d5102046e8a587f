/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclbatchqueue.h"
#include "cl/import/gstclrange.h"
#include "cl/video/gstclcomponent.h"
#include "common/gstclmoments.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* Count, sum, sum of squares, minimum and maximum of each component of a frame,
 * by the two-buffer ping-pong reduction, or in fewer steps on the devices that
 * know one. */

typedef enum {
  GST_CL_REDUCTION_AUTO,
  GST_CL_REDUCTION_INNER, /* a work-group halves a block in local memory */
  GST_CL_REDUCTION_OUTER, /* one work-item sums a whole block in a loop */
  /* what AUTO chooses from beside them; no nicks of the property */
  GST_CL_REDUCTION_TILES, /* GPUs: all in one launch, a work-group a tile */
  GST_CL_REDUCTION_BANDS, /* CPUs: one work-item, one band of rows */
} GstClReduction;

#define GST_CL_MOMENTS_MAX_COMPONENTS 4

typedef struct _GstClMomentsOp GstClMomentsOp;

/* What an instance is built for. Sizes, pixel strides and sample types (one
 * for all components) are those of later frames, and so is which components
 * share a plane. Memory, offsets and strides may be others. */
typedef struct {
  guint n_components; /* 1 .. 4 */
  GstClComponent components[GST_CL_MOMENTS_MAX_COMPONENTS];
} GstClMomentsProblem;

/* The implementations; problems are GstClMomentsProblem, io is the components
 * of a frame, const GstClComponent *. Methods are those of GstClReduction. */
extern const GstClOpTable gst_cl_moments_table;

/* Makes @candidate of gst_cl_moments_table: builds the kernels and allocates
 * the scratch memory. NULL with @error. transfer full */
GstClMomentsOp *gst_cl_moments_op_new (GstClContext *context,
    const GstClCandidate *candidate, const GstClMomentsProblem *problem,
    GError **error);
void gst_cl_moments_op_free (GstClMomentsOp *op);

/* Enqueues the reduction of one frame. Waits for nothing, allocates nothing. */
gboolean gst_cl_moments_op_run (GstClMomentsOp *op,
    const GstClComponent *components, GError **error);

/* Results on their way at a time. */
#define GST_CL_MOMENTS_SLOTS 64

/* Enqueues the way back of the last run's results, into @slot (below
 * GST_CL_MOMENTS_SLOTS). Waits for nothing: other runs may follow. */
gboolean gst_cl_moments_op_fetch (GstClMomentsOp *op, guint slot,
    GError **error);

/* Returns the event of the read that was enqueued for @slot last, transfer
 * full; NULL: none is to be had. */
cl_event gst_cl_moments_op_fetched (GstClMomentsOp *op, guint slot);

/* Returns whether a frame of these components is for
 * gst_cl_moments_op_run_batched(): other ops of the same context and problem
 * measure frames, too, with which it can share a launch, and it lies in one
 * memory. From then on, this op counts as one that does. One thread. */
gboolean gst_cl_moments_op_is_batched (GstClMomentsOp *op,
    const GstClComponent *components);

/* Where gst_cl_moments_op_is_batched(), instead of run and fetch: enqueues the
 * reduction of one frame and the way back of its results, into @slot, with
 * frames of other ops, in a thread for all of them (momentsbatch.c). The frame
 * is measured after @pending. Waits for nothing. Returns the fence that is
 * signalled when the results have been read; until then the frame must last
 * (transfer full). NULL with @error. */
GstClFence *gst_cl_moments_op_run_batched (GstClMomentsOp *op,
    const GstClComponent *components, const GstClPendingUpload *pending,
    guint slot, GError **error);

/* Waits for the results fetched into @slot: as many as the problem has
 * components. The results of a batched frame can be read once. Any
 * thread, one a slot. */
gboolean gst_cl_moments_op_result (GstClMomentsOp *op, guint slot,
    GstClMoments *results, GError **error);

/* Fetches the results of the last run, and waits for them. */
gboolean gst_cl_moments_op_read (GstClMomentsOp *op, GstClMoments *results,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMomentsOp, gst_cl_moments_op_free)

G_END_DECLS

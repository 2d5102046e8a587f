/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclbatchqueue.h"
#include "cl/import/gstcldevicerange.h"
#include "cl/video/gstclcomponent.h"
#include "common/gstclmoments.h"
#include "ops/tieredop.h"

G_BEGIN_DECLS

/* Count, sum, sum of squares, minimum and maximum of each component of a frame,
 * by the two-buffer ping-pong reduction, or by fewer steps on devices with a
 * better kernel. */

typedef enum {
  GST_CL_REDUCTION_AUTO,
  GST_CL_REDUCTION_INNER, /* a work-group halves a block in local memory */
  GST_CL_REDUCTION_OUTER, /* one work-item sums a whole block in a loop */
  /* further candidates of AUTO, which are no nicks of the property */
  GST_CL_REDUCTION_TILES, /* GPUs: one launch, one work-group per tile */
  GST_CL_REDUCTION_BANDS, /* CPUs: one work-item per band of rows */
} GstClReduction;

#define GST_CL_MOMENTS_MAX_COMPONENTS 4

typedef struct _GstClMomentsOp GstClMomentsOp;

/* The problem that an instance is built for. Later frames have the same sizes,
 * pixel strides and sample type (one for all components), and the same
 * components share a plane. Memory, offsets and strides may differ. */
typedef struct {
  guint n_components; /* 1 .. 4 */
  GstClComponent components[GST_CL_MOMENTS_MAX_COMPONENTS];
} GstClMomentsProblem;

/* The implementations; problems are GstClMomentsProblem, io is the components
 * of a frame, const GstClComponent *. Methods are those of GstClReduction. */
extern const GstClOpTable gst_cl_moments_table;

/* Creates an op of @candidate of gst_cl_moments_table: builds the kernels and
 * allocates the scratch memory. NULL with @error; transfer full. */
GstClMomentsOp *gst_cl_moments_op_new (GstClContext *context,
    const GstClCandidate *candidate, const GstClMomentsProblem *problem,
    GError **error);
void gst_cl_moments_op_free (GstClMomentsOp *op);

/* Create and free an op; problems are GstClMomentsProblem. */
extern const GstClTieredFuncs gst_cl_moments_tiered;

/* Enqueues the reduction of one frame. Neither waits nor allocates. */
gboolean gst_cl_moments_op_run (GstClMomentsOp *op,
    const GstClComponent *components, GError **error);

/* The maximum number of results in flight. */
#define GST_CL_MOMENTS_SLOTS 64

/* Enqueues the read of the last run's results into @slot (below
 * GST_CL_MOMENTS_SLOTS). Does not wait; other runs may follow. */
gboolean gst_cl_moments_op_fetch (GstClMomentsOp *op, guint slot,
    GError **error);

/* Returns the event of the last read enqueued for @slot, transfer full; NULL if
 * there is none. */
cl_event gst_cl_moments_op_fetched (GstClMomentsOp *op, guint slot);

/* Returns TRUE if the caller can use gst_cl_moments_op_run_batched() for a
 * frame of these components: the frame is in one memory, and other ops of the
 * same context and problem measure frames that can share a launch with it. From
 * then on this op counts as one of those ops. One thread. */
gboolean gst_cl_moments_op_is_batched (GstClMomentsOp *op,
    const GstClComponent *components);

/* Use it instead of run and fetch if gst_cl_moments_op_is_batched(): enqueues
 * the reduction of one frame and the read of its results into @slot, batched
 * with frames of other ops, in one thread for all of them (momentsbatch.c). The
 * frame is measured after @pending. Does not wait. Returns the fence that is
 * signalled when the results have been read; until then the frame must stay
 * valid (transfer full). NULL with @error. */
GstClFence *gst_cl_moments_op_run_batched (GstClMomentsOp *op,
    const GstClComponent *components, const GstClPendingUpload *pending,
    guint slot, GError **error);

/* Waits for the read into @slot and returns its results, one per component of
 * the problem. The results of a batched frame can be read once. Any thread, one
 * per slot. */
gboolean gst_cl_moments_op_result (GstClMomentsOp *op, guint slot,
    GstClMoments *results, GError **error);

/* Reads the results of the last run; blocking. */
gboolean gst_cl_moments_op_read (GstClMomentsOp *op, GstClMoments *results,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMomentsOp, gst_cl_moments_op_free)

G_END_DECLS

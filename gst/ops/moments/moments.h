/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "gstclmoments.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* Count, sum, sum of squares, minimum and maximum of each component of a
 * frame, by the two-buffer ping-pong reduction, or in fewer steps on the devices
 * that know one. */

typedef enum {
  GST_CL_REDUCTION_AUTO,
  GST_CL_REDUCTION_INNER, /* a work-group halves a block in local memory */
  GST_CL_REDUCTION_OUTER, /* one work-item sums a whole block in a loop */
  /* what AUTO chooses from beside them; no nicks of the property */
  GST_CL_REDUCTION_OUTER_INNER,      /* outer in round 1, then inner */
  GST_CL_REDUCTION_INNER_TAIL,       /* inner, then all others in one launch */
  GST_CL_REDUCTION_OUTER_TAIL,       /* outer, then all others in one launch */
  GST_CL_REDUCTION_OUTER_INNER_TAIL, /* outer, inner, then all others likewise */
  GST_CL_REDUCTION_TILES, /* GPUs: all in one launch, a work-group a tile */
  GST_CL_REDUCTION_BANDS, /* CPUs: one work-item, one band of rows */
} GstClReduction;

#define GST_CL_MOMENTS_MAX_COMPONENTS 4

typedef struct _GstClMomentsOp GstClMomentsOp;

/* The table of variants; *n_rows receives its length. */
const GstClImplementation *gst_cl_moments_variants (guint *n_rows);

/* A row of the table, with a size that changes how long it takes and nothing
 * else; 0: the usual one. */
typedef struct {
  const gchar *name;
  const GstClImplementation *variant;
  guint bands_percent; /* of BANDS: of the usual number */
  gint tile_rows;      /* of TILES, GST_CL_MOMENTS_MAX_TILE_ROWS at most */
} GstClMomentsWay;

#define GST_CL_MOMENTS_MAX_TILE_ROWS 256
#define GST_CL_MOMENTS_MAX_WAYS      12

/* Those that AUTO chooses from for @components on @device, the usual one first;
 * returns how many. */
guint gst_cl_moments_ways (const GstClDevice *device,
    const GstClComponent *components, guint n_components,
    GstClMomentsWay ways[GST_CL_MOMENTS_MAX_WAYS]);

/* The way for @method (a GstClReduction) on the context's device. AUTO takes what
 * is remembered to be the fastest; what is not is measured if @may_measure, which
 * takes a while (tune.h). @components: as for the op, memory aside. */
GstClMomentsWay gst_cl_moments_choose (GstClContext *context, gint method,
    const GstClComponent *components, guint n_components, gboolean may_measure);

/* Builds the kernels of @way and allocates its scratch memory.
 * @components: @n_components (1 .. 4) of the later frames, of one sample type;
 * that, their sizes and pixel strides are fixed here, and so is which of them share a plane, their
 * memory, offsets and strides are not. */
GstClMomentsOp *gst_cl_moments_op_new (GstClContext *context,
    const GstClMomentsWay *way, const GstClComponent *components,
    guint n_components, GError **error);
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

/* Waits for the results fetched into @slot: @n_components of them. Any thread,
 * one a slot. */
gboolean gst_cl_moments_op_result (GstClMomentsOp *op, guint slot,
    GstClMoments *results, GError **error);

/* Both, for the last run. */
gboolean gst_cl_moments_op_read (GstClMomentsOp *op, GstClMoments *results,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMomentsOp, gst_cl_moments_op_free)

G_END_DECLS

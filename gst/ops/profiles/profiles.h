/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "common/gstclprofile.h"
#include "ops/tieredop.h"

G_BEGIN_DECLS

/* Sums, extremes and differences of each row and each column of the components
 * of a frame: GstClProfile. */

#define GST_CL_PROFILES_MAX_COMPONENTS 4

/* The problem that an instance is built for. Later frames have the same pixel
 * strides and sample type (one for all components), and no component is larger.
 * Memory, offsets and strides are ignored. */
typedef struct {
  guint n_components; /* 1 .. 4 */
  GstClComponent shapes[GST_CL_PROFILES_MAX_COMPONENTS];
} GstClProfilesProblem;

/* The implementations; problems are GstClProfilesProblem, io is the components
 * of a frame, const GstClComponent *. Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_profiles_table;

typedef struct _GstClProfilesOp GstClProfilesOp;

/* create() and free() of all rows. Creates a GstClProfilesOp of @candidate.
 * NULL with @error; transfer full. */
gpointer gst_cl_profiles_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
void gst_cl_profiles_op_free (gpointer op);

/* Create and free an op; problems are GstClProfilesProblem. */
extern const GstClTieredFuncs gst_cl_profiles_tiered;

/* Enqueues one frame. @components: parts of it, each with its own size; one
 * without samples has no rows and no columns. Neither waits nor allocates.
 * FALSE with CL_INVALID_VALUE if a component is larger than that of the problem
 * or has another pixel stride. */
gboolean gst_cl_profiles_op_run (gpointer op, gconstpointer components,
    GError **error);

/* The maximum number of results in flight. */
#define GST_CL_PROFILES_SLOTS 64

/* Enqueues the read of the last run's results into @slot (below
 * GST_CL_PROFILES_SLOTS). Does not wait; other runs may follow. */
gboolean gst_cl_profiles_op_fetch (GstClProfilesOp *op, guint slot,
    GError **error);

/* Waits for the read into @slot and returns its results, one per component of
 * the problem. Their arrays stay valid until the next read into the slot. Any
 * thread, one per slot. */
gboolean gst_cl_profiles_op_result (GstClProfilesOp *op, guint slot,
    GstClProfile *profiles, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClProfilesOp, gst_cl_profiles_op_free)

G_END_DECLS

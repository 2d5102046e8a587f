/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/implementation.h"

G_BEGIN_DECLS

/* Barriers across the work-groups of one launch, as a means and as an op of
 * their own that shows what they cost and whether they hold. */

typedef enum {
  GST_CL_DEVICE_SYNC_EVERY_ITEM = 1, /* all count up, all wait */
  GST_CL_DEVICE_SYNC_LEADER,         /* one of each work-group does */
  GST_CL_DEVICE_SYNC_FLAGS,          /* no atomics: the first work-group sees
                                        the flags of all, and lets them go */
  GST_CL_DEVICE_SYNC_LAUNCHES,       /* no barrier, several launches */
  GST_CL_DEVICE_SYNC_NONE,           /* neither: wrong, to measure the rest */
} GstClDeviceSyncMethod;

typedef struct _GstClDeviceSyncOp GstClDeviceSyncOp;

/* What an instance is built for. */
typedef struct {
  guint
      n_groups; /* at least one, and no more than the device has compute units,
                     since others may never run while these wait */
} GstClDeviceSyncProblem;

/* What is run: see gst_cl_device_sync_op_run(). */
typedef struct {
  cl_mem ring;
  guint n_rounds;
} GstClDeviceSyncIo;

/* The implementations; problems are GstClDeviceSyncProblem, io is
 * GstClDeviceSyncIo. Methods are those of GstClDeviceSyncMethod. */
extern const GstClOpTable gst_cl_device_sync_table;

/* create() and free() of all rows. Makes a GstClDeviceSyncOp of @candidate.
 * NULL with @error: CL_INVALID_VALUE where the device has too few compute
 * units. transfer full */
gpointer gst_cl_device_sync_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
void gst_cl_device_sync_op_free (gpointer op);

/* Elements of the ring, one for each work-item: guint32. */
guint gst_cl_device_sync_op_ring_length (const GstClDeviceSyncOp *op);

/* Enqueues @n_rounds of ring[i] = ring[i] + ring[i + 1] + ring[i + 2], all at
 * once, around the @ring; modulo 2^32. Waits for nothing. */
gboolean gst_cl_device_sync_op_run (GstClDeviceSyncOp *op, cl_mem ring,
    guint n_rounds, GError **error);

/* Waits. *@is_done receives whether all runs since the last call have come to
 * their end; FALSE: a work-item gave up, and what became of the rings is of no
 * use. From then on the op takes several launches. */
gboolean gst_cl_device_sync_op_check (GstClDeviceSyncOp *op, gboolean *is_done,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClDeviceSyncOp, gst_cl_device_sync_op_free)

G_END_DECLS

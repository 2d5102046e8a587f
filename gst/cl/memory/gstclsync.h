/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Order between the queues of a context: what each queue did last to one piece
 * of device memory. Commands of one queue are in order anyway; a command that
 * follows one of another queue is kept behind it by a barrier, with no wait on
 * the host. Where the queues are one (GstClContext.is_split is FALSE) nothing
 * is recorded but for memory that asks for it.
 *
 * Zero-initialised it is empty. All members belong to one of the context's
 * locks, which its address says. */
typedef struct {
  gboolean always; /* record in any case; set once, before use */
  /*< private >*/
  cl_event last[GST_CL_N_QUEUES]; /* NULL: nothing, or done */
  gboolean wrote[GST_CL_N_QUEUES];
} GstClSync;

/* What commands do to the memory behind @sync. */
typedef struct {
  GstClSync *sync;
  gboolean writes;
} GstClAccess;

/* --- many commands: kernels on the compute queue --- */

/* Before enqueuing commands on @queue that have @accesses: they will run after
 * what the other queues do to the same memory, reads beside reads excepted.
 * Any thread. */
gboolean gst_cl_sync_begin (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GError **error);

/* After enqueuing them: records it, hands the queue to the device, and stores
 * an event in *@done (may be NULL) that follows all commands of @queue. */
gboolean gst_cl_sync_end (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, cl_event *done,
    GError **error);

/* Records them where the last of the commands has an event already, @last
 * (transfer none), and @queue has been handed to the device, or is before
 * anybody waits for @last: costs no command.
 * No other thread may enqueue commands with the same accesses meanwhile. */
gboolean gst_cl_sync_end_at (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, cl_event last,
    GError **error);

/* --- one command: a transfer --- */

/* A wait list and an event of its own cost less on NVIDIA's queues than
 * barriers and markers (docs/devices.md). */

#define GST_CL_MAX_WAITS 32

/* Zero-initialised it is empty. */
typedef struct {
  cl_uint n;
  cl_event events[GST_CL_MAX_WAITS]; /* retained */
} GstClWaits;

/* What the next command of @queue has to wait for. On success, and only then,
 * gst_cl_sync_record() or gst_cl_sync_commit() must follow. */
gboolean gst_cl_sync_collect (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GstClWaits *waits,
    GError **error);

/* The command has been enqueued: @code is what came of it, @event (transfer
 * none) its event. Records it, and clears @waits. */
gboolean gst_cl_sync_record (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GstClWaits *waits,
    cl_int code, const gchar *what, cl_event event, GError **error);

/* Hands @queue to the device, for one command or several. FALSE: that fails, as
 * does a wait for it. */
gboolean gst_cl_sync_submit (GstClContext *context, GstClQueue queue,
    GError **error);

/* Does both. */
gboolean gst_cl_sync_commit (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GstClWaits *waits,
    cl_int code, const gchar *what, cl_event event, GError **error);

/* The list for a clEnqueue call, which takes NULL for none. */
#define GST_CL_WAIT_LIST(waits)                                                \
  (waits)->n, (waits)->n > 0 ? (waits)->events : NULL

/* --- */

/* Waits for what is recorded in @sync. FALSE: a wait has failed, and the device
 * may still use the memory. */
gboolean gst_cl_sync_wait (GstClContext *context, GstClSync *sync);

/* Forgets everything. The commands may still run. */
void gst_cl_sync_clear (GstClContext *context, GstClSync *sync);

G_END_DECLS

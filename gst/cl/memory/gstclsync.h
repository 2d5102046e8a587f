/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Orders commands on the queues of a context: records the last command of each
 * queue on one piece of device memory. Commands on one queue are in order. A
 * command that depends on another queue's command is enqueued after a barrier;
 * the host does not wait. If all queues are the same (GstClContext.is_discrete
 * is FALSE), commands are recorded only for memory that requests it.
 *
 * Valid when zero-initialised. All members are protected by one of the
 * context's locks; the address of the GstClSync selects it. */
typedef struct {
  gboolean always; /* record always; set once, before use */
  /*< private >*/
  cl_event last[GST_CL_N_QUEUES]; /* NULL: none, or complete */
  gboolean wrote[GST_CL_N_QUEUES];
  GArray *foreign; /* uses on queues of applications; NULL: none, which any
                      thread may read without the lock */
} GstClSync;

/* How commands access the memory of @sync. */
typedef struct {
  GstClSync *sync;
  gboolean writes;
} GstClAccess;

/* --- many commands: kernels on the compute queue --- */

/* Call it before enqueuing commands on @queue with @accesses: they will run
 * after the other queues' commands on the same memory; reads do not wait for
 * reads. Any thread. */
gboolean gst_cl_sync_begin (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GError **error);

/* Call it after enqueuing them: records them, flushes the queue, and stores in
 * *@done (may be NULL) an event that follows all commands of @queue. */
gboolean gst_cl_sync_end (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, cl_event *done,
    GError **error);

/* Records the commands if the last of them already has an event, @last
 * (transfer none); enqueues no command. @queue must have been flushed, or is
 * flushed before any thread waits for @last. No other thread may enqueue
 * commands with the same accesses meanwhile. */
gboolean gst_cl_sync_end_at (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, cl_event last,
    GError **error);

/* --- one command: a transfer --- */

/* The maximum number of events in a wait list. For one command, a wait list and
 * an event cost less on NVIDIA's queues than barriers and markers
 * (docs/devices.md). */

#define GST_CL_MAX_WAITS 32

/* A command that is about to be enqueued. Zero-initialised, it waits for no
 * event. One thread. */
typedef struct {
  cl_uint n_waits;
  cl_event waits[GST_CL_MAX_WAITS]; /* retained */
  /*< private >*/
  GstClContext *context; /* borrowed, as accesses */
  GstClQueue queue;
  const GstClAccess *accesses;
  guint n_accesses;
} GstClCommand;

/* Sets @command to the next command of @queue, with the events that it has to
 * wait for. On success, and only then, gst_cl_sync_record() or
 * gst_cl_sync_commit() must follow; @accesses is used until then. */
gboolean gst_cl_sync_collect (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GstClCommand *command,
    GError **error);

/* Call it after enqueuing @command: records it, and clears its wait list. @code
 * is the result of the clEnqueue call, @event (transfer none) its event. */
gboolean gst_cl_sync_record (GstClCommand *command, cl_int code,
    const gchar *what, cl_event event, GError **error);

/* Flushes @queue, after one command or several. FALSE with @error: the flush
 * failed, and a wait for the commands failed, too. */
gboolean gst_cl_sync_submit (GstClContext *context, GstClQueue queue,
    GError **error);

/* Calls gst_cl_sync_record() and gst_cl_sync_submit(). */
gboolean gst_cl_sync_commit (GstClCommand *command, cl_int code,
    const gchar *what, cl_event event, GError **error);

/* The wait list as arguments of a clEnqueue call, which requires NULL for an
 * empty list. */
#define GST_CL_WAIT_LIST(command)                                              \
  (command)->n_waits, (command)->n_waits > 0 ? (command)->waits : NULL

/* --- queues of an application --- */

/* Does the same as gst_cl_sync_begin() for commands on @queue, any queue of the
 * cl_context. */
gboolean gst_cl_sync_begin_foreign (GstClContext *context,
    cl_command_queue queue, const GstClAccess *access, GError **error);

/* Records @event (transfer none), after which the commands on @queue are
 * complete, and flushes @queue. NULL: all commands on @queue so far. Records
 * for every device. */
gboolean gst_cl_sync_end_foreign (GstClContext *context, cl_command_queue queue,
    const GstClAccess *access, cl_event event, GError **error);

/* --- */

/* Waits for the commands recorded in @sync. FALSE: a wait has failed, and the
 * device may still use the memory. */
gboolean gst_cl_sync_wait (GstClContext *context, GstClSync *sync);

/* Clears all records. The commands may still run. */
void gst_cl_sync_clear (GstClContext *context, GstClSync *sync);

G_END_DECLS

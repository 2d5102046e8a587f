/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/cache/gstcltuningdb.h"

G_BEGIN_DECLS

/* The queues of a context, all in-order. On a device that shares the host's
 * memory nothing is transferred, and all three are one and the same; elsewhere
 * they are three, so that transfers either way and kernels overlap, and
 * GstClSync keeps their commands in step. */
typedef enum {
  GST_CL_QUEUE_COMPUTE,  /* kernels, fills and copies on the device */
  GST_CL_QUEUE_UPLOAD,   /* from the host */
  GST_CL_QUEUE_DOWNLOAD, /* to the host, maps for the CPU */
  GST_CL_N_QUEUES
} GstClQueue;

/* One device with its cl_context, its queues and the programs built for it. All
 * members are constant after construction but those that say so.
 *
 * Properties, for tests and curious applications, read-only, any thread:
 *   bytes-to-device    (uint64) bytes of frames copied to where the device
 *                      computes; wrapped and mapped memory counts nothing
 *   bytes-from-device  (uint64) the other way
 *   bytes-within-device
 *                      (uint64) bytes of frames copied from memory of others on
 *                      the same device, such as CUDA's */
#define GST_TYPE_CL_CONTEXT (gst_cl_context_get_type ())
G_DECLARE_FINAL_TYPE (GstClContext, gst_cl_context, GST, CL_CONTEXT, GstObject)

/* Locks that the memories of a context share, so that few threads meet at one:
 * a bit each of 64. */
#define GST_CL_N_SYNC_LOCKS 64

struct _GstClContext {
  GstObject parent;

  GstClDevice *device;
  guint serial; /* of no other context of the process */
  cl_context handle;
  cl_command_queue queues[GST_CL_N_QUEUES];
  cl_command_queue queue;   /* queues[GST_CL_QUEUE_COMPUTE] */
  gboolean is_split;        /* the queues are three */
  GstClTuningDb *tuning_db; /* what was measured on the device */
  GstClTuningDb *verdicts;  /* what self-tests have found on the device */
  GstClDevice *alternative; /* what device=auto takes where this one compiles
                               nothing, or nothing right; NULL: none, or not
                               auto's choice */

  /*< private >*/
  GMutex program_lock;
  GHashTable *programs;       /* gchar *key -> GstClProgram; program_lock */
  gint n_programs_from_cache; /* of these, those not compiled; atomic */
  gboolean is_profiling;
  GMutex profile_lock;
  GPtrArray *profile; /* cl_event of each launch; profile_lock */
  GMutex sync_locks[GST_CL_N_SYNC_LOCKS]; /* gstclsync.c */
  gint has_long_waits;                    /* atomic; for waits, as the next */
  gint n_waiting;                         /* threads; atomic */

  /* object lock */
  gboolean is_lost;
  gconstpointer told_for, told_by; /* the pipeline that was told of a failure,
                                      and the element; never followed */
  cl_int told_code;
  gboolean is_posted; /* the error is on the bus, not only on its way there */
  guint64 bytes_to_device, bytes_from_device, bytes_within_device;
};

/* Opens @device. @profiling: record the time of every launch (benchmarks). */
GstClContext *gst_cl_context_new (GstClDevice *device, gboolean profiling,
    GError **error);

/* The GstClContext around an application's own objects, the same one for the
 * same objects as long as it lives; all are retained. @queue becomes the
 * compute queue; it must be in-order and of @device, or NULL for one of our
 * own. */
GstClContext *gst_cl_context_wrap (cl_context handle, cl_device_id device,
    cl_command_queue queue, GError **error);

/* Returns an in-order queue beside those of the context; NULL with @error. The
 * caller releases it. */
cl_command_queue gst_cl_context_create_queue (GstClContext *context,
    GError **error);

/* Hands what was enqueued on @queue to the device; does not wait. */
gboolean gst_cl_context_flush (GstClContext *context, GstClQueue queue,
    GError **error);

/* Waits until everything enqueued so far on @queue is done. */
gboolean gst_cl_context_finish_queue (GstClContext *context, GstClQueue queue,
    GError **error);

/* Waits until everything enqueued so far, by any element, is done. */
gboolean gst_cl_context_finish (GstClContext *context, GError **error);

/* Latches that @element has failed with @error. If that says that the device is
 * gone, the context is marked lost, and no element takes it up again; if it
 * says that the compiler of the device failed, or that no implementation is
 * right there (CL_INVALID_DEVICE), and there is an alternative,
 * device=auto passes the device over from then on (gstcldevice.h). TRUE
 * if the error is to be posted, and gst_cl_context_set_failure_posted() to be
 * called then: a lost device is one failure, however many elements of a
 * pipeline come across it, and so is a failed command for which others of the
 * pipeline wait. Any thread. */
gboolean gst_cl_context_latch_failure (GstClContext *context,
    const GError *error, GstElement *element);

/* The error that @element had latched is on the bus. Any thread. */
void gst_cl_context_set_failure_posted (GstClContext *context,
    GstElement *element);

/* FALSE as long as the error that an element of the pipeline of @element has
 * latched is not yet on the bus. Any thread. */
gboolean gst_cl_context_is_failure_posted (GstClContext *context,
    GstElement *element);

/* An element starts: the next failure is another one, except that a lost device
 * remains lost. Any thread. */
void gst_cl_context_forget_failure (GstClContext *context);
gboolean gst_cl_context_is_lost (GstClContext *context);

/* Adds to the properties bytes-to-device and bytes-from-device. Any thread. */
void gst_cl_context_count (GstClContext *context, guint64 to_device,
    guint64 from_device);

/* Adds to the property bytes-within-device. Any thread. */
void gst_cl_context_count_within (GstClContext *context, guint64 n_bytes);

/* Until it is called with FALSE in this thread, what drivers report from calls
 * of this thread is no warning: the caller goes on without what is refused. */
void gst_cl_context_set_trying (gboolean trying);

/* --- waiting for a command ------------------------------------------------ */

/* Returns CL_COMPLETE if the command of @event has ended, more before, and less
 * if the device failed it, or it cannot be asked for. Its queue must have been
 * flushed. Any thread. */
cl_int gst_cl_completion_state (cl_event event);

/* Waiting for one command. Drivers of GPUs spin meanwhile, so that the thread
 * goes on within microseconds of the end. While more threads wait than a
 * quarter of the machine's processors, those above that sleep, and look at the
 * command from time to time: others need the processors. */

/* Waits for *event, and no longer, and releases it; an error if the device
 * failed it. NULL: nothing to wait for. Any thread. */
gboolean gst_cl_context_wait (GstClContext *context, cl_event *event,
    const gchar *what, GError **error);

/* Waits where nobody reads what the command has written, as where something is
 * given back that the device has used: a command that has ended already costs
 * one question. */
gboolean gst_cl_context_wait_for_end (GstClContext *context, cl_event *event,
    const gchar *what, GError **error);

/* From now on all waits sleep, for what takes the device hundreds of
 * microseconds anyway. Any thread. */
void gst_cl_context_expect_long_waits (GstClContext *context);

G_END_DECLS

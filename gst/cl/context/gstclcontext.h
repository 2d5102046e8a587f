/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/cache/gstcltuningdb.h"

G_BEGIN_DECLS

/* The command queues of a context, all in-order. A host-unified device
 * transfers nothing, and all three are the same queue. A discrete device has
 * three queues, so that uploads, downloads and kernels overlap; GstClSync
 * orders their commands. */
typedef enum {
  GST_CL_QUEUE_COMPUTE,  /* kernels, fills and copies on the device */
  GST_CL_QUEUE_UPLOAD,   /* from the host */
  GST_CL_QUEUE_DOWNLOAD, /* to the host, maps for the CPU */
  GST_CL_N_QUEUES
} GstClQueue;

/* The number of locks that all memories of a context share, to reduce
 * contention: one for each bit of a 64-bit mask. */
#define GST_CL_N_SYNC_LOCKS 64

/* One device with its cl_context, its queues and the programs built for it. All
 * members are constant after construction unless their comment names a lock.
 *
 * Read-only properties, for tests and applications; any thread:
 *   bytes-to-device    (uint64) bytes of frames copied to device memory;
 *                      wrapped and mapped memory does not count
 *   bytes-from-device  (uint64) bytes of frames copied to host memory
 *   bytes-within-device
 *                      (uint64) bytes of frames copied from foreign memory on
 *                      the same device, such as CUDA memory */
struct _GstClContext {
  GstObject parent;

  GstClDevice *device;
  guint serial; /* unique in the process */
  cl_context handle;
  cl_command_queue queues[GST_CL_N_QUEUES];
  cl_command_queue queue;   /* queues[GST_CL_QUEUE_COMPUTE] */
  gboolean is_discrete;     /* the device does not share the host's memory:
                               there are three queues */
  GstClTuningDb *tuning_db; /* measurements on the device */
  GstClTuningDb *verdicts;  /* results of self-tests on the device */
  GstClDevice *alternative; /* the device that device=auto uses if this one
                               compiles nothing, or has no correct
                               implementation; NULL: none, or the device was not
                               chosen by auto */

  /*< private >*/
  GMutex program_lock;
  GHashTable *programs;       /* gchar *key -> GstClProgram; program_lock */
  gint n_programs_from_cache; /* the number of programs loaded from the cache;
                                 atomic */
  gboolean is_profiling;
  GMutex profile_lock;
  GPtrArray *profile; /* cl_event of each launch; profile_lock */
  GMutex sync_locks[GST_CL_N_SYNC_LOCKS]; /* gstclsync.c */
  gint has_long_waits;                    /* atomic; for waits, as n_waiting is
                                             */
  gint n_waiting;                         /* threads; atomic */

  /* object lock */
  gboolean is_lost;
  gconstpointer failure_pipeline,
      failure_element; /* the pipeline and the element to which a
                                      failure was reported; never dereferenced
                                      */
  cl_int failure_code;
  gboolean is_posted; /* the error message is on the bus */
  guint64 bytes_to_device, bytes_from_device, bytes_within_device;
};

/* Opens @device. @profiling: record the time of every launch (benchmarks).
 * Returns NULL with @error; transfer full. */
GstClContext *gst_cl_context_new (GstClDevice *device, gboolean profiling,
    GError **error);

/* Creates an OpenCL context for the device alone, to compile programs in; NULL
 * with @error. Any thread; the caller releases it. */
cl_context gst_cl_context_create_compiler (GstClContext *context,
    GError **error);

/* Creates an in-order queue in addition to those of the context; NULL with
 * @error. The caller releases it. */
cl_command_queue gst_cl_context_create_queue (GstClContext *context,
    GError **error);

/* Waits until all commands enqueued on @queue so far are complete: for the
 * event of a marker, or if that fails as clFinish() does. The caller may then
 * release @queue, which it may not at once after clFinish() or a blocking
 * command: PoCL 6.0 still uses it in another thread. */
cl_int gst_cl_finish (cl_command_queue queue);

/* Waits for the commands on @queue, and releases it; accepts NULL. */
void gst_cl_context_release_queue (cl_command_queue queue);

/* Lets the current thread use @queue (borrowed) instead of all queues of the
 * context, so that its commands do not wait for commands of other threads.
 * NULL: the thread uses the queues of the context again. */
void gst_cl_context_use_queue (cl_command_queue queue);

/* Returns the queue on which the current thread enqueues commands for @queue
 * (borrowed). */
cl_command_queue gst_cl_context_find_queue (GstClContext *context,
    GstClQueue queue);

/* Flushes @queue: submits the enqueued commands to the device. Does not wait.
 */
gboolean gst_cl_context_flush (GstClContext *context, GstClQueue queue,
    GError **error);

/* Waits until all commands enqueued on @queue so far are complete. */
gboolean gst_cl_context_finish_queue (GstClContext *context, GstClQueue queue,
    GError **error);

/* Waits until all commands enqueued so far, by any element, are complete; in a
 * thread with a queue of its own, only those on that queue. */
gboolean gst_cl_context_finish (GstClContext *context, GError **error);

/* Records that @element has failed with @error. If @error means that the device
 * is lost, the context is marked lost, and no element uses it again. If @error
 * means that the device's compiler failed, or that no implementation is correct
 * on the device (CL_INVALID_DEVICE), and there is an alternative, device=auto
 * ignores the device from then on (gstcldevice.h). Returns TRUE if the caller
 * must post the error, and then call gst_cl_context_set_failure_posted(). A
 * lost device is one failure for all elements of a pipeline, and so is a failed
 * command for which several elements wait. Any thread. */
gboolean gst_cl_context_latch_failure (GstClContext *context,
    const GError *error, GstElement *element);

/* Records that the error of @element is on the bus. Any thread. */
void gst_cl_context_set_failure_posted (GstClContext *context,
    GstElement *element);

/* Returns FALSE while an error that an element of the pipeline of @element has
 * recorded is not yet on the bus. Any thread. */
gboolean gst_cl_context_is_failure_posted (GstClContext *context,
    GstElement *element);

/* Clears the recorded failure when an element starts; a lost device remains
 * lost. Any thread. */
void gst_cl_context_forget_failure (GstClContext *context);
gboolean gst_cl_context_is_lost (GstClContext *context);

/* Adds to the properties bytes-to-device and bytes-from-device. Any thread. */
void gst_cl_context_count (GstClContext *context, guint64 to_device,
    guint64 from_device);

/* Adds to the property bytes-within-device. Any thread. */
void gst_cl_context_count_within (GstClContext *context, guint64 n_bytes);

/* With TRUE, errors that drivers report during calls of this thread are not
 * logged as warnings, until the next call with FALSE: the caller handles them.
 */
void gst_cl_context_set_trying (gboolean trying);

/* --- waiting for a command ------------------------------------------------ */

/* Returns CL_COMPLETE if the command of @event is complete, a greater value
 * before, and a negative value if the command has failed or its state cannot be
 * queried. The command's queue must have been flushed. Any thread. */
cl_int gst_cl_completion_state (cl_event event);

/* Releases *event, and sets it to NULL; accepts NULL. */
void gst_cl_completion_clear (cl_event *event);

/* Sets *event to the end of the commands that are enqueued on the compute queue
 * so far, and submits them to the device; does not wait. */
gboolean gst_cl_context_mark (GstClContext *context, cl_event *event,
    GError **error);

/* Waiting for one command. GPU drivers busy-wait, so that the thread continues
 * within microseconds. When more threads wait than a quarter of the machine's
 * processors, the additional threads sleep and poll, because other threads need
 * the processors. */

/* Waits for *event only, and releases it. Returns FALSE with @error if the
 * command failed. NULL: does nothing. Any thread. */
gboolean gst_cl_context_wait (GstClContext *context, cl_event *event,
    const gchar *what, GError **error);

/* Waits for *event where nobody reads the command's results, such as before
 * memory is released. A command that is complete costs one query. */
gboolean gst_cl_context_wait_for_end (GstClContext *context, cl_event *event,
    const gchar *what, GError **error);

/* From now on all waits sleep instead of busy-waiting, for work that takes the
 * device hundreds of microseconds. Any thread. */
void gst_cl_context_expect_long_waits (GstClContext *context);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstclerror.h"
#include "gstclcontext.h"

G_BEGIN_DECLS

/* --- fences --------------------------------------------------------------- */

/* A fence is signalled when commands that another thread enqueues and waits for
 * are complete. Any thread; reference counted. */
typedef struct _GstClFence GstClFence;

GstClFence *gst_cl_fence_new (void); /* transfer full */
GstClFence *gst_cl_fence_ref (GstClFence *fence);
void gst_cl_fence_unref (GstClFence *fence); /* accepts NULL */

/* Signals @fence: the commands are complete, and their results are visible to
 * the host. A thread with its own reference calls either this function or
 * gst_cl_fence_fail(), once. */
void gst_cl_fence_signal (GstClFence *fence);

/* Fails @fence with a copy of @error: the commands could not be enqueued, or
 * failed. Some of them may still run. */
void gst_cl_fence_fail (GstClFence *fence, const GError *error);

/* Sleeps until @fence is signalled or has failed. Returns FALSE with @error if
 * it has failed. */
gboolean gst_cl_fence_wait (GstClFence *fence, GError **error);

/* Returns TRUE if @fence is signalled or failed: gst_cl_fence_wait() then
 * returns at once. Any thread. */
gboolean gst_cl_fence_is_settled (GstClFence *fence);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClFence, gst_cl_fence_unref)

/* --- batch queues --------------------------------------------------------- */

/* An in-order command queue with one thread, which enqueues and waits for work
 * items that many threads add. Commands before the launches may run on other
 * queues.
 *
 * Threads that call a driver serialize in it, and each command that a second
 * thread enqueues on a queue wakes a thread of NVIDIA's driver
 * (docs/devices.md). Items that are added while the device runs other launches
 * share the next launch. An item waits at most until all launches in flight are
 * complete, whether or not other items arrive; gst_cl_batch_queue_add() says
 * when a launch begins earlier. After a launch fails, each waiting item gets a
 * launch of its own. */
typedef struct _GstClBatchQueue GstClBatchQueue;

/* The maximum number of launches in flight. */
#define GST_CL_BATCH_QUEUE_LAUNCHES 3

/* The maximum number of items in a launch. */
#define GST_CL_BATCH_QUEUE_ITEMS 8

/* Callbacks; the batch queue calls them in its thread. launch() and end() may
 * add items. */
typedef struct {
  /* Called with new items in the order in which they were added: begins the
   * work that precedes their launch. Removes items from the list that are
   * complete already; end() is not called for those. Returns the number of
   * items left. */
  guint (*receive) (gpointer user_data, gpointer *items, guint n_items);

  /* Enqueues 1 to GST_CL_BATCH_QUEUE_ITEMS items on the command queue as launch
   * number @slot, below GST_CL_BATCH_QUEUE_LAUNCHES; the previous launch of
   * that number is complete. Sets *event to the event of the last command
   * (transfer full), and flushes the queue. Returns FALSE with @error; the
   * batch queue then waits for the commands that were enqueued. */
  gboolean (*launch) (gpointer user_data, const gpointer *items, guint n_items,
      guint slot, cl_event *event, GError **error);

  /* Called when the commands of a launch are complete and their results are
   * visible to the host (@error is NULL), or when they could not be enqueued or
   * failed (@error says why). The batch queue does not use the items
   * afterwards. */
  void (*end) (gpointer user_data, const gpointer *items, guint n_items,
      guint slot, const GError *error);
} GstClBatchQueueWork;

/* Creates a command queue and starts the thread. @work must outlive the batch
 * queue. Returns NULL with @error; transfer full. */
GstClBatchQueue *gst_cl_batch_queue_new (GstClContext *context,
    const GstClBatchQueueWork *work, gpointer user_data, GError **error);

/* Frees @batches; accepts NULL. All items must be complete. Must not be called
 * in the thread of the batch queue. */
void gst_cl_batch_queue_free (GstClBatchQueue *batches);

/* Returns the command queue; transfer none. Any thread. */
cl_command_queue gst_cl_batch_queue_command_queue (
    const GstClBatchQueue *batches);

/* Adds @item, which must stay valid until end() has been called for it. @source
 * identifies the item's origin and is never dereferenced. If no launch is in
 * flight, the next launch begins at once. If one or two are in flight, it
 * begins when as many items wait as sources have added one within the last
 * second (at most GST_CL_BATCH_QUEUE_ITEMS; after a failure, one item is
 * enough). If GST_CL_BATCH_QUEUE_LAUNCHES are in flight, it waits. Any
 * thread. */
void gst_cl_batch_queue_add (GstClBatchQueue *batches, gpointer item,
    gconstpointer source);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClBatchQueue, gst_cl_batch_queue_free)

G_END_DECLS

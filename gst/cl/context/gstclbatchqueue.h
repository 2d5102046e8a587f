/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstclerror.h"
#include "gstclcontext.h"

G_BEGIN_DECLS

/* --- fences --------------------------------------------------------------- */

/* Signalled at the end of commands that another thread enqueues and waits for.
 * Any thread; references are counted. */
typedef struct _GstClFence GstClFence;

GstClFence *gst_cl_fence_new (void); /* transfer full */
GstClFence *gst_cl_fence_ref (GstClFence *fence);
void gst_cl_fence_unref (GstClFence *fence); /* accepts NULL */

/* The commands have ended, and the host sees what they have written. A thread
 * with its own reference calls either this function or the next one, once. */
void gst_cl_fence_signal (GstClFence *fence);

/* They could not be enqueued, or failed, because of @error (copied). Some may
 * still run. */
void gst_cl_fence_fail (GstClFence *fence, const GError *error);

/* Sleeps until the commands have ended. FALSE with @error if they could not be
 * enqueued, or failed. */
gboolean gst_cl_fence_wait (GstClFence *fence, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClFence, gst_cl_fence_unref)

/* --- batch queues --------------------------------------------------------- */

/* An in-order queue whose commands one thread enqueues and waits for, for
 * items of work that come from many threads. What goes before their launches
 * may go on other queues.
 *
 * Threads that call a driver take turns in it, and each command that a second
 * thread puts on a queue has a thread of NVIDIA's driver at work on it
 * (docs/devices.md). Items that come while the device has a launch of others
 * share the next launch. An item waits for the end of a launch, never for
 * another item to come, and not at all where the device has none. After a
 * launch that fails, the items that wait get a launch each. */
typedef struct _GstClBatchQueue GstClBatchQueue;

/* Launches that the device has not ended, at most. */
#define GST_CL_BATCH_QUEUE_LAUNCHES 3

/* Items of a launch, at most. */
#define GST_CL_BATCH_QUEUE_ITEMS 8

/* What becomes of items, in the thread of the batch queue. launch() and end()
 * may add items. */
typedef struct {
  /* Items have come, in this order: begins what has to be done before their
   * launch. Takes items off the list that have ended thereby; end() is not
   * called for them. Returns how many are left. */
  guint (*receive) (gpointer user_data, gpointer *items, guint n_items);

  /* Enqueues 1 to GST_CL_BATCH_QUEUE_ITEMS items on its command queue, as
   * launch number @slot, below GST_CL_BATCH_QUEUE_LAUNCHES, whose last one has
   * ended. Sets *event to the event of the last command (transfer full), and
   * flushes the queue. FALSE with @error: commands that it has enqueued are
   * waited for. */
  gboolean (*launch) (gpointer user_data, const gpointer *items, guint n_items,
      guint slot, cl_event *event, GError **error);

  /* The commands of a launch have ended, and the host sees what they have
   * written; or could not be enqueued, or failed, because of @error (NULL: no
   * such thing). The items are not used after that. */
  void (*end) (gpointer user_data, const gpointer *items, guint n_items,
      guint slot, const GError *error);
} GstClBatchQueueWork;

/* Makes a queue and starts the thread. @work must last as long as the batch
 * queue. NULL with @error; transfer full. */
GstClBatchQueue *gst_cl_batch_queue_new (GstClContext *context,
    const GstClBatchQueueWork *work, gpointer user_data, GError **error);

/* All items must have ended. Not in the thread of the batch queue. Accepts
 * NULL. */
void gst_cl_batch_queue_free (GstClBatchQueue *batches);

/* Returns the queue; transfer none. Any thread. */
cl_command_queue gst_cl_batch_queue_command_queue (
    const GstClBatchQueue *batches);

/* Has @item launched, which must last until end() has had it. @source, which is
 * not followed, is where it comes from: while the device has a launch, another
 * one begins with as many items as there are sources that have added one within
 * the last second, or GST_CL_BATCH_QUEUE_ITEMS. Any thread. */
void gst_cl_batch_queue_add (GstClBatchQueue *batches, gpointer item,
    gconstpointer source);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClBatchQueue, gst_cl_batch_queue_free)

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch queues: the items that share a launch, and the results of the items. */

#include "batchqueuecase.h"

#include "elements/common.h"
#include "mocks/clock.h"
#include "suite.h"

#define N_THREADS 8
#define N_ITEMS   200 /* of each thread */

/* --- launches ------------------------------------------------------------ */

/* An idle device gets the first item at once; while it is busy, a launch begins
 * with an item of each source. */
TEST (items_of_all_sources_share_a_launch)
{
  g_autoptr (GstClBatchQueue) batches = batch_queue_case_new (3);
  BatchQueueItem items[7];

  batch_queue_case_add (batches, items, 1, 3);
  batch_queue_case_expect_launches (1);
  batch_queue_case_add (batches, items + 1, 2, 3);
  batch_queue_case_expect_launches (1);
  batch_queue_case_add (batches, items + 3, 1, 3);
  batch_queue_case_expect_launches (2);
  batch_queue_case_add (batches, items + 4, 3, 3);
  batch_queue_case_expect_launches (3);
  batch_queue_case_expect_items (0, items, 1);
  batch_queue_case_expect_items (1, items + 1, 3);
  batch_queue_case_expect_items (2, items + 4, 3);

  for (guint i = 0; i < 3; i++)
    batch_queue_case_end_launch (i, CL_COMPLETE);
  batch_queue_case_expect_signalled (items, 7);
  batch_queue_items_clear (items, 7);
}

/* An idle device gets all pending items. */
TEST (pending_items_share_a_launch)
{
  g_autoptr (GstClBatchQueue) batches = batch_queue_case_new (5);
  BatchQueueItem items[3];

  batch_queue_case_add (batches, items, 1, 5);
  batch_queue_case_expect_launches (1);
  batch_queue_case_add (batches, items + 1, 2, 5);
  batch_queue_case_expect_launches (1);
  batch_queue_case_end_launch (0, CL_COMPLETE);
  batch_queue_case_expect_launches (2);
  batch_queue_case_expect_items (1, items + 1, 2);
  fail_unless (gst_cl_fence_wait (items[0].fence, NULL));
  fail_if (gst_cl_fence_is_settled (items[1].fence));
  batch_queue_case_end_launch (1, CL_COMPLETE);
  fail_unless (gst_cl_fence_wait (items[2].fence, NULL));
  batch_queue_items_clear (items, 3);
}

/* The queue does not wait for sources that have added nothing for a second. */
TEST (idle_sources_are_removed)
{
  g_autoptr (GstClBatchQueue) batches = batch_queue_case_new (5);
  BatchQueueItem items[2];

  clock_advance (BATCH_QUEUE_CASE_SILENT_US);
  batch_queue_case_add (batches, items, 1, 1);
  batch_queue_case_expect_launches (1);
  batch_queue_case_add (batches, items + 1, 1, 1);
  batch_queue_case_expect_launches (2);
  batch_queue_case_end_launch (0, CL_COMPLETE);
  batch_queue_case_end_launch (1, CL_COMPLETE);
  batch_queue_case_expect_signalled (items, 2);
  batch_queue_items_clear (items, 2);
}

/* At most GST_CL_BATCH_QUEUE_LAUNCHES launches are in flight, with at most
 * GST_CL_BATCH_QUEUE_ITEMS items each. */
TEST (launches_are_few_and_full)
{
  g_autoptr (GstClBatchQueue)
      batches = batch_queue_case_new (GST_CL_BATCH_QUEUE_ITEMS);
  BatchQueueItem items[1 + 5 * GST_CL_BATCH_QUEUE_ITEMS];
  const guint n_items = G_N_ELEMENTS (items);

  batch_queue_case_add (batches, items, 1, GST_CL_BATCH_QUEUE_ITEMS);
  batch_queue_case_expect_launches (1);
  batch_queue_case_add (batches, items + 1, n_items - 1,
      GST_CL_BATCH_QUEUE_ITEMS);
  batch_queue_case_expect_launches (GST_CL_BATCH_QUEUE_LAUNCHES);
  for (guint i = 0; i < 5; i++) {
    batch_queue_case_end_launch (i, CL_COMPLETE);
    batch_queue_case_expect_launches (
        MIN (i + GST_CL_BATCH_QUEUE_LAUNCHES + 1, 6));
    batch_queue_case_expect_items (i + 1,
        items + 1 + i * GST_CL_BATCH_QUEUE_ITEMS, GST_CL_BATCH_QUEUE_ITEMS);
  }
  batch_queue_case_end_launch (5, CL_COMPLETE);
  batch_queue_case_expect_signalled (items, n_items);
  batch_queue_items_clear (items, n_items);
}

/* Items are received as soon as they are added, also while the device is
 * busy. */
TEST (items_are_received_before_their_launch)
{
  g_autoptr (GstClBatchQueue) batches = batch_queue_case_new (1);
  BatchQueueItem items[GST_CL_BATCH_QUEUE_LAUNCHES + 2];
  const guint n_items = G_N_ELEMENTS (items);

  for (guint i = 0; i < GST_CL_BATCH_QUEUE_LAUNCHES; i++) {
    batch_queue_case_add (batches, items + i, 1, 1);
    batch_queue_case_expect_launches (i + 1);
  }
  for (guint i = GST_CL_BATCH_QUEUE_LAUNCHES; i < n_items; i++) {
    batch_queue_case_add (batches, items + i, 1, 1);
    batch_queue_case_expect_received (i + 1);
  }
  batch_queue_case_expect_launches (GST_CL_BATCH_QUEUE_LAUNCHES);

  for (guint i = 0; i < GST_CL_BATCH_QUEUE_LAUNCHES; i++)
    batch_queue_case_end_launch (i, CL_COMPLETE);
  batch_queue_case_expect_launches (GST_CL_BATCH_QUEUE_LAUNCHES + 1);
  batch_queue_case_expect_items (GST_CL_BATCH_QUEUE_LAUNCHES,
      items + GST_CL_BATCH_QUEUE_LAUNCHES, 2);
  batch_queue_case_end_launch (GST_CL_BATCH_QUEUE_LAUNCHES, CL_COMPLETE);
  batch_queue_case_expect_signalled (items, n_items);
  batch_queue_items_clear (items, n_items);
}

/* --- failures ------------------------------------------------------------ */

/* A launch that is refused or fails is reported to its own items only, also if
 * the driver's wait succeeds (succeedingwaits.c). */
TEST (failures_are_told)
{
  g_autoptr (GstClBatchQueue) batches = batch_queue_case_new (1);
  BatchQueueItem items[3];

  batch_queue_seen.refuses = TRUE;
  batch_queue_case_add (batches, items, 1, 1);
  batch_queue_case_expect_failure (&items[0], CL_OUT_OF_RESOURCES);
  batch_queue_seen.refuses = FALSE;

  batch_queue_case_add (batches, items + 1, 1, 1);
  batch_queue_case_expect_launches (1);
  batch_queue_case_add (batches, items + 2, 1, 1);
  batch_queue_case_expect_launches (2);
  batch_queue_case_end_launch (0, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  batch_queue_case_end_launch (1, CL_COMPLETE);
  batch_queue_case_expect_failure (&items[1], CL_MEM_OBJECT_ALLOCATION_FAILURE);
  fail_unless (gst_cl_fence_wait (items[2].fence, NULL));
  batch_queue_items_clear (items, 3);
}

/* Frames may be freed when their items have failed: the commands that a refused
 * launch had enqueued must have ended by then. */
TEST (refused_launches_are_waited_for)
{
  g_autoptr (GstClBatchQueue) batches = batch_queue_case_new (1);
  BatchQueueItem item;

  batch_queue_case_refuse_late (batches);
  batch_queue_case_add (batches, &item, 1, 1);
  g_usleep (100000);
  fail_if (gst_cl_fence_is_settled (item.fence));
  fail_unless_equals_int (
      clSetUserEventStatus (batch_queue_seen.refused, CL_COMPLETE), CL_SUCCESS);
  batch_queue_case_expect_failure (&item, CL_OUT_OF_RESOURCES);
  clReleaseEvent (batch_queue_seen.refused);
  batch_queue_items_clear (&item, 1);
}

/* Items that complete when they are received are in no launch. */
TEST (rejected_items_are_not_launched)
{
  g_autoptr (GstClBatchQueue) batches = batch_queue_case_new (2);
  BatchQueueItem items[3];

  for (guint i = 0; i < 3; i++)
    batch_queue_item_init (&items[i]);
  items[1].is_rejected = TRUE;
  gst_cl_batch_queue_add (batches, &items[0], &items[0]);
  batch_queue_case_expect_launches (1);
  for (guint i = 1; i < 3; i++)
    gst_cl_batch_queue_add (batches, &items[i], &items[i]);
  batch_queue_case_expect_failure (&items[1], CL_INVALID_MEM_OBJECT);
  batch_queue_case_expect_launches (1);
  batch_queue_case_end_launch (0, CL_COMPLETE);
  batch_queue_case_expect_launches (2);
  batch_queue_case_expect_items (1, items + 2, 1);
  batch_queue_case_end_launch (1, CL_COMPLETE);
  for (guint i = 0; i < 3; i += 2)
    fail_unless (gst_cl_fence_wait (items[i].fence, NULL));
  batch_queue_items_clear (items, 3);
}

/* Items that wait when a launch fails get a launch each, also if a later one is
 * rejected. */
TEST (items_are_launched_alone_after_a_failure)
{
  g_autoptr (GstClBatchQueue) batches = batch_queue_case_new (1);
  BatchQueueItem items[GST_CL_BATCH_QUEUE_LAUNCHES + 4], rejected;
  const guint n_launches = GST_CL_BATCH_QUEUE_LAUNCHES;
  const guint n_items = G_N_ELEMENTS (items);

  for (guint i = 0; i < n_launches; i++) {
    batch_queue_case_add (batches, items + i, 1, 1);
    batch_queue_case_expect_launches (i + 1);
  }
  batch_queue_case_add (batches, items + n_launches, 3, 1);
  batch_queue_case_expect_received (n_launches + 3);
  batch_queue_case_end_launch (0, CL_OUT_OF_RESOURCES);
  batch_queue_case_expect_failure (&items[0], CL_OUT_OF_RESOURCES);
  batch_queue_case_expect_launches (n_launches + 1);
  batch_queue_item_init (&rejected);
  rejected.is_rejected = TRUE;
  gst_cl_batch_queue_add (batches, &rejected, &rejected);
  batch_queue_case_expect_failure (&rejected, CL_INVALID_MEM_OBJECT);
  clock_advance (BATCH_QUEUE_CASE_SILENT_US); /* its source is forgotten */
  batch_queue_case_add (batches, items + n_items - 1, 1, 1);
  for (guint i = n_launches; i < n_items; i++) {
    batch_queue_case_expect_launches (i + 1);
    batch_queue_case_expect_items (i, items + i, 1);
    batch_queue_case_end_launch (i - n_launches + 1, CL_COMPLETE);
  }
  for (guint i = n_items - n_launches + 1; i < n_items; i++)
    batch_queue_case_end_launch (i, CL_COMPLETE);
  batch_queue_case_expect_signalled (items + 1, n_items - 1);
  batch_queue_items_clear (items, n_items);
  gst_cl_fence_unref (rejected.fence);
}

/* --- threads ------------------------------------------------------------- */

static gpointer
run_source (gpointer batches)
{
  BatchQueueItem items[2];

  for (guint i = 0; i < N_ITEMS; i++) {
    BatchQueueItem *item = &items[i % 2];

    if (i >= 2) {
      fail_unless (gst_cl_fence_wait (item->fence, NULL));
      gst_cl_fence_unref (item->fence);
    }
    batch_queue_item_init (item);
    gst_cl_batch_queue_add (batches, item, items);
  }
  batch_queue_case_expect_signalled (items, 2);
  batch_queue_items_clear (items, 2);

  return NULL;
}

/* Every item and every launch completes; the batch queue is freed right after
 * the last. */
TEST (threads)
{
  GstClBatchQueue *batches = batch_queue_case_new (0);
  GThread *all[N_THREADS];

  batch_queue_seen.ends_at_once = TRUE;
  for (guint i = 0; i < N_THREADS; i++)
    all[i] = g_thread_new ("source", run_source, batches);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (all[i]);
  gst_cl_batch_queue_free (batches);
  fail_unless_equals_int (batch_queue_seen.n_ended,
      batch_queue_seen.n_launches);
}

/* A batch queue that never had an item is freed, too. */
TEST (unused)
{
  gst_cl_batch_queue_free (batch_queue_case_new (0));
  gst_cl_batch_queue_free (NULL);
}

SUITE (.setup = batch_queue_case_setup, .teardown = batch_queue_case_teardown);

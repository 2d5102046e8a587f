/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A batch queue whose launches are user events that the test completes. */

#include "batchqueuecase.h"

#include "elements/common.h"
#include "mocks/clock.h"

static GstClContext *context;

BatchQueueSeen batch_queue_seen;

/* --- the work of batch queues --------------------------------------------- */

static guint
receive (gpointer user_data, gpointer *items, guint n_items)
{
  g_autoptr (GError) error = g_error_new_literal (GST_CL_ERROR,
      CL_INVALID_MEM_OBJECT, "rejected");
  guint n_left = 0;

  fail_unless (user_data == &batch_queue_seen);
  fail_unless (n_items >= 1 && n_items <= GST_CL_BATCH_QUEUE_ITEMS);
  g_mutex_lock (&batch_queue_seen.lock);
  batch_queue_seen.n_received += n_items;
  g_cond_broadcast (&batch_queue_seen.changed);
  g_mutex_unlock (&batch_queue_seen.lock);

  for (guint i = 0; i < n_items; i++) {
    BatchQueueItem *item = items[i];
    g_autoptr (GstClFence) fence = gst_cl_fence_ref (item->fence);

    if (item->is_rejected)
      gst_cl_fence_fail (fence, error);
    else
      items[n_left++] = item;
  }

  return n_left;
}

static gboolean
launch (gpointer user_data, const gpointer *items, guint n_items, guint slot,
    cl_event *event, GError **error)
{
  gboolean ends_at_once;
  cl_event user_event;

  fail_unless (user_data == &batch_queue_seen);
  fail_unless (n_items >= 1 && n_items <= GST_CL_BATCH_QUEUE_ITEMS);
  fail_unless (slot < GST_CL_BATCH_QUEUE_LAUNCHES);
  fail_if (batch_queue_seen.slots_in_use >> slot & 1);
  if (batch_queue_seen.refuses_late)
    fail_unless_equals_int (
        clEnqueueMarkerWithWaitList (
            gst_cl_batch_queue_command_queue (batch_queue_seen.refuses_late), 1,
            &batch_queue_seen.refused, NULL),
        CL_SUCCESS);
  if (batch_queue_seen.refuses || batch_queue_seen.refuses_late) {
    g_set_error_literal (error, GST_CL_ERROR, CL_OUT_OF_RESOURCES, "refused");
    return FALSE;
  }

  user_event = clCreateUserEvent (context->handle, NULL);
  fail_unless (user_event != NULL);
  g_mutex_lock (&batch_queue_seen.lock);
  batch_queue_seen.slots_in_use |= 1 << slot;
  ends_at_once = batch_queue_seen.ends_at_once;
  if (!ends_at_once) {
    BatchQueueLaunch *launch = &batch_queue_seen
                                    .launches[batch_queue_seen.n_launches];

    fail_unless (batch_queue_seen.n_launches < BATCH_QUEUE_CASE_MAX_LAUNCHES);
    *launch = (BatchQueueLaunch){ .n_items = n_items, .slot = slot };
    for (guint i = 0; i < n_items; i++)
      launch->items[i] = items[i];
    launch->event = user_event;
    clRetainEvent (user_event);
  }
  batch_queue_seen.n_launches++;
  g_cond_broadcast (&batch_queue_seen.changed);
  g_mutex_unlock (&batch_queue_seen.lock);
  if (ends_at_once)
    clSetUserEventStatus (user_event, CL_COMPLETE);
  *event = user_event;

  return TRUE;
}

static void
end (gpointer user_data, const gpointer *items, guint n_items, guint slot,
    const GError *error)
{
  g_mutex_lock (&batch_queue_seen.lock);
  batch_queue_seen.slots_in_use &= ~(1 << slot);
  batch_queue_seen.n_ended++;
  g_cond_broadcast (&batch_queue_seen.changed);
  g_mutex_unlock (&batch_queue_seen.lock);

  for (guint i = 0; i < n_items; i++) {
    BatchQueueItem *item = items[i];
    g_autoptr (GstClFence) fence = gst_cl_fence_ref (item->fence);

    if (error)
      gst_cl_fence_fail (fence, error);
    else
      gst_cl_fence_signal (fence);
  }
}

static const GstClBatchQueueWork work = { receive, launch, end };

/* --- functions for the tests ---------------------------------------------- */

void
batch_queue_item_init (BatchQueueItem *self)
{
  *self = (BatchQueueItem){ .fence = gst_cl_fence_new () };
}

void
batch_queue_case_add (GstClBatchQueue *batches, BatchQueueItem *items,
    guint n_items, guint n_sources)
{
  static const gchar sources[GST_CL_BATCH_QUEUE_ITEMS];

  for (guint i = 0; i < n_items; i++) {
    batch_queue_item_init (&items[i]);
    gst_cl_batch_queue_add (batches, &items[i], &sources[i % n_sources]);
  }
}

void
batch_queue_items_clear (BatchQueueItem *items, guint n_items)
{
  for (guint i = 0; i < n_items; i++)
    gst_cl_fence_unref (items[i].fence);
}

static guint
read_number (const guint *number)
{
  guint value;

  g_mutex_lock (&batch_queue_seen.lock);
  value = *number;
  g_mutex_unlock (&batch_queue_seen.lock);

  return value;
}

/* Waits until @number of batch_queue_seen is @n or more. */
static void
wait_for_number (const guint *number, guint n)
{
  const gint64 deadline_us = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  g_mutex_lock (&batch_queue_seen.lock);
  while (*number < n && g_cond_wait_until (&batch_queue_seen.changed,
                            &batch_queue_seen.lock, deadline_us))
    ;
  g_mutex_unlock (&batch_queue_seen.lock);
}

void
batch_queue_case_expect_received (guint n)
{
  wait_for_number (&batch_queue_seen.n_received, n);
  fail_unless_equals_int (read_number (&batch_queue_seen.n_received), n);
}

void
batch_queue_case_expect_launches (guint n)
{
  wait_for_number (&batch_queue_seen.n_launches, n);
  g_usleep (20000);
  fail_unless_equals_int (read_number (&batch_queue_seen.n_launches), n);
}

void
batch_queue_case_expect_items (guint number, const BatchQueueItem *expected,
    guint n_items)
{
  fail_unless_equals_int (batch_queue_seen.launches[number].n_items, n_items);
  for (guint i = 0; i < n_items; i++)
    fail_unless (batch_queue_seen.launches[number].items[i] == expected + i);
}

void
batch_queue_case_end_launch (guint number, cl_int status)
{
  fail_unless_equals_int (
      clSetUserEventStatus (batch_queue_seen.launches[number].event, status),
      CL_SUCCESS);
  clReleaseEvent (batch_queue_seen.launches[number].event);
}

GstClBatchQueue *
batch_queue_case_new (guint n_sources)
{
  g_autoptr (GError) error = NULL;
  GstClBatchQueue *batches = gst_cl_batch_queue_new (context, &work,
      &batch_queue_seen, &error);
  BatchQueueItem items[GST_CL_BATCH_QUEUE_ITEMS];

  fail_unless (batches != NULL, "cannot create a batch queue: %s",
      error ? error->message : "no error");
  /* a batch queue forgets sources that add nothing for a second */
  clock_hold ();
  batch_queue_seen.ends_at_once = TRUE;
  batch_queue_case_add (batches, items, n_sources, n_sources);
  batch_queue_case_expect_signalled (items, n_sources);
  batch_queue_items_clear (items, n_sources);
  g_mutex_lock (&batch_queue_seen.lock);
  batch_queue_seen.ends_at_once = FALSE;
  batch_queue_seen.n_received = batch_queue_seen.n_launches = batch_queue_seen
                                                                  .n_ended = 0;
  g_mutex_unlock (&batch_queue_seen.lock);

  return batches;
}

void
batch_queue_case_refuse_late (GstClBatchQueue *batches)
{
  batch_queue_seen.refused = clCreateUserEvent (context->handle, NULL);
  fail_unless (batch_queue_seen.refused != NULL);
  batch_queue_seen.refuses_late = batches;
}

void
batch_queue_case_setup (void)
{
  g_autoptr (GstClDevice) device = gst_cl_device_choose ("auto", NULL);

  fail_unless (device != NULL);
  context = gst_cl_context_new (device, FALSE, NULL);
  fail_unless (context != NULL);
  batch_queue_seen.n_received = batch_queue_seen.n_launches = batch_queue_seen
                                                                  .n_ended = 0;
  batch_queue_seen.slots_in_use = 0;
  batch_queue_seen.refuses = batch_queue_seen.ends_at_once = FALSE;
  batch_queue_seen.refuses_late = NULL;
}

void
batch_queue_case_teardown (void)
{
  gst_clear_object (&context);
}

void
batch_queue_case_expect_signalled (BatchQueueItem *items, guint n_items)
{
  for (guint i = 0; i < n_items; i++)
    fail_unless (gst_cl_fence_wait (items[i].fence, NULL));
}

void
batch_queue_case_expect_failure (BatchQueueItem *item, cl_int code)
{
  g_autoptr (GError) error = NULL;

  fail_if (gst_cl_fence_wait (item->fence, &error));
  fail_unless (g_error_matches (error, GST_CL_ERROR, code),
      "expected error %d, found: %s", code, error->message);
}

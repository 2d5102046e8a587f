/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lanes: which items share a launch, and what becomes of them. Launches are
 * events that the test ends. */

#include "cl/context/gstcllane.h"
#include "cl/context/gstclpromise.h"
#include "elements/common.h"

#define MAX_LAUNCHES 64
#define N_THREADS    8
#define N_ITEMS      200 /* of each thread */

typedef struct {
  GstClPromise *promise;
} Item;

typedef struct {
  guint n_items;
  guint slot;
  gpointer items[GST_CL_LANE_ITEMS];
  cl_event event;
} Launch;

static GstClContext *context;

/* What the thread of a lane has been asked for. */
static struct {
  GMutex lock;
  GCond changed;
  Launch launches[MAX_LAUNCHES];
  guint n_launches, n_ended;
  gboolean refuses;      /* to launch */
  gboolean ends_at_once; /* what is launched */
  gint slots_in_use;     /* bits */
} seen;

/* --- the work of lanes --------------------------------------------------- */

static gboolean
launch (gpointer user_data, const gpointer *items, guint n_items, guint slot,
    cl_event *event, GError **error)
{
  gboolean ends_at_once;
  cl_event user_event;

  fail_unless (user_data == &seen);
  fail_unless (n_items >= 1 && n_items <= GST_CL_LANE_ITEMS);
  fail_unless (slot < GST_CL_LANE_LAUNCHES);
  fail_if (seen.slots_in_use >> slot & 1);
  if (seen.refuses) {
    g_set_error_literal (error, GST_CL_ERROR, CL_OUT_OF_RESOURCES, "refused");
    return FALSE;
  }

  user_event = clCreateUserEvent (context->handle, NULL);
  fail_unless (user_event != NULL);
  g_mutex_lock (&seen.lock);
  seen.slots_in_use |= 1 << slot;
  ends_at_once = seen.ends_at_once;
  if (!ends_at_once) {
    Launch *launch = &seen.launches[seen.n_launches];

    fail_unless (seen.n_launches < MAX_LAUNCHES);
    *launch = (Launch){ .n_items = n_items, .slot = slot };
    for (guint i = 0; i < n_items; i++)
      launch->items[i] = items[i];
    launch->event = user_event;
    clRetainEvent (user_event);
  }
  seen.n_launches++;
  g_cond_broadcast (&seen.changed);
  g_mutex_unlock (&seen.lock);
  if (ends_at_once)
    clSetUserEventStatus (user_event, CL_COMPLETE);
  *event = user_event;

  return TRUE;
}

static void
end (gpointer user_data, const gpointer *items, guint n_items, guint slot,
    const GError *error)
{
  g_mutex_lock (&seen.lock);
  seen.slots_in_use &= ~(1 << slot);
  seen.n_ended++;
  g_cond_broadcast (&seen.changed);
  g_mutex_unlock (&seen.lock);

  for (guint i = 0; i < n_items; i++) {
    Item *item = items[i];
    g_autoptr (GstClPromise) promise = gst_cl_promise_ref (item->promise);

    if (error)
      gst_cl_promise_break (promise, error);
    else
      gst_cl_promise_keep (promise);
  }
}

static const GstClLaneWork work = { launch, end };

/* --- what the tests ask and tell ----------------------------------------- */

static void
item_init (Item *self)
{
  *self = (Item){ gst_cl_promise_new () };
}

/* Adds items of so many sources in turn. */
static void
add (GstClLane *lane, Item *items, guint n_items, guint n_sources)
{
  static const gchar sources[GST_CL_LANE_ITEMS];

  for (guint i = 0; i < n_items; i++) {
    item_init (&items[i]);
    gst_cl_lane_add (lane, &items[i], &sources[i % n_sources]);
  }
}

static void
items_clear (Item *items, guint n_items)
{
  for (guint i = 0; i < n_items; i++)
    gst_cl_promise_unref (items[i].promise);
}

/* Waits until the lane has begun @n launches in all, and gives it the time for
 * one that it should not begin. */
static void
expect_launches (guint n)
{
  const gint64 deadline_us = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;

  guint n_launches;

  g_mutex_lock (&seen.lock);
  while (seen.n_launches < n &&
         g_cond_wait_until (&seen.changed, &seen.lock, deadline_us))
    ;
  g_mutex_unlock (&seen.lock);
  g_usleep (20000);
  g_mutex_lock (&seen.lock);
  n_launches = seen.n_launches;
  g_mutex_unlock (&seen.lock);
  fail_unless_equals_int (n_launches, n);
}

/* Launch @number (from 0) has @n_items, those of @expected on. */
static void
expect_items (guint number, const Item *expected, guint n_items)
{
  fail_unless_equals_int (seen.launches[number].n_items, n_items);
  for (guint i = 0; i < n_items; i++)
    fail_unless (seen.launches[number].items[i] == expected + i);
}

/* @status: CL_COMPLETE, or what the commands of the launch fail with */
static void
end_launch (guint number, cl_int status)
{
  fail_unless_equals_int (
      clSetUserEventStatus (seen.launches[number].event, status), CL_SUCCESS);
  clReleaseEvent (seen.launches[number].event);
}

/* A lane that has had an item of each of @n_sources. */
static GstClLane *
lane_new (guint n_sources)
{
  g_autoptr (GError) error = NULL;
  GstClLane *lane = gst_cl_lane_new (context, &work, &seen, &error);
  Item items[GST_CL_LANE_ITEMS];

  fail_unless (lane != NULL, "%s", error ? error->message : "");
  seen.ends_at_once = TRUE;
  add (lane, items, n_sources, n_sources);
  for (guint i = 0; i < n_sources; i++)
    fail_unless (gst_cl_promise_wait (items[i].promise, NULL));
  items_clear (items, n_sources);
  g_mutex_lock (&seen.lock);
  seen.ends_at_once = FALSE;
  seen.n_launches = seen.n_ended = 0;
  g_mutex_unlock (&seen.lock);

  return lane;
}

static void
setup (void)
{
  g_autoptr (GstClDevice) device = gst_cl_device_choose ("auto", NULL);

  fail_unless (device != NULL);
  context = gst_cl_context_new (device, FALSE, NULL);
  fail_unless (context != NULL);
  seen.n_launches = seen.n_ended = 0;
  seen.slots_in_use = 0;
  seen.refuses = seen.ends_at_once = FALSE;
}

static void
teardown (void)
{
  gst_clear_object (&context);
}

/* --- launches ------------------------------------------------------------ */

/* An idle device takes the first item at once; while it has that, a launch
 * begins with an item of each source. */
GST_START_TEST (items_of_all_sources_share_a_launch)
{
  g_autoptr (GstClLane) lane = lane_new (3);
  Item items[7];

  add (lane, items, 1, 3);
  expect_launches (1);
  add (lane, items + 1, 2, 3);
  expect_launches (1);
  add (lane, items + 3, 1, 3);
  expect_launches (2);
  add (lane, items + 4, 3, 3);
  expect_launches (3);
  expect_items (0, items, 1);
  expect_items (1, items + 1, 3);
  expect_items (2, items + 4, 3);

  for (guint i = 0; i < 3; i++)
    end_launch (i, CL_COMPLETE);
  for (guint i = 0; i < 7; i++)
    fail_unless (gst_cl_promise_wait (items[i].promise, NULL));
  items_clear (items, 7);
}

GST_END_TEST;

/* When the device has nothing to do, it gets what there is. */
GST_START_TEST (few_items_wait_for_a_launch_alone)
{
  g_autoptr (GstClLane) lane = lane_new (5);
  Item items[3];

  add (lane, items, 1, 5);
  expect_launches (1);
  add (lane, items + 1, 2, 5);
  expect_launches (1);
  end_launch (0, CL_COMPLETE);
  expect_launches (2);
  expect_items (1, items + 1, 2);
  fail_unless (gst_cl_promise_wait (items[0].promise, NULL));
  fail_if (gst_cl_promise_is_settled (items[1].promise));
  end_launch (1, CL_COMPLETE);
  fail_unless (gst_cl_promise_wait (items[2].promise, NULL));
  items_clear (items, 3);
}

GST_END_TEST;

/* Sources that have added nothing for a second are not waited for. */
GST_START_TEST (silent_sources_are_forgotten)
{
  g_autoptr (GstClLane) lane = lane_new (5);
  Item items[2];

  g_usleep (1100000);
  add (lane, items, 1, 1);
  expect_launches (1);
  add (lane, items + 1, 1, 1);
  expect_launches (2);
  end_launch (0, CL_COMPLETE);
  end_launch (1, CL_COMPLETE);
  for (guint i = 0; i < 2; i++)
    fail_unless (gst_cl_promise_wait (items[i].promise, NULL));
  items_clear (items, 2);
}

GST_END_TEST;

/* No more launches than GST_CL_LANE_LAUNCHES are on their way, and none has
 * more items than GST_CL_LANE_ITEMS. */
GST_START_TEST (launches_are_few_and_full)
{
  g_autoptr (GstClLane) lane = lane_new (GST_CL_LANE_ITEMS);
  Item items[1 + 5 * GST_CL_LANE_ITEMS];
  const guint n_items = G_N_ELEMENTS (items);

  add (lane, items, 1, GST_CL_LANE_ITEMS);
  expect_launches (1);
  add (lane, items + 1, n_items - 1, GST_CL_LANE_ITEMS);
  expect_launches (GST_CL_LANE_LAUNCHES);
  for (guint i = 0; i < 5; i++) {
    end_launch (i, CL_COMPLETE);
    expect_launches (MIN (i + GST_CL_LANE_LAUNCHES + 1, 6));
    expect_items (i + 1, items + 1 + i * GST_CL_LANE_ITEMS, GST_CL_LANE_ITEMS);
  }
  end_launch (5, CL_COMPLETE);
  for (guint i = 0; i < n_items; i++)
    fail_unless (gst_cl_promise_wait (items[i].promise, NULL));
  items_clear (items, n_items);
}

GST_END_TEST;

/* --- failures ------------------------------------------------------------ */

static void
expect_failure (Item *item, cl_int code)
{
  g_autoptr (GError) error = NULL;

  fail_if (gst_cl_promise_wait (item->promise, &error));
  fail_unless (g_error_matches (error, GST_CL_ERROR, code), "%s",
      error->message);
}

/* What is refused or fails is told to its own items alone, also where the
 * driver waits for it with success (forgivingwaits.c). */
GST_START_TEST (failures_are_told)
{
  g_autoptr (GstClLane) lane = lane_new (1);
  Item items[3];

  seen.refuses = TRUE;
  add (lane, items, 1, 1);
  expect_failure (&items[0], CL_OUT_OF_RESOURCES);
  seen.refuses = FALSE;

  add (lane, items + 1, 1, 1);
  expect_launches (1);
  add (lane, items + 2, 1, 1);
  expect_launches (2);
  end_launch (0, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  end_launch (1, CL_COMPLETE);
  expect_failure (&items[1], CL_MEM_OBJECT_ALLOCATION_FAILURE);
  fail_unless (gst_cl_promise_wait (items[2].promise, NULL));
  items_clear (items, 3);
}

GST_END_TEST;

/* --- threads ------------------------------------------------------------- */

static gpointer
run_source (gpointer lane)
{
  Item items[2];

  for (guint i = 0; i < N_ITEMS; i++) {
    Item *item = &items[i % 2];

    if (i >= 2) {
      fail_unless (gst_cl_promise_wait (item->promise, NULL));
      gst_cl_promise_unref (item->promise);
    }
    item_init (item);
    gst_cl_lane_add (lane, item, items);
  }
  for (guint i = 0; i < 2; i++)
    fail_unless (gst_cl_promise_wait (items[i].promise, NULL));
  items_clear (items, 2);

  return NULL;
}

/* Every item and every launch ends, and the lane goes at once after the last
 * one. */
GST_START_TEST (threads)
{
  GstClLane *lane = lane_new (0);
  GThread *all[N_THREADS];

  seen.ends_at_once = TRUE;
  for (guint i = 0; i < N_THREADS; i++)
    all[i] = g_thread_new ("source", run_source, lane);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (all[i]);
  gst_cl_lane_free (lane);
  fail_unless_equals_int (seen.n_ended, seen.n_launches);
}

GST_END_TEST;

/* A lane that never had an item goes, too. */
GST_START_TEST (unused)
{
  gst_cl_lane_free (lane_new (0));
  gst_cl_lane_free (NULL);
}

GST_END_TEST;

static Suite *
lane_suite (void)
{
  Suite *suite = suite_create ("lane");
  TCase *tcase = tcase_create ("items");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, items_of_all_sources_share_a_launch);
  tcase_add_test (tcase, few_items_wait_for_a_launch_alone);
  tcase_add_test (tcase, silent_sources_are_forgotten);
  tcase_add_test (tcase, launches_are_few_and_full);
  tcase_add_test (tcase, failures_are_told);
  tcase_add_test (tcase, threads);
  tcase_add_test (tcase, unused);

  return suite;
}

ELEMENT_CHECK_MAIN (lane);

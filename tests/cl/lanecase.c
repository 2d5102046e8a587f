/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A lane whose launches are events that the test ends. */

#include "lanecase.h"

#include "elements/common.h"
#include "standins/clock.h"

static GstClContext *context;

LaneSeen lane_seen;

/* --- the work of lanes --------------------------------------------------- */

static guint
receive (gpointer user_data, gpointer *items, guint n_items)
{
  g_autoptr (GError) error = g_error_new_literal (GST_CL_ERROR,
      CL_INVALID_MEM_OBJECT, "rejected");
  guint n_left = 0;

  fail_unless (user_data == &lane_seen);
  fail_unless (n_items >= 1 && n_items <= GST_CL_LANE_ITEMS);
  g_mutex_lock (&lane_seen.lock);
  lane_seen.n_received += n_items;
  g_cond_broadcast (&lane_seen.changed);
  g_mutex_unlock (&lane_seen.lock);

  for (guint i = 0; i < n_items; i++) {
    LaneItem *item = items[i];
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

  fail_unless (user_data == &lane_seen);
  fail_unless (n_items >= 1 && n_items <= GST_CL_LANE_ITEMS);
  fail_unless (slot < GST_CL_LANE_LAUNCHES);
  fail_if (lane_seen.slots_in_use >> slot & 1);
  if (lane_seen.refuses_late)
    fail_unless_equals_int (
        clEnqueueMarkerWithWaitList (gst_cl_lane_queue (lane_seen.refuses_late),
            1, &lane_seen.refused, NULL),
        CL_SUCCESS);
  if (lane_seen.refuses || lane_seen.refuses_late) {
    g_set_error_literal (error, GST_CL_ERROR, CL_OUT_OF_RESOURCES, "refused");
    return FALSE;
  }

  user_event = clCreateUserEvent (context->handle, NULL);
  fail_unless (user_event != NULL);
  g_mutex_lock (&lane_seen.lock);
  lane_seen.slots_in_use |= 1 << slot;
  ends_at_once = lane_seen.ends_at_once;
  if (!ends_at_once) {
    LaneLaunch *launch = &lane_seen.launches[lane_seen.n_launches];

    fail_unless (lane_seen.n_launches < LANE_CASE_MAX_LAUNCHES);
    *launch = (LaneLaunch){ .n_items = n_items, .slot = slot };
    for (guint i = 0; i < n_items; i++)
      launch->items[i] = items[i];
    launch->event = user_event;
    clRetainEvent (user_event);
  }
  lane_seen.n_launches++;
  g_cond_broadcast (&lane_seen.changed);
  g_mutex_unlock (&lane_seen.lock);
  if (ends_at_once)
    clSetUserEventStatus (user_event, CL_COMPLETE);
  *event = user_event;

  return TRUE;
}

static void
end (gpointer user_data, const gpointer *items, guint n_items, guint slot,
    const GError *error)
{
  g_mutex_lock (&lane_seen.lock);
  lane_seen.slots_in_use &= ~(1 << slot);
  lane_seen.n_ended++;
  g_cond_broadcast (&lane_seen.changed);
  g_mutex_unlock (&lane_seen.lock);

  for (guint i = 0; i < n_items; i++) {
    LaneItem *item = items[i];
    g_autoptr (GstClFence) fence = gst_cl_fence_ref (item->fence);

    if (error)
      gst_cl_fence_fail (fence, error);
    else
      gst_cl_fence_signal (fence);
  }
}

static const GstClLaneWork work = { receive, launch, end };

/* --- what the tests ask and tell ----------------------------------------- */

void
lane_item_init (LaneItem *self)
{
  *self = (LaneItem){ .fence = gst_cl_fence_new () };
}

void
lane_case_add (GstClLane *lane, LaneItem *items, guint n_items, guint n_sources)
{
  static const gchar sources[GST_CL_LANE_ITEMS];

  for (guint i = 0; i < n_items; i++) {
    lane_item_init (&items[i]);
    gst_cl_lane_add (lane, &items[i], &sources[i % n_sources]);
  }
}

void
lane_items_clear (LaneItem *items, guint n_items)
{
  for (guint i = 0; i < n_items; i++)
    gst_cl_fence_unref (items[i].fence);
}

static guint
read_number (const guint *number)
{
  guint value;

  g_mutex_lock (&lane_seen.lock);
  value = *number;
  g_mutex_unlock (&lane_seen.lock);

  return value;
}

/* Waits until @number of lane_seen is @n or more. */
static void
wait_for_number (const guint *number, guint n)
{
  const gint64 deadline_us = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  g_mutex_lock (&lane_seen.lock);
  while (*number < n &&
         g_cond_wait_until (&lane_seen.changed, &lane_seen.lock, deadline_us))
    ;
  g_mutex_unlock (&lane_seen.lock);
}

void
lane_case_expect_received (guint n)
{
  wait_for_number (&lane_seen.n_received, n);
  fail_unless_equals_int (read_number (&lane_seen.n_received), n);
}

void
lane_case_expect_launches (guint n)
{
  wait_for_number (&lane_seen.n_launches, n);
  g_usleep (20000);
  fail_unless_equals_int (read_number (&lane_seen.n_launches), n);
}

void
lane_case_expect_items (guint number, const LaneItem *expected, guint n_items)
{
  fail_unless_equals_int (lane_seen.launches[number].n_items, n_items);
  for (guint i = 0; i < n_items; i++)
    fail_unless (lane_seen.launches[number].items[i] == expected + i);
}

void
lane_case_end_launch (guint number, cl_int status)
{
  fail_unless_equals_int (
      clSetUserEventStatus (lane_seen.launches[number].event, status),
      CL_SUCCESS);
  clReleaseEvent (lane_seen.launches[number].event);
}

GstClLane *
lane_case_new (guint n_sources)
{
  g_autoptr (GError) error = NULL;
  GstClLane *lane = gst_cl_lane_new (context, &work, &lane_seen, &error);
  LaneItem items[GST_CL_LANE_ITEMS];

  fail_unless (lane != NULL, "%s", error ? error->message : "");
  clock_hold (); /* a lane forgets sources that are silent for a second */
  lane_seen.ends_at_once = TRUE;
  lane_case_add (lane, items, n_sources, n_sources);
  lane_case_expect_signalled (items, n_sources);
  lane_items_clear (items, n_sources);
  g_mutex_lock (&lane_seen.lock);
  lane_seen.ends_at_once = FALSE;
  lane_seen.n_received = lane_seen.n_launches = lane_seen.n_ended = 0;
  g_mutex_unlock (&lane_seen.lock);

  return lane;
}

void
lane_case_refuse_late (GstClLane *lane)
{
  lane_seen.refused = clCreateUserEvent (context->handle, NULL);
  fail_unless (lane_seen.refused != NULL);
  lane_seen.refuses_late = lane;
}

void
lane_case_setup (void)
{
  g_autoptr (GstClDevice) device = gst_cl_device_choose ("auto", NULL);

  fail_unless (device != NULL);
  context = gst_cl_context_new (device, FALSE, NULL);
  fail_unless (context != NULL);
  lane_seen.n_received = lane_seen.n_launches = lane_seen.n_ended = 0;
  lane_seen.slots_in_use = 0;
  lane_seen.refuses = lane_seen.ends_at_once = FALSE;
  lane_seen.refuses_late = NULL;
}

void
lane_case_teardown (void)
{
  gst_clear_object (&context);
}

void
lane_case_expect_signalled (LaneItem *items, guint n_items)
{
  for (guint i = 0; i < n_items; i++)
    fail_unless (gst_cl_fence_wait (items[i].fence, NULL));
}

void
lane_case_expect_failure (LaneItem *item, cl_int code)
{
  g_autoptr (GError) error = NULL;

  fail_if (gst_cl_fence_wait (item->fence, &error));
  fail_unless (g_error_matches (error, GST_CL_ERROR, code), "%s",
      error->message);
}

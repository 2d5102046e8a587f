/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order of messages, independent of the handlers of the bus, and the last
 * result. */

#include "elements/framesum/gstclpublisher.h"

#include "suite.h"

static GstClPublisher *publisher;
static GstElement *element;
static GstBus *bus;
static gint is_handling; /* atomic: a handler is running */
static gint may_go_on;   /* atomic: it may return */

/* The handler of the message "slow" blocks until the test releases it. */
static GstBusSyncReply
handle (GstBus *unused, GstMessage *message, gpointer user_data)
{
  if (gst_message_has_name (message, "slow")) {
    g_atomic_int_set (&is_handling, TRUE);
    while (!g_atomic_int_get (&may_go_on))
      g_usleep (1000);
  }

  return GST_BUS_PASS;
}

static void
setup (void)
{
  element = gst_object_ref_sink (gst_bin_new ("element"));
  bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  gst_bus_set_sync_handler (bus, handle, NULL, NULL);
  g_atomic_int_set (&is_handling, FALSE);
  g_atomic_int_set (&may_go_on, FALSE);
  publisher = gst_cl_publisher_new (element);
  fail_unless (gst_cl_publisher_start (publisher));
}

static void
teardown (void)
{
  gst_cl_publisher_free (publisher);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

static void
add (const gchar *name)
{
  gst_cl_publisher_queue (publisher, gst_structure_new_empty (name));
}

static void
expect_next (const gchar *name)
{
  g_autoptr (GstMessage) message = gst_bus_pop (bus);

  if (!name) {
    fail_unless (message == NULL);
    return;
  }
  fail_unless (message && gst_message_has_name (message, name),
      "expected a message %s", name);
}

static gpointer
post_slow (gpointer user_data)
{
  add ("slow");
  gst_cl_publisher_post_queued (publisher);

  return NULL;
}

/* Another thread posts "slow", and its handler is running. */
static GThread *
begin_slow (void)
{
  GThread *thread = g_thread_new ("slow", post_slow, NULL);

  while (!g_atomic_int_get (&is_handling))
    g_usleep (1000);

  return thread;
}

static gpointer
let_go_soon (gpointer user_data)
{
  g_usleep (50 * 1000);
  g_atomic_int_set (&may_go_on, TRUE);

  return NULL;
}

/* A thread that posts meanwhile does not wait; its message follows. */
TEST (test_order)
{
  GThread *thread = begin_slow ();

  add ("second");
  gst_cl_publisher_post_queued (publisher);
  expect_next (NULL);
  g_atomic_int_set (&may_go_on, TRUE);
  g_thread_join (thread);
  expect_next ("slow");
  expect_next ("second");
  expect_next (NULL);
}

/* A thread that waits for posted messages, or stops, waits for the handler: all
 * messages are then on the bus. */
LOOP_TEST (test_nothing_is_lost, 2)
{
  GThread *thread = begin_slow (), *helper;

  helper = g_thread_new ("helper", let_go_soon, NULL);
  add ("second");
  if (__i__ == 0)
    gst_cl_publisher_wait_posted (publisher);
  else
    gst_cl_publisher_stop (publisher);
  expect_next ("slow");
  expect_next ("second");
  g_thread_join (thread);
  g_thread_join (helper);
}

/* A flush does not wait for a handler. */
TEST (test_flushing)
{
  GThread *thread = begin_slow ();

  gst_cl_publisher_set_flushing (publisher, TRUE);
  add ("second");
  gst_cl_publisher_wait_posted (publisher);
  expect_next (NULL);
  g_atomic_int_set (&may_go_on, TRUE);
  g_thread_join (thread);
  expect_next ("slow");
  expect_next ("second");
}

TEST (test_closed)
{
  gst_cl_publisher_stop (publisher);
  add ("late");
  gst_cl_publisher_post_queued (publisher);
  expect_next (NULL);
  fail_unless (gst_cl_publisher_start (publisher));
  gst_cl_publisher_post_queued (publisher);
  expect_next (NULL);
}

/* The property has the last published result, posted or not, also after a stop;
 * it then holds no reference to the element. */
LOOP_TEST (test_stats, 2)
{
  const gboolean posts = __i__;
  const GstClFrameSumDelivery delivery = { .post_messages = posts };
  g_autoptr (GstStructure) stats = NULL, kept = NULL;

  fail_unless (gst_cl_publisher_dup_stats (publisher) == NULL);
  gst_cl_publisher_publish (publisher, NULL, gst_structure_new_empty ("first"),
      NULL, &delivery);
  gst_cl_publisher_publish (publisher, NULL,
      gst_structure_new ("second", "n", G_TYPE_INT, 7, NULL), NULL, &delivery);
  stats = gst_cl_publisher_dup_stats (publisher);
  fail_unless (gst_structure_has_name (stats, "second"));
  expect_next (posts ? "first" : NULL);
  expect_next (posts ? "second" : NULL);

  gst_cl_publisher_stop (publisher);
  kept = gst_cl_publisher_dup_stats (publisher);
  fail_unless (gst_structure_is_equal (kept, stats));
  fail_unless_equals_int (GST_OBJECT_REFCOUNT_VALUE (element), 1);
}

SUITE (.setup = setup, .teardown = teardown);

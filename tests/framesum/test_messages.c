/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages in their order, whatever the handlers of the bus do. */

#include <gst/check/gstcheck.h>

#include "elements/framesum/gstclmessages.h"

static GstClMessages *messages;
static GstElement *element;
static GstBus *bus;
static gint is_handling; /* atomic: a handler is at work */
static gint may_go_on;   /* atomic: it comes back */

/* The message "slow" is handled until the test lets go. */
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
  messages = gst_cl_messages_new ();
  element = gst_object_ref_sink (gst_bin_new ("element"));
  bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  gst_bus_set_sync_handler (bus, handle, NULL, NULL);
  g_atomic_int_set (&is_handling, FALSE);
  g_atomic_int_set (&may_go_on, FALSE);
  gst_cl_messages_open (messages);
}

static void
teardown (void)
{
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  gst_cl_messages_free (messages);
}

static void
add (const gchar *name)
{
  gst_cl_messages_add (messages, gst_structure_new_empty (name));
}

static void
expect_next (const gchar *name)
{
  g_autoptr (GstMessage) message = gst_bus_pop (bus);

  if (!name) {
    fail_unless (message == NULL);
    return;
  }
  fail_unless (message && gst_message_has_name (message, name), "%s", name);
}

static gpointer
post_slow (gpointer user_data)
{
  add ("slow");
  gst_cl_messages_post (messages, element);

  return NULL;
}

/* Another thread posts "slow", and its handler is at work. */
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

/* Who posts meanwhile does not wait, and his message comes behind. */
GST_START_TEST (test_order)
{
  GThread *thread = begin_slow ();

  add ("second");
  gst_cl_messages_post (messages, element);
  expect_next (NULL);
  g_atomic_int_set (&may_go_on, TRUE);
  g_thread_join (thread);
  expect_next ("slow");
  expect_next ("second");
  expect_next (NULL);
}

GST_END_TEST;

/* Who settles, or closes, waits for the handler, and finds all on the bus. */
GST_START_TEST (test_nothing_is_lost)
{
  GThread *thread = begin_slow (), *helper;

  helper = g_thread_new ("helper", let_go_soon, NULL);
  add ("second");
  if (__i__ == 0)
    gst_cl_messages_settle (messages, element);
  else
    gst_cl_messages_close (messages, element);
  expect_next ("slow");
  expect_next ("second");
  g_thread_join (thread);
  g_thread_join (helper);
}

GST_END_TEST;

/* A flush waits for no handler. */
GST_START_TEST (test_flushing)
{
  GThread *thread = begin_slow ();

  gst_cl_messages_set_flushing (messages, TRUE);
  add ("second");
  gst_cl_messages_settle (messages, element);
  expect_next (NULL);
  g_atomic_int_set (&may_go_on, TRUE);
  g_thread_join (thread);
  expect_next ("slow");
  expect_next ("second");
}

GST_END_TEST;

GST_START_TEST (test_closed)
{
  gst_cl_messages_close (messages, element);
  add ("late");
  gst_cl_messages_post (messages, element);
  expect_next (NULL);
  gst_cl_messages_open (messages);
  gst_cl_messages_post (messages, element);
  expect_next (NULL);
}

GST_END_TEST;

static Suite *
messages_suite (void)
{
  Suite *suite = suite_create ("messages");
  TCase *tcase = tcase_create ("messages");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, test_order);
  tcase_add_loop_test (tcase, test_nothing_is_lost, 0, 2);
  tcase_add_test (tcase, test_flushing);
  tcase_add_test (tcase, test_closed);

  return suite;
}

GST_CHECK_MAIN (messages);

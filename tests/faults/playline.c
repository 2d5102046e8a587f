/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plays a launch line to its end and prints every error. Exit status 1: there
 * was an error. Used for early errors: gst-launch-1.0 misses an error that is
 * posted before its main loop runs, and then never ends
 * (docs/troubleshooting.md).
 *
 * usage: playline DESCRIPTION... environment: PLAY_AGAIN null, ready: plays it
 * again after that state; only the errors of the second time count */

#include <gst/gst.h>
#include <stdio.h>

static void
print_error (GstMessage *message)
{
  g_autofree gchar *path = gst_object_get_path_string (message->src);
  g_autofree gchar *debug = NULL;
  g_autoptr (GError) error = NULL;

  gst_message_parse_error (message, &error, &debug);
  printf ("ERROR: from element %s: %s\n%s\n", path, error->message,
      debug ? debug : "");
}

/* Plays to the end or to the first error; the pipeline is READY afterwards. */
static void
play (GstElement *pipeline, GstBus *bus)
{
  GstMessage *message;

  if (gst_element_set_state (pipeline, GST_STATE_PLAYING) !=
      GST_STATE_CHANGE_FAILURE) {
    message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    gst_bus_post (bus, message);
  }
  /* not to NULL, which flushes the bus */
  gst_element_set_state (pipeline, GST_STATE_READY);
}

/* Plays again after @state, without the messages of the first time. */
static void
play_again (GstElement *pipeline, GstBus *bus, const gchar *state)
{
  if (g_str_equal (state, "null"))
    gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_set_flushing (bus, TRUE);
  gst_bus_set_flushing (bus, FALSE);
  play (pipeline, bus);
}

int
main (int argc, char **argv)
{
  const gchar *again = g_getenv ("PLAY_AGAIN");
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstBus) bus = NULL;
  GstMessage *message;
  int n_errors = 0;

  gst_init (&argc, &argv);
  pipeline = gst_parse_launchv ((const gchar **) argv + 1, &error);
  if (error) {
    fprintf (stderr, "%s\n", error->message);
    return 2;
  }

  bus = gst_element_get_bus (pipeline);
  play (pipeline, bus);
  if (again)
    play_again (pipeline, bus, again);

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR))) {
    print_error (message);
    gst_message_unref (message);
    n_errors++;
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);

  return n_errors > 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times a pipeline: pipeline 'LAUNCH LINE'
 *
 * Runs the line to its end and prints one JSON object: the buffers that reached
 * the sink, the seconds from the first of them to the last, those per second,
 * and the OpenCL device in use (empty without one of our elements). */

#include <gst/gst.h>

typedef struct {
  guint64 n_buffers;
  gint64 first, last; /* microseconds, monotonic */
} Count;

static GstPadProbeReturn
count_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Count *count = user_data;

  count->last = g_get_monotonic_time ();
  if (count->n_buffers++ == 0)
    count->first = count->last;

  return GST_PAD_PROBE_OK;
}

static void
watch_sink (const GValue *item, gpointer user_data)
{
  GstElement *sink = g_value_get_object (item);
  GstPad *pad = gst_element_get_static_pad (sink, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_buffer, user_data,
      NULL);
  gst_object_unref (pad);
}

/* user_data: gchar ** that receives the device's name */
static void
find_device (const GValue *item, gpointer user_data)
{
  GObject *element = g_value_get_object (item);
  gchar **name = user_data;

  if (!*name && g_object_class_find_property (G_OBJECT_GET_CLASS (element),
                    "device-name"))
    g_object_get (element, "device-name", name, NULL);
}

static void
for_each (GstIterator *iterator, GstIteratorForeachFunction function,
    gpointer user_data)
{
  gst_iterator_foreach (iterator, function, user_data);
  gst_iterator_free (iterator);
}

/* FALSE, with the reason on stderr, unless the end is reached. */
static gboolean
run (GstElement *pipeline, gchar **device)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  gboolean done;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  done = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  if (!done) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
  }
  for_each (gst_bin_iterate_elements (GST_BIN (pipeline)), find_device, device);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_message_unref (message);
  gst_object_unref (bus);

  return done;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *device = NULL;
  GstElement *pipeline;
  Count count = { 0 };
  gboolean done;
  gdouble seconds;

  gst_init (&argc, &argv);
  if (argc != 2) {
    g_printerr ("usage: pipeline 'LAUNCH LINE'\n");
    return 2;
  }

  pipeline = gst_parse_launch (argv[1], &error);
  if (!pipeline || error) {
    g_printerr ("%s\n", error->message);
    return 1;
  }

  for_each (gst_bin_iterate_sinks (GST_BIN (pipeline)), watch_sink, &count);
  done = run (pipeline, &device);
  gst_object_unref (pipeline);
  if (!done)
    return 1;

  seconds = (count.last - count.first) * 1e-6;
  g_print ("{ \"frames\": %" G_GUINT64_FORMAT
           ", \"seconds\": %.6f, \"fps\": %.2f, \"device\": \"%s\" }\n",
      count.n_buffers, seconds,
      seconds > 0 ? (count.n_buffers - 1) / seconds : 0.0,
      device ? device : "");

  return 0;
}

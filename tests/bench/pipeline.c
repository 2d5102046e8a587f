/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times a pipeline: pipeline [--first] [--frames=N] [--warm-up=N]
 *                  [--upstream=offered|system] 'LINE'
 *
 * Runs the line to its end and prints one JSON object: the buffers that reached
 * the sinks, the seconds from the first buffer of each sink, or from the buffer
 * given by --warm-up, to the end of the last, the buffers of that time per
 * second, the OpenCL device in use (empty without an element of the plugin),
 * and the bytes of frames that were copied to it and back. Each appsrc whose
 * name begins with "replay" plays N frames in buffers of the pool that
 * downstream offers, or in ordinary memory. With --first only when the first
 * buffer could be read: microseconds of the monotonic clock. */

#include "replay.h"

/* The counts of all sinks. */
typedef struct {
  GMutex lock;
  gint n_warm_up;              /* buffers of each sink */
  guint n_cold;                /* sinks with fewer buffers; lock */
  guint64 n_buffers, n_before; /* total, total before the start; lock */
  gint64 start, end;           /* microseconds, monotonic; lock */
  gboolean is_read;            /* each before its time is measured */
} Count;

typedef struct {
  Count *count;
  gint n_buffers; /* lock of count */
} Sink;

/* Device memory may still be in use when it arrives: mapping waits for it. */
static void
read_buffer (GstBuffer *buffer)
{
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ))
    gst_buffer_unmap (buffer, &map);
}

static GstPadProbeReturn
count_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Sink *sink = user_data;
  Count *count = sink->count;

  if (count->is_read)
    read_buffer (GST_PAD_PROBE_INFO_BUFFER (info));
  g_mutex_lock (&count->lock);
  count->n_buffers++;
  if (++sink->n_buffers == count->n_warm_up && --count->n_cold == 0) {
    count->start = g_get_monotonic_time ();
    count->n_before = count->n_buffers;
  }
  g_mutex_unlock (&count->lock);

  return GST_PAD_PROBE_OK;
}

/* Pending results of messages are complete at EOS. */
static GstPadProbeReturn
note_end (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Count *count = user_data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS) {
    g_mutex_lock (&count->lock);
    count->end = g_get_monotonic_time ();
    g_mutex_unlock (&count->lock);
  }

  return GST_PAD_PROBE_OK;
}

static void
watch_sink (const GValue *item, gpointer user_data)
{
  GstPad *pad = gst_element_get_static_pad (g_value_get_object (item), "sink");
  Sink *sink = g_new0 (Sink, 1);

  sink->count = user_data;
  sink->count->n_cold++;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_buffer, sink,
      g_free);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_end,
      user_data, NULL);
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

/* user_data: GObject ** that receives the context of the first element that
 * answers; transfer full */
static void
find_context (const GValue *item, gpointer user_data)
{
  GstElement *element = g_value_get_object (item);
  g_autoptr (GstContext)
      context = gst_element_get_context (element, "gst.cl.context");
  GObject **object = user_data;

  if (context && !*object)
    *object = g_value_dup_object (gst_structure_get_value (
        gst_context_get_structure (context), "context"));
}

static void
for_each (GstIterator *iterator, GstIteratorForeachFunction function,
    gpointer user_data)
{
  gst_iterator_foreach (iterator, function, user_data);
  gst_iterator_free (iterator);
}

/* FALSE, with the reason on stderr, if the end is not reached. */
static gboolean
run (GstElement *pipeline, gchar **device, guint64 bytes[2])
{
  GObject *context = NULL;
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
  for_each (gst_bin_iterate_elements (GST_BIN (pipeline)), find_context,
      &context);
  if (context)
    g_object_get (context, "bytes-to-device", &bytes[0], "bytes-from-device",
        &bytes[1], NULL);
  g_clear_object (&context);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_message_unref (message);
  gst_object_unref (bus);

  return done;
}

int
main (int argc, char **argv)
{
  Count count = { .n_warm_up = 1 };
  gint n_frames = 300;
  g_autofree gchar *upstream = NULL;
  const GOptionEntry entries[] = {
    { "first", 0, 0, G_OPTION_ARG_NONE, &count.is_read,
        "time the first buffer only", NULL },
    { "frames", 0, 0, G_OPTION_ARG_INT, &n_frames, "frames to replay", "N" },
    { "warm-up", 0, 0, G_OPTION_ARG_INT, &count.n_warm_up,
        "frames of each sink before the clock starts", "N" },
    { "upstream", 0, 0, G_OPTION_ARG_STRING, &upstream,
        "where they lie: offered or system", "MEMORY" },
    { 0 },
  };
  g_autoptr (GOptionContext) options = g_option_context_new ("LINE");
  g_autoptr (GError) error = NULL;
  g_autofree gchar *device = NULL;
  GstElement *pipeline;
  guint64 bytes[2] = { 0, 0 };
  gboolean done;
  gdouble seconds;

  g_option_context_add_main_entries (options, entries, NULL);
  g_option_context_add_group (options, gst_init_get_option_group ());
  if (!g_option_context_parse (options, &argc, &argv, &error) || argc != 2) {
    g_printerr ("%s\n", error ? error->message : "one LINE is needed");
    return 2;
  }

  pipeline = gst_parse_launch (argv[argc - 1], &error);
  if (!pipeline || error) {
    g_printerr ("%s\n", error->message);
    return 1;
  }

  replay_attach (pipeline, n_frames, g_strcmp0 (upstream, "offered") == 0);
  for_each (gst_bin_iterate_sinks (GST_BIN (pipeline)), watch_sink, &count);
  done = run (pipeline, &device, bytes);
  gst_object_unref (pipeline);
  if (!done)
    return 1;

  if (count.is_read) {
    g_print ("{ \"first_us\": %" G_GINT64_FORMAT " }\n", count.start);
    return 0;
  }

  seconds = (count.end - count.start) * 1e-6;
  g_print ("{ \"frames\": %" G_GUINT64_FORMAT
           ", \"seconds\": %.6f, \"fps\": %.2f, \"device\": \"%s\", "
           "\"to_device\": %" G_GUINT64_FORMAT
           ", \"from_device\": %" G_GUINT64_FORMAT " }\n",
      count.n_buffers, seconds,
      seconds > 0 ? (count.n_buffers - count.n_before) / seconds : 0.0,
      device ? device : "", bytes[0], bytes[1]);

  return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* framesum: prints the statistics of every frame of a file.
 *
 * usage: framesum [--meta|--stats] FILE-OR-URI
 *
 * Reads what clframesum measures, with nothing but <gst/gst.h>: from the
 * messages on the bus; with --meta, from the meta on the buffers as an element
 * further down sees it; with --stats, from the property, which holds the latest
 * result whenever somebody looks, here ten times a second. All hold one and the
 * same structure. framesumlines.c reads the file that clframesum writes.
 */

#include <gst/gst.h>

#include <string.h>

typedef enum { FROM_MESSAGES, FROM_META, FROM_STATS } Place;

/* Entry @i of the array field @name; NULL if there is none. The value belongs
 * to the structure. */
static const GValue *
array_entry (const GstStructure *structure, const gchar *name, guint i)
{
  const GValue *array = gst_structure_get_value (structure, name);

  if (!array || !GST_VALUE_HOLDS_ARRAY (array) ||
      i >= gst_value_array_get_size (array))
    return NULL;

  return gst_value_array_get_value (array, i);
}

/* One line a frame: its number and time, then each component. */
static void
print_statistics (const GstStructure *structure)
{
  guint64 frame = 0, timestamp = 0;
  const GValue *name;

  gst_structure_get_uint64 (structure, "frame", &frame);
  gst_structure_get_uint64 (structure, "timestamp", &timestamp);
  g_print ("frame %" G_GUINT64_FORMAT " at %.3f s", frame,
      (gdouble) timestamp / GST_SECOND);

  for (guint i = 0; (name = array_entry (structure, "components", i)); i++) {
    const GValue *sum = array_entry (structure, "sum", i);
    const GValue *mean = array_entry (structure, "mean", i);
    const GValue *stddev = array_entry (structure, "stddev", i);
    const GValue *min = array_entry (structure, "min", i);
    const GValue *max = array_entry (structure, "max", i);

    if (!sum || !mean || !stddev || !min || !max)
      continue;

    g_print (" | %s sum %" G_GUINT64_FORMAT
             " mean %.3f stddev %.3f min %u max %u",
        g_value_get_string (name), g_value_get_uint64 (sum),
        g_value_get_double (mean), g_value_get_double (stddev),
        g_value_get_uint (min), g_value_get_uint (max));
  }

  g_print ("\n");
}

/* Runs in the streaming thread for each buffer that reaches the sink. */
static GstPadProbeReturn
print_meta (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      "GstClFrameSumMeta");

  if (meta)
    print_statistics (gst_custom_meta_get_structure (meta));

  return GST_PAD_PROBE_OK;
}

/* The latest result, if there is one yet. */
static void
print_latest (GstElement *pipeline)
{
  GstElement *statistics = gst_bin_get_by_name (GST_BIN (pipeline),
      "statistics");
  GstStructure *structure = NULL;

  g_object_get (statistics, "stats", &structure, NULL);
  if (structure) {
    print_statistics (structure);
    gst_structure_free (structure);
  }
  gst_object_unref (statistics);
}

/* Links the first video stream; other streams stay unlinked. */
static void
link_video (GstElement *decoder, GstPad *pad, gpointer user_data)
{
  GstElement *converter = GST_ELEMENT (user_data);
  GstPad *sink = gst_element_get_static_pad (converter, "sink");
  GstCaps *caps = gst_pad_query_caps (pad, NULL);
  const GstStructure *stream = gst_caps_get_structure (caps, 0);

  if (gst_structure_has_name (stream, "video/x-raw") &&
      !gst_pad_is_linked (sink))
    gst_pad_link (pad, sink);
  gst_caps_unref (caps);
  gst_object_unref (sink);
}

static GstElement *
make_pipeline (const gchar *uri, Place from, GError **error)
{
  GstElement *pipeline = gst_parse_launch (
      "uridecodebin name=decoder videoconvert name=converter ! "
      "clframesum name=statistics ! fakesink name=sink",
      error);
  GstElement *decoder, *converter, *statistics, *sink;

  if (!pipeline || (error && *error)) {
    g_clear_pointer (&pipeline, gst_object_unref);
    return NULL;
  }

  decoder = gst_bin_get_by_name (GST_BIN (pipeline), "decoder");
  converter = gst_bin_get_by_name (GST_BIN (pipeline), "converter");
  statistics = gst_bin_get_by_name (GST_BIN (pipeline), "statistics");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");

  g_object_set (decoder, "uri", uri, NULL);
  g_signal_connect (decoder, "pad-added", G_CALLBACK (link_video), converter);
  g_object_set (statistics, "post-messages", from == FROM_MESSAGES,
      "stats-meta", from == FROM_META, NULL);
  if (from == FROM_META) {
    GstPad *pad = gst_element_get_static_pad (sink, "sink");
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, print_meta, NULL, NULL);
    gst_object_unref (pad);
  }

  gst_object_unref (decoder);
  gst_object_unref (converter);
  gst_object_unref (statistics);
  gst_object_unref (sink);

  return pipeline;
}

/* Plays to the end and prints the messages as they come, or the property.
 * FALSE on error. */
static gboolean
play (GstElement *pipeline, Place from)
{
  const GstClockTime patience = from == FROM_STATS ? GST_SECOND / 10
                                                   : GST_CLOCK_TIME_NONE;
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean is_done = FALSE, is_good = TRUE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!is_done) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, patience,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);

    if (from == FROM_STATS)
      print_latest (pipeline);
    if (!message)
      continue;
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      GError *error = NULL;
      gst_message_parse_error (message, &error, NULL);
      g_printerr ("framesum: %s\n", error->message);
      g_error_free (error);
      is_done = TRUE;
      is_good = FALSE;
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS) {
      is_done = TRUE;
    } else if (gst_message_has_name (message, "clframesum")) {
      print_statistics (gst_message_get_structure (message));
    }
    gst_message_unref (message);
  }

  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);

  return is_good;
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  GstElement *pipeline;
  Place from = FROM_MESSAGES;
  gboolean is_good;
  gchar *uri;

  gst_init (&argc, &argv);
  if (argc > 1 && strcmp (argv[1], "--meta") == 0)
    from = FROM_META;
  else if (argc > 1 && strcmp (argv[1], "--stats") == 0)
    from = FROM_STATS;
  if (argc != (from == FROM_MESSAGES ? 2 : 3)) {
    g_printerr ("usage: framesum [--meta|--stats] FILE-OR-URI\n");
    return 2;
  }

  uri = gst_uri_is_valid (argv[argc - 1])
            ? g_strdup (argv[argc - 1])
            : gst_filename_to_uri (argv[argc - 1], &error);
  pipeline = uri ? make_pipeline (uri, from, &error) : NULL;
  g_free (uri);
  if (!pipeline) {
    g_printerr ("framesum: %s\n", error ? error->message : "no pipeline");
    g_clear_error (&error);
    return 1;
  }

  is_good = play (pipeline, from);
  gst_object_unref (pipeline);

  return is_good ? 0 : 1;
}

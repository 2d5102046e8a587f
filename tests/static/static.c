/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program with the plugin linked statically. It counts the messages of three
 * frames; its exit status is 0 if they were posted and none came from an
 * installed plugin. */

#include <gst/gst.h>

GST_PLUGIN_STATIC_DECLARE (opencl);

#define FRAMES 3

int
main (int argc, char **argv)
{
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstPlugin) plugin = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GError) error = NULL;
  gboolean is_over = FALSE;
  guint frames = 0;

  gst_init (&argc, &argv);
  GST_PLUGIN_STATIC_REGISTER (opencl);
  plugin = gst_registry_find_plugin (gst_registry_get (), "opencl");
  if (!plugin || gst_plugin_get_filename (plugin)) {
    g_printerr ("the plugin is not that of this program\n");
    return 1;
  }

  pipeline = gst_parse_launch (
      "videotestsrc num-buffers=" G_STRINGIFY (
          FRAMES) " ! clframesum ! cllocalmean ! fakesink",
      &error);
  if (!pipeline) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!is_over) {
    g_autoptr (GstMessage)
        message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
            GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

    if (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT)
      frames += gst_message_has_name (message, "clframesum");
    else
      is_over = TRUE;
    if (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error (message, &error, NULL);
      g_printerr ("%s\n", error->message);
    }
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);

  g_print ("%u frames\n", frames);
  return frames == FRAMES ? 0 : 1;
}

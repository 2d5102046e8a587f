/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: a sync handler of its messages may seek, with a flush, in any
 * thread. */

#include "elements/common.h"
#include "suite.h"

typedef struct {
  GstElement *pipeline;
  const gchar *name;     /* name of the messages that cause a seek */
  gint n_left;           /* seeks to be made; atomic */
  gint n_results;        /* atomic */
  gboolean switches_off; /* events, after ten results */
} Player;

static GstBusSyncReply
seek_on_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  Player *player = user_data;
  const GstStructure *structure = gst_message_get_structure (message);

  if (player->switches_off && structure &&
      gst_structure_has_name (structure, "clframesum") &&
      g_atomic_int_add (&player->n_results, 1) == 10)
    gst_util_set_object_arg (G_OBJECT (GST_MESSAGE_SRC (message)), "events",
        "0");

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT ||
      !gst_structure_has_name (structure, player->name) ||
      g_atomic_int_add (&player->n_left, -1) <= 0)
    return GST_BUS_PASS;

  fail_unless (gst_element_seek_simple (player->pipeline, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, 0));

  return GST_BUS_PASS;
}

static const struct {
  const gchar *name;
  const gchar *before, *properties;
  gboolean has_gap, switches_off;
} rows[] = {
  /* posted by the thread of late results */
  { "clframesum-event", "", "stats-meta=false", FALSE, FALSE },
  { "clframesum", "", "stats-meta=false", FALSE, FALSE },
  /* posted by the thread of the source, and that of a queue */
  { "clframesum-event", "", "", FALSE, FALSE },
  { "clframesum-event", "queue !", "async-depth=3", FALSE, FALSE },
  { "clframesum", "queue !", "", FALSE, FALSE },
  { "clframesum", "", "async-depth=3", FALSE, FALSE },
  /* before the frame is measured: by the gap before it, by new settings */
  { "clframesum-event", "", "events=signal-loss signal-loss-timeout=1000000000",
      TRUE, FALSE },
  { "clframesum-event", "",
      "events=signal-loss signal-loss-timeout=1000000000 stats-meta=false",
      TRUE, FALSE },
  { "clframesum-event", "", "events=white white-pixel-threshold=1", FALSE,
      TRUE },
};

/* Frames from the tenth on come six seconds later. */
static GstPadProbeReturn
shift_time (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *buffer = gst_buffer_make_writable (
      GST_PAD_PROBE_INFO_BUFFER (info));

  if (GST_BUFFER_PTS (buffer) >= 400 * GST_MSECOND)
    GST_BUFFER_PTS (buffer) += 6 * GST_SECOND;
  GST_PAD_PROBE_INFO_DATA (info) = buffer;

  return GST_PAD_PROBE_OK;
}

/* Black and white frames alternate, three of each: events begin and end all the
 * time, also while others are in flight. */
LOOP_TEST (test_flushing_seeks, G_N_ELEMENTS (rows))
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=200 pattern=blink ! "
      "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1 ! %s "
      "clframesum name=sum events=black+white+scene "
      "black-min-duration=40000000 "
      "white-min-duration=40000000 %s ! fakesink",
      rows[__i__].before, rows[__i__].properties);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  Player player = { .pipeline = pipeline,
    .name = rows[__i__].name,
    .n_left = rows[__i__].switches_off ? 1 : 3,
    .switches_off = rows[__i__].switches_off };
  g_autoptr (GstElement) sum = gst_bin_get_by_name (GST_BIN (pipeline), "sum");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sum, "sink");

  if (rows[__i__].has_gap)
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, shift_time, NULL, NULL);

  gst_bus_set_sync_handler (bus, seek_on_message, &player, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS,
      "%s: expected EOS, found %s", line, message ? "an error" : "no message");
  fail_unless (g_atomic_int_get (&player.n_left) <= 0);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

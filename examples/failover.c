/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* failover: shows a backup while the picture of a source is at fault.
 *
 * usage: failover MAIN BACKUP [PICTURE-SINK [SOUND-SINK]]
 *
 * MAIN and BACKUP are URIs or files, the sinks launch lines. clframesum looks
 * at the picture of the main source, level hears its sound. Black with sound, a
 * picture that stands still, and frames that stay away are faults. The backup
 * is on air with the frame that makes a fault certain: five black frames are
 * seen at 25 frames a second. The sound stays that of the main source, and so
 * does a picture that is black without sound, as between programmes. The main
 * source comes back when it was healthy for two seconds.
 */

#include <gst/gst.h>

/* What is to be known of a picture: how long it is black, stands still, or is
 * missing before that is a fault. Nanoseconds. */
#define WATCH                                                                  \
  "events=black+freeze+signal-loss black-min-duration=200000000 "              \
  "freeze-duration=1000000000 signal-loss-timeout=500000000 "                  \
  "statistics=0 post-messages=false"
#define SOUND_FROM (-60.0)                       /* dB of full scale */
#define BACK_AFTER (2 * (gint64) G_USEC_PER_SEC) /* without a fault */

typedef struct {
  GstElement *main_source;
  GstElement *selector;
  GstPad *main_pad;
  GstPad *backup_pad;
  GMainLoop *loop;

  GMutex lock; /* over what follows: threads of both sources post messages */
  GstPad *on_air;
  gboolean is_black, is_still, is_lost; /* events that go on */
  gboolean has_failed;                  /* an error, for good */
  gboolean has_sound;
  gint64 well_since; /* monotonic time, microseconds; 0: at fault */
} Failover;

/* lock held */
static gboolean
is_healthy (const Failover *self)
{
  return !(self->is_black && self->has_sound) && !self->is_still &&
         !self->is_lost && !self->has_failed;
}

/* lock held */
static void
show (Failover *self, GstPad *pad)
{
  if (pad == self->on_air)
    return;

  self->on_air = pad;
  g_object_set (self->selector, "active-pad", pad, NULL);
  g_print ("%s on air\n", pad == self->backup_pad ? "backup" : "main");
}

/* After every change. lock held */
static void
judge (Failover *self)
{
  if (!is_healthy (self)) {
    self->well_since = 0;
    show (self, self->backup_pad);
  } else if (self->well_since == 0) {
    self->well_since = g_get_monotonic_time ();
  }
}

/* Some times a second: whether the main source may come back. */
static gboolean
on_time (gpointer user_data)
{
  Failover *self = user_data;

  g_mutex_lock (&self->lock);
  if (self->well_since != 0 &&
      g_get_monotonic_time () - self->well_since >= BACK_AFTER)
    show (self, self->main_pad);
  g_mutex_unlock (&self->lock);

  return G_SOURCE_CONTINUE;
}

/* An event of clframesum has begun or ended. lock held */
static void
take_event (Failover *self, const GstStructure *fields)
{
  const gchar *event = gst_structure_get_string (fields, "event");
  const gchar *state = gst_structure_get_string (fields, "state");
  const gboolean begins = g_strcmp0 (state, "start") == 0;

  if (g_strcmp0 (event, "black") == 0)
    self->is_black = begins;
  else if (g_strcmp0 (event, "freeze") == 0)
    self->is_still = begins && !self->is_black; /* black stands still, too */
  else if (g_strcmp0 (event, "signal-loss") == 0)
    self->is_lost = begins;
}

/* The loudest channel decides. lock held */
static void
take_level (Failover *self, const GstStructure *fields)
{
  const GValue *value = gst_structure_get_value (fields, "rms");
  const GValueArray *levels = g_value_get_boxed (value);

  self->has_sound = FALSE;
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  for (guint i = 0; i < levels->n_values; i++) {
    if (g_value_get_double (&levels->values[i]) >= SOUND_FROM)
      self->has_sound = TRUE;
  }
  G_GNUC_END_IGNORE_DEPRECATIONS
}

/* Called as soon as a message is posted, in the thread that posts it: the frame
 * that caused it has not gone on yet. */
static GstBusSyncReply
on_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  Failover *self = user_data;
  const GstStructure *fields = gst_message_get_structure (message);
  gboolean is_ours = TRUE;

  g_mutex_lock (&self->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR &&
      gst_object_has_as_ancestor (GST_MESSAGE_SRC (message),
          GST_OBJECT (self->main_source)))
    self->has_failed = TRUE;
  else if (fields && gst_structure_has_name (fields, "clframesum-event"))
    take_event (self, fields);
  else if (fields && gst_structure_has_name (fields, "level"))
    take_level (self, fields);
  else
    is_ours = FALSE;
  if (is_ours)
    judge (self);
  g_mutex_unlock (&self->lock);

  return is_ours ? GST_BUS_DROP : GST_BUS_PASS;
}

/* The other messages, in the main loop. */
static gboolean
on_end (GstBus *bus, GstMessage *message, gpointer user_data)
{
  Failover *self = user_data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    g_printerr ("failover: %s\n", error->message);
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR ||
      GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    g_main_loop_quit (self->loop);

  return G_SOURCE_CONTINUE;
}

static gchar *
uri_of (const gchar *name, GError **error)
{
  return gst_uri_is_valid (name) ? g_strdup (name)
                                 : gst_filename_to_uri (name, error);
}

/* What is not live has to be paced before the switch. */
static GstElement *
make_pipeline (gchar **names, GError **error)
{
  g_autofree gchar *main_uri = uri_of (names[1], error);
  g_autofree gchar *backup_uri = main_uri ? uri_of (names[2], error) : NULL;
  const gchar *picture = names[3] ? names[3] : "videoconvert ! autovideosink";
  const gchar *sound = names[3] && names[4] ? names[4] : "autoaudiosink";
  g_autofree gchar *line = NULL;

  if (!backup_uri)
    return NULL;

  line = g_strdup_printf (
      "input-selector name=switch sync-streams=false ! %s "
      "uridecodebin name=main-source uri=\"%s\" "
      "uridecodebin name=backup-source uri=\"%s\" "
      "main-source. ! videoconvert ! clocksync ! queue ! "
      "clframesum " WATCH " ! switch.sink_0 "
      "main-source. ! audioconvert ! clocksync ! queue ! "
      "level interval=100000000 ! audioconvert ! %s "
      "backup-source. ! videoconvert ! clocksync ! queue ! switch.sink_1",
      picture, main_uri, backup_uri, sound);

  return gst_parse_launch (line, error);
}

static void
play (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  Failover self = { NULL };

  g_mutex_init (&self.lock);
  self.main_source = gst_bin_get_by_name (GST_BIN (pipeline), "main-source");
  self.selector = gst_bin_get_by_name (GST_BIN (pipeline), "switch");
  self.main_pad = gst_element_get_static_pad (self.selector, "sink_0");
  self.backup_pad = gst_element_get_static_pad (self.selector, "sink_1");
  self.on_air = self.main_pad;
  self.loop = g_main_loop_new (NULL, FALSE);
  g_object_set (self.selector, "active-pad", self.main_pad, NULL);
  gst_bus_set_sync_handler (bus, on_message, &self, NULL);
  gst_bus_add_watch (bus, on_end, &self);
  g_timeout_add (100, on_time, &self);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_main_loop_run (self.loop);
  gst_element_set_state (pipeline, GST_STATE_NULL);

  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_bus_remove_watch (bus);
  g_main_loop_unref (self.loop);
  gst_object_unref (self.backup_pad);
  gst_object_unref (self.main_pad);
  gst_object_unref (self.selector);
  gst_object_unref (self.main_source);
  g_mutex_clear (&self.lock);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = NULL;

  gst_init (&argc, &argv);
  if (argc < 3 || argc > 5) {
    g_printerr ("usage: failover MAIN BACKUP [PICTURE-SINK [SOUND-SINK]]\n");
    return 2;
  }
  pipeline = make_pipeline (argv, &error);
  if (!pipeline || error) {
    g_printerr ("failover: %s\n", error->message);
    return 1;
  }
  play (pipeline);

  return 0;
}

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
 * does a picture that is black without sound, as between programmes; in a
 * source that has no sound at all, black is a fault. The main source comes back
 * when it was healthy for two seconds. A source that fails, or cannot be
 * opened, leaves the air to the other one for good; the exit status is 1 if
 * both do. */
#include <gst/gst.h>
#include <string.h>

/* What is to be known of a picture: how long it is black, stands still, or is
 * missing before that is a fault. Nanoseconds. */
#define WATCH                                                                  \
  "events=black+freeze+signal-loss black-min-duration=200000000 "              \
  "freeze-duration=1000000000 signal-loss-timeout=500000000 "                  \
  "statistics=0 post-messages=false"
#define SOUND_FROM (-60.0)                       /* dB of full scale */
#define BACK_AFTER (2 * (gint64) G_USEC_PER_SEC) /* without a fault */

enum { MAIN, BACKUP, N_SOURCES };
static const gchar *const source_names[] = { "main", "backup" };

/* Bits of Failover.faults, and their names. */
enum { BLACK = 1, END = 2, ERROR = 4, FREEZE = 8, SIGNAL_LOSS = 16 };
static const gchar *const fault_names[] = { "black", "end", "error", "freeze",
  "signal-loss" };

typedef struct {
  GstElement *pipeline;
  GstElement *sound; /* joins the pipeline if there is sound */
  GstElement *selector;
  GstElement *sources[N_SOURCES];
  GstPad *pads[N_SOURCES];
  GMainLoop *loop;
  gint status; /* of the program */

  GMutex lock;                /* over what follows: threads of both sources */
  guint faults;               /* of the main source, at the moment */
  gboolean failed[N_SOURCES]; /* for good */
  gboolean has_sink_failed;   /* what the sources say then is of no interest */
  gboolean is_black_wrong;
  gint64 well_since; /* monotonic time, microseconds; 0: at fault */
  gint on_air;
} Failover;

/* lock held */
static void
show (Failover *self, gint source, const gchar *why)
{
  if (source == self->on_air || self->failed[source])
    return;

  self->on_air = source;
  g_object_set (self->selector, "active-pad", self->pads[source], NULL);
  g_print ("%s on air: %s\n", source_names[source], why);
}

/* After every change. lock held */
static void
judge (Failover *self)
{
  const guint wrong = self->is_black_wrong ? self->faults
                                           : self->faults & ~(guint) BLACK;

  if (wrong != 0) {
    g_autoptr (GString) why = g_string_new (NULL);

    for (guint i = 0; i < G_N_ELEMENTS (fault_names); i++) {
      if (wrong & (1u << i))
        g_string_append_printf (why, "%s%s", why->len > 0 ? "+" : "",
            fault_names[i]);
    }
    self->well_since = 0;
    show (self, BACKUP, why->str);
  } else if (self->well_since == 0) {
    self->well_since = g_get_monotonic_time ();
  }
}

/* An event of clframesum has begun or ended. lock held */
static void
take_event (Failover *self, const GstStructure *fields)
{
  const gchar *event = gst_structure_get_string (fields, "event");
  const gchar *state = gst_structure_get_string (fields, "state");

  for (guint i = 0; i < G_N_ELEMENTS (fault_names); i++) {
    const guint fault = 1u << i;

    if (g_strcmp0 (event, fault_names[i]) != 0)
      continue;
    if (g_strcmp0 (state, "end") == 0)
      self->faults &= ~fault;
    else if (fault != FREEZE || !(self->faults & BLACK))
      self->faults |= fault; /* black stands still, too */
  }
}

/* The loudest channel decides. lock held */
static void
take_level (Failover *self, const GstStructure *fields)
{
  const GValue *value = gst_structure_get_value (fields, "rms");
  const GValueArray *levels = g_value_get_boxed (value);

  self->is_black_wrong = FALSE;
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  for (guint i = 0; i < levels->n_values; i++) {
    if (g_value_get_double (&levels->values[i]) >= SOUND_FROM)
      self->is_black_wrong = TRUE;
  }
  G_GNUC_END_IGNORE_DEPRECATIONS
}

/* In the main loop. Nothing more comes of sources that have failed; the sound
 * sink has to know that, and the pipeline, which may wait for their state. */
static gboolean
end_failed (gpointer user_data)
{
  Failover *self = user_data;

  for (gint i = 0; i < N_SOURCES; i++) {
    g_autoptr (GstObject)
        parent = gst_object_get_parent (GST_OBJECT (self->sources[i]));

    if (!self->failed[i] || !parent)
      continue;
    gst_bin_remove (GST_BIN (parent), self->sources[i]);
    gst_element_set_state (self->sources[i], GST_STATE_NULL);
    gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
    if (i == MAIN && GST_OBJECT_PARENT (self->sound)) {
      g_autoptr (GstPad) pad = gst_element_get_static_pad (self->sound, "sink");

      gst_pad_send_event (pad, gst_event_new_eos ());
    }
  }

  return G_SOURCE_REMOVE;
}

static gboolean
quit (gpointer user_data)
{
  Failover *self = user_data;

  g_main_loop_quit (self->loop);

  return G_SOURCE_REMOVE;
}

/* A source is lost for good. lock held */
static void
fail (Failover *self, gint source, const gchar *why)
{
  if (self->failed[source] || self->has_sink_failed)
    return;

  g_printerr ("failover: %s: %s\n", source_names[source], why);
  self->failed[source] = TRUE;
  if (self->failed[MAIN] && self->failed[BACKUP]) {
    self->status = 1;
    g_idle_add (quit, self);
    return;
  }
  if (source == MAIN)
    self->faults |= ERROR;
  else
    show (self, MAIN, "the backup has failed");
  g_idle_add (end_failed, self);
}

/* Called as soon as a message is posted, in the thread that posts it: the frame
 * that caused it has not gone on yet. */
static GstBusSyncReply
on_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  Failover *self = user_data;
  const GstStructure *fields = gst_message_get_structure (message);
  gint lost = N_SOURCES;
  gboolean is_sink = FALSE;
  gboolean is_ours = TRUE;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    for (lost = 0; lost < N_SOURCES; lost++) {
      if (gst_object_has_as_ancestor (GST_MESSAGE_SRC (message),
              GST_OBJECT (self->sources[lost])))
        break;
    }
    is_sink = lost == N_SOURCES;
  }

  g_mutex_lock (&self->lock);
  self->has_sink_failed |= is_sink;
  if (lost < N_SOURCES) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    fail (self, lost, error->message);
  } else if (fields && gst_structure_has_name (fields, "clframesum-event")) {
    take_event (self, fields);
  } else if (fields && gst_structure_has_name (fields, "level")) {
    take_level (self, fields);
  } else {
    is_ours = FALSE;
  }
  if (is_ours)
    judge (self);
  g_mutex_unlock (&self->lock);

  return is_ours ? GST_BUS_DROP : GST_BUS_PASS;
}

/* A main source that ends while the backup is on air stays off. */
static GstPadProbeReturn
on_event (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Failover *self = user_data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS) {
    g_mutex_lock (&self->lock);
    if (self->on_air == BACKUP) {
      self->faults |= END;
      judge (self);
    }
    g_mutex_unlock (&self->lock);
  }

  return GST_PAD_PROBE_OK;
}

/* The first sound of the main source. */
static void
on_pad (GstElement *source, GstPad *pad, gpointer user_data)
{
  Failover *self = user_data;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  g_autoptr (GstPad) sink = gst_element_get_static_pad (self->sound, "sink");

  if (!caps)
    caps = gst_pad_query_caps (pad, NULL);
  if (gst_caps_get_size (caps) > 0 &&
      g_str_has_prefix (
          gst_structure_get_name (gst_caps_get_structure (caps, 0)),
          "audio/") &&
      !GST_OBJECT_PARENT (self->sound)) {
    gst_bin_add (GST_BIN (self->pipeline), self->sound);
    gst_element_sync_state_with_parent (self->sound);
    gst_pad_link (pad, sink);
  }
}

static void
on_all_pads (GstElement *source, gpointer user_data)
{
  Failover *self = user_data;

  if (!GST_OBJECT_PARENT (self->sound)) {
    g_mutex_lock (&self->lock);
    self->is_black_wrong = TRUE;
    judge (self);
    g_mutex_unlock (&self->lock);
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
    show (self, MAIN, "healthy");
  g_mutex_unlock (&self->lock);

  return G_SOURCE_CONTINUE;
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
    self->status = 1;
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
  g_autofree gchar *line = NULL;

  if (!backup_uri)
    return NULL;

  line = g_strdup_printf (
      "input-selector name=switch sync-streams=false ! %s "
      "uridecodebin name=main-source uri=\"%s\" "
      "uridecodebin name=backup-source uri=\"%s\" "
      "main-source. ! videoconvert ! clocksync ! queue ! "
      "clframesum " WATCH " ! switch.sink_0 "
      "backup-source. ! videoconvert ! clocksync ! queue ! switch.sink_1",
      picture, main_uri, backup_uri);

  return gst_parse_launch (line, error);
}

static GstElement *
make_sound (gchar **names, GError **error)
{
  g_autofree gchar *line = g_strdup_printf (
      "audioconvert ! clocksync ! queue ! level interval=100000000 ! "
      "audioconvert ! %s",
      names[3] && names[4] ? names[4] : "autoaudiosink");

  return gst_parse_bin_from_description (line, TRUE, error);
}

/* Each source starts for itself: one that cannot be opened does not keep the
 * rest from playing. */
static void
start (Failover *self)
{
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();

  for (gint i = 0; i < N_SOURCES; i++)
    gst_element_set_locked_state (self->sources[i], TRUE);
  /* A time that neither stops where the sound does nor begins again where a
   * source fails. */
  gst_pipeline_use_clock (GST_PIPELINE (self->pipeline), clock);
  gst_element_set_start_time (self->pipeline, GST_CLOCK_TIME_NONE);
  gst_element_set_state (self->pipeline, GST_STATE_PAUSED);
  /* A source that cannot be opened fails before the time begins in which a
   * frame is expected. */
  for (gint i = N_SOURCES - 1; i >= 0; i--)
    gst_element_set_state (self->sources[i], GST_STATE_PAUSED);
  gst_element_set_base_time (self->pipeline, gst_clock_get_time (clock));
  if (gst_element_set_state (self->pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE) {
    self->status = 1;
    g_idle_add (quit, self); /* after the message that says why */
  }
  for (gint i = N_SOURCES - 1; i >= 0; i--) {
    gst_element_set_locked_state (self->sources[i], FALSE);
    if (!gst_element_sync_state_with_parent (self->sources[i])) {
      g_mutex_lock (&self->lock);
      fail (self, i, "cannot be opened");
      judge (self);
      g_mutex_unlock (&self->lock);
    }
  }
}

/* A sound sink that cannot be opened fails again on the pipeline's way down
 * through PAUSED, and would keep it from getting there. */
static void
stop (Failover *self)
{
  gst_element_set_locked_state (self->sound, TRUE);
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  gst_element_set_state (self->sound, GST_STATE_NULL);
}

/* Until the end. Returns the exit status. */
static int
play (GstElement *pipeline, GstElement *sound)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  Failover self = { .pipeline = pipeline, .sound = sound, .on_air = MAIN };

  g_mutex_init (&self.lock);
  self.selector = gst_bin_get_by_name (GST_BIN (pipeline), "switch");
  self.sources[MAIN] = gst_bin_get_by_name (GST_BIN (pipeline), "main-source");
  self.sources[BACKUP] = gst_bin_get_by_name (GST_BIN (pipeline),
      "backup-source");
  self.pads[MAIN] = gst_element_get_static_pad (self.selector, "sink_0");
  self.pads[BACKUP] = gst_element_get_static_pad (self.selector, "sink_1");
  self.loop = g_main_loop_new (NULL, FALSE);
  g_object_set (self.selector, "active-pad", self.pads[MAIN], NULL);
  gst_pad_add_probe (self.pads[MAIN], GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_event, &self, NULL);
  g_signal_connect (self.sources[MAIN], "pad-added", G_CALLBACK (on_pad),
      &self);
  g_signal_connect (self.sources[MAIN], "no-more-pads",
      G_CALLBACK (on_all_pads), &self);
  gst_bus_set_sync_handler (bus, on_message, &self, NULL);
  gst_bus_add_watch (bus, on_end, &self);
  g_timeout_add (100, on_time, &self);

  start (&self);
  g_main_loop_run (self.loop);
  stop (&self);

  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_bus_remove_watch (bus);
  g_main_loop_unref (self.loop);
  for (gint i = 0; i < N_SOURCES; i++) {
    gst_object_unref (self.pads[i]);
    gst_object_unref (self.sources[i]);
  }
  gst_object_unref (self.selector);
  g_mutex_clear (&self.lock);

  return self.status;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstElement) sound = NULL;

  gst_init (&argc, &argv);
  if (argc < 3 || argc > 5) {
    g_printerr ("usage: failover MAIN BACKUP [PICTURE-SINK [SOUND-SINK]]\n");
    return 1;
  }
  pipeline = make_pipeline (argv, &error);
  if (!error)
    sound = make_sound (argv, &error);
  if (error) {
    g_printerr ("failover: %s\n", error->message);
    return 1;
  }
  gst_object_ref_sink (sound);

  return play (pipeline, sound);
}

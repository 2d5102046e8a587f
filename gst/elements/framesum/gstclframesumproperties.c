/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of clframesum. */

#include "gstclframesumprivate.h"

enum {
  PROP_0,
  PROP_POST_MESSAGES,
  PROP_STATS_META,
  PROP_INTERVAL,
  PROP_FRAME_INTERVAL,
  PROP_ASYNC_DEPTH,
  PROP_LOCATION,
  PROP_STATS,
  PROP_SETTINGS /* and on: rows of the table of GstClFrameSumSettings */
};

#define DEFAULT_POST_MESSAGES  TRUE
#define DEFAULT_STATS_META     TRUE
#define DEFAULT_INTERVAL       0
#define DEFAULT_FRAME_INTERVAL 1
#define DEFAULT_ASYNC_DEPTH    0

static GstClInPlace *
in_place_of (GstClFrameSum *self)
{
  return gst_cl_base_filter_in_place (GST_CL_BASE_FILTER (self));
}

/* A meta needs a writable buffer; without it the buffer passes as it is, and
 * none is held back. object lock */
static guint
count_held (GstClFrameSum *self)
{
  return self->publisher.stats_meta ? self->async_depth : 0;
}

static void
gst_cl_frame_sum_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (object);
  GstClFrameSumSettings settings;
  guint n_held;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_POST_MESSAGES:
      self->publisher.post_messages = g_value_get_boolean (value);
      break;
    case PROP_STATS_META:
      self->publisher.stats_meta = g_value_get_boolean (value);
      break;
    case PROP_INTERVAL:
      self->interval = g_value_get_uint64 (value);
      break;
    case PROP_FRAME_INTERVAL:
      self->frame_interval = g_value_get_uint (value);
      break;
    case PROP_ASYNC_DEPTH:
      self->async_depth = g_value_get_uint (value);
      break;
    case PROP_LOCATION:
      g_free (self->publisher.location);
      self->publisher.location = g_value_dup_string (value);
      break;
    default: /* GObject asks for installed ones alone */
      gst_cl_frame_sum_settings_set (&self->settings, id - PROP_SETTINGS,
          value);
      break;
  }
  n_held = count_held (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);

  if (id >= PROP_SETTINGS) {
    gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self));
    gst_cl_watchdog_configure (self->arrivals, settings.events,
        &settings.event_settings);
  }
  if (id == PROP_STATS_META)
    gst_cl_in_place_set_passes (in_place_of (self), GST_BASE_TRANSFORM (self),
        !g_value_get_boolean (value));
  gst_cl_in_place_set_held (in_place_of (self), n_held);
  if (id == PROP_STATS_META || id == PROP_ASYNC_DEPTH)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
}

static void
gst_cl_frame_sum_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_POST_MESSAGES:
      g_value_set_boolean (value, self->publisher.post_messages);
      break;
    case PROP_STATS_META:
      g_value_set_boolean (value, self->publisher.stats_meta);
      break;
    case PROP_INTERVAL:
      g_value_set_uint64 (value, self->interval);
      break;
    case PROP_FRAME_INTERVAL:
      g_value_set_uint (value, self->frame_interval);
      break;
    case PROP_ASYNC_DEPTH:
      g_value_set_uint (value, self->async_depth);
      break;
    case PROP_LOCATION:
      g_value_set_string (value, self->publisher.location);
      break;
    case PROP_STATS:
      g_value_set_boxed (value, self->publisher.stats);
      break;
    default:
      gst_cl_frame_sum_settings_get (&self->settings, id - PROP_SETTINGS,
          value);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
install_settings (GObjectClass *klass)
{
  for (guint i = 0; i < gst_cl_frame_sum_settings_count (); i++)
    g_object_class_install_property (klass, PROP_SETTINGS + i,
        gst_cl_frame_sum_settings_pspec (i, GST_PARAM_MUTABLE_PLAYING));
}

void
gst_cl_frame_sum_install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                            GST_PARAM_MUTABLE_PLAYING;

  klass->set_property = gst_cl_frame_sum_set_property;
  klass->get_property = gst_cl_frame_sum_get_property;
  g_object_class_install_property (klass, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message for each result", DEFAULT_POST_MESSAGES,
          flags));
  g_object_class_install_property (klass, PROP_STATS_META,
      g_param_spec_boolean ("stats-meta", "Statistics meta",
          "Put each result on its buffer as GstClFrameSumMeta",
          DEFAULT_STATS_META, flags));
  g_object_class_install_property (klass, PROP_INTERVAL,
      g_param_spec_uint64 ("interval", "Interval",
          "Shortest time from one result to the next, in nanoseconds", 0,
          G_MAXUINT64, DEFAULT_INTERVAL, flags));
  g_object_class_install_property (klass, PROP_FRAME_INTERVAL,
      g_param_spec_uint ("frame-interval", "Frame interval",
          "Frames from one result to the next", 1, G_MAXUINT,
          DEFAULT_FRAME_INTERVAL, flags));
  g_object_class_install_property (klass, PROP_ASYNC_DEPTH,
      g_param_spec_uint ("async-depth", "Asynchronous depth",
          "Frames that may be held back for their meta while the device works; "
          "adds to the latency",
          0, GST_CL_RESULTS_MAX_DEPTH, DEFAULT_ASYNC_DEPTH, flags));
  g_object_class_install_property (klass, PROP_LOCATION,
      g_param_spec_string ("location", "Location",
          "File that takes each result as a line of JSON (.csv: as a row)",
          NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics", "The last result",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  install_settings (klass);
}

void
gst_cl_frame_sum_init_properties (GstClFrameSum *self)
{
  gst_cl_frame_sum_settings_init (&self->settings);
  self->taken = self->settings;
  self->publisher.post_messages = DEFAULT_POST_MESSAGES;
  self->publisher.stats_meta = DEFAULT_STATS_META;
  self->interval = DEFAULT_INTERVAL;
  self->frame_interval = DEFAULT_FRAME_INTERVAL;
  self->async_depth = DEFAULT_ASYNC_DEPTH;
  gst_cl_in_place_set_passes (in_place_of (self), GST_BASE_TRANSFORM (self),
      !self->publisher.stats_meta);
}

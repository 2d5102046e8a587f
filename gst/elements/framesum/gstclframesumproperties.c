/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of clframesum. */

#include "gstclframesumprivate.h"

#define FIELD(name) G_STRUCT_OFFSET (GstClFrameSum, name)

/* The properties about where results go and how often. The fields are those of
 * the element. */
static const GstClProperty results_properties[] = {
  /**
   * GstClFrameSum:post-messages:
   *
   * Posts each result on the bus as an element message named `clframesum`.
   *
   * Since: 0.1
   */
  { "post-messages", "Post messages", "Post an element message for each result",
      GST_CL_PROPERTY_BOOLEAN, FIELD (publisher.post_messages),
      GST_PARAM_MUTABLE_PLAYING, .boolean = TRUE },

  /**
   * GstClFrameSum:stats-meta:
   *
   * Puts each result on its buffer. Without, the buffers pass as they are, and
   * wait for nothing.
   *
   * Since: 0.1
   */
  { "stats-meta", "Statistics meta",
      "Put each result on its buffer as GstClFrameSumMeta",
      GST_CL_PROPERTY_BOOLEAN, FIELD (publisher.stats_meta),
      GST_PARAM_MUTABLE_PLAYING, .boolean = TRUE },

  /**
   * GstClFrameSum:interval:
   *
   * Least running time between two results. 0 sets no limit.
   *
   * Since: 0.1
   */
  { "interval", "Interval",
      "Shortest time from one result to the next, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (interval), GST_PARAM_MUTABLE_PLAYING,
      .u64 = { 0, 0, G_MAXUINT64 } },

  /**
   * GstClFrameSum:frame-interval:
   *
   * Measures one frame of so many.
   *
   * Since: 0.1
   */
  { "frame-interval", "Frame interval", "Frames from one result to the next",
      GST_CL_PROPERTY_UINT, FIELD (frame_interval), GST_PARAM_MUTABLE_PLAYING,
      .u = { 1, 1, G_MAXUINT } },

  /**
   * GstClFrameSum:async-depth:
   *
   * Frames that may wait for their meta while the device works on later ones.
   * It adds as many frames to the latency; 0 waits for each result.
   *
   * Since: 0.2
   */
  { "async-depth", "Asynchronous depth",
      "Frames that may be held back for their meta while the device works; "
      "adds to the latency",
      GST_CL_PROPERTY_UINT, FIELD (async_depth), GST_PARAM_MUTABLE_PLAYING,
      .u = { 0, 0, GST_CL_RESULTS_MAX_DEPTH } },
};

enum {
  PROP_0,
  PROP_RESULTS, /* the first row of results_properties */
  PROP_SETTINGS = PROP_RESULTS + G_N_ELEMENTS (results_properties),
  PROP_EVENTS = PROP_SETTINGS + GST_CL_FRAME_SUM_N_PROPERTIES,
  PROP_LOCATION = PROP_EVENTS + GST_CL_EVENT_N_PROPERTIES,
  PROP_STATS,
};

/* Returns the row of property @id, in one of three tables, and the struct that
 * its field is in. */
static const GstClProperty *
find_row (GstClFrameSum *self, guint id, gpointer *fields)
{
  if (id >= PROP_EVENTS) {
    *fields = &self->settings.event_settings;
    return &gst_cl_event_properties[id - PROP_EVENTS];
  }
  if (id >= PROP_SETTINGS) {
    *fields = &self->settings;
    return &gst_cl_frame_sum_properties[id - PROP_SETTINGS];
  }
  *fields = self;

  return &results_properties[id - PROP_RESULTS];
}

static GstClInPlace *
in_place_of (GstClFrameSum *self)
{
  return gst_cl_base_filter_in_place (GST_CL_BASE_FILTER (self));
}

/* Returns how many frames may be held back: none without a meta, since buffers
 * pass then. object lock held */
static guint
count_held (GstClFrameSum *self)
{
  return self->publisher.stats_meta ? self->async_depth : 0;
}

static void
set_location (GstClFrameSum *self, const GValue *value)
{
  g_free (self->publisher.location);
  self->publisher.location = g_value_dup_string (value);
}

/* GObject calls this for installed and writable properties alone. */
static void
gst_cl_frame_sum_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (object);
  const gboolean is_setting = id >= PROP_SETTINGS && id < PROP_LOCATION;
  const gboolean has_held = g_str_equal (pspec->name, "stats-meta") ||
                            g_str_equal (pspec->name, "async-depth");
  const GstClProperty *row;
  GstClFrameSumSettings settings;
  gpointer fields;
  gboolean passes;
  guint n_held;

  GST_OBJECT_LOCK (self);
  if (id == PROP_LOCATION) {
    set_location (self, value);
  } else {
    row = find_row (self, id, &fields);
    gst_cl_property_set (row, fields, value);
  }
  passes = !self->publisher.stats_meta;
  n_held = count_held (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);

  if (is_setting) {
    gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self));
    gst_cl_watchdog_configure (self->watchdog, settings.events,
        &settings.event_settings);
  }
  if (!has_held)
    return;

  gst_cl_in_place_set_passes (in_place_of (self), GST_BASE_TRANSFORM (self),
      passes);
  gst_cl_in_place_set_held (in_place_of (self), n_held);
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_latency (GST_OBJECT (self)));
}

static void
gst_cl_frame_sum_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (object);
  const GstClProperty *row;
  gpointer fields;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LOCATION:
      g_value_set_string (value, self->publisher.location);
      break;
    case PROP_STATS:
      g_value_set_boxed (value, self->publisher.stats);
      break;
    default:
      row = find_row (self, id, &fields);
      gst_cl_property_get (row, fields, value);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

void
gst_cl_frame_sum_install_properties (GObjectClass *klass)
{
  klass->set_property = gst_cl_frame_sum_set_property;
  klass->get_property = gst_cl_frame_sum_get_property;

  gst_cl_property_install (results_properties,
      G_N_ELEMENTS (results_properties), klass, PROP_RESULTS);
  gst_cl_property_install (gst_cl_frame_sum_properties,
      GST_CL_FRAME_SUM_N_PROPERTIES, klass, PROP_SETTINGS);
  gst_cl_property_install (gst_cl_event_properties, GST_CL_EVENT_N_PROPERTIES,
      klass, PROP_EVENTS);

  /**
   * GstClFrameSum:location:
   *
   * The file, or FIFO, that takes each result and each event as a line of JSON;
   * as a row of values, results alone, if the name ends in `.csv`.
   *
   * Since: 0.3
   */
  g_object_class_install_property (klass, PROP_LOCATION,
      g_param_spec_string ("location", "Location",
          "File that takes each result as a line of JSON (.csv: as a row)",
          NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_READY));

  /**
   * GstClFrameSum:stats:
   *
   * The last result, with the fields of the message; NULL before the first.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics", "The last result",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

void
gst_cl_frame_sum_init_properties (GstClFrameSum *self)
{
  gst_cl_property_init_fields (results_properties,
      G_N_ELEMENTS (results_properties), self);
  gst_cl_frame_sum_settings_init (&self->settings);
  self->snapshot = self->settings;
  gst_cl_in_place_set_passes (in_place_of (self), GST_BASE_TRANSFORM (self),
      !self->publisher.stats_meta);
}

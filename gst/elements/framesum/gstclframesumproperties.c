/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of clframesum. */

#include "gstclframesumprivate.h"

enum {
  PROP_0,
  PROP_DELIVERY, /* the first row of its table, like the next two */
  PROP_SETTINGS = PROP_DELIVERY + GST_CL_FRAME_SUM_N_DELIVERY_PROPERTIES,
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
  *fields = &self->settings.delivery;

  return &gst_cl_frame_sum_delivery_properties[id - PROP_DELIVERY];
}

/* Returns how many frames may be held back: none without a meta, since buffers
 * pass then. object lock held */
static guint
count_held (GstClFrameSum *self)
{
  const GstClFrameSumDelivery *delivery = &self->settings.delivery;

  return delivery->stats_meta ? delivery->async_depth : 0;
}

static void
set_location (GstClFrameSum *self, const GValue *value)
{
  gst_cl_publisher_set_location (self->publisher, g_value_get_string (value));
}

static GstClChange
set_field (GstClFrameSum *self, guint id, const GValue *value)
{
  const GstClProperty *row;
  GstClChange change;
  gpointer fields;

  GST_OBJECT_LOCK (self);
  row = find_row (self, id, &fields);
  change = gst_cl_property_set (row, fields, value);
  gst_cl_in_place_set_held (
      gst_cl_base_filter_in_place (GST_CL_BASE_FILTER (self)),
      count_held (self));
  GST_OBJECT_UNLOCK (self);

  return change;
}

/* Sets a property about what is measured or judged. */
static void
set_setting (GstClFrameSum *self, guint id, const GValue *value)
{
  GstClChange change;

  g_mutex_lock (&self->watchdog_lock);
  change = set_field (self, id, value);
  gst_cl_watchdog_configure (self->watchdog, self->settings.events,
      &self->settings.event_settings);
  g_mutex_unlock (&self->watchdog_lock);

  gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self), change);
  gst_cl_publisher_post_queued (self->publisher);
}

/* Sets a property about where results go. */
static void
set_delivery (GstClFrameSum *self, guint id, const GValue *value,
    const gchar *name)
{
  const GstClChange change = set_field (self, id, value);

  gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self), change);
  if (g_str_equal (name, "stats-meta") || g_str_equal (name, "async-depth"))
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
}

/* GObject calls this for installed and writable properties alone. */
static void
gst_cl_frame_sum_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (object);

  if (id >= PROP_LOCATION)
    set_location (self, value);
  else if (id >= PROP_SETTINGS)
    set_setting (self, id, value);
  else
    set_delivery (self, id, value, pspec->name);
}

static void
gst_cl_frame_sum_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (object);
  const GstClProperty *row;
  gpointer fields;

  switch (id) {
    case PROP_LOCATION:
      g_value_take_string (value,
          gst_cl_publisher_dup_location (self->publisher));
      break;
    case PROP_STATS:
      g_value_take_boxed (value, gst_cl_publisher_dup_stats (self->publisher));
      break;
    default:
      GST_OBJECT_LOCK (self);
      row = find_row (self, id, &fields);
      gst_cl_property_get (row, fields, value);
      GST_OBJECT_UNLOCK (self);
      break;
  }
}

void
gst_cl_frame_sum_install_properties (GObjectClass *klass)
{
  klass->set_property = gst_cl_frame_sum_set_property;
  klass->get_property = gst_cl_frame_sum_get_property;

  gst_cl_property_install (gst_cl_frame_sum_delivery_properties,
      GST_CL_FRAME_SUM_N_DELIVERY_PROPERTIES, klass, PROP_DELIVERY);
  gst_cl_property_install (gst_cl_frame_sum_properties,
      GST_CL_FRAME_SUM_N_PROPERTIES, klass, PROP_SETTINGS);
  gst_cl_property_install (gst_cl_event_properties, GST_CL_EVENT_N_PROPERTIES,
      klass, PROP_EVENTS);

  /**
   * GstClFrameSum:location:
   *
   * The file, or FIFO, for results and events, one line of JSON each; if the
   * name ends in `.csv`, for results only, one row each.
   *
   * Since: 0.3
   */
  g_object_class_install_property (klass, PROP_LOCATION,
      g_param_spec_string ("location", "Location",
          "File for the results, one line of JSON each (.csv: one row)", NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_READY));

  /**
   * GstClFrameSum:stats:
   *
   * The last result, with the fields of the message; NULL before the first
   * result.
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
  gst_cl_frame_sum_settings_init (&self->settings);
  self->snapshot = self->settings;
}

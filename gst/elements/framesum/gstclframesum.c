/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clframesum
 * @title: clframesum
 * @short_description: statistics of every frame, computed on an OpenCL device
 *
 * Measures each video frame and passes it on unchanged: moments, range,
 * histogram, percentiles and entropy of every component, the difference to the
 * previous frame, saturation and hue, and the other keys of FFmpeg's
 * signalstats; of the frame, of zones and of regions of interest.
 *
 * Results are an element message named `clframesum`, the custom meta
 * `GstClFrameSumMeta` on the buffer, the property `stats`, and lines of the
 * file `location`. All have the same fields, which
 * [docs/statistics.md](docs/statistics.md) lists: `timestamp`, `stream-time`,
 * `running-time`, `duration`, `frame` (uint64), `element`, the name of the
 * element (string), `width`, `height`, `depth` (int), `format` (string),
 * `components` (array of string), and the fields of `statistics`, most of them
 * arrays with one value per component. A buffer has one meta: after two
 * clframesum, it has the result of the second, and the result of the first in
 * the array `earlier`.
 *
 * With `events`, the element posts messages named `clframesum-event`
 * ([docs/events.md](docs/events.md)). At EOS, `clframesum-pooled` has the
 * statistics of the whole stream.
 *
 * With a meta, a frame waits for its result; `async-depth` allows the device to
 * work on later frames during this wait, which adds latency. By default two
 * frames wait if the pipeline is not live, and none if it is. If no frame
 * follows, they leave when their results are ready. Without a meta
 * (`stats-meta=false`), frames pass at once and messages follow. With
 * `analytics-meta`, a frame also has events and numbers as metas of
 * GstAnalytics.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m videotestsrc num-buffers=5 ! clframesum ! fakesink
 * ]|
 * prints the statistics of five frames as messages.
 *
 * Since: 0.1
 */

#include "gstclframesum.h"

#include "gstclanalytics.h"
#include "gstclidle.h"
#include "gstclinterval.h"
#include "gstclpublisher.h"
#include "gstclresults.h"
#include "gstclseriesinput.h"
#include "gstclwatchdog.h"
#include "cl/video/gstclformat.h"
#include "elements/base/gstclcaps.h"
#include "statistics/cells/gstclcard.h"

GST_DEBUG_CATEGORY (gst_cl_frame_sum_debug);
#define GST_CAT_DEFAULT gst_cl_frame_sum_debug

/* --- type ---------------------------------------------------------------- */

struct _GstClFrameSum {
  GstClBaseFilter parent;

  /* Held while an event property is set and the watchdog is configured, so that
   * the last of several threads determines both. Taken before the object lock;
   * no message is posted under it. */
  GMutex watchdog_lock;

  /* properties, protected by the object lock; those that configure the watchdog
   * are written under watchdog_lock, too */
  GstClFrameSumSettings settings;
  GstClFrameSumSettings snapshot; /* copy of settings, for caps and frames */
  gboolean is_live; /* upstream's last answer; no answer counts as live */

  gint must_ask; /* atomic: is_live may have changed */

  GstClPublisher *publisher; /* exists as long as the element */
  GstClWatchdog *watchdog;   /* exists as long as the element */

  /* stream lock of the sink pad; NULL unless started */
  GstClResults *results;
  GstClInterval turn;
  GstClIdle *idle;
  GstFlowReturn flow;      /* of the last frame */
  GstFlowReturn idle_flow; /* of frames pushed since; the next frame returns it
                            */
  guint n_flushes, n_flushes_before; /* now; at the frame */

  GstPadChainFunction chain; /* the parent's */
};

G_DEFINE_TYPE (GstClFrameSum, gst_cl_frame_sum, GST_TYPE_CL_BASE_FILTER)
GST_ELEMENT_REGISTER_DEFINE (clframesum, "clframesum", GST_RANK_NONE,
    GST_TYPE_CL_FRAME_SUM)

/* --- properties ---------------------------------------------------------- */

enum {
  PROP_0,
  PROP_DELIVERY, /* the first row of its table, as the next two */
  PROP_SETTINGS = PROP_DELIVERY + GST_CL_FRAME_SUM_N_DELIVERY_PROPERTIES,
  PROP_EVENTS = PROP_SETTINGS + GST_CL_FRAME_SUM_N_PROPERTIES,
  PROP_LOCATION = PROP_EVENTS + GST_CL_EVENT_N_PROPERTIES,
  PROP_STATS,
};

/* Returns the row of property @id, in one of three tables, and sets *fields
 * to the struct with its field. */
static const GstClProperty *
find_row (GstClFrameSum *self, guint id, gpointer *fields)
{
  if (id >= PROP_EVENTS) {
    *fields = &self->settings.event_settings;
    return gst_cl_event_property (id - PROP_EVENTS);
  }
  if (id >= PROP_SETTINGS) {
    *fields = &self->settings;
    return &gst_cl_frame_sum_properties[id - PROP_SETTINGS];
  }
  *fields = &self->settings.delivery;

  return &gst_cl_frame_sum_delivery_properties[id - PROP_DELIVERY];
}

/* Sets how many frames may be delayed: none without a meta, because buffers
 * then pass at once. object lock held */
static void
update_held (GstClFrameSum *self)
{
  const GstClFrameSumDelivery *delivery = &self->settings.delivery;
  const gboolean has_meta = gst_cl_frame_sum_delivery_has_meta (delivery);
  guint n_held = 0;

  if (has_meta && delivery->async_depth != GST_CL_FRAME_SUM_AUTO_DEPTH)
    n_held = (guint) delivery->async_depth;
  else if (has_meta && !self->is_live)
    n_held = GST_CL_FRAME_SUM_AUTO_DELAYED;
  gst_cl_in_place_set_held (
      gst_cl_base_filter_in_place (GST_CL_BASE_FILTER (self)), n_held);
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
  update_held (self);
  GST_OBJECT_UNLOCK (self);

  return change;
}

/* Sets a property about what is measured or detected. */
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
  if (g_str_has_suffix (name, "-meta") || g_str_equal (name, "async-depth"))
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
}

/* GObject calls this for installed, writable properties only. */
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

static void
install_properties (GObjectClass *klass)
{
  klass->set_property = gst_cl_frame_sum_set_property;
  klass->get_property = gst_cl_frame_sum_get_property;

  gst_cl_property_install (gst_cl_frame_sum_delivery_properties,
      GST_CL_FRAME_SUM_N_DELIVERY_PROPERTIES, klass, PROP_DELIVERY);
  gst_cl_property_install (gst_cl_frame_sum_properties,
      GST_CL_FRAME_SUM_N_PROPERTIES, klass, PROP_SETTINGS);
  for (guint i = 0; i < GST_CL_EVENT_N_PROPERTIES; i++)
    gst_cl_property_install (gst_cl_event_property (i), 1, klass,
        PROP_EVENTS + i);

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

/* Sets all properties to their defaults. The watchdog must exist. */
static void
init_properties (GstClFrameSum *self)
{
  gst_cl_frame_sum_settings_init (&self->settings);
  self->is_live = TRUE;
  self->snapshot = self->settings;
}

/* --- negotiation --------------------------------------------------------- */

static void
gst_cl_frame_sum_take_settings (GstClBaseFilter *filter)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (filter);

  self->snapshot = self->settings;
  gst_cl_in_place_set_passes (gst_cl_base_filter_in_place (filter),
      !gst_cl_frame_sum_delivery_has_meta (&self->snapshot.delivery));
}

/* Returns the events to detect in zones. */
static GstClEventType
zone_types (const GstClFrameSumSettings *settings)
{
  return settings->zone_events ? settings->events & gst_cl_events_of_zones ()
                               : 0;
}

/* Returns what events, and light of the active area, need. */
static GstClStatistics
find_extra (const GstClFrameSumSettings *settings)
{
  const gboolean has_detection = settings->zone_events &&
                                 (settings->statistics &
                                     GST_CL_STATISTIC (DETECTION));
  const gboolean has_area = settings->light_area == GST_CL_LIGHT_AREA_ACTIVE &&
                            (settings->statistics & GST_CL_STATISTIC (LIGHT));

  /* lines have the input of all detectors */
  const GstClStatistics of_zones = gst_cl_events_needs (
      has_detection ? gst_cl_events_of_zones () : zone_types (settings));

  return gst_cl_events_needs (settings->events) |
         (of_zones & GST_CL_STATISTIC (STILLNESS)
                 ? GST_CL_STATISTIC (ZONE_STILLNESS)
                 : 0) |
         (has_area ? GST_CL_STATISTIC (PROFILES) : 0);
}

/* Applies the types of events from the next frame on. Pending frames were
 * measured for the old ones. */
static void
configure_events (GstClFrameSum *self, const GstClFrameSumSettings *settings)
{
  const GstClEventType of_zones = zone_types (settings);

  if (gst_cl_publisher_has_events (self->publisher, settings->events, of_zones))
    return;

  /* frames left over from a flush are not analyzed */
  if (!gst_cl_results_wait_analyzed (self->results))
    gst_cl_publisher_reset (self->publisher);
  gst_cl_publisher_set_events (self->publisher, settings->events, of_zones);
}

/* Keeps the current measurement if only regions have changed. Returns FALSE
 * without @error if a new one is needed. */
static gboolean
adjust (GstClFrameSum *self, const GstClFrameSumSettings *settings,
    GError **error)
{
  GstClMeasurement *measurement = gst_cl_results_measurement (self->results);

  return measurement &&
         !gst_cl_base_filter_may_measure (GST_CL_BASE_FILTER (self)) &&
         gst_cl_measurement_adjust (measurement, settings,
             find_extra (settings), error);
}

static gboolean
gst_cl_frame_sum_configure (GstClBaseFilter *filter, GstCaps *in, GstCaps *out,
    GError **error)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (filter);
  g_autoptr (GError) failure = NULL;
  GstClMeasurement *measurement;
  GstClFrameSumSettings settings;

  GST_OBJECT_LOCK (self);
  settings = self->snapshot;
  GST_OBJECT_UNLOCK (self);

  if (settings.delivery.analytics_meta && !gst_cl_analytics_check (error))
    return FALSE;
  if ((settings.events & GST_CL_EVENT_CARD) &&
      settings.event_settings.card_file &&
      !gst_cl_cards_load (settings.event_settings.card_file, error))
    return FALSE;
  if (!adjust (self, &settings, &failure)) {
    if (failure) {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
    measurement = gst_cl_measurement_new (gst_cl_base_filter_context (filter),
        in, &settings, find_extra (&settings),
        gst_cl_base_filter_may_measure (filter), error);
    if (!measurement)
      return FALSE;
    gst_cl_results_set_measurement (self->results, measurement);
  }
  configure_events (self, &settings);

  return TRUE;
}

/* --- liveness ------------------------------------------------------------ */

/* Returns TRUE if the number of delayed frames, and so the latency, has
 * changed. */
static gboolean
set_live (GstClFrameSum *self, gboolean is_live)
{
  GstClInPlace *in_place = gst_cl_base_filter_in_place (
      GST_CL_BASE_FILTER (self));
  gboolean has_changed;
  guint n_before;

  GST_OBJECT_LOCK (self);
  n_before = gst_cl_in_place_held (in_place);
  self->is_live = is_live;
  update_held (self);
  has_changed = gst_cl_in_place_held (in_place) != n_before;
  GST_OBJECT_UNLOCK (self);

  return has_changed;
}

/* Asks upstream whether it is live, if the answer may have changed: after caps,
 * a segment or RECONFIGURE, and if a LATENCY query has got another answer.
 * Streaming thread, before a frame is delayed and before upstream is asked for
 * buffers. */
static void
update_liveness (GstClFrameSum *self)
{
  g_autoptr (GstQuery) query = NULL;
  gboolean is_live = TRUE;

  if (!g_atomic_int_compare_and_exchange (&self->must_ask, TRUE, FALSE))
    return;

  query = gst_query_new_latency ();
  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (self), query))
    gst_query_parse_latency (query, &is_live, NULL, NULL);
  GST_DEBUG_OBJECT (self, "upstream is %slive", is_live ? "" : "not ");
  if (set_live (self, is_live))
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
}

/* Adds the delayed frames to the answer of upstream. The streaming thread asks
 * again if the answer is not the one that it has. Any thread. */
static void
add_latency (GstClFrameSum *self, GstQuery *query)
{
  gboolean is_live, was_live;

  gst_query_parse_latency (query, &is_live, NULL, NULL);
  GST_OBJECT_LOCK (self);
  was_live = self->is_live;
  GST_OBJECT_UNLOCK (self);
  if (!is_live != !was_live)
    g_atomic_int_set (&self->must_ask, TRUE);
  gst_cl_in_place_add_latency (
      gst_cl_base_filter_in_place (GST_CL_BASE_FILTER (self)),
      GST_BASE_TRANSFORM (self), query);
}

/* --- processing ---------------------------------------------------------- */

/* Returns TRUE if a flush has ended since the current frame arrived; the frame
 * must then be dropped. The thread that processes the frame may have caused the
 * flush itself, in a handler of one of the element's messages. */
static gboolean
was_flushed (GstClFrameSum *self)
{
  return self->n_flushes != self->n_flushes_before;
}

static gboolean
gst_cl_frame_sum_process (GstClBaseFilter *filter, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, GError **error)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (filter);
  const GstClFrameSumSettings *settings = &self->snapshot;
  GstClFrameOrder order = {
    .event_settings = settings->event_settings,
    .delivery = settings->delivery,
  };

  if (was_flushed (self))
    return TRUE;

  gst_cl_frame_time_init (&order.time, &GST_BASE_TRANSFORM (self)->segment, out,
      self->turn.n_frames);
  gst_cl_watchdog_receive (self->watchdog, &order.time);
  if (was_flushed (self) ||
      !gst_cl_interval_next (&self->turn, order.time.running_time,
          order.delivery.interval, order.delivery.frame_interval))
    return TRUE;

  return gst_cl_results_measure (self->results, frames, out, &order, error);
}

/* Includes the whole processing by the parent class and by elements downstream:
 * that time is not a signal loss. */
static GstFlowReturn
gst_cl_frame_sum_chain (GstPad *pad, GstObject *parent, GstBuffer *in)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (parent);

  gst_cl_idle_end (self->idle);
  gst_cl_watchdog_begin_work (self->watchdog);
  self->n_flushes_before = self->n_flushes;
  update_liveness (self);
  self->flow = self->idle_flow;
  self->idle_flow = GST_FLOW_OK;
  if (self->flow == GST_FLOW_OK)
    self->flow = self->chain (pad, parent, in);
  else
    gst_buffer_unref (in);
  if (self->flow <= GST_FLOW_NOT_NEGOTIATED)
    gst_cl_publisher_mark_incomplete (self->publisher,
        gst_cl_publisher_epoch (self->publisher));
  gst_cl_watchdog_end_work (self->watchdog);
  if (gst_cl_results_has_delayed (self->results))
    gst_cl_idle_begin (self->idle);

  return self->flow;
}

/* Sets *buffer to the next buffer to push, or to NULL. @flow: of @buffer.
 * Returns GST_FLOW_ERROR if the file could not be written. */
static GstFlowReturn
check_published (GstClFrameSum *self, GstFlowReturn flow, GstBuffer **buffer)
{
  if (flow != GST_FLOW_OK ||
      !gst_cl_publisher_has_posted_failure (self->publisher))
    return flow;

  gst_clear_buffer (buffer);

  return GST_FLOW_ERROR;
}

/* A frame without a meta passes at once and its result follows; a frame with a
 * meta waits for its result. */
static GstFlowReturn
gst_cl_frame_sum_generate_output (GstBaseTransform *trans, GstBuffer **out)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (trans);
  GstFlowReturn flow;

  flow = GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)
             ->generate_output (trans, out);
  if (flow != GST_FLOW_OK)
    return flow;
  if (was_flushed (self)) {
    gst_clear_buffer (out);
    return GST_FLOW_OK;
  }

  flow = gst_cl_results_route (self->results, &self->snapshot.delivery, out);

  return check_published (self, flow, out);
}

/* Pushes the delayed frames that the device has finished. Returns TRUE if
 * others are delayed. Stream lock held. */
static gboolean
push_ready (GstClFrameSum *self)
{
  const guint n_flushes = self->n_flushes;
  GstFlowReturn flow;
  GstBuffer *buffer;

  do {
    flow = gst_cl_results_pop_ready (self->results, &buffer);
    flow = check_published (self, flow, &buffer);
    if (buffer)
      flow = gst_pad_push (GST_BASE_TRANSFORM_SRC_PAD (self), buffer);
  } while (buffer && flow == GST_FLOW_OK);
  /* a handler downstream may have flushed in this thread */
  if (flow != GST_FLOW_OK && self->n_flushes == n_flushes)
    self->flow = self->idle_flow = flow;

  return gst_cl_results_has_delayed (self->results);
}

/* Pushes delayed frames if no frame follows. Time spent downstream is not a
 * signal loss. */
static gboolean
handle_idle (gpointer user_data)
{
  GstClFrameSum *self = user_data;
  GstPad *sink = GST_BASE_TRANSFORM_SINK_PAD (self);
  gboolean is_left = FALSE;

  if (!GST_PAD_STREAM_TRYLOCK (sink))
    return TRUE;

  if (self->results) {
    gst_cl_watchdog_begin_work (self->watchdog);
    is_left = push_ready (self);
    gst_cl_watchdog_end_work (self->watchdog);
  }
  GST_PAD_STREAM_UNLOCK (sink);

  return is_left;
}

/* --- events and queries -------------------------------------------------- */

/* Posts the ends of open events and the pooled result. */
static void
finish (GstClFrameSum *self, gboolean is_complete)
{
  gst_cl_watchdog_finish (self->watchdog);
  gst_cl_publisher_finish (self->publisher, is_complete);
}

static gboolean
is_error (GstFlowReturn flow)
{
  return flow != GST_FLOW_OK && flow != GST_FLOW_EOS;
}

/* Returns TRUE after an error in this element or downstream. Sources send EOS
 * after errors, too. */
static gboolean
has_failed (GstClFrameSum *self)
{
  return is_error (self->flow) || is_error (GST_PAD_LAST_FLOW_RETURN (
                                      GST_BASE_TRANSFORM_SRC_PAD (self)));
}

/* Runs in any thread at any time, even while the results are being freed. */
static void
begin_flush (GstClFrameSum *self)
{
  GST_OBJECT_LOCK (self);
  if (self->results)
    gst_cl_results_begin_flush (self->results);
  GST_OBJECT_UNLOCK (self);
  gst_cl_publisher_set_flushing (self->publisher, TRUE);
}

/* Pushes the delayed frames before @event; after a flush there are none. */
static void
prepare_for (GstClFrameSum *self, GstEvent *event)
{
  gboolean is_flushed = FALSE;

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START) {
    begin_flush (self);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    if (self->results)
      gst_cl_results_end_flush (self->results);
    self->n_flushes++;
    gst_cl_interval_restart (&self->turn);
    gst_cl_publisher_reset (self->publisher);
    gst_cl_watchdog_reset (self->watchdog);
    gst_cl_publisher_set_flushing (self->publisher, FALSE);
    self->flow = self->idle_flow = GST_FLOW_OK;
  } else if (GST_EVENT_IS_SERIALIZED (event)) {
    is_flushed = !gst_cl_results_drain (self->results,
        GST_BASE_TRANSFORM_SRC_PAD (self));
  }
  if (!is_flushed && (GST_EVENT_TYPE (event) == GST_EVENT_EOS ||
                         GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE)) {
    finish (self, !has_failed (self));
    /* an application that receives EOS has received all messages of the stream
     */
    gst_cl_publisher_wait_posted (self->publisher);
  }
}

/* Time spent on events is not a signal loss: new caps may take long because
 * kernels are compiled, and elements downstream may block any serialized event.
 */
static gboolean
gst_cl_frame_sum_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (trans);
  const gboolean is_serialized = GST_EVENT_IS_SERIALIZED (event);
  gboolean is_handled;

  if (is_serialized)
    gst_cl_watchdog_begin_work (self->watchdog);
  prepare_for (self, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS ||
      GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    g_atomic_int_set (&self->must_ask, TRUE);
  is_handled = GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)
                   ->sink_event (trans, event);
  if (is_serialized)
    gst_cl_watchdog_end_work (self->watchdog);

  return is_handled;
}

static gboolean
gst_cl_frame_sum_src_event (GstBaseTransform *trans, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE)
    g_atomic_int_set (&GST_CL_FRAME_SUM (trans)->must_ask, TRUE);

  return GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)
      ->src_event (trans, event);
}

/* A serialized query waits for earlier frames, and elements downstream may
 * block it: that time is not a signal loss. */
static gboolean
gst_cl_frame_sum_query (GstBaseTransform *trans, GstPadDirection direction,
    GstQuery *query)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (trans);
  const gboolean is_serialized = direction == GST_PAD_SINK &&
                                 GST_QUERY_IS_SERIALIZED (query);
  gboolean answered;

  if (is_serialized)
    gst_cl_watchdog_begin_work (self->watchdog);
  /* a query may arrive before start() and after stop() */
  if (is_serialized && self->results)
    gst_cl_results_drain (self->results, trans->srcpad);
  if (is_serialized && GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    update_liveness (self);
  answered = GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)
                 ->query (trans, direction, query);
  if (is_serialized)
    gst_cl_watchdog_end_work (self->watchdog);
  if (answered && direction == GST_PAD_SRC &&
      GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    add_latency (self, query);

  return answered;
}

/* --- life cycle ---------------------------------------------------------- */

static gboolean
gst_cl_frame_sum_start (GstBaseTransform *trans)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (trans);

  g_atomic_int_set (&self->must_ask, TRUE);
  gst_cl_interval_restart (&self->turn);
  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)->start (trans))
    return FALSE;
  if (!gst_cl_publisher_start (self->publisher)) {
    GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)->stop (trans);
    return FALSE;
  }

  self->flow = self->idle_flow = GST_FLOW_OK;
  gst_cl_publisher_reset (self->publisher);
  self->idle = gst_cl_idle_new (handle_idle, self);
  self->results = gst_cl_results_new (GST_CL_BASE_FILTER (self),
      self->publisher);
  gst_cl_watchdog_start (self->watchdog);

  return TRUE;
}

static gboolean
gst_cl_frame_sum_stop (GstBaseTransform *trans)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (trans);
  GstClResults *results;

  /* a serialized query uses the results under the stream lock */
  GST_PAD_STREAM_LOCK (trans->sinkpad);
  GST_OBJECT_LOCK (self);
  results = g_steal_pointer (&self->results);
  GST_OBJECT_UNLOCK (self);
  GST_PAD_STREAM_UNLOCK (trans->sinkpad);

  g_clear_pointer (&self->idle, gst_cl_idle_free);
  gst_cl_results_free (results);
  finish (self, FALSE);
  gst_cl_watchdog_stop (self->watchdog);
  gst_cl_publisher_stop (self->publisher);
  set_live (self, TRUE);

  return GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)->stop (trans);
}

/* The watchdog has a clock only in PLAYING. Threads that wait for the reader of
 * the file must return before pads can be deactivated. */
static GstStateChangeReturn
gst_cl_frame_sum_change_state (GstElement *element, GstStateChange transition)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (element);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    gst_cl_watchdog_play (self->watchdog);
  else if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    gst_cl_watchdog_pause (self->watchdog);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_cl_publisher_cancel_waits (self->publisher);

  return GST_ELEMENT_CLASS (gst_cl_frame_sum_parent_class)
      ->change_state (element, transition);
}

static gboolean
gst_cl_frame_sum_set_clock (GstElement *element, GstClock *clock)
{
  GstElementClass *parent = GST_ELEMENT_CLASS (gst_cl_frame_sum_parent_class);

  gst_cl_watchdog_set_clock (GST_CL_FRAME_SUM (element)->watchdog, clock);

  return !parent->set_clock || parent->set_clock (element, clock);
}

static void
gst_cl_frame_sum_finalize (GObject *object)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (object);

  gst_cl_watchdog_free (self->watchdog);
  gst_cl_publisher_free (self->publisher);
  g_mutex_clear (&self->watchdog_lock);

  G_OBJECT_CLASS (gst_cl_frame_sum_parent_class)->finalize (object);
}

static void
gst_cl_frame_sum_init (GstClFrameSum *self)
{
  GstElement *element = GST_ELEMENT (self);
  GstPad *sink = GST_BASE_TRANSFORM_SINK_PAD (self);

  g_mutex_init (&self->watchdog_lock);
  self->chain = GST_PAD_CHAINFUNC (sink);
  gst_pad_set_chain_function (sink, gst_cl_frame_sum_chain);
  self->publisher = gst_cl_publisher_new (element);
  self->watchdog = gst_cl_watchdog_new (element, self->publisher);
  gst_cl_interval_restart (&self->turn);
  init_properties (self);
}

static void
gst_cl_frame_sum_class_init (GstClFrameSumClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstClBaseFilterClass *filter_class = GST_CL_BASE_FILTER_CLASS (klass);
  g_autoptr (GstCaps) caps = gst_cl_format_make_caps ();

  GST_DEBUG_CATEGORY_INIT (gst_cl_frame_sum_debug, "clframesum", 0,
      "OpenCL frame statistics");

  object_class->finalize = gst_cl_frame_sum_finalize;
  trans_class->start = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_stop);
  element_class->change_state = GST_DEBUG_FUNCPTR (
      gst_cl_frame_sum_change_state);
  element_class->set_clock = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_set_clock);
  trans_class->generate_output = GST_DEBUG_FUNCPTR (
      gst_cl_frame_sum_generate_output);
  trans_class->query = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_query);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_sink_event);
  trans_class->src_event = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_src_event);
  filter_class->works_in_place = TRUE;
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (
      gst_cl_base_filter_transform_ip);
  filter_class->take_settings = GST_DEBUG_FUNCPTR (
      gst_cl_frame_sum_take_settings);
  filter_class->configure = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_configure);
  filter_class->process = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_process);

  install_properties (object_class);
  gst_cl_caps_add_templates (element_class, caps, caps, TRUE, TRUE);
  gst_element_class_set_static_metadata (element_class,
      "OpenCL frame statistics", "Filter/Analyzer/Video",
      "Computes statistics of every frame on an OpenCL device",
      "The gst-opencl authors");

  gst_cl_publisher_register_meta ();
  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&gst_cl_statistics_enum),
      0);
  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&gst_cl_events_enum), 0);
  gst_type_mark_as_plugin_api (
      gst_cl_enum_get_type (&gst_cl_light_transfer_enum), 0);
  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&gst_cl_light_area_enum),
      0);
  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&gst_cl_reduction_enum),
      0);
  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&gst_cl_key_style_enum),
      0);
}

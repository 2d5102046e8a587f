/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clframesum
 * @title: clframesum
 * @short_description: statistics of every frame, computed on an OpenCL device
 *
 * Measures each video frame and lets it pass untouched: the moments, range,
 * histogram, percentiles and entropy of every component, the difference to the
 * previous frame, saturation and hue, and what FFmpeg's signalstats knows beside;
 * of the frame, of zones and of regions of interest.
 *
 * The results are posted as an element message named `clframesum`, put on the
 * buffer as the custom meta `GstClFrameSumMeta`, kept in the property `stats`,
 * and written to the file `location`; all carry the same fields, which
 * docs/statistics.md lists: `timestamp`, `stream-time`, `running-time`,
 * `duration`, `frame` (uint64), `width`, `height`, `depth` (int), `format`
 * (string), `components` (array of string), and those that `statistics` asks for,
 * most of them arrays of one value a component.
 *
 * With a meta a frame waits for its result; `async-depth` lets so many later
 * frames be worked on meanwhile, at the price of latency. Without
 * (`stats-meta=false`) frames pass at once and messages follow.
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

#include "cl/gstclformat.h"
#include "gstclcaps.h"
#include "gstclenums.h"
#include "gstclinterval.h"
#include "gstclpublisher.h"
#include "gstclresults.h"

GST_DEBUG_CATEGORY (gst_cl_frame_sum_debug);
#define GST_CAT_DEFAULT gst_cl_frame_sum_debug

#define MESSAGE_NAME "clframesum"

/* --- type ---------------------------------------------------------------- */

struct _GstClFrameSum {
  GstClBaseFilter parent;

  /* properties, under the object lock */
  GstClFrameSumSettings settings;
  guint64 interval;     /* nanoseconds */
  guint frame_interval; /* frames */
  guint async_depth;    /* frames */

  GstClPublisher publisher;

  /* streaming thread; NULL unless started */
  GstClResults *results;
  GstClInterval turn;
};

G_DEFINE_TYPE (GstClFrameSum, gst_cl_frame_sum, GST_TYPE_CL_BASE_FILTER)
GST_ELEMENT_REGISTER_DEFINE (clframesum, "clframesum", GST_RANK_NONE,
    GST_TYPE_CL_FRAME_SUM)

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

/* --- results ------------------------------------------------------------- */

static void
publish (GstClBaseFilter *filter, GstBuffer *buffer, GstStructure *structure)
{
  gst_cl_publisher_publish (&GST_CL_FRAME_SUM (filter)->publisher,
      GST_ELEMENT (filter), buffer, structure);
}

/* --- negotiation --------------------------------------------------------- */

/* Without a new op where only regions have changed. FALSE without @error: it
 * takes one. */
static gboolean
adjust (GstClFrameSum *self, const GstClFrameSumSettings *settings,
    GError **error)
{
  GstClMeasurement *measurement = gst_cl_results_measurement (self->results);

  return measurement &&
         !gst_cl_base_filter_may_measure (GST_CL_BASE_FILTER (self)) &&
         gst_cl_measurement_adjust (measurement, settings, error);
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
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);

  if (adjust (self, &settings, &failure))
    return TRUE;
  if (failure) {
    g_propagate_error (error, g_steal_pointer (&failure));
    return FALSE;
  }

  measurement = gst_cl_measurement_new (gst_cl_base_filter_context (filter), in,
      &settings, error);
  if (!measurement)
    return FALSE;

  gst_cl_results_set_measurement (self->results, measurement);

  return TRUE;
}

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

/* --- processing ---------------------------------------------------------- */

static gboolean
gst_cl_frame_sum_process (GstClBaseFilter *filter, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, GError **error)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (filter);
  GstClStatisticsTime time;
  guint64 interval;
  guint frame_interval;

  GST_OBJECT_LOCK (self);
  interval = self->interval;
  frame_interval = self->frame_interval;
  GST_OBJECT_UNLOCK (self);

  gst_cl_statistics_get_time (&time, &GST_BASE_TRANSFORM (self)->segment, out,
      self->turn.n_frames);
  if (!gst_cl_interval_next (&self->turn, time.running_time, interval,
          frame_interval))
    return TRUE;

  return gst_cl_results_measure (self->results, frames, out, &time, error);
}

/* Without a meta the frame passes and its result follows, else both wait. */
static GstFlowReturn
gst_cl_frame_sum_generate_output (GstBaseTransform *trans, GstBuffer **out)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (trans);
  GstFlowReturn flow;
  guint depth;

  flow = GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)
             ->generate_output (trans, out);
  if (flow != GST_FLOW_OK)
    return flow;

  GST_OBJECT_LOCK (self);
  depth = self->async_depth;
  GST_OBJECT_UNLOCK (self);

  flow = gst_cl_results_route (self->results,
      gst_cl_in_place_passes (in_place_of (self)), depth, out);
  if (flow == GST_FLOW_OK && gst_cl_publisher_has_failed (&self->publisher)) {
    gst_clear_buffer (out);
    flow = GST_FLOW_ERROR;
  }

  return flow;
}

/* --- events and queries -------------------------------------------------- */

/* What is held back goes first; after a flush it is gone. */
static gboolean
gst_cl_frame_sum_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    gst_cl_results_flush (self->results);
    gst_cl_interval_restart (&self->turn);
  } else if (GST_EVENT_IS_SERIALIZED (event)) {
    gst_cl_results_drain (self->results, trans->srcpad);
  }

  return GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)
      ->sink_event (trans, event);
}

static gboolean
gst_cl_frame_sum_query (GstBaseTransform *trans, GstPadDirection direction,
    GstQuery *query)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (trans);
  gboolean answered;

  if (direction == GST_PAD_SINK && GST_QUERY_IS_SERIALIZED (query))
    gst_cl_results_drain (self->results, trans->srcpad);

  answered = GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)
                 ->query (trans, direction, query);
  if (answered && direction == GST_PAD_SRC &&
      GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    gst_cl_in_place_add_latency (in_place_of (self), trans, query);

  return answered;
}

/* --- properties ---------------------------------------------------------- */

static void
gst_cl_frame_sum_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (object);
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
  GST_OBJECT_UNLOCK (self);

  if (id >= PROP_SETTINGS)
    gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self));
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

/* --- life cycle ---------------------------------------------------------- */

static gboolean
gst_cl_frame_sum_start (GstBaseTransform *trans)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (trans);

  gst_cl_interval_restart (&self->turn);
  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)->start (trans))
    return FALSE;
  if (!gst_cl_publisher_start (&self->publisher, GST_ELEMENT (self))) {
    GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)->stop (trans);
    return FALSE;
  }

  self->results = gst_cl_results_new (GST_CL_BASE_FILTER (self), MESSAGE_NAME,
      publish);

  return TRUE;
}

static gboolean
gst_cl_frame_sum_stop (GstBaseTransform *trans)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (trans);

  g_clear_pointer (&self->results, gst_cl_results_free);
  gst_cl_publisher_stop (&self->publisher, GST_ELEMENT (self));

  return GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)->stop (trans);
}

static void
gst_cl_frame_sum_finalize (GObject *object)
{
  gst_cl_publisher_clear (&GST_CL_FRAME_SUM (object)->publisher);

  G_OBJECT_CLASS (gst_cl_frame_sum_parent_class)->finalize (object);
}

static void
gst_cl_frame_sum_init (GstClFrameSum *self)
{
  gst_cl_frame_sum_settings_init (&self->settings);
  self->publisher.post_messages = DEFAULT_POST_MESSAGES;
  self->publisher.stats_meta = DEFAULT_STATS_META;
  self->interval = DEFAULT_INTERVAL;
  self->frame_interval = DEFAULT_FRAME_INTERVAL;
  self->async_depth = DEFAULT_ASYNC_DEPTH;
  gst_cl_interval_restart (&self->turn);
  gst_cl_in_place_set_passes (in_place_of (self), GST_BASE_TRANSFORM (self),
      !self->publisher.stats_meta);
}

static void
install_settings (GObjectClass *klass)
{
  for (guint i = 0; i < gst_cl_frame_sum_settings_count (); i++)
    g_object_class_install_property (klass, PROP_SETTINGS + i,
        gst_cl_frame_sum_settings_pspec (i, GST_PARAM_MUTABLE_PLAYING));
}

static void
install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                            GST_PARAM_MUTABLE_PLAYING;

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

  object_class->set_property = gst_cl_frame_sum_set_property;
  object_class->get_property = gst_cl_frame_sum_get_property;
  object_class->finalize = gst_cl_frame_sum_finalize;
  trans_class->start = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_stop);
  trans_class->generate_output = GST_DEBUG_FUNCPTR (
      gst_cl_frame_sum_generate_output);
  trans_class->query = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_query);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_sink_event);
  filter_class->works_in_place = TRUE;
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (
      gst_cl_base_filter_transform_ip);
  filter_class->configure = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_configure);
  filter_class->process = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_process);

  install_properties (object_class);
  install_settings (object_class);
  gst_cl_caps_add_templates (element_class, caps, caps);
  gst_element_class_set_static_metadata (element_class,
      "OpenCL frame statistics", "Filter/Analyzer/Video",
      "Computes statistics of every frame on an OpenCL device",
      "The gst-opencl authors");

  gst_cl_publisher_register_meta ();
  gst_type_mark_as_plugin_api (GST_TYPE_CL_STATISTICS, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CL_REDUCTION, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CL_KEY_STYLE, 0);
}

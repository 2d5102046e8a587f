/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clframesum
 * @title: clframesum
 * @short_description: statistics of every frame, computed on an OpenCL device
 *
 * Measures each video frame and lets it pass untouched: count, sum, sum of
 * squares, mean, variance, standard deviation, minimum and maximum of every
 * component, in exact integers where they are integers.
 *
 * The results are posted as an element message named `clframesum`, put on the
 * buffer as the custom meta `GstClFrameSumMeta`, and kept in the property
 * `stats`; all three carry the same fields: `timestamp`, `stream-time`,
 * `running-time`, `duration`, `frame` (uint64), `width`, `height`, `depth`
 * (int), `format` (string), `components` (array of string), and, one value a
 * component, `count`, `sum`, `sum-squares` (uint64), `mean`, `variance`,
 * `stddev` (double), `min`, `max` (uint).
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
#include "gstclstatistics.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_frame_sum_debug);
#define GST_CAT_DEFAULT gst_cl_frame_sum_debug

#define MESSAGE_NAME "clframesum"
#define META_NAME    "GstClFrameSumMeta"

/* --- type ---------------------------------------------------------------- */

struct _GstClFrameSum {
  GstClBaseFilter parent;

  /* properties, under the object lock */
  GstClStatistic statistics;
  guint planes;
  GstClReduction reduction;
  gboolean post_messages;
  gboolean stats_meta;
  guint64 interval;     /* nanoseconds */
  guint frame_interval; /* frames */
  GstStructure *stats;  /* the last result, or NULL */

  /* streaming thread */
  GstVideoInfo info;
  guint component_ids[GST_VIDEO_MAX_COMPONENTS]; /* those measured */
  guint n_components;
  guint plane_mask;
  GstClFrameStatsOp *op; /* NULL if nothing is measured */
  GstClInterval turn;
};

G_DEFINE_TYPE (GstClFrameSum, gst_cl_frame_sum, GST_TYPE_CL_BASE_FILTER)
GST_ELEMENT_REGISTER_DEFINE (clframesum, "clframesum", GST_RANK_NONE,
    GST_TYPE_CL_FRAME_SUM)

enum {
  PROP_0,
  PROP_STATISTICS,
  PROP_PLANES,
  PROP_REDUCTION,
  PROP_POST_MESSAGES,
  PROP_STATS_META,
  PROP_INTERVAL,
  PROP_FRAME_INTERVAL,
  PROP_STATS,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

#define DEFAULT_STATISTICS     GST_CL_STATISTICS_ALL
#define DEFAULT_PLANES         GST_CL_PLANES_ALL
#define DEFAULT_REDUCTION      GST_CL_REDUCTION_AUTO
#define DEFAULT_POST_MESSAGES  TRUE
#define DEFAULT_STATS_META     TRUE
#define DEFAULT_INTERVAL       0
#define DEFAULT_FRAME_INTERVAL 1

/* --- negotiation --------------------------------------------------------- */

/* The components of the frame that @planes names, and the planes they are in.
 */
static void
select_components (GstClFrameSum *self, guint planes)
{
  self->n_components = 0;
  self->plane_mask = 0;

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&self->info); c++) {
    if (planes & (1u << c)) {
      self->component_ids[self->n_components++] = c;
      self->plane_mask |= 1u << GST_VIDEO_INFO_COMP_PLANE (&self->info, c);
    }
  }
}

static gboolean
gst_cl_frame_sum_configure (GstClBaseFilter *filter, GstCaps *in, GstCaps *out,
    GError **error)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (filter);
  GstClContext *context = gst_cl_base_filter_context (filter);
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];
  const GstClOpVariant *rows, *row;
  GstClReduction reduction;
  guint planes, n_rows;

  g_clear_pointer (&self->op, gst_cl_frame_stats_op_free);
  if (!gst_video_info_from_caps (&self->info, in)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The caps describe no video frame.");
    return FALSE;
  }

  GST_OBJECT_LOCK (self);
  reduction = self->reduction;
  planes = self->planes;
  GST_OBJECT_UNLOCK (self);

  select_components (self, planes);
  if (self->n_components == 0 && planes != 0) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "Property planes names no component of a %s frame.",
        GST_VIDEO_INFO_NAME (&self->info));
    return FALSE;
  }
  if (self->n_components == 0)
    return TRUE;

  for (guint i = 0; i < self->n_components; i++)
    components[i] = gst_cl_component_of_info (&self->info,
        self->component_ids[i]);
  rows = gst_cl_frame_stats_variants (&n_rows);
  row = gst_cl_op_variant_choose (rows, n_rows, reduction, context->device);
  GST_INFO_OBJECT (self, "%u components: %s", self->n_components, row->name);
  self->op = gst_cl_frame_stats_op_new (context, row, components,
      self->n_components, error);

  return self->op != NULL;
}

/* A meta needs a writable buffer; without it the buffer passes as it is, and
 * upstream and downstream negotiate their memory with each other. */
static void
configure_passthrough (GstClFrameSum *self, gboolean stats_meta)
{
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), !stats_meta);
}

/* --- processing ---------------------------------------------------------- */

static void
get_time (GstClFrameSum *self, GstBuffer *buffer, GstClStatisticsTime *time)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;

  time->timestamp = GST_BUFFER_PTS (buffer);
  time->duration = GST_BUFFER_DURATION (buffer);
  time->frame = self->turn.n_frames;
  time->stream_time = time->running_time = GST_CLOCK_TIME_NONE;
  if (segment->format != GST_FORMAT_TIME)
    return;

  time->stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      time->timestamp);
  time->running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      time->timestamp);
}

static gboolean
measure (GstClFrameSum *self, GstClInFlight *frames, GstBuffer *buffer,
    GstClFrameStats *stats, GError **error)
{
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];
  const GstClFrame *frame;

  if (self->n_components == 0)
    return TRUE;

  frame = gst_cl_in_flight_take_frame (frames, buffer, &self->info,
      self->plane_mask, GST_MAP_READ, error);
  if (!frame)
    return FALSE;
  for (guint i = 0; i < self->n_components; i++)
    components[i] = gst_cl_frame_component (frame, self->component_ids[i]);

  return gst_cl_frame_stats_op_run (self->op, components, error) &&
         gst_cl_frame_stats_op_read (self->op, stats, error);
}

static gboolean
copy_field (GQuark field, const GValue *value, gpointer user_data)
{
  gst_structure_id_set_value (user_data, field, value);

  return TRUE;
}

static void
add_meta (GstBuffer *buffer, const GstStructure *result)
{
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, META_NAME);

  gst_structure_foreach (result, copy_field,
      gst_custom_meta_get_structure (meta));
}

static void
publish (GstClFrameSum *self, GstBuffer *buffer, GstStructure *result)
{
  gboolean post_messages, stats_meta;

  GST_OBJECT_LOCK (self);
  post_messages = self->post_messages;
  stats_meta = self->stats_meta;
  if (self->stats)
    gst_structure_free (self->stats);
  self->stats = gst_structure_copy (result);
  GST_OBJECT_UNLOCK (self);

  /* If stats-meta was set a moment ago, this buffer may have come as
   * passthrough, in use by others too: the next one will be writable. */
  if (stats_meta && gst_buffer_is_writable (buffer))
    add_meta (buffer, result);
  if (post_messages)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self), result));
  else
    gst_structure_free (result);
}

static gboolean
gst_cl_frame_sum_process (GstClBaseFilter *filter, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, GError **error)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (filter);
  GstClFrameStats stats[GST_VIDEO_MAX_COMPONENTS] = { { 0 } };
  GstClStatisticsTime time;
  GstClStatistic which;
  guint64 interval;
  guint frame_interval;

  GST_OBJECT_LOCK (self);
  which = self->statistics;
  interval = self->interval;
  frame_interval = self->frame_interval;
  GST_OBJECT_UNLOCK (self);

  get_time (self, out, &time);
  if (!gst_cl_interval_next (&self->turn, time.running_time, interval,
          frame_interval))
    return TRUE;

  if (!measure (self, frames, out, stats, error))
    return FALSE;

  publish (self, out,
      gst_cl_statistics_new (MESSAGE_NAME, which, &self->info, &time, stats,
          self->component_ids, self->n_components));

  return TRUE;
}

static gboolean
gst_cl_frame_sum_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    gst_cl_interval_restart (&GST_CL_FRAME_SUM (trans)->turn);

  return GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)
      ->sink_event (trans, event);
}

/* --- properties ---------------------------------------------------------- */

static void
gst_cl_frame_sum_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (object);
  gboolean needs_configure = id == PROP_PLANES || id == PROP_REDUCTION;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_STATISTICS:
      self->statistics = g_value_get_flags (value);
      break;
    case PROP_PLANES:
      self->planes = g_value_get_flags (value);
      break;
    case PROP_REDUCTION:
      self->reduction = g_value_get_enum (value);
      break;
    case PROP_POST_MESSAGES:
      self->post_messages = g_value_get_boolean (value);
      break;
    case PROP_STATS_META:
      self->stats_meta = g_value_get_boolean (value);
      break;
    case PROP_INTERVAL:
      self->interval = g_value_get_uint64 (value);
      break;
    case PROP_FRAME_INTERVAL:
      self->frame_interval = g_value_get_uint (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);

  if (needs_configure)
    gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self));
  if (id == PROP_STATS_META)
    configure_passthrough (self, g_value_get_boolean (value));
}

static void
gst_cl_frame_sum_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClFrameSum *self = GST_CL_FRAME_SUM (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_STATISTICS:
      g_value_set_flags (value, self->statistics);
      break;
    case PROP_PLANES:
      g_value_set_flags (value, self->planes);
      break;
    case PROP_REDUCTION:
      g_value_set_enum (value, self->reduction);
      break;
    case PROP_POST_MESSAGES:
      g_value_set_boolean (value, self->post_messages);
      break;
    case PROP_STATS_META:
      g_value_set_boolean (value, self->stats_meta);
      break;
    case PROP_INTERVAL:
      g_value_set_uint64 (value, self->interval);
      break;
    case PROP_FRAME_INTERVAL:
      g_value_set_uint (value, self->frame_interval);
      break;
    case PROP_STATS:
      g_value_set_boxed (value, self->stats);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
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
  GST_OBJECT_LOCK (self);
  g_clear_pointer (&self->stats, gst_structure_free);
  GST_OBJECT_UNLOCK (self);

  return GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)
      ->start (trans);
}

static gboolean
gst_cl_frame_sum_stop (GstBaseTransform *trans)
{
  g_clear_pointer (&GST_CL_FRAME_SUM (trans)->op, gst_cl_frame_stats_op_free);

  return GST_BASE_TRANSFORM_CLASS (gst_cl_frame_sum_parent_class)->stop (trans);
}

static void
gst_cl_frame_sum_finalize (GObject *object)
{
  g_clear_pointer (&GST_CL_FRAME_SUM (object)->stats, gst_structure_free);

  G_OBJECT_CLASS (gst_cl_frame_sum_parent_class)->finalize (object);
}

static void
gst_cl_frame_sum_init (GstClFrameSum *self)
{
  self->statistics = DEFAULT_STATISTICS;
  self->planes = DEFAULT_PLANES;
  self->reduction = DEFAULT_REDUCTION;
  self->post_messages = DEFAULT_POST_MESSAGES;
  self->stats_meta = DEFAULT_STATS_META;
  self->interval = DEFAULT_INTERVAL;
  self->frame_interval = DEFAULT_FRAME_INTERVAL;
  gst_cl_interval_restart (&self->turn);
  configure_passthrough (self, self->stats_meta);
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                            GST_PARAM_MUTABLE_PLAYING;

  properties[PROP_STATISTICS] = g_param_spec_flags ("statistics", "Statistics",
      "What to report of each component", GST_TYPE_CL_STATISTICS,
      DEFAULT_STATISTICS, flags);
  properties[PROP_PLANES] = g_param_spec_flags ("planes", "Planes",
      "Components to measure", GST_TYPE_CL_PLANES, DEFAULT_PLANES, flags);
  properties[PROP_REDUCTION] = g_param_spec_enum ("reduction", "Reduction",
      "How the device reduces a frame", GST_TYPE_CL_REDUCTION,
      DEFAULT_REDUCTION, flags);
  properties[PROP_POST_MESSAGES] = g_param_spec_boolean ("post-messages",
      "Post messages", "Post an element message for each result",
      DEFAULT_POST_MESSAGES, flags);
  properties[PROP_STATS_META] = g_param_spec_boolean ("stats-meta",
      "Statistics meta", "Put each result on its buffer as GstClFrameSumMeta",
      DEFAULT_STATS_META, flags);
  properties[PROP_INTERVAL] = g_param_spec_uint64 ("interval", "Interval",
      "Shortest time from one result to the next, in nanoseconds", 0,
      G_MAXUINT64, DEFAULT_INTERVAL, flags);
  properties[PROP_FRAME_INTERVAL] = g_param_spec_uint ("frame-interval",
      "Frame interval", "Frames from one result to the next", 1, G_MAXUINT,
      DEFAULT_FRAME_INTERVAL, flags);
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "The last result", GST_TYPE_STRUCTURE,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
gst_cl_frame_sum_class_init (GstClFrameSumClass *klass)
{
  /* untagged: the meta survives scaling and conversion, which is why it says
   * what frame was measured */
  static const gchar *meta_tags[] = { NULL };
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
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_sink_event);
  trans_class->transform = NULL; /* always in place */
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (
      gst_cl_base_filter_transform_ip);
  filter_class->configure = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_configure);
  filter_class->process = GST_DEBUG_FUNCPTR (gst_cl_frame_sum_process);

  install_properties (object_class);
  gst_cl_caps_add_templates (element_class, caps, caps);
  gst_element_class_set_static_metadata (element_class,
      "OpenCL frame statistics", "Filter/Analyzer/Video",
      "Computes statistics of every frame on an OpenCL device",
      "The gst-opencl authors");

  if (!gst_meta_get_info (META_NAME))
    gst_meta_register_custom (META_NAME, meta_tags, NULL, NULL, NULL);
  gst_type_mark_as_plugin_api (GST_TYPE_CL_STATISTICS, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CL_REDUCTION, 0);
}

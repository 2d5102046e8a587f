/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clframesumbatch
 * @title: clframesumbatch
 * @short_description: statistics of every frame of many streams in batches
 *
 * Measures each video frame of each stream in a batch (GstAnalyticsBatchMeta),
 * with one clframesum per stream, and passes the batch on. It needs GStreamer
 * 1.28.
 *
 * Its properties are those of clframesum and apply to all streams; there is no
 * `async-depth`. Messages are those of clframesum, with the fields
 * `stream-index` (uint) and `stream-id` (string) of their stream. `location`
 * needs a `%u`, which is replaced by the index.
 * [docs/clframesum.md](docs/clframesum.md) has details.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m \
 *   videotestsrc num-buffers=5 ! video/x-raw,format=I420 ! c.sink_0 \
 *   videotestsrc num-buffers=5 ! video/x-raw,format=NV12 ! c.sink_1 \
 *   analyticscombiner name=c ! clframesumbatch ! fakesink
 * ]|
 * prints the statistics of two streams as messages. `analyticscombiner` is one
 * of GStreamer's Rust plugins; each stream needs a format that clframesum
 * supports, because other formats pass unmeasured.
 *
 * Since: 0.3
 */

/* A bin with one clframesum per stream. This clframesum holds the state of its
 * stream (previous frame, events, watchdog with its clock, pooled result);
 * GstBin gives it state, clock, context and bus. */

#include "gstclframesumbatch.h"

#include "elements/framesum/gstclframesum.h"
#include "gstclbatchproperties.h"
#include "gstclbatchresult.h"
#include "gstclbatchstream.h"

#define BATCH_CAPS                                                             \
  "multistream/x-analytics-batch"                                              \
  "(" GST_CAPS_FEATURE_META_GST_ANALYTICS_BATCH_META ")"

GST_DEBUG_CATEGORY_STATIC (gst_cl_frame_sum_batch_debug);
#define GST_CAT_DEFAULT gst_cl_frame_sum_batch_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (BATCH_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (BATCH_CAPS));

struct _GstClFrameSumBatch {
  GstBin parent;

  GstPad *sink, *src;
  guint n_flushes; /* flushes that have ended; streaming thread */
  GstClBatchProperties properties;

  /* object lock */
  gchar *location;    /* contains a %u; NULL: no files */
  GPtrArray *streams; /* GstClBatchStream, by index; only grows while started */
};

G_DEFINE_TYPE (GstClFrameSumBatch, gst_cl_frame_sum_batch, GST_TYPE_BIN)
GST_ELEMENT_REGISTER_DEFINE (clframesumbatch, "clframesumbatch", GST_RANK_NONE,
    GST_TYPE_CL_FRAME_SUM_BATCH)

/* --- streams ------------------------------------------------------------- */

/* Returns the current streams. transfer full. Any thread. */
static GPtrArray *
copy_streams (GstClFrameSumBatch *self)
{
  GPtrArray *streams = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_cl_batch_stream_unref);

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < self->streams->len; i++)
    g_ptr_array_add (streams,
        gst_cl_batch_stream_ref (g_ptr_array_index (self->streams, i)));
  GST_OBJECT_UNLOCK (self);

  return streams;
}

/* Suspends or resumes the watchdogs: while a batch or a serialized event or
 * query is processed, here or downstream, a stream without frames is not a
 * signal loss. Elements that are created meanwhile start suspended. Streaming
 * thread. */
static void
set_watchdogs_suspended (GstClFrameSumBatch *self, gboolean is_suspended)
{
  g_autoptr (GPtrArray) streams = copy_streams (self);

  for (guint i = 0; i < streams->len; i++) {
    GstElement *element = gst_cl_batch_stream_element (
        g_ptr_array_index (streams, i));

    if (element && is_suspended)
      gst_cl_frame_sum_suspend_watchdog (GST_CL_FRAME_SUM (element));
    else if (element)
      gst_cl_frame_sum_resume_watchdog (GST_CL_FRAME_SUM (element));
  }
}

/* Creates and starts the element of @stream. Returns FALSE after the element
 * has posted an error. */
static gboolean
start_element (GstClFrameSumBatch *self, GstClBatchStream *stream, guint index)
{
  g_autofree gchar *name = g_strdup_printf ("stream_%u", index);
  g_autofree gchar *location = NULL;
  GstElement *element = g_object_new (GST_TYPE_CL_FRAME_SUM, "name", name,
      NULL);

  GST_OBJECT_LOCK (self);
  if (self->location)
    location = gst_cl_batch_properties_make_location (self->location, index);
  GST_OBJECT_UNLOCK (self);
  g_object_set (element, "location", location, NULL);
  gst_cl_frame_sum_name_results (GST_CL_FRAME_SUM (element),
      GST_ELEMENT (self));

  if (!gst_bin_add (GST_BIN (self), element)) {
    GST_ELEMENT_ERROR (self, CORE, FAILED,
        ("The bin has an element named %s already.", name), (NULL));
    return FALSE;
  }
  /* after gst_bin_add(), which unlinks pads; property changes from here on are
   * copied to the element, too */
  gst_cl_batch_stream_set_element (stream, element);
  gst_cl_frame_sum_suspend_watchdog (
      GST_CL_FRAME_SUM (element)); /* as others do */
  gst_cl_batch_properties_copy_all (&self->properties, element);

  return gst_element_sync_state_with_parent (element);
}

/* Returns stream @index, ready for @part; NULL after an error. */
static GstClBatchStream *
prepare_stream (GstClFrameSumBatch *self, guint index,
    const GstAnalyticsBatchStream *part)
{
  GstClBatchStream *stream;

  GST_OBJECT_LOCK (self);
  if (index == self->streams->len)
    g_ptr_array_add (self->streams, gst_cl_batch_stream_new (index));
  stream = g_ptr_array_index (self->streams, index);
  GST_OBJECT_UNLOCK (self);

  if (!gst_cl_batch_stream_element (stream) &&
      gst_cl_batch_stream_has_frames (part) &&
      !start_element (self, stream, index))
    return NULL;

  return stream;
}

/* --- batches ------------------------------------------------------------- */

/* Pushes all streams before it waits for any. Sets *is_whole to TRUE if all
 * frames have come back and no flush has ended since: a handler of one of our
 * messages may have flushed in this thread. */
static GstFlowReturn
measure (GstClFrameSumBatch *self, GstAnalyticsBatchMeta *meta,
    gboolean *is_whole)
{
  g_autoptr (GPtrArray) played = g_ptr_array_new ();
  const guint n_flushes = self->n_flushes;
  GstFlowReturn flow = GST_FLOW_OK;

  for (gsize i = 0; i < meta->n_streams && flow == GST_FLOW_OK &&
                    self->n_flushes == n_flushes;
       i++) {
    GstClBatchStream *stream = prepare_stream (self, i, &meta->streams[i]);

    if (!stream) { /* earlier frames still have to be collected */
      flow = GST_FLOW_ERROR;
      break;
    }
    g_ptr_array_add (played, stream);
    flow = gst_cl_batch_stream_push (stream, &meta->streams[i]);
  }

  *is_whole = TRUE;
  for (guint i = 0; i < played->len; i++) {
    if (!gst_cl_batch_stream_collect (g_ptr_array_index (played, i),
            &meta->streams[i]))
      *is_whole = FALSE;
  }
  if (self->n_flushes != n_flushes)
    *is_whole = FALSE;

  return flow;
}

static GstFlowReturn
take_batch (GstClFrameSumBatch *self, GstBuffer *batch)
{
  GstAnalyticsBatchMeta *meta;
  gboolean is_whole;
  GstFlowReturn flow;

  batch = gst_buffer_make_writable (batch);
  meta = gst_buffer_get_analytics_batch_meta (batch);
  if (!meta) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT, (NULL),
        ("a buffer without GstAnalyticsBatchMeta"));
    gst_buffer_unref (batch);
    return GST_FLOW_ERROR;
  }

  flow = measure (self, meta, &is_whole);
  /* frames are missing only after an error, which is or will be on the bus, in
   * a flush, or in a stop */
  if (flow != GST_FLOW_OK || !is_whole) {
    GST_DEBUG_OBJECT (self, "dropped a batch: %s", gst_flow_get_name (flow));
    gst_buffer_unref (batch);
    return flow;
  }

  return gst_pad_push (self->src, batch);
}

static GstFlowReturn
gst_cl_frame_sum_batch_chain (GstPad *pad, GstObject *parent, GstBuffer *batch)
{
  GstClFrameSumBatch *self = GST_CL_FRAME_SUM_BATCH (parent);
  GstFlowReturn flow;

  set_watchdogs_suspended (self, TRUE);
  flow = take_batch (self, batch);
  set_watchdogs_suspended (self, FALSE);

  return flow;
}

/* --- events -------------------------------------------------------------- */

static gboolean
gst_cl_frame_sum_batch_sink_event (GstPad *pad, GstObject *parent,
    GstEvent *event)
{
  GstClFrameSumBatch *self = GST_CL_FRAME_SUM_BATCH (parent);
  g_autoptr (GPtrArray) streams = copy_streams (self);
  const gboolean is_serialized = GST_EVENT_IS_SERIALIZED (event);
  gboolean is_handled;

  if (is_serialized)
    set_watchdogs_suspended (self, TRUE);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    self->n_flushes++;
  for (guint i = 0; i < streams->len; i++) {
    GstClBatchStream *stream = g_ptr_array_index (streams, i);

    if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START ||
        GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
      gst_cl_batch_stream_flush (stream, event);
    else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
      gst_cl_batch_stream_end (stream, gst_event_get_seqnum (event));
  }

  is_handled = gst_pad_event_default (pad, parent, event);
  if (is_serialized)
    set_watchdogs_suspended (self, FALSE);

  return is_handled;
}

/* A serialized query waits for the results of earlier frames. */
static gboolean
gst_cl_frame_sum_batch_sink_query (GstPad *pad, GstObject *parent,
    GstQuery *query)
{
  GstClFrameSumBatch *self = GST_CL_FRAME_SUM_BATCH (parent);
  g_autoptr (GPtrArray) streams = NULL;
  gboolean is_answered;

  if (!GST_QUERY_IS_SERIALIZED (query))
    return gst_pad_query_default (pad, parent, query);

  set_watchdogs_suspended (self, TRUE);
  streams = copy_streams (self);
  for (guint i = 0; i < streams->len; i++)
    gst_cl_batch_stream_drain (g_ptr_array_index (streams, i));
  is_answered = gst_pad_query_default (pad, parent, query);
  set_watchdogs_suspended (self, FALSE);

  return is_answered;
}

/* --- messages ------------------------------------------------------------ */

static void
gst_cl_frame_sum_batch_handle_message (GstBin *bin, GstMessage *message)
{
  /* frames that an element delays still leave in their batch */
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY) {
    gst_message_unref (message);
    return;
  }
  if (gst_cl_batch_result_is (message)) {
    g_autoptr (GPtrArray) streams = copy_streams (GST_CL_FRAME_SUM_BATCH (bin));

    message = gst_cl_batch_result_label (message, GST_OBJECT (bin), streams);
  }

  GST_BIN_CLASS (gst_cl_frame_sum_batch_parent_class)
      ->handle_message (bin, message);
}

/* --- states -------------------------------------------------------------- */

static gboolean
has_location (GstClFrameSumBatch *self)
{
  g_autofree gchar *location = NULL;
  g_autofree gchar *first = NULL;

  GST_OBJECT_LOCK (self);
  location = g_strdup (self->location);
  GST_OBJECT_UNLOCK (self);
  if (!location || !*location)
    return TRUE;
  first = gst_cl_batch_properties_make_location (location, 0);
  if (first)
    return TRUE;

  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, (NULL),
      ("location \"%s\" needs a %%u, which is replaced by the index of each "
       "stream",
          location));

  return FALSE;
}

/* Removes the streams, because the next start may have others. */
static void
remove_streams (GstClFrameSumBatch *self)
{
  g_autoptr (GPtrArray) streams = copy_streams (self);

  GST_OBJECT_LOCK (self);
  g_ptr_array_set_size (self->streams, 0);
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; i < streams->len; i++) {
    GstElement *element = gst_cl_batch_stream_element (
        g_ptr_array_index (streams, i));

    if (!element)
      continue;
    gst_element_set_state (element, GST_STATE_NULL);
    gst_bin_remove (GST_BIN (self), element);
  }
}

static GstStateChangeReturn
gst_cl_frame_sum_batch_change_state (GstElement *element,
    GstStateChange transition)
{
  GstClFrameSumBatch *self = GST_CL_FRAME_SUM_BATCH (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !has_location (self))
    return GST_STATE_CHANGE_FAILURE;
  result = GST_ELEMENT_CLASS (gst_cl_frame_sum_batch_parent_class)
               ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    remove_streams (self);

  return result;
}

/* --- properties ---------------------------------------------------------- */

static void
set_on_all (GstClFrameSumBatch *self, guint id, const gchar *name,
    const GValue *value)
{
  g_autoptr (GPtrArray) streams = NULL;

  gst_cl_batch_properties_set (&self->properties, id, name, value);
  streams = copy_streams (self);
  for (guint i = 0; i < streams->len; i++) {
    GstElement *element = gst_cl_batch_stream_element (
        g_ptr_array_index (streams, i));

    if (element)
      gst_cl_batch_properties_copy (&self->properties, id, name, element);
  }
}

static void
gst_cl_frame_sum_batch_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  GstClFrameSumBatch *self = GST_CL_FRAME_SUM_BATCH (object);

  if (!g_str_equal (pspec->name, "location")) {
    set_on_all (self, id, pspec->name, value);
    return;
  }
  GST_OBJECT_LOCK (self);
  g_free (self->location);
  self->location = g_value_dup_string (value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cl_frame_sum_batch_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClFrameSumBatch *self = GST_CL_FRAME_SUM_BATCH (object);

  if (!g_str_equal (pspec->name, "location")) {
    g_object_get_property (G_OBJECT (self->properties.model), pspec->name,
        value);
    return;
  }
  GST_OBJECT_LOCK (self);
  g_value_set_string (value, self->location);
  GST_OBJECT_UNLOCK (self);
}

/* --- type ---------------------------------------------------------------- */

static void
gst_cl_frame_sum_batch_finalize (GObject *object)
{
  GstClFrameSumBatch *self = GST_CL_FRAME_SUM_BATCH (object);

  gst_cl_batch_properties_clear (&self->properties);
  g_ptr_array_unref (self->streams);
  g_free (self->location);

  G_OBJECT_CLASS (gst_cl_frame_sum_batch_parent_class)->finalize (object);
}

static void
gst_cl_frame_sum_batch_init (GstClFrameSumBatch *self)
{
  gst_cl_batch_properties_init (&self->properties);
  self->streams = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_cl_batch_stream_unref);
  self->sink = gst_pad_new_from_static_template (&sink_template, "sink");
  self->src = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_chain_function (self->sink,
      GST_DEBUG_FUNCPTR (gst_cl_frame_sum_batch_chain));
  gst_pad_set_event_function (self->sink,
      GST_DEBUG_FUNCPTR (gst_cl_frame_sum_batch_sink_event));
  gst_pad_set_query_function (self->sink,
      GST_DEBUG_FUNCPTR (gst_cl_frame_sum_batch_sink_query));
  GST_PAD_SET_PROXY_CAPS (self->sink);
  GST_PAD_SET_PROXY_CAPS (self->src);
  GST_PAD_SET_PROXY_ALLOCATION (self->sink);
  gst_element_add_pad (GST_ELEMENT (self), self->sink);
  gst_element_add_pad (GST_ELEMENT (self), self->src);
}

static void
gst_cl_frame_sum_batch_class_init (GstClFrameSumBatchClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  guint id;

  GST_DEBUG_CATEGORY_INIT (gst_cl_frame_sum_batch_debug, "clframesumbatch", 0,
      "OpenCL frame statistics of batches");

  object_class->set_property = gst_cl_frame_sum_batch_set_property;
  object_class->get_property = gst_cl_frame_sum_batch_get_property;
  object_class->finalize = gst_cl_frame_sum_batch_finalize;
  element_class->change_state = GST_DEBUG_FUNCPTR (
      gst_cl_frame_sum_batch_change_state);
  GST_BIN_CLASS (klass)->handle_message = GST_DEBUG_FUNCPTR (
      gst_cl_frame_sum_batch_handle_message);

  id = gst_cl_batch_properties_install (object_class);
  g_object_class_install_property (object_class, id,
      g_param_spec_string ("location", "Location",
          "Files for the results, one line of JSON each (.csv: one row); %u is "
          "replaced by the index of the stream",
          NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_READY));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "OpenCL frame statistics of batches", "Filter/Analyzer/Video",
      "Computes statistics of every frame of every stream in batches on an "
      "OpenCL device",
      "The gst-opencl authors");
}

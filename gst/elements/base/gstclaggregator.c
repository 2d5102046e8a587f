/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Common parts of OpenCL elements with several inputs.
 *
 * On GstVideoAggregator, not GstAggregator: it pairs frames by running time at
 * the frame rate of the output, repeats the last frame of an input, delays new
 * caps of a pad until their first frame is used, and drops late frames. Its
 * conversions and its maps of frames are not used: GstClAggregatorPad prepares
 * no frames.
 *
 * An output frame needs a frame of each input: none is made before the first
 * frame of the last input, nor in gaps. The stream ends with the first input
 * that has ended and whose frame is not repeated. */

#include "gstclaggregator.h"

#include "cl/context/gstclprogram.h"
#include "cl/device/gstclerror.h"
#include "cl/memory/gstclmemory.h"
#include "cl/video/gstcldrm.h"
#include "gstclcaps.h"
#include "gstclcontexthelper.h"
#include "gstclfailure.h"
#include "gstclpool.h"
#include "gstclsnapshot.h"
#include "ops/tieredop.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_aggregator_debug);
#define GST_CAT_DEFAULT gst_cl_aggregator_debug

/* The buffers of an input: the frames in flight, the one that
 * GstVideoAggregator may repeat, the next one, and one that upstream is
 * filling. */
#define N_BUFFERS (GST_CL_FRAMES_IN_FLIGHT + 3)

/* --- pads ----------------------------------------------------------------- */

struct _GstClAggregatorPad {
  GstVideoAggregatorPad parent;

  guint64 number;   /* of sink_%u */
  gint has_refused; /* atomic: an error about the caps has been posted */
};

G_DEFINE_TYPE (GstClAggregatorPad, gst_cl_aggregator_pad,
    GST_TYPE_VIDEO_AGGREGATOR_PAD)

static void
gst_cl_aggregator_pad_constructed (GObject *object)
{
  G_OBJECT_CLASS (gst_cl_aggregator_pad_parent_class)->constructed (object);

  GST_CL_AGGREGATOR_PAD (object)->number = g_ascii_strtoull (
      GST_OBJECT_NAME (object) + strlen ("sink_"), NULL, 10);
}

static void
gst_cl_aggregator_pad_init (GstClAggregatorPad *self)
{
}

static void
gst_cl_aggregator_pad_class_init (GstClAggregatorPadClass *klass)
{
  GstVideoAggregatorPadClass *pad_class = GST_VIDEO_AGGREGATOR_PAD_CLASS (
      klass);

  G_OBJECT_CLASS (klass)->constructed = gst_cl_aggregator_pad_constructed;
  pad_class->prepare_frame = NULL;
  pad_class->clean_frame = NULL;
}

void
gst_cl_aggregator_add_templates (GstElementClass *klass, const GstCaps *sink,
    const GstCaps *src)
{
  g_autoptr (GstCaps) sink_caps = gst_cl_caps_in_all (sink);
  g_autoptr (GstCaps) src_caps = gst_cl_caps_in_both (src);

  gst_element_class_add_pad_template (klass,
      gst_pad_template_new_with_gtype ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST,
          sink_caps, GST_TYPE_CL_AGGREGATOR_PAD));
  gst_element_class_add_pad_template (klass,
      gst_pad_template_new_with_gtype ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
          src_caps, GST_TYPE_AGGREGATOR_PAD));
}

/* --- type ---------------------------------------------------------------- */

/* The inputs of the current output frame. */
typedef struct {
  guint n, n_allocated;
  GstClAggregatorPad **pads; /* borrowed */
  GstBuffer **buffers;       /* borrowed from the pads */
  GstVideoInfo *infos;
  GstClockTime *running_times;
} Inputs;

typedef struct {
  GstClContextHelper context_helper;

  /* between start() and stop() */
  GstClContext *context;
  GstAllocator *allocator;

  GstClSnapshot snapshot;
  GstClFailure failure;

  /* streaming thread */
  Inputs inputs;
  GstClInFlight *in_flight; /* NULL: not configured yet */
  GstVideoInfo *configured; /* infos of the inputs of the ops, as many as
                               in_flight has */
  gboolean needs_configure;
  gboolean has_new_input; /* the inputs have changed, not only a property */
  gboolean is_dropped;    /* the output frame */
  GstClErrorLatch error_latch;
  GstCaps *out_caps;
} GstClAggregatorPrivate;

static void gst_cl_aggregator_child_proxy_init (gpointer interface,
    gpointer data);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstClAggregator, gst_cl_aggregator,
    GST_TYPE_VIDEO_AGGREGATOR,
    G_ADD_PRIVATE (GstClAggregator) G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY,
        gst_cl_aggregator_child_proxy_init))

#define PRIVATE(self)                                                          \
  ((GstClAggregatorPrivate *) gst_cl_aggregator_get_instance_private (self))

static GParamSpec *device_name_pspec;

static GstAggregatorClass *
parent_class (void)
{
  return GST_AGGREGATOR_CLASS (gst_cl_aggregator_parent_class);
}

GstClContext *
gst_cl_aggregator_context (GstClAggregator *self)
{
  return PRIVATE (self)->context;
}

void
gst_cl_aggregator_fail (GstClAggregator *self, const GError *error)
{
  gst_cl_failure_post (&PRIVATE (self)->failure, GST_ELEMENT (self),
      PRIVATE (self)->context, error);
}

static GstFlowReturn
failed_flow (GstClAggregator *self)
{
  return gst_cl_failure_flow (&PRIVATE (self)->failure, GST_ELEMENT (self),
      PRIVATE (self)->context);
}

static gboolean
drain (GstClAggregator *self)
{
  GstClAggregatorPrivate *priv = PRIVATE (self);
  g_autoptr (GError) error = NULL;

  if (!priv->in_flight || gst_cl_in_flight_drain (priv->in_flight, &error))
    return TRUE;
  gst_cl_aggregator_fail (self, error);

  return FALSE;
}

static gint
compare_pads (gconstpointer a, gconstpointer b)
{
  const guint64 x = ((const GstClAggregatorPad *) a)->number,
                y = ((const GstClAggregatorPad *) b)->number;

  return x < y ? -1 : x > y;
}

/* Returns the pad with the lowest number; NULL: there is none. transfer full */
static GstPad *
ref_first_pad (GstClAggregator *self)
{
  GstClAggregatorPad *first = NULL;

  GST_OBJECT_LOCK (self);
  for (GList *i = GST_ELEMENT (self)->sinkpads; i; i = i->next) {
    if (!first || compare_pads (i->data, first) < 0)
      first = i->data;
  }
  if (first)
    gst_object_ref (first);
  GST_OBJECT_UNLOCK (self);

  return (GstPad *) first;
}

gchar *
gst_cl_aggregator_list_pads (GstClAggregator *self)
{
  g_autoptr (GList) pads = NULL;
  GString *names = g_string_new (NULL);

  GST_OBJECT_LOCK (self);
  pads = g_list_sort (g_list_copy (GST_ELEMENT (self)->sinkpads), compare_pads);
  for (GList *i = pads; i; i = i->next)
    g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
        GST_OBJECT_NAME (i->data));
  GST_OBJECT_UNLOCK (self);

  return g_string_free (names, FALSE);
}

/* --- pads as children ----------------------------------------------------- */

static guint
get_children_count (GstChildProxy *proxy)
{
  guint n;

  GST_OBJECT_LOCK (proxy);
  n = GST_ELEMENT (proxy)->numsinkpads;
  GST_OBJECT_UNLOCK (proxy);

  return n;
}

static GObject *
get_child_by_index (GstChildProxy *proxy, guint index)
{
  GObject *pad;

  GST_OBJECT_LOCK (proxy);
  pad = g_list_nth_data (GST_ELEMENT (proxy)->sinkpads, index);
  if (pad)
    g_object_ref (pad);
  GST_OBJECT_UNLOCK (proxy);

  return pad;
}

static void
gst_cl_aggregator_child_proxy_init (gpointer interface, gpointer data)
{
  GstChildProxyInterface *proxy = interface;

  proxy->get_children_count = get_children_count;
  proxy->get_child_by_index = get_child_by_index;
}

static GstPad *
gst_cl_aggregator_request_new_pad (GstElement *element,
    GstPadTemplate *template, const gchar *name, const GstCaps *caps)
{
  GstPad *pad = GST_ELEMENT_CLASS (gst_cl_aggregator_parent_class)
                    ->request_new_pad (element, template, name, caps);

  if (pad)
    gst_child_proxy_child_added (GST_CHILD_PROXY (element), G_OBJECT (pad),
        GST_OBJECT_NAME (pad));

  return pad;
}

static void
gst_cl_aggregator_release_pad (GstElement *element, GstPad *pad)
{
  gst_child_proxy_child_removed (GST_CHILD_PROXY (element), G_OBJECT (pad),
      GST_OBJECT_NAME (pad));

  GST_ELEMENT_CLASS (gst_cl_aggregator_parent_class)
      ->release_pad (element, pad);
}

/* --- settings ------------------------------------------------------------ */

static void
take_settings (gpointer element)
{
  GST_CL_AGGREGATOR_GET_CLASS (element)->take_settings (element);
}

void
gst_cl_aggregator_mark_changed (GstClAggregator *self, GstClChange change)
{
  if (change != GST_CL_CHANGE_NONE)
    gst_cl_snapshot_mark (&PRIVATE (self)->snapshot, change, self,
        take_settings);
}

static GstFlowReturn
negotiate (GstClAggregator *self)
{
  if (gst_aggregator_negotiate (GST_AGGREGATOR (self)))
    return GST_FLOW_OK;

  return GST_PAD_IS_FLUSHING (GST_AGGREGATOR_SRC_PAD (self))
             ? GST_FLOW_FLUSHING
             : GST_FLOW_NOT_NEGOTIATED;
}

/* Takes the settings of the frame that is next, and negotiates the caps if they
 * depend on them. */
static GstFlowReturn
update_settings (GstClAggregator *self)
{
  GstClAggregatorPrivate *priv = PRIVATE (self);
  const GstClChange change = gst_cl_snapshot_update (&priv->snapshot, self,
      take_settings);

  if (change >= GST_CL_CHANGE_OPS)
    priv->needs_configure = TRUE;

  return change == GST_CL_CHANGE_CAPS && priv->out_caps ? negotiate (self)
                                                        : GST_FLOW_OK;
}

static void
sync_values (GstClAggregator *self)
{
  GstClAggregatorClass *klass = GST_CL_AGGREGATOR_GET_CLASS (self);
  GstPad *src = GST_AGGREGATOR_SRC_PAD (self);
  const GstSegment *segment = &GST_AGGREGATOR_PAD (src)->segment;
  GstClockTime time;

  GST_OBJECT_LOCK (src);
  time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      segment->position == GST_CLOCK_TIME_NONE ? segment->start
                                               : segment->position);
  GST_OBJECT_UNLOCK (src);
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;

  gst_object_sync_values (GST_OBJECT (self), time);
  if (klass->sync_values)
    klass->sync_values (self, time);
}

/* --- caps of the inputs --------------------------------------------------- */

static GstCaps *
map_structure (GstPadDirection direction, const GstStructure *structure,
    gpointer user_data)
{
  return GST_CL_AGGREGATOR_GET_CLASS (user_data)->map_structure (user_data,
      direction, structure);
}

/* Sets the frame rate of @caps (transfer full) to any: frames are repeated or
 * left out. transfer full */
static GstCaps *
at_any_rate (GstCaps *caps)
{
  caps = gst_caps_make_writable (caps);
  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1,
      G_MAXINT, 1, NULL);

  return caps;
}

static GstClContext *
ref_context (GstClAggregator *self)
{
  GstClContextHelper *helper = &PRIVATE (self)->context_helper;
  GstClContext *context;

  GST_OBJECT_LOCK (self);
  context = helper->context ? gst_object_ref (helper->context) : NULL;
  GST_OBJECT_UNLOCK (self);

  return context;
}

/* Returns the caps that the first input needs for what downstream accepts.
 * transfer full */
static GstCaps *
map_downstream (GstClAggregator *self, GstPad *pad)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD (self);
  g_autoptr (GstCaps) template = gst_pad_get_pad_template_caps (src);
  g_autoptr (GstCaps)
      accepted = at_any_rate (gst_pad_peer_query_caps (src, template));

  return gst_cl_caps_transform (accepted, GST_PAD_SRC, pad, NULL, map_structure,
      self);
}

/* Returns the caps that @pad accepts; if @is_whole, of these the ones that
 * downstream accepts, too. transfer full */
static GstCaps *
get_input_caps (GstClAggregator *self, GstPad *pad, gboolean is_whole)
{
  GstClAggregatorClass *klass = GST_CL_AGGREGATOR_GET_CLASS (self);
  g_autoptr (GstPad) first = ref_first_pad (self);
  g_autoptr (GstClContext) context = ref_context (self);
  GstCaps *caps = pad == first && is_whole
                      ? map_downstream (self, pad)
                      : gst_pad_get_pad_template_caps (pad);

  caps = gst_cl_caps_importable (caps, context);

  return klass->restrict_input ? klass->restrict_input (self, caps) : caps;
}

static void
answer_caps (GstClAggregator *self, GstPad *pad, GstQuery *query)
{
  g_autoptr (GstClContext) context = ref_context (self);
  g_autoptr (GstCaps) caps = NULL;
  GstCaps *filter;

  gst_query_parse_caps (query, &filter);
  caps = gst_cl_caps_admitted (get_input_caps (self, pad, TRUE), pad, filter);
  gst_query_set_caps_result (query, caps);
  gst_cl_caps_prefer_device (query, context);
}

/* Upstream may send rejected caps repeatedly; the element posts one error until
 * other caps arrive on the pad. */
static void
post_input_error (GstClAggregator *self, GstClAggregatorPad *pad, GError *error)
{
  if (error &&
      g_atomic_int_compare_and_exchange (&pad->has_refused, FALSE, TRUE))
    gst_cl_post_error (self, error);
}

static void
answer_accept_caps (GstClAggregator *self, GstPad *pad, GstQuery *query)
{
  g_autoptr (GstCaps) accepted = get_input_caps (self, pad, FALSE);
  g_autoptr (GError) error = NULL;
  GstCaps *caps;

  gst_query_parse_accept_caps (query, &caps);
  gst_query_set_accept_caps_result (query,
      gst_caps_can_intersect (caps, accepted));
  error = gst_cl_caps_check_input (pad, query);
  post_input_error (self, GST_CL_AGGREGATOR_PAD (pad), error);
}

/* GstVideoAggregator parses formats, not DMA_DRM. It refuses caps for their
 * interlace mode only, and says it in the log. */
static gboolean
handle_caps (GstClAggregator *self, GstAggregatorPad *pad, GstEvent *event)
{
  g_autoptr (GstCaps) plain = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *text = NULL;
  GstCaps *caps;

  g_atomic_int_set (&GST_CL_AGGREGATOR_PAD (pad)->has_refused, FALSE);
  gst_event_parse_caps (event, &caps);
  plain = gst_cl_drm_resolve (gst_caps_ref (caps));
  gst_event_unref (event);
  if (parent_class ()->sink_event (GST_AGGREGATOR (self), pad,
          gst_event_new_caps (plain)))
    return TRUE;

  text = gst_caps_to_string (plain);
  error = g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      "%s: all inputs must have the interlace-mode of the first one that has "
      "caps, but the caps are %s.",
      GST_OBJECT_NAME (pad), text);
  post_input_error (self, GST_CL_AGGREGATOR_PAD (pad), error);

  return FALSE;
}

/* --- caps of the output --------------------------------------------------- */

/* Returns the caps of the frame of @pad that is next; NULL: there are none yet.
 * The caps of the pad may be newer. transfer full */
static GstCaps *
get_caps_of_frame (GstPad *pad)
{
  GstVideoAggregatorPad *video = GST_VIDEO_AGGREGATOR_PAD (pad);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info, of_caps;

  GST_OBJECT_LOCK (pad);
  info = video->info;
  GST_OBJECT_UNLOCK (pad);
  if (!info.finfo || GST_VIDEO_INFO_FORMAT (&info) == GST_VIDEO_FORMAT_UNKNOWN)
    return NULL;

  if (caps)
    caps = gst_cl_drm_resolve (g_steal_pointer (&caps));
  if (caps && gst_video_info_from_caps (&of_caps, caps) &&
      gst_video_info_is_equal (&of_caps, &info))
    return g_steal_pointer (&caps);

  return gst_video_info_to_caps (&info);
}

/* Sets the frame rate of the output: that of the first input, else the highest
 * one. */
static void
choose_rate (GstClAggregator *self, const GstCaps *caps, gint *n, gint *d)
{
  if (gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate",
          n, d) &&
      *n > 0)
    return;

  *n = 0;
  *d = 1;
  GST_OBJECT_LOCK (self);
  for (GList *i = GST_ELEMENT (self)->sinkpads; i; i = i->next) {
    const GstVideoInfo *info = &GST_VIDEO_AGGREGATOR_PAD (i->data)->info;

    if (info->finfo && gst_util_fraction_compare (GST_VIDEO_INFO_FPS_N (info),
                           GST_VIDEO_INFO_FPS_D (info), *n, *d) > 0) {
      *n = GST_VIDEO_INFO_FPS_N (info);
      *d = GST_VIDEO_INFO_FPS_D (info);
    }
  }
  GST_OBJECT_UNLOCK (self);
  if (*n == 0)
    *n = 25;
}

static void
post_caps_error (GstClAggregator *self, GstCaps *mapped)
{
  GstClAggregatorPrivate *priv = PRIVATE (self);
  GError *error = gst_cl_caps_check_downstream (gst_caps_ref (mapped),
      GST_AGGREGATOR_SRC_PAD (self),
      GST_CL_AGGREGATOR_GET_CLASS (self)->caps_properties);

  if (error)
    gst_cl_error_latch_post (&priv->error_latch, GST_ELEMENT (self),
        priv->context, error);
}

/* GstAggregator.update_src_caps. @downstream has the order of a template if
 * downstream accepts any caps; it is asked again, with system memory first. */
static GstFlowReturn
update_src_caps (GstAggregator *agg, GstCaps *downstream, GstCaps **result)
{
  GstClAggregator *self = GST_CL_AGGREGATOR (agg);
  GstPad *src = GST_AGGREGATOR_SRC_PAD (self);
  g_autoptr (GstPad) first = ref_first_pad (self);
  g_autoptr (GstCaps) caps = first ? get_caps_of_frame (first) : NULL;
  g_autoptr (GstCaps) any = NULL, mapped = NULL, accepted = NULL;
  gint n, d;

  if (!caps)
    return GST_AGGREGATOR_FLOW_NEED_DATA;

  choose_rate (self, caps, &n, &d);
  any = at_any_rate (gst_caps_ref (caps));
  mapped = gst_cl_caps_transform (any, GST_PAD_SINK, src, NULL, map_structure,
      self);
  accepted = gst_pad_peer_query_caps (src, mapped);
  *result = gst_caps_truncate (
      gst_caps_intersect_full (accepted, mapped, GST_CAPS_INTERSECT_FIRST));
  if (gst_caps_is_empty (*result)) {
    post_caps_error (self, mapped);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  gst_structure_fixate_field_nearest_fraction (
      gst_caps_get_structure (*result, 0), "framerate", n, d);
  *result = gst_caps_fixate (*result);

  return GST_FLOW_OK;
}

static gboolean
negotiated_src_caps (GstAggregator *agg, GstCaps *caps)
{
  GstClAggregatorPrivate *priv = PRIVATE (GST_CL_AGGREGATOR (agg));

  if (!priv->out_caps || !gst_caps_is_equal (priv->out_caps, caps))
    priv->needs_configure = TRUE;
  gst_caps_replace (&priv->out_caps, caps);

  return parent_class ()->negotiated_src_caps (agg, caps);
}

/* The pool is complete. GstVideoAggregator would configure it again, and leak a
 * reference to its allocator (1.22). */
static gboolean
decide_allocation (GstAggregator *agg, GstQuery *query)
{
  return gst_cl_pool_decide (query,
      PRIVATE (GST_CL_AGGREGATOR (agg))->allocator);
}

static gboolean
propose_allocation (GstAggregator *agg, GstAggregatorPad *pad,
    GstQuery *decide_query, GstQuery *query)
{
  return parent_class ()->propose_allocation (agg, pad, decide_query, query) &&
         gst_cl_pool_propose (query,
             gst_cl_aggregator_context (GST_CL_AGGREGATOR (agg)), N_BUFFERS);
}

/* --- inputs of a frame ---------------------------------------------------- */

static void
allocate_inputs (Inputs *self, guint n)
{
  if (n <= self->n_allocated)
    return;

  self->n_allocated = n;
  self->pads = g_renew (GstClAggregatorPad *, self->pads, n);
  self->buffers = g_renew (GstBuffer *, self->buffers, n);
  self->infos = g_renew (GstVideoInfo, self->infos, n);
  self->running_times = g_renew (GstClockTime, self->running_times, n);
}

static void
free_inputs (Inputs *self)
{
  g_free (self->pads);
  g_free (self->buffers);
  g_free (self->infos);
  g_free (self->running_times);
  *self = (Inputs){ 0 };
}

static void
sort_pads (Inputs *self)
{
  for (guint i = 1; i < self->n; i++) {
    for (guint k = i;
         k > 0 && compare_pads (self->pads[k], self->pads[k - 1]) < 0; k--) {
      GstClAggregatorPad *pad = self->pads[k];

      self->pads[k] = self->pads[k - 1];
      self->pads[k - 1] = pad;
    }
  }
}

/* Sets the members of input @i from its pad. */
static void
set_input (Inputs *self, guint i)
{
  GstAggregatorPad *pad = GST_AGGREGATOR_PAD (self->pads[i]);
  GstBuffer *buffer = gst_video_aggregator_pad_get_current_buffer (
      GST_VIDEO_AGGREGATOR_PAD (pad));

  /* a gap */
  if (buffer && gst_buffer_get_size (buffer) == 0)
    buffer = NULL;

  self->buffers[i] = buffer;
  GST_OBJECT_LOCK (pad);
  self->infos[i] = GST_VIDEO_AGGREGATOR_PAD (pad)->info;
  self->running_times[i] = buffer
                               ? gst_segment_to_running_time (&pad->segment,
                                     GST_FORMAT_TIME, GST_BUFFER_PTS (buffer))
                               : GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (pad);
}

/* Sets the inputs of the frame that is next. Returns FALSE if one is missing.
 * GstVideoAggregator holds its lock, without which no pad is released. */
static gboolean
collect_inputs (GstClAggregator *self)
{
  Inputs *inputs = &PRIVATE (self)->inputs;
  gboolean is_complete;

  GST_OBJECT_LOCK (self);
  inputs->n = 0;
  allocate_inputs (inputs, GST_ELEMENT (self)->numsinkpads);
  for (GList *i = GST_ELEMENT (self)->sinkpads; i; i = i->next)
    inputs->pads[inputs->n++] = i->data;
  GST_OBJECT_UNLOCK (self);

  sort_pads (inputs);
  is_complete = inputs->n > 0;
  for (guint i = 0; i < inputs->n; i++) {
    set_input (inputs, i);
    is_complete = is_complete && inputs->buffers[i];
  }

  return is_complete;
}

/* Returns TRUE if frames of an input do not have the caps of its pad, because
 * they were refused. */
static gboolean
has_refused (GstClAggregator *self)
{
  const Inputs *inputs = &PRIVATE (self)->inputs;

  for (guint i = 0; i < inputs->n; i++) {
    if (g_atomic_int_get (&inputs->pads[i]->has_refused))
      return TRUE;
  }

  return FALSE;
}

/* Returns TRUE if an input has ended and has no frame any more. */
static gboolean
has_ended (GstClAggregator *self)
{
  gboolean is_ended = FALSE;

  GST_OBJECT_LOCK (self);
  for (GList *i = GST_ELEMENT (self)->sinkpads; i && !is_ended; i = i->next)
    is_ended = gst_aggregator_pad_is_eos (i->data) &&
               !gst_aggregator_pad_has_buffer (i->data) &&
               !gst_video_aggregator_pad_has_current_buffer (i->data);
  GST_OBJECT_UNLOCK (self);

  return is_ended;
}

static GstClInputs
get_inputs (GstClAggregator *self)
{
  const Inputs *inputs = &PRIVATE (self)->inputs;

  return (GstClInputs){ inputs->n, inputs->buffers, inputs->infos,
    inputs->running_times };
}

/* --- ops ------------------------------------------------------------------ */

static gboolean
is_configured (GstClAggregator *self)
{
  const GstClAggregatorPrivate *priv = PRIVATE (self);
  const Inputs *inputs = &priv->inputs;

  if (!priv->in_flight ||
      gst_cl_in_flight_n_inputs (priv->in_flight) != inputs->n)
    return FALSE;

  for (guint i = 0; i < inputs->n; i++) {
    if (!gst_video_info_is_equal (&priv->configured[i], &inputs->infos[i]))
      return FALSE;
  }

  return TRUE;
}

/* Kernels are built as `wait-for-kernels` says. */
static void
enter_scope (GstClAggregator *self, GstClBuildScope *scope)
{
  *scope = (GstClBuildScope){
    .is_change = !PRIVATE (self)->has_new_input,
    .is_complete = PRIVATE (self)->context_helper.waits_for_kernels,
  };
  gst_cl_build_scope_enter (scope, GST_CL_BUILD_CONFIGURE);
}

/* Checks that the frames are as large as their caps say: their first planes. */
static gboolean
check_buffers (GstClAggregator *self, GError **error)
{
  const Inputs *inputs = &PRIVATE (self)->inputs;

  for (guint i = 0; i < inputs->n; i++) {
    const GstVideoInfo *info = &inputs->infos[i];

    if (!info->finfo ||
        GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_FORMAT_UNKNOWN) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
          "%s has frames without caps.", GST_OBJECT_NAME (inputs->pads[i]));
      return FALSE;
    }
    if (!gst_cl_frame_check_plane (inputs->buffers[i], info, 0, error))
      return FALSE;
  }

  return TRUE;
}

static void
set_configured (GstClAggregator *self)
{
  GstClAggregatorPrivate *priv = PRIVATE (self);
  const Inputs *inputs = &priv->inputs;

  if (!priv->in_flight ||
      gst_cl_in_flight_n_inputs (priv->in_flight) != inputs->n) {
    gst_cl_in_flight_free (priv->in_flight);
    priv->in_flight = gst_cl_in_flight_new (priv->context, inputs->n);
  }
  g_free (priv->configured);
  priv->configured = g_memdup2 (inputs->infos,
      inputs->n * sizeof *inputs->infos);
}

static gboolean
create_ops (GstClAggregator *self, GError **error)
{
  const GstClInputs inputs = get_inputs (self);
  GstClBuildScope scope;
  gboolean is_created;

  enter_scope (self, &scope);
  is_created = GST_CL_AGGREGATOR_GET_CLASS (self)->configure (self, &inputs,
      &GST_VIDEO_AGGREGATOR (self)->info, error);
  gst_cl_build_scope_leave ();

  return is_created;
}

static GstFlowReturn
configure (GstClAggregator *self)
{
  GstClAggregatorPrivate *priv = PRIVATE (self);
  GError *error = NULL;

  priv->has_new_input = priv->has_new_input || !is_configured (self);
  if (!priv->has_new_input && !priv->needs_configure)
    return GST_FLOW_OK;

  /* stays TRUE until configuring succeeds: no frame is processed before */
  priv->needs_configure = TRUE;
  if (!check_buffers (self, &error) ||
      (priv->in_flight && !gst_cl_in_flight_drain (priv->in_flight, &error)) ||
      !create_ops (self, &error))
    return gst_cl_error_latch_post (&priv->error_latch, GST_ELEMENT (self),
               priv->context, error)
               ? GST_FLOW_NOT_NEGOTIATED
               : GST_BASE_TRANSFORM_FLOW_DROPPED;

  set_configured (self);
  if (priv->error_latch.last)
    gst_cl_context_forget_failure (priv->context);
  gst_cl_error_latch_clear (&priv->error_latch);
  priv->needs_configure = FALSE;
  priv->has_new_input = FALSE;

  return GST_FLOW_OK;
}

/* --- processing ---------------------------------------------------------- */

static GstFlowReturn
explain_shortage (GstClAggregator *self)
{
  GstClAggregatorPrivate *priv = PRIVATE (self);
  g_autoptr (GError)
      error = gst_cl_allocator_take_error (GST_CL_ALLOCATOR (priv->allocator));

  if (!error) {
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("Failed to allocate an output buffer."), (NULL));
    return GST_FLOW_ERROR;
  }
  gst_cl_pool_explain_shortage (priv->context, GST_AGGREGATOR_SRC_PAD (self),
      &error);
  gst_cl_aggregator_fail (self, error);

  return failed_flow (self);
}

static GstFlowReturn
allocate_output (GstClAggregator *self, GstBuffer **out)
{
  GstFlowReturn flow;

  flow = GST_VIDEO_AGGREGATOR_CLASS (gst_cl_aggregator_parent_class)
             ->create_output_buffer (GST_VIDEO_AGGREGATOR (self), out);
  if (flow == GST_FLOW_ERROR)
    return explain_shortage (self);
  if (flow == GST_FLOW_OK && PRIVATE (self)->context->is_discrete &&
      (*out)->pool && gst_is_cl_memory (gst_buffer_peek_memory (*out, 0)))
    gst_cl_pool_fill ((*out)->pool);

  return flow;
}

/* GstVideoAggregator.create_output_buffer: no buffer and GST_FLOW_OK if there
 * is no frame for this time. */
static GstFlowReturn
create_output_buffer (GstVideoAggregator *video, GstBuffer **out)
{
  GstClAggregator *self = GST_CL_AGGREGATOR (video);
  GstFlowReturn flow;

  *out = NULL;
  if (gst_cl_failure_is_set (&PRIVATE (self)->failure)) {
    flow = failed_flow (self);
  } else if (!collect_inputs (self)) {
    GST_LOG_OBJECT (self, "an input has no frame");
    flow = has_ended (self) ? GST_FLOW_EOS : GST_FLOW_OK;
  } else if (has_refused (self)) {
    flow = GST_FLOW_NOT_NEGOTIATED;
  } else {
    flow = configure (self);
    if (flow == GST_FLOW_OK)
      flow = allocate_output (self, out);
  }

  return flow == GST_BASE_TRANSFORM_FLOW_DROPPED ? GST_FLOW_OK : flow;
}

/* Processes a frame; may create ops for it. */
static gboolean
process_frame (GstClAggregator *self, GstBuffer *out, GError **error)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD (self);
  const GstClInputs inputs = get_inputs (self);
  GstClBuildScope scope;
  GstSegment segment;
  gboolean is_done;

  GST_OBJECT_LOCK (src);
  segment = GST_AGGREGATOR_PAD (src)->segment;
  GST_OBJECT_UNLOCK (src);

  enter_scope (self, &scope);
  is_done = GST_CL_AGGREGATOR_GET_CLASS (self)->process (self,
      PRIVATE (self)->in_flight, &inputs, out, &segment, error);
  gst_cl_build_scope_leave ();

  return is_done;
}

/* The device may still be processing the frame when this returns. */
static GstFlowReturn
aggregate_frames (GstVideoAggregator *video, GstBuffer *out)
{
  GstClAggregator *self = GST_CL_AGGREGATOR (video);
  GstClAggregatorPrivate *priv = PRIVATE (self);
  g_autoptr (GError) error = NULL;
  GstFlowReturn flow;
  gboolean done;

  done = gst_cl_in_flight_begin (priv->in_flight, &error);
  if (done) {
    done = process_frame (self, out, &error);
    if (!gst_cl_in_flight_end (priv->in_flight, priv->inputs.buffers,
            priv->inputs.n, done ? &error : NULL))
      done = FALSE;
  }
  if (done && !gst_cl_caps_is_device (priv->out_caps))
    done = gst_cl_memory_prefetch (out, &error);
  if (done)
    return GST_FLOW_OK;

  gst_cl_aggregator_fail (self, error);
  flow = failed_flow (self);
  priv->is_dropped = flow == GST_BASE_TRANSFORM_FLOW_DROPPED;

  return priv->is_dropped ? GST_FLOW_OK : flow;
}

static GstFlowReturn
finish_buffer (GstAggregator *agg, GstBuffer *buffer)
{
  GstClAggregatorPrivate *priv = PRIVATE (GST_CL_AGGREGATOR (agg));

  if (!priv->is_dropped)
    return parent_class ()->finish_buffer (agg, buffer);

  priv->is_dropped = FALSE;
  gst_buffer_unref (buffer);

  return GST_FLOW_OK;
}

/* GstVideoAggregator takes the first frame of new caps, and then asks for a
 * negotiation and for more data: GstAggregator would wait for the next frames
 * before it negotiates, and the output would be a frame late. */
static GstFlowReturn
aggregate (GstAggregator *agg, gboolean timeout)
{
  GstClAggregator *self = GST_CL_AGGREGATOR (agg);
  GstFlowReturn flow;

  sync_values (self);
  flow = update_settings (self);
  if (flow != GST_FLOW_OK)
    return flow;
  if (has_ended (self))
    return GST_FLOW_EOS;

  flow = parent_class ()->aggregate (agg, timeout);
  if (flow != GST_AGGREGATOR_FLOW_NEED_DATA ||
      !gst_pad_needs_reconfigure (GST_AGGREGATOR_SRC_PAD (self)))
    return flow;
  flow = negotiate (self);

  return flow == GST_FLOW_OK ? parent_class ()->aggregate (agg, timeout) : flow;
}

/* --- events and queries -------------------------------------------------- */

/* Serialized events run in the streaming thread of the output. */
static gboolean
gst_cl_aggregator_sink_event (GstAggregator *agg, GstAggregatorPad *pad,
    GstEvent *event)
{
  GstClAggregator *self = GST_CL_AGGREGATOR (agg);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return handle_caps (self, pad, event);
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT:
      drain (self);
      break;
    default:
      break;
  }

  return parent_class ()->sink_event (agg, pad, event);
}

static gboolean
gst_cl_aggregator_sink_query (GstAggregator *agg, GstAggregatorPad *pad,
    GstQuery *query)
{
  GstClAggregator *self = GST_CL_AGGREGATOR (agg);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CONTEXT:
      if (gst_cl_context_helper_answer (&PRIVATE (self)->context_helper,
              GST_ELEMENT (self), query))
        return TRUE;
      break;
    case GST_QUERY_CAPS:
      answer_caps (self, GST_PAD (pad), query);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      answer_accept_caps (self, GST_PAD (pad), query);
      return TRUE;
    case GST_QUERY_ALLOCATION:
    case GST_QUERY_DRAIN:
      /* both run in the streaming thread; upstream needs its buffers back */
      drain (self);
      break;
    default:
      break;
  }

  return parent_class ()->sink_query (agg, pad, query);
}

static gboolean
gst_cl_aggregator_src_query (GstAggregator *agg, GstQuery *query)
{
  return (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT &&
             gst_cl_context_helper_answer (
                 &PRIVATE (GST_CL_AGGREGATOR (agg))->context_helper,
                 GST_ELEMENT (agg), query)) ||
         parent_class ()->src_query (agg, query);
}

/* All inputs are flushed; the streaming thread has ended. */
static GstFlowReturn
gst_cl_aggregator_flush (GstAggregator *agg)
{
  GstClAggregator *self = GST_CL_AGGREGATOR (agg);
  GstClAggregatorClass *klass = GST_CL_AGGREGATOR_GET_CLASS (self);

  drain (self);
  if (klass->reset)
    klass->reset (self);

  return parent_class ()->flush (agg);
}

/* --- properties ---------------------------------------------------------- */

static void
gst_cl_aggregator_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  gst_cl_context_helper_set_property (
      &PRIVATE (GST_CL_AGGREGATOR (object))->context_helper, object, id, value,
      pspec);
}

static void
gst_cl_aggregator_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  gst_cl_context_helper_get_property (
      &PRIVATE (GST_CL_AGGREGATOR (object))->context_helper, object, id, value,
      pspec);
}

/* --- life cycle ---------------------------------------------------------- */

static gboolean
gst_cl_aggregator_start (GstAggregator *agg)
{
  GstClAggregatorPrivate *priv = PRIVATE (GST_CL_AGGREGATOR (agg));

  if (!gst_cl_context_helper_open (&priv->context_helper, GST_ELEMENT (agg)))
    return FALSE;

  gst_cl_failure_clear (&priv->failure);
  priv->context = gst_object_ref (priv->context_helper.context);
  priv->allocator = gst_cl_allocator_new (priv->context);
  priv->is_dropped = FALSE;
  GST_INFO_OBJECT (agg, "runs on %s (%s)", priv->context->device->name,
      priv->context->device->platform_name);
  g_object_notify_by_pspec (G_OBJECT (agg), device_name_pspec);

  return parent_class ()->start (agg);
}

static gboolean
gst_cl_aggregator_stop (GstAggregator *agg)
{
  GstClAggregatorPrivate *priv = PRIVATE (GST_CL_AGGREGATOR (agg));

  gst_cl_snapshot_end (&priv->snapshot, agg, take_settings);
  gst_cl_error_latch_clear (&priv->error_latch);
  gst_caps_replace (&priv->out_caps, NULL);
  g_clear_pointer (&priv->in_flight, gst_cl_in_flight_free);
  g_clear_pointer (&priv->configured, g_free);
  free_inputs (&priv->inputs);
  gst_clear_object (&priv->allocator);
  gst_cl_tiered_ops_wait (priv->context);
  gst_clear_object (&priv->context);
  gst_cl_context_helper_close (&priv->context_helper, GST_ELEMENT (agg));

  return parent_class ()->stop (agg);
}

static void
gst_cl_aggregator_finalize (GObject *object)
{
  gst_cl_context_helper_clear (
      &PRIVATE (GST_CL_AGGREGATOR (object))->context_helper);

  G_OBJECT_CLASS (gst_cl_aggregator_parent_class)->finalize (object);
}

static void
gst_cl_aggregator_init (GstClAggregator *self)
{
  gst_cl_context_helper_init (&PRIVATE (self)->context_helper);
}

static void
gst_cl_aggregator_class_init (GstClAggregatorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *agg_class = GST_AGGREGATOR_CLASS (klass);
  GstVideoAggregatorClass *video_class = GST_VIDEO_AGGREGATOR_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_cl_aggregator_debug, "claggregator", 0,
      "OpenCL aggregator");

  object_class->set_property = gst_cl_aggregator_set_property;
  object_class->get_property = gst_cl_aggregator_get_property;
  object_class->finalize = gst_cl_aggregator_finalize;
  element_class->request_new_pad = GST_DEBUG_FUNCPTR (
      gst_cl_aggregator_request_new_pad);
  element_class->release_pad = GST_DEBUG_FUNCPTR (
      gst_cl_aggregator_release_pad);
  agg_class->start = GST_DEBUG_FUNCPTR (gst_cl_aggregator_start);
  agg_class->stop = GST_DEBUG_FUNCPTR (gst_cl_aggregator_stop);
  agg_class->flush = GST_DEBUG_FUNCPTR (gst_cl_aggregator_flush);
  agg_class->sink_event = GST_DEBUG_FUNCPTR (gst_cl_aggregator_sink_event);
  agg_class->sink_query = GST_DEBUG_FUNCPTR (gst_cl_aggregator_sink_query);
  agg_class->src_query = GST_DEBUG_FUNCPTR (gst_cl_aggregator_src_query);
  agg_class->aggregate = GST_DEBUG_FUNCPTR (aggregate);
  agg_class->finish_buffer = GST_DEBUG_FUNCPTR (finish_buffer);
  agg_class->update_src_caps = GST_DEBUG_FUNCPTR (update_src_caps);
  agg_class->negotiated_src_caps = GST_DEBUG_FUNCPTR (negotiated_src_caps);
  agg_class->decide_allocation = GST_DEBUG_FUNCPTR (decide_allocation);
  agg_class->propose_allocation = GST_DEBUG_FUNCPTR (propose_allocation);
  video_class->create_output_buffer = GST_DEBUG_FUNCPTR (create_output_buffer);
  video_class->aggregate_frames = GST_DEBUG_FUNCPTR (aggregate_frames);

  device_name_pspec = gst_cl_context_helper_install (object_class);
  gst_type_mark_as_plugin_api (GST_TYPE_CL_AGGREGATOR, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CL_AGGREGATOR_PAD, 0);
}

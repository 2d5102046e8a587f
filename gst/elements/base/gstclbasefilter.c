/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Common parts of OpenCL filters: device, memory, frames in flight, errors. */

#include "gstclbasefilter.h"

#include "cl/context/gstclprogram.h"
#include "cl/device/gstclerror.h"
#include "cl/memory/gstclmemory.h"
#include "cl/video/gstcldrm.h"
#include "gstclcaps.h"
#include "gstclcontexthelper.h"
#include "gstclfailure.h"
#include "gstclinflight.h"
#include "gstclpool.h"
#include "gstclsnapshot.h"
#include "ops/tieredop.h"

GST_DEBUG_CATEGORY (gst_cl_base_filter_debug);
#define GST_CAT_DEFAULT gst_cl_base_filter_debug

/* --- metas from input to output ------------------------------------------- */

/* How each meta of the input buffer is copied to the output. Metas that stay
 * valid and do not describe memory are copied. Metas with positions are scaled
 * as videoscale does, or dropped if they cannot be scaled. If the output shows
 * a part of the input, regions of interest are clipped to that part. */
typedef enum {
  META_LEAVE_OUT,
  META_COPY,
  META_SCALE, /* copy if input and output have the same size */
} MetaUse;

static MetaUse
meta_use (const GstMeta *meta)
{
  const gchar *const *tags = gst_meta_api_type_get_tags (meta->info->api);
  gboolean has_position = FALSE;

  for (guint i = 0; tags && tags[i]; i++) {
    if (g_str_equal (tags[i], GST_META_TAG_VIDEO_SIZE_STR) ||
        g_str_equal (tags[i], GST_META_TAG_VIDEO_ORIENTATION_STR))
      has_position = TRUE;
    else if (!g_str_equal (tags[i], GST_META_TAG_VIDEO_STR))
      return META_LEAVE_OUT;
  }

  return has_position ? META_SCALE : META_COPY;
}

/* Sets @cropped to the part of region @meta within @view, relative to the
 * corner of @view. Returns FALSE if they do not overlap. */
static gboolean
crop_region (GstVideoRegionOfInterestMeta *cropped, GstMeta *meta,
    const GstVideoRectangle *view)
{
  const gint64 left = ((GstVideoRegionOfInterestMeta *) meta)->x,
               top = ((GstVideoRegionOfInterestMeta *) meta)->y;

  *cropped = *(GstVideoRegionOfInterestMeta *) meta;
  cropped->x = (guint) MAX (left - view->x, 0);
  cropped->y = (guint) MAX (top - view->y, 0);
  cropped->w = (guint) MAX (
      MIN (left + cropped->w - view->x, view->w) - (gint64) cropped->x, 0);
  cropped->h = (guint) MAX (
      MIN (top + cropped->h - view->y, view->h) - (gint64) cropped->y, 0);

  return cropped->w > 0 && cropped->h > 0;
}

/* Adds @meta of @in to @out, scaled by @sizes of both frames: @view, a part of
 * the input frame, becomes the whole output. */
static void
scale_meta (GstMeta *meta, GstBuffer *in, const GstVideoRectangle *view,
    GstBuffer *out, const GstVideoMetaTransform *sizes)
{
  const GQuark scale = gst_video_meta_transform_scale_get_quark ();
  GstVideoInfo view_info = *sizes->in_info;
  GstVideoMetaTransform transform = { &view_info, sizes->out_info };
  GstVideoRegionOfInterestMeta region;

  view_info.width = view->w;
  view_info.height = view->h;
  if (view->x > 0 || view->y > 0 || view->w < sizes->in_info->width ||
      view->h < sizes->in_info->height) {
    if (meta->info->api != GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE ||
        !crop_region (&region, meta, view))
      return;
    meta = &region.meta;
  }
  if (view->w > 0 && view->h > 0 && meta->info->transform_func)
    meta->info->transform_func (out, meta, in, scale, &transform);
}

/* --- type ---------------------------------------------------------------- */

typedef struct {
  GstClContextHelper context_helper;
  GstClInPlace in_place;

  /* between start() and stop() */
  GstClContext *context;
  GstClInFlight *in_flight;
  GstAllocator *allocator;

  GstClSnapshot snapshot;
  GstClFailure failure;
  gint has_refused; /* atomic: an error about the input caps has been posted */

  /* streaming thread */
  gboolean needs_configure;
  gboolean has_new_input; /* the input caps have changed, not only a property */
  GstClErrorLatch error_latch;
  GstCaps *in_caps, *out_caps;
} GstClBaseFilterPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (GstClBaseFilter, gst_cl_base_filter,
    GST_TYPE_BASE_TRANSFORM)

static GstBaseTransformClass *
parent_class (void)
{
  return GST_BASE_TRANSFORM_CLASS (gst_cl_base_filter_parent_class);
}

#define PRIVATE(self)                                                          \
  ((GstClBaseFilterPrivate *) gst_cl_base_filter_get_instance_private (self))

static GParamSpec *device_name_pspec;

GstClContext *
gst_cl_base_filter_context (GstClBaseFilter *self)
{
  return PRIVATE (self)->context;
}

GstClInPlace *
gst_cl_base_filter_in_place (GstClBaseFilter *self)
{
  return &PRIVATE (self)->in_place;
}

GstAllocator *
gst_cl_base_filter_allocator (GstClBaseFilter *self)
{
  return PRIVATE (self)->allocator;
}

void
gst_cl_base_filter_fail (GstClBaseFilter *self, const GError *error)
{
  gst_cl_failure_post (&PRIVATE (self)->failure, GST_ELEMENT (self),
      PRIVATE (self)->context, error);
}

GstFlowReturn
gst_cl_base_filter_failed_flow (GstClBaseFilter *self)
{
  return gst_cl_failure_flow (&PRIVATE (self)->failure, GST_ELEMENT (self),
      PRIVATE (self)->context);
}

static gboolean
done_or_fail (GstClBaseFilter *self, gboolean done, GError **error)
{
  if (!done)
    gst_cl_base_filter_fail (self, *error);
  g_clear_error (error);

  return done;
}

/* --- negotiation --------------------------------------------------------- */

/* GstBaseTransform posts nothing when negotiation fails because downstream
 * rejects the caps. This function posts which caps were rejected. */
static void
post_caps_error (GstClBaseFilter *self, GstCaps *in)
{
  GstClBaseFilterPrivate *priv = PRIVATE (self);
  const gchar *names = GST_CL_BASE_FILTER_GET_CLASS (self)->caps_properties;
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  GError *error;

  if (!names || !priv->context)
    return;

  error = gst_cl_caps_check_downstream (
      GST_BASE_TRANSFORM_GET_CLASS (trans)->transform_caps (trans, GST_PAD_SINK,
          in, NULL),
      trans->srcpad, names);
  if (error)
    gst_cl_error_latch_post (&priv->error_latch, GST_ELEMENT (self),
        priv->context, error);
}

/* Kernels are built as `wait-for-kernels` says. */
static void
enter_scope (GstClBaseFilter *self, GstClBuildScope *scope)
{
  *scope = (GstClBuildScope){
    .is_change = !PRIVATE (self)->has_new_input,
    .is_complete = PRIVATE (self)->context_helper.waits_for_kernels,
  };
  gst_cl_build_scope_enter (scope, GST_CL_BUILD_CONFIGURE);
}

static gboolean
create_ops (GstClBaseFilter *self, GError **error)
{
  GstClBaseFilterPrivate *priv = PRIVATE (self);
  GstClBuildScope scope;
  gboolean is_created;

  enter_scope (self, &scope);
  is_created = GST_CL_BASE_FILTER_GET_CLASS (self)->configure (self,
      priv->in_caps, priv->out_caps, error);
  gst_cl_build_scope_leave ();

  return is_created;
}

/* Processes a frame; may create ops for it. */
static gboolean
process_frame (GstClBaseFilter *self, GstBuffer *in, GstBuffer *out,
    GError **error)
{
  GstClBuildScope scope;
  gboolean is_done;

  enter_scope (self, &scope);
  is_done = GST_CL_BASE_FILTER_GET_CLASS (self)->process (self,
      PRIVATE (self)->in_flight, in, out, error);
  gst_cl_build_scope_leave ();

  return is_done;
}

/* Runs before a buffer is processed, and after its size has been checked
 * against the caps: configuring compiles kernels, allocates scratch memory and
 * measures implementations for the size in the caps, however large it is. */
static GstFlowReturn
configure (GstClBaseFilter *self)
{
  GstClBaseFilterPrivate *priv = PRIVATE (self);
  GError *error = NULL;

  /* stays TRUE until configuring succeeds: no buffer is processed before */
  priv->needs_configure = TRUE;
  if (!gst_cl_in_flight_drain (priv->in_flight, &error) ||
      !create_ops (self, &error))
    return gst_cl_error_latch_post (&priv->error_latch, GST_ELEMENT (self),
               priv->context, error)
               ? GST_FLOW_NOT_NEGOTIATED
               : GST_BASE_TRANSFORM_FLOW_DROPPED;

  if (priv->error_latch.last)
    gst_cl_context_forget_failure (priv->context);
  gst_cl_error_latch_clear (&priv->error_latch);
  priv->needs_configure = FALSE;
  priv->has_new_input = FALSE;

  return GST_FLOW_OK;
}

/* Checks that the next buffer is as large as its caps say; for video, checks
 * the first plane only. */
static gboolean
check_buffer (GstClBaseFilter *self, GstBuffer *buffer)
{
  GError *error = NULL;

  return done_or_fail (self,
      gst_cl_pool_check_buffer (PRIVATE (self)->in_caps, buffer, &error),
      &error);
}

static gboolean
gst_cl_base_filter_set_caps (GstBaseTransform *trans, GstCaps *in, GstCaps *out)
{
  GstClBaseFilter *self = GST_CL_BASE_FILTER (trans);
  GstClBaseFilterPrivate *priv = PRIVATE (self);
  g_autoptr (GstCaps) plain_in = gst_cl_drm_resolve (gst_caps_ref (in));

  GST_DEBUG_OBJECT (trans, "%" GST_PTR_FORMAT " to %" GST_PTR_FORMAT,
      (gpointer) in, (gpointer) out);

  priv->needs_configure = TRUE;
  priv->has_new_input |= !priv->in_caps ||
                         !gst_caps_is_equal (priv->in_caps, plain_in);
  /* not if frames pass unchanged */
  if (priv->has_new_input && gst_cl_caps_mixes_fields (in) &&
      !GST_CL_BASE_FILTER_GET_CLASS (self)->splits_fields &&
      !GST_BASE_TRANSFORM_GET_CLASS (trans)->passthrough_on_same_caps)
    GST_INFO_OBJECT (trans,
        "interlaced: both fields are processed as one picture");
  gst_caps_take (&priv->in_caps, g_steal_pointer (&plain_in));
  gst_caps_take (&priv->out_caps, gst_cl_drm_resolve (gst_caps_ref (out)));
  if (GST_CL_BASE_FILTER_GET_CLASS (self)->works_in_place)
    gst_cl_in_place_set_caps (&priv->in_place, trans, priv->in_caps,
        priv->out_caps);

  return TRUE;
}

/* --- settings ------------------------------------------------------------ */

/* Sets controlled properties to their values at the time of @buffer. Streaming
 * thread. */
static void
sync_controlled (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (trans->segment.format == GST_FORMAT_TIME)
    time = gst_segment_to_stream_time (&trans->segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (trans), time);
}

static void
take_settings (gpointer element)
{
  GstClBaseFilterClass *klass = GST_CL_BASE_FILTER_GET_CLASS (element);

  if (klass->take_settings)
    klass->take_settings (element);
}

void
gst_cl_base_filter_mark_changed (GstClBaseFilter *self, GstClChange change)
{
  if (change == GST_CL_CHANGE_NONE)
    return;

  gst_cl_snapshot_mark (&PRIVATE (self)->snapshot, change, self, take_settings);
}

/* Updates the settings before caps are negotiated. Requests negotiation if the
 * caps depend on a changed property. */
static void
update_settings (GstClBaseFilter *self)
{
  GstClBaseFilterPrivate *priv = PRIVATE (self);
  const GstClChange change = gst_cl_snapshot_update (&priv->snapshot, self,
      take_settings);

  if (change != GST_CL_CHANGE_NONE)
    gst_cl_in_place_apply (&priv->in_place, GST_BASE_TRANSFORM (self));
  if (change >= GST_CL_CHANGE_OPS)
    priv->needs_configure = TRUE;
  if (change == GST_CL_CHANGE_CAPS)
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
}

gboolean
gst_cl_base_filter_may_measure (GstClBaseFilter *self)
{
  return PRIVATE (self)->has_new_input;
}

/* GstBaseTransform renegotiates if update_settings() requested it, but it calls
 * set_caps() only if the caps have changed. */
static GstFlowReturn
gst_cl_base_filter_submit_input_buffer (GstBaseTransform *trans,
    gboolean is_discont, GstBuffer *in)
{
  GstClBaseFilter *self = GST_CL_BASE_FILTER (trans);
  GstClBaseFilterPrivate *priv = PRIVATE (self);
  GstFlowReturn flow;

  sync_controlled (trans, in);
  update_settings (self);
  flow = parent_class ()->submit_input_buffer (trans, is_discont, in);
  if (flow == GST_FLOW_NOT_NEGOTIATED) {
    /* the output caps are those of the old settings */
    gst_base_transform_reconfigure_src (trans);
    if (priv->in_caps)
      post_caps_error (self, priv->in_caps);
  }
  if (flow != GST_FLOW_OK || !priv->needs_configure || !priv->in_caps ||
      !trans->queued_buf)
    return flow;
  if (!check_buffer (self, trans->queued_buf))
    return GST_FLOW_ERROR;

  return configure (self);
}

/* --- processing ---------------------------------------------------------- */

/* The device may still be processing the frame when this returns. */
static GstFlowReturn
process_buffer (GstClBaseFilter *self, GstBuffer *in, GstBuffer *out)
{
  GstClBaseFilterPrivate *priv = PRIVATE (self);
  GError *error = NULL;
  gboolean done;

  if (gst_cl_failure_is_set (&priv->failure))
    return gst_cl_base_filter_failed_flow (self);

  done = gst_cl_in_flight_begin (priv->in_flight, &error);
  if (done) {
    done = gst_cl_in_place_upload (&priv->in_place, priv->context,
               priv->in_flight, in, out, &error) &&
           process_frame (self, in, out, &error);
    if (!gst_cl_in_flight_end (priv->in_flight, &in, 1, done ? &error : NULL))
      done = FALSE;
  }
  if (done && in != out && !gst_cl_caps_is_device (priv->out_caps))
    done = gst_cl_memory_prefetch (out, &error);

  return done_or_fail (self, done, &error)
             ? GST_FLOW_OK
             : gst_cl_base_filter_failed_flow (self);
}

gboolean
gst_cl_base_filter_is_done (GstClBaseFilter *self, guint64 number)
{
  return gst_cl_in_flight_is_done (PRIVATE (self)->in_flight, number);
}

gboolean
gst_cl_base_filter_wait (GstClBaseFilter *self, guint64 number)
{
  GError *error = NULL;

  return done_or_fail (self,
      gst_cl_in_flight_wait (PRIVATE (self)->in_flight, number, &error),
      &error);
}

gboolean
gst_cl_base_filter_drain (GstClBaseFilter *self)
{
  GstClBaseFilterPrivate *priv = PRIVATE (self);
  GError *error = NULL;

  return !priv->in_flight ||
         done_or_fail (self, gst_cl_in_flight_drain (priv->in_flight, &error),
             &error);
}

static GstFlowReturn
gst_cl_base_filter_transform (GstBaseTransform *trans, GstBuffer *in,
    GstBuffer *out)
{
  return process_buffer (GST_CL_BASE_FILTER (trans), in, out);
}

GstFlowReturn
gst_cl_base_filter_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  return process_buffer (GST_CL_BASE_FILTER (trans), buffer, buffer);
}

/* --- events and queries -------------------------------------------------- */

static gboolean
handle_caps (GstBaseTransform *trans, GstEvent *event)
{
  g_autoptr (GstEvent) kept = gst_event_ref (event);
  GstCaps *caps;

  g_atomic_int_set (&PRIVATE (GST_CL_BASE_FILTER (trans))->has_refused, FALSE);
  update_settings (GST_CL_BASE_FILTER (trans));
  if (parent_class ()->sink_event (trans, event))
    return TRUE;

  gst_event_parse_caps (kept, &caps);
  post_caps_error (GST_CL_BASE_FILTER (trans), caps);

  return FALSE;
}

/* Returns upstream's buffers when a stream ends or restarts. */
static gboolean
gst_cl_base_filter_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return handle_caps (trans, event);
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_FLUSH_STOP:
      gst_cl_base_filter_drain (GST_CL_BASE_FILTER (trans));
      break;
    default:
      break;
  }

  return parent_class ()->sink_event (trans, event);
}

/* Upstream may send rejected caps repeatedly; the element posts one error until
 * other caps arrive. */
static void
post_input_error (GstBaseTransform *trans, GstQuery *query)
{
  GstClBaseFilterPrivate *priv = PRIVATE (GST_CL_BASE_FILTER (trans));
  g_autoptr (GError) error = gst_cl_caps_check_input (trans->sinkpad, query);

  if (error &&
      g_atomic_int_compare_and_exchange (&priv->has_refused, FALSE, TRUE))
    gst_cl_post_error (trans, error);
}

static gboolean
gst_cl_base_filter_query (GstBaseTransform *trans, GstPadDirection direction,
    GstQuery *query)
{
  GstClBaseFilter *self = GST_CL_BASE_FILTER (trans);
  const GstQueryType type = GST_QUERY_TYPE (query);
  gboolean answered;

  if (type == GST_QUERY_CONTEXT &&
      gst_cl_context_helper_answer (&PRIVATE (self)->context_helper,
          GST_ELEMENT (trans), query))
    return TRUE;
  /* both run in the streaming thread; upstream needs its buffers back */
  if ((type == GST_QUERY_ALLOCATION || type == GST_QUERY_DRAIN) &&
      direction == GST_PAD_SINK)
    gst_cl_base_filter_drain (self);

  answered = parent_class ()->query (trans, direction, query);
  if (answered && type == GST_QUERY_CAPS && direction == GST_PAD_SINK)
    gst_cl_caps_prefer_device (query, PRIVATE (self)->context);
  if (answered && type == GST_QUERY_ACCEPT_CAPS && direction == GST_PAD_SINK)
    post_input_error (trans, query);

  return answered;
}

/* --- output -------------------------------------------------------------- */

static gboolean
decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  GstClBaseFilter *self = GST_CL_BASE_FILTER (trans);
  const GstClBaseFilterClass *klass = GST_CL_BASE_FILTER_GET_CLASS (self);
  GstAllocator *allocator = gst_cl_base_filter_allocator (self);
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (caps && klass->writes_system_memory &&
      klass->writes_system_memory (self, caps))
    allocator = NULL;

  return gst_cl_pool_decide (query, allocator) &&
         parent_class ()->decide_allocation (trans, query);
}

static GstFlowReturn
prepare_output_buffer (GstBaseTransform *trans, GstBuffer *in, GstBuffer **out)
{
  GstClBaseFilter *self = GST_CL_BASE_FILTER (trans);
  GstClContext *context = gst_cl_base_filter_context (self);
  g_autoptr (GError) error = NULL;
  GstFlowReturn flow;

  *out = gst_cl_in_place_pass (gst_cl_base_filter_in_place (self), context, in);
  if (*out)
    return GST_FLOW_OK;

  flow = parent_class ()->prepare_output_buffer (trans, in, out);

  if (flow == GST_FLOW_ERROR)
    error = gst_cl_allocator_take_error (
        GST_CL_ALLOCATOR (gst_cl_base_filter_allocator (self)));
  if (error) {
    gst_cl_pool_explain_shortage (context, trans->srcpad, &error);
    gst_cl_base_filter_fail (self, error);
    return gst_cl_base_filter_failed_flow (self);
  }
  if (flow == GST_FLOW_ERROR)
    GST_ELEMENT_ERROR (trans, RESOURCE, NO_SPACE_LEFT,
        ("Failed to allocate an output buffer."), (NULL));
  else if (*out && *out != in && (*out)->pool && context->is_discrete &&
           gst_is_cl_memory (gst_buffer_peek_memory (*out, 0)))
    gst_cl_pool_fill ((*out)->pool);

  return flow;
}

/* --- input --------------------------------------------------------------- */

/* If buffers pass unchanged (no @decide_query), downstream answers first, and
 * its answer about layouts is kept. */
static gboolean
propose_buffers (GstBaseTransform *trans, GstQuery *decide_query,
    GstQuery *query, guint n_buffers)
{
  GstClContext *context = gst_cl_base_filter_context (
      GST_CL_BASE_FILTER (trans));
  const gboolean is_proposed = parent_class ()->propose_allocation (trans,
      decide_query, query);

  if (!decide_query) {
    if (gst_query_get_n_allocation_pools (query) == 0 &&
        gst_query_get_n_allocation_params (query) == 0)
      return gst_cl_pool_propose (query, context, n_buffers);
    gst_cl_pool_request_more (query, n_buffers);
    return TRUE;
  }
  if (!is_proposed)
    return FALSE;

  if (!gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  return gst_cl_pool_propose (query, context, n_buffers);
}

/* Returns TRUE if the answered @query has a pool without a maximum. */
static gboolean
requested_more (GstQuery *query)
{
  guint max_buffers;

  if (gst_query_get_n_allocation_pools (query) == 0)
    return FALSE;
  gst_query_parse_nth_allocation_pool (query, 0, NULL, NULL, NULL,
      &max_buffers);

  return max_buffers == 0;
}

static gboolean
propose_allocation (GstBaseTransform *trans, GstQuery *decide_query,
    GstQuery *query)
{
  GstClInPlace *in_place = gst_cl_base_filter_in_place (
      GST_CL_BASE_FILTER (trans));
  const guint n_held = gst_cl_in_place_held (in_place);

  /* frames in flight, delayed frames, and one that upstream is filling */
  if (!propose_buffers (trans, decide_query, query,
          GST_CL_FRAMES_IN_FLIGHT + n_held + 1))
    return FALSE;
  gst_cl_in_place_set_requested (in_place, requested_more (query) ? n_held : 0);

  return TRUE;
}

/* --- metas --------------------------------------------------------------- */

/* Sets only the size of @info, to that of frames, fields or integral images on
 * @pad; 0 if it has no caps. */
static void
get_size (GstPad *pad, GstVideoInfo *info)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *structure;

  gst_video_info_init (info);
  if (!caps)
    return;

  structure = gst_caps_get_structure (caps, 0);
  gst_structure_get (structure, "width", G_TYPE_INT, &info->width, "height",
      G_TYPE_INT, &info->height, NULL);
  if (gst_cl_structure_has_fields (structure))
    info->height = gst_cl_field_height (info->height);
}

/* Returns TRUE if GstBaseTransform should copy @meta. */
static gboolean
transform_meta (GstBaseTransform *trans, GstBuffer *out, GstMeta *meta,
    GstBuffer *in)
{
  GstClBaseFilterClass *klass = GST_CL_BASE_FILTER_GET_CLASS (trans);
  const MetaUse use = meta_use (meta);
  GstVideoInfo in_info, out_info;
  const GstVideoMetaTransform sizes = { &in_info, &out_info };
  GstVideoRectangle view;

  if (use != META_SCALE)
    return use == META_COPY;

  get_size (trans->sinkpad, &in_info);
  get_size (trans->srcpad, &out_info);
  if (in_info.width == out_info.width && in_info.height == out_info.height)
    return TRUE;

  view = (GstVideoRectangle){ 0, 0, in_info.width, in_info.height };
  if (klass->get_view)
    klass->get_view (GST_CL_BASE_FILTER (trans), in, in_info.width,
        in_info.height, &view);
  scale_meta (meta, in, &view, out, &sizes);

  return FALSE;
}

static gboolean
get_unit_size (GstBaseTransform *trans, GstCaps *caps, gsize *size)
{
  return gst_cl_buffer_pool_size (caps, size);
}

/* --- caps ---------------------------------------------------------------- */

static GstCaps *
map_structure (GstPadDirection direction, const GstStructure *structure,
    gpointer user_data)
{
  return GST_CL_BASE_FILTER_GET_CLASS (user_data)->map_structure (user_data,
      direction, structure);
}

/* Returns TRUE if a filter that works in place may upload frames: on a discrete
 * device, or if it is not known yet; on a host-unified device, where the upload
 * is a copy, only if downstream accepts no system memory. @caps: of the pad
 * that @direction names. */
static gboolean
may_upload (GstBaseTransform *trans, GstClContext *context,
    GstPadDirection direction, GstCaps *caps)
{
  g_autoptr (GstCaps) downstream = NULL;

  if (!context || context->is_discrete)
    return TRUE;

  downstream = direction == GST_PAD_SRC
                   ? gst_caps_ref (caps)
                   : gst_pad_peer_query_caps (trans->srcpad, NULL);

  return !gst_cl_caps_has_system (downstream);
}

static GstCaps *
map_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *filter)
{
  GstClContext *context = gst_cl_base_filter_context (
      GST_CL_BASE_FILTER (trans));
  GstPad *other = direction == GST_PAD_SINK ? trans->srcpad : trans->sinkpad;

  if (GST_CL_BASE_FILTER_GET_CLASS (trans)->map_structure)
    return gst_cl_caps_transform (caps, direction, other, filter, map_structure,
        trans);
  if (may_upload (trans, context, direction, caps))
    return gst_cl_caps_admitted (gst_cl_caps_uploading (caps, direction), other,
        filter);

  return GST_BASE_TRANSFORM_CLASS (g_type_class_peek (GST_TYPE_BASE_TRANSFORM))
      ->transform_caps (trans, direction, caps, filter);
}

/* Removes input memory that the device cannot import. */
static GstCaps *
transform_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *filter)
{
  GstClContext *context = gst_cl_base_filter_context (
      GST_CL_BASE_FILTER (trans));
  g_autoptr (GstCaps) in = NULL;

  if (direction == GST_PAD_SRC)
    return gst_cl_caps_importable (map_caps (trans, direction, caps, filter),
        context);
  in = gst_cl_caps_importable (gst_caps_ref (caps), context);

  return map_caps (trans, direction, in, filter);
}

/* --- properties ---------------------------------------------------------- */

static void
gst_cl_base_filter_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  gst_cl_context_helper_set_property (
      &PRIVATE (GST_CL_BASE_FILTER (object))->context_helper, object, id, value,
      pspec);
}

static void
gst_cl_base_filter_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  gst_cl_context_helper_get_property (
      &PRIVATE (GST_CL_BASE_FILTER (object))->context_helper, object, id, value,
      pspec);
}

/* --- life cycle ---------------------------------------------------------- */

static gboolean
gst_cl_base_filter_start (GstBaseTransform *trans)
{
  GstClBaseFilterPrivate *priv = PRIVATE (GST_CL_BASE_FILTER (trans));

  if (!gst_cl_context_helper_open (&priv->context_helper, GST_ELEMENT (trans)))
    return FALSE;

  gst_cl_failure_clear (&priv->failure);
  g_atomic_int_set (&priv->has_refused, FALSE);
  priv->context = gst_object_ref (priv->context_helper.context);
  priv->in_flight = gst_cl_in_flight_new (priv->context, 1);
  priv->allocator = gst_cl_allocator_new (priv->context);
  gst_cl_in_place_set_requested (&priv->in_place, 0);
  GST_INFO_OBJECT (trans, "runs on %s (%s)", priv->context->device->name,
      priv->context->device->platform_name);
  g_object_notify_by_pspec (G_OBJECT (trans), device_name_pspec);

  return TRUE;
}

static gboolean
gst_cl_base_filter_stop (GstBaseTransform *trans)
{
  GstClBaseFilterPrivate *priv = PRIVATE (GST_CL_BASE_FILTER (trans));

  gst_cl_snapshot_end (&priv->snapshot, trans, take_settings);
  gst_cl_error_latch_clear (&priv->error_latch);
  gst_caps_replace (&priv->in_caps, NULL);
  gst_caps_replace (&priv->out_caps, NULL);
  g_clear_pointer (&priv->in_flight, gst_cl_in_flight_free);
  gst_clear_object (&priv->allocator);
  gst_cl_tiered_ops_wait (priv->context);
  gst_clear_object (&priv->context);
  gst_cl_context_helper_close (&priv->context_helper, GST_ELEMENT (trans));

  return TRUE;
}

static void
gst_cl_base_filter_finalize (GObject *object)
{
  gst_cl_context_helper_clear (
      &PRIVATE (GST_CL_BASE_FILTER (object))->context_helper);

  G_OBJECT_CLASS (gst_cl_base_filter_parent_class)->finalize (object);
}

static void
gst_cl_base_filter_init (GstClBaseFilter *self)
{
  gst_cl_context_helper_init (&PRIVATE (self)->context_helper);
}

static void
gst_cl_base_filter_class_init (GstClBaseFilterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_cl_base_filter_debug, "clbasefilter", 0,
      "OpenCL base filter");

  object_class->set_property = gst_cl_base_filter_set_property;
  object_class->get_property = gst_cl_base_filter_get_property;
  object_class->finalize = gst_cl_base_filter_finalize;
  trans_class->start = GST_DEBUG_FUNCPTR (gst_cl_base_filter_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_cl_base_filter_stop);
  trans_class->query = GST_DEBUG_FUNCPTR (gst_cl_base_filter_query);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_cl_base_filter_sink_event);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (gst_cl_base_filter_set_caps);
  trans_class->submit_input_buffer = GST_DEBUG_FUNCPTR (
      gst_cl_base_filter_submit_input_buffer);
  trans_class->transform_caps = GST_DEBUG_FUNCPTR (transform_caps);
  trans_class->decide_allocation = GST_DEBUG_FUNCPTR (decide_allocation);
  trans_class->propose_allocation = GST_DEBUG_FUNCPTR (propose_allocation);
  trans_class->prepare_output_buffer = GST_DEBUG_FUNCPTR (
      prepare_output_buffer);
  trans_class->transform_meta = GST_DEBUG_FUNCPTR (transform_meta);
  trans_class->get_unit_size = GST_DEBUG_FUNCPTR (get_unit_size);
  trans_class->transform = GST_DEBUG_FUNCPTR (gst_cl_base_filter_transform);
  trans_class->passthrough_on_same_caps = FALSE;

  device_name_pspec = gst_cl_context_helper_install (object_class);
  gst_type_mark_as_plugin_api (GST_TYPE_CL_BASE_FILTER, 0);
}

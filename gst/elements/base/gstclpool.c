/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers on both sides of a filter. */

#include "gstclpool.h"

#include <gst/video/video.h>

#include "cl/memory/gstclimport.h"
#include "cl/video/gstclintegralinfo.h"
#include "cl/memory/gstclmemory.h"
#include "cl/memory/gstclpinned.h"
#include "cl/memory/gstclplace.h"
#include "gstclbasefilter.h"
#include "gstclcaps.h"

gboolean
gst_cl_pool_buffer_size (const GstCaps *caps, gsize *size_bytes)
{
  GstClIntegralInfo integral;
  GstVideoInfo video;

  /* first: gst_video_info_from_caps() accepts any video media type */
  if (gst_cl_integral_is_structure (gst_caps_get_structure (caps, 0))) {
    if (!gst_cl_integral_info_from_caps (&integral, caps))
      return FALSE;
    *size_bytes = gst_cl_integral_info_size (&integral);
    return TRUE;
  }

  if (!gst_video_info_from_caps (&video, caps))
    return FALSE;
  *size_bytes = GST_VIDEO_INFO_SIZE (&video);

  return TRUE;
}

gboolean
gst_cl_pool_check_buffer (const GstCaps *caps, GstBuffer *buffer,
    GError **error)
{
  GstClIntegralInfo integral;
  GstVideoInfo video;
  GstClPlace place;

  if (gst_cl_integral_is_structure (gst_caps_get_structure (caps, 0)))
    return !gst_cl_integral_info_from_caps (&integral, caps) ||
           gst_cl_place_find (&place, buffer, 0,
               gst_cl_integral_info_size (&integral), error);

  return !gst_video_info_from_caps (&video, caps) ||
         gst_cl_frame_check_buffer (buffer, &video, error);
}

/* A pool of @caps that allocates from @allocator; NULL if it refuses. */
static GstBufferPool *
new_pool (GstCaps *caps, gsize size_bytes, guint min_buffers,
    GstAllocator *allocator)
{
  GstBufferPool *pool;
  GstStructure *config;
  GstAllocationParams params;

  gst_allocation_params_init (&params);
  pool = gst_cl_integral_is_structure (gst_caps_get_structure (caps, 0))
             ? gst_buffer_pool_new ()
             : gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, size_bytes, min_buffers, 0);
  gst_buffer_pool_config_set_allocator (config, allocator, &params);
  if (!gst_buffer_pool_set_config (pool, config))
    gst_clear_object (&pool);

  return pool;
}

/* --- output -------------------------------------------------------------- */

/* Puts one pool, and its allocator, in the place of everything on offer. */
static gboolean
set_pool (GstQuery *query, GstCaps *caps, gsize size_bytes,
    GstAllocator *allocator)
{
  g_autoptr (GstBufferPool) pool = new_pool (caps, size_bytes, 0, allocator);
  GstAllocationParams params;

  if (!pool)
    return FALSE;

  /* GstBaseTransform takes entry 0 of both lists, and sets the allocator of the
   * second on the pool of the first. */
  gst_allocation_params_init (&params);
  while (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_remove_nth_allocation_pool (query, 0);
  gst_query_add_allocation_pool (query, pool, size_bytes, 0, 0);
  while (gst_query_get_n_allocation_params (query) > 0)
    gst_query_remove_nth_allocation_param (query, 0);
  gst_query_add_allocation_param (query, allocator, &params);

  return TRUE;
}

static gboolean
decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  GstBaseTransformClass *parent_class = g_type_class_peek (
      GST_TYPE_BASE_TRANSFORM);
  GstClBaseFilter *self = GST_CL_BASE_FILTER (trans);
  GstCaps *caps;
  gsize size;

  gst_query_parse_allocation (query, &caps, NULL);

  return caps && gst_cl_pool_buffer_size (caps, &size) &&
         set_pool (query, caps, size, gst_cl_base_filter_allocator (self)) &&
         parent_class->decide_allocation (trans, query);
}

/* Our own: a pool hands out its buffers in turn: where work on one overlaps the transfer
 * of another, it must not have one alone. A pool that cannot get them works with
 * fewer; one made to hold so many from the start would fail at once, and with no
 * word of the reason. */
static void
fill_pool (GstBufferPool *pool)
{
  GstBuffer *buffers[GST_CL_FRAMES_IN_FLIGHT] = { NULL };

  if (g_object_get_data (G_OBJECT (pool), "gst-cl-filled"))
    return;

  g_object_set_data (G_OBJECT (pool), "gst-cl-filled", pool);
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
    if (gst_buffer_pool_acquire_buffer (pool, &buffers[i], NULL) != GST_FLOW_OK)
      break;
  }
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    gst_clear_buffer (&buffers[i]);
}

static GstFlowReturn
prepare_output_buffer (GstBaseTransform *trans, GstBuffer *in, GstBuffer **out)
{
  GstBaseTransformClass *parent_class = g_type_class_peek (
      GST_TYPE_BASE_TRANSFORM);
  GstClBaseFilter *self = GST_CL_BASE_FILTER (trans);
  GstClContext *context = gst_cl_base_filter_context (self);
  g_autoptr (GError) error = NULL;
  GstFlowReturn flow;

  *out = gst_cl_in_place_pass (gst_cl_base_filter_in_place (self), context, in);
  if (*out)
    return GST_FLOW_OK;

  flow = parent_class->prepare_output_buffer (trans, in, out);

  if (flow == GST_FLOW_ERROR)
    error = gst_cl_allocator_take_error (
        GST_CL_ALLOCATOR (gst_cl_base_filter_allocator (self)));
  if (error)
    gst_cl_base_filter_fail (self, error);
  else if (flow == GST_FLOW_ERROR)
    GST_ELEMENT_ERROR (trans, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for an output buffer."), (NULL));
  else if (*out && *out != in && (*out)->pool && context->is_split)
    fill_pool ((*out)->pool);

  return flow;
}

/* --- input --------------------------------------------------------------- */

/* Where upstream should write; NULL: plain system memory. transfer full */
static GstAllocator *
choose_allocator (GstClContext *context, const GstCaps *caps)
{
  if (gst_cl_caps_is_device (caps))
    return gst_cl_allocator_new (context);
  if (!context->device->is_host_unified)
    return gst_cl_pinned_allocator_new (context);
  if (context->device->type & CL_DEVICE_TYPE_CPU)
    return NULL;

  return gst_cl_allocator_new (context);
}

/* Those in flight and held back, and one that upstream fills meanwhile. */
static guint
count_buffers (GstClBaseFilter *self)
{
  return GST_CL_FRAMES_IN_FLIGHT +
         gst_cl_in_place_held (gst_cl_base_filter_in_place (self)) + 1;
}

/* What downstream asks for has to do for us as well. */
static void
ask_for_more (GstQuery *query, GstClBaseFilter *self)
{
  const guint n_pools = gst_query_get_n_allocation_pools (query);
  const guint n_buffers = count_buffers (self);
  GstCaps *caps;
  gsize bytes;

  for (guint i = 0; i < n_pools; i++) {
    g_autoptr (GstBufferPool) pool = NULL;
    guint size, min, max;

    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &min, &max);
    if (max == 0)
      gst_query_set_nth_allocation_pool (query, i, pool, size,
          min + n_buffers - 1, max);
  }

  gst_query_parse_allocation (query, &caps, NULL);
  if (n_pools == 0 && caps && gst_cl_pool_buffer_size (caps, &bytes))
    gst_query_add_allocation_pool (query, NULL, bytes, n_buffers, 0);
}

static gboolean
propose_memory (GstQuery *query, GstClBaseFilter *self)
{
  GstClContext *context = gst_cl_base_filter_context (self);
  const guint min_buffers = count_buffers (self);
  g_autoptr (GstAllocator) allocator = NULL;
  g_autoptr (GstBufferPool) pool = NULL;
  GstAllocationParams params;
  gboolean needs_pool;
  GstCaps *caps;
  gsize size;

  gst_query_parse_allocation (query, &caps, &needs_pool);
  if (!context || !caps || !gst_cl_pool_buffer_size (caps, &size))
    return TRUE;

  allocator = choose_allocator (context, caps);
  if (allocator && needs_pool) {
    pool = new_pool (caps, size, min_buffers, allocator);
    if (!pool)
      return FALSE;
  }

  gst_allocation_params_init (&params);
  if (context->device->is_host_unified)
    params.align = context->device->base_align_bytes - 1;
  gst_query_add_allocation_param (query, allocator, &params);
  gst_query_add_allocation_pool (query, pool, size, min_buffers, 0);

  return TRUE;
}

/* Where buffers pass untouched, downstream has the first word, and the only one
 * on layouts. */
static gboolean
propose_allocation (GstBaseTransform *trans, GstQuery *decide_query,
    GstQuery *query)
{
  GstBaseTransformClass *parent_class = g_type_class_peek (
      GST_TYPE_BASE_TRANSFORM);
  GstClBaseFilter *self = GST_CL_BASE_FILTER (trans);
  gboolean proposed = parent_class->propose_allocation (trans, decide_query,
      query);

  if (!decide_query) {
    if (gst_query_get_n_allocation_pools (query) == 0 &&
        gst_query_get_n_allocation_params (query) == 0)
      return propose_memory (query, self);
    ask_for_more (query, self);
    return TRUE;
  }
  if (!proposed)
    return FALSE;

  if (!gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  return propose_memory (query, self);
}

/* --- metas --------------------------------------------------------------- */

/* The size of frames or integral images on @pad; no other field of @info is
 * set. */
static void
get_size (GstPad *pad, GstVideoInfo *info)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  gst_video_info_init (info);
  if (caps)
    gst_structure_get (gst_caps_get_structure (caps, 0), "width", G_TYPE_INT,
        &info->width, "height", G_TYPE_INT, &info->height, NULL);
}

/* @cropped: region @meta as far as it lies in @view, from its corner. FALSE:
 * nowhere. */
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

/* A meta that speaks of positions moves with them, if it knows how. TRUE: it may be
 * copied. */
static gboolean
scale_meta (GstBaseTransform *trans, GstBuffer *out, GstMeta *meta,
    GstBuffer *in)
{
  GstClBaseFilterClass *klass = GST_CL_BASE_FILTER_GET_CLASS (trans);
  const GQuark scale = gst_video_meta_transform_scale_get_quark ();
  GstVideoInfo in_info, out_info;
  GstVideoMetaTransform transform = { &in_info, &out_info };
  GstVideoRegionOfInterestMeta region;
  GstVideoRectangle view;

  get_size (trans->sinkpad, &in_info);
  get_size (trans->srcpad, &out_info);
  if (in_info.width == out_info.width && in_info.height == out_info.height)
    return TRUE;

  view = (GstVideoRectangle){ 0, 0, in_info.width, in_info.height };
  if (klass->get_view)
    klass->get_view (GST_CL_BASE_FILTER (trans), in_info.width, in_info.height,
        &view);
  if (view.x > 0 || view.y > 0 || view.w < in_info.width ||
      view.h < in_info.height) {
    if (meta->info->api != GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE ||
        !crop_region (&region, meta, &view))
      return FALSE;
    meta = &region.meta;
    in_info.width = view.w;
    in_info.height = view.h;
  }
  if (in_info.width > 0 && in_info.height > 0 && meta->info->transform_func)
    meta->info->transform_func (out, meta, in, scale, &transform);

  return FALSE;
}

static gboolean
transform_meta (GstBaseTransform *trans, GstBuffer *out, GstMeta *meta,
    GstBuffer *in)
{
  const gchar *const *tags = gst_meta_api_type_get_tags (meta->info->api);
  gboolean has_position = FALSE;

  for (guint i = 0; tags && tags[i]; i++) {
    if (g_str_equal (tags[i], GST_META_TAG_VIDEO_SIZE_STR) ||
        g_str_equal (tags[i], GST_META_TAG_VIDEO_ORIENTATION_STR))
      has_position = TRUE;
    else if (!g_str_equal (tags[i], GST_META_TAG_VIDEO_STR))
      return FALSE;
  }

  return !has_position || scale_meta (trans, out, meta, in);
}

static gboolean
get_unit_size (GstBaseTransform *trans, GstCaps *caps, gsize *size)
{
  return gst_cl_pool_buffer_size (caps, size);
}

void
gst_cl_pool_install (GstBaseTransformClass *klass)
{
  klass->decide_allocation = GST_DEBUG_FUNCPTR (decide_allocation);
  klass->propose_allocation = GST_DEBUG_FUNCPTR (propose_allocation);
  klass->prepare_output_buffer = GST_DEBUG_FUNCPTR (prepare_output_buffer);
  klass->transform_meta = GST_DEBUG_FUNCPTR (transform_meta);
  klass->get_unit_size = GST_DEBUG_FUNCPTR (get_unit_size);
}

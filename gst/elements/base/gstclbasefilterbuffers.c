/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The buffers on both sides of a filter: ALLOCATION queries and metas. */

#include "gstclbasefilterprivate.h"

#include "cl/memory/gstclmemory.h"
#include "gstclmeta.h"
#include "gstclpool.h"

static GstBaseTransformClass *
parent_class (void)
{
  return g_type_class_peek (GST_TYPE_BASE_TRANSFORM);
}

/* --- output -------------------------------------------------------------- */

static gboolean
decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  GstClBaseFilter *self = GST_CL_BASE_FILTER (trans);

  return gst_cl_pool_decide (query, gst_cl_base_filter_allocator (self)) &&
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
    gst_cl_base_filter_fail (self, error);
    return gst_cl_base_filter_failed_flow (self);
  }
  if (flow == GST_FLOW_ERROR)
    GST_ELEMENT_ERROR (trans, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for an output buffer."), (NULL));
  else if (*out && *out != in && (*out)->pool && context->is_split &&
           gst_is_cl_memory (gst_buffer_peek_memory (*out, 0)))
    gst_cl_pool_fill ((*out)->pool);

  return flow;
}

/* --- input --------------------------------------------------------------- */

/* Where buffers pass untouched (no @decide_query), downstream answers first,
 * and its answer about layouts stands. */
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
    gst_cl_pool_ask_for_more (query, n_buffers);
    return TRUE;
  }
  if (!is_proposed)
    return FALSE;

  if (!gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  return gst_cl_pool_propose (query, context, n_buffers);
}

/* A pool with an upper bound was not asked for more. */
static gboolean
asks_for_more (GstQuery *query)
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

  /* those in flight and held back, and one that upstream fills meanwhile */
  if (!propose_buffers (trans, decide_query, query,
          GST_CL_FRAMES_IN_FLIGHT + n_held + 1))
    return FALSE;
  gst_cl_in_place_set_promised (in_place, asks_for_more (query) ? n_held : 0);

  return TRUE;
}

/* --- metas --------------------------------------------------------------- */

/* Gets the size of frames or integral images on @pad; 0 if it has no caps. */
static void
get_size (GstPad *pad, gint *width, gint *height)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  *width = *height = 0;
  if (caps)
    gst_structure_get (gst_caps_get_structure (caps, 0), "width", G_TYPE_INT,
        width, "height", G_TYPE_INT, height, NULL);
}

/* Returns TRUE if GstBaseTransform is to copy @meta. */
static gboolean
transform_meta (GstBaseTransform *trans, GstBuffer *out, GstMeta *meta,
    GstBuffer *in)
{
  GstClBaseFilterClass *klass = GST_CL_BASE_FILTER_GET_CLASS (trans);
  const GstClMetaUse use = gst_cl_meta_use (meta);
  gint in_width, in_height, out_width, out_height;
  GstVideoRectangle view;

  if (use != GST_CL_META_SCALE)
    return use == GST_CL_META_COPY;

  get_size (trans->sinkpad, &in_width, &in_height);
  get_size (trans->srcpad, &out_width, &out_height);
  if (in_width == out_width && in_height == out_height)
    return TRUE;

  view = (GstVideoRectangle){ 0, 0, in_width, in_height };
  if (klass->get_view)
    klass->get_view (GST_CL_BASE_FILTER (trans), in_width, in_height, &view);
  gst_cl_meta_scale (meta, in, in_width, in_height, &view, out, out_width,
      out_height);

  return FALSE;
}

/* --- class --------------------------------------------------------------- */

static gboolean
get_unit_size (GstBaseTransform *trans, GstCaps *caps, gsize *size)
{
  return gst_cl_pool_buffer_size (caps, size);
}

void
gst_cl_base_filter_install_buffers (GstBaseTransformClass *klass)
{
  klass->decide_allocation = GST_DEBUG_FUNCPTR (decide_allocation);
  klass->propose_allocation = GST_DEBUG_FUNCPTR (propose_allocation);
  klass->prepare_output_buffer = GST_DEBUG_FUNCPTR (prepare_output_buffer);
  klass->transform_meta = GST_DEBUG_FUNCPTR (transform_meta);
  klass->get_unit_size = GST_DEBUG_FUNCPTR (get_unit_size);
}

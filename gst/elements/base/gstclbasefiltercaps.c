/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The caps on both sides of a filter. */

#include "gstclbasefilterprivate.h"

#include "gstclcaps.h"

static GstCaps *
map_structure (GstPadDirection direction, const GstStructure *structure,
    gpointer user_data)
{
  return GST_CL_BASE_FILTER_GET_CLASS (user_data)->map_structure (user_data,
      direction, structure);
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
  if (context && context->is_split)
    return gst_cl_caps_admitted (gst_cl_caps_uploading (caps, direction), other,
        filter);

  return GST_BASE_TRANSFORM_CLASS (g_type_class_peek (GST_TYPE_BASE_TRANSFORM))
      ->transform_caps (trans, direction, caps, filter);
}

/* No memory may come in that the device cannot take. */
static GstCaps *
transform_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *filter)
{
  GstClContext *context = gst_cl_base_filter_context (
      GST_CL_BASE_FILTER (trans));
  g_autoptr (GstCaps) in = NULL;

  if (direction == GST_PAD_SRC)
    return gst_cl_caps_takeable (map_caps (trans, direction, caps, filter),
        context);
  in = gst_cl_caps_takeable (gst_caps_ref (caps), context);

  return map_caps (trans, direction, in, filter);
}

void
gst_cl_base_filter_install_caps (GstBaseTransformClass *klass)
{
  klass->transform_caps = GST_DEBUG_FUNCPTR (transform_caps);
}

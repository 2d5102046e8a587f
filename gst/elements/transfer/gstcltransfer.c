/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Common parts of clupload and cldownload. */

#include "gstcltransfer.h"

#include "cl/video/gstclformat.h"
#include "cl/video/gstclintegralinfo.h"
#include "cl/memory/gstclmemory.h"
#include "elements/base/gstclcaps.h"
#include "elements/base/gstclpool.h"

typedef struct {
  /* streaming thread */
  gboolean is_video;
  GstVideoInfo video;
  gsize size_bytes;
} GstClTransferPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (GstClTransfer, gst_cl_transfer,
    GST_TYPE_CL_BASE_FILTER)

#define PRIVATE(self)                                                          \
  ((GstClTransferPrivate *) gst_cl_transfer_get_instance_private (self))

const GstVideoInfo *
gst_cl_transfer_video_info (GstClTransfer *self)
{
  return PRIVATE (self)->is_video ? &PRIVATE (self)->video : NULL;
}

gsize
gst_cl_transfer_size_bytes (GstClTransfer *self)
{
  return PRIVATE (self)->size_bytes;
}

/* --- negotiation --------------------------------------------------------- */

/* Returns the foreign memory of raw video that can be converted from (to, if
 * @is_export) the structures of @caps in device memory (@to_device) or in
 * system memory. transfer full */
static GstCaps *
find_foreign (const GstCaps *caps, gboolean to_device, gboolean is_export)
{
  g_autoptr (GstCaps) moved = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    g_autoptr (GstCaps) one = gst_caps_copy_nth (caps, i);

    if (gst_cl_caps_is_device (one) == to_device &&
        !gst_cl_caps_is_foreign (one))
      moved = gst_caps_merge (moved, g_steal_pointer (&one));
  }

  return gst_cl_caps_in_foreign (moved, is_export);
}

/* Maps caps from one memory to the other, or unchanged; cldownload also maps
 * device memory to foreign memory, if downstream accepts nothing else.
 * Downstream is offered converted caps first, upstream device memory first, so
 * that our own elements use it. */
static GstCaps *
gst_cl_transfer_transform_caps (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  const gboolean to_device = GST_CL_TRANSFER_GET_CLASS (trans)->to_device;
  const gboolean forward = direction == GST_PAD_SINK;
  GstCaps *in_device = gst_cl_caps_in_device (gst_caps_copy (caps));
  GstCaps *in_system = gst_cl_caps_in_system (gst_caps_copy (caps));
  GstCaps *to = to_device ? in_device : in_system;
  GstCaps *from = to_device ? in_system : in_device;
  GstCaps *result;

  if (forward)
    result = gst_caps_merge (to, gst_caps_copy (caps));
  else if (to_device)
    result = gst_caps_merge (gst_caps_copy (caps), from);
  else
    result = gst_caps_merge (from, gst_caps_copy (caps));
  gst_caps_unref (forward ? from : to);
  if (!forward)
    result = gst_caps_merge (result, find_foreign (caps, to_device, FALSE));
  else if (!to_device)
    result = gst_caps_merge (result, find_foreign (caps, TRUE, TRUE));
  result = gst_cl_caps_importable (result,
      gst_cl_base_filter_context (GST_CL_BASE_FILTER (trans)));

  return gst_cl_caps_admitted (result, forward ? trans->srcpad : trans->sinkpad,
      filter);
}

static gboolean
gst_cl_transfer_configure (GstClBaseFilter *filter, GstCaps *in, GstCaps *out,
    GError **error)
{
  GstClTransferPrivate *priv = PRIVATE (GST_CL_TRANSFER (filter));

  priv->is_video = !gst_cl_integral_is_structure (
      gst_caps_get_structure (in, 0));
  if (gst_cl_buffer_pool_size (in, &priv->size_bytes) &&
      (!priv->is_video || gst_video_info_from_caps (&priv->video, in)))
    return TRUE;

  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "The caps describe neither a video frame nor an integral image.");

  return FALSE;
}

/* --- processing ---------------------------------------------------------- */

static GstFlowReturn
gst_cl_transfer_prepare_output_buffer (GstBaseTransform *trans, GstBuffer *in,
    GstBuffer **out)
{
  if (!gst_base_transform_is_passthrough (trans)) {
    *out = GST_CL_TRANSFER_GET_CLASS (trans)->pass (GST_CL_TRANSFER (trans),
        in);
    if (*out)
      return GST_FLOW_OK;
  }

  return GST_BASE_TRANSFORM_CLASS (gst_cl_transfer_parent_class)
      ->prepare_output_buffer (trans, in, out);
}

/* Returns TRUE if @out has the memory of @in, in any form. */
static gboolean
is_passed (GstBuffer *in, GstBuffer *out)
{
  GstMemory *memory = gst_buffer_n_memory (out) > 0
                          ? gst_buffer_peek_memory (out, 0)
                          : NULL;

  return in == out || (memory && gst_is_cl_memory (memory) &&
                          gst_cl_memory_wrapped_buffer (memory));
}

static gboolean
gst_cl_transfer_process (GstClBaseFilter *filter, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, GError **error)
{
  GstClTransfer *self = GST_CL_TRANSFER (filter);
  GstClTransferClass *klass = GST_CL_TRANSFER_GET_CLASS (self);

  if (!is_passed (in, out))
    return klass->copy (self, frames, in, out, error);

  return klass->to_device || gst_cl_memory_prefetch (out, error);
}

/* --- life cycle ---------------------------------------------------------- */

static void
gst_cl_transfer_init (GstClTransfer *self)
{
}

void
gst_cl_transfer_class_add_templates (GstClTransferClass *klass)
{
  g_autoptr (GstCaps) caps = gst_cl_format_make_caps ();

  gst_caps_append (caps, gst_caps_from_string (GST_CL_INTEGRAL_CAPS));
  gst_cl_caps_add_templates (GST_ELEMENT_CLASS (klass), caps, caps,
      !klass->to_device, TRUE);
}

static void
gst_cl_transfer_class_init (GstClTransferClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstClBaseFilterClass *filter_class = GST_CL_BASE_FILTER_CLASS (klass);

  trans_class->transform_caps = GST_DEBUG_FUNCPTR (
      gst_cl_transfer_transform_caps);
  trans_class->prepare_output_buffer = GST_DEBUG_FUNCPTR (
      gst_cl_transfer_prepare_output_buffer);
  trans_class->passthrough_on_same_caps = TRUE;
  filter_class->configure = GST_DEBUG_FUNCPTR (gst_cl_transfer_configure);
  filter_class->process = GST_DEBUG_FUNCPTR (gst_cl_transfer_process);

  gst_type_mark_as_plugin_api (GST_TYPE_CL_TRANSFER, 0);
}

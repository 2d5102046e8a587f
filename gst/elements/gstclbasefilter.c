/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every OpenCL filter shares: device, import, output pool, errors. */

#include "gstclbasefilter.h"

#include "cl/gstclmemory.h"
#include "cl/gstclshare.h"
#include "gstclpool.h"
#include "gstcltaken.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_base_filter_debug);
#define GST_CAT_DEFAULT gst_cl_base_filter_debug

/* --- type ---------------------------------------------------------------- */

typedef struct {
  /* object lock */
  gchar *device;
  GstClContext *shared; /* ours, a neighbour's or the application's */

  /* between start() and stop() */
  GstClContext *context;
  GstClImporter *importer;
  GstAllocator *allocator;

  gint changed; /* atomic: a property since the last buffer */

  /* streaming thread */
  gboolean needs_configure;
  gboolean skips_buffer;
  GError *configure_error; /* on the bus already; NULL after a success */
  GstCaps *in_caps, *out_caps;
  gboolean same_size; /* output pixels lie where the input's do */
  GstClTaken taken;
} GstClBaseFilterPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstClBaseFilter, gst_cl_base_filter,
    GST_TYPE_BASE_TRANSFORM,
    G_ADD_PRIVATE (GstClBaseFilter) GST_DEBUG_CATEGORY_INIT (
        gst_cl_base_filter_debug, "clbasefilter", 0, "OpenCL base filter"))

#define PRIVATE(self)                                                          \
  ((GstClBaseFilterPrivate *) gst_cl_base_filter_get_instance_private (self))

enum { PROP_0, PROP_DEVICE, PROP_DEVICE_NAME, N_PROPERTIES };

static GParamSpec *properties[N_PROPERTIES];

#define DEFAULT_DEVICE "auto"

GstClContext *
gst_cl_base_filter_context (GstClBaseFilter *self)
{
  return PRIVATE (self)->context;
}

/* --- negotiation --------------------------------------------------------- */

static gboolean
gst_cl_base_filter_get_unit_size (GstBaseTransform *trans, GstCaps *caps,
    gsize *size)
{
  return gst_cl_pool_buffer_size (caps, size);
}

/* Upstream may offer the same caps again and again: one failure, one message.
 * Only what a property or the caps have to answer for may change its text; a
 * driver may word the same failure in several ways. */
static void
post_configure_error (GstClBaseFilter *self, GError *error)
{
  GstClBaseFilterPrivate *priv = PRIVATE (self);
  const gboolean is_known = priv->configure_error &&
                            g_error_matches (priv->configure_error,
                                error->domain, error->code) &&
                            (error->domain != GST_CORE_ERROR ||
                                g_str_equal (priv->configure_error->message,
                                    error->message));

  if (is_known)
    GST_DEBUG_OBJECT (self, "again: %s", error->message);
  else
    gst_cl_post_error (self, error);

  g_clear_error (&priv->configure_error);
  priv->configure_error = error;
}

/* Caps that fail leave those before them in force, as GstBaseTransform has it.
 */
static gboolean
configure (GstClBaseFilter *self, GstCaps *in, GstCaps *out)
{
  GstClBaseFilterPrivate *priv = PRIVATE (self);
  GError *error = NULL;

  /* until it works: a buffer that comes all the same must not be processed */
  priv->needs_configure = TRUE;
  priv->skips_buffer = FALSE;
  if (!GST_CL_BASE_FILTER_GET_CLASS (self)->configure (self, in, out, &error)) {
    post_configure_error (self, error);
    return FALSE;
  }

  g_clear_error (&priv->configure_error);
  priv->needs_configure = FALSE;
  gst_caps_replace (&priv->in_caps, in);
  gst_caps_replace (&priv->out_caps, out);
  priv->same_size = gst_cl_pool_has_same_size (in, out);

  return TRUE;
}

static gboolean
gst_cl_base_filter_set_caps (GstBaseTransform *trans, GstCaps *in, GstCaps *out)
{
  GST_DEBUG_OBJECT (trans, "%" GST_PTR_FORMAT " to %" GST_PTR_FORMAT, in, out);

  return configure (GST_CL_BASE_FILTER (trans), in, out);
}

void
gst_cl_base_filter_mark_changed (GstClBaseFilter *self)
{
  g_atomic_int_set (&PRIVATE (self)->changed, TRUE);
  gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
}

void
gst_cl_base_filter_skip_buffer (GstClBaseFilter *self)
{
  PRIVATE (self)->skips_buffer = TRUE;
}

/* The parent negotiates anew if mark_changed() asked for it, but it calls
 * set_caps() only where caps have changed. */
static GstFlowReturn
gst_cl_base_filter_submit_input_buffer (GstBaseTransform *trans,
    gboolean is_discont, GstBuffer *in)
{
  GstClBaseFilter *self = GST_CL_BASE_FILTER (trans);
  GstClBaseFilterPrivate *priv = PRIVATE (self);
  GstFlowReturn flow;

  if (g_atomic_int_compare_and_exchange (&priv->changed, TRUE, FALSE))
    priv->needs_configure = TRUE;

  flow = GST_BASE_TRANSFORM_CLASS (gst_cl_base_filter_parent_class)
             ->submit_input_buffer (trans, is_discont, in);

  if (flow == GST_FLOW_OK && priv->needs_configure && priv->in_caps &&
      !configure (self, priv->in_caps, priv->out_caps))
    flow = GST_FLOW_NOT_NEGOTIATED;

  return flow;
}

/* --- allocation ---------------------------------------------------------- */

/* Output always comes from our own pool: device memory that downstream maps. */
static gboolean
gst_cl_base_filter_decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  GstClBaseFilterPrivate *priv = PRIVATE (GST_CL_BASE_FILTER (trans));
  GstCaps *caps;
  gsize size;

  gst_query_parse_allocation (query, &caps, NULL);
  if (!caps || !gst_cl_pool_buffer_size (caps, &size) ||
      !gst_cl_pool_set (query, caps, size, priv->allocator))
    return FALSE;

  return GST_BASE_TRANSFORM_CLASS (gst_cl_base_filter_parent_class)
      ->decide_allocation (trans, query);
}

/* Any layout is fine; memory aligned for the device can be used in place. */
static gboolean
gst_cl_base_filter_propose_allocation (GstBaseTransform *trans,
    GstQuery *decide_query, GstQuery *query)
{
  GstClBaseFilterPrivate *priv = PRIVATE (GST_CL_BASE_FILTER (trans));

  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_base_filter_parent_class)
           ->propose_allocation (trans, decide_query, query))
    return FALSE;
  if (!decide_query)
    return TRUE; /* passthrough: downstream has answered */

  gst_cl_pool_propose (query, priv->context);

  return TRUE;
}

static GstFlowReturn
gst_cl_base_filter_prepare_output_buffer (GstBaseTransform *trans,
    GstBuffer *in, GstBuffer **out)
{
  GstFlowReturn flow = GST_BASE_TRANSFORM_CLASS (
      gst_cl_base_filter_parent_class)
                           ->prepare_output_buffer (trans, in, out);

  if (flow == GST_FLOW_ERROR)
    GST_ELEMENT_ERROR (trans, RESOURCE, NO_SPACE_LEFT,
        ("The OpenCL device has no memory left for an output buffer."), (NULL));

  return flow;
}

static gboolean
gst_cl_base_filter_transform_meta (GstBaseTransform *trans, GstBuffer *out,
    GstMeta *meta, GstBuffer *in)
{
  return gst_cl_pool_keeps_meta (meta,
      PRIVATE (GST_CL_BASE_FILTER (trans))->same_size);
}

/* --- processing ---------------------------------------------------------- */

gboolean
gst_cl_base_filter_take_frame (GstClBaseFilter *self, GstBuffer *buffer,
    const GstVideoInfo *info, guint plane_mask, GstMapFlags flags,
    const GstClFrame **frame, GError **error)
{
  GstClBaseFilterPrivate *priv = PRIVATE (self);

  *frame = gst_cl_taken_add_frame (&priv->taken, priv->importer, buffer, info,
      plane_mask, flags, error);

  return *frame != NULL;
}

gboolean
gst_cl_base_filter_take_bytes (GstClBaseFilter *self, GstBuffer *buffer,
    gsize size_bytes, GstMapFlags flags, const GstClRange **range,
    GError **error)
{
  GstClBaseFilterPrivate *priv = PRIVATE (self);

  *range = gst_cl_taken_add_bytes (&priv->taken, priv->importer, buffer,
      size_bytes, flags, error);

  return *range != NULL;
}

/* Hands the work over; waits only where upstream could overwrite host memory
 * that the device still reads. */
static gboolean
finish_buffer (GstClBaseFilterPrivate *priv, GError **error)
{
  gboolean done = gst_cl_taken_reads_host (&priv->taken)
                      ? gst_cl_context_finish (priv->context, error)
                      : gst_cl_context_flush (priv->context, error);

  gst_cl_taken_release (&priv->taken);

  return done;
}

static GstFlowReturn
process_buffer (GstClBaseFilter *self, GstBuffer *in, GstBuffer *out)
{
  GstClBaseFilterPrivate *priv = PRIVATE (self);
  g_autoptr (GError) error = NULL;
  gboolean done;

  if (priv->skips_buffer)
    return GST_BASE_TRANSFORM_FLOW_DROPPED;

  done = GST_CL_BASE_FILTER_GET_CLASS (self)->process (self, in, out, &error);
  if (!finish_buffer (priv, done ? &error : NULL))
    done = FALSE;
  if (done)
    return GST_FLOW_OK;

  gst_cl_post_error (self, error);

  return GST_FLOW_ERROR;
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

/* --- sharing ------------------------------------------------------------- */

static void
gst_cl_base_filter_set_context (GstElement *element, GstContext *context)
{
  gst_cl_share_set_context (element, context,
      &PRIVATE (GST_CL_BASE_FILTER (element))->shared);

  GST_ELEMENT_CLASS (gst_cl_base_filter_parent_class)
      ->set_context (element, context);
}

static gboolean
gst_cl_base_filter_query (GstBaseTransform *trans, GstPadDirection direction,
    GstQuery *query)
{
  GstClBaseFilterPrivate *priv = PRIVATE (GST_CL_BASE_FILTER (trans));

  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT) {
    g_autoptr (GstClContext) shared = NULL;

    GST_OBJECT_LOCK (trans);
    shared = priv->shared ? gst_object_ref (priv->shared) : NULL;
    GST_OBJECT_UNLOCK (trans);
    if (gst_cl_share_answer_query (query, shared))
      return TRUE;
  }

  return GST_BASE_TRANSFORM_CLASS (gst_cl_base_filter_parent_class)
      ->query (trans, direction, query);
}

/* --- properties ---------------------------------------------------------- */

static void
gst_cl_base_filter_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstClBaseFilterPrivate *priv = PRIVATE (GST_CL_BASE_FILTER (object));

  switch (id) {
    case PROP_DEVICE:
      GST_OBJECT_LOCK (object);
      g_free (priv->device);
      priv->device = g_value_dup_string (value);
      if (!priv->device)
        priv->device = g_strdup (DEFAULT_DEVICE);
      GST_OBJECT_UNLOCK (object);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

static void
gst_cl_base_filter_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClBaseFilterPrivate *priv = PRIVATE (GST_CL_BASE_FILTER (object));

  GST_OBJECT_LOCK (object);
  switch (id) {
    case PROP_DEVICE:
      g_value_set_string (value, priv->device);
      break;
    case PROP_DEVICE_NAME:
      g_value_set_string (value,
          priv->context ? priv->context->device->name : NULL);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (object);
}

/* --- life cycle ---------------------------------------------------------- */

static gboolean
gst_cl_base_filter_start (GstBaseTransform *trans)
{
  GstClBaseFilterPrivate *priv = PRIVATE (GST_CL_BASE_FILTER (trans));
  g_autoptr (GError) error = NULL;
  g_autofree gchar *device = NULL;
  GstClContext *context;

  GST_OBJECT_LOCK (trans);
  device = g_strdup (priv->device);
  GST_OBJECT_UNLOCK (trans);

  context = gst_cl_share_ensure (GST_ELEMENT (trans), &priv->shared, device,
      &error);
  if (!context) {
    gst_cl_post_error (trans, error);
    return FALSE;
  }

  GST_OBJECT_LOCK (trans);
  priv->context = context;
  GST_OBJECT_UNLOCK (trans);
  GST_INFO_OBJECT (trans, "runs on %s (%s)", priv->context->device->name,
      priv->context->device->platform_name);
  priv->importer = gst_cl_importer_new (priv->context);
  priv->allocator = gst_cl_allocator_new (priv->context);
  g_object_notify_by_pspec (G_OBJECT (trans), properties[PROP_DEVICE_NAME]);

  return TRUE;
}

static gboolean
gst_cl_base_filter_stop (GstBaseTransform *trans)
{
  GstClBaseFilterPrivate *priv = PRIVATE (GST_CL_BASE_FILTER (trans));

  gst_cl_taken_release (&priv->taken);
  g_clear_error (&priv->configure_error);
  gst_caps_replace (&priv->in_caps, NULL);
  gst_caps_replace (&priv->out_caps, NULL);
  g_clear_pointer (&priv->importer, gst_cl_importer_free);
  gst_clear_object (&priv->allocator);

  GST_OBJECT_LOCK (trans);
  gst_clear_object (&priv->context);
  gst_clear_object (&priv->shared);
  GST_OBJECT_UNLOCK (trans);

  return TRUE;
}

static void
gst_cl_base_filter_finalize (GObject *object)
{
  GstClBaseFilterPrivate *priv = PRIVATE (GST_CL_BASE_FILTER (object));

  g_clear_pointer (&priv->device, g_free);
  gst_clear_object (&priv->shared);

  G_OBJECT_CLASS (gst_cl_base_filter_parent_class)->finalize (object);
}

static void
gst_cl_base_filter_init (GstClBaseFilter *self)
{
  PRIVATE (self)->device = g_strdup (DEFAULT_DEVICE);
}

static void
gst_cl_base_filter_class_init (GstClBaseFilterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_cl_base_filter_set_property;
  object_class->get_property = gst_cl_base_filter_get_property;
  object_class->finalize = gst_cl_base_filter_finalize;
  element_class->set_context = GST_DEBUG_FUNCPTR (
      gst_cl_base_filter_set_context);
  trans_class->start = GST_DEBUG_FUNCPTR (gst_cl_base_filter_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_cl_base_filter_stop);
  trans_class->query = GST_DEBUG_FUNCPTR (gst_cl_base_filter_query);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (gst_cl_base_filter_set_caps);
  trans_class->submit_input_buffer = GST_DEBUG_FUNCPTR (
      gst_cl_base_filter_submit_input_buffer);
  trans_class->get_unit_size = GST_DEBUG_FUNCPTR (
      gst_cl_base_filter_get_unit_size);
  trans_class->decide_allocation = GST_DEBUG_FUNCPTR (
      gst_cl_base_filter_decide_allocation);
  trans_class->propose_allocation = GST_DEBUG_FUNCPTR (
      gst_cl_base_filter_propose_allocation);
  trans_class->prepare_output_buffer = GST_DEBUG_FUNCPTR (
      gst_cl_base_filter_prepare_output_buffer);
  trans_class->transform_meta = GST_DEBUG_FUNCPTR (
      gst_cl_base_filter_transform_meta);
  trans_class->transform = GST_DEBUG_FUNCPTR (gst_cl_base_filter_transform);
  trans_class->passthrough_on_same_caps = FALSE;

  /**
   * GstClBaseFilter:device:
   *
   * The OpenCL device: `auto` (what the environment variable GST_OPENCL_DEVICE
   * names, else a GPU if there is one, else any device), `gpu`, `cpu`,
   * `accelerator`, `P.D` (platform and device number as `clinfo -l` counts
   * them), a UUID, or part of the device's or platform's name.
   */
  properties[PROP_DEVICE] = g_param_spec_string ("device", "Device",
      "OpenCL device: auto, gpu, cpu, accelerator, P.D, a UUID or part of a "
      "name",
      DEFAULT_DEVICE,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);

  /**
   * GstClBaseFilter:device-name:
   *
   * Name of the device that was chosen; NULL before the element has started.
   */
  properties[PROP_DEVICE_NAME] = g_param_spec_string ("device-name",
      "Device name", "Name of the OpenCL device in use, once started", NULL,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | GST_PARAM_DOC_SHOW_DEFAULT);

  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
  gst_type_mark_as_plugin_api (GST_TYPE_CL_BASE_FILTER, 0);
}

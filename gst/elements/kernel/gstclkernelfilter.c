/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clkernel
 * @title: clkernel
 * @short_description: runs a user's OpenCL kernel on every frame
 *
 * Compiles a file of OpenCL C and launches its kernel for each frame. The
 * element negotiates formats and memory, transfers frames, and keeps them on
 * the device; the kernel reads and writes samples of any format by the macros
 * of gst_cl.clh. The head of the file names the parameters of the kernel, which
 * the property #GstClKernelFilter:parameters sets.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=1 ! \
 *     clkernel source="__kernel void invert (GST_CL_IN_OUT (f)) \
 *       { int x = get_global_id (0), y = get_global_id (1); \
 *         gst_cl_store (f, 0, x, y, \
 *             gst_cl_largest (f) - gst_cl_load (f, 0, x, y)); }" ! \
 *     videoconvert ! pngenc ! filesink location=inverted.png
 * ]|
 * writes a picture with inverted luma.
 *
 * A kernel is code: run only files that you trust.
 *
 * Since: 0.3
 */

#include "gstclkernelfilter.h"

#include "cl/video/gstclformat.h"
#include "elements/base/gstclcaps.h"
#include "gstclkernelelement.h"

struct _GstClKernelFilter {
  GstClBaseFilter parent;

  GstClKernelElement kernels;
};

static void gst_cl_kernel_filter_child_proxy_init (gpointer interface,
    gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstClKernelFilter, gst_cl_kernel_filter,
    GST_TYPE_CL_BASE_FILTER,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY,
        gst_cl_kernel_filter_child_proxy_init))
GST_ELEMENT_REGISTER_DEFINE (clkernel, "clkernel", GST_RANK_NONE,
    GST_TYPE_CL_KERNEL_FILTER)

static GstClKernelElement *
kernels_of (gpointer self)
{
  return &GST_CL_KERNEL_FILTER (self)->kernels;
}

static void
take_settings (GstClBaseFilter *filter)
{
  gst_cl_kernel_element_take_settings (kernels_of (filter));
}

static void
mark_changed (GstElement *element, GstClChange change)
{
  gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (element), change);
}

/* --- parameters as children ---------------------------------------------- */

static guint
get_children_count (GstChildProxy *proxy)
{
  return gst_cl_kernel_element_count_children (kernels_of (proxy));
}

static GObject *
get_child_by_index (GstChildProxy *proxy, guint index)
{
  return gst_cl_kernel_element_get_child (kernels_of (proxy), index);
}

static void
gst_cl_kernel_filter_child_proxy_init (gpointer interface, gpointer data)
{
  GstChildProxyInterface *proxy = interface;

  proxy->get_children_count = get_children_count;
  proxy->get_child_by_index = get_child_by_index;
}

/* --- frames --------------------------------------------------------------- */

static GstCaps *
map_structure (GstClBaseFilter *filter, GstPadDirection direction,
    const GstStructure *structure)
{
  return gst_cl_kernel_element_map_structure (kernels_of (filter), direction,
      structure);
}

static gboolean
configure (GstClBaseFilter *filter, GstCaps *in, GstCaps *out, GError **error)
{
  GstVideoInfo in_info, out_info;

  if (!gst_video_info_from_caps (&in_info, in) ||
      !gst_video_info_from_caps (&out_info, out)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The caps describe no video frame.");
    return FALSE;
  }

  return gst_cl_kernel_element_configure (kernels_of (filter),
      gst_cl_base_filter_context (filter), &in_info, 1, &out_info, error);
}

static gboolean
process (GstClBaseFilter *filter, GstClInFlight *frames, GstBuffer *in,
    GstBuffer *out, GError **error)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (filter)->segment;
  const GstClockTime time = segment->format == GST_FORMAT_TIME
                                ? gst_segment_to_running_time (segment,
                                      GST_FORMAT_TIME, GST_BUFFER_PTS (in))
                                : GST_CLOCK_TIME_NONE;

  return gst_cl_kernel_element_process (kernels_of (filter), frames, &in, &time,
      out, segment, error);
}

/* --- properties ---------------------------------------------------------- */

static void
gst_cl_kernel_filter_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  gst_cl_kernel_element_set_property (kernels_of (object), id, value);
}

static void
gst_cl_kernel_filter_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  gst_cl_kernel_element_get_property (kernels_of (object), id, value);
}

/* --- life cycle ---------------------------------------------------------- */

/* The first frame is the stream's first for //!BUFFER and GST_CL_PREVIOUS,
 * too. */
static gboolean
gst_cl_kernel_filter_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    gst_cl_kernel_element_reset (kernels_of (trans));

  return GST_BASE_TRANSFORM_CLASS (gst_cl_kernel_filter_parent_class)
      ->sink_event (trans, event);
}

static gboolean
gst_cl_kernel_filter_query (GstBaseTransform *trans, GstPadDirection direction,
    GstQuery *query)
{
  const gboolean is_answered = GST_BASE_TRANSFORM_CLASS (
      gst_cl_kernel_filter_parent_class)
                                   ->query (trans, direction, query);

  if (is_answered && direction == GST_PAD_SINK &&
      GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    gst_cl_kernel_element_check_formats (kernels_of (trans), query);

  return is_answered;
}

static void
gst_cl_kernel_filter_before_transform (GstBaseTransform *trans, GstBuffer *in)
{
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (trans->segment.format == GST_FORMAT_TIME)
    time = gst_segment_to_stream_time (&trans->segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (in));
  gst_cl_kernel_element_sync_children (kernels_of (trans), time);
}

static gboolean
gst_cl_kernel_filter_start (GstBaseTransform *trans)
{
  g_autoptr (GError) error = NULL;

  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_kernel_filter_parent_class)
           ->start (trans))
    return FALSE;
  if (gst_cl_kernel_element_start (kernels_of (trans), &error))
    return TRUE;

  gst_cl_base_filter_fail (GST_CL_BASE_FILTER (trans), error);
  GST_BASE_TRANSFORM_CLASS (gst_cl_kernel_filter_parent_class)->stop (trans);

  return FALSE;
}

static gboolean
gst_cl_kernel_filter_stop (GstBaseTransform *trans)
{
  gst_cl_kernel_element_stop (kernels_of (trans));

  return GST_BASE_TRANSFORM_CLASS (gst_cl_kernel_filter_parent_class)
      ->stop (trans);
}

static void
gst_cl_kernel_filter_finalize (GObject *object)
{
  gst_cl_kernel_element_clear (kernels_of (object));

  G_OBJECT_CLASS (gst_cl_kernel_filter_parent_class)->finalize (object);
}

static void
gst_cl_kernel_filter_init (GstClKernelFilter *self)
{
  gst_cl_kernel_element_init (&self->kernels, GST_ELEMENT (self), "clkernel",
      mark_changed);
}

static void
gst_cl_kernel_filter_class_init (GstClKernelFilterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstClBaseFilterClass *filter_class = GST_CL_BASE_FILTER_CLASS (klass);
  g_autoptr (GstCaps) caps = gst_cl_format_make_caps ();

  object_class->set_property = gst_cl_kernel_filter_set_property;
  object_class->get_property = gst_cl_kernel_filter_get_property;
  object_class->finalize = gst_cl_kernel_filter_finalize;
  trans_class->start = GST_DEBUG_FUNCPTR (gst_cl_kernel_filter_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_cl_kernel_filter_stop);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_cl_kernel_filter_sink_event);
  trans_class->query = GST_DEBUG_FUNCPTR (gst_cl_kernel_filter_query);
  trans_class->before_transform = GST_DEBUG_FUNCPTR (
      gst_cl_kernel_filter_before_transform);
  filter_class->take_settings = GST_DEBUG_FUNCPTR (take_settings);
  filter_class->map_structure = GST_DEBUG_FUNCPTR (map_structure);
  filter_class->caps_properties =
      "location, output-format, output-width, output-height";
  filter_class->configure = GST_DEBUG_FUNCPTR (configure);
  filter_class->process = GST_DEBUG_FUNCPTR (process);

  gst_cl_kernel_element_install (object_class);
  gst_cl_caps_add_templates (element_class, caps, caps, FALSE, TRUE);
  gst_element_class_set_static_metadata (element_class, "OpenCL kernel",
      "Filter/Effect/Video", "Runs a user's OpenCL kernel on every frame",
      "The gst-opencl authors");
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clkernelmix
 * @title: clkernelmix
 * @short_description: runs a user's OpenCL kernel on the frames of several
 * inputs
 *
 * Compiles a file of OpenCL C, as clkernel does, and launches its kernel with a
 * frame of each input: for masks, differences, mixing. The frames `GST_CL_IN`
 * are those of sink_0, sink_1, ... in the order in which the file declares
 * them; each has its own format and size. GstVideoAggregator pairs frames by
 * running time.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 \
 *     clkernelmix name=mix source='"__kernel void differ (GST_CL_IN (a),
 *       GST_CL_IN (b), GST_CL_OUT (out))
 *       { int x = get_global_id (0), y = get_global_id (1);
 *         for (int c = 0; c < gst_cl_components (out); c++)
 *           gst_cl_store (out, c, x, y, abs (gst_cl_load (a, c, x, y) -
 *               gst_cl_load (b, c, x, y))); }"' \
 *     ! videoconvert ! autovideosink \
 *     videotestsrc ! video/x-raw,format=RGB ! mix.sink_0 \
 *     videotestsrc pattern=ball ! video/x-raw,format=RGB ! mix.sink_1
 * ]|
 * shows where two pictures differ.
 *
 * A kernel is code: run only files that you trust.
 *
 * Since: 0.3
 */

#include "gstclkernelmix.h"

#include "cl/video/gstclformat.h"
#include "gstclkernelelement.h"

struct _GstClKernelMix {
  GstClAggregator parent;

  GstClKernelElement kernels;
};

static void gst_cl_kernel_mix_child_proxy_init (gpointer interface,
    gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstClKernelMix, gst_cl_kernel_mix,
    GST_TYPE_CL_AGGREGATOR,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY,
        gst_cl_kernel_mix_child_proxy_init))
GST_ELEMENT_REGISTER_DEFINE (clkernelmix, "clkernelmix", GST_RANK_NONE,
    GST_TYPE_CL_KERNEL_MIX)

static GstClKernelElement *
kernels_of (gpointer self)
{
  return &GST_CL_KERNEL_MIX (self)->kernels;
}

static void
take_settings (GstClAggregator *aggregator)
{
  gst_cl_kernel_element_take_settings (kernels_of (aggregator));
}

static void
mark_changed (GstElement *element, GstClChange change)
{
  gst_cl_aggregator_mark_changed (GST_CL_AGGREGATOR (element), change);
}

/* --- pads and parameters as children -------------------------------------- */

static GstChildProxyInterface *
parent_interface (GstChildProxy *proxy)
{
  return g_type_interface_peek_parent (GST_CHILD_PROXY_GET_INTERFACE (proxy));
}

static guint
get_children_count (GstChildProxy *proxy)
{
  return parent_interface (proxy)->get_children_count (proxy) +
         gst_cl_kernel_element_count_children (kernels_of (proxy));
}

static GObject *
get_child_by_index (GstChildProxy *proxy, guint index)
{
  const guint n = parent_interface (proxy)->get_children_count (proxy);

  return index < n
             ? parent_interface (proxy)->get_child_by_index (proxy, index)
             : gst_cl_kernel_element_get_child (kernels_of (proxy), index - n);
}

static void
gst_cl_kernel_mix_child_proxy_init (gpointer interface, gpointer data)
{
  GstChildProxyInterface *proxy = interface;

  proxy->get_children_count = get_children_count;
  proxy->get_child_by_index = get_child_by_index;
}

static void
sync_values (GstClAggregator *aggregator, GstClockTime stream_time)
{
  gst_cl_kernel_element_sync_children (kernels_of (aggregator), stream_time);
}

/* --- frames --------------------------------------------------------------- */

static GstCaps *
map_structure (GstClAggregator *aggregator, GstPadDirection direction,
    const GstStructure *structure)
{
  return gst_cl_kernel_element_map_structure (kernels_of (aggregator),
      direction, structure);
}

static GstCaps *
restrict_input (GstClAggregator *aggregator, GstCaps *caps)
{
  return gst_cl_kernel_element_restrict_input (kernels_of (aggregator), caps);
}

/* Returns TRUE if there is a pad for each frame of the kernels. */
static gboolean
check_pads (GstClAggregator *aggregator, guint n_pads, GError **error)
{
  g_autoptr (GstClKernelFile)
      file = gst_cl_kernel_element_ref_file (kernels_of (aggregator));
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree gchar *pads = NULL;

  if (MAX (file->inputs->len, 1) == n_pads)
    return TRUE;

  for (guint i = 0; i < file->inputs->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
        (const gchar *) g_ptr_array_index (file->inputs, i));
  pads = gst_cl_aggregator_list_pads (aggregator);
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "%s: the number of frames GST_CL_IN, %u (%s), is not that of the pads, "
      "%u (%s).",
      file->name, file->inputs->len, names->str, n_pads, pads);

  return FALSE;
}

static gboolean
configure (GstClAggregator *aggregator, const GstClInputs *inputs,
    const GstVideoInfo *out, GError **error)
{
  return check_pads (aggregator, inputs->n, error) &&
         gst_cl_kernel_element_configure (kernels_of (aggregator),
             gst_cl_aggregator_context (aggregator), inputs->infos, inputs->n,
             out, error);
}

static gboolean
process (GstClAggregator *aggregator, GstClInFlight *frames,
    const GstClInputs *inputs, GstBuffer *out, const GstSegment *segment,
    GError **error)
{
  return gst_cl_kernel_element_process (kernels_of (aggregator), frames,
      inputs->buffers, inputs->running_times, out, segment, error);
}

static void
reset (GstClAggregator *aggregator)
{
  gst_cl_kernel_element_reset (kernels_of (aggregator));
}

/* --- properties ---------------------------------------------------------- */

static void
gst_cl_kernel_mix_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  gst_cl_kernel_element_set_property (kernels_of (object), id, value);
}

static void
gst_cl_kernel_mix_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  gst_cl_kernel_element_get_property (kernels_of (object), id, value);
}

/* --- queries -------------------------------------------------------------- */

static gboolean
gst_cl_kernel_mix_sink_query (GstAggregator *agg, GstAggregatorPad *pad,
    GstQuery *query)
{
  const gboolean is_answered = GST_AGGREGATOR_CLASS (
      gst_cl_kernel_mix_parent_class)
                                   ->sink_query (agg, pad, query);

  if (is_answered && GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    gst_cl_kernel_element_check_formats (kernels_of (agg), query);

  return is_answered;
}

/* --- life cycle ---------------------------------------------------------- */

static gboolean
gst_cl_kernel_mix_start (GstAggregator *agg)
{
  g_autoptr (GError) error = NULL;

  if (!GST_AGGREGATOR_CLASS (gst_cl_kernel_mix_parent_class)->start (agg))
    return FALSE;
  if (gst_cl_kernel_element_start (kernels_of (agg), &error))
    return TRUE;

  gst_cl_aggregator_fail (GST_CL_AGGREGATOR (agg), error);
  GST_AGGREGATOR_CLASS (gst_cl_kernel_mix_parent_class)->stop (agg);

  return FALSE;
}

static gboolean
gst_cl_kernel_mix_stop (GstAggregator *agg)
{
  gst_cl_kernel_element_stop (kernels_of (agg));

  return GST_AGGREGATOR_CLASS (gst_cl_kernel_mix_parent_class)->stop (agg);
}

static void
gst_cl_kernel_mix_finalize (GObject *object)
{
  gst_cl_kernel_element_clear (kernels_of (object));

  G_OBJECT_CLASS (gst_cl_kernel_mix_parent_class)->finalize (object);
}

static void
gst_cl_kernel_mix_init (GstClKernelMix *self)
{
  gst_cl_kernel_element_init (&self->kernels, GST_ELEMENT (self), "clkernelmix",
      mark_changed);
}

static void
gst_cl_kernel_mix_class_init (GstClKernelMixClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *agg_class = GST_AGGREGATOR_CLASS (klass);
  GstClAggregatorClass *cl_class = GST_CL_AGGREGATOR_CLASS (klass);
  g_autoptr (GstCaps) caps = gst_cl_format_make_caps ();

  object_class->set_property = gst_cl_kernel_mix_set_property;
  object_class->get_property = gst_cl_kernel_mix_get_property;
  object_class->finalize = gst_cl_kernel_mix_finalize;
  agg_class->start = GST_DEBUG_FUNCPTR (gst_cl_kernel_mix_start);
  agg_class->stop = GST_DEBUG_FUNCPTR (gst_cl_kernel_mix_stop);
  agg_class->sink_query = GST_DEBUG_FUNCPTR (gst_cl_kernel_mix_sink_query);
  cl_class->take_settings = GST_DEBUG_FUNCPTR (take_settings);
  cl_class->sync_values = GST_DEBUG_FUNCPTR (sync_values);
  cl_class->map_structure = GST_DEBUG_FUNCPTR (map_structure);
  cl_class->restrict_input = GST_DEBUG_FUNCPTR (restrict_input);
  cl_class->caps_properties =
      "location, output-format, output-width, output-height";
  cl_class->configure = GST_DEBUG_FUNCPTR (configure);
  cl_class->process = GST_DEBUG_FUNCPTR (process);
  cl_class->reset = GST_DEBUG_FUNCPTR (reset);

  gst_cl_kernel_element_install (object_class);
  gst_cl_aggregator_add_templates (element_class, caps, caps);
  gst_element_class_set_static_metadata (element_class, "OpenCL kernel mixer",
      "Filter/Effect/Video/Compositor",
      "Runs a user's OpenCL kernel on the frames of several inputs",
      "The gst-opencl authors");
}

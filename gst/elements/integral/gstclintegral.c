/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clintegral
 * @title: clintegral
 * @short_description: integral image of every frame on an OpenCL device
 *
 * Turns each video frame into its integral image (summed-area table):
 * S(x, y) is the sum of all samples above and to the left of (x, y), that
 * sample included. The sum over any rectangle then takes four reads.
 *
 * The output is `video/x-integral-image`: rows from top to bottom, tightly
 * packed, channels interleaved, unsigned 32-bit sums modulo 2^32 unless
 * `sum-format` says otherwise. The sum of a rectangle that itself stays below
 * 2^32 always comes out exact. With `layout=exclusive` there is one row and one
 * column more, the first of each all zero, as in OpenCV.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=1 ! \
 *     video/x-raw,format=GRAY8 ! clintegral ! filesink location=sums.u32
 * ]|
 * writes the sums of one frame; NumPy reads them with
 * `numpy.fromfile("sums.u32", "<u4").reshape(240, 320)`.
 *
 * Since: 0.1
 */

#include "gstclintegral.h"

#include "cl/video/gstclformat.h"
#include "cl/video/gstclintegralinfo.h"
#include "elements/base/gstclcaps.h"
#include "elements/base/gstclpool.h"
#include "gstclintegralsettings.h"
#include "ops/choose.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_integral_debug);
#define GST_CAT_DEFAULT gst_cl_integral_debug

/* --- type ---------------------------------------------------------------- */

#define N_KINDS (GST_CL_INTEGRAL_TILTED + 1)

struct _GstClIntegral {
  GstClBaseFilter parent;

  /* object lock */
  GstClIntegralSettings settings; /* the properties */
  GstClIntegralSettings taken;    /* their snapshot */

  /* streaming thread */
  GstVideoInfo in_info;
  GstClIntegralInfo out_info;
  guint first_component;
  GstClIntegralOp *ops[N_KINDS]; /* NULL: not asked for */
};

G_DEFINE_TYPE (GstClIntegral, gst_cl_integral, GST_TYPE_CL_BASE_FILTER)
GST_ELEMENT_REGISTER_DEFINE (clintegral, "clintegral", GST_RANK_NONE,
    GST_TYPE_CL_INTEGRAL)

#define FIRST_PROPERTY 1

/* --- negotiation --------------------------------------------------------- */

static void
take_settings (GstClBaseFilter *filter)
{
  GstClIntegral *self = GST_CL_INTEGRAL (filter);

  self->taken = self->settings;
}

static GstClIntegralSettings
get_taken (GstClIntegral *self)
{
  GstClIntegralSettings taken;

  GST_OBJECT_LOCK (self);
  taken = self->taken;
  GST_OBJECT_UNLOCK (self);

  return taken;
}

static GstCaps *
map_structure (GstClBaseFilter *filter, GstPadDirection direction,
    const GstStructure *structure)
{
  const GstClIntegralSettings taken = get_taken (GST_CL_INTEGRAL (filter));

  return gst_cl_integral_map_structure (&taken.choice, direction, structure);
}

static gboolean
check_component (GstClIntegral *self, gint component, GError **error)
{
  const guint n = GST_VIDEO_INFO_N_COMPONENTS (&self->in_info);

  if (component < (gint) n)
    return TRUE;

  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "Property component is %d, a %s frame has components 0 to %u only.",
      component, GST_VIDEO_INFO_NAME (&self->in_info), n - 1);

  return FALSE;
}

static void
free_ops (GstClIntegral *self)
{
  for (guint kind = 0; kind < N_KINDS; kind++)
    g_clear_pointer (&self->ops[kind], gst_cl_integral_op_free);
}

/* The array of @kind in a buffer that starts at @offset_bytes of @mem. */
static GstClSums
array_of_kind (GstClIntegral *self, GstClIntegralKind kind, cl_mem mem,
    gsize offset_bytes)
{
  switch (kind) {
    case GST_CL_INTEGRAL_SQUARES:
      return gst_cl_integral_info_squares (&self->out_info, mem, offset_bytes);
    case GST_CL_INTEGRAL_TILTED:
      return gst_cl_integral_info_tilted (&self->out_info, mem, offset_bytes);
    default:
      return gst_cl_integral_info_sums (&self->out_info, mem, offset_bytes);
  }
}

static gboolean
build_op (GstClIntegral *self, GstClIntegralKind kind,
    const GstClComponent *component, GError **error)
{
  GstClContext *context = gst_cl_base_filter_context (
      GST_CL_BASE_FILTER (self));
  const GstClSums array = array_of_kind (self, kind, NULL, 0);
  const GstClIntegralProblem problem = {
    .width = array.width,
    .height = array.height,
    .channels = array.channels,
    .pixel_stride_bytes = component->pixel_stride_bytes,
    .sample = component->sample,
    .layout = array.layout,
    .sum_bytes = array.sum_bytes,
    .is_float = array.is_float,
    .kind = kind,
    .starts_at_word = array.offset_bytes % array.sum_bytes != 0,
  };
  const GstClCandidate candidate = gst_cl_op_table_choose (
      &gst_cl_integral_table, context, get_taken (self).method, &problem,
      gst_cl_base_filter_may_measure (GST_CL_BASE_FILTER (self)), error);

  if (!candidate.implementation)
    return FALSE;

  GST_INFO_OBJECT (self, "%dx%d, %d channels, kind %d: %s", problem.width,
      problem.height, problem.channels, kind, candidate.implementation->name);
  self->ops[kind] = gst_cl_integral_op_new (context, &candidate, &problem,
      error);

  return self->ops[kind] != NULL;
}

static gboolean
gst_cl_integral_configure (GstClBaseFilter *filter, GstCaps *in, GstCaps *out,
    GError **error)
{
  GstClIntegral *self = GST_CL_INTEGRAL (filter);
  const gint component = get_taken (self).choice.component;
  GstClComponent first;

  free_ops (self);
  if (!gst_video_info_from_caps (&self->in_info, in) ||
      !gst_cl_integral_info_from_caps (&self->out_info, out)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The caps describe no video frame.");
    return FALSE;
  }
  if (!check_component (self, component, error) ||
      !gst_cl_pool_check_size (gst_cl_base_filter_context (filter),
          gst_cl_integral_info_size (&self->out_info), error))
    return FALSE;

  self->first_component = MAX (component, 0);
  first = gst_cl_component_of_info (&self->in_info, self->first_component);
  if (first.width != self->out_info.width ||
      first.height != self->out_info.height) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "Component %u is of %dx%d, its integral image of %dx%d.",
        self->first_component, first.width, first.height, self->out_info.width,
        self->out_info.height);
    return FALSE;
  }

  return build_op (self, GST_CL_INTEGRAL_SUM, &first, error) &&
         (!self->out_info.has_squares ||
             build_op (self, GST_CL_INTEGRAL_SQUARES, &first, error)) &&
         (!self->out_info.has_tilted ||
             build_op (self, GST_CL_INTEGRAL_TILTED, &first, error));
}

/* --- processing ---------------------------------------------------------- */

/* Planes that hold the components to be summed. */
static guint
plane_mask (GstClIntegral *self)
{
  guint mask = 0;

  for (gint c = 0; c < self->out_info.channels; c++)
    mask |= 1u << GST_VIDEO_INFO_COMP_PLANE (&self->in_info,
                self->first_component + c);

  return mask;
}

static gboolean
gst_cl_integral_process (GstClBaseFilter *filter, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, GError **error)
{
  GstClIntegral *self = GST_CL_INTEGRAL (filter);
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];
  const GstClFrame *frame;
  const GstClRange *range;

  frame = gst_cl_in_flight_take_frame (frames, in, &self->in_info,
      plane_mask (self), GST_MAP_READ, error);
  if (!frame)
    return FALSE;
  range = gst_cl_in_flight_take_bytes (frames, out,
      gst_cl_integral_info_size (&self->out_info), GST_MAP_WRITE, error);
  if (!range)
    return FALSE;

  for (gint c = 0; c < self->out_info.channels; c++)
    components[c] = gst_cl_frame_component (frame, self->first_component + c);

  for (guint kind = 0; kind < N_KINDS; kind++) {
    const GstClSums array = array_of_kind (self, kind, range->mem,
        range->offset_bytes);

    if (self->ops[kind] &&
        !gst_cl_integral_op_run (self->ops[kind], components, &array, error))
      return FALSE;
  }

  return TRUE;
}

/* --- properties ---------------------------------------------------------- */

/* From the next frame on: caps follow most of them, and setting caps builds the
 * ops anew for any. GObject asks for installed properties alone. */
static void
gst_cl_integral_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstClIntegral *self = GST_CL_INTEGRAL (object);

  GST_OBJECT_LOCK (self);
  gst_cl_property_set (&gst_cl_integral_properties[id - FIRST_PROPERTY],
      &self->settings, value);
  GST_OBJECT_UNLOCK (self);

  gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self),
      GST_CL_CHANGE_CAPS);
}

static void
gst_cl_integral_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClIntegral *self = GST_CL_INTEGRAL (object);

  GST_OBJECT_LOCK (self);
  gst_cl_property_get (&gst_cl_integral_properties[id - FIRST_PROPERTY],
      &self->settings, value);
  GST_OBJECT_UNLOCK (self);
}

/* --- life cycle ---------------------------------------------------------- */

static gboolean
gst_cl_integral_stop (GstBaseTransform *trans)
{
  GstClIntegral *self = GST_CL_INTEGRAL (trans);

  free_ops (self);

  return GST_BASE_TRANSFORM_CLASS (gst_cl_integral_parent_class)->stop (trans);
}

static void
gst_cl_integral_init (GstClIntegral *self)
{
  gst_cl_property_init_fields (gst_cl_integral_properties,
      GST_CL_INTEGRAL_N_PROPERTIES, &self->settings);
  self->taken = self->settings;
}

static void
gst_cl_integral_class_init (GstClIntegralClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstClBaseFilterClass *filter_class = GST_CL_BASE_FILTER_CLASS (klass);
  g_autoptr (GstCaps) sink_caps = gst_cl_format_make_caps ();
  g_autoptr (GstCaps) src_caps = gst_caps_from_string (GST_CL_INTEGRAL_CAPS);

  GST_DEBUG_CATEGORY_INIT (gst_cl_integral_debug, "clintegral", 0,
      "OpenCL integral image");

  object_class->set_property = gst_cl_integral_set_property;
  object_class->get_property = gst_cl_integral_get_property;
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_cl_integral_stop);
  filter_class->take_settings = GST_DEBUG_FUNCPTR (take_settings);
  filter_class->map_structure = GST_DEBUG_FUNCPTR (map_structure);
  filter_class
      ->caps_properties = "sum-format, layout, squares, tilted, component";
  filter_class->configure = GST_DEBUG_FUNCPTR (gst_cl_integral_configure);
  filter_class->process = GST_DEBUG_FUNCPTR (gst_cl_integral_process);

  gst_cl_property_install (gst_cl_integral_properties,
      GST_CL_INTEGRAL_N_PROPERTIES, object_class, FIRST_PROPERTY);
  gst_cl_caps_add_templates (element_class, sink_caps, src_caps, FALSE);
  gst_element_class_set_static_metadata (element_class, "OpenCL integral image",
      "Filter/Video",
      "Computes the integral image (summed-area table) of every frame on an "
      "OpenCL device",
      "The gst-opencl authors");

  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&gst_cl_sum_format_enum),
      0);
  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&gst_cl_layout_enum), 0);
  gst_type_mark_as_plugin_api (
      gst_cl_enum_get_type (&gst_cl_integral_method_enum), 0);
}

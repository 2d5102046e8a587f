/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cltemplate
 * @title: cltemplate
 * @short_description: adds an amount to every sample on an OpenCL device
 *
 * Adds #GstClTemplate:amount to the code of every sample, and cuts the
 * result to the codes that the format has.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=5 ! \
 *     cltemplate amount=20 ! fakesink
 * ]|
 *
 * Since: 0.1
 */

#include "gstcltemplate.h"

#include "cl/memory/gstclbuffer.h"
#include "cl/video/gstclformat.h"
#ifndef WITHOUT_PROPERTIES
#include "common/gstclproperty.h"
#endif
#include "elements/base/gstclcaps.h"
#include "ops/choose.h"
#include "template.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_template_debug);
#define GST_CAT_DEFAULT gst_cl_template_debug

/* --- type ---------------------------------------------------------------- */

#ifndef WITHOUT_PROPERTIES
typedef struct {
  gint amount; /* in codes of 8 bits */
} Settings;
#else
#define AMOUNT 20 /* in codes of 8 bits */
#endif

struct _GstClTemplate {
  GstClBaseFilter parent;

#ifndef WITHOUT_PROPERTIES
  /* object lock */
  Settings settings; /* the properties */
  Settings snapshot; /* their copy for the current frame */

#endif
  /* streaming thread */
  GstVideoInfo info;
  GstClInstance ops[GST_VIDEO_MAX_COMPONENTS];
};

G_DEFINE_TYPE (GstClTemplate, gst_cl_template, GST_TYPE_CL_BASE_FILTER)
GST_ELEMENT_REGISTER_DEFINE (cltemplate, "cltemplate", GST_RANK_NONE,
    GST_TYPE_CL_TEMPLATE)

#ifndef WITHOUT_PROPERTIES
static const GstClProperty properties[] = {
  /**
   * GstClTemplate:amount:
   *
   * What is added to every sample. Video of more than 8 bits scales it with the
   * depth.
   *
   * Since: 0.1
   */
  { "amount", "Added to every sample, in codes of 8 bits", GST_CL_PROPERTY_INT,
      G_STRUCT_OFFSET (Settings, amount),
      GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE, GST_CL_CHANGE_FRAMES,
      .values.i = { 0, -255, 255 } },
};

#define FIRST_PROPERTY 1

static void
take_settings (GstClBaseFilter *filter)
{
  GstClTemplate *self = GST_CL_TEMPLATE (filter);

  self->snapshot = self->settings;
}

static Settings
get_snapshot (GstClTemplate *self)
{
  Settings snapshot;

  GST_OBJECT_LOCK (self);
  snapshot = self->snapshot;
  GST_OBJECT_UNLOCK (self);

  return snapshot;
}

#endif
/* --- negotiation --------------------------------------------------------- */

/* The other pad has the same structure, in either memory. */
static GstCaps *
map_structure (GstClBaseFilter *filter, GstPadDirection direction,
    const GstStructure *structure)
{
  return gst_caps_new_full (gst_structure_copy (structure), NULL);
}

static void
free_ops (GstClTemplate *self)
{
  for (guint c = 0; c < GST_VIDEO_MAX_COMPONENTS; c++)
    gst_cl_instance_clear (&self->ops[c]);
}

static gboolean
make_op (GstClTemplate *self, guint c, GError **error)
{
  GstClBaseFilter *filter = GST_CL_BASE_FILTER (self);
  GstClContext *context = gst_cl_base_filter_context (filter);
  const GstClComponent shape = gst_cl_component_of_info (&self->info, c);
  const GstClTemplateProblem problem = {
    .width = shape.width,
    .height = shape.height,
    .pixel_stride_bytes = shape.pixel_stride_bytes,
    .sample = shape.sample,
  };
  const GstClCandidate candidate = gst_cl_op_table_choose (
      &gst_cl_template_table, context, GST_CL_METHOD_AUTO, &problem,
      gst_cl_base_filter_may_measure (filter), error);

  return candidate.implementation && gst_cl_instance_init (&self->ops[c],
                                         context, &candidate, &problem, error);
}

static gboolean
configure (GstClBaseFilter *filter, GstCaps *in, GstCaps *out, GError **error)
{
  GstClTemplate *self = GST_CL_TEMPLATE (filter);

  free_ops (self);
  if (!gst_video_info_from_caps (&self->info, in)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The caps describe no video frame.");
    return FALSE;
  }
  if (!gst_cl_buffer_check_size (gst_cl_base_filter_context (filter),
          GST_VIDEO_INFO_SIZE (&self->info), error))
    return FALSE;

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&self->info); c++) {
    if (!make_op (self, c, error))
      return FALSE;
  }

  return TRUE;
}

/* --- processing ---------------------------------------------------------- */

/* The work on one frame. */
typedef struct {
  GstClTemplate *self;
  const GstClFrame *in, *out;
} Work;

static gboolean
run (const Work *work, GError **error)
{
  GstClTemplate *self = work->self;
#ifndef WITHOUT_PROPERTIES
  const gint amount = get_snapshot (self).amount;
#else
  const gint amount = AMOUNT;
#endif

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&self->info); c++) {
    const GstClComponent src = gst_cl_frame_component (work->in, c);
    const GstClTemplateIo io = {
      .src = src,
      .dst = gst_cl_frame_component (work->out, c),
      .amount = amount * (1 << (src.sample.depth - 8)),
    };

    if (!gst_cl_instance_run (&self->ops[c], &io, error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
process (GstClBaseFilter *filter, GstClInFlight *frames, GstBuffer *in,
    GstBuffer *out, GError **error)
{
  Work work = { .self = GST_CL_TEMPLATE (filter) };

  work.out = gst_cl_in_flight_take_components (frames, out, &work.self->info,
      GST_CL_ALL_COMPONENTS, GST_MAP_WRITE, error);
  if (!work.out)
    return FALSE;
  work.in = gst_cl_in_flight_take_components (frames, in, &work.self->info,
      GST_CL_ALL_COMPONENTS, GST_MAP_READ, error);

  return work.in && gst_cl_in_flight_begin_kernels (frames, error) &&
         run (&work, error) && gst_cl_in_flight_end_kernels (frames, error);
}

#ifndef WITHOUT_PROPERTIES
/* --- properties ---------------------------------------------------------- */

static void
gst_cl_template_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstClTemplate *self = GST_CL_TEMPLATE (object);
  GstClChange change;

  GST_OBJECT_LOCK (self);
  change = gst_cl_property_set (&properties[id - FIRST_PROPERTY],
      &self->settings, value);
  GST_OBJECT_UNLOCK (self);

  gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self), change);
}

static void
gst_cl_template_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClTemplate *self = GST_CL_TEMPLATE (object);

  GST_OBJECT_LOCK (self);
  gst_cl_property_get (&properties[id - FIRST_PROPERTY], &self->settings,
      value);
  GST_OBJECT_UNLOCK (self);
}

#endif
/* --- life cycle ---------------------------------------------------------- */

static gboolean
gst_cl_template_stop (GstBaseTransform *trans)
{
  free_ops (GST_CL_TEMPLATE (trans));

  return GST_BASE_TRANSFORM_CLASS (gst_cl_template_parent_class)->stop (trans);
}

static void
gst_cl_template_init (GstClTemplate *self)
{
#ifndef WITHOUT_PROPERTIES
  gst_cl_property_init_fields (properties, G_N_ELEMENTS (properties),
      &self->settings);
  self->snapshot = self->settings;
#endif
}

static void
gst_cl_template_class_init (GstClTemplateClass *klass)
{
#ifndef WITHOUT_PROPERTIES
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
#endif
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstClBaseFilterClass *filter_class = GST_CL_BASE_FILTER_CLASS (klass);
  g_autoptr (GstCaps) caps = gst_cl_format_make_caps ();

  GST_DEBUG_CATEGORY_INIT (gst_cl_template_debug, "cltemplate", 0,
      "OpenCL template");

#ifndef WITHOUT_PROPERTIES
  object_class->set_property = gst_cl_template_set_property;
  object_class->get_property = gst_cl_template_get_property;
  filter_class->take_settings = GST_DEBUG_FUNCPTR (take_settings);
  gst_cl_property_install (properties, G_N_ELEMENTS (properties), object_class,
      FIRST_PROPERTY);

#endif
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_cl_template_stop);
  filter_class->map_structure = GST_DEBUG_FUNCPTR (map_structure);
  filter_class->configure = GST_DEBUG_FUNCPTR (configure);
  filter_class->process = GST_DEBUG_FUNCPTR (process);

  gst_cl_caps_add_templates (element_class, caps, caps, FALSE, TRUE);
  gst_element_class_set_static_metadata (element_class, "OpenCL template",
      "Filter/Effect/Video",
      "Adds an amount to every sample on an OpenCL device",
      "The gst-opencl authors");
}

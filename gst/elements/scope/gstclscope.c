/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clscope
 * @title: clscope
 * @short_description: waveform, parade, vectorscope, histogram and false
 * colours, drawn on an OpenCL device
 *
 * Draws what broadcast and camera people read exposure and colour from, alone,
 * beside or over the picture. The counts below the drawing are those of the
 * statistics `waveform` and `vectorscope` of clframesum, and exact. The drawing
 * has the same bits on every device.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc ! clscope kind=all ! autovideosink
 * ]|
 * shows waveform, parade, vectorscope and histogram of test bars; v4l2src
 * instead of videotestsrc, those of a camera.
 * |[
 * gst-launch-1.0 videotestsrc ! \
 *     video/x-raw,format=I420,width=1280,height=720 ! \
 *     clscope kind=vectorscope mode=overlay position=top-right ! \
 *     videoconvert ! autovideosink
 * ]|
 * shows a vectorscope over the picture.
 *
 * Since: 0.3
 */

#include "gstclscope.h"

#include <math.h>

#include "cl/memory/gstclbuffer.h"
#include "cl/video/gstclformat.h"
#include "elements/base/gstclcaps.h"
#include "elements/base/gstclgamut.h"
#include "elements/base/gstclpool.h"
#include "gstclgraticule.h"
#include "gstclscopeplan.h"
#include "gstclzones.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_scope_debug);
#define GST_CAT_DEFAULT gst_cl_scope_debug

#define FORMATS_OF_RGB "RGBA, BGRA, RGBx, BGRx"
#define FORMATS        "{ " FORMATS_OF_RGB ", NV12, I420 }"

#define N_COUNTS GST_CL_SCOPE_DRAW_MAX_COUNTS

/* --- type ----------------------------------------------------------------- */

struct _GstClScope {
  GstClBaseFilter parent;

  /* object lock */
  GstClScopeSettings settings; /* the properties */
  GstClScopeSettings taken;    /* snapshot of the properties */

  /* streaming thread */
  GstVideoInfo out;
  GstClScopePlan plan;
  GstClTieredOp *counts[N_COUNTS]; /* of GstClPictureOp; NULL: not needed */
  GstClTieredOp *draw;             /* of GstClScopeDrawOp */
  cl_mem graticule, zones;         /* zones: or NULL */
  GstClockTime last;               /* timestamp of the frame before, or NONE */
  gdouble unfaded;                 /* what the peaks still lose, below 1 */
};

G_DEFINE_TYPE (GstClScope, gst_cl_scope, GST_TYPE_CL_BASE_FILTER)
GST_ELEMENT_REGISTER_DEFINE (clscope, "clscope", GST_RANK_NONE,
    GST_TYPE_CL_SCOPE)

#define FIRST_PROPERTY 1

static void
take_settings (GstClBaseFilter *filter)
{
  GstClScope *self = GST_CL_SCOPE (filter);

  self->taken = self->settings;
}

static GstClScopeSettings
get_taken (GstClScope *self)
{
  GstClScopeSettings taken;

  GST_OBJECT_LOCK (self);
  taken = self->taken;
  GST_OBJECT_UNLOCK (self);

  return taken;
}

/* --- negotiation ---------------------------------------------------------- */

/* Widths of the output for those of the input, with mode=side. */
static gint
add_width (gint n, gboolean upper, gpointer user_data)
{
  const GstClScopeSettings *settings = user_data;
  gint width, height;

  if (n > G_MAXINT / 2)
    return G_MAXINT;
  gst_cl_scope_plan_size (settings, n, 1, &width, &height);

  return n + width;
}

static gint
add_height (gint n, gboolean upper, gpointer user_data)
{
  const GstClScopeSettings *settings = user_data;

  return MAX (n, settings->height);
}

static gint
remove_width (gint n, gboolean upper, gpointer user_data)
{
  const GstClScopeSettings *settings = user_data;

  return settings->width > 0 ? n - settings->width : n / 2;
}

/* An output as high as the scope may have a lower picture. */
static gint
remove_height (gint n, gboolean upper, gpointer user_data)
{
  const GstClScopeSettings *settings = user_data;

  return n == settings->height && !upper ? 1 : n;
}

/* Sets the size of the scope alone, and square pixels. */
static void
set_replaced_size (const GstClScopeSettings *settings, GstStructure *out)
{
  if (settings->width > 0)
    gst_structure_set (out, "width", G_TYPE_INT, settings->width, NULL);
  else
    gst_structure_set (out, "width", GST_TYPE_INT_RANGE, 1, G_MAXINT, NULL);
  if (settings->height > 0)
    gst_structure_set (out, "height", G_TYPE_INT, settings->height, NULL);
  else
    gst_structure_set (out, "height", GST_TYPE_INT_RANGE, 1, G_MAXINT, NULL);
  gst_structure_set (out, "pixel-aspect-ratio", GST_TYPE_FRACTION, 1, 1, NULL);
  gst_structure_remove_fields (out, "interlace-mode", "field-order", NULL);
}

static void
map_size (const GstClScopeSettings *settings, GstPadDirection direction,
    const GstStructure *in, GstStructure *out)
{
  const gboolean is_sink = direction == GST_PAD_SINK;

  if (settings->mode == GST_CL_SCOPE_SIDE) {
    gst_structure_remove_fields (out, "width", "height", NULL);
    gst_cl_dimension_map (in, out, "width", is_sink ? add_width : remove_width,
        (gpointer) settings);
    gst_cl_dimension_map (in, out, "height",
        is_sink ? add_height : remove_height, (gpointer) settings);
  } else if (settings->mode == GST_CL_SCOPE_REPLACE && is_sink) {
    set_replaced_size (settings, out);
  } else if (settings->mode == GST_CL_SCOPE_REPLACE) {
    gst_structure_remove_fields (out, "width", "height", "pixel-aspect-ratio",
        "interlace-mode", "field-order", NULL);
  }
}

/* Returns TRUE if an output with the picture of @structure has two fields. */
static gboolean
shows_fields (const GstClScopeSettings *settings, const GstStructure *structure)
{
  const gchar *mode = gst_structure_get_string (structure, "interlace-mode");

  return settings->mode != GST_CL_SCOPE_REPLACE && mode &&
         !g_str_equal (mode, "progressive");
}

/* Returns the caps of the output for @structure of the input. Chroma that is
 * subsampled would mix the rows of two fields. transfer full */
static GstCaps *
make_output_caps (const GstClScopeSettings *settings,
    const GstStructure *structure)
{
  return gst_caps_from_string (shows_fields (settings, structure)
                                   ? "video/x-raw, format={ " FORMATS_OF_RGB
                                     " }"
                                   : "video/x-raw, format=" FORMATS);
}

/* Buffers with one field each are not supported. */
static GstCaps *
gst_cl_scope_map (GstClBaseFilter *filter, GstPadDirection direction,
    const GstStructure *structure)
{
  const GstClScopeSettings taken = get_taken (GST_CL_SCOPE (filter));
  g_autoptr (GstCaps) formats = NULL;
  GstCaps *caps = gst_caps_new_empty ();
  GstStructure *out;

  if (gst_cl_structure_has_fields (structure))
    return caps;

  formats = direction == GST_PAD_SINK ? make_output_caps (&taken, structure)
                                      : gst_cl_format_make_caps ();
  out = gst_structure_copy (structure);
  gst_structure_remove_fields (out, "colorimetry", "chroma-site",
      "mastering-display-info", "content-light-level", NULL);
  gst_structure_set_value (out, "format",
      gst_structure_get_value (gst_caps_get_structure (formats, 0), "format"));
  map_size (&taken, direction, structure, out);
  gst_caps_append_structure (caps, out);

  return caps;
}

/* Returns the structures of @caps with the width and height nearest to those of
 * @structure, system memory first. transfer full */
static GstCaps *
fixate_size (const GstCaps *caps, const GstStructure *structure)
{
  GstCaps *in_system = gst_caps_new_empty (),
          *in_device = gst_caps_new_empty ();
  gint width, height;

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstCaps *one = gst_caps_copy_nth (caps, i);
    GstStructure *fixed = gst_caps_get_structure (one, 0);

    if (gst_structure_get_int (structure, "width", &width))
      gst_structure_fixate_field_nearest_int (fixed, "width", width);
    if (gst_structure_get_int (structure, "height", &height))
      gst_structure_fixate_field_nearest_int (fixed, "height", height);
    gst_caps_append (gst_cl_caps_is_device (one) ? in_device : in_system, one);
  }
  gst_caps_append (in_system, in_device);

  return in_system;
}

/* The scope alone has the size of the input if downstream accepts it. The order
 * of @others is no preference of memory: elements that change sizes, and accept
 * memory of the device without support for it, reorder ranges of sizes. They
 * keep the order of fixed sizes. */
static GstCaps *
gst_cl_scope_fixate_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *others)
{
  GstPad *pad = direction == GST_PAD_SINK ? trans->srcpad : trans->sinkpad;
  g_autoptr (GstCaps)
      sized = fixate_size (others, gst_caps_get_structure (caps, 0));
  GstCaps *preferred = gst_pad_peer_query_caps (pad, sized);

  gst_caps_unref (others);
  if (gst_caps_is_empty (preferred))
    gst_caps_replace (&preferred, sized);

  return gst_caps_fixate (preferred);
}

/* --- configuration -------------------------------------------------------- */

static void
clear_ops (GstClScope *self)
{
  for (guint i = 0; i < N_COUNTS; i++)
    g_clear_pointer (&self->counts[i], gst_cl_tiered_op_free);
  g_clear_pointer (&self->draw, gst_cl_tiered_op_free);
  g_clear_pointer (&self->graticule, gst_cl_buffer_free);
  g_clear_pointer (&self->zones, gst_cl_buffer_free);
  self->last = GST_CLOCK_TIME_NONE;
  self->unfaded = 0;
}

static gboolean
make_ops (GstClScope *self, GError **error)
{
  GstClContext *context = gst_cl_base_filter_context (
      GST_CL_BASE_FILTER (self));

  for (guint i = 0; i < N_COUNTS; i++) {
    if (!gst_cl_scope_plan_needs (&self->plan, i))
      continue;
    self->counts[i] = gst_cl_tiered_op_new (&gst_cl_scopes_tiered, context,
        GST_CL_METHOD_AUTO, &self->plan.counts[i], FALSE, error);
    if (!self->counts[i])
      return FALSE;
  }
  self->draw = gst_cl_tiered_op_new (&gst_cl_scope_draw_tiered, context,
      GST_CL_METHOD_AUTO, &self->plan.draw, FALSE, error);

  return self->draw != NULL;
}

static gboolean
make_pictures (GstClScope *self, const GstClScopeSettings *settings,
    GError **error)
{
  GstClContext *context = gst_cl_base_filter_context (
      GST_CL_BASE_FILTER (self));
  const GstClScopePlan *plan = &self->plan;
  g_autofree guint32 *graticule = gst_cl_graticule_draw (plan,
      settings->legend);
  g_autofree guint32 *zones = NULL;

  self->graticule = gst_cl_buffer_new_filled (context,
      (gsize) plan->draw.width * (gsize) plan->draw.height * sizeof *graticule,
      graticule, error);
  if (!self->graticule || settings->kind != GST_CL_SCOPE_FALSE_COLOUR)
    return self->graticule != NULL;

  zones = gst_cl_zones_make_colours (&plan->curve, plan->has_light_zones);
  self->zones = gst_cl_buffer_new_filled (context,
      ((gsize) 1 << plan->depth) * sizeof *zones, zones, error);

  return self->zones != NULL;
}

static gboolean
gst_cl_scope_configure (GstClBaseFilter *filter, GstCaps *in, GstCaps *out,
    GError **error)
{
  GstClScope *self = GST_CL_SCOPE (filter);
  const GstClScopeSettings settings = get_taken (self);
  GstVideoInfo in_info;

  clear_ops (self);
  if (!gst_cl_gamut_info_from_caps (&in_info, in) ||
      !gst_cl_gamut_info_from_caps (&self->out, out)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The caps describe no video frame.");
    return FALSE;
  }

  return gst_cl_pool_check_size (gst_cl_base_filter_context (filter),
             GST_VIDEO_INFO_SIZE (&self->out),
             (guint) GST_VIDEO_INFO_HEIGHT (&self->out), error) &&
         gst_cl_scope_plan_init (&self->plan, &settings, &in_info, &self->out,
             error) &&
         make_ops (self, error) && make_pictures (self, &settings, error);
}

/* --- processing ----------------------------------------------------------- */

/* Arguments for the work on one frame. */
typedef struct {
  GstClScope *self;
  const GstClFrame *in, *out;
  GstClScopeDrawInput input; /* numbers of properties and of time */
} Work;

/* Returns the row of a component for row @y of the frame. Rows of chroma of two
 * fields alternate. */
static gint
component_row (gint y, gint y_shift, gboolean is_interlaced)
{
  if (is_interlaced && y_shift > 0)
    return 2 * ((y / 2) >> y_shift) + y % 2;

  return y >> y_shift;
}

/* Sets @parts to the parts of @components that are in the region of counts
 * @index. */
static void
get_parts (const GstClScopePlan *plan, guint index, gboolean is_interlaced,
    const GstClComponent *components, GstClComponent *parts)
{
  const GstVideoRectangle *region = &plan->regions[index];

  for (guint c = 0; c < plan->n_components; c++) {
    const gint x_shift = c > 0 ? (gint) plan->draw.shape.x_shift : 0;
    const gint y_shift = c > 0 ? (gint) plan->draw.shape.y_shift : 0;
    const gint x = region->x >> x_shift;
    const gint right = -(-(region->x + region->w) >> x_shift);
    const gint last_y = region->y + region->h - 1;
    gint y = component_row (region->y, y_shift, is_interlaced);
    gint bottom = component_row (last_y, y_shift, is_interlaced) + 1;

    /* the first and the last row of the other field */
    if (region->h > 1) {
      y = MIN (y, component_row (region->y + 1, y_shift, is_interlaced));
      bottom = MAX (bottom,
          component_row (last_y - 1, y_shift, is_interlaced) + 1);
    }

    /* of an odd number of rows of chroma, one field has fewer */
    y = MIN (y, components[c].height - 1);
    parts[c] = components[c];
    parts[c].offset_bytes += (gsize) x *
                                 (gsize) components[c].pixel_stride_bytes +
                             (gsize) ((gssize) y * components[c].stride_bytes);
    parts[c].width = MIN (right, components[c].width) - x;
    parts[c].height = MIN (bottom, components[c].height) - y;
  }
}

static gboolean
run_counts (Work *work, guint index, const GstClComponent *components,
    GError **error)
{
  GstClScope *self = work->self;
  const GstClScopePlan *plan = &self->plan;
  GstClComponent parts[GST_CL_PIXEL_COMPONENTS];
  const GstClPictureInput input = { parts, work->input.is_interlaced, NULL };
  GstClPictureOp *op;

  if (!self->counts[index])
    return TRUE;
  op = gst_cl_tiered_op_next (self->counts[index], error);
  get_parts (plan, index, work->input.is_interlaced, components, parts);
  if (!op || !gst_cl_picture_op_run (op, &input, error))
    return FALSE;

  work->input.counts[index].mem = gst_cl_scopes_op_counts (op,
      &work->input.counts[index].layout);
  for (guint c = 0; c < GST_CL_PIXEL_COMPONENTS; c++) {
    const gboolean is_of_pixels = plan->counts[index].source !=
                                  GST_CL_SCOPES_COMPONENTS;

    work->input.counts[index].n_rows[c] =
        (guint) parts[is_of_pixels || c >= plan->n_components ? 0 : c].height;
  }
  if (plan->n_components > 1)
    work->input.counts[index].n_pairs = (guint64) parts[1].width *
                                        (guint64) parts[1].height;

  return TRUE;
}

static gboolean
run (Work *work, GError **error)
{
  GstClScope *self = work->self;
  GstClComponent components[GST_CL_PIXEL_COMPONENTS];
  gpointer draw;

  for (guint c = 0; c < self->plan.n_components; c++)
    components[c] = gst_cl_frame_component (work->in, c);
  for (guint i = 0; i < N_COUNTS; i++) {
    if (!run_counts (work, i, components, error))
      return FALSE;
  }

  work->input.components = components;
  work->input.graticule = self->graticule;
  work->input.zones = self->zones;
  for (guint i = 0; i < GST_CL_SCOPE_DRAW_MAX_PLANES; i++) {
    work->input.planes[i].mem = work->out->planes[i].mem;
    work->input.planes[i].offset_bytes = work->out->planes[i].offset_bytes;
    work->input.planes[i].stride_bytes = work->out->planes[i].stride_bytes;
  }
  draw = gst_cl_tiered_op_next (self->draw, error);

  return draw && gst_cl_scope_draw_op_run (draw, &work->input, error);
}

/* Returns what peaks lose since the frame before, 1/256 of a level: all after a
 * jump. The fraction is left for the next frame. */
static guint
get_fading (GstClScope *self, const GstClScopeSettings *settings, GstBuffer *in)
{
  const GstClockTime time = GST_BUFFER_PTS (in), last = self->last;
  const guint full = 256 * 256;
  gdouble seconds = 0, fading;

  self->last = time;
  if (settings->peak_hold <= 0)
    return 0;
  if (GST_BUFFER_IS_DISCONT (in))
    return full;
  if (GST_CLOCK_TIME_IS_VALID (time) && GST_CLOCK_TIME_IS_VALID (last) &&
      time > last)
    seconds = (gdouble) (time - last) / GST_SECOND;
  else if (GST_BUFFER_DURATION_IS_VALID (in))
    seconds = (gdouble) GST_BUFFER_DURATION (in) / GST_SECOND;

  fading = MIN (full * seconds / settings->peak_hold + self->unfaded, full);
  self->unfaded = fading - floor (fading);

  return (guint) fading;
}

/* A scope alone has no fields. */
static void
clear_field_flags (GstBuffer *buffer)
{
  GST_BUFFER_FLAG_UNSET (buffer,
      GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF |
          GST_VIDEO_BUFFER_FLAG_RFF | GST_VIDEO_BUFFER_FLAG_ONEFIELD);
}

static gboolean
gst_cl_scope_process (GstClBaseFilter *filter, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, GError **error)
{
  GstClScope *self = GST_CL_SCOPE (filter);
  const GstClScopeSettings settings = get_taken (self);
  Work work = { .self = self };

  work.input.is_interlaced = GST_VIDEO_INFO_INTERLACE_MODE (&self->plan.in) ==
                                 GST_VIDEO_INTERLACE_MODE_INTERLEAVED ||
                             GST_BUFFER_FLAG_IS_SET (in,
                                 GST_VIDEO_BUFFER_FLAG_INTERLACED);
  work.input.intensity = (guint) lrint (1024 * settings.intensity);
  work.input.opacity = settings.mode == GST_CL_SCOPE_OVERLAY
                           ? (guint) lrint (256 * settings.opacity)
                           : 256;
  work.input.fading = get_fading (self, &settings, in);
  if (settings.mode == GST_CL_SCOPE_REPLACE)
    clear_field_flags (out);
  work.out = gst_cl_in_flight_take_components (frames, out, &self->out,
      GST_CL_ALL_COMPONENTS, GST_MAP_WRITE, error);
  if (!work.out)
    return FALSE;
  work.in = gst_cl_in_flight_take_components (frames, in, &self->plan.in,
      (1u << self->plan.n_components) - 1, GST_MAP_READ, error);

  return work.in && gst_cl_in_flight_begin_kernels (frames, error) &&
         run (&work, error) && gst_cl_in_flight_end_kernels (frames, error);
}

/* A scope alone has no place for regions of the picture. */
static gboolean
transform_meta (GstBaseTransform *trans, GstBuffer *out, GstMeta *meta,
    GstBuffer *in)
{
  const GstClScopeSettings settings = get_taken (GST_CL_SCOPE (trans));

  if (meta->info->api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE &&
      settings.mode == GST_CL_SCOPE_REPLACE &&
      settings.kind != GST_CL_SCOPE_FALSE_COLOUR)
    return FALSE;

  return GST_BASE_TRANSFORM_CLASS (gst_cl_scope_parent_class)
      ->transform_meta (trans, out, meta, in);
}

/* The output of mode=side is a view that exceeds the input: the picture keeps
 * its size and its place. */
static void
get_view (GstClBaseFilter *filter, GstBuffer *in, gint width, gint height,
    GstVideoRectangle *view)
{
  GstClScope *self = GST_CL_SCOPE (filter);

  if (get_taken (self).mode != GST_CL_SCOPE_SIDE)
    return;

  view->w = GST_VIDEO_INFO_WIDTH (&self->out);
  view->h = GST_VIDEO_INFO_HEIGHT (&self->out);
}

/* --- properties ----------------------------------------------------------- */

/* GObject calls this for installed properties only. */
static void
gst_cl_scope_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstClScope *self = GST_CL_SCOPE (object);
  GstClChange change;

  GST_OBJECT_LOCK (self);
  change = gst_cl_property_set (&gst_cl_scope_properties[id - FIRST_PROPERTY],
      &self->settings, value);
  GST_OBJECT_UNLOCK (self);

  gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self), change);
}

static void
gst_cl_scope_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClScope *self = GST_CL_SCOPE (object);

  GST_OBJECT_LOCK (self);
  gst_cl_property_get (&gst_cl_scope_properties[id - FIRST_PROPERTY],
      &self->settings, value);
  GST_OBJECT_UNLOCK (self);
}

/* --- life cycle ----------------------------------------------------------- */

static gboolean
gst_cl_scope_stop (GstBaseTransform *trans)
{
  clear_ops (GST_CL_SCOPE (trans));

  return GST_BASE_TRANSFORM_CLASS (gst_cl_scope_parent_class)->stop (trans);
}

static void
gst_cl_scope_init (GstClScope *self)
{
  gst_cl_property_init_fields (gst_cl_scope_properties,
      GST_CL_SCOPE_N_PROPERTIES, &self->settings);
  self->taken = self->settings;
  self->last = GST_CLOCK_TIME_NONE;
}

static void
gst_cl_scope_class_init (GstClScopeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstClBaseFilterClass *filter_class = GST_CL_BASE_FILTER_CLASS (klass);
  g_autoptr (GstCaps) sink_caps = gst_cl_format_make_caps ();
  g_autoptr (GstCaps)
      src_caps = gst_caps_from_string (GST_VIDEO_CAPS_MAKE (FORMATS));

  GST_DEBUG_CATEGORY_INIT (gst_cl_scope_debug, "clscope", 0, "OpenCL scopes");

  object_class->set_property = gst_cl_scope_set_property;
  object_class->get_property = gst_cl_scope_get_property;
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_cl_scope_stop);
  trans_class->transform_meta = GST_DEBUG_FUNCPTR (transform_meta);
  trans_class->fixate_caps = GST_DEBUG_FUNCPTR (gst_cl_scope_fixate_caps);
  filter_class->take_settings = GST_DEBUG_FUNCPTR (take_settings);
  filter_class->map_structure = GST_DEBUG_FUNCPTR (gst_cl_scope_map);
  filter_class->caps_properties = "mode, width, height";
  filter_class->configure = GST_DEBUG_FUNCPTR (gst_cl_scope_configure);
  filter_class->process = GST_DEBUG_FUNCPTR (gst_cl_scope_process);
  filter_class->get_view = GST_DEBUG_FUNCPTR (get_view);

  gst_cl_property_install (gst_cl_scope_properties, GST_CL_SCOPE_N_PROPERTIES,
      object_class, FIRST_PROPERTY);
  gst_cl_caps_add_templates (element_class, sink_caps, src_caps, FALSE, FALSE);
  gst_element_class_set_static_metadata (element_class, "OpenCL scopes",
      "Filter/Analyzer/Visualization/Video",
      "Draws waveform, parade, vectorscope, histogram and false colours on an "
      "OpenCL device",
      "The gst-opencl authors");

  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&gst_cl_scope_kind_enum),
      0);
  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&gst_cl_scope_mode_enum),
      0);
  gst_type_mark_as_plugin_api (
      gst_cl_enum_get_type (&gst_cl_scope_position_enum), 0);
  gst_type_mark_as_plugin_api (
      gst_cl_enum_get_type (&gst_cl_graticule_unit_enum), 0);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clintegral
 * @title: clintegral
 * @short_description: integral image of every frame on an OpenCL device
 *
 * Computes the integral image (summed-area table) of each video frame: S(x, y)
 * is the sum of all samples above and to the left of (x, y), including the
 * sample. The sum over any rectangle then takes four reads.
 *
 * The output is `video/x-integral-image`: rows from top to bottom, tightly
 * packed, with interleaved channels; unsigned 32-bit sums modulo 2^32 unless
 * `sum-format` says otherwise. The sum of a rectangle is exact if it is below
 * 2^32. With `layout=exclusive` there is an additional first row and column of
 * zeros, as in OpenCV.
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

#include <gst/video/video.h>

#include "cl/video/gstclformat.h"
#include "cl/video/gstclintegralinfo.h"
#include "common/gstclproperty.h"
#include "elements/base/gstclcaps.h"
#include "elements/base/gstclpool.h"
#include "gstclintegralstrips.h"
#include "ops/tieredop.h"

/* --- caps: sums ---------------------------------------------------------- */

/* Returns the name in caps of the sums of samples of @info. */
static const gchar *
sum_format_name (const GstClIntegralChoice *choice,
    const GstVideoFormatInfo *info)
{
  switch (choice->sum_format) {
    case GST_CL_SUM_FORMAT_U32:
      return GST_CL_INTEGRAL_FORMAT_U32;
    case GST_CL_SUM_FORMAT_U64:
      return GST_CL_INTEGRAL_FORMAT_U64;
    case GST_CL_SUM_FORMAT_F32:
      return GST_CL_INTEGRAL_FORMAT_F32;
    default:
      /* 32 bits hold the sum of 65537 samples of 16 bits, or of a million of 12
       * bits */
      return GST_VIDEO_FORMAT_INFO_DEPTH (info, 0) >= 16
                 ? GST_CL_INTEGRAL_FORMAT_U64
                 : GST_CL_INTEGRAL_FORMAT_U32;
  }
}

/* Returns TRUE if field @name of @structure admits @value, which is cleared. */
static gboolean
admits (const GstStructure *structure, const gchar *name, GValue *value)
{
  const GValue *field = gst_structure_get_value (structure, name);
  const gboolean is_admitted = !field ||
                               gst_value_intersect (NULL, field, value);

  g_value_unset (value);

  return is_admitted;
}

static gboolean
admits_string (const GstStructure *structure, const gchar *name,
    const gchar *text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_static_string (&value, text);

  return admits (structure, name, &value);
}

static gboolean
admits_int (const GstStructure *structure, const gchar *name, gint n)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, n);

  return admits (structure, name, &value);
}

static gboolean
admits_boolean (const GstStructure *structure, const gchar *name, gboolean is)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_BOOLEAN);
  g_value_set_boolean (&value, is);

  return admits (structure, name, &value);
}

/* Appends @text to @list unless the list contains it. */
static void
append_once (GValue *list, const gchar *text)
{
  GValue value = G_VALUE_INIT;

  for (guint i = 0; i < gst_value_list_get_size (list); i++) {
    if (g_str_equal (g_value_get_string (gst_value_list_get_value (list, i)),
            text))
      return;
  }
  g_value_init (&value, G_TYPE_STRING);
  g_value_set_static_string (&value, text);
  gst_value_list_append_and_take_value (list, &value);
}

/* Sets field @name to @list (transfer full); a single entry becomes a plain
 * string. Returns FALSE if the list is empty. */
static gboolean
take_list (GstStructure *structure, const gchar *name, GValue *list)
{
  const guint n = gst_value_list_get_size (list);

  if (n == 1)
    gst_structure_set_value (structure, name,
        gst_value_list_get_value (list, 0));
  else if (n > 1)
    gst_structure_set_value (structure, name, list);
  g_value_unset (list);

  return n > 0;
}

/* --- caps: sizes --------------------------------------------------------- */

/* Returns NULL unless @structure names exactly one format, which has
 * @component. */
static const GstVideoFormatInfo *
fixed_format (const GstStructure *structure, gint component)
{
  const gchar *name = gst_structure_get_string (structure, "format");
  GstVideoFormat format = name ? gst_video_format_from_string (name)
                               : GST_VIDEO_FORMAT_UNKNOWN;
  const GstVideoFormatInfo *info;

  if (format == GST_VIDEO_FORMAT_UNKNOWN)
    return NULL;

  info = gst_video_format_get_info (format);

  return component < (gint) GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info) ? info
                                                                      : NULL;
}

/* user_data: log2 of the subsampling, for a known format */
static gint
subsample (gint n, gboolean upper, gpointer user_data)
{
  const gint shift = GPOINTER_TO_INT (user_data);

  return n == G_MAXINT ? n : -((-n) >> shift);
}

/* A field has the rows of a frame, subsampled once more. */
static void
map_dimensions (const GstStructure *in, GstStructure *out, gint w_sub,
    gint h_sub)
{
  if (gst_cl_structure_has_fields (in))
    h_sub++;
  gst_cl_dimension_map (in, out, "width", subsample, GINT_TO_POINTER (w_sub));
  gst_cl_dimension_map (in, out, "height", subsample, GINT_TO_POINTER (h_sub));
}

/* Returns the smallest or largest height of a frame with fields of @n rows. */
static gint
frame_height (gint n, gboolean upper, gpointer user_data)
{
  return n > G_MAXINT / 2 ? G_MAXINT : 2 * n - (upper ? 0 : 1);
}

/* Sets the rate of @out to the rate of @in times @num / @den. There are twice
 * as many fields as frames. A range that changes is left out. */
static void
scale_framerate (const GstStructure *in, GstStructure *out, gint num, gint den)
{
  const GValue *framerate = gst_structure_get_value (in, "framerate");
  gint n, d;

  if (framerate && num == den)
    gst_structure_set_value (out, "framerate", framerate);
  else if (gst_structure_get_fraction (in, "framerate", &n, &d) &&
           gst_util_fraction_multiply (n, d, num, den, &n, &d))
    gst_structure_set (out, "framerate", GST_TYPE_FRACTION, n, d, NULL);
}

/* --- caps: structures ---------------------------------------------------- */

/* Sets the sum formats for all formats that @raw admits. Returns FALSE if there
 * is none. */
static gboolean
set_sum_formats (const GstStructure *raw, GstStructure *out,
    const GstClIntegralChoice *choice)
{
  GValue list = G_VALUE_INIT;
  const GstClFormat *rows;
  guint n_rows;

  g_value_init (&list, GST_TYPE_LIST);
  rows = gst_cl_formats (&n_rows);
  for (guint i = 0; i < n_rows; i++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (rows[i].format);

    if (admits_string (raw, "format", GST_VIDEO_FORMAT_INFO_NAME (info)))
      append_once (&list, sum_format_name (choice, info));
  }

  return take_list (out, "format", &list);
}

static GstStructure *
integral_of_raw (const GstStructure *raw, const GstClIntegralChoice *choice)
{
  const GstVideoFormatInfo *format = fixed_format (raw, choice->component);
  GstStructure *out = gst_structure_new (GST_CL_INTEGRAL_MEDIA_TYPE, "layout",
      G_TYPE_STRING, gst_cl_layout_name (choice->layout), "squares",
      G_TYPE_BOOLEAN, choice->squares, "tilted", G_TYPE_BOOLEAN, choice->tilted,
      NULL);

  if (!set_sum_formats (raw, out, choice)) {
    gst_structure_free (out);
    return NULL;
  }
  scale_framerate (raw, out, gst_cl_structure_has_fields (raw) ? 2 : 1, 1);

  if (choice->component < 0)
    map_dimensions (raw, out, 0, 0);
  else if (format)
    map_dimensions (raw, out,
        GST_VIDEO_FORMAT_INFO_W_SUB (format, choice->component),
        GST_VIDEO_FORMAT_INFO_H_SUB (format, choice->component));

  if (choice->component >= 0)
    gst_structure_set (out, "channels", G_TYPE_INT, 1, NULL);
  else if (format)
    gst_structure_set (out, "channels", G_TYPE_INT,
        gst_cl_format_main_components (format), NULL);

  return out;
}

/* Sets the formats whose sums @integral admits. Returns FALSE if there is none.
 * Includes formats without the component, so that configuring can report the
 * error. */
static gboolean
set_raw_formats (const GstStructure *integral, GstStructure *out,
    const GstClIntegralChoice *choice)
{
  GValue list = G_VALUE_INIT;
  const GstClFormat *rows;
  guint n_rows;

  g_value_init (&list, GST_TYPE_LIST);
  rows = gst_cl_formats (&n_rows);
  for (guint i = 0; i < n_rows; i++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (rows[i].format);
    const gint channels = choice->component >= 0
                              ? 1
                              : gst_cl_format_main_components (info);

    if (admits_int (integral, "channels", channels) &&
        admits_string (integral, "format", sum_format_name (choice, info)))
      append_once (&list, GST_VIDEO_FORMAT_INFO_NAME (info));
  }

  return take_list (out, "format", &list);
}

static GstStructure *
raw_of_integral (const GstStructure *integral,
    const GstClIntegralChoice *choice)
{
  GstStructure *out = gst_structure_new_empty ("video/x-raw");

  if (!admits_boolean (integral, "squares", choice->squares) ||
      !admits_boolean (integral, "tilted", choice->tilted) ||
      !set_raw_formats (integral, out, choice)) {
    gst_structure_free (out);
    return NULL;
  }
  scale_framerate (integral, out, 1, 1);
  if (choice->component < 0)
    map_dimensions (integral, out, 0, 0);

  return out;
}

/* Returns the fields that give @integral, as @raw are the frames. */
static GstStructure *
fields_of_integral (const GstStructure *integral, const GstStructure *raw)
{
  GstStructure *out = gst_structure_copy (raw);

  gst_structure_remove_fields (out, "height", "framerate", NULL);
  gst_structure_set (out, "interlace-mode", G_TYPE_STRING, "alternate", NULL);
  scale_framerate (integral, out, 1, 2);
  if (gst_structure_has_field (raw, "height"))
    gst_cl_dimension_map (raw, out, "height", frame_height, NULL);

  return out;
}

GstCaps *
gst_cl_integral_map_structure (const GstClIntegralChoice *choice,
    GstPadDirection direction, const GstStructure *structure)
{
  GstCaps *caps = gst_caps_new_empty ();
  GstStructure *mapped = direction == GST_PAD_SINK
                             ? integral_of_raw (structure, choice)
                             : raw_of_integral (structure, choice);

  if (mapped)
    gst_caps_append_structure (caps, mapped);
  if (mapped && direction == GST_PAD_SRC)
    gst_caps_append_structure (caps, fields_of_integral (structure, mapped));

  return caps;
}

/* --- settings ------------------------------------------------------------ */

typedef struct {
  GstClIntegralChoice choice; /* what the caps depend on */
  GstClIntegralMethod method;
} GstClIntegralSettings;

static GstClEnum sum_format_enum = {
  .name = "GstClIntegralSumFormat",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_SUM_FORMAT_AUTO,
              "The narrowest that keeps window sums exact", "auto" },
          { GST_CL_SUM_FORMAT_U32, "Unsigned 32 bits, modulo 2^32", "u32" },
          { GST_CL_SUM_FORMAT_U64, "Unsigned 64 bits", "u64" },
          { GST_CL_SUM_FORMAT_F32, "Float, the nearest to the exact sum",
              "f32" },
          { 0, NULL, NULL },
      },
};

static GstClEnum layout_enum = {
  .name = "GstClIntegralLayout",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_LAYOUT_INCLUSIVE,
              "width x height, each sum includes its sample", "inclusive" },
          { GST_CL_LAYOUT_EXCLUSIVE, "A first row and column of zeros (OpenCV)",
              "exclusive" },
          { 0, NULL, NULL },
      },
};

static GstClEnum integral_method_enum = {
  .name = "GstClIntegralMethod",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_INTEGRAL_METHOD_AUTO,
              "The fastest on the device, as measured", "auto" },
          { GST_CL_INTEGRAL_METHOD_MULTI_PASS, "Rows, then columns",
              "multi-pass" },
          { GST_CL_INTEGRAL_METHOD_ASYNC_COPY,
              "Strips through local memory by asynchronous copies",
              "async-copy" },
          { GST_CL_INTEGRAL_METHOD_SINGLE_PASS,
              "One launch, whose work-groups wait for each other",
              "single-pass" },
          { 0, NULL, NULL },
      },
};

#define FIELD(name) G_STRUCT_OFFSET (GstClIntegralSettings, name)

const GstClProperty integral_properties[] = {
  /**
   * GstClIntegral:sum-format:
   *
   * Type of the sums. `auto` is `u64` for samples of 16 bits and `u32` for all
   * others. Sums of `u32` are defined modulo 2^32, so the sum of a rectangle is
   * exact if it is below 2^32.
   *
   * Since: 0.1
   */
  { "sum-format", "Type of the sums", GST_CL_PROPERTY_ENUM,
      FIELD (choice.sum_format), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_CAPS,
      .values.e = { GST_CL_SUM_FORMAT_AUTO, &sum_format_enum } },

  /**
   * GstClIntegral:layout:
   *
   * `inclusive` gives one sum per sample, which includes the sample.
   * `exclusive` has an additional first row and column of zeros, as OpenCV's
   * `cv::integral`.
   *
   * Since: 0.1
   */
  { "layout", "Whether a sum includes its own row and column",
      GST_CL_PROPERTY_ENUM, FIELD (choice.layout), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_CAPS,
      .values.e = { GST_CL_LAYOUT_INCLUSIVE, &layout_enum } },

  /**
   * GstClIntegral:component:
   *
   * The component to sum, in GStreamer's order (Y U V A, R G B A). -1 sums the
   * luma of YUV, and all components of packed RGB as channels.
   *
   * Since: 0.1
   */
  { "component",
      "Component to sum, at its own size; -1: luma, or all of packed RGB",
      GST_CL_PROPERTY_INT, FIELD (choice.component), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_CAPS,
      .values.i = { -1, -1, GST_VIDEO_MAX_COMPONENTS - 1 } },

  /**
   * GstClIntegral:method:
   *
   * How the device computes the sums; all methods give the same results. `auto`
   * measures once per device and caps, and stores the fastest.
   *
   * Since: 0.1
   */
  { "method", "How the device computes the sums", GST_CL_PROPERTY_ENUM,
      FIELD (method), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_INTEGRAL_METHOD_AUTO, &integral_method_enum } },

  /**
   * GstClIntegral:squares:
   *
   * Adds the integral image of the squared samples, in 64 bits, after the sums.
   * Both together give the variance of any rectangle.
   *
   * Since: 0.3
   */
  { "squares", "Also output the sums of squares, after the sums",
      GST_CL_PROPERTY_BOOLEAN, FIELD (choice.squares),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_CAPS, .values.boolean = FALSE },

  /**
   * GstClIntegral:tilted:
   *
   * Adds the integral image rotated by 45 degrees, as OpenCV defines it, after
   * the sums and the squares.
   *
   * Since: 0.3
   */
  { "tilted", "Also output the 45-degree sums, after all others",
      GST_CL_PROPERTY_BOOLEAN, FIELD (choice.tilted), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_CAPS, .values.boolean = FALSE },
};

GST_DEBUG_CATEGORY_STATIC (gst_cl_integral_debug);
#define GST_CAT_DEFAULT gst_cl_integral_debug

/* --- type ---------------------------------------------------------------- */

#define N_KINDS (GST_CL_INTEGRAL_TILTED + 1)

struct _GstClIntegral {
  GstClBaseFilter parent;

  /* object lock */
  GstClIntegralSettings settings; /* the properties */
  GstClIntegralSettings taken;    /* snapshot of the properties */

  /* streaming thread */
  GstVideoInfo in_info;
  GstClIntegralInfo out_info;
  guint first_component;
  GstClTieredOp *ops[N_KINDS]; /* of GstClIntegralOp; NULL: not requested */
  GstClIntegralStrips *strips; /* instead of ops, for integral images in system
                                  memory that exceed the largest buffer */
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
    g_clear_pointer (&self->ops[kind], gst_cl_tiered_op_free);
  g_clear_pointer (&self->strips, gst_cl_integral_strips_free);
}

/* Returns the array of @kind in a buffer that starts at @offset_bytes of @mem.
 */
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

  self->ops[kind] = gst_cl_tiered_op_new (&gst_cl_integral_tiered, context,
      get_taken (self).method, &problem,
      gst_cl_base_filter_may_measure (GST_CL_BASE_FILTER (self)), error);
  if (!self->ops[kind])
    return FALSE;

  GST_INFO_OBJECT (self, "%dx%d, %d channels, kind %d: %s", problem.width,
      problem.height, problem.channels, kind,
      gst_cl_tiered_op_name (self->ops[kind]));

  return TRUE;
}

static gboolean
writes_system_memory (GstClBaseFilter *filter, GstCaps *out)
{
  GstClIntegralInfo info;

  return !gst_cl_caps_is_device (out) &&
         gst_cl_integral_info_from_caps (&info, out) &&
         gst_cl_integral_strips_are_needed (gst_cl_base_filter_context (filter),
             &info);
}

static gboolean
gst_cl_integral_configure (GstClBaseFilter *filter, GstCaps *in, GstCaps *out,
    GError **error)
{
  GstClIntegral *self = GST_CL_INTEGRAL (filter);
  GstClContext *context = gst_cl_base_filter_context (filter);
  const gint component = get_taken (self).choice.component;
  gboolean in_strips;
  GstClComponent first;

  free_ops (self);
  if (!gst_video_info_from_caps (&self->in_info, in) ||
      !gst_cl_integral_info_from_caps (&self->out_info, out)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The caps describe no video frame.");
    return FALSE;
  }
  in_strips = writes_system_memory (filter, out) &&
              gst_cl_integral_strips_rows (context, &self->in_info,
                  &self->out_info) > 0;
  if (!check_component (self, component, error) ||
      (!in_strips && !gst_cl_pool_check_size (context,
                         gst_cl_integral_info_size (&self->out_info),
                         (guint) self->out_info.height, error)))
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

  if (in_strips) {
    self->strips = gst_cl_integral_strips_new (context, &self->in_info,
        &self->out_info, self->first_component, get_taken (self).method,
        gst_cl_base_filter_may_measure (filter), error);
    return self->strips != NULL;
  }

  return build_op (self, GST_CL_INTEGRAL_SUM, &first, error) &&
         (!self->out_info.has_squares ||
             build_op (self, GST_CL_INTEGRAL_SQUARES, &first, error)) &&
         (!self->out_info.has_tilted ||
             build_op (self, GST_CL_INTEGRAL_TILTED, &first, error));
}

/* --- processing ---------------------------------------------------------- */

/* Returns the components to sum. */
static guint
component_mask (GstClIntegral *self)
{
  return ((1u << self->out_info.channels) - 1) << self->first_component;
}

/* Arguments for the work on one frame. */
typedef struct {
  GstClIntegral *self;
  const GstClFrame *in;
  const GstClDeviceRange *out;
} Work;

static gboolean
run (const Work *work, GError **error)
{
  GstClIntegral *self = work->self;
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];

  for (gint c = 0; c < self->out_info.channels; c++)
    components[c] = gst_cl_frame_component (work->in,
        self->first_component + c);

  for (guint kind = 0; kind < N_KINDS; kind++) {
    const GstClSums array = array_of_kind (self, kind, work->out->mem,
        work->out->offset_bytes);

    GstClIntegralOp *op;

    if (!self->ops[kind])
      continue;
    op = gst_cl_tiered_op_next (self->ops[kind], error);
    if (!op || !gst_cl_integral_op_run (op, components, &array, error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
gst_cl_integral_process (GstClBaseFilter *filter, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, GError **error)
{
  Work work = { .self = GST_CL_INTEGRAL (filter) };

  if (work.self->strips)
    return gst_cl_integral_strips_run (work.self->strips, frames, in, out,
        component_mask (work.self), error);

  work.in = gst_cl_in_flight_take_components (frames, in, &work.self->in_info,
      component_mask (work.self), GST_MAP_READ, error);
  if (!work.in)
    return FALSE;
  work.out = gst_cl_in_flight_take_bytes (frames, out,
      gst_cl_integral_info_size (&work.self->out_info), GST_MAP_WRITE, error);

  return work.out && gst_cl_in_flight_begin_kernels (frames, error) &&
         run (&work, error) && gst_cl_in_flight_end_kernels (frames, error);
}

/* --- properties ---------------------------------------------------------- */

/* GObject calls this for installed properties only. */
static void
gst_cl_integral_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstClIntegral *self = GST_CL_INTEGRAL (object);
  GstClChange change;

  GST_OBJECT_LOCK (self);
  change = gst_cl_property_set (&integral_properties[id - FIRST_PROPERTY],
      &self->settings, value);
  GST_OBJECT_UNLOCK (self);

  gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self), change);
}

static void
gst_cl_integral_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClIntegral *self = GST_CL_INTEGRAL (object);

  GST_OBJECT_LOCK (self);
  gst_cl_property_get (&integral_properties[id - FIRST_PROPERTY],
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
  gst_cl_property_init_fields (integral_properties,
      G_N_ELEMENTS (integral_properties), &self->settings);
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
  filter_class->writes_system_memory = GST_DEBUG_FUNCPTR (writes_system_memory);

  gst_cl_property_install (integral_properties,
      G_N_ELEMENTS (integral_properties), object_class, FIRST_PROPERTY);
  gst_cl_caps_add_templates (element_class, sink_caps, src_caps, FALSE, TRUE);
  gst_element_class_set_static_metadata (element_class, "OpenCL integral image",
      "Filter/Video",
      "Computes the integral image (summed-area table) of every frame on an "
      "OpenCL device",
      "The gst-opencl authors");

  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&sum_format_enum), 0);
  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&layout_enum), 0);
  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&integral_method_enum), 0);
}

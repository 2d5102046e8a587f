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
 * Since: 0.4
 */

#include "gstclkernelfilter.h"

#include <string.h>

#include "cl/video/gstclformat.h"
#include "common/gstclproperty.h"
#include "elements/base/gstclcaps.h"
#include "elements/base/gstclpool.h"
#include "elements/base/gstclresultmeta.h"
#include "gstclkernelparameter.h"
#include "gstclkernelrunner.h"
#include "gstclkernelwatchdog.h"
#include "statistics/series/gstclframetime.h"

#define META_NAME    "GstClKernelMeta"
#define MESSAGE_NAME "clkernel"

GST_DEBUG_CATEGORY (gst_cl_kernel_filter_debug);
#define GST_CAT_DEFAULT gst_cl_kernel_filter_debug

/* --- settings ------------------------------------------------------------ */

typedef struct {
  GstClKernelSettings kernels;
  const gchar *output_format, *output_width, *output_height;
  gboolean post_messages;
  guint timeout; /* in seconds */
} Settings;

#define FIELD(name) G_STRUCT_OFFSET (Settings, name)

static const GstClProperty properties[] = {
  /**
   * GstClKernelFilter:location:
   *
   * Path of the kernel file, a text in OpenCL C.
   *
   * Since: 0.4
   */
  { "location", "Path of the kernel file", GST_CL_PROPERTY_STRING,
      FIELD (kernels.location), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.s = { NULL } },

  /**
   * GstClKernelFilter:source:
   *
   * The text of a kernel file, instead of #GstClKernelFilter:location.
   *
   * Since: 0.4
   */
  { "source", "Text of a kernel file, instead of location",
      GST_CL_PROPERTY_STRING, FIELD (kernels.source), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.s = { NULL } },

  /**
   * GstClKernelFilter:function:
   *
   * The kernel to launch. By default the kernels of the file's lines `//!PASS`,
   * else its only kernel.
   *
   * Since: 0.4
   */
  { "function", "Kernel to launch; default: those of //!PASS, or the only one",
      GST_CL_PROPERTY_STRING, FIELD (kernels.function),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES, .values.s = { NULL } },

  /**
   * GstClKernelFilter:options:
   *
   * Options of the device's compiler, such as `-DRADIUS=3` or
   * `-cl-fast-relaxed-math`.
   *
   * Since: 0.4
   */
  { "options", "Options of the compiler", GST_CL_PROPERTY_STRING,
      FIELD (kernels.options), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.s = { NULL } },

  /**
   * GstClKernelFilter:work-size:
   *
   * The work-items of a launch, instead of the file's `//!WORK`: `pixels` of
   * the output, `samples` (all components, in the third dimension), `rows`, or
   * `WxH` with expressions of `iw`, `ih`, `ow` and `oh`: `(ow+15)/16xoh`.
   *
   * Since: 0.4
   */
  { "work-size", "Work-items of a launch: pixels, samples, rows, or WxH",
      GST_CL_PROPERTY_STRING, FIELD (kernels.work_size),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES, .values.s = { NULL } },

  /**
   * GstClKernelFilter:statistics:
   *
   * Numbers that the kernel counts in each frame, in addition to the file's
   * `//!STATISTICS`: `NAME:TYPE:COUNT,...`. They are cleared before each frame,
   * and come as element message `clkernel` and as `GstClKernelMeta`.
   *
   * Since: 0.4
   */
  { "statistics", "Numbers of the kernel, NAME:TYPE:COUNT,...",
      GST_CL_PROPERTY_STRING, FIELD (kernels.statistics),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES, .values.s = { NULL } },

  /**
   * GstClKernelFilter:auto-reload:
   *
   * Compiles the file again when it changes. The new kernels run from a frame
   * on; if they do not compile, the old ones go on, and a warning says why.
   *
   * Since: 0.4
   */
  { "auto-reload", "Use the file as it is on disk, when it changes",
      GST_CL_PROPERTY_BOOLEAN, FIELD (kernels.auto_reload),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.boolean = FALSE },

  /**
   * GstClKernelFilter:output-format:
   *
   * Format of the output, instead of the file's `//!FORMAT`. By default that of
   * the input.
   *
   * Since: 0.4
   */
  { "output-format", "Format of the output; default: that of the input",
      GST_CL_PROPERTY_STRING, FIELD (output_format), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_CAPS, .values.s = { NULL } },

  /**
   * GstClKernelFilter:output-width:
   *
   * Width of the output, instead of the file's `//!WIDTH`: a number, or an
   * expression of the input's `iw` and `ih`, such as `iw/2`.
   *
   * Since: 0.4
   */
  { "output-width", "Width of the output, of iw and ih; default: iw",
      GST_CL_PROPERTY_STRING, FIELD (output_width), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_CAPS, .values.s = { NULL } },

  /**
   * GstClKernelFilter:output-height:
   *
   * Height of the output, instead of the file's `//!HEIGHT`, as
   * #GstClKernelFilter:output-width.
   *
   * Since: 0.4
   */
  { "output-height", "Height of the output, of iw and ih; default: ih",
      GST_CL_PROPERTY_STRING, FIELD (output_height), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_CAPS, .values.s = { NULL } },

  /**
   * GstClKernelFilter:post-messages:
   *
   * Posts the statistics of each frame as an element message.
   *
   * Since: 0.4
   */
  { "post-messages", "Post an element message for each result",
      GST_CL_PROPERTY_BOOLEAN, FIELD (post_messages), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.boolean = TRUE },

  /**
   * GstClKernelFilter:timeout:
   *
   * Seconds after which kernels that have not ended are an error; 0: none. A
   * launch cannot be cancelled: the process has to be ended.
   *
   * Since: 0.4
   */
  { "timeout", "Seconds until kernels that do not end are an error; 0: none",
      GST_CL_PROPERTY_UINT, FIELD (timeout), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.u = { 30, 0, 3600 } },
};

enum {
  FIRST_PROPERTY = 1,
  PROP_PARAMETERS = FIRST_PROPERTY + G_N_ELEMENTS (properties),
};

/* --- type ---------------------------------------------------------------- */

struct _GstClKernelFilter {
  GstClBaseFilter parent;

  /* object lock */
  Settings settings;          /* the properties */
  GstStructure *parameters;   /* the property, or NULL */
  guint serial;               /* of both */
  Settings taken;             /* snapshot of the properties */
  GstClKernelRequest request; /* snapshot */
  GstClKernelFile *file;      /* that the caps follow; NULL: none is read */
  GPtrArray *children;        /* GstClKernelParameter */

  gint has_warned; /* atomic: about the formats of upstream */

  /* streaming thread */
  GstVideoInfo in_info, out_info;
  GstClKernelRunner *runner;
  GstClKernelWatchdog *watchdog;
  guint64 n_frames;
};

static void gst_cl_kernel_filter_child_proxy_init (gpointer interface,
    gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstClKernelFilter, gst_cl_kernel_filter,
    GST_TYPE_CL_BASE_FILTER,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY,
        gst_cl_kernel_filter_child_proxy_init))
GST_ELEMENT_REGISTER_DEFINE (clkernel, "clkernel", GST_RANK_NONE,
    GST_TYPE_CL_KERNEL_FILTER)

static void
take_settings (GstClBaseFilter *filter)
{
  GstClKernelFilter *self = GST_CL_KERNEL_FILTER (filter);
  const GstClKernelRequest request = { self->settings.kernels, self->parameters,
    self->serial };

  self->taken = self->settings;
  gst_cl_kernel_request_copy (&self->request, &request);
}

static Settings
get_taken (GstClKernelFilter *self)
{
  Settings taken;

  GST_OBJECT_LOCK (self);
  taken = self->taken;
  GST_OBJECT_UNLOCK (self);

  return taken;
}

/* Returns the file that the caps follow, or NULL. transfer full */
static GstClKernelFile *
ref_file (GstClKernelFilter *self)
{
  GstClKernelFile *file;

  GST_OBJECT_LOCK (self);
  file = self->file ? gst_cl_kernel_file_ref (self->file) : NULL;
  GST_OBJECT_UNLOCK (self);

  return file;
}

/* --- parameters as children ---------------------------------------------- */

/* Sets the value of a child. */
static void
set_number (gpointer owner, const gchar *name, gdouble number)
{
  GstClKernelFilter *self = owner;
  g_autoptr (GstClKernelFile) file = ref_file (self);
  const GstClParameter *parameter = file ? gst_cl_kernel_file_find (file, name,
                                               NULL)
                                         : NULL;

  if (!parameter)
    return;
  if (parameter->number != GST_CL_NUMBER_FLOAT)
    number = number < 0 ? -(gdouble) (gint64) (0.5 - number)
                        : (gdouble) (gint64) (number + 0.5);
  number = CLAMP (number, parameter->minimum, parameter->maximum);

  GST_OBJECT_LOCK (self);
  if (!self->parameters)
    self->parameters = gst_structure_new_empty ("parameters");
  if (parameter->kind == GST_CL_PARAMETER_BOOL)
    gst_structure_set (self->parameters, name, G_TYPE_BOOLEAN, number != 0,
        NULL);
  else
    gst_structure_set (self->parameters, name, G_TYPE_DOUBLE, number, NULL);
  self->serial++;
  GST_OBJECT_UNLOCK (self);

  gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self),
      GST_CL_CHANGE_FRAMES);
}

static void
remove_children (GstClKernelFilter *self)
{
  GPtrArray *children;

  GST_OBJECT_LOCK (self);
  children = g_steal_pointer (&self->children);
  GST_OBJECT_UNLOCK (self);

  for (guint i = 0; children && i < children->len; i++) {
    GstClKernelParameter *child = g_ptr_array_index (children, i);

    gst_cl_kernel_parameter_detach (child);
    gst_child_proxy_child_removed (GST_CHILD_PROXY (self), G_OBJECT (child),
        GST_OBJECT_NAME (child));
  }
  g_clear_pointer (&children, g_ptr_array_unref);
}

/* Adds a child for each parameter with one number. */
static void
add_children (GstClKernelFilter *self, GstClKernelFile *file)
{
  g_autoptr (GPtrArray)
      children = g_ptr_array_new_with_free_func (gst_object_unref);

  remove_children (self);
  for (guint i = 0; i < file->parameters->len; i++) {
    const GstClParameter *parameter = &g_array_index (file->parameters,
        GstClParameter, i);

    if (!gst_cl_parameter_is_array (parameter) && parameter->n == 1)
      g_ptr_array_add (children,
          gst_cl_kernel_parameter_new (parameter, set_number, self));
  }
  GST_OBJECT_LOCK (self);
  self->children = g_ptr_array_ref (children);
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; i < children->len; i++)
    gst_child_proxy_child_added (GST_CHILD_PROXY (self),
        g_ptr_array_index (children, i),
        GST_OBJECT_NAME (g_ptr_array_index (children, i)));
}

static guint
get_children_count (GstChildProxy *proxy)
{
  GstClKernelFilter *self = GST_CL_KERNEL_FILTER (proxy);
  guint n;

  GST_OBJECT_LOCK (self);
  n = self->children ? self->children->len : 0;
  GST_OBJECT_UNLOCK (self);

  return n;
}

static GObject *
get_child_by_index (GstChildProxy *proxy, guint index)
{
  GstClKernelFilter *self = GST_CL_KERNEL_FILTER (proxy);
  GObject *child = NULL;

  GST_OBJECT_LOCK (self);
  if (self->children && index < self->children->len)
    child = g_object_ref (g_ptr_array_index (self->children, index));
  GST_OBJECT_UNLOCK (self);

  return child;
}

static void
gst_cl_kernel_filter_child_proxy_init (gpointer interface, gpointer data)
{
  GstChildProxyInterface *proxy = interface;

  proxy->get_children_count = get_children_count;
  proxy->get_child_by_index = get_child_by_index;
}

/* Sets the controlled children to their values at @time. */
static void
sync_children (GstClKernelFilter *self, GstClockTime time)
{
  for (guint i = 0; GST_CLOCK_TIME_IS_VALID (time); i++) {
    GObject *child = get_child_by_index (GST_CHILD_PROXY (self), i);

    if (!child)
      return;
    gst_object_sync_values (GST_OBJECT (child), time);
    g_object_unref (child);
  }
}

/* --- negotiation --------------------------------------------------------- */

/* What an output takes from the properties, else from the file. */
typedef struct {
  GstClKernelFile *file; /* or NULL; owned */
  const gchar *format, *width, *height;
} Output;

static void
get_output (GstClKernelFilter *self, Output *output)
{
  const Settings taken = get_taken (self);
  GstClKernelFile *file = ref_file (self);

  *output = (Output){ file, taken.output_format, taken.output_width,
    taken.output_height };
  if (file && !output->format)
    output->format = file->format;
  if (file && !output->width)
    output->width = file->width;
  if (file && !output->height)
    output->height = file->height;
}

static gboolean
is_format (const gchar *name)
{
  return gst_cl_format_find (gst_video_format_from_string (name)) != NULL;
}

/* Returns TRUE if the output has a format of its own. One that is not supported
 * passes as that of the input: configuring can say why. */
static gboolean
has_own_format (const Output *output)
{
  return output->format && is_format (output->format);
}

static void
clear_output (Output *output)
{
  g_clear_pointer (&output->file, gst_cl_kernel_file_unref);
}

/* Restricts the format of @structure, of an input, to those of the file. FALSE
 * if none is left. */
static gboolean
admit_formats (const Output *output, GstStructure *structure)
{
  GValue list = G_VALUE_INIT, both = G_VALUE_INIT;
  const GValue *formats = gst_structure_get_value (structure, "format");
  gboolean is_admitted = TRUE;

  if (!output->file || !output->file->formats)
    return TRUE;

  g_value_init (&list, GST_TYPE_LIST);
  for (guint i = 0; output->file->formats[i]; i++) {
    GValue name = G_VALUE_INIT;

    g_value_init (&name, G_TYPE_STRING);
    g_value_set_string (&name, output->file->formats[i]);
    gst_value_list_append_and_take_value (&list, &name);
  }
  if (!formats) {
    gst_structure_set_value (structure, "format", &list);
  } else {
    is_admitted = gst_value_intersect (&both, formats, &list);
    if (is_admitted)
      gst_structure_take_value (structure, "format", &both);
  }
  g_value_unset (&list);

  return is_admitted;
}

/* Sets the format of an output of @in. Colours of another model are not those
 * of the input. */
static void
set_format (const Output *output, GstStructure *out)
{
  gst_structure_set (out, "format", G_TYPE_STRING, output->format, NULL);
  gst_structure_remove_fields (out, "colorimetry", "chroma-site",
      "mastering-display-info", "content-light-level", NULL);
}

/* Sets the size of an output for the input @in. A size that is wrong passes as
 * 1: configuring can say why. */
static void
set_size (const Output *output, const GstStructure *in, GstStructure *out)
{
  gint width, height, size;

  if (gst_structure_get_int (in, "width", &width) &&
      gst_structure_get_int (in, "height", &height)) {
    if (!gst_cl_kernel_size (output->width, width, height, width, &size, NULL))
      size = 1;
    gst_structure_set (out, "width", G_TYPE_INT, size, NULL);
    if (!gst_cl_kernel_size (output->height, width, height, height, &size,
            NULL))
      size = 1;
    gst_structure_set (out, "height", G_TYPE_INT, size, NULL);
    return;
  }
  if (output->width)
    gst_structure_remove_field (out, "width");
  if (output->height)
    gst_structure_remove_field (out, "height");
}

/* Returns TRUE if outputs of @structure may have the format. */
static gboolean
has_format (const Output *output, const GstStructure *structure)
{
  const GValue *formats = gst_structure_get_value (structure, "format");
  GValue name = G_VALUE_INIT;
  gboolean is_admitted;

  if (!has_own_format (output) || !formats)
    return TRUE;

  g_value_init (&name, G_TYPE_STRING);
  g_value_set_string (&name, output->format);
  is_admitted = gst_value_intersect (NULL, formats, &name);
  g_value_unset (&name);

  return is_admitted;
}

/* Returns the input for the output @structure; NULL: there is none. */
static GstStructure *
map_output (const Output *output, const GstStructure *structure)
{
  GstStructure *in;

  if (!has_format (output, structure))
    return NULL;

  in = gst_structure_copy (structure);
  if (has_own_format (output))
    gst_structure_remove_fields (in, "format", "colorimetry", "chroma-site",
        "mastering-display-info", "content-light-level", NULL);
  if (output->width || output->height)
    gst_structure_remove_fields (in, "width", "height", NULL);
  if (!admit_formats (output, in))
    g_clear_pointer (&in, gst_structure_free);

  return in;
}

static GstStructure *
map_input (const Output *output, const GstStructure *structure)
{
  g_autoptr (GstStructure) in = gst_structure_copy (structure);
  GstStructure *out;

  if (!admit_formats (output, in))
    return NULL;

  out = gst_structure_copy (in);
  if (has_own_format (output))
    set_format (output, out);
  if (output->width || output->height)
    set_size (output, in, out);

  return out;
}

static GstCaps *
map_structure (GstClBaseFilter *filter, GstPadDirection direction,
    const GstStructure *structure)
{
  GstCaps *caps = gst_caps_new_empty ();
  GstStructure *mapped;
  Output output;

  get_output (GST_CL_KERNEL_FILTER (filter), &output);
  mapped = direction == GST_PAD_SINK ? map_input (&output, structure)
                                     : map_output (&output, structure);
  clear_output (&output);
  if (mapped)
    gst_caps_append_structure (caps, mapped);

  return caps;
}

/* Returns TRUE if the format and the size of the output exist. */
static gboolean
check_output (GstClKernelFilter *self, const Output *output, GError **error)
{
  const gint width = GST_VIDEO_INFO_WIDTH (&self->in_info),
             height = GST_VIDEO_INFO_HEIGHT (&self->in_info);
  gint size;

  if (output->format && !is_format (output->format)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "%s: the format of the output, \"%s\", is not supported.",
        output->file->name, output->format);
    return FALSE;
  }
  if (gst_cl_kernel_size (output->width, width, height, width, &size, error) &&
      gst_cl_kernel_size (output->height, width, height, height, &size, error))
    return TRUE;
  g_prefix_error (error, "%s: ", output->file->name);

  return FALSE;
}

static gboolean
configure (GstClBaseFilter *filter, GstCaps *in, GstCaps *out, GError **error)
{
  GstClKernelFilter *self = GST_CL_KERNEL_FILTER (filter);
  GstClContext *context = gst_cl_base_filter_context (filter);
  Output output;
  gboolean is_good;

  gst_cl_kernel_runner_clear (self->runner);
  if (!gst_video_info_from_caps (&self->in_info, in) ||
      !gst_video_info_from_caps (&self->out_info, out)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The caps describe no video frame.");
    return FALSE;
  }

  get_output (self, &output);
  is_good = check_output (self, &output, error) &&
            gst_cl_pool_check_size (context,
                GST_VIDEO_INFO_SIZE (&self->out_info),
                (guint) GST_VIDEO_INFO_HEIGHT (&self->out_info), error) &&
            gst_cl_kernel_runner_configure (self->runner, context, output.file,
                &self->request, &self->in_info, 1, &self->out_info, error);
  clear_output (&output);

  return is_good;
}

/* --- processing ---------------------------------------------------------- */

static void
set_frame (GstClKernelFrame *frame, const GstClFrame *from,
    const GstClFrameTime *time)
{
  frame->n_components = GST_VIDEO_INFO_N_COMPONENTS (&from->info);
  for (guint c = 0; c < frame->n_components; c++)
    frame->components[c] = gst_cl_frame_component (from, c);
  frame->time = GST_CLOCK_TIME_IS_VALID (time->running_time)
                    ? (gint64) time->running_time
                    : -1;
  frame->number = time->frame;
}

/* Takes what has changed since the frame before. Returns FALSE if the caps of
 * the output do. */
static gboolean
update (GstClKernelFilter *self)
{
  GstClKernelFile *next = NULL, *old;

  if (gst_cl_kernel_runner_update (self->runner, &self->request, &next))
    return TRUE;

  GST_OBJECT_LOCK (self);
  old = self->file;
  self->file = next;
  GST_OBJECT_UNLOCK (self);
  gst_cl_kernel_file_unref (old);
  add_children (self, next);
  gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self),
      GST_CL_CHANGE_CAPS);

  return FALSE;
}

/* Publishes the statistics of the last frame. */
static gboolean
publish (GstClKernelFilter *self, GstClKernelOp *op, const GstClFrameTime *time,
    GstBuffer *out, GError **error)
{
  g_autoptr (GstStructure) structure = NULL;

  if (gst_cl_kernel_op_file (op)->statistics->len == 0)
    return TRUE;

  structure = gst_cl_frame_time_structure (MESSAGE_NAME, time,
      GST_OBJECT_NAME (self));
  if (!gst_cl_kernel_op_add_statistics (op, structure, error))
    return FALSE;
  gst_cl_result_meta_add (out, META_NAME, structure);
  if (get_taken (self).post_messages)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self),
            g_steal_pointer (&structure)));

  return TRUE;
}

static gboolean
process (GstClBaseFilter *filter, GstClInFlight *frames, GstBuffer *in,
    GstBuffer *out, GError **error)
{
  GstClKernelFilter *self = GST_CL_KERNEL_FILTER (filter);
  GstClKernelFrame in_frame, out_frame;
  const GstClFrame *from, *to;
  GstClFrameTime time;
  GstClKernelOp *op;

  gst_cl_frame_time_init (&time, &GST_BASE_TRANSFORM (self)->segment, in,
      self->n_frames++);
  update (self);
  op = gst_cl_kernel_runner_op (self->runner);

  to = gst_cl_in_flight_take_components (frames, out, &self->out_info,
      GST_CL_ALL_COMPONENTS, GST_MAP_WRITE, error);
  if (!to)
    return FALSE;
  from = gst_cl_in_flight_take_components (frames, in, &self->in_info,
      GST_CL_ALL_COMPONENTS, GST_MAP_READ, error);
  if (!from || !gst_cl_in_flight_begin_kernels (frames, error))
    return FALSE;
  set_frame (&in_frame, from, &time);
  set_frame (&out_frame, to, &time);

  return gst_cl_kernel_op_run (op, &in_frame, &out_frame, error) &&
         gst_cl_in_flight_end_kernels (frames, error) &&
         gst_cl_kernel_watchdog_watch (self->watchdog,
             gst_cl_base_filter_context (filter),
             gst_cl_kernel_op_file (op)->name,
             get_taken (self).timeout * GST_SECOND, error) &&
         publish (self, op, &time, out, error);
}

/* --- properties ---------------------------------------------------------- */

static void
set_parameters (GstClKernelFilter *self, const GValue *value)
{
  const GstStructure *parameters = gst_value_get_structure (value);

  GST_OBJECT_LOCK (self);
  gst_clear_structure (&self->parameters);
  if (parameters)
    self->parameters = gst_structure_copy (parameters);
  self->serial++;
  GST_OBJECT_UNLOCK (self);

  gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self),
      GST_CL_CHANGE_FRAMES);
}

static void
gst_cl_kernel_filter_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  GstClKernelFilter *self = GST_CL_KERNEL_FILTER (object);
  GstClChange change;

  if (id == PROP_PARAMETERS) {
    set_parameters (self, value);
    return;
  }

  GST_OBJECT_LOCK (self);
  change = gst_cl_property_set (&properties[id - FIRST_PROPERTY],
      &self->settings, value);
  self->serial += change != GST_CL_CHANGE_NONE;
  GST_OBJECT_UNLOCK (self);

  gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self), change);
}

static void
gst_cl_kernel_filter_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClKernelFilter *self = GST_CL_KERNEL_FILTER (object);

  GST_OBJECT_LOCK (self);
  if (id == PROP_PARAMETERS)
    gst_value_set_structure (value, self->parameters);
  else
    gst_cl_property_get (&properties[id - FIRST_PROPERTY], &self->settings,
        value);
  GST_OBJECT_UNLOCK (self);
}

/* --- life cycle ---------------------------------------------------------- */

/* The first frame is the stream's first for //!BUFFER and GST_CL_PREVIOUS,
 * too. */
static gboolean
gst_cl_kernel_filter_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstClKernelFilter *self = GST_CL_KERNEL_FILTER (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP &&
      gst_cl_kernel_runner_op (self->runner))
    gst_cl_kernel_op_reset (gst_cl_kernel_runner_op (self->runner));

  return GST_BASE_TRANSFORM_CLASS (gst_cl_kernel_filter_parent_class)
      ->sink_event (trans, event);
}

/* Warns if upstream has only formats that the file does not list: upstream will
 * report that it cannot negotiate, and not why. @answered: a CAPS query of the
 * sink pad. */
static void
check_formats (GstClKernelFilter *self, GstQuery *answered)
{
  g_autoptr (GstClKernelFile) file = ref_file (self);
  g_autofree gchar *formats = NULL, *offered = NULL;
  g_autoptr (GstCaps) all = NULL;
  GstCaps *filter, *result;

  gst_query_parse_caps (answered, &filter);
  gst_query_parse_caps_result (answered, &result);
  if (!file || !file->formats || !filter || !gst_caps_is_empty (result))
    return;

  all = gst_cl_format_make_caps ();
  if (gst_caps_is_empty (filter) || !gst_caps_can_intersect (filter, all) ||
      !g_atomic_int_compare_and_exchange (&self->has_warned, FALSE, TRUE))
    return;

  formats = g_strjoinv (", ", file->formats);
  offered = gst_caps_to_string (filter);
  GST_ELEMENT_WARNING (self, STREAM, WRONG_TYPE,
      ("%s: its kernels take %s (//!FORMATS), not %s. Put \"videoconvert\" "
       "before the element.",
          file->name, formats, offered),
      (NULL));
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
    check_formats (GST_CL_KERNEL_FILTER (trans), query);

  return is_answered;
}

static void
gst_cl_kernel_filter_before_transform (GstBaseTransform *trans, GstBuffer *in)
{
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (trans->segment.format == GST_FORMAT_TIME)
    time = gst_segment_to_stream_time (&trans->segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (in));
  sync_children (GST_CL_KERNEL_FILTER (trans), time);
}

static gboolean
gst_cl_kernel_filter_start (GstBaseTransform *trans)
{
  GstClKernelFilter *self = GST_CL_KERNEL_FILTER (trans);
  g_autoptr (GError) error = NULL;
  GstClKernelFile *file;
  Settings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);
  file = gst_cl_kernel_settings_load (&settings.kernels, &error);
  if (!file) {
    gst_cl_base_filter_fail (GST_CL_BASE_FILTER (self), error);
    return FALSE;
  }

  GST_OBJECT_LOCK (self);
  self->file = file;
  GST_OBJECT_UNLOCK (self);
  self->n_frames = 0;
  g_atomic_int_set (&self->has_warned, FALSE);
  add_children (self, file);

  return GST_BASE_TRANSFORM_CLASS (gst_cl_kernel_filter_parent_class)
      ->start (trans);
}

static gboolean
gst_cl_kernel_filter_stop (GstBaseTransform *trans)
{
  GstClKernelFilter *self = GST_CL_KERNEL_FILTER (trans);
  GstClKernelFile *file;

  gst_cl_kernel_watchdog_stop (self->watchdog);
  gst_cl_kernel_runner_clear (self->runner);
  remove_children (self);
  GST_OBJECT_LOCK (self);
  file = g_steal_pointer (&self->file);
  GST_OBJECT_UNLOCK (self);
  g_clear_pointer (&file, gst_cl_kernel_file_unref);

  return GST_BASE_TRANSFORM_CLASS (gst_cl_kernel_filter_parent_class)
      ->stop (trans);
}

static void
gst_cl_kernel_filter_finalize (GObject *object)
{
  GstClKernelFilter *self = GST_CL_KERNEL_FILTER (object);

  gst_cl_kernel_watchdog_free (self->watchdog);
  gst_cl_kernel_runner_free (self->runner);
  gst_clear_structure (&self->parameters);
  gst_cl_kernel_request_clear (&self->request);

  G_OBJECT_CLASS (gst_cl_kernel_filter_parent_class)->finalize (object);
}

static void
gst_cl_kernel_filter_init (GstClKernelFilter *self)
{
  gst_cl_property_init_fields (properties, G_N_ELEMENTS (properties),
      &self->settings);
  self->taken = self->settings;
  self->runner = gst_cl_kernel_runner_new (GST_ELEMENT (self));
  self->watchdog = gst_cl_kernel_watchdog_new (GST_ELEMENT (self));
}

static void
gst_cl_kernel_filter_class_init (GstClKernelFilterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstClBaseFilterClass *filter_class = GST_CL_BASE_FILTER_CLASS (klass);
  g_autoptr (GstCaps) caps = gst_cl_format_make_caps ();

  GST_DEBUG_CATEGORY_INIT (gst_cl_kernel_filter_debug, "clkernel", 0,
      "OpenCL kernels of users");
  gst_cl_result_meta_register (META_NAME);

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

  gst_cl_property_install (properties, G_N_ELEMENTS (properties), object_class,
      FIRST_PROPERTY);

  /**
   * GstClKernelFilter:parameters:
   *
   * Values of the kernel's parameters, which the head of the file names:
   * `parameters="p, radius=3, gain=1.5"`. A parameter that is not named has its
   * default. Values that are set before the file is read are kept. A parameter
   * with one number is also a child of the element, with the controllable
   * property `value`: `radius::value=3`.
   *
   * Since: 0.4
   */
  g_object_class_install_property (object_class, PROP_PARAMETERS,
      g_param_spec_boxed ("parameters", "Parameters",
          "Values of the kernel's parameters", GST_TYPE_STRUCTURE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_PLAYING));

  gst_cl_caps_add_templates (element_class, caps, caps, FALSE, TRUE);
  gst_element_class_set_static_metadata (element_class, "OpenCL kernel",
      "Filter/Effect/Video", "Runs a user's OpenCL kernel on every frame",
      "The gst-opencl authors");

  gst_type_mark_as_plugin_api (GST_TYPE_CL_KERNEL_PARAMETER, 0);
}

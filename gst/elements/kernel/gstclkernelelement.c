/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties, caps and results of elements that run users' kernels. */

#include "gstclkernelelement.h"

#include "cl/video/gstclformat.h"
#include "elements/base/gstclpool.h"
#include "elements/base/gstclresultmeta.h"
#include "gstclkernelparameter.h"

GST_DEBUG_CATEGORY (gst_cl_kernel_filter_debug);
#define GST_CAT_DEFAULT gst_cl_kernel_filter_debug

#define META_NAME "GstClKernelMeta"

/* --- settings ------------------------------------------------------------ */

#define FIELD(name) G_STRUCT_OFFSET (GstClKernelProperties, name)

static const GstClProperty properties[] = {
  /**
   * GstClKernelFilter:location:
   *
   * Path of the kernel file, a text in OpenCL C.
   *
   * Since: 0.3
   */
  { "location", "Path of the kernel file", GST_CL_PROPERTY_STRING,
      FIELD (kernels.location), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.s = { NULL } },

  /**
   * GstClKernelFilter:source:
   *
   * The text of a kernel file, instead of #GstClKernelFilter:location.
   *
   * Since: 0.3
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
   * Since: 0.3
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
   * Since: 0.3
   */
  { "options", "Options of the compiler", GST_CL_PROPERTY_STRING,
      FIELD (kernels.options), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.s = { NULL } },

  /**
   * GstClKernelFilter:work-size:
   *
   * The work-items of a launch, instead of the file's `//!WORK`: `pixels` of
   * the output, `samples` (the component is the third dimension), `samples16`
   * (sixteen samples for a work-item), `rows`, or `WxH` and `WxHxD` with
   * expressions of `iw`, `ih`, `ow`, `oh` and `components`: `(ow+15)/16xoh`.
   *
   * Since: 0.3
   */
  { "work-size",
      "Work-items of a launch: pixels, samples, samples16, rows, or WxH",
      GST_CL_PROPERTY_STRING, FIELD (kernels.work_size),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES, .values.s = { NULL } },

  /**
   * GstClKernelFilter:statistics:
   *
   * Numbers that the kernel counts in each frame, in addition to the file's
   * `//!STATISTICS`: `NAME:TYPE:COUNT,...`. They are cleared before each frame,
   * and come as element message `clkernel` and as `GstClKernelMeta`.
   *
   * Since: 0.3
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
   * Since: 0.3
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
   * Since: 0.3
   */
  { "output-format", "Format of the output; default: that of the input",
      GST_CL_PROPERTY_STRING, FIELD (kernels.output_format),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_CAPS, .values.s = { NULL } },

  /**
   * GstClKernelFilter:output-width:
   *
   * Width of the output, instead of the file's `//!WIDTH`: a number, or an
   * expression of the input's `iw` and `ih`, such as `iw/2`.
   *
   * Since: 0.3
   */
  { "output-width", "Width of the output, of iw and ih; default: iw",
      GST_CL_PROPERTY_STRING, FIELD (kernels.output_width),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_CAPS, .values.s = { NULL } },

  /**
   * GstClKernelFilter:output-height:
   *
   * Height of the output, instead of the file's `//!HEIGHT`, as
   * #GstClKernelFilter:output-width.
   *
   * Since: 0.3
   */
  { "output-height", "Height of the output, of iw and ih; default: ih",
      GST_CL_PROPERTY_STRING, FIELD (kernels.output_height),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_CAPS, .values.s = { NULL } },

  /**
   * GstClKernelFilter:post-messages:
   *
   * Posts the statistics of each frame as an element message.
   *
   * Since: 0.3
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
   * Since: 0.3
   */
  { "timeout", "Seconds until kernels that do not end are an error; 0: none",
      GST_CL_PROPERTY_UINT, FIELD (timeout), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.u = { 30, 0, 3600 } },
};

enum {
  FIRST_PROPERTY = 1,
  PROP_PARAMETERS = FIRST_PROPERTY + G_N_ELEMENTS (properties),
};

/* --- the snapshot --------------------------------------------------------- */

void
gst_cl_kernel_element_take_settings (GstClKernelElement *self)
{
  const GstClKernelRequest request = { self->settings.kernels, self->parameters,
    self->serial };

  self->taken = self->settings;
  gst_cl_kernel_request_copy (&self->request, &request);
}

static GstClKernelProperties
get_taken (GstClKernelElement *self)
{
  GstClKernelProperties taken;

  GST_OBJECT_LOCK (self->element);
  taken = self->taken;
  GST_OBJECT_UNLOCK (self->element);

  return taken;
}

GstClKernelFile *
gst_cl_kernel_element_ref_file (GstClKernelElement *self)
{
  GstClKernelFile *file;

  GST_OBJECT_LOCK (self->element);
  file = self->file ? gst_cl_kernel_file_ref (self->file) : NULL;
  GST_OBJECT_UNLOCK (self->element);

  return file;
}

/* --- parameters as children ---------------------------------------------- */

/* Sets the value of a child. */
static void
set_number (gpointer user_data, const gchar *name, gdouble number)
{
  GstClKernelElement *self = user_data;
  g_autoptr (GstClKernelFile) file = gst_cl_kernel_element_ref_file (self);
  const GstClParameter *parameter = file ? gst_cl_kernel_file_find (file, name,
                                               NULL)
                                         : NULL;

  if (!parameter)
    return;
  if (parameter->number != GST_CL_NUMBER_FLOAT)
    number = number < 0 ? -(gdouble) (gint64) (0.5 - number)
                        : (gdouble) (gint64) (number + 0.5);
  number = CLAMP (number, parameter->minimum, parameter->maximum);

  GST_OBJECT_LOCK (self->element);
  if (!self->parameters)
    self->parameters = gst_structure_new_empty ("parameters");
  if (parameter->kind == GST_CL_PARAMETER_BOOL)
    gst_structure_set (self->parameters, name, G_TYPE_BOOLEAN, number != 0,
        NULL);
  else
    gst_structure_set (self->parameters, name, G_TYPE_DOUBLE, number, NULL);
  self->serial++;
  GST_OBJECT_UNLOCK (self->element);

  self->mark_changed (self->element, GST_CL_CHANGE_FRAMES);
}

static void
remove_children (GstClKernelElement *self)
{
  GPtrArray *children;

  GST_OBJECT_LOCK (self->element);
  children = g_steal_pointer (&self->children);
  GST_OBJECT_UNLOCK (self->element);

  for (guint i = 0; children && i < children->len; i++) {
    GstClKernelParameter *child = g_ptr_array_index (children, i);

    gst_cl_kernel_parameter_detach (child);
    gst_child_proxy_child_removed (GST_CHILD_PROXY (self->element),
        G_OBJECT (child), GST_OBJECT_NAME (child));
  }
  g_clear_pointer (&children, g_ptr_array_unref);
}

/* Returns TRUE if @parameter is a child of the element. */
static gboolean
is_child (const GstClParameter *parameter)
{
  return !gst_cl_parameter_is_array (parameter) && parameter->n == 1;
}

/* Returns TRUE if @a has the children of @b: control bindings stay. */
static gboolean
has_same_children (const GstClKernelFile *a, const GstClKernelFile *b)
{
  if (a->parameters->len != b->parameters->len)
    return FALSE;
  for (guint i = 0; i < a->parameters->len; i++) {
    const GstClParameter *one = &g_array_index (a->parameters, GstClParameter,
        i);
    const GstClParameter *other = &g_array_index (b->parameters, GstClParameter,
        i);

    if (is_child (one) != is_child (other) ||
        !g_str_equal (one->name, other->name))
      return FALSE;
  }

  return TRUE;
}

/* Adds a child for each parameter with one number. */
static void
add_children (GstClKernelElement *self, GstClKernelFile *file)
{
  g_autoptr (GPtrArray)
      children = g_ptr_array_new_with_free_func (gst_object_unref);

  remove_children (self);
  for (guint i = 0; i < file->parameters->len; i++) {
    const GstClParameter *parameter = &g_array_index (file->parameters,
        GstClParameter, i);

    if (is_child (parameter))
      g_ptr_array_add (children,
          gst_cl_kernel_parameter_new (parameter, set_number,
              G_OBJECT (self->element), self));
  }
  GST_OBJECT_LOCK (self->element);
  self->children = g_ptr_array_ref (children);
  GST_OBJECT_UNLOCK (self->element);
  for (guint i = 0; i < children->len; i++)
    gst_child_proxy_child_added (GST_CHILD_PROXY (self->element),
        g_ptr_array_index (children, i),
        GST_OBJECT_NAME (g_ptr_array_index (children, i)));
}

guint
gst_cl_kernel_element_count_children (GstClKernelElement *self)
{
  guint n;

  GST_OBJECT_LOCK (self->element);
  n = self->children ? self->children->len : 0;
  GST_OBJECT_UNLOCK (self->element);

  return n;
}

GObject *
gst_cl_kernel_element_get_child (GstClKernelElement *self, guint index)
{
  GObject *child = NULL;

  GST_OBJECT_LOCK (self->element);
  if (self->children && index < self->children->len)
    child = g_object_ref (g_ptr_array_index (self->children, index));
  GST_OBJECT_UNLOCK (self->element);

  return child;
}

void
gst_cl_kernel_element_sync_children (GstClKernelElement *self,
    GstClockTime time)
{
  for (guint i = 0; GST_CLOCK_TIME_IS_VALID (time); i++) {
    GObject *child = gst_cl_kernel_element_get_child (self, i);

    if (!child)
      return;
    gst_object_sync_values (GST_OBJECT (child), time);
    g_object_unref (child);
  }
}

/* Sets the children to the values of @parameters (NULL: the defaults); one that
 * is wrong is told when it is used. */
static void
show_parameters (GstClKernelElement *self, const GstStructure *parameters)
{
  g_autoptr (GstClKernelFile) file = gst_cl_kernel_element_ref_file (self);
  GObject *child;

  for (guint i = 0; file && (child = gst_cl_kernel_element_get_child (self, i));
       i++) {
    const gchar *name = GST_OBJECT_NAME (child);
    const GstClParameter *parameter = gst_cl_kernel_file_find (file, name,
        NULL);
    const GValue *given = parameters
                              ? gst_structure_get_value (parameters, name)
                              : NULL;
    GstClParameterValue value = { 0 };

    if (parameter &&
        (given ? gst_cl_parameter_convert (parameter, given, NULL, &value, NULL)
               : gst_cl_parameter_parse (parameter, parameter->initial, NULL,
                     &value, NULL)))
      gst_cl_kernel_parameter_show (GST_CL_KERNEL_PARAMETER (child),
          value.numbers[0]);
    gst_cl_parameter_value_clear (&value);
    g_object_unref (child);
  }
}

/* --- negotiation --------------------------------------------------------- */

/* What caps follow. */
typedef struct {
  GstClKernelFile *file; /* or NULL; owned */
  const gchar *format, *width, *height;
} Output;

static void
get_output (GstClKernelElement *self, Output *output)
{
  const GstClKernelProperties taken = get_taken (self);
  GstClKernelOutput from_file;

  *output = (Output){ .file = gst_cl_kernel_element_ref_file (self) };
  if (!output->file)
    return;

  from_file = gst_cl_kernel_settings_output (&taken.kernels, output->file);
  output->format = from_file.format;
  output->width = from_file.width;
  output->height = from_file.height;
}

/* Returns TRUE if the output has a format of its own. One that is not supported
 * passes as that of the input: configuring can say why. */
static gboolean
has_own_format (const Output *output)
{
  return output->format &&
         gst_cl_format_find (gst_video_format_from_string (output->format));
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

GstCaps *
gst_cl_kernel_element_map_structure (GstClKernelElement *self,
    GstPadDirection direction, const GstStructure *structure)
{
  GstCaps *caps = gst_caps_new_empty ();
  GstStructure *mapped;
  Output output;

  get_output (self, &output);
  mapped = direction == GST_PAD_SINK ? map_input (&output, structure)
                                     : map_output (&output, structure);
  clear_output (&output);
  if (mapped)
    gst_caps_append_structure (caps, mapped);

  return caps;
}

void
gst_cl_kernel_element_check_formats (GstClKernelElement *self,
    GstQuery *answered)
{
  g_autoptr (GstClKernelFile) file = gst_cl_kernel_element_ref_file (self);
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
  GST_ELEMENT_WARNING (self->element, STREAM, WRONG_TYPE,
      ("%s: its kernels take %s (//!FORMATS), not %s. Put \"videoconvert\" "
       "before the element.",
          file->name, formats, offered),
      (NULL));
}

GstCaps *
gst_cl_kernel_element_restrict_input (GstClKernelElement *self, GstCaps *caps)
{
  Output output;

  get_output (self, &output);
  caps = gst_caps_make_writable (caps);
  for (guint i = gst_caps_get_size (caps); i > 0; i--) {
    if (!admit_formats (&output, gst_caps_get_structure (caps, i - 1)))
      gst_caps_remove_structure (caps, i - 1);
  }
  clear_output (&output);

  return caps;
}

/* Sets the file that the caps follow, and the settings that name it. @file:
 * transfer full */
static void
set_file (GstClKernelElement *self, GstClKernelFile *file,
    const GstClKernelSettings *settings)
{
  g_autoptr (GstStructure) parameters = NULL;
  GstClKernelFile *old;

  GST_OBJECT_LOCK (self->element);
  old = self->file;
  self->file = file;
  self->loaded = *settings;
  GST_OBJECT_UNLOCK (self->element);
  if (!old || !has_same_children (old, file))
    add_children (self, file);
  GST_OBJECT_LOCK (self->element);
  parameters = self->parameters ? gst_structure_copy (self->parameters) : NULL;
  GST_OBJECT_UNLOCK (self->element);
  show_parameters (self, parameters);
  g_clear_pointer (&old, gst_cl_kernel_file_unref);
}

/* Reads the file that the properties name now, if they have changed since one
 * was read. FALSE with @error. */
static gboolean
load_file (GstClKernelElement *self, GError **error)
{
  const GstClKernelSettings *settings = &self->request.settings;
  GstClKernelFile *file;

  if (gst_cl_kernel_settings_name_same (&self->loaded, settings))
    return TRUE;
  file = gst_cl_kernel_settings_load (settings, error);
  if (!file)
    return FALSE;

  gst_cl_kernel_runner_set_loaded (self->runner, settings);
  set_file (self, file, settings);
  /* the caps are those of the file before */
  self->mark_changed (self->element, GST_CL_CHANGE_CAPS);

  return TRUE;
}

gboolean
gst_cl_kernel_element_configure (GstClKernelElement *self,
    GstClContext *context, const GstVideoInfo *in, guint n_inputs,
    const GstVideoInfo *out, GError **error)
{
  const gboolean has_run = gst_cl_kernel_runner_op (self->runner) != NULL;
  g_autoptr (GstClKernelFile) file = NULL;

  g_free (self->in);
  self->in = g_memdup2 (in, n_inputs * sizeof *in);
  self->n_inputs = n_inputs;
  self->context = context;
  self->out = *out;

  /* kernels that have run go on, whatever has been asked for since */
  if (!has_run && !load_file (self, error))
    return FALSE;
  file = gst_cl_kernel_element_ref_file (self);

  return gst_cl_kernel_settings_check (&self->request.settings, file, &in[0],
             NULL, error) &&
         gst_cl_pool_check_size (context, GST_VIDEO_INFO_SIZE (out),
             (guint) GST_VIDEO_INFO_HEIGHT (out), error) &&
         gst_cl_kernel_runner_configure (self->runner, context, file,
             &self->loaded, &self->request, in, n_inputs, out, error);
}

/* --- processing ---------------------------------------------------------- */

static void
set_frame (GstClKernelFrame *frame, const GstClFrame *from,
    GstClockTime running_time, guint64 number)
{
  frame->n_components = GST_VIDEO_INFO_N_COMPONENTS (&from->info);
  for (guint c = 0; c < frame->n_components; c++)
    frame->components[c] = gst_cl_frame_component (from, c);
  frame->time = GST_CLOCK_TIME_IS_VALID (running_time) ? (gint64) running_time
                                                       : -1;
  frame->number = number;
}

/* Takes what has changed since the frame before. */
static void
update (GstClKernelElement *self)
{
  GstClKernelFile *next = NULL, *running;

  if (!gst_cl_kernel_runner_update (self->runner, &self->request, &next)) {
    set_file (self, next, &self->request.settings);
    self->mark_changed (self->element, GST_CL_CHANGE_CAPS);
    return;
  }

  running = gst_cl_kernel_op_file (gst_cl_kernel_runner_op (self->runner));
  if (running != self->file)
    set_file (self, gst_cl_kernel_file_ref (running), &self->request.settings);
}

/* Publishes the statistics of the last frame. */
static gboolean
publish (GstClKernelElement *self, GstClKernelOp *op,
    const GstClFrameTime *time, GstBuffer *out, GError **error)
{
  g_autoptr (GstStructure) structure = NULL;

  if (gst_cl_kernel_op_file (op)->statistics->len == 0)
    return TRUE;

  structure = gst_cl_frame_time_structure (self->message_name, time,
      GST_OBJECT_NAME (self->element));
  if (!gst_cl_kernel_op_add_statistics (op, structure, error))
    return FALSE;
  gst_cl_result_meta_add (out, META_NAME, structure);
  if (get_taken (self).post_messages)
    gst_element_post_message (self->element,
        gst_message_new_element (GST_OBJECT (self->element),
            g_steal_pointer (&structure)));

  return TRUE;
}

/* Returns TRUE if the kernels get the regions of interest of a frame. */
static gboolean
takes_regions (const GstClKernelFile *file)
{
  for (guint i = 0; i < file->parameters->len; i++) {
    if (g_array_index (file->parameters, GstClParameter, i).takes_regions)
      return TRUE;
  }

  return FALSE;
}

/* Sets the regions of interest of @buffer, the first input. */
static gboolean
set_regions (GstClKernelOp *op, GstBuffer *buffer, GError **error)
{
  g_autoptr (GArray) numbers = NULL;
  gpointer state = NULL;
  GstMeta *meta;

  if (!takes_regions (gst_cl_kernel_op_file (op)))
    return TRUE;

  numbers = g_array_new (FALSE, FALSE, sizeof (gint));
  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *region = (gpointer) meta;
    const gint rectangle[] = { (gint) MIN (region->x, G_MAXINT),
      (gint) MIN (region->y, G_MAXINT), (gint) MIN (region->w, G_MAXINT),
      (gint) MIN (region->h, G_MAXINT) };

    g_array_append_vals (numbers, rectangle, G_N_ELEMENTS (rectangle));
  }

  return gst_cl_kernel_op_set_regions (op, (const gint *) numbers->data,
      numbers->len, error);
}

gboolean
gst_cl_kernel_element_process (GstClKernelElement *self, GstClInFlight *frames,
    GstBuffer *const *in, const GstClockTime *running_times, GstBuffer *out,
    const GstSegment *segment, GError **error)
{
  GstClKernelFrame *inputs = g_newa (GstClKernelFrame, self->n_inputs);
  const GstClFrame **from = g_newa (const GstClFrame *, self->n_inputs);
  GstClKernelFrame output;
  const GstClFrame *to;
  GstClFrameTime time;
  GstClKernelOp *op;

  gst_cl_frame_time_init (&time, segment, out, self->n_frames++);
  update (self);
  op = gst_cl_kernel_runner_op (self->runner);

  to = gst_cl_in_flight_take_components (frames, out, &self->out,
      GST_CL_ALL_COMPONENTS, GST_MAP_WRITE, error);
  if (!to)
    return FALSE;
  for (guint i = 0; i < self->n_inputs; i++) {
    from[i] = gst_cl_in_flight_take_components (frames, in[i], &self->in[i],
        GST_CL_ALL_COMPONENTS, GST_MAP_READ, error);
    if (!from[i])
      return FALSE;
  }
  if (!gst_cl_in_flight_begin_kernels (frames, error))
    return FALSE;
  for (guint i = 0; i < self->n_inputs; i++)
    set_frame (&inputs[i], from[i], running_times[i], time.frame);
  set_frame (&output, to, time.running_time, time.frame);

  return set_regions (op, in[0], error) &&
         gst_cl_kernel_op_run (op, inputs, &output, error) &&
         gst_cl_in_flight_end_kernels (frames, error) &&
         gst_cl_kernel_watchdog_watch (self->watchdog, self->context,
             gst_cl_kernel_op_file (op)->name,
             get_taken (self).timeout * GST_SECOND, error) &&
         publish (self, op, &time, out, error);
}

void
gst_cl_kernel_element_reset (GstClKernelElement *self)
{
  if (gst_cl_kernel_runner_op (self->runner))
    gst_cl_kernel_op_reset (gst_cl_kernel_runner_op (self->runner));
}

/* --- properties ----------------------------------------------------------- */

static void
set_parameters (GstClKernelElement *self, const GValue *value)
{
  const GstStructure *parameters = gst_value_get_structure (value);

  GST_OBJECT_LOCK (self->element);
  gst_clear_structure (&self->parameters);
  if (parameters)
    self->parameters = gst_structure_copy (parameters);
  self->serial++;
  GST_OBJECT_UNLOCK (self->element);
  show_parameters (self, parameters);

  self->mark_changed (self->element, GST_CL_CHANGE_FRAMES);
}

void
gst_cl_kernel_element_set_property (GstClKernelElement *self, guint id,
    const GValue *value)
{
  GstClChange change;

  if (id == PROP_PARAMETERS) {
    set_parameters (self, value);
    return;
  }

  GST_OBJECT_LOCK (self->element);
  change = gst_cl_property_set (&properties[id - FIRST_PROPERTY],
      &self->settings, value);
  self->serial += change != GST_CL_CHANGE_NONE;
  GST_OBJECT_UNLOCK (self->element);

  self->mark_changed (self->element, change);
}

void
gst_cl_kernel_element_get_property (GstClKernelElement *self, guint id,
    GValue *value)
{
  GST_OBJECT_LOCK (self->element);
  if (id == PROP_PARAMETERS)
    gst_value_set_structure (value, self->parameters);
  else
    gst_cl_property_get (&properties[id - FIRST_PROPERTY], &self->settings,
        value);
  GST_OBJECT_UNLOCK (self->element);
}

void
gst_cl_kernel_element_install (GObjectClass *object_class)
{
  GST_DEBUG_CATEGORY_INIT (gst_cl_kernel_filter_debug, "clkernel", 0,
      "OpenCL kernels of users");

  gst_cl_result_meta_register (META_NAME);
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
   * Since: 0.3
   */
  g_object_class_install_property (object_class, PROP_PARAMETERS,
      g_param_spec_boxed ("parameters", "Parameters",
          "Values of the kernel's parameters", GST_TYPE_STRUCTURE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_PLAYING));

  gst_type_mark_as_plugin_api (GST_TYPE_CL_KERNEL_PARAMETER, 0);
}

/* --- life cycle ----------------------------------------------------------- */

gboolean
gst_cl_kernel_element_start (GstClKernelElement *self, GError **error)
{
  GstClKernelSettings kernels;
  GstClKernelFile *file;

  GST_OBJECT_LOCK (self->element);
  kernels = self->settings.kernels;
  GST_OBJECT_UNLOCK (self->element);
  file = gst_cl_kernel_settings_load (&kernels, error);
  if (!file)
    return FALSE;

  gst_cl_kernel_runner_set_loaded (self->runner, &kernels);
  set_file (self, file, &kernels);
  self->n_frames = 0;
  g_atomic_int_set (&self->has_warned, FALSE);

  return TRUE;
}

void
gst_cl_kernel_element_stop (GstClKernelElement *self)
{
  GstClKernelFile *file;

  gst_cl_kernel_watchdog_stop (self->watchdog);
  gst_cl_kernel_runner_clear (self->runner);
  remove_children (self);
  GST_OBJECT_LOCK (self->element);
  file = g_steal_pointer (&self->file);
  GST_OBJECT_UNLOCK (self->element);
  g_clear_pointer (&file, gst_cl_kernel_file_unref);
}

void
gst_cl_kernel_element_init (GstClKernelElement *self, GstElement *element,
    const gchar *message_name, GstClKernelChangeFunc mark_changed)
{
  self->element = element;
  self->message_name = message_name;
  self->mark_changed = mark_changed;
  gst_cl_property_init_fields (properties, G_N_ELEMENTS (properties),
      &self->settings);
  self->taken = self->settings;
  self->runner = gst_cl_kernel_runner_new (element);
  self->watchdog = gst_cl_kernel_watchdog_new (element);
}

void
gst_cl_kernel_element_clear (GstClKernelElement *self)
{
  gst_cl_kernel_element_stop (self);
  gst_cl_kernel_watchdog_free (self->watchdog);
  gst_cl_kernel_runner_free (self->runner);
  g_free (self->in);
  gst_clear_structure (&self->parameters);
  gst_cl_kernel_request_clear (&self->request);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clkernel-inspect: what a kernel file takes, how fast its kernels are, and
 * whether they equal an oracle. */

#include <errno.h>
#include <locale.h>
#include <string.h>

#include <glib/gstdio.h>
#include <gst/video/video.h>

#include "cl/device/gstcldevice.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/video/gstclformat.h"
#include "cl/video/gstclframe.h"
#include "inspectresources.h"
#include "ops/kernel/kernelop.h"
#include "timing.h"

#define EXIT_USAGE 2

#define ALLOWED_US G_USEC_PER_SEC /* for each measurement */

#define ORACLE "/org/freedesktop/gstreamer/opencl/inspect/oracle.py"

static struct {
  gchar *device, *format, *size, *parameters, *function, *options, *oracle;
  gchar *work_size, *statistics;
  gboolean is_version;
  gchar **words;
} options;

static const GOptionEntry option_entries[] = {
  { "device", 'd', 0, G_OPTION_ARG_STRING, &options.device,
      "OpenCL device, as the elements' property", "DEVICE" },
  { "format", 'f', 0, G_OPTION_ARG_STRING, &options.format,
      "Format of the input; default: the first of //!FORMATS, else I420",
      "FORMAT" },
  { "size", 's', 0, G_OPTION_ARG_STRING, &options.size,
      "Size of the input; default: 1920x1080", "WxH" },
  { "parameters", 'p', 0, G_OPTION_ARG_STRING, &options.parameters,
      "Values, as the property parameters: \"p,radius=3\"", "VALUES" },
  { "function", 0, 0, G_OPTION_ARG_STRING, &options.function,
      "The kernel to launch, as the property function", "NAME" },
  { "options", 0, 0, G_OPTION_ARG_STRING, &options.options,
      "Options of the compiler, as the property options", "OPTIONS" },
  { "work-size", 0, 0, G_OPTION_ARG_STRING, &options.work_size,
      "Work-items of a launch, as the property work-size", "SIZE" },
  { "statistics", 0, 0, G_OPTION_ARG_STRING, &options.statistics,
      "Numbers of the kernel, as the property statistics", "LIST" },
  { "oracle", 'o', 0, G_OPTION_ARG_FILENAME, &options.oracle,
      "Compare with the function of the kernel's name in this Python file",
      "FILE.py" },
  { "version", 'V', 0, G_OPTION_ARG_NONE, &options.is_version,
      "Print the version and exit", NULL },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.words, NULL,
      "FILE.cl" },
  { 0 },
};

static int
report_usage (const gchar *what)
{
  g_printerr ("clkernel-inspect: %s\nTry 'clkernel-inspect --help'.\n", what);

  return EXIT_USAGE;
}

/* --- what the file takes -------------------------------------------------- */

static const GstClKernelFunction *
function_of_pass (const GstClKernelFile *file, guint i)
{
  return &g_array_index (file->functions, GstClKernelFunction,
      g_array_index (file->passes, GstClKernelPass, i).function);
}

static void
print_parameters (const GstClKernelFile *file)
{
  for (guint i = 0; i < file->parameters->len; i++) {
    const GstClParameter *parameter = &g_array_index (file->parameters,
        GstClParameter, i);
    g_autofree gchar *takes = gst_cl_parameter_describe (parameter);

    g_print ("%s  %s: %s%s; default %s%s%s\n", i == 0 ? "Parameters\n" : "",
        parameter->name, takes, parameter->is_constant ? ", compiled in" : "",
        *parameter->initial ? parameter->initial : "none",
        parameter->description ? "\n    " : "",
        parameter->description ? parameter->description : "");
  }
}

static void
print_memories (const gchar *title, const GArray *memories)
{
  for (guint i = 0; i < memories->len; i++) {
    const GstClKernelMemory *memory = &g_array_index (memories,
        GstClKernelMemory, i);

    g_print ("%s  %s: %s, %s\n", i == 0 ? title : "", memory->name,
        gst_cl_number_name (memory->number), memory->count);
  }
}

static void
print_file (const GstClKernelFile *file)
{
  g_print ("%s\n", file->name);
  g_print ("Inputs\n  %u%s", file->inputs->len,
      file->inputs->len > 0 ? ":" : "");
  for (guint i = 0; i < file->inputs->len; i++)
    g_print (" %s", (const gchar *) g_ptr_array_index (file->inputs, i));
  if (file->n_previous > 0)
    g_print (", and %u frames before", file->n_previous);
  g_print ("%s\n",
      file->is_in_place ? "; the output is the input, changed" : "");
  print_parameters (file);
  print_memories ("Buffers\n", file->buffers);
  print_memories ("Statistics\n", file->statistics);
  for (guint i = 0; i < file->passes->len; i++) {
    const gchar *work = g_array_index (file->passes, GstClKernelPass, i).work;

    g_print ("%s  %s: %s\n", i == 0 ? "Passes\n" : "",
        function_of_pass (file, i)->name,
        work         ? work
        : file->work ? file->work
                     : "pixels");
  }
}

/* --- frames --------------------------------------------------------------- */

/* Allocates a frame of @info with @random codes; NULL: zeros. */
static gboolean
make_frame (GstClContext *context, const GstVideoInfo *info, GRand *random,
    GstClKernelFrame *frame, gsize *n_bytes, GError **error)
{
  g_autofree guint8 *bytes = NULL;
  cl_mem mem;

  *n_bytes = 0;
  *frame = (GstClKernelFrame){ .n_components = GST_VIDEO_INFO_N_COMPONENTS (
                                   info) };
  for (guint c = 0; c < frame->n_components; c++) {
    frame->components[c] = gst_cl_component_of_info (info, c);
    *n_bytes = MAX (*n_bytes,
        frame->components[c].offset_bytes +
            (gsize) frame->components[c].height *
                (gsize) frame->components[c].stride_bytes);
  }
  bytes = g_malloc0 (*n_bytes);
  for (guint c = 0; random && c < frame->n_components; c++) {
    const GstClComponent *plane = &frame->components[c];

    for (gint y = 0; y < plane->height; y++) {
      for (gint x = 0; x < plane->width; x++) {
        const guint code = g_rand_int (random) >> (32 - plane->sample.depth);
        guint8 *to = bytes + plane->offset_bytes +
                     (gsize) y * (gsize) plane->stride_bytes +
                     (gsize) x * (gsize) plane->pixel_stride_bytes;

        if (plane->sample.bytes == 1)
          *to = (guint8) code;
        else
          *(guint16 *) (gpointer) to = (guint16) (code << plane->sample.shift);
      }
    }
  }
  mem = gst_cl_buffer_new_filled (context, *n_bytes, bytes, error);
  for (guint c = 0; c < frame->n_components; c++)
    frame->components[c].mem = mem;

  return mem != NULL;
}

/* Writes the codes of @frame to files "NAME.c" in @folder, as words of 16 bits,
 * and appends their list to @json. */
static gboolean
write_frame (GstClContext *context, const GstClKernelFrame *frame,
    gsize n_bytes, const gchar *folder, const gchar *name, GString *json,
    GError **error)
{
  g_autofree guint8 *bytes = g_malloc (n_bytes);

  if (!gst_cl_buffer_read (context, frame->components[0].mem, 0, n_bytes, bytes,
          error))
    return FALSE;

  g_string_append (json, "[");
  for (guint c = 0; c < frame->n_components; c++) {
    const GstClComponent *plane = &frame->components[c];
    const gsize n = (gsize) plane->width * (gsize) plane->height;
    g_autofree guint16 *codes = g_new (guint16, n);
    g_autofree gchar *file = g_strdup_printf ("%s.%u", name, c);
    g_autofree gchar *path = g_build_filename (folder, file, NULL);

    for (gsize i = 0; i < n; i++) {
      const guint8 *from = bytes + plane->offset_bytes +
                           i / (gsize) plane->width *
                               (gsize) plane->stride_bytes +
                           i % (gsize) plane->width *
                               (gsize) plane->pixel_stride_bytes;

      codes[i] = plane->sample.bytes == 1
                     ? *from
                     : *(const guint16 *) (gconstpointer) from >>
                           plane->sample.shift;
    }
    if (!g_file_set_contents (path, (const gchar *) codes,
            (gssize) (n * sizeof *codes), error))
      return FALSE;
    g_string_append_printf (json, "%s[\"%s\",%d,%d]", c > 0 ? "," : "", file,
        plane->width, plane->height);
  }
  g_string_append (json, "]");

  return TRUE;
}

/* --- a run ---------------------------------------------------------------- */

typedef struct {
  GstClKernelFile *file;
  GstVideoInfo in, out;
  GstClParameterValue *values;

  GstClContext *context;
  GstClKernelOp *op;
  GstClKernelFrame *inputs, output;
  gsize in_bytes, out_bytes;
  cl_mem copy; /* as large as the input */
} Run;

static gboolean
run_op (gpointer data, GError **error)
{
  const Run *self = data;

  return gst_cl_kernel_op_run (self->op, self->inputs, &self->output, error);
}

static gboolean
run_copy (gpointer data, GError **error)
{
  const Run *self = data;
  const GstClCopy copy = { self->inputs[0].components[0].mem, 0,
    gst_cl_rows_block (self->in_bytes), { self->copy, 0, NULL } };

  return gst_cl_buffer_copy_rows (self->context, &copy, error);
}

/* Creates frames and kernels for @context. */
static gboolean
prepare (Run *self, GstClContext *context, GError **error)
{
  const guint n = MAX (self->file->inputs->len, 1);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autofree GstVideoInfo *infos = g_new (GstVideoInfo, n);
  const GstClKernelProblem problem = { .file = self->file,
    .in = infos,
    .n_inputs = n,
    .out = &self->out,
    .values = self->values,
    .options = options.options,
    .work = options.work_size };

  self->context = context;
  self->inputs = g_new0 (GstClKernelFrame, n);
  for (guint i = 0; i < n; i++) {
    infos[i] = self->in;
    if (!make_frame (context, &self->in, random, &self->inputs[i],
            &self->in_bytes, error))
      return FALSE;
  }
  if (!make_frame (context, &self->out, NULL, &self->output, &self->out_bytes,
          error))
    return FALSE;
  self->copy = gst_cl_buffer_new (context, self->in_bytes, error);
  if (self->copy)
    self->op = gst_cl_kernel_op_new (context, &problem, error);

  return self->op != NULL;
}

static void
clear (Run *self)
{
  const guint n = MAX (self->file->inputs->len, 1);

  g_clear_pointer (&self->op, gst_cl_kernel_op_free);
  for (guint i = 0; self->inputs && i < n; i++)
    gst_cl_buffer_free (self->inputs[i].components[0].mem);
  g_clear_pointer (&self->inputs, g_free);
  gst_cl_buffer_free (self->output.components[0].mem);
  self->output.components[0].mem = NULL;
  g_clear_pointer (&self->copy, gst_cl_buffer_free);
}

static void
print_time (const gchar *what, const Spread *us, gsize n_bytes)
{
  g_print ("  %s: %.1f us (%.1f to %.1f), %.1f GB/s\n", what, us->median,
      us->low, us->high, (gdouble) n_bytes / us->median / 1e3);
}

/* Times the kernels by the device's clock, and a copy of the input by the
 * host's. */
static gboolean
measure (Run *self, GstClDevice *device, GError **error)
{
  g_autoptr (GstClContext) context = gst_cl_context_new (device, FALSE, error);
  g_autoptr (GstClContext) profiling = NULL;
  Spread kernels, copy;
  gboolean is_done;

  if (context)
    profiling = gst_cl_context_new (device, TRUE, error);
  if (!profiling)
    return FALSE;

  is_done = prepare (self, profiling, error) &&
            timing_measure (profiling, run_op, self, ALLOWED_US, &kernels,
                error);
  clear (self);
  is_done = is_done && prepare (self, context, error) &&
            timing_measure (context, run_copy, self, ALLOWED_US, &copy, error);
  clear (self);
  if (!is_done)
    return FALSE;

  g_print ("Times of a frame of %dx%d %s\n", self->in.width, self->in.height,
      GST_VIDEO_INFO_NAME (&self->in));
  print_time ("kernels, input and output", &kernels,
      self->in_bytes * MAX (self->file->inputs->len, 1) + self->out_bytes);
  print_time ("copy of the input on the device", &copy, 2 * self->in_bytes);

  return TRUE;
}

/* --- the oracle ----------------------------------------------------------- */

static void
append_value (GString *json, const GstClParameter *parameter,
    const GstClParameterValue *value)
{
  const gboolean is_list = value->n > 1 ||
                           gst_cl_parameter_is_array (parameter);

  g_string_append (json, is_list ? "[" : "");
  for (guint i = 0; i < value->n; i++) {
    gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append_printf (json, "%s%s", i > 0 ? "," : "",
        g_ascii_dtostr (digits, sizeof digits, value->numbers[i]));
  }
  g_string_append (json, is_list ? "]" : "");
}

static gboolean
write_job (Run *self, const gchar *folder, GError **error)
{
  g_autoptr (GString) json = g_string_new ("{\"inputs\":[");
  g_autofree gchar *path = g_build_filename (folder, "job.json", NULL);

  for (guint i = 0; i < MAX (self->file->inputs->len, 1); i++) {
    g_autofree gchar *name = g_strdup_printf ("in%u", i);

    g_string_append (json, i > 0 ? "," : "");
    if (!write_frame (self->context, &self->inputs[i], self->in_bytes, folder,
            name, json, error))
      return FALSE;
  }
  g_string_append (json, "],\"output\":");
  if (!write_frame (self->context, &self->output, self->out_bytes, folder,
          "out", json, error))
    return FALSE;
  g_string_append_printf (json,
      ",\"function\":\"%s\",\"largest\":%u,"
      "\"parameters\":{",
      function_of_pass (self->file, self->file->passes->len - 1)->name,
      (1u << self->inputs[0].components[0].sample.depth) - 1);
  for (guint i = 0; i < self->file->parameters->len; i++) {
    const GstClParameter *parameter = &g_array_index (self->file->parameters,
        GstClParameter, i);

    g_string_append_printf (json, "%s\"%s\":", i > 0 ? "," : "",
        parameter->name);
    append_value (json, parameter, &self->values[i]);
  }
  g_string_append (json, "}}\n");

  return g_file_set_contents (path, json->str, (gssize) json->len, error);
}

/* Runs oracle.py, which prints what it finds. */
static gboolean
ask_oracle (const gchar *folder, gint *status, GError **error)
{
  g_autoptr (GBytes) text = g_resources_lookup_data (ORACLE,
      G_RESOURCE_LOOKUP_FLAGS_NONE, error);
  g_autofree gchar *script = g_build_filename (folder, "oracle.py", NULL);
  const gchar *argv[] = { "python3", script, folder, options.oracle, NULL };

  if (!text || !g_file_set_contents (script, g_bytes_get_data (text, NULL),
                   (gssize) g_bytes_get_size (text), error))
    return FALSE;

  return g_spawn_sync (NULL, (gchar **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL,
      NULL, NULL, NULL, status, error);
}

static void
remove_folder (const gchar *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree gchar *path = g_build_filename (folder, name, NULL);

    g_remove (path);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_rmdir (folder);
}

/* Sets *is_equal to whether a run of the kernels equals the oracle. */
static gboolean
compare (Run *self, GstClDevice *device, gboolean *is_equal, GError **error)
{
  g_autoptr (GstClContext) context = gst_cl_context_new (device, FALSE, error);
  g_autofree gchar *folder = NULL;
  gint status = 0;
  gboolean is_done;

  *is_equal = TRUE;
  if (!context)
    return FALSE;
  if (!options.oracle)
    return TRUE;
  folder = g_dir_make_tmp ("clkernel-inspect-XXXXXX", error);
  if (!folder)
    return FALSE;

  g_print ("Oracle %s\n  ", options.oracle);
  is_done = prepare (self, context, error) && run_op (self, error) &&
            write_job (self, folder, error) &&
            ask_oracle (folder, &status, error);
  clear (self);
  remove_folder (folder);
  *is_equal = status == 0;

  return is_done;
}

/* --- the command line ----------------------------------------------------- */

/* Sets both infos. */
static gboolean
set_infos (Run *self, GError **error)
{
  const GstClKernelFile *file = self->file;
  const gchar *format = options.format  ? options.format
                        : file->formats ? file->formats[0]
                                        : "I420";
  const gchar *out_format = file->format ? file->format : format;
  gint width = 1920, height = 1080, out_width, out_height, end = 0;

  if (options.size &&
      (sscanf (options.size, "%dx%d%n", &width, &height, &end) < 2 ||
          options.size[end] || width < 1 || height < 1 || width > 32768 ||
          height > 32768)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "The size \"%s\" is not WxH.", options.size);
    return FALSE;
  }
  if (!gst_cl_kernel_size (file->width, width, height, width, &out_width,
          error) ||
      !gst_cl_kernel_size (file->height, width, height, height, &out_height,
          error))
    return FALSE;
  if (!gst_cl_format_find (gst_video_format_from_string (format)) ||
      !gst_cl_format_find (gst_video_format_from_string (out_format)) ||
      !gst_video_info_set_format (&self->in,
          gst_video_format_from_string (format), (guint) width,
          (guint) height) ||
      !gst_video_info_set_format (&self->out,
          gst_video_format_from_string (out_format), (guint) out_width,
          (guint) out_height)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "The format %s or %s is not supported.", format, out_format);
    return FALSE;
  }

  return TRUE;
}

/* Sets the values of the command line. */
static gboolean
set_values (Run *self, GError **error)
{
  g_autoptr (GstStructure) structure = NULL;

  if (options.parameters) {
    structure = gst_structure_new_from_string (options.parameters);
    if (!structure) {
      g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
          "\"%s\" is not a list of values: \"p,radius=3\".",
          options.parameters);
      return FALSE;
    }
  }
  self->values = g_new0 (GstClParameterValue, self->file->parameters->len);

  return gst_cl_kernel_file_values (self->file, structure, NULL, self->values,
      error);
}

static int
inspect (const gchar *location)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClDevice) device = NULL;
  g_autoptr (GstClKernelFile) file = gst_cl_kernel_file_load (location,
      options.function, options.statistics, &error);
  Run run = { .file = file };
  gboolean is_equal = FALSE;

  if (file) {
    print_file (file);
    device = gst_cl_device_choose (options.device, &error);
  }
  if (device)
    g_print ("Device\n  %s (%s)\n", device->name, device->platform_name);
  if (device && set_infos (&run, &error) && set_values (&run, &error) &&
      measure (&run, device, &error))
    compare (&run, device, &is_equal, &error);
  for (guint i = 0; run.values && i < file->parameters->len; i++)
    gst_cl_parameter_value_clear (&run.values[i]);
  g_free (run.values);
  if (error)
    g_printerr ("clkernel-inspect: %s\n", error->message);

  return error || !is_equal ? EXIT_FAILURE : EXIT_SUCCESS;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) parser = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  setlocale (LC_CTYPE, ""); /* numbers keep their decimal points */
  g_option_context_set_summary (parser,
      "Lists what a kernel file of clkernel takes, compiles it for a device, "
      "and times it\non a random picture.");
  g_option_context_set_description (parser,
      "Exit status: 0; 1 the file or the device failed, or the oracle differs; "
      "2 wrong usage.");
  g_option_context_add_main_entries (parser, option_entries, NULL);
  if (!g_option_context_parse (parser, &argc, &argv, &error))
    return report_usage (error->message);
  if (options.is_version) {
    g_print ("clkernel-inspect %s\n", PACKAGE_VERSION);
    return EXIT_SUCCESS;
  }
  if (!options.words || options.words[1])
    return report_usage ("name one kernel file");

  inspect_get_resource ();
  /* kernels need no elements: skip the registry scan */
  g_setenv ("GST_REGISTRY_DISABLE", "yes", FALSE);
  gst_init (NULL, NULL);

  return inspect (options.words[0]);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which kernels run: reading, compiling and changing them beside the stream. */

#include "gstclkernelrunner.h"

#include <gio/gio.h>

#include "cl/video/gstclformat.h"

#include "cl/context/gstclprogram.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cl_kernel_filter_debug);
#define GST_CAT_DEFAULT gst_cl_kernel_filter_debug

/* --- requests ------------------------------------------------------------- */

void
gst_cl_kernel_request_copy (GstClKernelRequest *to,
    const GstClKernelRequest *from)
{
  gst_cl_kernel_request_clear (to);
  *to = *from;
  to->parameters = from->parameters ? gst_structure_copy (from->parameters)
                                    : NULL;
}

void
gst_cl_kernel_request_clear (GstClKernelRequest *self)
{
  gst_clear_structure (&self->parameters);
}

static gboolean
is_format (const gchar *name)
{
  return gst_cl_format_find (gst_video_format_from_string (name)) != NULL;
}

/* Returns TRUE if the formats of //!FORMATS exist. */
static gboolean
check_formats (const GstClKernelFile *file, GError **error)
{
  for (guint i = 0; file->formats && file->formats[i]; i++) {
    if (is_format (file->formats[i]))
      continue;
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "%s: //!FORMATS: the format \"%s\" is not supported.", file->name,
        file->formats[i]);
    return FALSE;
  }

  return TRUE;
}

GstClKernelFile *
gst_cl_kernel_settings_load (const GstClKernelSettings *settings,
    GError **error)
{
  GstClKernelFile *file;
  const gboolean has_location = settings->location && *settings->location;

  if (has_location == (settings->source && *settings->source)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "Set one of the properties location (a kernel file) and source (its "
        "text).");
    return NULL;
  }

  file = has_location
             ? gst_cl_kernel_file_load (settings->location, settings->function,
                   settings->statistics, error)
             : gst_cl_kernel_file_new (settings->source, "source", NULL,
                   settings->function, settings->statistics, error);
  if (file && !check_formats (file, error))
    g_clear_pointer (&file, gst_cl_kernel_file_unref);

  return file;
}

gboolean
gst_cl_kernel_settings_name_same (const GstClKernelSettings *a,
    const GstClKernelSettings *b)
{
  return a->location == b->location && a->source == b->source &&
         a->function == b->function && a->statistics == b->statistics;
}

GstClKernelOutput
gst_cl_kernel_settings_output (const GstClKernelSettings *settings,
    const GstClKernelFile *file)
{
  return (GstClKernelOutput){
    settings->output_format ? settings->output_format : file->format,
    settings->output_width ? settings->output_width : file->width,
    settings->output_height ? settings->output_height : file->height,
  };
}

gboolean
gst_cl_kernel_settings_check (const GstClKernelSettings *settings,
    const GstClKernelFile *file, const GstVideoInfo *in, GstVideoInfo *out,
    GError **error)
{
  const GstClKernelOutput output = gst_cl_kernel_settings_output (settings,
      file);
  const gint width = GST_VIDEO_INFO_WIDTH (in),
             height = GST_VIDEO_INFO_HEIGHT (in);
  gint out_width, out_height;

  if (output.format && !is_format (output.format)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "%s: the format of the output, \"%s\", is not supported.", file->name,
        output.format);
    return FALSE;
  }
  if (file->formats && !g_strv_contains ((const gchar *const *) file->formats,
                           GST_VIDEO_INFO_NAME (in))) {
    g_autofree gchar *formats = g_strjoinv (", ", file->formats);

    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "%s: its kernels take %s (//!FORMATS), not %s.", file->name, formats,
        GST_VIDEO_INFO_NAME (in));
    return FALSE;
  }
  if (file->is_in_place && (output.format || output.width || output.height)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "%s: the output of GST_CL_IN_OUT has the format and size of the input.",
        file->name);
    return FALSE;
  }
  if (!gst_cl_kernel_size (output.width, width, height, width, &out_width,
          error) ||
      !gst_cl_kernel_size (output.height, width, height, height, &out_height,
          error)) {
    g_prefix_error (error, "%s: ", file->name);
    return FALSE;
  }
  if (!out)
    return TRUE;

  return gst_video_info_set_interlaced_format (out,
      output.format ? gst_video_format_from_string (output.format)
                    : GST_VIDEO_INFO_FORMAT (in),
      GST_VIDEO_INFO_INTERLACE_MODE (in), (guint) out_width,
      (guint) out_height);
}

/* Interned strings are equal if their addresses are. */
static gboolean
has_same_kernels (const GstClKernelSettings *a, const GstClKernelSettings *b)
{
  return gst_cl_kernel_settings_name_same (a, b) && a->options == b->options &&
         a->work_size == b->work_size;
}

/* --- the file on disk ----------------------------------------------------- */

/* What changes when a file is written or replaced. */
typedef struct {
  guint64 inode, seconds;
  guint32 microseconds;
  goffset size;
} Stamp;

/* Returns FALSE if there is no file now: an editor may be replacing it. */
static gboolean
get_stamp (const gchar *location, Stamp *stamp)
{
  g_autoptr (GFile) file = location ? g_file_new_for_path (location) : NULL;
  g_autoptr (GFileInfo) info = NULL;

  if (file)
    info = g_file_query_info (file,
        G_FILE_ATTRIBUTE_UNIX_INODE "," G_FILE_ATTRIBUTE_STANDARD_SIZE
                                    "," G_FILE_ATTRIBUTE_TIME_MODIFIED
                                    "," G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC,
        G_FILE_QUERY_INFO_NONE, NULL, NULL);
  if (!info)
    return FALSE;

  stamp->inode = g_file_info_get_attribute_uint64 (info,
      G_FILE_ATTRIBUTE_UNIX_INODE);
  stamp->seconds = g_file_info_get_attribute_uint64 (info,
      G_FILE_ATTRIBUTE_TIME_MODIFIED);
  stamp->microseconds = g_file_info_get_attribute_uint32 (info,
      G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC);
  stamp->size = g_file_info_get_size (info);

  return TRUE;
}

static gboolean
is_same_stamp (const Stamp *a, const Stamp *b)
{
  return a->inode == b->inode && a->size == b->size &&
         a->seconds == b->seconds && a->microseconds == b->microseconds;
}

/* --- jobs ----------------------------------------------------------------- */

/* Kernels that a thread builds. */
typedef struct {
  GThread *thread;
  gint is_done; /* atomic: the thread uses the job no more */

  GstClContext *context;
  GstClKernelRequest request;
  GstVideoInfo *in;
  guint n_inputs;
  GstVideoInfo out;
  GstClKernelFile *old; /* of the kernels that run */

  GstClKernelFile *file;
  GstClKernelOp *op; /* NULL: @error */
  gboolean has_other_caps;
  GError *error;
} Job;

static void
free_job (Job *job)
{
  if (!job)
    return;

  g_thread_join (job->thread);
  gst_object_unref (job->context);
  gst_cl_kernel_request_clear (&job->request);
  g_free (job->in);
  gst_cl_kernel_file_unref (job->old);
  g_clear_pointer (&job->file, gst_cl_kernel_file_unref);
  gst_cl_kernel_op_free (job->op);
  g_clear_error (&job->error);
  g_free (job);
}

/* Returns TRUE if outputs of both files have the same caps. */
static gboolean
has_same_caps (const GstClKernelFile *a, const GstClKernelFile *b)
{
  const gboolean has_formats = a->formats && b->formats;

  return g_strcmp0 (a->format, b->format) == 0 &&
         g_strcmp0 (a->width, b->width) == 0 &&
         g_strcmp0 (a->height, b->height) == 0 &&
         (has_formats ? g_strv_equal ((const gchar *const *) a->formats,
                            (const gchar *const *) b->formats)
                      : a->formats == b->formats);
}

static void
free_values (GstClParameterValue *values, guint n)
{
  for (guint i = 0; i < n; i++)
    gst_cl_parameter_value_clear (&values[i]);
  g_free (values);
}

static GstClKernelOp *
build (GstClContext *context, GstClKernelFile *file,
    const GstClKernelRequest *request, const GstVideoInfo *in, guint n_inputs,
    const GstVideoInfo *out, GError **error)
{
  const guint n = file->parameters->len;
  GstClParameterValue *values = g_new0 (GstClParameterValue, n);
  GstClKernelOp *op = NULL;
  const gchar *check = g_getenv ("GST_OPENCL_CHECK");
  const GstClKernelProblem problem = { file, in, n_inputs, out, values,
    request->settings.options, request->settings.work_size,
    check && !g_str_equal (check, "0") };

  if (MAX (file->inputs->len, 1) != n_inputs)
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "%s: the kernels have %u frames GST_CL_IN, the element has %u %s.",
        file->name, file->inputs->len, n_inputs,
        n_inputs == 1 ? "input" : "inputs");
  else if (gst_cl_kernel_file_values (file, request->parameters, NULL, values,
               error))
    op = gst_cl_kernel_op_new (context, &problem, error);
  free_values (values, n);

  return op;
}

static gpointer
run_job (gpointer data)
{
  Job *job = data;
  GstClBuildScope scope = { 0 };

  gst_cl_build_scope_enter (&scope, GST_CL_BUILD_BESIDE);
  job->file = gst_cl_kernel_settings_load (&job->request.settings, &job->error);
  if (job->file) {
    job->has_other_caps = !has_same_caps (job->file, job->old);
    /* also for other caps: what does not compile must not change them */
    if (gst_cl_kernel_settings_check (&job->request.settings, job->file,
            &job->in[0], job->has_other_caps ? &job->out : NULL, &job->error))
      job->op = build (job->context, job->file, &job->request, job->in,
          job->n_inputs, &job->out, &job->error);
  }
  gst_cl_build_scope_leave ();
  g_atomic_int_set (&job->is_done, TRUE);

  return NULL;
}

/* --- the runner ----------------------------------------------------------- */

struct _GstClKernelRunner {
  GstElement *element;

  /* what runs */
  GstClContext *context;
  GstVideoInfo *in;
  guint n_inputs;
  GstVideoInfo out;
  GstClKernelOp *op;           /* NULL: none */
  GstClParameterValue *values; /* its values; NULL: not kept */
  GstStructure *parameters;    /* that have named them, or NULL */
  GstClKernelRequest good;     /* the last one that was used */
  GstClKernelSettings settings;
  guint serial;       /* of the last request that was used or refused */
  guint value_serial; /* of the last one whose arguments were used */
  Stamp stamp;        /* of the file when it was last read */

  Job *job; /* NULL: none */
};

GstClKernelRunner *
gst_cl_kernel_runner_new (GstElement *element)
{
  GstClKernelRunner *self = g_new0 (GstClKernelRunner, 1);

  self->element = element;

  return self;
}

/* Forgets the values of the kernels that run. */
static void
drop_values (GstClKernelRunner *self)
{
  if (self->values)
    free_values (self->values,
        gst_cl_kernel_op_file (self->op)->parameters->len);
  self->values = NULL;
  gst_clear_structure (&self->parameters);
}

void
gst_cl_kernel_runner_clear (GstClKernelRunner *self)
{
  g_clear_pointer (&self->job, free_job);
  drop_values (self);
  g_clear_pointer (&self->op, gst_cl_kernel_op_free);
  gst_clear_object (&self->context);
  g_clear_pointer (&self->in, g_free);
}

void
gst_cl_kernel_runner_free (GstClKernelRunner *self)
{
  if (!self)
    return;

  gst_cl_kernel_runner_clear (self);
  gst_cl_kernel_request_clear (&self->good);
  g_free (self);
}

GstClKernelOp *
gst_cl_kernel_runner_op (GstClKernelRunner *self)
{
  return self->op;
}

static void
post (GstClKernelRunner *self, GstMessageType type, const gchar *text)
{
  gst_element_message_full (self->element, type, GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, g_strdup (text), NULL, __FILE__, GST_FUNCTION,
      __LINE__);
}

static void
warn (GstClKernelRunner *self, const GError *error)
{
  g_autofree gchar *text = g_strdup_printf ("%s%s The old kernels go on.",
      error->message, g_str_has_suffix (error->message, ".") ? "" : ".");

  post (self, GST_MESSAGE_WARNING, text);
}

void
gst_cl_kernel_runner_set_loaded (GstClKernelRunner *self,
    const GstClKernelSettings *settings)
{
  get_stamp (settings->location, &self->stamp);
}

/* Remembers what was asked for, whether it can be used or not. */
static void
take_request (GstClKernelRunner *self, const GstClKernelRequest *request,
    gboolean is_good)
{
  self->settings = request->settings;
  self->serial = request->serial;
  if (is_good) {
    self->value_serial = request->serial;
    gst_cl_kernel_request_copy (&self->good, request);
  }
}

gboolean
gst_cl_kernel_runner_configure (GstClKernelRunner *self, GstClContext *context,
    GstClKernelFile *file, const GstClKernelSettings *loaded,
    const GstClKernelRequest *request, const GstVideoInfo *in, guint n_inputs,
    const GstVideoInfo *out, GError **error)
{
  const gboolean has_run = self->op && gst_cl_kernel_op_file (self->op) == file;
  g_autoptr (GError) reason = NULL;

  if (self->job) /* the file that it reads may have changed */
    self->stamp = (Stamp){ .inode = 0 };
  gst_cl_kernel_runner_clear (self);
  self->context = gst_object_ref (context);
  self->in = g_memdup2 (in, n_inputs * sizeof *in);
  self->n_inputs = n_inputs;
  self->out = *out;
  self->op = build (context, file, request, in, n_inputs, out, &reason);
  take_request (self, request, self->op != NULL);
  if (!gst_cl_kernel_settings_name_same (loaded, &request->settings)) {
    self->settings = *loaded; /* the other file is read before the next frame */
    self->serial--;
  }
  if (self->op)
    return TRUE;

  if (has_run)
    self->op = build (context, file, &self->good, in, n_inputs, out, NULL);
  if (self->op)
    warn (self, reason);
  else
    g_propagate_error (error, g_steal_pointer (&reason));

  return self->op != NULL;
}

static void
start_job (GstClKernelRunner *self, const GstClKernelRequest *request)
{
  Job *job = g_new0 (Job, 1);

  get_stamp (request->settings.location, &self->stamp);
  job->context = gst_object_ref (self->context);
  gst_cl_kernel_request_copy (&job->request, request);
  job->in = g_memdup2 (self->in, self->n_inputs * sizeof *self->in);
  job->n_inputs = self->n_inputs;
  job->out = self->out;
  job->old = gst_cl_kernel_file_ref (gst_cl_kernel_op_file (self->op));
  self->job = job;
  job->thread = g_thread_new ("clkernel", run_job, job);
}

/* Takes what the thread has built. Returns FALSE as
 * gst_cl_kernel_runner_update() does. */
static gboolean
end_job (GstClKernelRunner *self, GstClKernelFile **next)
{
  Job *job = g_steal_pointer (&self->job);
  const gboolean has_other_caps = !job->error && job->has_other_caps;

  take_request (self, &job->request, !job->error);
  if (job->error) {
    warn (self, job->error);
  } else if (has_other_caps) {
    *next = gst_cl_kernel_file_ref (job->file);
  } else {
    g_autofree gchar *text = g_strdup_printf (
        "%s: the new kernels run from this frame on.", job->file->name);

    drop_values (self);
    gst_cl_kernel_op_free (self->op);
    self->op = g_steal_pointer (&job->op);
    post (self, GST_MESSAGE_INFO, text);
  }
  free_job (job);

  return !has_other_caps;
}

/* Remembers @values (transfer full) of @parameters. */
static void
keep_values (GstClKernelRunner *self, GstClParameterValue *values,
    const GstStructure *parameters)
{
  drop_values (self);
  self->values = values;
  self->parameters = parameters ? gst_structure_copy (parameters) : NULL;
}

/* Sets the arguments of @request. Returns FALSE if other kernels are needed for
 * its constants. @is_quiet: what cannot be used is no warning. */
static gboolean
set_values (GstClKernelRunner *self, const GstClKernelRequest *request,
    gboolean is_quiet)
{
  const GstClKernelFile *file = gst_cl_kernel_op_file (self->op);
  const guint n = file->parameters->len;
  const GstClKernelValues before = { self->parameters, self->values };
  GstClParameterValue *values = g_new0 (GstClParameterValue, n);
  g_autoptr (GError) error = NULL;
  gboolean has_constants = TRUE;

  if (gst_cl_kernel_file_values (file, request->parameters,
          self->values ? &before : NULL, values, &error)) {
    has_constants = gst_cl_kernel_op_has_constants (self->op, values);
    gst_cl_kernel_op_set_values (self->op, values, &error);
    keep_values (self, g_steal_pointer (&values), request->parameters);
  }
  if (error && !is_quiet)
    warn (self, error);
  self->value_serial = request->serial;
  if (values)
    free_values (values, n);
  if (!is_quiet && has_constants)
    take_request (self, request, !error);

  return has_constants;
}

gboolean
gst_cl_kernel_runner_update (GstClKernelRunner *self,
    const GstClKernelRequest *request, GstClKernelFile **next)
{
  gboolean is_changed = FALSE;
  Stamp stamp;

  if (self->job && g_atomic_int_get (&self->job->is_done) &&
      !end_job (self, next))
    return FALSE;
  if (self->job) {
    /* arguments do not wait for the compiler */
    if (request->serial != self->value_serial)
      set_values (self, request, TRUE);
    return TRUE;
  }

  if (request->settings.auto_reload)
    is_changed = get_stamp (request->settings.location, &stamp) &&
                 !is_same_stamp (&stamp, &self->stamp);
  if (request->serial == self->serial && !is_changed)
    return TRUE;
  if (is_changed || !has_same_kernels (&request->settings, &self->settings) ||
      !set_values (self, request, FALSE)) {
    start_job (self, request);
    set_values (self, request, TRUE);
  }

  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which kernels run: reading, compiling and changing them beside the stream. */

#include "gstclkernelrunner.h"

#include <gio/gio.h>

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

GstClKernelFile *
gst_cl_kernel_settings_load (const GstClKernelSettings *settings,
    GError **error)
{
  const gboolean has_location = settings->location && *settings->location;

  if (has_location == (settings->source && *settings->source)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "Set one of the properties location (a kernel file) and source (its "
        "text).");
    return NULL;
  }

  return has_location
             ? gst_cl_kernel_file_load (settings->location, settings->function,
                   settings->statistics, error)
             : gst_cl_kernel_file_new (settings->source, "source", NULL,
                   settings->function, settings->statistics, error);
}

/* Interned strings are equal if their addresses are. */
static gboolean
has_same_kernels (const GstClKernelSettings *a, const GstClKernelSettings *b)
{
  return a->location == b->location && a->source == b->source &&
         a->function == b->function && a->options == b->options &&
         a->work_size == b->work_size && a->statistics == b->statistics;
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
  GstClKernelOp *op; /* NULL: @error, or the caps of the output change */
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
  else if (gst_cl_kernel_file_values (file, request->parameters, values, error))
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
  if (job->file && has_same_caps (job->file, job->old))
    job->op = build (job->context, job->file, &job->request, job->in,
        job->n_inputs, &job->out, &job->error);
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
  GstClKernelOp *op; /* NULL: none */
  GstClKernelSettings settings;
  guint serial; /* of the last request that was used or refused */
  Stamp stamp;  /* of the file when it was last read */

  Job *job; /* NULL: none */
};

GstClKernelRunner *
gst_cl_kernel_runner_new (GstElement *element)
{
  GstClKernelRunner *self = g_new0 (GstClKernelRunner, 1);

  self->element = element;

  return self;
}

void
gst_cl_kernel_runner_clear (GstClKernelRunner *self)
{
  g_clear_pointer (&self->job, free_job);
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
  g_free (self);
}

GstClKernelOp *
gst_cl_kernel_runner_op (GstClKernelRunner *self)
{
  return self->op;
}

/* Remembers what was asked for, whether it can be used or not. */
static void
take_request (GstClKernelRunner *self, const GstClKernelRequest *request)
{
  self->settings = request->settings;
  self->serial = request->serial;
}

gboolean
gst_cl_kernel_runner_configure (GstClKernelRunner *self, GstClContext *context,
    GstClKernelFile *file, const GstClKernelRequest *request,
    const GstVideoInfo *in, guint n_inputs, const GstVideoInfo *out,
    GError **error)
{
  g_autoptr (GstClKernelFile) kept = gst_cl_kernel_file_ref (file);

  get_stamp (request->settings.location, &self->stamp);
  gst_cl_kernel_runner_clear (self);
  take_request (self, request);
  self->context = gst_object_ref (context);
  self->in = g_memdup2 (in, n_inputs * sizeof *in);
  self->n_inputs = n_inputs;
  self->out = *out;
  self->op = build (context, kept, request, in, n_inputs, out, error);

  return self->op != NULL;
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
  g_autofree gchar *text = g_strdup_printf ("%s The kernels that run are kept.",
      error->message);

  post (self, GST_MESSAGE_WARNING, text);
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
  const gboolean has_other_caps = !job->op && !job->error;

  take_request (self, &job->request);
  if (job->error) {
    warn (self, job->error);
  } else if (has_other_caps) {
    *next = gst_cl_kernel_file_ref (job->file);
  } else {
    g_autofree gchar *text = g_strdup_printf (
        "%s: the changed kernels run from this frame on.", job->file->name);

    gst_cl_kernel_op_free (self->op);
    self->op = g_steal_pointer (&job->op);
    post (self, GST_MESSAGE_INFO, text);
  }
  free_job (job);

  return !has_other_caps;
}

/* Sets the values of @request; returns FALSE if other kernels are needed for
 * them. */
static gboolean
set_values (GstClKernelRunner *self, const GstClKernelRequest *request)
{
  const GstClKernelFile *file = gst_cl_kernel_op_file (self->op);
  const guint n = file->parameters->len;
  GstClParameterValue *values = g_new0 (GstClParameterValue, n);
  g_autoptr (GError) error = NULL;
  gboolean is_enough = TRUE;

  if (!gst_cl_kernel_file_values (file, request->parameters, values, &error))
    warn (self, error);
  else if (!gst_cl_kernel_op_has_constants (self->op, values))
    is_enough = FALSE;
  else if (!gst_cl_kernel_op_set_values (self->op, values, &error))
    warn (self, error);
  free_values (values, n);

  return is_enough;
}

gboolean
gst_cl_kernel_runner_update (GstClKernelRunner *self,
    const GstClKernelRequest *request, GstClKernelFile **next)
{
  const gboolean is_new = request->serial != self->serial;
  gboolean is_changed = FALSE;
  Stamp stamp;

  if (self->job && !g_atomic_int_get (&self->job->is_done))
    return TRUE;
  if (self->job)
    return end_job (self, next);

  if (request->settings.auto_reload)
    is_changed = get_stamp (request->settings.location, &stamp) &&
                 !is_same_stamp (&stamp, &self->stamp);
  if (is_new && !is_changed &&
      has_same_kernels (&request->settings, &self->settings) &&
      set_values (self, request))
    take_request (self, request);
  else if (is_new || is_changed)
    start_job (self, request);

  return TRUE;
}

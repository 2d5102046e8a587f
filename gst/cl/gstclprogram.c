/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel files from GResource to built programs. */

#include "gstclprogram.h"

#include <gio/gio.h>
#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_cl_program_debug);
#define GST_CAT_DEFAULT gst_cl_program_debug

#define RESOURCE_ROOT "/org/freedesktop/gstreamer/opencl/kernels/"

/* Prepended to every kernel file, in this order. */
static const gchar *const shared_headers[] = {
  "include/cl_common.clh",
  "include/cl_pixel.clh",
  "include/cl_exact.clh",
  "include/cl_partial.clh",
};

#define N_SOURCES (G_N_ELEMENTS (shared_headers) + 1)

static void
init_debug (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (gst_cl_program_debug, "clprogram", 0,
        "OpenCL programs");
    g_once_init_leave (&once, 1);
  }
}

/* The file with a #line before it, so that build logs name it. */
static gchar *
load_source (const gchar *name, GError **error)
{
  g_autofree gchar *path = g_strconcat (RESOURCE_ROOT, name, NULL);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path,
      G_RESOURCE_LOOKUP_FLAGS_NONE, error);

  if (!bytes)
    return NULL;

  return g_strdup_printf ("#line 1 \"%s\"\n%.*s\n", name,
      (int) g_bytes_get_size (bytes),
      (const gchar *) g_bytes_get_data (bytes, NULL));
}

/* The first line of @log that names an error, else its first line. */
static gchar *
first_error_line (const gchar *log)
{
  g_auto (GStrv) lines = g_strsplit (log, "\n", -1);
  const gchar *first = NULL;

  for (guint i = 0; lines[i]; i++) {
    g_strstrip (lines[i]);
    if (strstr (lines[i], "error") || strstr (lines[i], "fatal"))
      return g_strdup (lines[i]);
    if (!first && lines[i][0])
      first = lines[i];
  }

  return g_strdup (first ? first : "the driver gives no reason");
}

/* What the driver's compiler said, possibly nothing. */
static gchar *
get_build_log (GstClContext *context, cl_program program)
{
  cl_device_id device = context->device->id;
  gchar *log;
  gsize bytes = 0;

  clGetProgramBuildInfo (program, device, CL_PROGRAM_BUILD_LOG, 0, NULL,
      &bytes);
  log = g_malloc0 (bytes + 1);
  clGetProgramBuildInfo (program, device, CL_PROGRAM_BUILD_LOG, bytes, log,
      NULL);

  return g_strstrip (log);
}

static cl_program
build_program (GstClContext *context, const gchar *resource,
    const gchar *options, GError **error)
{
  gchar *sources[N_SOURCES] = { NULL };
  g_autofree gchar *log = NULL;
  cl_program program = NULL;
  cl_int code = CL_SUCCESS;
  gboolean loaded = TRUE;

  for (guint i = 0; i < N_SOURCES && loaded; i++) {
    const gchar *name = i < N_SOURCES - 1 ? shared_headers[i] : resource;

    loaded = (sources[i] = load_source (name, error)) != NULL;
  }

  if (loaded) {
    program = clCreateProgramWithSource (context->handle, N_SOURCES,
        (const gchar **) sources, NULL, &code);
    gst_cl_check (code, resource, error);
  }
  for (guint i = 0; i < N_SOURCES; i++)
    g_free (sources[i]);
  if (!program)
    return NULL;

  code = clBuildProgram (program, 1, &context->device->id, options, NULL, NULL);
  log = get_build_log (context, program);
  if (code != CL_SUCCESS) {
    g_autofree gchar *line = first_error_line (log);

    GST_ERROR_OBJECT (context, "building %s with \"%s\" for %s: %s\n%s",
        resource, options, context->device->name, gst_cl_error_name (code),
        log);
    g_set_error (error, GST_CL_ERROR, CL_BUILD_PROGRAM_FAILURE,
        "Building %s for %s: %s", resource, context->device->name, line);
    clReleaseProgram (program);
    return NULL;
  }
  if (log[0])
    GST_DEBUG_OBJECT (context, "building %s with \"%s\": %s", resource, options,
        log);

  return program;
}

cl_program
gst_cl_program_get (GstClContext *context, const gchar *resource,
    const gchar *options, GError **error)
{
  g_autofree gchar *key = g_strdup_printf ("%s %s", resource, options);
  cl_program program;

  init_debug ();

  g_mutex_lock (&context->program_lock);
  program = g_hash_table_lookup (context->programs, key);
  if (!program) {
    gint64 start = g_get_monotonic_time ();

    program = build_program (context, resource, options, error);
    if (program) {
      GST_DEBUG_OBJECT (context, "built %s in %" G_GINT64_FORMAT " us", key,
          g_get_monotonic_time () - start);
      g_hash_table_insert (context->programs, g_steal_pointer (&key), program);
    }
  }
  if (program)
    clRetainProgram (program);
  g_mutex_unlock (&context->program_lock);

  return program;
}

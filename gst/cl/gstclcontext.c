/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An opened device: context, queue, programs. */

#include "gstclcontext.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_context_debug);
#define GST_CAT_DEFAULT gst_cl_context_debug

G_DEFINE_TYPE_WITH_CODE (GstClContext, gst_cl_context, GST_TYPE_OBJECT,
    GST_DEBUG_CATEGORY_INIT (gst_cl_context_debug, "clcontext", 0,
        "OpenCL contexts"))

/* Called by the driver from any thread; only says what the driver reports. */
static void CL_CALLBACK
log_driver_report (const char *text, const void *data, size_t data_bytes,
    void *user_data)
{
  GST_WARNING ("driver: %s", text);
}

GstClContext *
gst_cl_context_new (GstClDevice *device, gboolean profiling, GError **error)
{
  g_autoptr (GstClContext)
      self = gst_object_ref_sink (g_object_new (GST_TYPE_CL_CONTEXT, NULL));
  const cl_context_properties properties[] = { CL_CONTEXT_PLATFORM,
    (cl_context_properties) device->platform, 0 };
  g_autofree gchar *what = g_strdup_printf ("open device %s", device->name);
  cl_int code;

  self->device = gst_cl_device_ref (device);
  self->is_profiling = profiling;

  self->handle = clCreateContext (properties, 1, &device->id, log_driver_report,
      NULL, &code);
  if (!gst_cl_check (code, what, error))
    return NULL;

  self->queue = clCreateCommandQueue (self->handle, device->id,
      profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
  if (!gst_cl_check (code, what, error))
    return NULL;

  return g_steal_pointer (&self);
}

gboolean
gst_cl_context_flush (GstClContext *self, GError **error)
{
  return gst_cl_check (clFlush (self->queue), "flush the queue", error);
}

gboolean
gst_cl_context_finish (GstClContext *self, GError **error)
{
  return gst_cl_check (clFinish (self->queue), "wait for the device", error);
}

static guint64
event_duration_ns (cl_event event)
{
  cl_ulong start = 0, end = 0;

  if (clGetEventProfilingInfo (event, CL_PROFILING_COMMAND_START, sizeof start,
          &start, NULL) != CL_SUCCESS ||
      clGetEventProfilingInfo (event, CL_PROFILING_COMMAND_END, sizeof end,
          &end, NULL) != CL_SUCCESS)
    return 0;

  return end - start;
}

guint64
gst_cl_context_take_profile_ns (GstClContext *self)
{
  guint64 sum = 0;

  clFinish (self->queue);

  g_mutex_lock (&self->profile_lock);
  for (guint i = 0; i < self->profile->len; i++)
    sum += event_duration_ns (g_ptr_array_index (self->profile, i));
  g_ptr_array_set_size (self->profile, 0);
  g_mutex_unlock (&self->profile_lock);

  return sum;
}

static void
release_program (gpointer program)
{
  clReleaseProgram (program);
}

static void
release_event (gpointer event)
{
  clReleaseEvent (event);
}

static void
gst_cl_context_finalize (GObject *object)
{
  GstClContext *self = GST_CL_CONTEXT (object);

  if (self->queue) {
    clFinish (self->queue);
    clReleaseCommandQueue (self->queue);
  }
  g_clear_pointer (&self->profile, g_ptr_array_unref);
  g_clear_pointer (&self->programs, g_hash_table_unref);
  g_clear_pointer (&self->handle, clReleaseContext);
  g_clear_pointer (&self->device, gst_cl_device_unref);
  g_mutex_clear (&self->program_lock);
  g_mutex_clear (&self->profile_lock);

  G_OBJECT_CLASS (gst_cl_context_parent_class)->finalize (object);
}

static void
gst_cl_context_init (GstClContext *self)
{
  g_mutex_init (&self->program_lock);
  g_mutex_init (&self->profile_lock);
  self->programs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      release_program);
  self->profile = g_ptr_array_new_with_free_func (release_event);
}

static void
gst_cl_context_class_init (GstClContextClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_cl_context_finalize;
}

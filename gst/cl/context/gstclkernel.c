/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One kernel of one op: typed arguments, rounded global sizes. */

#include "gstclkernel.h"

#include <string.h>

#include "cl/device/gstclpocl.h"
#include "gstclprogram.h"

struct _GstClKernel {
  GstClContext *context;
  cl_kernel handle;
  cl_command_queue queue; /* the queue for launches */
  gchar *name;
  gsize local[3]; /* work-items */
};

/* Takes @handle, a kernel called @name. */
static GstClKernel *
new_kernel (GstClContext *context, cl_kernel handle, const gchar *name)
{
  GstClKernel *self = g_new0 (GstClKernel, 1);

  self->context = gst_object_ref (context);
  self->name = g_strdup (name);
  self->handle = handle;

  return self;
}

/* Sets the sizes of a work-group to those that the kernel declares, or to 0. */
static cl_int
get_declared_size (GstClKernel *self)
{
  return clGetKernelWorkGroupInfo (self->handle, self->context->device->id,
      CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof self->local, self->local, NULL);
}

GstClKernel *
gst_cl_kernel_new (GstClContext *context, const gchar *resource,
    const gchar *options, const gchar *name, GError **error)
{
  cl_kernel handle = gst_cl_program_create_kernel (context, resource, options,
      name, error);
  g_autoptr (GstClKernel) self = NULL;
  cl_int code;

  if (!handle)
    return NULL;

  self = new_kernel (context, handle, name);
  code = get_declared_size (self);
  if (code == CL_SUCCESS && self->local[0] == 0)
    code = CL_INVALID_KERNEL_DEFINITION; /* no reqd_work_group_size */
  if (!gst_cl_check (code, name, error))
    return NULL;

  return g_steal_pointer (&self);
}

GstClKernel *
gst_cl_kernel_new_of_program (GstClContext *context, GstClProgram *program,
    const gchar *options, const gchar *name, const gsize local[3],
    GError **error)
{
  cl_kernel handle = gst_cl_program_create (program, context, options, name,
      error);
  g_autoptr (GstClKernel) self = NULL;
  gsize largest = 1;
  cl_int code;

  if (!handle)
    return NULL;

  self = new_kernel (context, handle, name);
  code = get_declared_size (self);
  if (code == CL_SUCCESS)
    code = clGetKernelWorkGroupInfo (self->handle, context->device->id,
        CL_KERNEL_WORK_GROUP_SIZE, sizeof largest, &largest, NULL);
  if (!gst_cl_check (code, name, error))
    return NULL;
  if (self->local[0] == 0) {
    memcpy (self->local, local, sizeof self->local);
    while (self->local[0] * self->local[1] * self->local[2] > largest) {
      gsize *size = &self->local[self->local[1] > 1 ? 1 : 0];

      *size = (*size + 1) / 2;
    }
  }

  return g_steal_pointer (&self);
}

gboolean
gst_cl_kernel_get_n_args (GstClKernel *self, guint *n_args, GError **error)
{
  return gst_cl_check (clGetKernelInfo (self->handle, CL_KERNEL_NUM_ARGS,
                           sizeof *n_args, n_args, NULL),
      self->name, error);
}

void
gst_cl_kernel_free (GstClKernel *self)
{
  if (!self)
    return;

  g_clear_pointer (&self->handle, clReleaseKernel);
  gst_clear_object (&self->context);
  g_free (self->name);
  g_free (self);
}

void
gst_cl_kernel_set_queue (GstClKernel *self, cl_command_queue queue)
{
  self->queue = queue;
}

gsize
gst_cl_kernel_local_size (const GstClKernel *self, guint dim)
{
  return self->local[dim];
}

static cl_int
set_argument (cl_kernel kernel, cl_uint index, const GstClArg *arg)
{
  switch (arg->type) {
    case GST_CL_ARG_MEM:
      return clSetKernelArg (kernel, index, sizeof arg->value.mem,
          &arg->value.mem);
    case GST_CL_ARG_INT:
      return clSetKernelArg (kernel, index, sizeof arg->value.i, &arg->value.i);
    case GST_CL_ARG_UINT:
      return clSetKernelArg (kernel, index, sizeof arg->value.u, &arg->value.u);
    case GST_CL_ARG_ULONG:
      return clSetKernelArg (kernel, index, sizeof arg->value.ul,
          &arg->value.ul);
    case GST_CL_ARG_INT4:
      return clSetKernelArg (kernel, index, sizeof arg->value.i4,
          &arg->value.i4);
    case GST_CL_ARG_BYTES:
      return clSetKernelArg (kernel, index, arg->value.bytes.n,
          arg->value.bytes.data);
  }

  return CL_INVALID_ARG_VALUE;
}

/* @event: receives the event of the launch; NULL: no event is created. */
static gboolean
enqueue_launch (GstClKernel *self, const GstClLaunch *launch, cl_event *event,
    GError **error)
{
  const gsize *items = launch->items;
  gsize global[3];
  cl_int code = CL_SUCCESS;

  for (guint i = 0; i < launch->n_args && code == CL_SUCCESS; i++)
    code = set_argument (self->handle, i, &launch->args[i]);

  for (guint i = 0; i < 3; i++) {
    gsize groups = (items[i] + self->local[i] - 1) / self->local[i];

    global[i] = groups * self->local[i];
  }

  if (code == CL_SUCCESS)
    code = clEnqueueNDRangeKernel (
        self->queue
            ? self->queue
            : gst_cl_context_find_queue (self->context, GST_CL_QUEUE_COMPUTE),
        self->handle, 3, launch->offset, global, self->local, launch->n_waits,
        launch->n_waits > 0 ? launch->waits : NULL, event);

  if (G_LIKELY (code == CL_SUCCESS))
    return TRUE;

  g_autofree gchar *what = g_strdup_printf (
      "enqueue %s over %zux%zux%zu (local %zux%zux%zu) on %s", self->name,
      items[0], items[1], items[2], self->local[0], self->local[1],
      self->local[2], self->context->device->name);
  gst_cl_check (code, what, error);
  gst_cl_pocl_explain (self->context->device->platform_name, error);

  return FALSE;
}

/* Keeps @event for profiling; transfer full. */
static void
record_launch (GstClContext *context, cl_event event)
{
  g_mutex_lock (&context->profile_lock);
  g_ptr_array_add (context->profile, event);
  g_mutex_unlock (&context->profile_lock);
}

gboolean
gst_cl_kernel_launch (GstClKernel *self, gsize x, gsize y, gsize z,
    const GstClArg *args, guint n_args, GError **error)
{
  const GstClLaunch launch = { .items = { x, y, z },
    .args = args,
    .n_args = n_args };

  return gst_cl_kernel_launch_after (self, &launch, error);
}

gboolean
gst_cl_kernel_launch_after (GstClKernel *self, const GstClLaunch *launch,
    GError **error)
{
  cl_event event = NULL;

  if (!self->context->is_profiling)
    return enqueue_launch (self, launch, NULL, error);

  if (!enqueue_launch (self, launch, &event, error))
    return FALSE;
  record_launch (self->context, event);

  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device memory that another library has allocated, imported by calls of OpenCL
 * 3.0 and of an extension. */

#define _GNU_SOURCE /* RTLD_DEFAULT */
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300

#include "gstclexternal.h"

#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define ACQUIRE "clEnqueueAcquireExternalMemObjectsKHR"
#define RELEASE "clEnqueueReleaseExternalMemObjectsKHR"

/* Older headers have other names for these. */
#define DEVICE_HANDLE_LIST     0x2051
#define DEVICE_HANDLE_LIST_END 0

typedef cl_int (CL_API_CALL *EnqueueFunction) (cl_command_queue queue,
    cl_uint n_mems, const cl_mem *mems, cl_uint n_waits, const cl_event *waits,
    cl_event *event);

typedef cl_mem (CL_API_CALL *CreateFunction) (cl_context context,
    const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
    void *host, cl_int *code);

/* Returns NULL if the platform does not have the function. */
static EnqueueFunction
find_function (GstClContext *context, const char *name)
{
  void *function = clGetExtensionFunctionAddressForPlatform (
      context->device->platform, name);

  return *(EnqueueFunction *) &function;
}

/* Returns NULL if the loader is older than OpenCL 3.0. */
static CreateFunction
find_create (void)
{
  void *create = dlsym (RTLD_DEFAULT, "clCreateBufferWithProperties");

  return *(CreateFunction *) &create;
}

static gboolean
takes_file_descriptors (const GstClDevice *device)
{
  cl_external_memory_handle_type_khr types[16];
  gsize n_bytes = 0;

  if (clGetDeviceInfo (device->id,
          CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, sizeof types,
          types, &n_bytes) != CL_SUCCESS)
    return FALSE;

  for (gsize i = 0; i < n_bytes / sizeof types[0]; i++) {
    if (types[i] == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR)
      return TRUE;
  }

  return FALSE;
}

/* Other entries of a platform's function table must not be called before its
 * version is known. */
const gchar *
gst_cl_external_find_obstacle (GstClContext *context)
{
  const gchar *version = context->device->platform_version;

  if (!version || g_str_has_prefix (version, "OpenCL 1.") ||
      g_str_has_prefix (version, "OpenCL 2.") || !find_create ())
    return "no buffers with properties: it, or the loader, is older than "
           "OpenCL 3.0";
  if (!takes_file_descriptors (context->device) ||
      !find_function (context, ACQUIRE) || !find_function (context, RELEASE))
    return "no import of memory by file descriptors";

  return NULL;
}

static gboolean
lacks_descriptors (void)
{
  const int fd = open ("/dev/null", O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return errno == EMFILE || errno == ENFILE;
  close (fd);

  return FALSE;
}

/* Drivers have no error code for it. */
void
gst_cl_external_explain (GError **error)
{
  g_autoptr (GError) failure = NULL;

  if (!error || !*error || gst_cl_error_is_shortage (*error) ||
      !lacks_descriptors ())
    return;

  failure = g_steal_pointer (error);
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "%s: the process has no file descriptors left (ulimit -n)",
      failure->message);
}

/* Passes the device, because an application's context may have several devices,
 * and the memory is on one of them. */
static gboolean
has_other_devices (GstClContext *context)
{
  cl_uint n_devices = 0;

  return clGetContextInfo (context->handle, CL_CONTEXT_NUM_DEVICES,
             sizeof n_devices, &n_devices, NULL) == CL_SUCCESS &&
         n_devices > 1;
}

cl_mem
gst_cl_external_import (GstClContext *context, int fd, gsize size_bytes,
    cl_mem_flags flags, GError **error)
{
  const cl_mem_properties properties[] = {
    CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties) fd,
    has_other_devices (context) ? DEVICE_HANDLE_LIST : 0,
    (cl_mem_properties) (guintptr) context->device->id, DEVICE_HANDLE_LIST_END,
    0
  };
  cl_int code;
  cl_mem mem = find_create () (context->handle, properties, flags, size_bytes,
      NULL, &code);

  if (gst_cl_check (code, "import memory by a file descriptor", error))
    return mem;
  gst_cl_external_explain (error);
  close (fd);

  return NULL;
}

cl_int
gst_cl_external_acquire (GstClContext *context, cl_command_queue queue,
    const cl_mem *mems, guint n_mems)
{
  return find_function (context, ACQUIRE) (queue, n_mems, mems, 0, NULL, NULL);
}

cl_int
gst_cl_external_release (GstClContext *context, cl_command_queue queue,
    const cl_mem *mems, guint n_mems, cl_event *event)
{
  return find_function (context, RELEASE) (queue, n_mems, mems, 0, NULL, event);
}

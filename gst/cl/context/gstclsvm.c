/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fine-grained shared virtual memory, the only calls beyond OpenCL 1.2. */

#define _GNU_SOURCE /* RTLD_DEFAULT */
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200

#include "gstclsvm.h"

#include <dlfcn.h>

/* The loader's functions of OpenCL 2.0. Linked, they would keep the plugin from
 * being loaded with a loader that does not have them. */
typedef struct {
  void *(CL_API_CALL *alloc) (cl_context context, cl_svm_mem_flags flags,
      size_t size, cl_uint alignment);
  void (CL_API_CALL *free) (cl_context context, void *pointer);
  cl_int (CL_API_CALL *set_argument) (cl_kernel kernel, cl_uint index,
      const void *pointer);
} Functions;

/* Some are NULL where the loader is older. */
static const Functions *
find_functions (void)
{
  static Functions functions;
  static gsize is_done = 0;

  if (g_once_init_enter (&is_done)) {
    *(gpointer *) &functions.alloc = dlsym (RTLD_DEFAULT, "clSVMAlloc");
    *(gpointer *) &functions.free = dlsym (RTLD_DEFAULT, "clSVMFree");
    *(gpointer *) &functions.set_argument = dlsym (RTLD_DEFAULT,
        "clSetKernelArgSVMPointer");
    g_once_init_leave (&is_done, 1);
  }

  return &functions;
}

/* What gst_cl_svm_new() asks for. */
#define CAPABILITIES (CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS)

/* The device's CL_DEVICE_SVM_ bits; 0: none, or it does not know them. */
static cl_device_svm_capabilities
find_capabilities (const GstClDevice *device)
{
  cl_device_svm_capabilities capabilities = 0;

  if (clGetDeviceInfo (device->id, CL_DEVICE_SVM_CAPABILITIES,
          sizeof capabilities, &capabilities, NULL) != CL_SUCCESS)
    return 0;

  return capabilities;
}

/* What keeps @context from having such memory; NULL: nothing. Other entries of
 * a platform's table must not be called before its version is known. */
static const gchar *
find_obstacle (GstClContext *context)
{
  const GstClDevice *device = context->device;
  const Functions *functions = find_functions ();
  cl_device_svm_capabilities capabilities;

  if (!device->platform_version ||
      g_str_has_prefix (device->platform_version, "OpenCL 1."))
    return "no shared virtual memory: its platform is older than OpenCL 2.0";
  if (!functions->alloc || !functions->free || !functions->set_argument)
    return "no shared virtual memory: the loader is older than OpenCL 2.0";

  capabilities = find_capabilities (device);
  if (capabilities == 0)
    return "no shared virtual memory";
  if (!(capabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
    return "shared virtual memory that is coarse-grained only";
  if ((capabilities & CAPABILITIES) != CAPABILITIES)
    return "fine-grained shared virtual memory without atomics";

  return NULL;
}

gboolean
gst_cl_svm_check (GstClContext *context, GError **error)
{
  const gchar *obstacle = find_obstacle (context);

  if (!obstacle)
    return TRUE;

  g_set_error (error, GST_CL_ERROR, CL_INVALID_OPERATION,
      "Fine-grained shared virtual memory with atomics is needed, %s has %s.",
      context->device->name, obstacle);

  return FALSE;
}

gpointer
gst_cl_svm_new (GstClContext *context, gsize size_bytes, GError **error)
{
  gpointer data;

  if (!gst_cl_svm_check (context, error))
    return NULL;

  data = find_functions ()->alloc (context->handle,
      CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
      MAX (size_bytes, 1), 0);
  gst_cl_check (data ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE,
      "allocate shared virtual memory", error);

  return data;
}

void
gst_cl_svm_free (GstClContext *context, gpointer data)
{
  if (data)
    find_functions ()->free (context->handle, data);
}

cl_int
gst_cl_svm_set_argument (cl_kernel kernel, cl_uint index, gconstpointer data)
{
  return find_functions ()->set_argument (kernel, index, data);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An OpenCL device that imports memory of the CUDA driver that stands in. */

#define _GNU_SOURCE /* RTLD_NEXT */
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300

#include "standins/external.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "standins/cuda.h"

static gint fault;      /* atomic */
static gint n_acquired; /* atomic */
static gint n_held;     /* atomic */

void
external_set_fault (ExternalFault what)
{
  g_atomic_int_set (&fault, what);
}

static gboolean
has_fault (ExternalFault what)
{
  return g_atomic_int_get (&fault) == (gint) what;
}

gint
external_n_acquired (void)
{
  return g_atomic_int_get (&n_acquired);
}

gint
external_n_held (void)
{
  return g_atomic_int_get (&n_held);
}

/* --- the device ---------------------------------------------------------- */

cl_int
clGetDeviceInfo (cl_device_id device, cl_device_info what, size_t size,
    void *value, size_t *size_ret)
{
  static const cl_uint type = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR;
  static cl_int (
      *real) (cl_device_id, cl_device_info, size_t, void *, size_t *);

  if (!real)
    real = dlsym (RTLD_NEXT, "clGetDeviceInfo");
  if (has_fault (EXTERNAL_IS_MISSING))
    return real (device, what, size, value, size_ret);

  if (what == CL_DEVICE_UUID_KHR && size >= CL_UUID_SIZE_KHR) {
    memset (value, CUDA_UUID_BYTE (0), CL_UUID_SIZE_KHR);
    return CL_SUCCESS;
  }
  if (what == CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR &&
      size >= sizeof type) {
    memcpy (value, &type, sizeof type);
    *size_ret = sizeof type;
    return CL_SUCCESS;
  }

  return real (device, what, size, value, size_ret);
}

static cl_int
acquire (cl_command_queue queue, cl_uint n, const cl_mem *mems, cl_uint n_waits,
    const cl_event *waits, cl_event *event)
{
  g_atomic_int_inc (&n_acquired);
  g_atomic_int_inc (&n_held);

  return CL_SUCCESS;
}

static cl_int
release (cl_command_queue queue, cl_uint n, const cl_mem *mems, cl_uint n_waits,
    const cl_event *waits, cl_event *event)
{
  g_atomic_int_add (&n_held, -1);

  return clEnqueueMarkerWithWaitList (queue, n_waits, waits, event);
}

void *
clGetExtensionFunctionAddressForPlatform (cl_platform_id platform,
    const char *name)
{
  static void *(*real) (cl_platform_id, const char *);

  if (!real)
    real = dlsym (RTLD_NEXT, "clGetExtensionFunctionAddressForPlatform");
  if (strcmp (name, "clEnqueueAcquireExternalMemObjectsKHR") == 0)
    return acquire;
  if (strcmp (name, "clEnqueueReleaseExternalMemObjectsKHR") == 0)
    return release;

  return real (platform, name);
}

/* --- memory -------------------------------------------------------------- */

typedef struct {
  gpointer data;
  size_t size;
} Mapping;

static void CL_CALLBACK
unmap (cl_mem mem, void *data)
{
  Mapping *mapping = data;

  munmap (mapping->data, mapping->size);
  g_free (mapping);
}

static cl_mem (
    *real_create) (cl_context, cl_mem_flags, size_t, void *, cl_int *);

static void
find_create (void)
{
  if (!real_create)
    real_create = dlsym (RTLD_NEXT, "clCreateBuffer");
}

/* Takes over the descriptor where it succeeds. */
cl_mem
clCreateBufferWithProperties (cl_context context,
    const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
    void *host, cl_int *code)
{
  Mapping *mapping;
  void *data;
  cl_mem mem;

  find_create ();
  *code = CL_INVALID_VALUE;
  if (has_fault (EXTERNAL_IMPORTS_NOTHING) ||
      properties[0] != CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR)
    return NULL;

  data = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
      (int) properties[1], 0);
  if (data == MAP_FAILED)
    return NULL;
  mem = real_create (context, flags | CL_MEM_USE_HOST_PTR, size, data, code);
  if (!mem)
    return NULL;
  close ((int) properties[1]);

  mapping = g_new (Mapping, 1);
  *mapping = (Mapping){ data, size };
  clSetMemObjectDestructorCallback (mem, unmap, mapping);

  return mem;
}

cl_mem
clCreateBuffer (cl_context context, cl_mem_flags flags, size_t size, void *host,
    cl_int *code)
{
  find_create ();
  if (has_fault (HOST_MEMORY_IS_COPIED) && (flags & CL_MEM_USE_HOST_PTR))
    return real_create (context, flags & ~(cl_mem_flags) CL_MEM_USE_HOST_PTR,
        size, NULL, code);

  return real_create (context, flags, size, host, code);
}

cl_int
clEnqueueCopyBufferRect (cl_command_queue queue, cl_mem from, cl_mem to,
    const size_t *from_origin, const size_t *to_origin, const size_t *region,
    size_t from_pitch, size_t from_slice_pitch, size_t to_pitch,
    size_t to_slice_pitch, cl_uint n_waits, const cl_event *waits,
    cl_event *event)
{
  static cl_int (*real) (cl_command_queue, cl_mem, cl_mem, const size_t *,
      const size_t *, const size_t *, size_t, size_t, size_t, size_t, cl_uint,
      const cl_event *, cl_event *);

  if (!real)
    real = dlsym (RTLD_NEXT, "clEnqueueCopyBufferRect");
  if (has_fault (EXTERNAL_COPIES_NOTHING))
    return CL_MEM_COPY_OVERLAP;

  return real (queue, from, to, from_origin, to_origin, region, from_pitch,
      from_slice_pitch, to_pitch, to_slice_pitch, n_waits, waits, event);
}

cl_int
clEnqueueWriteBuffer (cl_command_queue queue, cl_mem mem, cl_bool blocking,
    size_t offset, size_t size, const void *data, cl_uint n_waits,
    const cl_event *waits, cl_event *event)
{
  static const cl_uchar zero;
  static cl_int (*real) (cl_command_queue, cl_mem, cl_bool, size_t, size_t,
      const void *, cl_uint, const cl_event *, cl_event *);

  if (!real)
    real = dlsym (RTLD_NEXT, "clEnqueueWriteBuffer");
  if (has_fault (HOST_MEMORY_ARRIVES_NOT))
    return clEnqueueFillBuffer (queue, mem, &zero, 1, offset, size, n_waits,
        waits, event);

  return real (queue, mem, blocking, offset, size, data, n_waits, waits, event);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mock devices that refuse buffers above some size. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "smalldevice.h"

#include "mocks/realfunction.h"

#include <CL/cl.h>

static gsize largest; /* 0: the device's own */

void
small_device_set_largest_buffer (gsize n_bytes)
{
  largest = n_bytes;
}

cl_int
clGetDeviceInfo (cl_device_id device, cl_device_info name, size_t size,
    void *value, size_t *size_needed)
{
  cl_int code;

  code = REAL (clGetDeviceInfo) (device, name, size, value, size_needed);
  if (code == CL_SUCCESS && name == CL_DEVICE_MAX_MEM_ALLOC_SIZE && value &&
      largest)
    *(cl_ulong *) value = largest;

  return code;
}

cl_mem
clCreateBuffer (cl_context context, cl_mem_flags flags, size_t size, void *data,
    cl_int *code)
{
  if (largest && size > largest) {
    *code = CL_INVALID_BUFFER_SIZE;
    return NULL;
  }

  return REAL (clCreateBuffer) (context, flags, size, data, code);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mock GPUs: OpenCL devices that report themselves as GPUs. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "framesum/gpudevice.h"

#include "mocks/realfunction.h"

#include <CL/cl.h>

static gint is_held; /* atomic */

void
gpu_device_hold (gboolean hold)
{
  g_atomic_int_set (&is_held, hold);
}

cl_int
clGetDeviceInfo (cl_device_id device, cl_device_info name, size_t size,
    void *value, size_t *size_needed)
{
  cl_int code;

  code = REAL (clGetDeviceInfo) (device, name, size, value, size_needed);
  if (code == CL_SUCCESS && name == CL_DEVICE_TYPE && value)
    *(cl_device_type *) value = CL_DEVICE_TYPE_GPU;

  return code;
}

cl_int
clGetEventInfo (cl_event event, cl_event_info name, size_t size, void *value,
    size_t *size_needed)
{
  cl_int code;

  code = REAL (clGetEventInfo) (event, name, size, value, size_needed);
  if (code == CL_SUCCESS && name == CL_EVENT_COMMAND_EXECUTION_STATUS &&
      g_atomic_int_get (&is_held))
    *(cl_int *) value = CL_RUNNING;

  return code;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mock GPUs: OpenCL devices that report themselves as GPUs. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "framesum/gpudevice.h"

#include "mocks/realfunction.h"

#include <CL/cl.h>

static gint n_launches;       /* atomic */
static gint is_held;          /* atomic */
static gint refuses_launches; /* atomic */

gint
gpu_device_n_launches (void)
{
  return g_atomic_int_get (&n_launches);
}

void
gpu_device_hold (gboolean hold)
{
  g_atomic_int_set (&is_held, hold);
}

void
gpu_device_refuse_launches (gboolean refuse)
{
  g_atomic_int_set (&refuses_launches, refuse);
}

cl_int
clGetDeviceInfo (cl_device_id device, cl_device_info name, size_t size,
    void *value, size_t *size_needed)
{
  cl_int (*real) (cl_device_id, cl_device_info, size_t, void *, size_t *);
  cl_int code;

  FIND_REAL (real, "clGetDeviceInfo");
  code = real (device, name, size, value, size_needed);
  if (code == CL_SUCCESS && name == CL_DEVICE_TYPE && value)
    *(cl_device_type *) value = CL_DEVICE_TYPE_GPU;

  return code;
}

cl_int
clGetEventInfo (cl_event event, cl_event_info name, size_t size, void *value,
    size_t *size_needed)
{
  cl_int (*real) (cl_event, cl_event_info, size_t, void *, size_t *);
  cl_int code;

  FIND_REAL (real, "clGetEventInfo");
  code = real (event, name, size, value, size_needed);
  if (code == CL_SUCCESS && name == CL_EVENT_COMMAND_EXECUTION_STATUS &&
      g_atomic_int_get (&is_held))
    *(cl_int *) value = CL_RUNNING;

  return code;
}

cl_int
clEnqueueNDRangeKernel (cl_command_queue queue, cl_kernel kernel,
    cl_uint n_dimensions, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint n_waits, const cl_event *waits,
    cl_event *event)
{
  cl_int (*real) (cl_command_queue, cl_kernel, cl_uint, const size_t *,
      const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *);

  if (g_atomic_int_get (&refuses_launches))
    return CL_OUT_OF_RESOURCES;
  FIND_REAL (real, "clEnqueueNDRangeKernel");
  g_atomic_int_inc (&n_launches);

  return real (queue, kernel, n_dimensions, offset, global, local, n_waits,
      waits, event);
}

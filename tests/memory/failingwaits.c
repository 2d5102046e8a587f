/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OpenCL functions that precede those of the loader in symbol resolution: the
 * program and the plugin call them, the driver does not. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "failingwaits.h"

#include <CL/cl.h>
#include <dlfcn.h>

static gint waits_fail;         /* atomic */
static gint event_queries_fail; /* atomic */

void
set_waits_fail (gboolean fail)
{
  g_atomic_int_set (&waits_fail, fail);
}

void
set_event_queries_fail (gboolean fail)
{
  g_atomic_int_set (&event_queries_fail, fail);
}

cl_int
clWaitForEvents (cl_uint n, const cl_event *events)
{
  static cl_int (*real) (cl_uint, const cl_event *);

  if (g_atomic_int_get (&waits_fail))
    return CL_DEVICE_NOT_AVAILABLE;
  if (!real)
    real = dlsym (RTLD_NEXT, "clWaitForEvents");

  return real (n, events);
}

cl_int
clGetEventInfo (cl_event event, cl_event_info name, size_t size, void *value,
    size_t *size_needed)
{
  static cl_int (*real) (cl_event, cl_event_info, size_t, void *, size_t *);

  if (g_atomic_int_get (&event_queries_fail))
    return CL_DEVICE_NOT_AVAILABLE;
  if (!real)
    real = dlsym (RTLD_NEXT, "clGetEventInfo");

  return real (event, name, size, value, size_needed);
}

cl_int
clFinish (cl_command_queue queue)
{
  static cl_int (*real) (cl_command_queue);

  if (g_atomic_int_get (&waits_fail))
    return CL_DEVICE_NOT_AVAILABLE;
  if (!real)
    real = dlsym (RTLD_NEXT, "clFinish");

  return real (queue);
}

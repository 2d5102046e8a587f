/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for the device that fail. These functions stand before the loader's:
 * the plugin and the layer below it call them, the driver does not. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "failingwaits.h"

#include <CL/cl.h>
#include <dlfcn.h>

static gint waits_fail; /* atomic */

void
set_waits_fail (gboolean fail)
{
  g_atomic_int_set (&waits_fail, fail);
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
clFinish (cl_command_queue queue)
{
  static cl_int (*real) (cl_command_queue);

  if (g_atomic_int_get (&waits_fail))
    return CL_DEVICE_NOT_AVAILABLE;
  if (!real)
    real = dlsym (RTLD_NEXT, "clFinish");

  return real (queue);
}

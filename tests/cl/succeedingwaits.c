/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A driver whose waits succeed for commands that have failed, as with
 * NVIDIA. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "mocks/realfunction.h"

#include <CL/cl.h>

cl_int
clWaitForEvents (cl_uint n_events, const cl_event *events)
{
  cl_int code;

  code = REAL (clWaitForEvents) (n_events, events);

  return code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? CL_SUCCESS
                                                              : code;
}

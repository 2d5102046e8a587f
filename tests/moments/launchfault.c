/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clEnqueueNDRangeKernel() that precedes the function of the loader in symbol
 * resolution. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "launchfault.h"

#include "mocks/realfunction.h"

static GMutex lock;
static LaunchFault fault;
static cl_event event_of_fault;
static guint n_refused; /* number of launches that are still to be refused */

void
launch_fault_set (LaunchFault new_fault, cl_event event)
{
  g_mutex_lock (&lock);
  fault = new_fault;
  event_of_fault = event;
  g_mutex_unlock (&lock);
}

void
launch_fault_refuse (guint n)
{
  g_mutex_lock (&lock);
  n_refused = n;
  g_mutex_unlock (&lock);
}

static LaunchFault
find_fault (cl_uint n_waits, const cl_event *waits)
{
  LaunchFault found = LAUNCHES_RUN;

  g_mutex_lock (&lock);
  for (cl_uint i = 0; i < n_waits; i++) {
    if (waits[i] == event_of_fault)
      found = fault;
  }
  if (n_waits > 0 && n_refused > 0) {
    found = LAUNCHES_ARE_REFUSED;
    n_refused--;
  }
  g_mutex_unlock (&lock);

  return found;
}

cl_int
clEnqueueNDRangeKernel (cl_command_queue queue, cl_kernel kernel,
    cl_uint n_dimensions, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint n_waits, const cl_event *waits,
    cl_event *event)
{
  const LaunchFault now = find_fault (n_waits, waits);

  if (now == LAUNCHES_ARE_DROPPED)
    return CL_SUCCESS;
  if (now == LAUNCHES_ARE_REFUSED)
    return CL_OUT_OF_RESOURCES;

  return REAL (clEnqueueNDRangeKernel) (queue, kernel, n_dimensions, offset,
      global, local, n_waits, waits, event);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts calls of OpenCL. These functions precede the loader's in symbol
 * resolution: the plugin calls them, the driver does not. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "drivercalls.h"

#include <CL/cl.h>
#include <dlfcn.h>

static DriverCalls calls; /* atomic */

DriverCalls
driver_calls_get (void)
{
  return (DriverCalls){
    .flushes = g_atomic_int_get (&calls.flushes),
    .waits = g_atomic_int_get (&calls.waits),
    .synchronized = g_atomic_int_get (&calls.synchronized),
    .transfers = g_atomic_int_get (&calls.transfers),
    .launches = g_atomic_int_get (&calls.launches),
    .buffers = g_atomic_int_get (&calls.buffers),
  };
}

/* Counts a call of FUNCTION and calls the loader's. */
#define COUNT(counter, function, parameters, ...)                              \
  COUNT_RETURNING (cl_int, counter, function, parameters, __VA_ARGS__)

#define COUNT_RETURNING(type, counter, function, parameters, ...)              \
  type function parameters                                                     \
  {                                                                            \
    static type (*real) parameters;                                            \
                                                                               \
    if (!real)                                                                 \
      real = dlsym (RTLD_NEXT, #function);                                     \
    g_atomic_int_inc (&calls.counter);                                         \
                                                                               \
    return real (__VA_ARGS__);                                                 \
  }

COUNT (flushes, clFlush, (cl_command_queue queue), queue)
COUNT (waits, clWaitForEvents, (cl_uint n, const cl_event *events), n, events)
COUNT (synchronized, clEnqueueMarkerWithWaitList,
    (cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event),
    queue, n, waits, event)
COUNT (synchronized, clEnqueueBarrierWithWaitList,
    (cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event),
    queue, n, waits, event)
COUNT (transfers, clEnqueueReadBuffer,
    (cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset,
        size_t n_bytes, void *data, cl_uint n, const cl_event *waits,
        cl_event *event),
    queue, mem, blocking, offset, n_bytes, data, n, waits, event)
COUNT (transfers, clEnqueueWriteBuffer,
    (cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset,
        size_t n_bytes, const void *data, cl_uint n, const cl_event *waits,
        cl_event *event),
    queue, mem, blocking, offset, n_bytes, data, n, waits, event)
COUNT (launches, clEnqueueNDRangeKernel,
    (cl_command_queue queue, cl_kernel kernel, cl_uint n_dims,
        const size_t *offset, const size_t *global, const size_t *local,
        cl_uint n, const cl_event *waits, cl_event *event),
    queue, kernel, n_dims, offset, global, local, n, waits, event)
COUNT_RETURNING (cl_mem, buffers, clCreateBuffer,
    (cl_context context, cl_mem_flags flags, size_t n_bytes, void *data,
        cl_int *code),
    context, flags, n_bytes, data, code)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes OpenCL calls fail: a library for LD_PRELOAD.
 *
 * environment: CL_FAULT_AT the number of the call that fails, from 1; 0: none
 *   CL_FAULT_NAME the function whose calls are counted (default: all)
 *   CL_FAULT_THEN the function that fails in place of the call CL_FAULT_AT,
 *   when it is called next (default: that call itself) CL_FAULT_CODE its return
 *   value (default -5, CL_OUT_OF_RESOURCES) CL_FAULT_STICKY 1: all later calls
 *   fail too, as after a lost device CL_FAULT_REPORT file that receives, at
 *   exit, the number of calls and the name of the one that failed Calls that
 *   only query, wait or release do not fail and are not counted, except
 *   clWaitForEvents and clFinish, which report a lost device. */

#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long n_calls;
static const char *failed = "";

static long
setting (const char *name, long otherwise)
{
  const char *text = getenv (name);

  return text && text[0] ? atol (text) : otherwise;
}

/* Counts a call. Returns the code that it fails with, or CL_SUCCESS to make the
 * call. */
static cl_int
fault (const char *name)
{
  const long at = setting ("CL_FAULT_AT", 0);
  const char *counted = getenv ("CL_FAULT_NAME");
  const char *then = getenv ("CL_FAULT_THEN");
  cl_int code = CL_SUCCESS;
  int has_failed;

  pthread_mutex_lock (&lock);
  has_failed = failed[0] != '\0';
  if (!counted || strcmp (counted, name) == 0)
    n_calls++;
  if (at > 0 && n_calls >= at && !has_failed &&
      (!then || strcmp (then, name) == 0))
    failed = name;
  if (failed[0] != '\0' && (!has_failed || setting ("CL_FAULT_STICKY", 0)))
    code = (cl_int) setting ("CL_FAULT_CODE", CL_OUT_OF_RESOURCES);
  pthread_mutex_unlock (&lock);

  return code;
}

__attribute__ ((destructor)) static void
report (void)
{
  const char *path = getenv ("CL_FAULT_REPORT");
  FILE *file = path ? fopen (path, "w") : NULL;

  if (file) {
    fprintf (file, "%ld %s\n", n_calls, failed);
    fclose (file);
  }
}

/* A call that returns its code. */
#define RETURNS_CODE(name, parameters, arguments)                              \
  cl_int name parameters                                                       \
  {                                                                            \
    static cl_int (*real) parameters;                                          \
    const cl_int code = fault (#name);                                         \
    if (!real)                                                                 \
      real = dlsym (RTLD_NEXT, #name);                                         \
    return code != CL_SUCCESS ? code : real arguments;                         \
  }

/* A call that returns an object, and its code through the last argument. */
#define RETURNS_OBJECT(type, name, parameters, arguments)                      \
  type name parameters                                                         \
  {                                                                            \
    static type (*real) parameters;                                            \
    const cl_int code = fault (#name);                                         \
    if (!real)                                                                 \
      real = dlsym (RTLD_NEXT, #name);                                         \
    if (code == CL_SUCCESS)                                                    \
      return real arguments;                                                   \
    if (errcode)                                                               \
      *errcode = code;                                                         \
    return NULL;                                                               \
  }

/* clang-format off */
RETURNS_OBJECT (cl_context, clCreateContext,
    (const cl_context_properties *p, cl_uint n, const cl_device_id *d,
     void (CL_CALLBACK *f) (const char *, const void *, size_t, void *),
     void *u, cl_int *errcode), (p, n, d, f, u, errcode))
RETURNS_OBJECT (cl_command_queue, clCreateCommandQueue,
    (cl_context c, cl_device_id d, cl_command_queue_properties p,
     cl_int *errcode), (c, d, p, errcode))
RETURNS_OBJECT (cl_mem, clCreateBuffer,
    (cl_context c, cl_mem_flags f, size_t n, void *h, cl_int *errcode),
    (c, f, n, h, errcode))
RETURNS_OBJECT (cl_program, clCreateProgramWithSource,
    (cl_context c, cl_uint n, const char **s, const size_t *l,
     cl_int *errcode), (c, n, s, l, errcode))
RETURNS_OBJECT (cl_kernel, clCreateKernel,
    (cl_program p, const char *name, cl_int *errcode), (p, name, errcode))
RETURNS_OBJECT (void *, clEnqueueMapBuffer,
    (cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f, size_t o,
     size_t n, cl_uint w, const cl_event *l, cl_event *e, cl_int *errcode),
    (q, m, b, f, o, n, w, l, e, errcode))
RETURNS_CODE (clBuildProgram,
    (cl_program p, cl_uint n, const cl_device_id *d, const char *o,
     void (CL_CALLBACK *f) (cl_program, void *), void *u), (p, n, d, o, f, u))
RETURNS_CODE (clSetKernelArg,
    (cl_kernel k, cl_uint i, size_t n, const void *v), (k, i, n, v))
RETURNS_CODE (clEnqueueNDRangeKernel,
    (cl_command_queue q, cl_kernel k, cl_uint n, const size_t *o,
     const size_t *g, const size_t *l, cl_uint w, const cl_event *x,
     cl_event *e), (q, k, n, o, g, l, w, x, e))
RETURNS_CODE (clEnqueueReadBuffer,
    (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, void *p,
     cl_uint w, const cl_event *l, cl_event *e), (q, m, b, o, n, p, w, l, e))
RETURNS_CODE (clEnqueueWriteBuffer,
    (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n,
     const void *p, cl_uint w, const cl_event *l, cl_event *e),
    (q, m, b, o, n, p, w, l, e))
RETURNS_CODE (clEnqueueWriteBufferRect,
    (cl_command_queue q, cl_mem m, cl_bool b, const size_t *x,
     const size_t *y, const size_t *z, size_t r, size_t s, size_t t, size_t v,
     const void *p, cl_uint w, const cl_event *l, cl_event *e),
    (q, m, b, x, y, z, r, s, t, v, p, w, l, e))
RETURNS_CODE (clEnqueueUnmapMemObject,
    (cl_command_queue q, cl_mem m, void *p, cl_uint w, const cl_event *l,
     cl_event *e), (q, m, p, w, l, e))
RETURNS_CODE (clEnqueueCopyBuffer,
    (cl_command_queue q, cl_mem a, cl_mem b, size_t x, size_t y, size_t n,
     cl_uint w, const cl_event *l, cl_event *e), (q, a, b, x, y, n, w, l, e))
RETURNS_CODE (clEnqueueFillBuffer,
    (cl_command_queue q, cl_mem m, const void *p, size_t s, size_t o, size_t n,
     cl_uint w, const cl_event *l, cl_event *e), (q, m, p, s, o, n, w, l, e))
RETURNS_CODE (clEnqueueBarrierWithWaitList,
    (cl_command_queue q, cl_uint w, const cl_event *l, cl_event *e),
    (q, w, l, e))
RETURNS_CODE (clEnqueueMarkerWithWaitList,
    (cl_command_queue q, cl_uint w, const cl_event *l, cl_event *e),
    (q, w, l, e))
RETURNS_CODE (clFlush, (cl_command_queue q), (q))
RETURNS_CODE (clFinish, (cl_command_queue q), (q))
RETURNS_CODE (clWaitForEvents, (cl_uint n, const cl_event *e), (n, e))
/* clang-format on */

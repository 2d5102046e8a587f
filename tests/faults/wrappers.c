/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of OpenCL that precede the loader's in symbol resolution: the
 * plugin calls them, the driver does not. They are weak: a test that has a
 * function of its own replaces one of them. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "layer.h"
#include "objects.h"

#include "mocks/realfunction.h"

#define WEAK(name, ...) extern __typeof__ (name) name __attribute__ ((weak));
FAULT_ENTRY_POINTS (WEAK)

/* Defines the loader's function @name as `real`, and `verdict`: whether this
 * call fails. */
#define BEGIN(name)                                                            \
  __typeof__ (&name) real = REAL (name);                                       \
  const Verdict verdict = layer_enter (ENTRY_##name)

/* --- calls that only return a code ---------------------------------------- */

#define RETURNS_CODE(name, parameters, arguments)                              \
  cl_int name parameters                                                       \
  {                                                                            \
    BEGIN (name);                                                              \
    return verdict.fails ? verdict.code : real arguments;                      \
  }

/* clang-format off */
RETURNS_CODE (clBuildProgram,
    (cl_program p, cl_uint n, const cl_device_id *d, const char *o,
     void (CL_CALLBACK *f) (cl_program, void *), void *u), (p, n, d, o, f, u))
RETURNS_CODE (clFlush, (cl_command_queue q), (q))
RETURNS_CODE (clGetCommandQueueInfo,
    (cl_command_queue q, cl_command_queue_info i, size_t n, void *v,
     size_t *r), (q, i, n, v, r))
RETURNS_CODE (clGetContextInfo,
    (cl_context c, cl_context_info i, size_t n, void *v, size_t *r),
    (c, i, n, v, r))
RETURNS_CODE (clGetDeviceIDs,
    (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d,
     cl_uint *r), (p, t, n, d, r))
RETURNS_CODE (clGetDeviceInfo,
    (cl_device_id d, cl_device_info i, size_t n, void *v, size_t *r),
    (d, i, n, v, r))
RETURNS_CODE (clGetKernelInfo,
    (cl_kernel k, cl_kernel_info i, size_t n, void *v, size_t *r),
    (k, i, n, v, r))
RETURNS_CODE (clGetKernelWorkGroupInfo,
    (cl_kernel k, cl_device_id d, cl_kernel_work_group_info i, size_t n,
     void *v, size_t *r), (k, d, i, n, v, r))
RETURNS_CODE (clGetMemObjectInfo,
    (cl_mem m, cl_mem_info i, size_t n, void *v, size_t *r), (m, i, n, v, r))
RETURNS_CODE (clGetPlatformIDs,
    (cl_uint n, cl_platform_id *p, cl_uint *r), (n, p, r))
RETURNS_CODE (clGetPlatformInfo,
    (cl_platform_id p, cl_platform_info i, size_t n, void *v, size_t *r),
    (p, i, n, v, r))
RETURNS_CODE (clGetProgramBuildInfo,
    (cl_program p, cl_device_id d, cl_program_build_info i, size_t n, void *v,
     size_t *r), (p, d, i, n, v, r))
RETURNS_CODE (clGetProgramInfo,
    (cl_program p, cl_program_info i, size_t n, void *v, size_t *r),
    (p, i, n, v, r))
RETURNS_CODE (clSetKernelArg,
    (cl_kernel k, cl_uint i, size_t n, const void *v), (k, i, n, v))
/* clang-format on */

void *
clGetExtensionFunctionAddressForPlatform (cl_platform_id platform,
    const char *name)
{
  BEGIN (clGetExtensionFunctionAddressForPlatform);

  return verdict.fails ? NULL : real (platform, name);
}

/* --- objects ------------------------------------------------------------- */

#define CREATES(type, kind, name, parameters, arguments)                       \
  type name parameters                                                         \
  {                                                                            \
    type object = NULL;                                                        \
    BEGIN (name);                                                              \
    if (!verdict.fails)                                                        \
      object = real arguments;                                                 \
    else if (errcode)                                                          \
      *errcode = verdict.code;                                                 \
    objects_add (kind, object);                                                \
    return object;                                                             \
  }

#define RETAINS(type, kind, name)                                              \
  cl_int name (type object)                                                    \
  {                                                                            \
    cl_int code;                                                               \
    BEGIN (name);                                                              \
    code = verdict.fails ? verdict.code : real (object);                       \
    if (code == CL_SUCCESS)                                                    \
      objects_add (kind, object);                                              \
    return code;                                                               \
  }

/* Does not release an object that the plugin does not hold: the driver might
 * crash. */
#define RELEASES(type, kind, name, forget)                                     \
  cl_int name (type object)                                                    \
  {                                                                            \
    ObjectRelease release;                                                     \
    cl_int code = CL_INVALID_VALUE;                                            \
    BEGIN (name);                                                              \
    release = objects_remove (kind, object);                                   \
    if (release == OBJECT_LAST)                                                \
      forget;                                                                  \
    if (release != OBJECT_MISSING)                                             \
      code = real (object);                                                    \
    return verdict.fails ? verdict.code : code;                                \
  }

/* clang-format off */
CREATES (cl_context, OBJECT_CONTEXT, clCreateContext,
    (const cl_context_properties *p, cl_uint n, const cl_device_id *d,
     void (CL_CALLBACK *f) (const char *, const void *, size_t, void *),
     void *u, cl_int *errcode), (p, n, d, f, u, errcode))
CREATES (cl_command_queue, OBJECT_QUEUE, clCreateCommandQueue,
    (cl_context c, cl_device_id d, cl_command_queue_properties p,
     cl_int *errcode), (c, d, p, errcode))
CREATES (cl_mem, OBJECT_BUFFER, clCreateBuffer,
    (cl_context c, cl_mem_flags f, size_t n, void *h, cl_int *errcode),
    (c, f, n, h, errcode))
CREATES (cl_mem, OBJECT_BUFFER, clCreateBufferWithProperties,
    (cl_context c, const cl_mem_properties *p, cl_mem_flags f, size_t n,
     void *h, cl_int *errcode), (c, p, f, n, h, errcode))
CREATES (cl_mem, OBJECT_BUFFER, clCreateSubBuffer,
    (cl_mem m, cl_mem_flags f, cl_buffer_create_type t, const void *r,
     cl_int *errcode), (m, f, t, r, errcode))
CREATES (cl_program, OBJECT_PROGRAM, clCreateProgramWithSource,
    (cl_context c, cl_uint n, const char **s, const size_t *l,
     cl_int *errcode), (c, n, s, l, errcode))
CREATES (cl_program, OBJECT_PROGRAM, clCreateProgramWithBinary,
    (cl_context c, cl_uint n, const cl_device_id *d, const size_t *l,
     const unsigned char **b, cl_int *s, cl_int *errcode),
    (c, n, d, l, b, s, errcode))
CREATES (cl_kernel, OBJECT_KERNEL, clCreateKernel,
    (cl_program p, const char *name, cl_int *errcode), (p, name, errcode))
/* clang-format on */

RETAINS (cl_command_queue, OBJECT_QUEUE, clRetainCommandQueue)
RETAINS (cl_context, OBJECT_CONTEXT, clRetainContext)
RETAINS (cl_event, OBJECT_EVENT, clRetainEvent)
RETAINS (cl_mem, OBJECT_BUFFER, clRetainMemObject)

RELEASES (cl_command_queue, OBJECT_QUEUE, clReleaseCommandQueue,
    layer_forget_queue (object))
RELEASES (cl_context, OBJECT_CONTEXT, clReleaseContext, (void) 0)
RELEASES (cl_event, OBJECT_EVENT, clReleaseEvent, layer_forget_event (object))
RELEASES (cl_kernel, OBJECT_KERNEL, clReleaseKernel, (void) 0)
RELEASES (cl_mem, OBJECT_BUFFER, clReleaseMemObject, (void) 0)
RELEASES (cl_program, OBJECT_PROGRAM, clReleaseProgram, (void) 0)

/* --- commands ------------------------------------------------------------ */

/* Enqueues a marker in the place of a command that fails, with the same
 * dependencies and an event. Returns an OpenCL code. */
static cl_int
enqueue_nothing (cl_command_queue queue, cl_uint n, const cl_event *events,
    cl_event *event)
{
  return REAL (clEnqueueMarkerWithWaitList) (queue, n, events, event);
}

/* Returns the error of a command with @verdict that must not be enqueued;
 * CL_SUCCESS: the caller enqueues it. A blocking command returns the error that
 * the event of another command reports. */
static cl_int
refuse (const Verdict *verdict, cl_command_queue queue, cl_bool blocks)
{
  cl_int code = CL_SUCCESS;

  if (verdict->fails && verdict->kind == FAULT_CODE)
    return verdict->code;
  if (blocks)
    code = layer_queue_status (queue);
  if (blocks && verdict->fails)
    code = verdict->code;

  return code < 0 ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

/* Registers a command and its event if enqueueing it returned CL_SUCCESS as
 * @code. Returns @code. */
static cl_int
note_command (const Verdict *verdict, cl_command_queue queue, cl_uint n,
    const cl_event *events, cl_int code, cl_event *event)
{
  if (code != CL_SUCCESS)
    return code;

  if (event)
    objects_add (OBJECT_EVENT, *event);
  layer_add_command (queue, n, events,
      verdict->fails ? verdict->code : CL_SUCCESS, event ? *event : NULL);

  return CL_SUCCESS;
}

/* @parameters must include queue, n, events and event. */
#define ENQUEUES(name, blocks, parameters, arguments)                          \
  cl_int name parameters                                                       \
  {                                                                            \
    cl_int code;                                                               \
    BEGIN (name);                                                              \
    code = refuse (&verdict, queue, blocks);                                   \
    if (code != CL_SUCCESS)                                                    \
      return code;                                                             \
    code = verdict.fails ? enqueue_nothing (queue, n, events, event)           \
                         : real arguments;                                     \
    return note_command (&verdict, queue, n, events, code, event);             \
  }

/* clang-format off */
ENQUEUES (clEnqueueNDRangeKernel, CL_FALSE,
    (cl_command_queue queue, cl_kernel k, cl_uint dims, const size_t *o,
     const size_t *g, const size_t *l, cl_uint n, const cl_event *events,
     cl_event *event), (queue, k, dims, o, g, l, n, events, event))
ENQUEUES (clEnqueueReadBuffer, blocking,
    (cl_command_queue queue, cl_mem m, cl_bool blocking, size_t o, size_t size,
     void *p, cl_uint n, const cl_event *events, cl_event *event),
    (queue, m, blocking, o, size, p, n, events, event))
ENQUEUES (clEnqueueWriteBuffer, blocking,
    (cl_command_queue queue, cl_mem m, cl_bool blocking, size_t o, size_t size,
     const void *p, cl_uint n, const cl_event *events, cl_event *event),
    (queue, m, blocking, o, size, p, n, events, event))
ENQUEUES (clEnqueueWriteBufferRect, blocking,
    (cl_command_queue queue, cl_mem m, cl_bool blocking, const size_t *x,
     const size_t *y, const size_t *z, size_t r, size_t s, size_t t, size_t v,
     const void *p, cl_uint n, const cl_event *events, cl_event *event),
    (queue, m, blocking, x, y, z, r, s, t, v, p, n, events, event))
ENQUEUES (clEnqueueCopyBuffer, CL_FALSE,
    (cl_command_queue queue, cl_mem a, cl_mem b, size_t x, size_t y,
     size_t size, cl_uint n, const cl_event *events, cl_event *event),
    (queue, a, b, x, y, size, n, events, event))
ENQUEUES (clEnqueueCopyBufferRect, CL_FALSE,
    (cl_command_queue queue, cl_mem a, cl_mem b, const size_t *x,
     const size_t *y, const size_t *region, size_t ar, size_t as, size_t br,
     size_t bs, cl_uint n, const cl_event *events, cl_event *event),
    (queue, a, b, x, y, region, ar, as, br, bs, n, events, event))
ENQUEUES (clEnqueueFillBuffer, CL_FALSE,
    (cl_command_queue queue, cl_mem m, const void *p, size_t s, size_t o,
     size_t size, cl_uint n, const cl_event *events, cl_event *event),
    (queue, m, p, s, o, size, n, events, event))
ENQUEUES (clEnqueueBarrierWithWaitList, CL_FALSE,
    (cl_command_queue queue, cl_uint n, const cl_event *events,
     cl_event *event), (queue, n, events, event))
ENQUEUES (clEnqueueMarkerWithWaitList, CL_FALSE,
    (cl_command_queue queue, cl_uint n, const cl_event *events,
     cl_event *event), (queue, n, events, event))
/* clang-format on */

void *
clEnqueueMapBuffer (cl_command_queue queue, cl_mem mem, cl_bool blocking,
    cl_map_flags flags, size_t offset, size_t size, cl_uint n,
    const cl_event *events, cl_event *event, cl_int *errcode)
{
  void *data = NULL;
  cl_int code;
  BEGIN (clEnqueueMapBuffer);

  if (verdict.fails && verdict.kind == FAULT_NULL)
    code = CL_SUCCESS;
  else
    code = refuse (&verdict, queue, blocking);
  if (code == CL_SUCCESS && !verdict.fails)
    data = real (queue, mem, blocking, flags, offset, size, n, events, event,
        &code);
  if (data) {
    objects_add (OBJECT_MAPPING, mem);
    note_command (&verdict, queue, n, events, code, event);
  }
  if (errcode)
    *errcode = code;

  return data;
}

/* Unmaps even if the call fails: the plugin cannot repeat it. */
cl_int
clEnqueueUnmapMemObject (cl_command_queue queue, cl_mem mem, void *data,
    cl_uint n, const cl_event *events, cl_event *event)
{
  cl_int code = CL_INVALID_VALUE;
  BEGIN (clEnqueueUnmapMemObject);

  if (objects_remove (OBJECT_MAPPING, mem) != OBJECT_MISSING)
    code = real (queue, mem, data, n, events,
        verdict.fails && verdict.kind == FAULT_CODE ? NULL : event);
  if (verdict.fails && verdict.kind == FAULT_CODE)
    return verdict.code;

  return note_command (&verdict, queue, n, events, code, event);
}

/* --- completion of commands ----------------------------------------------- */

cl_int
clFinish (cl_command_queue queue)
{
  cl_int code;
  BEGIN (clFinish);

  if (verdict.fails)
    return layer_note_finish (verdict.code);
  code = real (queue);

  return layer_note_finish (
      layer_queue_status (queue) < 0 ? CL_OUT_OF_RESOURCES : code);
}

cl_int
clWaitForEvents (cl_uint n, const cl_event *events)
{
  cl_int code;
  BEGIN (clWaitForEvents);

  if (verdict.fails)
    return verdict.code;

  code = real (n, events);
  for (cl_uint i = 0; i < n && code == CL_SUCCESS; i++) {
    if (layer_event_status (events[i]) < 0)
      code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }

  return code;
}

cl_int
clGetEventInfo (cl_event event, cl_event_info info, size_t size, void *value,
    size_t *size_ret)
{
  cl_int code;
  BEGIN (clGetEventInfo);

  if (verdict.fails)
    return verdict.code;

  code = real (event, info, size, value, size_ret);
  if (code == CL_SUCCESS && info == CL_EVENT_COMMAND_EXECUTION_STATUS &&
      value && *(cl_int *) value == CL_COMPLETE)
    *(cl_int *) value = layer_event_status (event);

  return code;
}

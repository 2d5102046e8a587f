/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a device compute wrong results without any error: a library for
 * LD_PRELOAD.
 *
 * environment:
 *   CL_WRONG  lane: one bit of a launch's output is flipped
 *             launch: nothing is launched
 *             stale: reads and maps return the earlier contents
 *             early: no queue waits for another one, whose kernels and fills
 *               begin once a read of the first has ended, or the host waits for
 *               them
 *             crash, kill: the creation of a kernel ends the process, as an
 *               error of the driver's compiler does, or as a user does
 *             crash-late: the launch of a kernel ends the process
 *   CL_WRONG_KERNEL    part of the names of the kernels that all but stale
 *                      apply to (default: all)
 *   CL_WRONG_PLATFORM  the name of all platforms
 *   CL_WRONG_FIRST     1: only launches on the first device of a platform */

#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include "mocks/realfunction.h"

#include <CL/cl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BUFFERS 4096
#define MAX_KERNELS 256
#define MAX_ARGS    40
#define MAX_GATES   1024
#define N_POLLS     20 /* consecutive polls that count as a wait of the host */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* lock */
static struct {
  cl_mem mem;
  size_t n_bytes;
  unsigned char *before; /* contents at the last map; NULL: there was none */
} buffers[MAX_BUFFERS];
static int n_buffers;
static struct {
  cl_kernel kernel;
  cl_mem args[MAX_ARGS]; /* NULL: no buffer */
} kernels[MAX_KERNELS];
static int n_kernels;
static struct {
  cl_command_queue queue; /* of the kernel that waits for the gate */
  cl_event gate;
} gates[MAX_GATES];
static int n_gates;

static int
is_wrong (const char *what)
{
  const char *wrong = getenv ("CL_WRONG");

  return wrong && strcmp (wrong, what) == 0;
}

/* --- objects -------------------------------------------------------------- */

/* lock held; -1: no buffer */
static int
find_buffer (cl_mem mem)
{
  for (int i = n_buffers - 1; i >= 0; i--) {
    if (buffers[i].mem == mem)
      return i;
  }

  return -1;
}

cl_mem
clCreateBuffer (cl_context context, cl_mem_flags flags, size_t n_bytes,
    void *host_ptr, cl_int *errcode)
{
  const cl_mem mem = REAL (
      clCreateBuffer) (context, flags, n_bytes, host_ptr, errcode);

  pthread_mutex_lock (&lock);
  if (mem && n_buffers < MAX_BUFFERS) {
    buffers[n_buffers].mem = mem;
    buffers[n_buffers].n_bytes = n_bytes;
    buffers[n_buffers++].before = NULL;
  }
  pthread_mutex_unlock (&lock);

  return mem;
}

/* lock held; NULL: too many */
static cl_mem *
find_args (cl_kernel kernel)
{
  for (int i = 0; i < n_kernels; i++) {
    if (kernels[i].kernel == kernel)
      return kernels[i].args;
  }
  if (n_kernels == MAX_KERNELS)
    return NULL;
  kernels[n_kernels].kernel = kernel;

  return kernels[n_kernels++].args;
}

cl_int
clSetKernelArg (cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
  cl_mem mem = NULL;
  cl_mem *args;

  if (value && size == sizeof mem)
    memcpy (&mem, value, sizeof mem);
  pthread_mutex_lock (&lock);
  args = find_args (kernel);
  if (args && index < MAX_ARGS)
    args[index] = mem && find_buffer (mem) >= 0 ? mem : NULL;
  pthread_mutex_unlock (&lock);

  return REAL (clSetKernelArg) (kernel, index, size, value);
}

/* --- platforms ----------------------------------------------------------- */

cl_int
clGetPlatformInfo (cl_platform_id platform, cl_platform_info info,
    size_t n_bytes, void *value, size_t *n_needed)
{
  const char *name = getenv ("CL_WRONG_PLATFORM");

  if (!name || info != CL_PLATFORM_NAME)
    return REAL (clGetPlatformInfo) (platform, info, n_bytes, value, n_needed);

  if (n_needed)
    *n_needed = strlen (name) + 1;
  if (value && n_bytes > strlen (name))
    strcpy (value, name);

  return CL_SUCCESS;
}

/* --- kernels ------------------------------------------------------------- */

cl_kernel
clCreateKernel (cl_program program, const char *name, cl_int *errcode)
{
  const char *part = getenv ("CL_WRONG_KERNEL");

  if (!part || strstr (name, part)) {
    if (is_wrong ("crash"))
      abort ();
    if (is_wrong ("kill"))
      raise (SIGKILL);
  }

  return REAL (clCreateKernel) (program, name, errcode);
}

static int
is_on_first (cl_command_queue queue)
{
  cl_device_id device = NULL, first = NULL;
  cl_platform_id platform = NULL;

  clGetCommandQueueInfo (queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
  clGetDeviceInfo (device, CL_DEVICE_PLATFORM, sizeof platform, &platform,
      NULL);
  clGetDeviceIDs (platform, CL_DEVICE_TYPE_ALL, 1, &first, NULL);

  return device == first;
}

static int
is_concerned (cl_command_queue queue, cl_kernel kernel)
{
  const char *part = getenv ("CL_WRONG_KERNEL");
  char name[256] = "";

  if (getenv ("CL_WRONG_FIRST") && !is_on_first (queue))
    return 0;

  clGetKernelInfo (kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);

  return !part || strstr (name, part) != NULL;
}

/* Replaces a command that is omitted. */
static cl_int
enqueue_nothing (cl_command_queue queue, cl_uint n, const cl_event *list,
    cl_event *event)
{
  return event ? clEnqueueMarkerWithWaitList (queue, n, list, event)
               : CL_SUCCESS;
}

/* The buffers of a launch, before and after it. */
typedef struct {
  cl_mem mem;
  size_t n_bytes;
  unsigned char *bytes;
} Copy;

static int
copy_buffers (cl_command_queue queue, cl_kernel kernel, Copy *copies)
{
  int n = 0;
  cl_mem *args;

  pthread_mutex_lock (&lock);
  args = find_args (kernel);
  for (int i = 0; args && i < MAX_ARGS; i++) {
    const int at = args[i] ? find_buffer (args[i]) : -1;

    if (at >= 0)
      copies[n++] = (Copy){ args[i], buffers[at].n_bytes, NULL };
  }
  pthread_mutex_unlock (&lock);

  for (int i = 0; i < n; i++) {
    copies[i].bytes = calloc (1, copies[i].n_bytes + 1);
    REAL (clEnqueueReadBuffer)
    (queue, copies[i].mem, CL_TRUE, 0, copies[i].n_bytes, copies[i].bytes, 0,
        NULL, NULL);
  }

  return n;
}

/* Flips a bit in the middle of the changed bytes. */
static void
turn_bit (cl_command_queue queue, const Copy *before, const Copy *after)
{
  size_t n_changed = 0, n = 0;

  for (size_t i = 0; i < before->n_bytes; i++)
    n_changed += before->bytes[i] != after->bytes[i];
  for (size_t i = 0; i < before->n_bytes; i++) {
    if (before->bytes[i] != after->bytes[i] && n++ == n_changed / 2) {
      after->bytes[i] ^= 1;
      REAL (clEnqueueWriteBuffer)
      (queue, after->mem, CL_TRUE, i, 1, &after->bytes[i], 0, NULL, NULL);
    }
  }
}

/* --- gates --------------------------------------------------------------- */

/* transfer full: an event that open_gates() completes; NULL: too many. */
static cl_event
close_gate (cl_command_queue queue)
{
  cl_context context = NULL;
  cl_event gate = NULL;

  clGetCommandQueueInfo (queue, CL_QUEUE_CONTEXT, sizeof context, &context,
      NULL);
  pthread_mutex_lock (&lock);
  if (n_gates < MAX_GATES)
    gate = clCreateUserEvent (context, NULL);
  if (gate) {
    clRetainEvent (gate);
    gates[n_gates].queue = queue;
    gates[n_gates++].gate = gate;
  }
  pthread_mutex_unlock (&lock);

  return gate;
}

/* Returns whether a kernel of @queue waits. */
static int
is_gated (cl_command_queue queue)
{
  int found = 0;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_gates; i++)
    found |= gates[i].queue == queue;
  pthread_mutex_unlock (&lock);

  return found;
}

static void
open_gates (void)
{
  cl_event gate;

  do {
    pthread_mutex_lock (&lock);
    gate = n_gates > 0 ? gates[--n_gates].gate : NULL;
    pthread_mutex_unlock (&lock);
    if (gate) {
      clSetUserEventStatus (gate, CL_COMPLETE);
      clReleaseEvent (gate);
    }
  } while (gate);
}

cl_int
clWaitForEvents (cl_uint n, const cl_event *list)
{
  open_gates ();

  return REAL (clWaitForEvents) (n, list);
}

cl_int
clFinish (cl_command_queue queue)
{
  if (is_gated (queue))
    open_gates ();

  return REAL (clFinish) (queue);
}

/* A caller that polls a command once or twice does not wait for it. */
cl_int
clGetEventInfo (cl_event event, cl_event_info name, size_t size, void *value,
    size_t *size_ret)
{
  static cl_event asked;
  static int n_times;
  int is_wait;

  pthread_mutex_lock (&lock);
  n_times = event == asked ? n_times + 1 : 1;
  asked = event;
  is_wait = n_times >= N_POLLS;
  pthread_mutex_unlock (&lock);
  if (is_wait)
    open_gates ();

  return REAL (clGetEventInfo) (event, name, size, value, size_ret);
}

cl_int
clSetEventCallback (cl_event event, cl_int type,
    void (CL_CALLBACK *notify) (cl_event, cl_int, void *), void *data)
{
  open_gates ();

  return REAL (clSetEventCallback) (event, type, notify, data);
}

/* --- launches ------------------------------------------------------------ */

cl_int
clEnqueueNDRangeKernel (cl_command_queue queue, cl_kernel kernel, cl_uint n,
    const size_t *offset, const size_t *global, const size_t *local,
    cl_uint n_list, const cl_event *list, cl_event *event)
{
  Copy before[MAX_ARGS], after[MAX_ARGS];
  cl_int code;
  int n_copies;

  if (!is_concerned (queue, kernel))
    return REAL (clEnqueueNDRangeKernel) (queue, kernel, n, offset, global,
        local, n_list, list, event);
  if (is_wrong ("crash-late"))
    abort ();
  if (is_wrong ("launch"))
    return enqueue_nothing (queue, n_list, list, event);
  if (is_wrong ("early")) {
    cl_event gate = close_gate (queue);

    code = REAL (clEnqueueNDRangeKernel) (queue, kernel, n, offset, global,
        local, gate ? 1 : 0, gate ? &gate : NULL, event);
    if (gate)
      clReleaseEvent (gate);
    return code;
  }
  if (!is_wrong ("lane"))
    return REAL (clEnqueueNDRangeKernel) (queue, kernel, n, offset, global,
        local, n_list, list, event);

  if (n_list > 0)
    clWaitForEvents (n_list, list);
  n_copies = copy_buffers (queue, kernel, before);
  code = REAL (clEnqueueNDRangeKernel) (queue, kernel, n, offset, global, local,
      0, NULL, event);
  clFinish (queue);
  copy_buffers (queue, kernel, after);
  for (int i = 0; i < n_copies; i++) {
    turn_bit (queue, &before[i], &after[i]);
    free (before[i].bytes);
    free (after[i].bytes);
  }

  return code;
}

cl_int
clEnqueueFillBuffer (cl_command_queue queue, cl_mem mem, const void *pattern,
    size_t pattern_size, size_t offset, size_t n_bytes, cl_uint n_list,
    const cl_event *list, cl_event *event)
{
  cl_event gate = is_wrong ("early") ? close_gate (queue) : NULL;
  cl_int code;

  if (!gate)
    return REAL (clEnqueueFillBuffer) (queue, mem, pattern, pattern_size,
        offset, n_bytes, n_list, list, event);

  code = REAL (clEnqueueFillBuffer) (queue, mem, pattern, pattern_size, offset,
      n_bytes, 1, &gate, event);
  clReleaseEvent (gate);

  return code;
}

/* --- transfers ----------------------------------------------------------- */

cl_int
clEnqueueReadBuffer (cl_command_queue queue, cl_mem mem, cl_bool blocking,
    size_t offset, size_t n_bytes, void *data, cl_uint n_list,
    const cl_event *list, cl_event *event)
{
  if (is_wrong ("stale"))
    return enqueue_nothing (queue, n_list, list, event);
  if (is_wrong ("early") && !is_gated (queue)) {
    const cl_int code = REAL (clEnqueueReadBuffer) (queue, mem, CL_TRUE, offset,
        n_bytes, data, 0, NULL, event);

    open_gates ();
    return code;
  }
  if (blocking)
    open_gates ();

  return REAL (clEnqueueReadBuffer) (queue, mem, blocking, offset, n_bytes,
      data, n_list, list, event);
}

cl_int
clEnqueueWriteBuffer (cl_command_queue queue, cl_mem mem, cl_bool blocking,
    size_t offset, size_t n_bytes, const void *data, cl_uint n_list,
    const cl_event *list, cl_event *event)
{
  if (blocking && is_gated (queue))
    open_gates ();

  return REAL (clEnqueueWriteBuffer) (queue, mem, blocking, offset, n_bytes,
      data, n_list, list, event);
}

cl_int
clEnqueueBarrierWithWaitList (cl_command_queue queue, cl_uint n_list,
    const cl_event *list, cl_event *event)
{
  if (is_wrong ("early"))
    n_list = 0;

  return REAL (clEnqueueBarrierWithWaitList) (queue, n_list,
      n_list ? list : NULL, event);
}

/* Returns the bytes of the last map; the bytes of this map are returned by the
 * next. */
static void *
map_stale (cl_mem mem, size_t offset, const void *found, size_t n_bytes)
{
  unsigned char *stale = calloc (1, n_bytes + 1);
  int at;

  pthread_mutex_lock (&lock);
  at = find_buffer (mem);
  if (at >= 0 && !buffers[at].before)
    buffers[at].before = calloc (1, buffers[at].n_bytes + 1);
  if (at >= 0) {
    memcpy (stale, buffers[at].before + offset, n_bytes);
    memcpy (buffers[at].before + offset, found, n_bytes);
  }
  pthread_mutex_unlock (&lock);

  return stale;
}

void *
clEnqueueMapBuffer (cl_command_queue queue, cl_mem mem, cl_bool blocking,
    cl_map_flags flags, size_t offset, size_t n_bytes, cl_uint n_list,
    const cl_event *list, cl_event *event, cl_int *errcode)
{
  const int is_stale = is_wrong ("stale") && flags == CL_MAP_READ;
  void *data, *stale;

  if (is_gated (queue))
    open_gates ();
  data = REAL (clEnqueueMapBuffer) (queue, mem, blocking || is_stale, flags,
      offset, n_bytes, n_list, list, event, errcode);
  if (!data || !is_stale)
    return data;

  stale = map_stale (mem, offset, data, n_bytes);
  clEnqueueUnmapMemObject (queue, mem, data, 0, NULL, NULL);

  return stale;
}

cl_int
clEnqueueUnmapMemObject (cl_command_queue queue, cl_mem mem, void *data,
    cl_uint n_list, const cl_event *list, cl_event *event)
{
  const cl_int code = REAL (
      clEnqueueUnmapMemObject) (queue, mem, data, n_list, list, event);

  /* the memory of map_stale() is no map of the driver */
  return code == CL_INVALID_VALUE && is_wrong ("stale")
             ? enqueue_nothing (queue, n_list, list, event)
             : code;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A broken OpenCL platform, loaded by the loader (cl_khr_icd).
 *
 * environment:
 *   CL_BROKEN  crash: the process crashes when the platform is loaded;
 *              platform: no device is listed; device: the queries of the device
 *              fail; unavailable: the device is not available; compiler: it has
 *              no compiler; version: it has OpenCL 1.1; language: it has OpenCL
 *              1.2, and compiles OpenCL C 1.1; context: no context can be
 *              created; build: no program compiles; program: only probe.cl
 *              compiles; lost: the device is lost when the first program is
 *              compiled */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* Objects start with the dispatch table of the loader. */
struct _cl_platform_id {
  cl_icd_dispatch *dispatch;
};

struct _cl_device_id {
  cl_icd_dispatch *dispatch;
};

struct _cl_context {
  cl_icd_dispatch *dispatch;
};

struct _cl_command_queue {
  cl_icd_dispatch *dispatch;
};

struct _cl_program {
  cl_icd_dispatch *dispatch;
};

struct _cl_kernel {
  cl_icd_dispatch *dispatch;
};

/* One object of each kind is enough: nothing is ever computed. */
static cl_icd_dispatch dispatch;
static struct _cl_platform_id platform = { &dispatch };
static struct _cl_device_id device = { &dispatch };
static struct _cl_context context = { &dispatch };
static struct _cl_command_queue queue = { &dispatch };
static struct _cl_program probe = { &dispatch };
static struct _cl_program program = { &dispatch };
static struct _cl_kernel kernel = { &dispatch };

static int
is_broken (const char *what)
{
  const char *broken = getenv ("CL_BROKEN");

  return broken && strcmp (broken, what) == 0;
}

/* Answers a clGet...Info() call with @n bytes at @data. */
static cl_int
answer (const void *data, size_t n, size_t size, void *value, size_t *size_ret)
{
  if (size_ret)
    *size_ret = n;
  if (value && size < n)
    return CL_INVALID_VALUE;
  if (value)
    memcpy (value, data, n);

  return CL_SUCCESS;
}

static cl_int
answer_text (const char *text, size_t size, void *value, size_t *size_ret)
{
  return answer (text, strlen (text) + 1, size, value, size_ret);
}

static cl_int CL_API_CALL
get_platform_info (cl_platform_id id, cl_platform_info info, size_t size,
    void *value, size_t *size_ret)
{
  switch (info) {
    case CL_PLATFORM_VERSION:
      return answer_text ("OpenCL 1.2 broken", size, value, size_ret);
    case CL_PLATFORM_EXTENSIONS:
      return answer_text ("cl_khr_icd", size, value, size_ret);
    case 0x0920: /* CL_PLATFORM_ICD_SUFFIX_KHR */
      return answer_text ("BROKEN", size, value, size_ret);
    default:
      return answer_text ("Broken", size, value, size_ret);
  }
}

static cl_int CL_API_CALL
get_device_ids (cl_platform_id id, cl_device_type type, cl_uint n,
    cl_device_id *ids, cl_uint *n_ret)
{
  if (is_broken ("platform"))
    return CL_OUT_OF_HOST_MEMORY;

  if (n_ret)
    *n_ret = 1;
  if (ids && n > 0)
    ids[0] = &device;

  return CL_SUCCESS;
}

static cl_int CL_API_CALL
get_device_info (cl_device_id id, cl_device_info info, size_t size, void *value,
    size_t *size_ret)
{
  const cl_device_type type = CL_DEVICE_TYPE_GPU;
  const cl_bool available = !is_broken ("unavailable");
  const cl_bool compiler = !is_broken ("compiler");
  const cl_ulong many = 1 << 30;

  switch (info) {
    case CL_DEVICE_NAME:
      return answer_text ("Broken GPU", size, value, size_ret);
    case CL_DEVICE_VERSION:
      return answer_text (is_broken ("version") ? "OpenCL 1.1 Broken"
                                                : "OpenCL 1.2 Broken",
          size, value, size_ret);
    case CL_DEVICE_OPENCL_C_VERSION:
      return answer_text (is_broken ("version") || is_broken ("language")
                              ? "OpenCL C 1.1 "
                              : "OpenCL C 1.2 ",
          size, value, size_ret);
    case CL_DRIVER_VERSION:
      return answer_text ("1", size, value, size_ret);
    default:
      break;
  }
  if (is_broken ("device"))
    return CL_OUT_OF_RESOURCES;

  switch (info) {
    case CL_DEVICE_TYPE:
      return answer (&type, sizeof type, size, value, size_ret);
    case CL_DEVICE_AVAILABLE:
      return answer (&available, sizeof available, size, value, size_ret);
    case CL_DEVICE_COMPILER_AVAILABLE:
      return answer (&compiler, sizeof compiler, size, value, size_ret);
    case 0x106A: /* CL_DEVICE_UUID_KHR: not supported */
      return CL_INVALID_VALUE;
    default: /* numbers of four or eight bytes */
      return answer (&many, value ? size : sizeof many, size, value, size_ret);
  }
}

static cl_context CL_API_CALL
create_context (const cl_context_properties *properties, cl_uint n,
    const cl_device_id *ids,
    void (CL_CALLBACK *notify) (const char *, const void *, size_t, void *),
    void *user_data, cl_int *code)
{
  const int works = is_broken ("build") || is_broken ("program") ||
                    is_broken ("lost");

  if (code)
    *code = works ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE;

  return works ? &context : NULL;
}

static cl_int CL_API_CALL
release_context (cl_context id)
{
  return CL_SUCCESS;
}

static cl_command_queue CL_API_CALL
create_queue (cl_context id, cl_device_id on,
    cl_command_queue_properties properties, cl_int *code)
{
  if (code)
    *code = CL_SUCCESS;

  return &queue;
}

/* Retain, release, flush and finish. */
static cl_int CL_API_CALL
use_queue (cl_command_queue id)
{
  return is_broken ("lost") ? CL_DEVICE_NOT_AVAILABLE : CL_SUCCESS;
}

/* No command runs on the device. */
static cl_int CL_API_CALL
enqueue_marker (cl_command_queue id, cl_uint n, const cl_event *waits,
    cl_event *event)
{
  return CL_OUT_OF_RESOURCES;
}

/* --- programs ------------------------------------------------------------ */

/* Lines of the last program: the compiler complains about the last one, by its
 * number in the whole text, as NVIDIA's does. */
static unsigned n_lines;

static cl_program CL_API_CALL
create_program (cl_context id, cl_uint n, const char **texts,
    const size_t *lengths, cl_int *code)
{
  int is_probe = 0;

  n_lines = 0;
  for (cl_uint i = 0; i < n; i++) {
    is_probe |= strstr (texts[i], "#line 1 \"probe/probe.cl\"") != NULL;
    for (const char *at = texts[i]; (at = strchr (at, '\n')); at++)
      n_lines++;
  }
  if (code)
    *code = CL_SUCCESS;

  return is_probe ? &probe : &program;
}

static cl_int CL_API_CALL
build_program (cl_program id, cl_uint n, const cl_device_id *ids,
    const char *options, void (CL_CALLBACK *notify) (cl_program, void *),
    void *user_data)
{
  if (is_broken ("lost"))
    return CL_DEVICE_NOT_AVAILABLE;

  return is_broken ("program") && id == &probe ? CL_SUCCESS
                                               : CL_BUILD_PROGRAM_FAILURE;
}

static cl_int CL_API_CALL
get_build_info (cl_program id, cl_device_id on, cl_program_build_info info,
    size_t size, void *value, size_t *size_ret)
{
  char text[100];

  snprintf (text, sizeof text,
      "<kernel>:%u:5: error: words of the broken compiler", n_lines);

  return answer_text (text, size, value, size_ret);
}

/* Binaries are not available. */
static cl_int CL_API_CALL
get_program_info (cl_program id, cl_program_info info, size_t size, void *value,
    size_t *size_ret)
{
  return CL_INVALID_VALUE;
}

static cl_int CL_API_CALL
release_program (cl_program id)
{
  return CL_SUCCESS;
}

static cl_kernel CL_API_CALL
create_kernel (cl_program id, const char *name, cl_int *code)
{
  if (code)
    *code = CL_SUCCESS;

  return &kernel;
}

static cl_int CL_API_CALL
release_kernel (cl_kernel id)
{
  return CL_SUCCESS;
}

/* --- loading ------------------------------------------------------------- */

cl_int CL_API_CALL
clIcdGetPlatformIDsKHR (cl_uint n, cl_platform_id *ids, cl_uint *n_ret)
{
  if (is_broken ("crash"))
    abort ();
  dispatch.clGetPlatformInfo = get_platform_info;
  dispatch.clGetDeviceIDs = get_device_ids;
  dispatch.clGetDeviceInfo = get_device_info;
  dispatch.clCreateContext = create_context;
  dispatch.clReleaseContext = release_context;
  dispatch.clCreateCommandQueue = create_queue;
  dispatch.clRetainCommandQueue = use_queue;
  dispatch.clReleaseCommandQueue = use_queue;
  dispatch.clFlush = use_queue;
  dispatch.clFinish = use_queue;
  dispatch.clEnqueueMarkerWithWaitList = enqueue_marker;
  dispatch.clCreateProgramWithSource = create_program;
  dispatch.clBuildProgram = build_program;
  dispatch.clGetProgramBuildInfo = get_build_info;
  dispatch.clGetProgramInfo = get_program_info;
  dispatch.clReleaseProgram = release_program;
  dispatch.clCreateKernel = create_kernel;
  dispatch.clReleaseKernel = release_kernel;
  if (n_ret)
    *n_ret = 1;
  if (ids && n > 0)
    ids[0] = &platform;

  return CL_SUCCESS;
}

void *CL_API_CALL
clGetExtensionFunctionAddress (const char *name)
{
  return strcmp (name, "clIcdGetPlatformIDsKHR") == 0
             ? (void *) clIcdGetPlatformIDsKHR
             : NULL;
}

/* Some loaders look up this name. */
cl_int CL_API_CALL
clGetPlatformInfo (cl_platform_id id, cl_platform_info info, size_t size,
    void *value, size_t *size_ret)
{
  return get_platform_info (id, info, size, value, size_ret);
}

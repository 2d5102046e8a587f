/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An OpenCL platform that does not work, as the loader (cl_khr_icd) loads it.
 *
 * environment:
 *   CL_BROKEN  platform: it lists no device; device: its device does not describe
 *              itself; unavailable: it says so; compiler: it has none; version:
 *              it is of OpenCL 1.1; language: it is of OpenCL 1.2, but compiles
 *              OpenCL C 1.1; context: it cannot be opened */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>
#include <stdlib.h>
#include <string.h>

/* Objects start with the table by which the loader calls us. */
struct _cl_platform_id {
  cl_icd_dispatch *dispatch;
};

struct _cl_device_id {
  cl_icd_dispatch *dispatch;
};

static cl_icd_dispatch dispatch;
static struct _cl_platform_id platform = { &dispatch };
static struct _cl_device_id device = { &dispatch };

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
    case 0x106A: /* CL_DEVICE_UUID_KHR: it has none */
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
  if (code)
    *code = CL_DEVICE_NOT_AVAILABLE;

  return NULL;
}

cl_int CL_API_CALL
clIcdGetPlatformIDsKHR (cl_uint n, cl_platform_id *ids, cl_uint *n_ret)
{
  dispatch.clGetPlatformInfo = get_platform_info;
  dispatch.clGetDeviceIDs = get_device_ids;
  dispatch.clGetDeviceInfo = get_device_info;
  dispatch.clCreateContext = create_context;
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

/* Some loaders ask by this name. */
cl_int CL_API_CALL
clGetPlatformInfo (cl_platform_id id, cl_platform_info info, size_t size,
    void *value, size_t *size_ret)
{
  return get_platform_info (id, info, size, value, size_ret);
}

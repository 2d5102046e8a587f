/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An OpenCL device that imports dma_bufs and memory of the mock CUDA driver. */

#define _GNU_SOURCE /* RTLD_NEXT */
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300

#include "mocks/external.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mocks/cuda.h"
#include "mocks/hostbuffers.h"
#include "mocks/realfunction.h"

#define DEVICE_HANDLE_LIST 0x2051 /* by other names in older headers */

static gint fault;        /* atomic */
static gint n_acquired;   /* atomic */
static gint n_held;       /* atomic */
static gint n_together;   /* atomic */
static gint is_gpu;       /* atomic */
static gint has_reported; /* atomic: the device reports itself as a GPU */

void
external_set_fault (ExternalFault what)
{
  g_atomic_int_set (&fault, what);
}

static gboolean
has_fault (ExternalFault what)
{
  return g_atomic_int_get (&fault) == (gint) what;
}

gint
external_n_acquired (void)
{
  return g_atomic_int_get (&n_acquired);
}

gint
external_n_held (void)
{
  return g_atomic_int_get (&n_held);
}

gint
external_n_acquired_together (void)
{
  return g_atomic_int_get (&n_together);
}

void
external_report_cpu_as_gpu (void)
{
  g_atomic_int_set (&is_gpu, TRUE);
}

gboolean
external_has_reported_gpu (void)
{
  return g_atomic_int_get (&has_reported);
}

/* --- calls that fail ------------------------------------------------------ */

static GMutex failure_lock; /* all below */
static ExternalCall failing_call;
static cl_int failure_code;
static guint n_before_failure;

void
external_set_failure (ExternalCall call, gint code, guint n_before)
{
  g_mutex_lock (&failure_lock);
  failing_call = call;
  failure_code = code;
  n_before_failure = n_before;
  g_mutex_unlock (&failure_lock);
}

/* Returns what @call must return instead of calling the driver; CL_SUCCESS: it
 * calls the driver. */
static cl_int
find_failure (ExternalCall call)
{
  static const struct {
    ExternalFault fault;
    ExternalCall call;
    cl_int code;
  } faults[] = {
    { EXTERNAL_IMPORTS_FAIL, EXTERNAL_CREATE, CL_INVALID_VALUE },
    { EXTERNAL_ACQUIRES_FAIL, EXTERNAL_ACQUIRE, CL_INVALID_MEM_OBJECT },
    { EXTERNAL_COPIES_FAIL, EXTERNAL_COPY, CL_MEM_COPY_OVERLAP },
  };
  cl_int code = CL_SUCCESS;

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    if (faults[i].call == call && has_fault (faults[i].fault))
      return faults[i].code;
  }

  g_mutex_lock (&failure_lock);
  if (failing_call == call && n_before_failure-- == 0) {
    code = failure_code;
    failing_call = EXTERNAL_NO_CALL;
  }
  g_mutex_unlock (&failure_lock);

  return code;
}

gboolean
external_has_failed (void)
{
  gboolean has_failed;

  g_mutex_lock (&failure_lock);
  has_failed = failing_call == EXTERNAL_NO_CALL;
  g_mutex_unlock (&failure_lock);

  return has_failed;
}

/* --- memory in use ------------------------------------------------------- */

/* CUDA memory, or a dma_buf, in OpenCL. */
typedef struct {
  gpointer data;
  size_t size;
  gpointer bytes; /* of the OpenCL buffer: data, or a copy of a dma_buf */
  guint64 file;   /* its inode */
  cl_mem mem;
  gboolean is_held;
  cl_event released; /* NULL: not yet released */
} Mapping;

static GMutex mappings_lock;
static GList *mappings; /* of Mapping */

/* mappings_lock held */
static Mapping *
find_mapping (cl_mem mem, guint64 file)
{
  for (GList *item = mappings; item; item = item->next) {
    Mapping *mapping = item->data;

    if (mapping->mem == mem || mapping->file == file)
      return mapping;
  }

  return NULL;
}

guint
external_n_imports (void)
{
  guint n = 0;

  g_mutex_lock (&mappings_lock);
  for (GList *item = mappings; item; item = item->next) {
    if (host_buffers_is_referenced (((const Mapping *) item->data)->mem))
      n++;
  }
  g_mutex_unlock (&mappings_lock);

  return n;
}

static gboolean
is_done (cl_event event)
{
  cl_int status = CL_QUEUED;

  return !event ||
         clGetEventInfo (event, CL_EVENT_COMMAND_EXECUTION_STATUS,
             sizeof status, &status, NULL) != CL_SUCCESS ||
         status <= CL_COMPLETE;
}

gboolean
external_is_free (guint64 file)
{
  const Mapping *mapping;
  gboolean is_free;

  g_mutex_lock (&mappings_lock);
  mapping = find_mapping (NULL, file);
  is_free = !mapping || (!mapping->is_held && is_done (mapping->released));
  g_mutex_unlock (&mappings_lock);

  return is_free;
}

static cl_int
acquire (cl_command_queue queue, cl_uint n, const cl_mem *mems, cl_uint n_waits,
    const cl_event *waits, cl_event *event)
{
  const cl_int failure = find_failure (EXTERNAL_ACQUIRE);

  if (failure != CL_SUCCESS)
    return failure;

  g_mutex_lock (&mappings_lock);
  for (cl_uint i = 0; i < n; i++) {
    Mapping *mapping = find_mapping (mems[i], 0);

    g_assert (!mapping->is_held);
    mapping->is_held = TRUE;
    if (mapping->bytes != mapping->data &&
        !has_fault (EXTERNAL_HAS_OTHER_BYTES))
      memcpy (mapping->bytes, mapping->data, mapping->size);
  }
  g_atomic_int_set (&n_together,
      MAX (g_atomic_int_get (&n_together), (gint) n));
  g_mutex_unlock (&mappings_lock);
  g_atomic_int_add (&n_acquired, (gint) n);
  g_atomic_int_add (&n_held, (gint) n);

  return CL_SUCCESS;
}

static cl_int
release (cl_command_queue queue, cl_uint n, const cl_mem *mems, cl_uint n_waits,
    const cl_event *waits, cl_event *event)
{
  cl_event released = NULL;
  cl_int code = find_failure (EXTERNAL_RELEASE);

  if (code == CL_SUCCESS)
    code = clEnqueueMarkerWithWaitList (queue, n_waits, waits, &released);

  g_atomic_int_add (&n_held, -(gint) n);
  g_mutex_lock (&mappings_lock);
  for (cl_uint i = 0; i < n; i++) {
    Mapping *mapping = find_mapping (mems[i], 0);

    mapping->is_held = FALSE;
    g_clear_pointer (&mapping->released, clReleaseEvent);
    if (released && clRetainEvent (released) == CL_SUCCESS)
      mapping->released = released;
  }
  g_mutex_unlock (&mappings_lock);
  if (event)
    *event = released;
  else if (released)
    clReleaseEvent (released);

  return code;
}

cl_int
clEnqueueNDRangeKernel (cl_command_queue queue, cl_kernel kernel,
    cl_uint n_dimensions, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint n_waits, const cl_event *waits,
    cl_event *event)
{
  if (has_fault (EXTERNAL_LAUNCHES_FAIL))
    return CL_OUT_OF_RESOURCES;

  return REAL (clEnqueueNDRangeKernel) (queue, kernel, n_dimensions, offset,
      global, local, n_waits, waits, event);
}

/* --- the device ---------------------------------------------------------- */

static cl_int
real_info (cl_device_id device, cl_device_info what, size_t size, void *value,
    size_t *size_ret)
{
  return REAL (clGetDeviceInfo) (device, what, size, value, size_ret);
}

static cl_int
get_type (cl_device_id device, size_t size, void *value, size_t *size_ret)
{
  const cl_int code = real_info (device, CL_DEVICE_TYPE, size, value, size_ret);
  cl_device_type *type = value;

  if (code == CL_SUCCESS && type && *type & CL_DEVICE_TYPE_CPU &&
      g_atomic_int_get (&is_gpu)) {
    *type = CL_DEVICE_TYPE_GPU;
    g_atomic_int_set (&has_reported, TRUE);
  }

  return code;
}

cl_int
clGetDeviceInfo (cl_device_id device, cl_device_info what, size_t size,
    void *value, size_t *size_ret)
{
  static const cl_external_memory_handle_type_khr types[] = {
    CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
    CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR
  };

  if (what == CL_DEVICE_TYPE)
    return get_type (device, size, value, size_ret);
  if (has_fault (EXTERNAL_IS_MISSING) || has_fault (MAPPED_FILES_ARE_COPIED))
    return real_info (device, what, size, value, size_ret);

  if (what == CL_DEVICE_UUID_KHR && size >= CL_UUID_SIZE_KHR) {
    memset (value, CUDA_UUID_BYTE (0), CL_UUID_SIZE_KHR);
    return CL_SUCCESS;
  }
  if (what == CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR &&
      size >= sizeof types) {
    memcpy (value, types, sizeof types);
    *size_ret = sizeof types;
    return CL_SUCCESS;
  }

  return real_info (device, what, size, value, size_ret);
}

void *
clGetExtensionFunctionAddressForPlatform (cl_platform_id platform,
    const char *name)
{
  if (strcmp (name, "clEnqueueAcquireExternalMemObjectsKHR") == 0)
    return acquire;
  if (strcmp (name, "clEnqueueReleaseExternalMemObjectsKHR") == 0)
    return release;

  return REAL (clGetExtensionFunctionAddressForPlatform) (platform, name);
}

/* --- memory -------------------------------------------------------------- */

static void CL_CALLBACK
unmap (cl_mem mem, void *data)
{
  Mapping *mapping = data;

  g_mutex_lock (&mappings_lock);
  mappings = g_list_remove (mappings, mapping);
  g_mutex_unlock (&mappings_lock);
  g_clear_pointer (&mapping->released, clReleaseEvent);
  munmap (mapping->data, mapping->size);
  if (mapping->bytes != mapping->data)
    g_free (mapping->bytes);
  g_free (mapping);
}

static cl_mem
real_create (cl_context context, cl_mem_flags flags, size_t size, void *host,
    cl_int *code)
{
  return REAL (clCreateBuffer) (context, flags, size, host, code);
}

cl_int
clGetContextInfo (cl_context context, cl_context_info what, size_t size,
    void *value, size_t *size_ret)
{
  if (has_fault (EXTERNAL_HAS_TWO_DEVICES) && what == CL_CONTEXT_NUM_DEVICES) {
    *(cl_uint *) value = 2;
    return CL_SUCCESS;
  }

  return REAL (clGetContextInfo) (context, what, size, value, size_ret);
}

/* Returns TRUE if @properties name the device of @context, if that is
 * necessary. */
static gboolean
name_device (cl_context context, const cl_mem_properties *properties)
{
  cl_device_id device = NULL;

  if (!has_fault (EXTERNAL_HAS_TWO_DEVICES))
    return properties[2] == 0;

  return clGetContextInfo (context, CL_CONTEXT_DEVICES, sizeof device, &device,
             NULL) == CL_SUCCESS &&
         properties[2] == DEVICE_HANDLE_LIST &&
         properties[3] == (cl_mem_properties) (guintptr) device &&
         properties[4] == 0 && properties[5] == 0;
}

/* Takes ownership of the descriptor on success. */
cl_mem
clCreateBufferWithProperties (cl_context context,
    const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
    void *host, cl_int *code)
{
  const gboolean is_dma_buf = properties[0] ==
                              CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR;
  struct stat file;
  Mapping *mapping;
  void *data, *bytes;
  cl_mem mem;

  *code = find_failure (EXTERNAL_CREATE);
  if (*code != CL_SUCCESS)
    return NULL;
  *code = CL_INVALID_VALUE;
  if (!(is_dma_buf ||
          properties[0] == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR) ||
      !name_device (context, properties) ||
      fstat ((int) properties[1], &file) != 0)
    return NULL;

  data = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
      (int) properties[1], 0);
  if (data == MAP_FAILED)
    return NULL;
  bytes = is_dma_buf ? g_malloc0 (size) : data;
  mem = real_create (context, flags | CL_MEM_USE_HOST_PTR, size, bytes, code);
  if (!mem)
    return NULL;
  close ((int) properties[1]);

  mapping = g_new (Mapping, 1);
  *mapping = (Mapping){ data, size, bytes, file.st_ino, mem, FALSE, NULL };
  g_mutex_lock (&mappings_lock);
  mappings = g_list_prepend (mappings, mapping);
  g_mutex_unlock (&mappings_lock);
  clSetMemObjectDestructorCallback (mem, unmap, mapping);
  host_buffers_add (mem, bytes, size);

  return mem;
}

/* Returns whether @address is in a file in memory (memfd). */
static gboolean
is_file (const void *address)
{
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;
  gboolean found = FALSE;

  if (!g_file_get_contents ("/proc/self/maps", &text, NULL, NULL))
    return FALSE;

  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] && !found; i++) {
    gchar *end = NULL;
    const guint64 first = g_ascii_strtoull (lines[i], &end, 16);

    found = strstr (lines[i], "memfd:") && (guintptr) address >= first &&
            (guintptr) address < g_ascii_strtoull (end + 1, NULL, 16);
  }

  return found;
}

cl_mem
clCreateBuffer (cl_context context, cl_mem_flags flags, size_t size, void *host,
    cl_int *code)
{
  cl_mem mem;

  if (has_fault (REGISTERED_MEMORY_IS_REFUSED) &&
      (flags & CL_MEM_USE_HOST_PTR)) {
    *code = CL_INVALID_HOST_PTR;
    return NULL;
  }
  if ((flags & CL_MEM_USE_HOST_PTR) &&
      (has_fault (HOST_MEMORY_IS_COPIED) ||
          (has_fault (MAPPED_FILES_ARE_COPIED) && is_file (host))))
    return real_create (context, flags & ~(cl_mem_flags) CL_MEM_USE_HOST_PTR,
        size, NULL, code);
  if (has_fault (HOST_MEMORY_IS_STALE) && (flags & CL_MEM_USE_HOST_PTR))
    return real_create (context,
        (flags & ~(cl_mem_flags) CL_MEM_USE_HOST_PTR) | CL_MEM_COPY_HOST_PTR,
        size, host, code);

  mem = real_create (context, flags, size, host, code);
  if (mem && (flags & CL_MEM_USE_HOST_PTR))
    host_buffers_add (mem, host, size);

  return mem;
}

cl_int
clEnqueueCopyBufferRect (cl_command_queue queue, cl_mem from, cl_mem to,
    const size_t *from_origin, const size_t *to_origin, const size_t *region,
    size_t from_pitch, size_t from_slice_pitch, size_t to_pitch,
    size_t to_slice_pitch, cl_uint n_waits, const cl_event *waits,
    cl_event *event)
{
  const cl_int failure = find_failure (EXTERNAL_COPY);

  if (failure != CL_SUCCESS)
    return failure;

  return REAL (clEnqueueCopyBufferRect) (queue, from, to, from_origin,
      to_origin, region, from_pitch, from_slice_pitch, to_pitch, to_slice_pitch,
      n_waits, waits, event);
}

cl_int
clEnqueueCopyBuffer (cl_command_queue queue, cl_mem from, cl_mem to,
    size_t from_offset, size_t to_offset, size_t size, cl_uint n_waits,
    const cl_event *waits, cl_event *event)
{
  const cl_int failure = find_failure (EXTERNAL_COPY);

  if (failure != CL_SUCCESS)
    return failure;

  return REAL (clEnqueueCopyBuffer) (queue, from, to, from_offset, to_offset,
      size, n_waits, waits, event);
}

cl_int
clEnqueueWriteBuffer (cl_command_queue queue, cl_mem mem, cl_bool blocking,
    size_t offset, size_t size, const void *data, cl_uint n_waits,
    const cl_event *waits, cl_event *event)
{
  static const cl_uchar zero;

  if (has_fault (HOST_WRITES_ARE_LOST))
    return clEnqueueFillBuffer (queue, mem, &zero, 1, offset, size, n_waits,
        waits, event);

  data = host_buffers_read (data, has_fault (REGISTERED_MEMORY_IS_STALE));

  return REAL (clEnqueueWriteBuffer) (queue, mem, blocking, offset, size, data,
      n_waits, waits, event);
}

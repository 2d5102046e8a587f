/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mock of libcuda.so.1. */

#define _GNU_SOURCE /* memfd_create() */

#include "mocks/cuda.h"

#include "cl/import/gstclcuda.h"
#include "mocks/cudaorder.h"
#include "mocks/cudaworks.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_DEVICES        2
#define PAGE_BYTES       65536
#define MAX_PUSHED       8
#define ERROR_VALUE      1   /* CUDA_ERROR_INVALID_VALUE */
#define OUT_OF_MEMORY    2   /* CUDA_ERROR_OUT_OF_MEMORY */
#define NO_CONTEXT       201 /* CUDA_ERROR_INVALID_CONTEXT */
#define OPERATING_SYSTEM 304 /* CUDA_ERROR_OPERATING_SYSTEM */

#define CU_API GstClCudaCode

static gint fault;     /* atomic, as those below */
static gint n_alive;   /* objects that were created and not freed */
static gint n_refused; /* failed allocations */

static __thread CudaMockContext *pushed[MAX_PUSHED];
static __thread guint n_pushed;

gboolean
cuda_is_older (void)
{
#ifdef OLDER
  return TRUE;
#else
  return FALSE;
#endif
}

void
cuda_set_fault (CudaFault what)
{
  g_atomic_int_set (&fault, what);
}

gint
cuda_n_alive (void)
{
  return g_atomic_int_get (&n_alive);
}

static gboolean
has_fault (CudaFault what)
{
  return g_atomic_int_get (&fault) == (gint) what;
}

gint
cuda_n_refused (void)
{
  return g_atomic_int_get (&n_refused);
}

/* --- devices and contexts ------------------------------------------------ */

/* The plugin identifies these by their names. */
CU_API cuInit (guint flags);
CU_API cuGetErrorName (GstClCudaCode code, const char **name);
CU_API cuDeviceGetCount (int *n);
CU_API cuDeviceGet (int *device, int ordinal);
CU_API cuDeviceGetUuid (GstClCudaUuid *uuid, int device);
CU_API cuDeviceGetUuid_v2 (GstClCudaUuid *uuid, int device);
CU_API cuCtxPushCurrent_v2 (GstClCudaContext context);
CU_API cuCtxPopCurrent_v2 (GstClCudaContext *context);
CU_API cuCtxGetDevice (int *device);
CU_API cuCtxGetFlags (guint *flags);
CU_API cuCtxSetFlags (guint flags);
CU_API cuMemGetAllocationGranularity (gsize *bytes,
    const GstClCudaProperties *properties, int recommended);
CU_API cuMemCreate (GstClCudaAllocation *allocation, gsize bytes,
    const GstClCudaProperties *properties, guint64 flags);
CU_API cuMemRelease (GstClCudaAllocation allocation);
CU_API cuMemAddressReserve (GstClCudaPointer *pointer, gsize bytes,
    gsize alignment, GstClCudaPointer wanted, guint64 flags);
CU_API cuMemAddressFree (GstClCudaPointer pointer, gsize bytes);
CU_API cuMemMap (GstClCudaPointer pointer, gsize bytes, gsize offset,
    GstClCudaAllocation allocation, guint64 flags);
CU_API cuMemUnmap (GstClCudaPointer pointer, gsize bytes);
CU_API cuMemSetAccess (GstClCudaPointer pointer, gsize bytes,
    const GstClCudaAccess *access, gsize n);
CU_API cuMemExportToShareableHandle (void *handle,
    GstClCudaAllocation allocation, int type, guint64 flags);
CU_API cuMemAlloc_v2 (GstClCudaPointer *pointer, gsize bytes);
CU_API cuMemFree_v2 (GstClCudaPointer pointer);
CU_API cuMemcpyHtoD_v2 (GstClCudaPointer dst, const void *src, gsize bytes);
CU_API cuMemcpyDtoH_v2 (void *dst, GstClCudaPointer src, gsize bytes);
CU_API cuMemcpyDtoDAsync_v2 (GstClCudaPointer dst, GstClCudaPointer src,
    gsize bytes, GstClCudaStream stream);
CU_API cuMemcpy2DAsync_v2 (const GstClCudaRows *rows, GstClCudaStream stream);
CU_API cuStreamCreate (GstClCudaStream *stream, guint flags);
CU_API cuStreamSynchronize (GstClCudaStream stream);
CU_API cuStreamDestroy_v2 (GstClCudaStream stream);
CU_API cuEventCreate (GstClCudaEvent *event, guint flags);
CU_API cuEventRecord (GstClCudaEvent event, GstClCudaStream stream);
CU_API cuEventSynchronize (GstClCudaEvent event);
CU_API cuEventDestroy_v2 (GstClCudaEvent event);

GstClCudaCode
cuInit (guint flags)
{
  return 0;
}

GstClCudaCode
cuGetErrorName (GstClCudaCode code, const char **name)
{
  *name = "CUDA_ERROR_OF_MOCK";

  return 0;
}

GstClCudaCode
cuDeviceGetCount (int *n)
{
  *n = has_fault (CUDA_HIDES_FIRST_GPU) ? N_DEVICES - 1 : N_DEVICES;

  return 0;
}

GstClCudaCode
cuDeviceGet (int *device, int ordinal)
{
  *device = has_fault (CUDA_HIDES_FIRST_GPU) ? ordinal + 1 : ordinal;

  return 0;
}

/* A GPU is a MIG instance, which has its own UUID if the driver supports it. */
GstClCudaCode
cuDeviceGetUuid (GstClCudaUuid *uuid, int device)
{
  memset (uuid, cuda_is_older () ? CUDA_UUID_BYTE (device) : 0xEE,
      sizeof *uuid);

  return 0;
}

#ifndef OLDER
GstClCudaCode
cuDeviceGetUuid_v2 (GstClCudaUuid *uuid, int device)
{
  memset (uuid, CUDA_UUID_BYTE (device), sizeof *uuid);

  return 0;
}
#endif

GstClCudaCode
cuCtxPushCurrent_v2 (GstClCudaContext context)
{
  if (n_pushed == MAX_PUSHED)
    return ERROR_VALUE;
  pushed[n_pushed++] = (CudaMockContext *) context;
  g_atomic_int_inc (&n_alive);

  return 0;
}

GstClCudaCode
cuCtxPopCurrent_v2 (GstClCudaContext *context)
{
  if (n_pushed == 0)
    return NO_CONTEXT;
  *context = (GstClCudaContext) pushed[--n_pushed];
  g_atomic_int_add (&n_alive, -1);

  return 0;
}

GstClCudaCode
cuCtxGetDevice (int *device)
{
  if (n_pushed == 0)
    return NO_CONTEXT;
  *device = pushed[n_pushed - 1]->device;

  return 0;
}

GstClCudaCode
cuCtxGetFlags (guint *flags)
{
  if (n_pushed == 0)
    return NO_CONTEXT;
  *flags = pushed[n_pushed - 1]->flags;

  return 0;
}

#ifndef OLDER
GstClCudaCode
cuCtxSetFlags (guint flags)
{
  if (n_pushed == 0)
    return NO_CONTEXT;
  pushed[n_pushed - 1]->flags = flags;

  return 0;
}
#endif

/* Returns 0 if there is a context; adds @change to the number of live
 * objects. */
static GstClCudaCode
count (gint change)
{
  if (n_pushed == 0)
    return NO_CONTEXT;
  g_atomic_int_add (&n_alive, change);

  return 0;
}

/* --- memory -------------------------------------------------------------- */

GstClCudaCode
cuMemGetAllocationGranularity (gsize *bytes,
    const GstClCudaProperties *properties, int recommended)
{
  *bytes = PAGE_BYTES;

  return count (0);
}

/* An allocation is the file descriptor plus one. */
GstClCudaCode
cuMemCreate (GstClCudaAllocation *allocation, gsize bytes,
    const GstClCudaProperties *properties, guint64 flags)
{
  int fd;

  if (has_fault (CUDA_HAS_NO_MEMORY)) {
    g_atomic_int_inc (&n_refused);
    return OUT_OF_MEMORY;
  }
  if (properties->type != 1 || properties->handle_types != 1 ||
      properties->location.type != 1 || properties->location.id >= N_DEVICES ||
      bytes % PAGE_BYTES != 0)
    return ERROR_VALUE;

  fd = memfd_create ("cuda", MFD_CLOEXEC);
  if (fd < 0 || ftruncate (fd, (off_t) bytes) != 0)
    return ERROR_VALUE;
  *allocation = (GstClCudaAllocation) fd + 1;

  return count (1);
}

GstClCudaCode
cuMemRelease (GstClCudaAllocation allocation)
{
  close ((int) allocation - 1);

  return count (-1);
}

GstClCudaCode
cuMemAddressReserve (GstClCudaPointer *pointer, gsize bytes, gsize alignment,
    GstClCudaPointer wanted, guint64 flags)
{
  gpointer data = mmap (NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
      0);

  if (data == MAP_FAILED)
    return ERROR_VALUE;
  *pointer = (GstClCudaPointer) (guintptr) data;

  return count (1);
}

GstClCudaCode
cuMemAddressFree (GstClCudaPointer pointer, gsize bytes)
{
  munmap ((gpointer) (guintptr) pointer, bytes);

  return count (-1);
}

/* No access before cuMemSetAccess(). */
GstClCudaCode
cuMemMap (GstClCudaPointer pointer, gsize bytes, gsize offset,
    GstClCudaAllocation allocation, guint64 flags)
{
  struct stat file;

  if (fstat ((int) allocation - 1, &file) != 0 ||
      mmap ((gpointer) (guintptr) pointer, bytes, PROT_NONE,
          MAP_SHARED | MAP_FIXED, (int) allocation - 1,
          (off_t) offset) == MAP_FAILED)
    return ERROR_VALUE;
  cuda_order_note_shared ((gpointer) (guintptr) pointer, bytes, file.st_ino);

  return count (1);
}

GstClCudaCode
cuMemUnmap (GstClCudaPointer pointer, gsize bytes)
{
  if (mmap ((gpointer) (guintptr) pointer, bytes, PROT_NONE,
          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    return ERROR_VALUE;
  cuda_order_forget ((gpointer) (guintptr) pointer);

  return count (-1);
}

GstClCudaCode
cuMemSetAccess (GstClCudaPointer pointer, gsize bytes,
    const GstClCudaAccess *access, gsize n)
{
  if (n != 1 || access->flags != 3 || access->location.type != 1 ||
      mprotect ((gpointer) (guintptr) pointer, bytes, PROT_READ | PROT_WRITE) !=
          0)
    return ERROR_VALUE;

  return count (0);
}

GstClCudaCode
cuMemExportToShareableHandle (void *handle, GstClCudaAllocation allocation,
    int type, guint64 flags)
{
  int fd;

  if (has_fault (CUDA_EXPORTS_FAIL) || type != 1)
    return ERROR_VALUE;
  fd = dup ((int) allocation - 1);
  if (fd < 0)
    return OPERATING_SYSTEM;
  *(int *) handle = fd;

  return count (0);
}

GstClCudaCode
cuMemAlloc_v2 (GstClCudaPointer *pointer, gsize bytes)
{
  *pointer = (GstClCudaPointer) (guintptr) g_malloc (bytes);

  return count (1);
}

GstClCudaCode
cuMemFree_v2 (GstClCudaPointer pointer)
{
  g_free ((gpointer) (guintptr) pointer);

  return count (-1);
}

/* --- copies -------------------------------------------------------------- */

/* A stream belongs to the context in which it was created. */
static gboolean
may_copy (gpointer stream)
{
  return !has_fault (CUDA_COPIES_FAIL) && stream && n_pushed > 0 &&
         cuda_stream_context (stream) == pushed[n_pushed - 1];
}

GstClCudaCode
cuMemcpyHtoD_v2 (GstClCudaPointer dst, const void *src, gsize bytes)
{
  memcpy ((gpointer) (guintptr) dst, src, bytes);

  return count (0);
}

GstClCudaCode
cuMemcpyDtoH_v2 (void *dst, GstClCudaPointer src, gsize bytes)
{
  memcpy (dst, (gpointer) (guintptr) src, bytes);

  return count (0);
}

GstClCudaCode
cuMemcpyDtoDAsync_v2 (GstClCudaPointer dst, GstClCudaPointer src, gsize bytes,
    GstClCudaStream stream)
{
  guint8 *to = (guint8 *) (guintptr) dst;

  if (!may_copy (stream))
    return ERROR_VALUE;
  cuda_order_begin (dst, src, stream);
  cuda_stream_complete (stream);
  memcpy (to, (gpointer) (guintptr) src, bytes);
  if (has_fault (CUDA_COPIES_OTHER_BYTES))
    to[bytes / 2] ^= 1;

  return count (0);
}

GstClCudaCode
cuMemcpy2DAsync_v2 (const GstClCudaRows *rows, GstClCudaStream stream)
{
  if (!may_copy (stream) || rows->src_type != 2 || rows->dst_type != 2 ||
      rows->src_pitch < rows->width_bytes ||
      rows->dst_pitch < rows->width_bytes)
    return ERROR_VALUE;
  cuda_order_begin (rows->dst_device, rows->src_device, stream);
  cuda_stream_complete (stream);
  for (gsize y = 0; y < rows->height; y++)
    memcpy ((guint8 *) (guintptr) rows->dst_device + y * rows->dst_pitch,
        (guint8 *) (guintptr) rows->src_device + y * rows->src_pitch,
        rows->width_bytes);
  if (has_fault (CUDA_COPIES_OTHER_ROWS))
    ((guint8 *) (guintptr) rows->dst_device)[rows->dst_pitch] ^= 1;

  return count (0);
}

/* --- streams and events -------------------------------------------------- */

/* A plain stream is ordered after the NULL stream, in which others write. */
GstClCudaCode
cuStreamCreate (GstClCudaStream *stream, guint flags)
{
  if (n_pushed == 0 || flags != 0)
    return ERROR_VALUE;
  *stream = cuda_stream_new (pushed[n_pushed - 1]);

  return count (1);
}

GstClCudaCode
cuStreamSynchronize (GstClCudaStream stream)
{
  if (!stream)
    return ERROR_VALUE;
  cuda_stream_finish (stream);

  return count (0);
}

GstClCudaCode
cuStreamDestroy_v2 (GstClCudaStream stream)
{
  cuda_stream_free (stream);

  return count (-1);
}

typedef struct {
  GstClCudaStream stream; /* the stream of its last record; NULL: none */
} Event;

GstClCudaCode
cuEventCreate (GstClCudaEvent *event, guint flags)
{
  *event = (GstClCudaEvent) g_new0 (Event, 1);

  return count (1);
}

GstClCudaCode
cuEventRecord (GstClCudaEvent event, GstClCudaStream stream)
{
  if (!event || !stream)
    return ERROR_VALUE;
  ((Event *) event)->stream = stream;

  return count (0);
}

GstClCudaCode
cuEventSynchronize (GstClCudaEvent event)
{
  if (!event || has_fault (CUDA_WAITS_FAIL))
    return ERROR_VALUE;
  cuda_stream_finish (((Event *) event)->stream);

  return count (0);
}

GstClCudaCode
cuEventDestroy_v2 (GstClCudaEvent event)
{
  g_free (event);

  return count (-1);
}

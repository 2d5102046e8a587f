/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* What is called of NVIDIA's driver, libcuda.so.1, by the types that its ABI
 * has. It is looked for when CUDA memory comes up, and never needed. */

typedef int GstClCudaCode;           /* CUresult; 0: success */
typedef guintptr GstClCudaPointer;   /* CUdeviceptr */
typedef guint64 GstClCudaAllocation; /* CUmemGenericAllocationHandle */
typedef struct GstClCudaContextT *GstClCudaContext; /* CUcontext */
typedef struct GstClCudaStreamT *GstClCudaStream;   /* CUstream */
typedef struct GstClCudaEventT *GstClCudaEvent;     /* CUevent */

typedef struct {
  guint8 bytes[16];
} GstClCudaUuid; /* CUuuid */

typedef struct {
  int type; /* 1: a device */
  int id;
} GstClCudaLocation; /* CUmemLocation */

typedef struct {
  int type;         /* 1: pinned */
  int handle_types; /* 1: POSIX file descriptor */
  GstClCudaLocation location;
  void *win32_meta_data;
  guint8 flags[8];
} GstClCudaProperties; /* CUmemAllocationProp */

typedef struct {
  GstClCudaLocation location;
  int flags;       /* 3: read and write */
} GstClCudaAccess; /* CUmemAccessDesc */

typedef struct {
  gsize src_x, src_y;
  int src_type; /* 2: device memory */
  const void *src_host;
  GstClCudaPointer src_device;
  void *src_array;
  gsize src_pitch;
  gsize dst_x, dst_y;
  int dst_type;
  void *dst_host;
  GstClCudaPointer dst_device;
  void *dst_array;
  gsize dst_pitch;
  gsize width_bytes, height;
} GstClCudaRows; /* CUDA_MEMCPY2D */

typedef struct {
  GstClCudaCode (*init) (guint flags);
  GstClCudaCode (*get_error_name) (GstClCudaCode code, const char **name);
  GstClCudaCode (*device_count) (int *n);
  GstClCudaCode (*device_get) (int *device, int ordinal);
  /* of a MIG instance its own, but before CUDA 11.4 */
  GstClCudaCode (*device_uuid) (GstClCudaUuid *uuid, int device);
  GstClCudaCode (*context_push) (GstClCudaContext context);
  GstClCudaCode (*context_pop) (GstClCudaContext *context);
  GstClCudaCode (*context_device) (int *device);
  GstClCudaCode (*context_flags) (guint *flags);
  /* NULL before CUDA 12.1 */
  GstClCudaCode (*context_set_flags) (guint flags);
  GstClCudaCode (*mem_granularity) (gsize *bytes,
      const GstClCudaProperties *properties, int recommended);
  GstClCudaCode (*mem_create) (GstClCudaAllocation *allocation, gsize bytes,
      const GstClCudaProperties *properties, guint64 flags);
  GstClCudaCode (*mem_release) (GstClCudaAllocation allocation);
  GstClCudaCode (*mem_reserve) (GstClCudaPointer *pointer, gsize bytes,
      gsize alignment, GstClCudaPointer wanted, guint64 flags);
  GstClCudaCode (*mem_unreserve) (GstClCudaPointer pointer, gsize bytes);
  GstClCudaCode (*mem_map) (GstClCudaPointer pointer, gsize bytes, gsize offset,
      GstClCudaAllocation allocation, guint64 flags);
  GstClCudaCode (*mem_unmap) (GstClCudaPointer pointer, gsize bytes);
  GstClCudaCode (*mem_set_access) (GstClCudaPointer pointer, gsize bytes,
      const GstClCudaAccess *access, gsize n);
  GstClCudaCode (*mem_export) (void *handle, GstClCudaAllocation allocation,
      int type, guint64 flags);
  GstClCudaCode (*alloc) (GstClCudaPointer *pointer, gsize bytes);
  GstClCudaCode (*free) (GstClCudaPointer pointer);
  GstClCudaCode (
      *copy_from_host) (GstClCudaPointer dst, const void *src, gsize bytes);
  GstClCudaCode (*copy_to_host) (void *dst, GstClCudaPointer src, gsize bytes);
  GstClCudaCode (*copy) (GstClCudaPointer dst, GstClCudaPointer src,
      gsize bytes, GstClCudaStream stream);
  GstClCudaCode (
      *copy_rows) (const GstClCudaRows *rows, GstClCudaStream stream);
  GstClCudaCode (*stream_create) (GstClCudaStream *stream, guint flags);
  GstClCudaCode (*stream_wait) (GstClCudaStream stream);
  GstClCudaCode (*stream_destroy) (GstClCudaStream stream);
  GstClCudaCode (*event_create) (GstClCudaEvent *event, guint flags);
  GstClCudaCode (*event_record) (GstClCudaEvent event, GstClCudaStream stream);
  GstClCudaCode (*event_wait) (GstClCudaEvent event);
  GstClCudaCode (*event_destroy) (GstClCudaEvent event);
} GstClCudaDriver;

/* The driver, started; NULL where there is none, or one that lacks a function.
 * Any thread. */
const GstClCudaDriver *gst_cl_cuda_driver (void);

/* FALSE with an error of GST_RESOURCE_ERROR, which names @what and the code,
 * unless that is success: _NO_SPACE_LEFT where there is no memory, else
 * _FAILED. */
gboolean gst_cl_cuda_check (GstClCudaCode code, const gchar *what,
    GError **error);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "cl/context/gstclcontext.h"
#include "cl/device/gstcldevice.h"
#include "gstclrange.h"

G_BEGIN_DECLS

/* --- NVIDIA's driver ------------------------------------------------------ */

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

/* --- GStreamer's CUDA memory ---------------------------------------------- */

/* GStreamer's CUDA memory, which nvcodec's elements give. Their library,
 * libgstcuda-1.0.so.0, is in the process wherever there is such memory, and is
 * not loaded by us. */

/* In caps: buffers are made of such memory. */
#define GST_CL_CAPS_FEATURE_CUDA "memory:CUDAMemory"

/* TRUE once that library is in the process. Any thread. */
gboolean gst_cl_cuda_memory_exists (void);

gboolean gst_cl_is_cuda_memory (GstMemory *memory);

/* TRUE if @memory is CUDA's, and lies on the GPU that is @device. */
gboolean gst_cl_cuda_memory_is_of (GstMemory *memory,
    const GstClDevice *device);

/* The type of the GstContext by which elements share their GstCudaContext, and
 * the name of its field that has it. */
#define GST_CL_CUDA_CONTEXT "gst.cuda.context"

/* Returns a new pool of such memory in the GstCudaContext that @context has;
 * NULL if it has none, or the library is not there. transfer full; any thread.
 */
GstBufferPool *gst_cl_cuda_pool_new (GstContext *context);

/* The GstCudaContext of @memory. transfer none */
GstObject *gst_cl_cuda_memory_context (GstMemory *memory);

/* Makes @cuda_context that of the calling thread, until gst_cl_cuda_leave(). */
gboolean gst_cl_cuda_enter (GstObject *cuda_context, GError **error);
void gst_cl_cuda_leave (void);

/* Maps @memory for CUDA, to read (@flags GST_MAP_READ) what others have written
 * by now, or to write (GST_MAP_WRITE). map->data is the device's address. Where
 * the memory has a stream (gst_cl_cuda_memory_stream()), it is for commands in
 * that: what others have started there is not waited for. */
gboolean gst_cl_cuda_memory_map (GstMemory *memory, GstMapInfo *map,
    GstMapFlags flags);

/* The stream in which the elements that use @memory run their commands: what is
 * started in it comes after what they have started before, such as the last
 * reads of a buffer that a pool gives once more. NULL: they wait for their
 * commands themselves, or run them in the NULL stream (all before GStreamer
 * 1.24). As long as @memory lives. */
GstClCudaStream gst_cl_cuda_memory_stream (GstMemory *memory);

/* --- memory that CUDA and OpenCL share ------------------------------------ */

/* Memory of a GPU that CUDA and OpenCL share: made by CUDA, exported as a file
 * descriptor, imported by OpenCL. One thread at a time. */
typedef struct _GstClCudaShared GstClCudaShared;

/* At least @size_bytes, on the GPU of @cuda_context, which must be that of
 * @context; keeps a reference to both. @flags: what OpenCL does to it,
 * CL_MEM_READ_ONLY or CL_MEM_WRITE_ONLY. NULL with @error */
GstClCudaShared *gst_cl_cuda_shared_new (GstClContext *context,
    GstObject *cuda_context, gsize size_bytes, cl_mem_flags flags,
    GError **error);

/* No command may still use it. Accepts NULL. */
void gst_cl_cuda_shared_free (GstClCudaShared *shared);

/* What OpenCL reads or writes; as long as @shared lives. */
cl_mem gst_cl_cuda_shared_mem (const GstClCudaShared *shared);

/* Copies @rows at @from to its begin, in @stream (NULL: one of its own), and
 * waits for that: the processor does something else meanwhile. The context is
 * that of the calling thread. */
gboolean gst_cl_cuda_shared_copy (GstClCudaShared *shared,
    GstClCudaPointer from, const GstClRows *rows, GstClCudaStream stream,
    GError **error);

/* Starts the copy of @rows from its byte @offset_bytes on to @to, in @stream
 * (NULL: a stream of its own). */
gboolean gst_cl_cuda_shared_start_out (GstClCudaShared *shared,
    gsize offset_bytes, GstClCudaPointer to, const GstClRows *rows,
    GstClCudaStream stream, GError **error);

/* Waits for all copies that were started in @stream (NULL: its own). */
gboolean gst_cl_cuda_shared_wait (GstClCudaShared *shared,
    GstClCudaStream stream, GError **error);

/* A frame has been copied through @shared: the waits of decoders for their
 * copies get longer, too, where the GPU changes between CUDA and OpenCL. They
 * spin, unless somebody has said how to wait in the CUDA context, which is that
 * of the calling thread; from now on they sleep. */
void gst_cl_cuda_shared_let_waits_sleep (GstClCudaShared *shared);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClCudaShared, gst_cl_cuda_shared_free)

/* --- shared memory that frames go through --------------------------------- */

/* Memory shared by CUDA and OpenCL that one frame after the other goes through.
 * One thread at a time. Zero-initialised it is empty. */
typedef struct {
  GstClCudaShared *shared; /* NULL: none */
  /*< private >*/
  gint64 retry_us; /* when such memory is asked for again, by
                      g_get_monotonic_time(); 0: at once */
} GstClCudaScratch;

/* Makes it hold @size_bytes or more on the GPU of @cuda_context, as
 * gst_cl_cuda_shared_new(). FALSE where there is no such memory, with a line in
 * the log (INFO): another path imports the frames, and it is asked for again
 * after GST_CL_SHORTAGE_US (gstclimportcheck.h). */
gboolean gst_cl_cuda_scratch_reserve (GstClCudaScratch *scratch,
    GstClContext *context, GstObject *cuda_context, gsize size_bytes,
    cl_mem_flags flags);

/* No command may still use it. */
void gst_cl_cuda_scratch_clear (GstClCudaScratch *scratch);

/* A command may still use it, as a wait has failed: it is kept as long as
 * necessary (gstclquarantine.h), and the scratch is empty. */
void gst_cl_cuda_scratch_quarantine (GstClCudaScratch *scratch,
    GstClContext *context);

G_END_DECLS

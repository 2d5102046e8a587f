/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "cl/context/gstclcontext.h"
#include "cl/device/gstcldevice.h"
#include "gstcldevicerange.h"

G_BEGIN_DECLS

/* --- NVIDIA's driver ------------------------------------------------------ */

/* The functions of NVIDIA's driver, libcuda.so.1, that the plugin calls, with
 * the types of its ABI. The driver is loaded when the first CUDA memory
 * arrives, and is never required. */

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
  /* a MIG instance has its own, except before CUDA 11.4 */
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

/* Returns the initialised driver; NULL if there is none, or if it lacks a
 * function. Any thread. */
const GstClCudaDriver *gst_cl_cuda_driver (void);

/* Returns TRUE if @code is success. Otherwise sets an error of
 * GST_RESOURCE_ERROR that names @what and the code, and returns FALSE:
 * _NO_SPACE_LEFT if memory is short, else _FAILED. */
gboolean gst_cl_cuda_check (GstClCudaCode code, const gchar *what,
    GError **error);

/* --- GStreamer's CUDA memory ---------------------------------------------- */

/* GStreamer's CUDA memory, which nvcodec's elements allocate. Their library,
 * libgstcuda-1.0.so.0, is loaded in any process that has such memory; the
 * plugin does not load it. */

/* Caps feature of buffers with CUDA memory. */
#define GST_CL_CAPS_FEATURE_CUDA "memory:CUDAMemory"

/* Returns TRUE if libgstcuda is loaded. Any thread. */
gboolean gst_cl_cuda_memory_exists (void);

gboolean gst_cl_is_cuda_memory (GstMemory *memory);

/* Returns TRUE if @memory is CUDA memory on the GPU that is @device. */
gboolean gst_cl_cuda_memory_is_of (GstMemory *memory,
    const GstClDevice *device);

/* The type of the GstContext through which elements share their GstCudaContext,
 * and the name of the field that has it. */
#define GST_CL_CUDA_CONTEXT "gst.cuda.context"

/* Returns a new pool of CUDA memory in the GstCudaContext of @context; NULL if
 * @context has none, or if libgstcuda is not loaded. Transfer full; any thread.
 */
GstBufferPool *gst_cl_cuda_pool_new (GstContext *context);

/* Returns the GstCudaContext of @memory; transfer none. */
GstObject *gst_cl_cuda_memory_context (GstMemory *memory);

/* Makes @cuda_context current in the calling thread, until gst_cl_cuda_leave().
 */
gboolean gst_cl_cuda_enter (GstObject *cuda_context, GError **error);
void gst_cl_cuda_leave (void);

/* Maps @memory for CUDA, for reading (@flags GST_MAP_READ) what other elements
 * have written so far, or for writing (GST_MAP_WRITE). map->data is the device
 * address. If the memory has a stream (gst_cl_cuda_memory_stream()), use the
 * map in that stream only: earlier work in the stream is not waited for. */
gboolean gst_cl_cuda_memory_map (GstMemory *memory, GstMapInfo *map,
    GstMapFlags flags);

/* Returns the stream in which the elements that use @memory run their commands.
 * A command started in that stream runs after their earlier commands, such as
 * the last reads of a recurring buffer of a pool. NULL: those elements wait for
 * their commands themselves, or use the NULL stream (all before GStreamer
 * 1.24). Valid as long as @memory lives. */
GstClCudaStream gst_cl_cuda_memory_stream (GstMemory *memory);

/* --- memory that CUDA and OpenCL share ------------------------------------ */

/* GPU memory that CUDA and OpenCL share: allocated by CUDA, exported as a file
 * descriptor, imported by OpenCL. One thread at a time. */
typedef struct _GstClCudaShared GstClCudaShared;

/* Allocates at least @size_bytes on the GPU of @cuda_context, which must be the
 * GPU of @context; references both. @flags: how OpenCL uses it,
 * CL_MEM_READ_ONLY or CL_MEM_WRITE_ONLY. NULL with @error. */
GstClCudaShared *gst_cl_cuda_shared_new (GstClContext *context,
    GstObject *cuda_context, gsize size_bytes, cl_mem_flags flags,
    GError **error);

/* Frees @shared, which no command may still use. Accepts NULL. */
void gst_cl_cuda_shared_free (GstClCudaShared *shared);

/* Returns the memory for OpenCL commands; valid as long as @shared lives. */
cl_mem gst_cl_cuda_shared_mem (const GstClCudaShared *shared);

/* Copies @rows at @from to the beginning of @shared, in @stream (NULL: a stream
 * of @shared), and sleeps until the copy is complete. The CUDA context must be
 * current in the calling thread. */
gboolean gst_cl_cuda_shared_copy (GstClCudaShared *shared,
    GstClCudaPointer from, const GstClRows *rows, GstClCudaStream stream,
    GError **error);

/* Starts the copy of @rows from byte @offset_bytes of @shared to @to, in
 * @stream (NULL: a stream of @shared). */
gboolean gst_cl_cuda_shared_start_out (GstClCudaShared *shared,
    gsize offset_bytes, GstClCudaPointer to, const GstClRows *rows,
    GstClCudaStream stream, GError **error);

/* Waits for all copies that were started in @stream (NULL: the stream of
 * @shared). */
gboolean gst_cl_cuda_shared_wait (GstClCudaShared *shared,
    GstClCudaStream stream, GError **error);

/* Call it when a frame has been copied through @shared: on a GPU that
 * alternates between CUDA and OpenCL, decoders wait longer for their copies,
 * too. By default these waits busy-wait; from now on they sleep, unless the
 * application has set how to wait in the CUDA context, which must be current in
 * the calling thread. */
void gst_cl_cuda_shared_let_waits_sleep (GstClCudaShared *shared);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClCudaShared, gst_cl_cuda_shared_free)

/* --- shared memory that frames go through --------------------------------- */

/* Memory shared by CUDA and OpenCL through which frames are copied, one frame
 * at a time. One thread at a time. Valid when zero-initialised. */
typedef struct {
  GstClCudaShared *shared; /* NULL: none */
  /*< private >*/
  gint64 retry_us; /* time of the next attempt to allocate, by
                      g_get_monotonic_time(); 0: at once */
} GstClCudaScratch;

/* Makes @scratch at least @size_bytes large, on the GPU of @cuda_context; see
 * gst_cl_cuda_shared_new(). Returns FALSE if the memory cannot be allocated,
 * with a line in the log (INFO): another path imports the frames, and the
 * allocation is repeated after GST_CL_SHORTAGE_US (gstclimportcheck.h). */
gboolean gst_cl_cuda_scratch_reserve (GstClCudaScratch *scratch,
    GstClContext *context, GstObject *cuda_context, gsize size_bytes,
    cl_mem_flags flags);

/* Empties @scratch, which no command may still use. */
void gst_cl_cuda_scratch_clear (GstClCudaScratch *scratch);

/* Empties @scratch although a command may still use its memory, because a wait
 * has failed: the quarantine (gstclquarantine.h) keeps the memory as long as
 * necessary. */
void gst_cl_cuda_scratch_quarantine (GstClCudaScratch *scratch,
    GstClContext *context);

G_END_DECLS

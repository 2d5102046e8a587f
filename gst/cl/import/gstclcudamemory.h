/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstcldevice.h"
#include "gstclcudadriver.h"

G_BEGIN_DECLS

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

/* The UUID of the GPU that has the memory of @cuda_context, as 32 hexadecimal
 * digits; NULL: it does not say. transfer none */
const gchar *gst_cl_cuda_context_uuid (GstObject *cuda_context);

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

G_END_DECLS

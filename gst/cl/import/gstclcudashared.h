/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "gstclcudadriver.h"
#include "gstclrange.h"

G_BEGIN_DECLS

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

gsize gst_cl_cuda_shared_bytes (const GstClCudaShared *shared);

/* TRUE if it holds @size_bytes, and was made with @cuda_context. Accepts NULL:
 * FALSE. */
gboolean gst_cl_cuda_shared_serves (const GstClCudaShared *shared,
    GstObject *cuda_context, gsize size_bytes);

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

/* A frame has gone this way: the waits of decoders for their copies get longer,
 * too, where the GPU changes between CUDA and OpenCL. They spin, unless
 * somebody has said how to wait in the CUDA context, which is that of the
 * calling thread; from now on they sleep. */
void gst_cl_cuda_shared_let_waits_sleep (GstClCudaShared *shared);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClCudaShared, gst_cl_cuda_shared_free)

G_END_DECLS

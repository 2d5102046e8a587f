/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/import/gstclcuda.h"
#include "cl/video/gstclframe.h"

G_BEGIN_DECLS

/* Exports frames on the device to CUDA memory of the same GPU: OpenCL copies
 * them to memory shared by both, and CUDA copies them from there. One thread at
 * a time. Valid when zero-initialised. */
typedef struct {
  /*< private >*/
  GstClCudaScratch scratch;
} GstClCudaExport;

/* Returns TRUE if frames can be copied from @context to @out: @out has one
 * memory, which is CUDA memory of the same GPU, and the import check has
 * passed. */
gboolean gst_cl_cuda_export_is_supported (GstClContext *context,
    GstBuffer *out);

/* Copies all planes of @frame to @out, for which
 * gst_cl_cuda_export_is_supported() is TRUE, after the commands on the compute
 * queue and the commands that use @out; waits for the copy. FALSE with @error:
 * a command failed, or @out is too small (GST_STREAM_ERROR_FORMAT). FALSE
 * without @error: no shared memory can be allocated, and the caller may write
 * @out from the host. Streaming thread. */
gboolean gst_cl_cuda_export_copy (GstClCudaExport *self, GstClContext *context,
    const GstClFrame *frame, GstBuffer *out, GError **error);

void gst_cl_cuda_export_clear (GstClCudaExport *self);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/import/gstclcuda.h"
#include "cl/video/gstclframe.h"

G_BEGIN_DECLS

/* Frames on the device become frames in CUDA memory of the same GPU: copied by
 * OpenCL into memory that both share, and by CUDA from there. One thread at a
 * time. Zero-initialised it is empty. */
typedef struct {
  /*< private >*/
  GstClCudaScratch scratch;
} GstClCudaExport;

/* Returns TRUE if frames can go from @context to @out: it has one memory, which
 * is CUDA's, of the same GPU, and known bytes that went that way were right. */
gboolean gst_cl_cuda_export_suits (GstClContext *context, GstBuffer *out);

/* Copies all planes of @frame to @out, for which gst_cl_cuda_export_suits(),
 * after what is on the compute queue and after what uses @out, and waits. FALSE
 * with @error: a command failed, or @out is too small
 * (GST_STREAM_ERROR_FORMAT). FALSE without @error: there is no memory to share,
 * and the host may write @out. Streaming thread. */
gboolean gst_cl_cuda_export_copy (GstClCudaExport *self, GstClContext *context,
    const GstClFrame *frame, GstBuffer *out, GError **error);

void gst_cl_cuda_export_clear (GstClCudaExport *self);

G_END_DECLS

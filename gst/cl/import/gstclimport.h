/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcldevicerange.h"

G_BEGIN_DECLS

/* Imports the bytes of a GstBuffer to the device, by the first import path
 * (gstclimportpath.h) that supports their memory and has passed its check on
 * the device:
 *  - device memory of the same context: in place;
 *  - CUDA memory on the same GPU: copied on the GPU;
 *  - host memory, on a host-unified device and if the pointer is aligned
 *    as the device requires: in place (gst_cl_wrap_memory());
 *  - pinned host memory of the same context: transferred directly;
 *  - any other host memory: copied to pinned memory, transferred from there.
 * Transfers run on the upload queue, into buffers of the importer. These
 * buffers and the pinned memory serve one frame at a time: the device must be
 * done with a frame before the next frame uses them.
 */
typedef struct _GstClImporter GstClImporter;

#define GST_CL_IMPORTER_SLOTS 4 /* ranges of one frame, one per plane */

GstClImporter *gst_cl_importer_new (GstClContext *context);
void gst_cl_importer_free (GstClImporter *importer); /* accepts NULL */

/* Transfer none. */
GstClContext *gst_cl_importer_context (const GstClImporter *importer);

/* Returns the size of the importer's pinned memory. */
gsize gst_cl_importer_bytes (const GstClImporter *importer);

/* A flag to add to GST_MAP_READ: gst_cl_importer_import() does not begin the
 * transfer. Before it enqueues kernels, the caller calls
 * gst_cl_device_range_begin_reads(), or passes GstClDeviceRange.pending to the
 * thread that enqueues the kernels, which enqueues the upload first. */
#define GST_CL_MAP_LATE ((GstMapFlags) (GST_MAP_FLAG_LAST << 4))

/* Bytes of a buffer to import, and how. */
typedef struct {
  GstBuffer *buffer;  /* borrowed */
  gsize offset_bytes; /* of the first row in the buffer */
  GstClRows rows;     /* dst_stride_bytes: of copied rows */
  guint slot;         /* of the staging buffer for copies: 0 ..
                         GST_CL_IMPORTER_SLOTS - 1 */
  guint align_bytes; /* the first row must be at a multiple of it, else the rows
                         are copied; 0: always copied */
  GstMapFlags flags; /* of kernels: GST_MAP_READ, with GST_CL_MAP_LATE or not,
                         or GST_MAP_WRITE, device memory only; 0 if copied */
  GstClTarget target; /* of the copy; mem is NULL: the staging buffer */
} GstClImportRequest;

/* Makes the bytes of @request readable or writable by kernels that are enqueued
 * from now on until gst_cl_device_range_submitted(). Rows that are copied to
 * the staging buffer begin at its byte 0; bytes in several memories are copied,
 * too. With a target, the upload queue transfers host memory and the CPU copies
 * other memory, and @range then has the memory that the transfer needs. FALSE
 * with @error: GST_STREAM_ERROR_FORMAT if the buffer is too small. Streaming
 * thread. */
gboolean gst_cl_importer_import (GstClImporter *importer,
    const GstClImportRequest *request, GstClDeviceRange *range, GError **error);

/* Waits for the transfer of @range, which no kernel uses, and releases @range.
 * If the wait fails, the quarantine keeps the memory that the device may still
 * use (gstclquarantine.h). */
void gst_cl_importer_abandon (GstClImporter *importer, GstClDeviceRange *range);

/* Two regions with a gap of at most this size are transferred as one: the gap
 * costs 3 us of the bus. */
#define GST_CL_MAX_GAP_BYTES 65536

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClImporter, gst_cl_importer_free)

G_END_DECLS

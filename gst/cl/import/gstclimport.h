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

/* A flag to add to GST_MAP_READ: gst_cl_importer_take() does not begin the
 * transfer. Before it enqueues kernels, the caller calls
 * gst_cl_device_range_begin_reads(), or passes GstClDeviceRange.pending to the
 * thread that enqueues the kernels, which enqueues the upload first. */
#define GST_CL_MAP_LATE ((GstMapFlags) (GST_MAP_FLAG_LAST << 4))

/* Makes @size_bytes from @offset_bytes of @buffer readable (@flags
 * GST_MAP_READ) or writable (GST_MAP_WRITE, device memory only) by kernels that
 * are enqueued from now on until gst_cl_device_range_submitted(). offset_bytes
 * of @range is a multiple of @align_bytes; bytes with another alignment, or in
 * several memories, are copied. @slot (0 .. GST_CL_IMPORTER_SLOTS - 1) selects
 * the staging buffer for copies. FALSE with @error: GST_STREAM_ERROR_FORMAT if
 * the buffer is too small. Streaming thread. */
gboolean gst_cl_importer_take (GstClImporter *importer, guint slot,
    GstBuffer *buffer, gsize offset_bytes, gsize size_bytes, guint align_bytes,
    GstMapFlags flags, GstClDeviceRange *range, GError **error);

/* Copies @rows of @buffer, from byte @offset_bytes on, to the device, with
 * dst_stride_bytes from one row to the next. The first row is at the start of
 * @range: its offset_bytes is 0. Otherwise as gst_cl_importer_take(). */
gboolean gst_cl_importer_repack (GstClImporter *importer, guint slot,
    GstBuffer *buffer, gsize offset_bytes, const GstClRows *rows,
    GstClDeviceRange *range, GError **error);

/* Waits for the transfer of @range, which no kernel uses, and releases @range.
 * If the wait fails, the quarantine keeps the memory that the device may still
 * use (gstclquarantine.h). */
void gst_cl_importer_abandon (GstClImporter *importer, GstClDeviceRange *range);

/* Two regions with a gap of at most this size are transferred as one: the gap
 * costs 3 us of the bus. */
#define GST_CL_MAX_GAP_BYTES 65536

/* Writes rows of @buffer, from its byte @offset_bytes on, to @dst_offset_bytes
 * of @dst, which @dst_sync belongs to. The upload queue transfers host memory;
 * the CPU copies other memory. @range then has the memory that the transfer
 * needs. */
gboolean gst_cl_importer_upload (GstClImporter *importer, guint slot,
    GstBuffer *buffer, gsize offset_bytes, const GstClRows *rows, cl_mem dst,
    gsize dst_offset_bytes, GstClSync *dst_sync, GstClDeviceRange *range,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClImporter, gst_cl_importer_free)

G_END_DECLS

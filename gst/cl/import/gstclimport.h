/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclrange.h"

G_BEGIN_DECLS

/* How the bytes of a GstBuffer reach the device: by the first import path
 * (gstclimportpath.h) that supports their memory and is right on the device:
 *  - device memory of the same context: as it is;
 *  - CUDA memory on the GPU that is the device: copied there;
 *  - host memory, on a device that shares it and where the pointer is aligned
 *    as the device asks: in place (gst_cl_wrap_memory());
 *  - pinned host memory of the same context: transferred from where it lies;
 *  - any other host memory: copied into pinned memory, transferred from there.
 * Transfers run on the upload queue, into buffers of the importer. These and
 * the pinned memory serve one frame: the device must be done with it before
 * another takes its place. */
typedef struct _GstClImporter GstClImporter;

#define GST_CL_IMPORTER_SLOTS 4 /* ranges of one frame, one a plane */

GstClImporter *gst_cl_importer_new (GstClContext *context);
void gst_cl_importer_free (GstClImporter *importer); /* accepts NULL */

/* Pinned memory that it has. */
gsize gst_cl_importer_bytes (const GstClImporter *importer);

/* Beside GST_MAP_READ: gst_cl_range_begin_reads() is called before the kernels
 * are enqueued, or whoever enqueues them enqueues GstClRange.pending first. */
#define GST_CL_MAP_LATE ((GstMapFlags) (GST_MAP_FLAG_LAST << 4))

/* Makes @size_bytes from @offset_bytes of @buffer readable (@flags
 * GST_MAP_READ) or writable (GST_MAP_WRITE, device memory only) by kernels that
 * are enqueued from now on until gst_cl_range_submitted(). offset_bytes of
 * @range is a multiple of @align_bytes; bytes that lie otherwise, or in several
 * memories, are copied. @slot (0 .. GST_CL_IMPORTER_SLOTS - 1) names the buffer
 * that copies go to. A buffer that is too small gives
 * GST_STREAM_ERROR_FORMAT. Streaming thread. */
gboolean gst_cl_importer_take (GstClImporter *importer, guint slot,
    GstBuffer *buffer, gsize offset_bytes, gsize size_bytes, guint align_bytes,
    GstMapFlags flags, GstClRange *range, GError **error);

/* Makes a copy of @rows of @buffer, from its byte @offset_bytes on, readable:
 * the first row is at offset_bytes of @range, which is 0, the next ones
 * dst_stride_bytes apart. Else as gst_cl_importer_take(). */
gboolean gst_cl_importer_repack (GstClImporter *importer, guint slot,
    GstBuffer *buffer, gsize offset_bytes, const GstClRows *rows,
    GstClRange *range, GError **error);

/* Gives @range back where nothing follows its transfer, which it waits for.
 * What the device may still use after a wait that failed is kept
 * (gstclquarantine.h). */
void gst_cl_importer_abandon (GstClImporter *importer, GstClRange *range);

/* Bytes that a transfer takes along rather than be two: 3 us of a bus. */
#define GST_CL_MAX_GAP_BYTES 65536

/* Writes rows of @buffer, from its byte @offset_bytes on, to @dst_offset_bytes
 * of @dst, which @dst_sync belongs to: host memory by the upload queue, other
 * memory by the CPU. @range then holds what the transfer needs. */
gboolean gst_cl_importer_upload (GstClImporter *importer, guint slot,
    GstBuffer *buffer, gsize offset_bytes, const GstClRows *rows, cl_mem dst,
    gsize dst_offset_bytes, GstClSync *dst_sync, GstClRange *range,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClImporter, gst_cl_importer_free)

G_END_DECLS

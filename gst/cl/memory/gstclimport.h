/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "gstclsync.h"

G_BEGIN_DECLS

/* How the bytes of a GstBuffer reach the device:
 *  - device memory of the same context: as it is;
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

/* A range of bytes on the device. Zero-initialised, it may be released. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes; /* of the range within mem */
  gboolean is_host;   /* the device reads the buffer's host memory: release
                         only when it is done */
  cl_event uploaded;  /* of gst_cl_importer_upload(): its end */
  /*< private >*/
  GstClSync *sync; /* of a buffer of the importer, until submitted */
  gboolean owns_mem;
  GstMemory *memory; /* owned, mapped with map; NULL if none */
  GstMapInfo map;
} GstClRange;

/* Rows of bytes: @row_bytes each, one every @stride_bytes. */
typedef struct {
  gsize row_bytes, n_rows;
  gsize src_stride_bytes, dst_stride_bytes;
} GstClRows;

/* From the first byte to the last in the source. */
static inline gsize
gst_cl_rows_source_bytes (const GstClRows *rows)
{
  return (rows->n_rows - 1) * rows->src_stride_bytes + rows->row_bytes;
}

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

/* All kernels that use @range have been enqueued. If it is not is_host, nothing
 * of the buffer is held any more. If they have an access that the end of their
 * commands must record (gst_cl_sync_end()), it is added to @accesses. */
void gst_cl_range_submitted (GstClRange *range, GstClAccess *accesses,
    guint *n_accesses);

/* Waits for the transfer that @range came by, if any. FALSE if that has failed.
 */
gboolean gst_cl_range_wait_for_upload (GstClRange *range, GstClContext *context,
    GError **error);

/* Gives back whatever is held still. */
void gst_cl_range_release (GstClRange *range);

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

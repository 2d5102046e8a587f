/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "cl/memory/gstclsync.h"

G_BEGIN_DECLS

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

/* From the first byte to the last where they go. */
static inline gsize
gst_cl_rows_target_bytes (const GstClRows *rows)
{
  return (rows->n_rows - 1) * rows->dst_stride_bytes + rows->row_bytes;
}

/* TRUE if the rows and what lies between them go as one piece. */
static inline gboolean
gst_cl_rows_are_packed (const GstClRows *rows)
{
  return rows->n_rows == 1 || rows->src_stride_bytes == rows->dst_stride_bytes;
}

/* Where a copy of them goes on the device. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes;
  GstClSync *sync; /* which mem belongs to */
} GstClTarget;

/* Rows of host memory, from data on, and where they are to go over the bus. All
 * of it must last until the transfer has ended. */
typedef struct {
  const guint8 *data;
  GstClRows rows;
  GstClTarget target;
} GstClWrite;

/* Enqueues @write on the queue of uploads, behind what uses its target, and
 * sets *event (transfer full) to its end. gst_cl_sync_submit() is yet to hand
 * the queue to the device. Where the device shares the host's memory, the
 * driver has copied the bytes when this returns. Any thread. */
gboolean gst_cl_write_enqueue (const GstClWrite *write, GstClContext *context,
    cl_event *event, GError **error);

/* An upload into a buffer of the importer, which must be enqueued before the
 * kernels that read the buffer. Zeros: there is none, or it is in the compute
 * queue. */
typedef struct {
  GstClWrite write;     /* to be enqueued; without data: none */
  cl_event upload;      /* the end of one that has been enqueued, or NULL;
                           transfer none, as long as the range lasts */
  gboolean is_external; /* memory is acquired, and released after the kernels
                           (gstclexternal.h) */
} GstClPendingUpload;

/* Sets *upload to a reference to pending->upload, which may be used after the
 * range is released. Any thread. */
gboolean gst_cl_pending_upload_keep_event (const GstClPendingUpload *pending,
    cl_event *upload, GError **error);

/* A range of bytes on the device, and what it holds on to. Zero-initialised, it
 * may be released. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes; /* of the range within mem */
  gboolean is_host;   /* the device reads the buffer's host memory: release
                         only when it is done */
  cl_event uploaded;  /* the end of its transfer; NULL: there is none, or
                           another thread enqueues it */
  GstClPendingUpload pending; /* until gst_cl_range_begin_reads() */
  /*< private >*/
  GstClSync *sync; /* of a buffer of the importer, until submitted */
  gboolean owns_mem;
  GstClContext *acquired_by; /* whose compute queue has acquired mem
                                (gstclexternal.h), until reads end; borrowed */
  GstMemory *memory;         /* owned, mapped with map; NULL if none */
  GstMapInfo map;
} GstClRange;

/* Maps @memory for @range, which holds a reference of its own: the buffer may
 * put another memory in its place while the map lasts. */
gboolean gst_cl_range_map (GstClRange *range, GstMemory *memory,
    GstMapFlags flags);

/* Gives the memory back, unless the device reads it. */
void gst_cl_range_release_copied (GstClRange *range);

/* Hands @write to the device; range->uploaded tells when it has ended. */
gboolean gst_cl_range_begin_write (GstClRange *range, const GstClWrite *write,
    GstClContext *context, GError **error);

/* Enqueues the pending upload of @range, if there is one; kernels that are
 * enqueued from now on run after it. */
gboolean gst_cl_range_begin_reads (GstClRange *range, GstClContext *context,
    GError **error);

/* All kernels that use @range have been enqueued: nothing of the buffer is held
 * any more, unless it is is_host. Memory of others is given back by a command,
 * if there is any. */
void gst_cl_range_end_reads (GstClRange *range);

/* Ends the reads, where that has not been done, at the end of a frame. If the
 * kernels have an access that the end of their commands must record
 * (gst_cl_sync_end()), it is added to @accesses. */
void gst_cl_range_submitted (GstClRange *range, GstClAccess *accesses,
    guint *n_accesses);

/* Waits for the transfer that @range came by, if this thread has begun it.
 * FALSE if that has failed. */
gboolean gst_cl_range_wait_for_upload (GstClRange *range, GstClContext *context,
    GError **error);

/* Gives back whatever is held still. */
void gst_cl_range_release (GstClRange *range);

/* --- regions of buffers --------------------------------------------------- */

/* A region of bytes of a buffer: it is in @n_memories memories from @index on,
 * and begins @skip bytes after the begin of the first one. */
typedef struct {
  guint index, n_memories;
  gsize skip;
} GstClBufferRegion;

/* FALSE with GST_STREAM_ERROR_FORMAT if @buffer is too small. */
gboolean gst_cl_buffer_region_find (GstClBufferRegion *region,
    GstBuffer *buffer, gsize offset_bytes, gsize size_bytes, GError **error);

/* Copies the first @size_bytes at @region to @dst, memory by memory:
 * gst_buffer_map() would merge the memories of a writable buffer, some of which
 * may be mapped for other ranges. FALSE with @error if one cannot be mapped. */
gboolean gst_cl_buffer_region_gather (const GstClBufferRegion *region,
    GstBuffer *buffer, gsize size_bytes, guint8 *dst, GError **error);

/* Sets @error to the reason why @memory could not be mapped; returns FALSE. */
gboolean gst_cl_buffer_region_fail (GstMemory *memory, GError **error);

G_END_DECLS

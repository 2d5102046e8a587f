/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "cl/memory/gstclbuffer.h"
#include "gstclexternal.h"

G_BEGIN_DECLS

/* A transfer of rows of host memory, from data on, over the bus. All members
 * must stay valid until the transfer is complete. */
typedef struct {
  const guint8 *data;
  GstClRows rows;
  GstClTarget target;
} GstClWrite;

/* Enqueues @write on the upload queue, after the commands that use its target,
 * and sets *event (transfer full) to its event. The caller then calls
 * gst_cl_sync_submit(). On a host-unified device the driver has copied the
 * bytes when the function returns. Any thread. */
gboolean gst_cl_write_enqueue (const GstClWrite *write, GstClContext *context,
    cl_event *event, GError **error);

/* An upload into a staging buffer, which must be enqueued before the kernels
 * that read the buffer. All zeros: there is no upload, or it is in the compute
 * queue. */
typedef struct {
  GstClWrite write;     /* to be enqueued; data is NULL: none */
  cl_event upload;      /* the event of an enqueued upload, or NULL; transfer
                           none, valid as long as the range */
  gboolean is_external; /* memory is acquired first, and released after the
                           kernels (gstclexternal.h) */
} GstClPendingUpload;

/* Sets *upload to a reference to pending->upload, which stays valid after the
 * range is released. Any thread. */
gboolean gst_cl_pending_upload_keep_event (const GstClPendingUpload *pending,
    cl_event *upload, GError **error);

/* A range of bytes on the device, with the objects that it references.
 * Zero-initialised, it may be released. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes; /* of the range within mem */
  gboolean is_host;   /* the device reads the buffer's host memory: release the
                         range only after the device is done */
  cl_event uploaded;  /* the event of its transfer; NULL: there is none, or
                         another thread enqueues it */
  GstClPendingUpload pending; /* until gst_cl_device_range_begin_reads() */
  /*< private >*/
  GstClSync *sync; /* of a staging buffer, until submitted */
  gboolean owns_mem;
  GstClContext *acquired_by; /* the context whose compute queue has acquired mem
                                (gstclexternal.h), until reads end; borrowed */
  GstClImported imported;    /* the import of the buffer's memory */
  GstMemory *memory;         /* owned, mapped with map; NULL if none */
  GstMapInfo map;
} GstClDeviceRange;

/* Maps @memory for @range, which references it: the buffer may replace the
 * memory while the map lasts. */
gboolean gst_cl_device_range_map (GstClDeviceRange *range, GstMemory *memory,
    GstMapFlags flags);

/* Unmaps and releases the memory, unless the device reads it. */
void gst_cl_device_range_release_copied (GstClDeviceRange *range);

/* Enqueues and flushes @write; range->uploaded is its event. */
gboolean gst_cl_device_range_begin_write (GstClDeviceRange *range,
    const GstClWrite *write, GstClContext *context, GError **error);

/* Acquires copy->from, external memory, enqueues @copy on @queue as @command,
 * and releases the memory in any case. *event (transfer full) is the event of
 * all these commands. */
cl_int gst_cl_external_copy (const GstClCopy *copy, GstClContext *context,
    cl_command_queue queue, const GstClCommand *command, cl_event *event);

/* Enqueues gst_cl_external_copy() on the upload queue, after the commands that
 * use its target, and flushes it; range->uploaded is its event. */
gboolean gst_cl_device_range_begin_copy (GstClDeviceRange *range,
    const GstClCopy *copy, GstClContext *context, GError **error);

/* Enqueues the pending upload of @range, if any; kernels that are enqueued from
 * now on run after it. */
gboolean gst_cl_device_range_begin_reads (GstClDeviceRange *range,
    GstClContext *context, GError **error);

/* Call it when all kernels that use @range have been enqueued: unmaps and
 * unreferences the memory of the upstream buffer, unless is_host is set. If
 * foreign memory was acquired, enqueues the command that returns it. */
void gst_cl_device_range_end_reads (GstClDeviceRange *range);

/* Call it once at the end of a frame; calls gst_cl_device_range_end_reads(). If
 * @range is in a staging buffer, appends a read access of that buffer to
 * @accesses, for the caller's gst_cl_sync_end(), and increments *@n_accesses.
 * */
void gst_cl_device_range_submitted (GstClDeviceRange *range,
    GstClAccess *accesses, guint *n_accesses);

/* Waits for the transfer of @range, if this thread has enqueued it. FALSE with
 * @error if the transfer failed. */
gboolean gst_cl_device_range_wait_for_upload (GstClDeviceRange *range,
    GstClContext *context, GError **error);

/* Releases all objects of @range. */
void gst_cl_device_range_release (GstClDeviceRange *range);

/* --- regions of buffers --------------------------------------------------- */

/* A region of bytes of a buffer: in @n_memories memories from index @index on,
 * beginning at byte @skip of the first one. */
typedef struct {
  guint index, n_memories;
  gsize skip;
} GstClBufferRegion;

/* Finds the region. FALSE with GST_STREAM_ERROR_FORMAT if @buffer is too small.
 */
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

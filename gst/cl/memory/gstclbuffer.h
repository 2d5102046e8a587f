/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclsync.h"

G_BEGIN_DECLS

/* Plain device buffers: scratch memory of ops, frames of tests. */

/* Allocates @size_bytes of device memory with undefined contents. If the device
 * has too little memory, NULL with CL_MEM_OBJECT_ALLOCATION_FAILURE, whose
 * message has both sizes. Host-unified devices map the memory without a copy.
 */
cl_mem gst_cl_buffer_new (GstClContext *context, gsize size_bytes,
    GError **error);

/* Allocates device memory and fills it with zeros: reads of memory that was
 * never written may be faster than all other reads. Blocking. */
cl_mem gst_cl_buffer_new_zeroed (GstClContext *context, gsize size_bytes,
    GError **error);

/* Allocates device memory filled with @data; does not wait for enqueued
 * commands. */
cl_mem gst_cl_buffer_new_filled (GstClContext *context, gsize size_bytes,
    gconstpointer data, GError **error);

/* Creates a read-only buffer over @size_bytes of host memory at @data; the
 * caller frees the buffer before @data. NULL with *code set. */
cl_mem gst_cl_buffer_new_over (GstClContext *context, gpointer data,
    gsize size_bytes, cl_int *code);

/* Creates a sub-buffer: @size_bytes of @mem from @offset_bytes on, which is a
 * multiple of gst_cl_buffer_alignment(). It keeps @mem. NULL with @error. */
cl_mem gst_cl_buffer_new_part (cl_mem mem, gsize offset_bytes, gsize size_bytes,
    GError **error);
gsize gst_cl_buffer_alignment (GstClContext *context);

/* Accepts NULL. Enqueued commands may still use @mem. */
void gst_cl_buffer_free (cl_mem mem);

/* Writes @data to @mem on the compute queue, after the commands enqueued there;
 * returns when the write is complete. */
gboolean gst_cl_buffer_write (GstClContext *context, cl_mem mem,
    gsize offset_bytes, gsize size_bytes, const void *data, GError **error);

/* Reads @size_bytes of @mem, after the commands enqueued on the compute queue;
 * returns when the read is complete. */
gboolean gst_cl_buffer_read (GstClContext *context, cl_mem mem,
    gsize offset_bytes, gsize size_bytes, void *data, GError **error);

/* Enqueues zeros for the first @size_bytes of @mem on the compute queue. */
gboolean gst_cl_buffer_clear (GstClContext *context, cl_mem mem,
    gsize size_bytes, GError **error);

/* Rows of @row_bytes each; the distance between rows is the stride. */
typedef struct {
  gsize row_bytes, n_rows;
  gsize src_stride_bytes, dst_stride_bytes;
} GstClRows;

/* Returns @size_bytes bytes as one row. */
static inline GstClRows
gst_cl_rows_block (gsize size_bytes)
{
  return (GstClRows){ size_bytes, 1, size_bytes, size_bytes };
}

/* Returns the bytes from the first to the last one in the source. */
static inline gsize
gst_cl_rows_source_bytes (const GstClRows *rows)
{
  return (rows->n_rows - 1) * rows->src_stride_bytes + rows->row_bytes;
}

/* Returns the bytes from the first to the last one in the destination. */
static inline gsize
gst_cl_rows_target_bytes (const GstClRows *rows)
{
  return (rows->n_rows - 1) * rows->dst_stride_bytes + rows->row_bytes;
}

/* Returns TRUE if the rows, including the gaps between them, are copied as one
 * block. */
static inline gboolean
gst_cl_rows_are_packed (const GstClRows *rows)
{
  return rows->n_rows == 1 || rows->src_stride_bytes == rows->dst_stride_bytes;
}

/* The destination of a copy on the device. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes;
  GstClSync *sync; /* which mem belongs to */
} GstClTarget;

/* A copy of rows of device memory. */
typedef struct {
  cl_mem from;
  gsize offset_bytes; /* of the first row within from */
  GstClRows rows;
  GstClTarget target;
} GstClCopy;

/* Enqueues @copy, between two buffers, on the compute queue; does not use
 * target.sync. Strides are at least row_bytes. */
gboolean gst_cl_buffer_copy_rows (GstClContext *context, const GstClCopy *copy,
    GError **error);

/* Maps all of @mem, of @size_bytes, for the CPU; waits for the commands on
 * @queue only. @what: the purpose, for the error message. A driver that reports
 * success without an address has failed: CL_MAP_FAILURE. NULL with @error. */
gpointer gst_cl_buffer_map (GstClContext *context, GstClQueue queue, cl_mem mem,
    cl_map_flags flags, gsize size_bytes, const gchar *what, GError **error);

/* Enqueues the unmapping of @data on @queue, which has mapped it. */
gboolean gst_cl_buffer_unmap (GstClContext *context, GstClQueue queue,
    cl_mem mem, gpointer data, GError **error);

/* Returns TRUE if the device can allocate one buffer of @size_bytes; else
 * CL_MEM_OBJECT_ALLOCATION_FAILURE with the size and the limit. */
gboolean gst_cl_buffer_check_size (GstClContext *context, guint64 size_bytes,
    GError **error);

/* Does the same for a buffer of a frame with @n_rows rows; the error also
 * contains the number of rows that fit. */
gboolean gst_cl_buffer_check_rows (GstClContext *context, guint64 size_bytes,
    guint n_rows, GError **error);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

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

/* Accepts NULL. Enqueued commands may still use @mem. */
void gst_cl_buffer_free (cl_mem mem);

/* Writes @data to @mem on the compute queue, after the commands enqueued there;
 * returns when the write is complete. */
gboolean gst_cl_buffer_write (GstClContext *context, cl_mem mem,
    gsize offset_bytes, gsize size_bytes, const void *data, GError **error);

/* Enqueues a copy of @n_rows rows of @row_bytes on the compute queue; strides
 * are at least @row_bytes. @from and @to are different buffers. */
gboolean gst_cl_buffer_copy_rows (GstClContext *context, cl_mem from,
    gsize from_offset_bytes, gsize from_stride_bytes, cl_mem to,
    gsize to_offset_bytes, gsize to_stride_bytes, gsize row_bytes, gsize n_rows,
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

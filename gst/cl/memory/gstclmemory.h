/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "gstclimportcheck.h"
#include "gstclsync.h"

G_BEGIN_DECLS

/* A GstMemory with one cl_mem. A CPU map waits for the commands enqueued before
 * it. On a host-unified device the map copies nothing; on a discrete device the
 * driver transfers the memory, unless gst_cl_memory_prefetch() has transferred
 * it already. */

/* Returns read-only memory over memory @index of @buffer, which the device
 * reads in place. References @buffer as long as the device may read it. NULL if
 * the device cannot read it in place. */
GstMemory *gst_cl_allocator_wrap (GstClAllocator *allocator, GstBuffer *buffer,
    guint index);

/* Returns the error of the last failed map or allocation; NULL if it is
 * unknown. Transfer full. */
GError *gst_cl_memory_take_error (GstMemory *memory);
GError *gst_cl_allocator_take_error (GstClAllocator *allocator);

/* Returns the buffer whose host memory the device reads in place; NULL if the
 * allocator allocated the memory. Transfer none. */
GstBuffer *gst_cl_memory_wrapped_buffer (GstMemory *memory);

/* Call it before commands write @memory outside of a map, for example an
 * upload. Invalidates the host copy, and returns the GstClSync that orders
 * these commands (transfer none). */
GstClSync *gst_cl_memory_begin_write (GstMemory *memory);

/* Starts the transfer of @buffer's device memory to the host, after the
 * commands enqueued for it; a later map for reading waits for the transfer.
 * Does nothing on a host-unified device. */
gboolean gst_cl_memory_prefetch (GstBuffer *buffer, GError **error);

/* --- host memory in place ------------------------------------------------- */

/* Host memory that the device reads in place (CL_MEM_USE_HOST_PTR). */

extern const GstClImportCheck gst_cl_wrap_check;

/* Returns a read-only cl_mem over @size_bytes at @data, which belong to
 * @memory; NULL if gst_cl_wrap_check does not pass or the pointer is not
 * aligned as the driver requires. On a CPU device it is created at most once as
 * long as the address of @memory does not change. The caller owns a reference,
 * and keeps @memory mapped until the device is done. Any thread. */
cl_mem gst_cl_wrap_memory (GstClContext *context, GstMemory *memory,
    gpointer data, gsize size_bytes);

G_END_DECLS

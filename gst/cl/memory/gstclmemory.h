/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "gstclimportcheck.h"
#include "gstclsync.h"

G_BEGIN_DECLS

/* One cl_mem as GstMemory. A CPU map waits for the commands enqueued before it
 * and, on devices that share the host's memory, copies nothing; elsewhere the
 * driver transfers the memory, or has done so already (prefetch). */

#define GST_CL_MEMORY_TYPE "OpenCLMemory"

/* In caps: buffers are made of such memory. */
#define GST_CAPS_FEATURE_MEMORY_OPENCL_MEMORY "memory:OpenCLMemory"

/* Map for the device: the data of the map is the cl_mem itself. Commands that
 * the mapper enqueues on the context's compute queue run after everything that
 * has been enqueued for this memory; it must enqueue them before it unmaps, and
 * need not wait for them. Not to be mixed with an offset: none is added. */
#define GST_MAP_OPENCL ((GstMapFlags) (GST_MAP_FLAG_LAST << 1))

#define GST_TYPE_CL_ALLOCATOR (gst_cl_allocator_get_type ())
G_DECLARE_FINAL_TYPE (GstClAllocator, gst_cl_allocator, GST, CL_ALLOCATOR,
    GstAllocator)

/* Allocates in @context's device memory, cleared to zero; every memory holds a
 * reference to the context. */
GstAllocator *gst_cl_allocator_new (GstClContext *context);

/* Read-only memory around memory @index of @buffer, which the device reads
 * where it lies; @buffer is kept as long as the device may read it. NULL where
 * the device cannot use it in place. */
GstMemory *gst_cl_allocator_wrap (GstClAllocator *allocator, GstBuffer *buffer,
    guint index);

gboolean gst_is_cl_memory (GstMemory *memory);

/* The buffer object behind @memory, which must be a GstClMemory; valid as long
 * as the memory lives. */
cl_mem gst_cl_memory_handle (GstMemory *memory);
GstClContext *gst_cl_memory_context (GstMemory *memory);

/* Why the last map or allocation has failed; NULL if nobody knows. transfer
 * full
 */
GError *gst_cl_memory_take_error (GstMemory *memory);
GError *gst_cl_allocator_take_error (GstClAllocator *allocator);

/* The buffer whose host memory the device reads in place; NULL: it is memory of
 * our own. transfer none */
GstBuffer *gst_cl_memory_wrapped_buffer (GstMemory *memory);

/* For commands that write @memory outside of a map, such as uploads: what they
 * are kept in step by. */
GstClSync *gst_cl_memory_begin_write (GstMemory *memory);

/* Starts the transfer of @buffer's device memory to the host, after what has
 * been enqueued for it; a later map for reading finds it done, or waits for the
 * rest. Nothing to do where the device shares the host's memory. */
gboolean gst_cl_memory_prefetch (GstBuffer *buffer, GError **error);

/* --- host memory in place ------------------------------------------------- */

/* Host memory that the device reads where it lies (CL_MEM_USE_HOST_PTR). */

extern const GstClImportCheck gst_cl_wrap_check;

/* A cl_mem over @size_bytes at @data, which are @memory's, for reading; NULL if
 * gst_cl_wrap_check does not hold or the pointer is not aligned as the driver
 * asks. On a CPU device it is made at most once for as long as
 * @memory stays where it is. The caller owns a reference, and keeps @memory
 * mapped until the device is done. Any thread. */
cl_mem gst_cl_wrap_memory (GstClContext *context, GstMemory *memory,
    gpointer data, gsize size_bytes);

G_END_DECLS

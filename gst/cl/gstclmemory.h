/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* One cl_mem as GstMemory. A CPU map waits for the commands enqueued before it
 * and, on devices that share the host's memory, copies nothing. */

#define GST_CL_MEMORY_TYPE "OpenCLMemory"

/* Map for the device: takes the memory's lock, waits for nothing; the cl_mem is
 * that of gst_cl_memory_handle(), not the mapped pointer. */
#define GST_MAP_OPENCL ((GstMapFlags) (GST_MAP_FLAG_LAST << 1))

#define GST_TYPE_CL_ALLOCATOR (gst_cl_allocator_get_type ())
G_DECLARE_FINAL_TYPE (GstClAllocator, gst_cl_allocator, GST, CL_ALLOCATOR,
    GstAllocator)

/* Allocates in @context's device memory, cleared to zero; every memory holds a
 * reference to the context. */
GstAllocator *gst_cl_allocator_new (GstClContext *context);

gboolean gst_is_cl_memory (GstMemory *memory);

/* The buffer object behind @memory, which must be a GstClMemory; valid as long
 * as the memory lives. */
cl_mem gst_cl_memory_handle (GstMemory *memory);
GstClContext *gst_cl_memory_context (GstMemory *memory);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Host memory that a discrete device reads and writes by itself (DMA), so that
 * transfers need no copy by the driver and no wait by the host.
 *
 * It is a buffer of CL_MEM_ALLOC_HOST_PTR that stays mapped as long as it
 * lives; the plugin passes the cl_mem itself to no command (docs/devices.md has
 * the measurements). Zero-initialised it is empty. */
typedef struct {
  guint8 *data;
  gsize size_bytes;
  /*< private >*/
  cl_mem mem;
} GstClPinned;

/* Makes @pinned at least @size_bytes large; what it held is lost if it grows.
 * Takes milliseconds where it grows: for start-up and changes of caps. */
gboolean gst_cl_pinned_reserve (GstClPinned *pinned, GstClContext *context,
    gsize size_bytes, GError **error);
void gst_cl_pinned_clear (GstClPinned *pinned, GstClContext *context);

/* Empties @pinned where the device may still use its memory, which is kept
 * (gstclquarantine.h). */
void gst_cl_pinned_quarantine (GstClPinned *pinned, GstClContext *context);

/* memcpy() by several threads where @size_bytes is large: one alone reaches a
 * quarter of what the bus takes. Any thread. */
void gst_cl_pinned_copy (guint8 *dst, const guint8 *src, gsize size_bytes);

/* --- as GstMemory -------------------------------------------------------- */

#define GST_CL_PINNED_MEMORY_TYPE "OpenCLPinnedMemory"

#define GST_TYPE_CL_PINNED_ALLOCATOR (gst_cl_pinned_allocator_get_type ())
G_DECLARE_FINAL_TYPE (GstClPinnedAllocator, gst_cl_pinned_allocator, GST,
    CL_PINNED_ALLOCATOR, GstAllocator)

/* Ordinary host memory to everybody else: an upstream that writes into it
 * saves a copy. For pools, since allocating is slow. */
GstAllocator *gst_cl_pinned_allocator_new (GstClContext *context);

/* TRUE if @memory can be transferred to @context's device as it lies. */
gboolean gst_cl_pinned_is_memory_of (GstMemory *memory, GstClContext *context);

G_END_DECLS

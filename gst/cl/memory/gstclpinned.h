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

/* --- memory of others that the driver pins -------------------------------- */

/* Host memory of others that the driver has pinned, so that the device fetches
 * it by itself: what upstream brings again and again, as the buffers of a pool.
 *
 * A buffer of CL_MEM_USE_HOST_PTR over the memory makes the driver pin it; that
 * cl_mem itself is used by no command. It lives as qdata of the GstMemory and
 * goes when that is freed, before its bytes are: a driver that still has them
 * pinned would read another memory in their place (docs/devices.md). */

/* TRUE if @memory may be registered: ordinary system memory, which stays where
 * it is as long as it lives, of some size. Any thread. */
gboolean gst_cl_registered_suits (GstMemory *memory);

/* Notes that a frame shown at @time (or GST_CLOCK_TIME_NONE) has come in
 * @memory, which suits; @data: the first of its bytes, as mapped. Returns TRUE
 * if the device of @context can fetch them now. Memory is registered when the
 * third frame comes in it, or later where frames have no times, since that
 * takes as long as some copies. Any thread. */
gboolean gst_cl_registered_use (GstClContext *context, GstMemory *memory,
    const guint8 *data, GstClockTime time);

/* Makes the driver pin @size_bytes at @data as long as the result lives. NULL
 * with @error; to be freed by gst_cl_buffer_free() before @data is. Any
 * thread. */
cl_mem gst_cl_registered_pin (GstClContext *context, gpointer data,
    gsize size_bytes, GError **error);

G_END_DECLS

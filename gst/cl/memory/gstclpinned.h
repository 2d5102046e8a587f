/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Host memory that a discrete device reads and writes itself (DMA), so that
 * transfers need no copy by the driver and no wait on the host.
 *
 * It is a buffer of CL_MEM_ALLOC_HOST_PTR that stays mapped as long as it
 * lives; no command uses the cl_mem itself (docs/devices.md has the
 * measurements). Valid when zero-initialised. */
typedef struct {
  guint8 *data;
  gsize size_bytes;
  /*< private >*/
  cl_mem mem;
} GstClPinned;

/* Makes @pinned at least @size_bytes large; its contents are lost if it grows.
 * Growing takes milliseconds: call it at start-up and when caps change. */
gboolean gst_cl_pinned_reserve (GstClPinned *pinned, GstClContext *context,
    gsize size_bytes, GError **error);

/* Frees the memory. The caller has waited for all commands that use it; after a
 * wait that failed, it calls gst_cl_pinned_quarantine() instead. */
void gst_cl_pinned_clear (GstClPinned *pinned, GstClContext *context);

/* Empties @pinned although the device may still use its memory, which the
 * quarantine keeps (gstclquarantine.h). */
void gst_cl_pinned_quarantine (GstClPinned *pinned, GstClContext *context);

/* Copies @size_bytes like memcpy(), with several threads if they are many: one
 * thread reaches a quarter of the bandwidth of the bus. Any thread. */
void gst_cl_pinned_copy (guint8 *dst, const guint8 *src, gsize size_bytes);

/* --- as GstMemory -------------------------------------------------------- */

#define GST_CL_PINNED_MEMORY_TYPE "OpenCLPinnedMemory"

#define GST_TYPE_CL_PINNED_ALLOCATOR (gst_cl_pinned_allocator_get_type ())
G_DECLARE_FINAL_TYPE (GstClPinnedAllocator, gst_cl_pinned_allocator, GST,
    CL_PINNED_ALLOCATOR, GstAllocator)

/* Returns an allocator of pinned memory, which other elements use as ordinary
 * host memory: an upstream element that writes to it saves a copy. The last
 * reference to a GstMemory frees it, in any thread; each holds a reference to
 * @context. Use it with a pool, since allocation is slow. */
GstAllocator *gst_cl_pinned_allocator_new (GstClContext *context);

/* Returns TRUE if @memory can be transferred to @context's device without a
 * copy. */
gboolean gst_cl_pinned_is_memory_of (GstMemory *memory, GstClContext *context);

/* --- foreign memory that the driver pins ---------------------------------- */

/* Foreign host memory that the driver has pinned, so that the device reads it
 * by DMA: recurring buffers, such as those of an upstream pool.
 *
 * A buffer of CL_MEM_USE_HOST_PTR over the memory makes the driver pin it; no
 * command uses the cl_mem itself. It is stored as qdata of the GstMemory and is
 * released when the memory is freed, before its bytes are: if the driver had
 * the pages pinned longer, it would read other memory at the same address
 * (docs/devices.md). */

/* Returns TRUE if @memory may be registered: ordinary system memory with a
 * constant address, and not too small. Any thread. */
gboolean gst_cl_registered_is_supported (GstMemory *memory);

/* Records that a frame with presentation time @time (or GST_CLOCK_TIME_NONE)
 * has arrived in @memory, for which gst_cl_registered_is_supported() is TRUE.
 * @data is the mapped address of its first byte. Returns TRUE if the device of
 * @context can read it by DMA. Memory is registered when the third frame
 * arrives in it, or later if frames have no times, since a registration costs
 * as much as several copies. Any thread. */
gboolean gst_cl_registered_use (GstClContext *context, GstMemory *memory,
    const guint8 *data, GstClockTime time);

/* Makes the driver pin @size_bytes at @data as long as the result lives. NULL
 * with @error; the caller frees the result by gst_cl_buffer_free() before
 * @data. Any thread. */
cl_mem gst_cl_registered_pin (GstClContext *context, gpointer data,
    gsize size_bytes, GError **error);

G_END_DECLS

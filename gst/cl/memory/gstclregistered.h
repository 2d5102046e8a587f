/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

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

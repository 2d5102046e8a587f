/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Plain device buffers: scratch of ops, frames of tests. */

/* Allocates @size_bytes of device memory, contents undefined. Where the device
 * cannot hold it: CL_MEM_OBJECT_ALLOCATION_FAILURE with both numbers.
 * Host-visible without a copy on devices that share the host's memory. */
cl_mem gst_cl_buffer_new (GstClContext *context, gsize size_bytes,
    GError **error);

/* Allocates device memory and writes zeros to it: memory that was never written
 * may be read faster than any other. Blocking. */
cl_mem gst_cl_buffer_new_zeroed (GstClContext *context, gsize size_bytes,
    GError **error);

/* Allocates device memory filled with @data; waits for nothing that is
 * enqueued. */
cl_mem gst_cl_buffer_new_filled (GstClContext *context, gsize size_bytes,
    gconstpointer data, GError **error);

/* A buffer over @size_bytes of the host's memory at @data, for kernels and
 * commands to read; to be freed before @data is. NULL with *code set. */
cl_mem gst_cl_buffer_new_over (GstClContext *context, gpointer data,
    gsize size_bytes, cl_int *code);

/* Accepts NULL. Safe while commands that use @mem are still enqueued. */
void gst_cl_buffer_free (cl_mem mem);

/* Blocking, on the context's queue, after all that was enqueued. */
gboolean gst_cl_buffer_write (GstClContext *context, cl_mem mem,
    gsize offset_bytes, gsize size_bytes, const void *data, GError **error);

/* Maps all of @mem, of @size_bytes, for the CPU; waits for what is enqueued on
 * @queue, and for nothing else. @what: what that is for, in an error. A driver
 * that says it has mapped and gives no address has failed: CL_MAP_FAILURE. NULL
 * with @error. */
gpointer gst_cl_buffer_map (GstClContext *context, GstClQueue queue, cl_mem mem,
    cl_map_flags flags, gsize size_bytes, const gchar *what, GError **error);

/* TRUE if one buffer of @size_bytes can exist on the device; else
 * CL_MEM_OBJECT_ALLOCATION_FAILURE with the size and the limit. */
gboolean gst_cl_buffer_check_size (GstClContext *context, guint64 size_bytes,
    GError **error);

G_END_DECLS

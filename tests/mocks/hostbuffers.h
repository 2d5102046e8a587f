/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <CL/cl.h>
#include <glib.h>

G_BEGIN_DECLS

/* Records of OpenCL buffers over host memory, and of reads of this memory.
 * hostbuffers.c also defines clRetainMemObject() and clReleaseMemObject(). Any
 * thread. */

/* Records that @mem is a buffer over the @size_bytes bytes at @host. */
void host_buffers_add (cl_mem mem, gpointer host, gsize size_bytes);

/* Returns the address from which a transfer from @data must read: @data or, if
 * @is_stale and @data is in a recorded buffer, a copy of the contents that the
 * buffer had when it was recorded. Counts the transfers from recorded
 * buffers. */
gconstpointer host_buffers_read (gconstpointer data, gboolean is_stale);

/* Returns whether the plugin has references to @mem, a recorded buffer. */
gboolean host_buffers_is_referenced (cl_mem mem);

/* Returns the number of transfers from recorded buffers. */
gint host_buffers_n_reads (void);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <CL/cl.h>
#include <glib.h>

G_BEGIN_DECLS

/* Buffers over host memory, and reads of that memory. The file also defines
 * clRetainMemObject() and clReleaseMemObject(). Any thread. */

/* @mem was created over @size_bytes at @host. */
void host_buffers_note (cl_mem mem, gpointer host, gsize size_bytes);

/* Called for a transfer from @data: returns the address to read, which is a
 * copy of earlier contents of the buffer's memory if @is_kept. Counts the
 * transfer if it is from a buffer. */
gconstpointer host_buffers_read (gconstpointer data, gboolean is_kept);

/* Returns the number of such transfers. */
gint host_buffers_n_reads (void);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <CL/cl.h>
#include <glib.h>

G_BEGIN_DECLS

/* Buffers that were made of memory of the host, and what is read of that. The
 * file has clRetainMemObject() and clReleaseMemObject(), too. Any thread. */

/* @mem was made of @size_bytes at @host. */
void host_buffers_note (cl_mem mem, gpointer host, gsize size_bytes);

/* A transfer reads @data: returns where it is to read, which is a copy of what
 * a buffer's memory once held if @is_kept. Counts it if it is of a buffer. */
gconstpointer host_buffers_read (gconstpointer data, gboolean is_kept);

/* How many such transfers were counted. */
gint host_buffers_n_reads (void);

G_END_DECLS

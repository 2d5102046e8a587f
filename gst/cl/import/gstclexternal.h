/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Memory that another library has made on the device, and exports as an opaque
 * POSIX file descriptor (cl_khr_external_memory_opaque_fd). */

/* What keeps the device of @context from taking it; NULL: nothing. */
const gchar *gst_cl_external_find_obstacle (GstClContext *context);

/* A buffer around the @size_bytes behind @fd; @flags: what kernels do to it, as
 * CL_MEM_READ_ONLY. Takes over @fd. NULL with @error */
cl_mem gst_cl_external_import (GstClContext *context, int fd, gsize size_bytes,
    cl_mem_flags flags, GError **error);

/* If the process has no file descriptor left, *@error, of a call that needs
 * one, becomes a shortage that says so (gst_cl_error_is_shortage()). @error
 * may be NULL. Any thread. */
void gst_cl_external_explain (GError **error);

/* Commands on @queue between these two see what the other library has written
 * to @n_mems buffers, at least one, before the first, and are done before it
 * writes once *@event (may be NULL) is. The caller releases the event. */
cl_int gst_cl_external_acquire (GstClContext *context, cl_command_queue queue,
    const cl_mem *mems, guint n_mems);
cl_int gst_cl_external_release (GstClContext *context, cl_command_queue queue,
    const cl_mem *mems, guint n_mems, cl_event *event);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Device memory that another library has allocated and exports as an opaque
 * POSIX file descriptor (cl_khr_external_memory_opaque_fd). */

/* Returns why the device of @context cannot import such memory; NULL if it can.
 */
const gchar *gst_cl_external_find_obstacle (GstClContext *context);

/* Imports the @size_bytes behind @fd as a buffer; takes ownership of @fd.
 * @flags: how kernels use it, such as CL_MEM_READ_ONLY. NULL with @error;
 * transfer full. */
cl_mem gst_cl_external_import (GstClContext *context, int fd, gsize size_bytes,
    cl_mem_flags flags, GError **error);

/* Call it after a call that needs a file descriptor has failed. If the process
 * has no file descriptors left, replaces *@error by a shortage with that reason
 * (gst_cl_error_is_shortage()). @error may be NULL. Any thread. */
void gst_cl_external_explain (GError **error);

/* Acquire and release @n_mems buffers, at least one, on @queue. Commands
 * between the two calls see what the other library has written before the
 * acquire. The other library may write again when *@event is complete; @event
 * may be NULL, otherwise the caller releases *@event. */
cl_int gst_cl_external_acquire (GstClContext *context, cl_command_queue queue,
    const cl_mem *mems, guint n_mems);
cl_int gst_cl_external_release (GstClContext *context, cl_command_queue queue,
    const cl_mem *mems, guint n_mems, cl_event *event);

G_END_DECLS

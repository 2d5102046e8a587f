/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Memory that another library or a kernel driver has allocated and exports as a
 * POSIX file descriptor (cl_khr_external_memory). */

/* What a file descriptor refers to: a cl_external_memory_handle_type_khr. */
typedef enum {
  /* memory of one driver; cl_khr_external_memory_opaque_fd */
  GST_CL_HANDLE_OPAQUE_FD = 0x2060,
  /* a Linux dma_buf; cl_khr_external_memory_dma_buf */
  GST_CL_HANDLE_DMA_BUF = 0x2067,
} GstClHandle;

/* Returns why the device of @context cannot import memory by such descriptors;
 * NULL if it can. */
const gchar *gst_cl_external_find_obstacle (GstClContext *context,
    GstClHandle handle);

/* Imports the @size_bytes behind @fd as a buffer; takes ownership of @fd.
 * @flags: how kernels use it, such as CL_MEM_READ_ONLY. NULL with @error;
 * transfer full. */
cl_mem gst_cl_external_import (GstClContext *context, GstClHandle handle,
    int fd, gsize size_bytes, cl_mem_flags flags, GError **error);

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

/* --- imports of recurring memory ------------------------------------------ */

/* An import of a GstMemory, in use by one frame. Between frames, the GstMemory
 * keeps it: an import costs system calls, and a file descriptor if the driver
 * does not close it. All zeros: none. */
typedef struct {
  cl_mem mem;
  /*< private >*/
  guint context_serial;
  GstMemory *memory; /* owned */
} GstClImported;

/* Sets *imported to an import of @memory that @memory has kept for @context;
 * imported->mem is NULL if there is none, and the caller sets it. Any thread.
 */
void gst_cl_imported_take (GstClImported *imported, GstClContext *context,
    GstMemory *memory);

/* Returns the import to its GstMemory, which releases it at the latest when it
 * is freed. No command may still use the import. Any thread. */
void gst_cl_imported_keep (GstClImported *imported);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain device buffers. */

#include "gstclbuffer.h"

/* @what_fits: a sentence, or an empty string. */
static void
set_shortage (const GstClDevice *device, guint64 size_bytes,
    const gchar *what_fits, GError **error)
{
  g_set_error (error, GST_CL_ERROR, CL_MEM_OBJECT_ALLOCATION_FAILURE,
      "A buffer of %" G_GUINT64_FORMAT
      " bytes is needed, %s allows %" G_GUINT64_FORMAT
      " bytes (%" G_GUINT64_FORMAT " bytes in all).%s",
      size_bytes, device->name, device->max_alloc_bytes, device->global_bytes,
      what_fits);
}

gboolean
gst_cl_buffer_check_size (GstClContext *context, guint64 size_bytes,
    GError **error)
{
  if (size_bytes <= context->device->max_alloc_bytes)
    return TRUE;

  set_shortage (context->device, size_bytes, "", error);

  return FALSE;
}

gboolean
gst_cl_buffer_check_rows (GstClContext *context, guint64 size_bytes,
    guint n_rows, GError **error)
{
  const GstClDevice *device = context->device;
  g_autofree gchar *what_fits = NULL;

  if (size_bytes <= device->max_alloc_bytes)
    return TRUE;

  what_fits = g_strdup_printf (
      " At this width, frames of up to %" G_GUINT64_FORMAT " rows fit.",
      gst_util_uint64_scale (device->max_alloc_bytes, n_rows, size_bytes));
  set_shortage (device, size_bytes, what_fits, error);

  return FALSE;
}

/* @data: the initial contents of the buffer, or NULL. */
static cl_mem
create (GstClContext *context, gsize size_bytes, gconstpointer data,
    GError **error)
{
  cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
  cl_int code;
  cl_mem mem;

  if (!gst_cl_buffer_check_size (context, size_bytes, error))
    return NULL;

  if (context->device->is_host_unified)
    flags |= CL_MEM_ALLOC_HOST_PTR;
  mem = clCreateBuffer (context->handle, flags, MAX (size_bytes, 1),
      (gpointer) data, &code);
  if (code != CL_SUCCESS) {
    g_set_error (error, GST_CL_ERROR, code,
        "A buffer of %zu bytes is needed, %s has %" G_GUINT64_FORMAT
        " bytes in all: %s (%d).",
        size_bytes, context->device->name, context->device->global_bytes,
        gst_cl_error_name (code), code);
    return NULL;
  }

  return mem;
}

cl_mem
gst_cl_buffer_new (GstClContext *context, gsize size_bytes, GError **error)
{
  return create (context, size_bytes, NULL, error);
}

cl_mem
gst_cl_buffer_new_filled (GstClContext *context, gsize size_bytes,
    gconstpointer data, GError **error)
{
  return create (context, size_bytes, data, error);
}

cl_mem
gst_cl_buffer_new_zeroed (GstClContext *context, gsize size_bytes,
    GError **error)
{
  cl_mem mem = gst_cl_buffer_new (context, size_bytes, error);
  g_autofree gchar *zeros = mem ? g_malloc0 (size_bytes) : NULL;

  if (mem && !gst_cl_buffer_write (context, mem, 0, size_bytes, zeros, error))
    g_clear_pointer (&mem, gst_cl_buffer_free);

  return mem;
}

cl_mem
gst_cl_buffer_new_over (GstClContext *context, gpointer data, gsize size_bytes,
    cl_int *code)
{
  return clCreateBuffer (context->handle,
      CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, size_bytes, data, code);
}

cl_mem
gst_cl_buffer_new_part (cl_mem mem, gsize offset_bytes, gsize size_bytes,
    GError **error)
{
  const cl_buffer_region region = { offset_bytes, size_bytes };
  cl_int code;
  cl_mem part = clCreateSubBuffer (mem, 0, CL_BUFFER_CREATE_TYPE_REGION,
      &region, &code);

  return gst_cl_check (code, "create a sub-buffer", error) ? part : NULL;
}

gsize
gst_cl_buffer_alignment (GstClContext *context)
{
  return MAX (context->device->base_align_bytes, 1);
}

void
gst_cl_buffer_free (cl_mem mem)
{
  if (mem)
    clReleaseMemObject (mem);
}

gboolean
gst_cl_buffer_write (GstClContext *context, cl_mem mem, gsize offset_bytes,
    gsize size_bytes, const void *data, GError **error)
{
  return gst_cl_check (clEnqueueWriteBuffer (gst_cl_context_find_queue (context,
                                                 GST_CL_QUEUE_COMPUTE),
                           mem, CL_TRUE, offset_bytes, size_bytes, data, 0,
                           NULL, NULL),
      "write a buffer", error);
}

gboolean
gst_cl_buffer_read (GstClContext *context, cl_mem mem, gsize offset_bytes,
    gsize size_bytes, void *data, GError **error)
{
  return gst_cl_check (clEnqueueReadBuffer (gst_cl_context_find_queue (context,
                                                GST_CL_QUEUE_COMPUTE),
                           mem, CL_TRUE, offset_bytes, size_bytes, data, 0,
                           NULL, NULL),
      "read a buffer", error);
}

gboolean
gst_cl_buffer_clear (GstClContext *context, cl_mem mem, gsize size_bytes,
    GError **error)
{
  const cl_uchar zero = 0;

  return gst_cl_check (clEnqueueFillBuffer (gst_cl_context_find_queue (context,
                                                GST_CL_QUEUE_COMPUTE),
                           mem, &zero, sizeof zero, 0, size_bytes, 0, NULL,
                           NULL),
      "clear a buffer", error);
}

/* NVIDIA's driver refuses some rectangles that are within both buffers with
 * CL_INVALID_VALUE, so rows are copied one by one. */
gboolean
gst_cl_buffer_copy_rows (GstClContext *context, const GstClCopy *copy,
    GError **error)
{
  const GstClRows *rows = &copy->rows;
  const gboolean is_block = gst_cl_rows_are_packed (rows);
  const gsize n_rows = is_block ? 1 : rows->n_rows;
  const gsize row_bytes = is_block ? gst_cl_rows_source_bytes (rows)
                                   : rows->row_bytes;
  cl_command_queue queue = gst_cl_context_find_queue (context,
      GST_CL_QUEUE_COMPUTE);
  cl_int code = CL_SUCCESS;

  for (gsize y = 0; y < n_rows && code == CL_SUCCESS; y++)
    code = clEnqueueCopyBuffer (queue, copy->from, copy->target.mem,
        copy->offset_bytes + y * rows->src_stride_bytes,
        copy->target.offset_bytes + y * rows->dst_stride_bytes, row_bytes, 0,
        NULL, NULL);

  return gst_cl_check (code, "copy rows of a frame", error);
}

gpointer
gst_cl_buffer_map (GstClContext *context, GstClQueue queue, cl_mem mem,
    cl_map_flags flags, gsize size_bytes, const gchar *what, GError **error)
{
  cl_int code;
  gpointer data = clEnqueueMapBuffer (
      gst_cl_context_find_queue (context, queue), mem, CL_TRUE, flags, 0,
      MAX (size_bytes, 1), 0, NULL, NULL, &code);

  if (code == CL_SUCCESS && !data)
    code = CL_MAP_FAILURE;

  return gst_cl_check (code, what, error) ? data : NULL;
}

gboolean
gst_cl_buffer_unmap (GstClContext *context, GstClQueue queue, cl_mem mem,
    gpointer data, GError **error)
{
  return gst_cl_check (
      clEnqueueUnmapMemObject (gst_cl_context_find_queue (context, queue), mem,
          data, 0, NULL, NULL),
      "unmap a buffer", error);
}

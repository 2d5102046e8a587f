/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Imports Linux dma_bufs by cl_khr_external_memory_dma_buf: the device reads
 * them in place, in the memory of whichever device has written them. */

#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */

#include <errno.h>
#include <fcntl.h>
#include <gst/allocators/gstdmabuf.h>
#include <poll.h>

#include "cl/memory/gstclbuffer.h"
#include "common/gstcldebug.h"
#include "gstclexternal.h"
#include "gstclimportpath.h"

GST_CL_DEBUG_CATEGORY_EXTERN (gst_cl_import_debug);
#define GST_CAT_DEFAULT gst_cl_import_debug ()

/* --- memory and devices that are supported -------------------------------- */

static gboolean
supports (GstClContext *context, GstMemory *memory)
{
  return memory && gst_is_dmabuf_memory (memory);
}

static const gchar *
find_obstacle (GstClContext *context)
{
  return gst_cl_external_find_obstacle (context, GST_CL_HANDLE_DMA_BUF);
}

/* --- imports ------------------------------------------------------------- */

/* GStreamer's VA library refuses to map memory whose modifier is not linear;
 * caps without a modifier do not show it. */
static gboolean
check_mappable (GstMemory *memory, GError **error)
{
  GstMapInfo map;

  if (!gst_memory_map (memory, &map, GST_MAP_READ))
    return gst_cl_buffer_region_fail (memory, error);
  gst_memory_unmap (memory, &map);

  return TRUE;
}

/* Imports the whole dma_buf: planes are at offsets in it. NULL with @error. */
static cl_mem
import (GstClContext *context, GstMemory *memory, GError **error)
{
  int fd;

  if (!check_mappable (memory, error))
    return NULL;

  fd = fcntl (gst_dmabuf_memory_get_fd (memory), F_DUPFD_CLOEXEC, 0);
  if (fd < 0) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
        "duplicate the file descriptor of a DMABuf: %s", g_strerror (errno));
    gst_cl_external_explain (error);
    return NULL;
  }

  return gst_cl_external_import (context, GST_CL_HANDLE_DMA_BUF, fd,
      memory->maxsize, CL_MEM_READ_ONLY, error);
}

/* Waits for the commands of other devices that write the dma_buf: its implicit
 * fences, which the kernel signals in bounded time. */
static void
wait_for_writes (GstMemory *memory)
{
  struct pollfd state = { .fd = gst_dmabuf_memory_get_fd (memory),
    .events = POLLIN };

  while (poll (&state, 1, -1) < 0 && errno == EINTR)
    continue;
}

/* Imports the memory of @source for @range, unless it is imported. FALSE: a
 * later path imports the frame. */
static gboolean
import_source (const GstClSource *source, GstClDeviceRange *range)
{
  g_autoptr (GError) failure = NULL;

  if (range->imported.mem)
    return TRUE;

  gst_cl_imported_take (&range->imported, source->context, source->memory);
  if (!range->imported.mem) {
    gst_cl_context_set_trying (TRUE);
    range->imported.mem = import (source->context, source->memory, &failure);
    gst_cl_context_set_trying (FALSE);
  }
  if (!range->imported.mem) {
    GST_INFO_OBJECT (source->context, "a DMABuf is not imported: %s",
        failure->message);
    gst_cl_imported_keep (&range->imported);
    return FALSE;
  }

  wait_for_writes (source->memory);
  /* upstream writes the next frame into it when the device is done */
  range->is_host = TRUE;

  return TRUE;
}

/* --- reading in place ----------------------------------------------------- */

static gsize
find_offset (const GstClSource *source)
{
  return source->memory->offset + source->region.skip;
}

static gboolean
take (const GstClSource *source, guint align_bytes, GstMapFlags flags,
    GstClDeviceRange *range, GError **error)
{
  if (find_offset (source) % align_bytes != 0 || !import_source (source, range))
    return FALSE;

  range->mem = range->imported.mem;
  range->offset_bytes = find_offset (source);
  range->pending.is_external = TRUE;

  return TRUE;
}

/* --- copying on the device ------------------------------------------------ */

static gboolean
upload (const GstClImportPath *path, const GstClSource *source,
    GstClStagingBuffer *staging, const GstClTarget *target,
    GstClDeviceRange *range, GError **error)
{
  const GstClRows *rows = &source->rows;

  if (!import_source (source, range) ||
      !gst_cl_device_range_begin_copy (range,
          &(GstClCopy){ range->imported.mem, find_offset (source), *rows,
              *target },
          source->context, error))
    return FALSE;
  gst_cl_context_count_within (source->context, rows->row_bytes * rows->n_rows);

  return TRUE;
}

static gboolean
copy (const GstClImportPath *path, const GstClSource *source,
    GstClStagingBuffer *staging, GstClDeviceRange *range, GError **error)
{
  GstClTarget target = { .sync = &staging->sync };

  if (!import_source (source, range) ||
      !gst_cl_staging_buffer_reserve (staging, source->context,
          gst_cl_rows_target_bytes (&source->rows), error))
    return FALSE;

  target.mem = staging->mem;
  if (!upload (path, source, staging, &target, range, error))
    return FALSE;
  range->pending.upload = range->uploaded;
  range->mem = staging->mem;
  range->offset_bytes = 0;
  range->sync = &staging->sync;

  return TRUE;
}

/* --- the import check ----------------------------------------------------- */

/* Copies the bytes of @memory, through @mem, to @to. */
static gboolean
read_imported (GstClContext *context, cl_command_queue queue, cl_mem mem,
    GstMemory *memory, guint8 *to, GError **error)
{
  const gsize size_bytes = memory->size;
  const GstClCopy copy = {
    .from = mem,
    .offset_bytes = memory->offset,
    .rows = gst_cl_rows_block (size_bytes),
    .target.mem = gst_cl_buffer_new (context, size_bytes, error),
  };
  const GstClCommand command = { 0 };
  cl_event copied = NULL;
  gboolean is_read;

  if (!copy.target.mem)
    return FALSE;

  is_read = gst_cl_check (
                gst_cl_external_copy (&copy, context, queue, &command, &copied),
                "copy a frame", error) &&
            gst_cl_check (clEnqueueReadBuffer (queue, copy.target.mem, CL_FALSE,
                              0, size_bytes, to, 0, NULL, NULL),
                "read a frame", error);
  is_read = gst_cl_check (gst_cl_finish (queue), "copy a frame",
                is_read ? error : NULL) &&
            is_read;
  g_clear_pointer (&copied, clReleaseEvent);
  gst_cl_buffer_free (copy.target.mem);

  return is_read;
}

/* The plugin must not write known bytes to upstream's memory: the device and
 * the processor read the frame, and must read the same. @data: a GstMemory. */
static gboolean
try (GstClContext *context, const GstClImportCheckRun *run, gpointer data,
    GError **error)
{
  GstMemory *memory = data;
  guint8 *read = g_malloc (memory->size);
  cl_mem mem = import (context, memory, error);
  gboolean is_read;

  g_ptr_array_add (run->lent, read);
  if (!mem)
    return FALSE;

  wait_for_writes (memory);
  is_read = read_imported (context, run->queue, mem, memory, read, error);
  gst_cl_buffer_free (mem);

  return is_read && gst_cl_import_check_compare (memory, read, run, error);
}

static const GstClImportCheck check = {
  .name = "DMABuf",
  .find_obstacle = find_obstacle,
  .try = try,
};

const GstClImportPath gst_cl_import_path_dmabuf = {
  .check = &check,
  .caps_feature = GST_CAPS_FEATURE_MEMORY_DMABUF,
  .is_host_memory = TRUE,
  .supports = supports,
  .take = take,
  .copy = copy,
  .upload = upload,
};

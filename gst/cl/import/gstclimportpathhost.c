/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Imports host memory over the bus: directly if the driver has registered it or
 * it is pinned, else through pinned memory. */

#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclpinned.h"
#include "gstclimportpath.h"

#include <string.h>

/* --- transfers ------------------------------------------------------------ */

/* Maps the memory of @source for @range, unless it is mapped. FALSE with
 * @error. */
static gboolean
map_source (const GstClSource *source, GstClDeviceRange *range, GError **error)
{
  return range->memory ||
         gst_cl_device_range_map (range, source->memory, GST_MAP_READ) ||
         gst_cl_buffer_region_fail (source->memory, error);
}

/* upload() of GstClImportPath, for the bytes that its find_bytes() returns. */
static gboolean
upload (const GstClImportPath *path, const GstClSource *source,
    GstClStagingBuffer *staging, const GstClTarget *target,
    GstClDeviceRange *range, GError **error)
{
  const GstClWrite write = {
    path->find_bytes (source, staging, range, error),
    source->rows,
    *target,
  };

  if (!write.data ||
      !gst_cl_device_range_begin_write (range, &write, source->context, error))
    return FALSE;
  /* copied bytes need not stay mapped until the device is done */
  gst_cl_device_range_release_copied (range);

  return TRUE;
}

/* copy() of GstClImportPath, for the bytes that its find_bytes() returns. The
 * write is deferred to the thread that enqueues the kernels
 * (GstClDeviceRange.pending), unless the driver copies the bytes within the
 * call that enqueues it. */
static gboolean
copy (const GstClImportPath *path, const GstClSource *source,
    GstClStagingBuffer *staging, GstClDeviceRange *range, GError **error)
{
  GstClWrite write = { .rows = source->rows };

  write.data = path->find_bytes (source, staging, range, error);
  if (!write.data || !gst_cl_staging_buffer_reserve (staging, source->context,
                         gst_cl_rows_target_bytes (&source->rows), error))
    return FALSE;

  write.target = (GstClTarget){ staging->mem, 0, &staging->sync };
  if (source->context->is_discrete)
    range->pending.write = write;
  else if (!gst_cl_device_range_begin_write (range, &write, source->context,
               error))
    return FALSE;
  range->pending.upload = range->uploaded;

  gst_cl_device_range_release_copied (range);
  range->mem = staging->mem;
  range->offset_bytes = 0;
  range->sync = &staging->sync;

  return TRUE;
}

/* try() of GstClImportCheck: @from contains the bytes of @run already. */
static gboolean
try_transfer (GstClContext *context, const GstClImportCheckRun *run,
    const guint8 *from, GError **error)
{
  const gsize size_bytes = run->size_bytes;
  cl_mem mem = gst_cl_buffer_new (context, size_bytes, error);
  cl_int code, finished;

  if (!mem)
    return FALSE;

  code = clEnqueueWriteBuffer (run->queue, mem, !context->is_discrete, 0,
      size_bytes, from, 0, NULL, NULL);
  if (code == CL_SUCCESS)
    code = clEnqueueReadBuffer (run->queue, mem, CL_FALSE, 0, size_bytes,
        run->back, 0, NULL, NULL);
  finished = gst_cl_finish (run->queue);
  gst_cl_buffer_free (mem);

  return gst_cl_check (code == CL_SUCCESS ? finished : code,
      "transfer host memory", error);
}

/* --- pinned memory: supports all memory that can be mapped ---------------- */

static gboolean
supports_pinned (GstClContext *context, GstMemory *memory)
{
  return TRUE;
}

/* Copies the bytes at @source to the pinned memory of @staging and returns the
 * copy. NULL with @error. */
static const guint8 *
gather (const GstClSource *source, GstClStagingBuffer *staging, GError **error)
{
  const gsize size_bytes = gst_cl_rows_source_bytes (&source->rows);
  GstClPinned *pinned = &staging->pinned;

  if (!gst_cl_pinned_reserve (pinned, source->context, size_bytes, error) ||
      !gst_cl_buffer_region_gather (&source->region, source->buffer, size_bytes,
          pinned->data, error))
    return NULL;

  return pinned->data;
}

/* Returns the address of the bytes of @source, if the transfer is blocking or
 * @range has pinned memory; else a copy in the pinned memory of @staging. */
static const guint8 *
find_pinned_bytes (const GstClSource *source, GstClStagingBuffer *staging,
    GstClDeviceRange *range, GError **error)
{
  const gsize size_bytes = gst_cl_rows_source_bytes (&source->rows);
  GstClContext *context = source->context;
  GstClPinned *pinned = &staging->pinned;
  const guint8 *data;

  if (!source->memory)
    return gather (source, staging, error);

  if (!map_source (source, range, error))
    return NULL;
  data = range->map.data + source->region.skip;
  if (!context->is_discrete)
    return data;
  if (gst_cl_pinned_is_memory_of (range->memory, context)) {
    range->is_host = TRUE;
    return data;
  }

  if (!gst_cl_pinned_reserve (pinned, context, size_bytes, error))
    return NULL;
  gst_cl_pinned_copy (pinned->data, data, size_bytes);

  return pinned->data;
}

static gboolean
try_pinned (GstClContext *context, const GstClImportCheckRun *run,
    gpointer data, GError **error)
{
  GstClPinned pinned = { 0 };
  gboolean done;

  if (!context->is_discrete)
    return try_transfer (context, run, run->bytes, error);

  if (!gst_cl_pinned_reserve (&pinned, context, run->size_bytes, error))
    return FALSE;
  memcpy (pinned.data, run->bytes, run->size_bytes);
  done = try_transfer (context, run, pinned.data, error);
  if (done)
    gst_cl_pinned_clear (&pinned, context);
  else
    gst_cl_pinned_quarantine (&pinned, context);

  return done;
}

static const GstClImportCheck pinned_check = { .name = "pinned host memory",
  .try = try_pinned };

const GstClImportPath gst_cl_import_path_pinned = {
  .check = &pinned_check,
  .supports = supports_pinned,
  .copy = copy,
  .upload = upload,
  .find_bytes = find_pinned_bytes,
};

/* --- foreign memory of recurring buffers ---------------------------------- */

static gboolean
supports_registered (GstClContext *context, GstMemory *memory)
{
  return memory && gst_cl_registered_is_supported (memory);
}

/* Returns NULL without @error while the memory is not registered; it stays
 * mapped for the path that imports it instead. */
static const guint8 *
find_registered_bytes (const GstClSource *source, GstClStagingBuffer *staging,
    GstClDeviceRange *range, GError **error)
{
  if (!map_source (source, range, error) ||
      !gst_cl_registered_use (source->context, range->memory, range->map.data,
          GST_BUFFER_PTS (source->buffer)))
    return NULL;
  range->is_host = TRUE;

  return range->map.data + source->region.skip;
}

#define LEAD 96 /* bytes: memory may begin at any address */

static const gchar *
find_obstacle (GstClContext *context)
{
  return context->is_discrete ? NULL : "memory that it shares with the host";
}

/* The bytes are written after the memory is registered, as with every frame
 * except the first, and are a part of the memory. */
static gboolean
try_registered (GstClContext *context, const GstClImportCheckRun *run,
    gpointer data, GError **error)
{
  guint8 *memory = g_malloc0 (run->size_bytes + 2 * LEAD);
  cl_mem pinned = gst_cl_registered_pin (context, memory + LEAD / 2,
      run->size_bytes + LEAD, error);
  gboolean done;

  g_ptr_array_add (run->lent, memory);
  if (!pinned)
    return FALSE;

  memcpy (memory + LEAD, run->bytes, run->size_bytes);
  done = try_transfer (context, run, memory + LEAD, error);
  gst_cl_buffer_free (pinned);

  return done;
}

static const GstClImportCheck registered_check = {
  .name = "registered host memory",
  .find_obstacle = find_obstacle,
  .try = try_registered,
};

const GstClImportPath gst_cl_import_path_registered = {
  .check = &registered_check,
  .supports = supports_registered,
  .copy = copy,
  .upload = upload,
  .find_bytes = find_registered_bytes,
};

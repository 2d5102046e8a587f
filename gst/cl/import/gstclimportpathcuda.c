/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Imports CUDA memory: copied on the GPU into memory that CUDA and OpenCL
 * share. */

#include "cl/context/gstclcontext.h"
#include "cl/memory/gstclbuffer.h"
#include "gstclcuda.h"
#include "gstclexternal.h"
#include "gstclimportpath.h"

/* --- memory and devices that are supported -------------------------------- */

/* Memory of another GPU is copied through the host. */
static gboolean
supports (GstClContext *context, GstMemory *memory)
{
  return memory && gst_cl_cuda_memory_is_of (memory, context->device);
}

/* TRUE if CUDA lists the GPU that is @device. */
static gboolean
lists_device (const GstClCudaDriver *driver, const GstClDevice *device)
{
  int n = 0;

  if (driver->device_count (&n) != 0)
    return FALSE;

  for (int i = 0; i < n; i++) {
    GstClCudaUuid uuid;
    gchar text[2 * sizeof uuid.bytes + 1];
    int id;

    if (driver->device_get (&id, i) != 0 ||
        driver->device_uuid (&uuid, id) != 0)
      continue;
    for (guint b = 0; b < sizeof uuid.bytes; b++)
      g_snprintf (text + 2 * b, 3, "%02x", uuid.bytes[b]);
    if (g_strcmp0 (text, device->uuid) == 0)
      return TRUE;
  }

  return FALSE;
}

/* Loads the driver last, and only if CUDA memory can arrive at all. */
static const gchar *
find_obstacle (GstClContext *context)
{
  const gchar *obstacle;

  if (!gst_cl_cuda_memory_exists ())
    return "no CUDA memory to import: no element has loaded GStreamer's "
           "library";
  if (!context->device->uuid)
    return "no UUID";
  obstacle = gst_cl_external_find_obstacle (context, GST_CL_HANDLE_OPAQUE_FD);
  if (obstacle)
    return obstacle;
  if (!gst_cl_cuda_driver ())
    return "no CUDA driver (libcuda.so.1)";
  if (!lists_device (gst_cl_cuda_driver (), context->device))
    return "no entry in the list of CUDA devices";

  return NULL;
}

/* --- copies -------------------------------------------------------------- */

/* Copies in the decoder's stream, after its writes; waits for the copy only. */
static gboolean
copy_mapped (const GstClSource *source, GstClStagingBuffer *staging,
    GError **error)
{
  gboolean copied;
  GstMapInfo map;

  if (!gst_cl_cuda_memory_map (source->memory, &map, GST_MAP_READ))
    return gst_cl_buffer_region_fail (source->memory, error);
  copied = gst_cl_cuda_shared_copy (staging->cuda.shared,
      (GstClCudaPointer) (guintptr) map.data + source->region.skip,
      &source->rows, gst_cl_cuda_memory_stream (source->memory), error);
  gst_memory_unmap (source->memory, &map);
  if (copied)
    gst_cl_cuda_shared_let_waits_sleep (staging->cuda.shared);

  return copied;
}

/* FALSE without @error: no shared memory can be allocated, and a later path
 * imports the frame. */
static gboolean
copy_to_staging (const GstClSource *source, GstClStagingBuffer *staging,
    GError **error)
{
  const GstClRows *rows = &source->rows;
  GstObject *cuda_context = gst_cl_cuda_memory_context (source->memory);
  gboolean copied;

  if (!gst_cl_cuda_scratch_reserve (&staging->cuda, source->context,
          cuda_context, gst_cl_rows_target_bytes (rows), CL_MEM_READ_ONLY) ||
      !gst_cl_cuda_enter (cuda_context, error))
    return FALSE;
  copied = copy_mapped (source, staging, error);
  gst_cl_cuda_leave ();
  if (!copied)
    return FALSE;

  gst_cl_context_count_within (source->context, rows->row_bytes * rows->n_rows);
  /* the GPU now alternates between CUDA and OpenCL */
  gst_cl_context_expect_long_waits (source->context);

  return TRUE;
}

static gboolean
copy (const GstClImportPath *path, const GstClSource *source,
    GstClStagingBuffer *staging, GstClDeviceRange *range, GError **error)
{
  if (!copy_to_staging (source, staging, error))
    return FALSE;

  range->mem = gst_cl_cuda_shared_mem (staging->cuda.shared);
  range->offset_bytes = 0;
  range->pending.is_external = TRUE;

  return TRUE;
}

/* Returns @rows as they are in shared memory, after the copy into it. */
static GstClRows
find_shared_rows (const GstClRows *rows)
{
  return (GstClRows){ rows->row_bytes, rows->n_rows, rows->dst_stride_bytes,
    rows->dst_stride_bytes };
}

static gboolean
upload (const GstClImportPath *path, const GstClSource *source,
    GstClStagingBuffer *staging, const GstClTarget *target,
    GstClDeviceRange *range, GError **error)
{
  GstClCopy copy = { .rows = find_shared_rows (&source->rows),
    .target = *target };

  if (!copy_to_staging (source, staging, error))
    return FALSE;
  copy.from = gst_cl_cuda_shared_mem (staging->cuda.shared);

  return gst_cl_device_range_begin_copy (range, &copy, source->context, error);
}

/* --- the import check ----------------------------------------------------- */

/* Uses the same copies as frames do, from plain CUDA memory. */
static gboolean
copy_known_bytes (GstClCudaShared *shared, const guint8 *bytes,
    const GstClRows *rows, GError **error)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();
  GstClCudaPointer from = 0;
  gboolean brought = TRUE;

  if (!gst_cl_cuda_check (
          driver->alloc (&from, gst_cl_rows_source_bytes (rows)),
          "allocate memory", error))
    return FALSE;
  for (gsize y = 0; y < rows->n_rows && brought; y++)
    brought = gst_cl_cuda_check (
        driver->copy_from_host (from + y * rows->src_stride_bytes,
            bytes + y * rows->row_bytes, rows->row_bytes),
        "copy from the host", error);
  brought = brought &&
            gst_cl_cuda_shared_copy (shared, from, rows, NULL, error);
  driver->free (from);

  return brought;
}

/* Uses the same transfer as frames do, into plain OpenCL memory. */
static gboolean
read_back (GstClContext *context, const GstClImportCheckRun *run, cl_mem from,
    const GstClRows *rows, GError **error)
{
  const gsize size_bytes = gst_cl_rows_target_bytes (rows);
  const GstClCopy copy = {
    .from = from,
    .rows = find_shared_rows (rows),
    .target.mem = gst_cl_buffer_new (context, size_bytes, error),
  };
  const GstClCommand command = { 0 };
  cl_event uploaded = NULL;
  gboolean is_read;

  if (!copy.target.mem)
    return FALSE;
  is_read = gst_cl_check (gst_cl_external_copy (&copy, context, run->queue,
                              &command, &uploaded),
                "copy known bytes", error) &&
            gst_cl_check (clEnqueueReadBuffer (run->queue, copy.target.mem,
                              CL_FALSE, 0, size_bytes, run->back, 0, NULL,
                              NULL),
                "read known bytes", error);
  is_read = gst_cl_check (gst_cl_finish (run->queue), "copy known bytes",
                is_read ? error : NULL) &&
            is_read;
  g_clear_pointer (&uploaded, clReleaseEvent);
  gst_cl_buffer_free (copy.target.mem);

  return is_read;
}

static gboolean
try_rows (GstClContext *context, const GstClImportCheckRun *run,
    GstObject *cuda_context, GstClCudaShared *shared, const GstClRows *rows,
    GError **error)
{
  gboolean brought;

  if (!gst_cl_cuda_enter (cuda_context, error))
    return FALSE;
  brought = copy_known_bytes (shared, run->bytes, rows, error);
  gst_cl_cuda_leave ();

  return brought &&
         read_back (context, run, gst_cl_cuda_shared_mem (shared), rows, error);
}

/* Known bytes are copied as one block, and as rows with a larger stride in the
 * source. @data: a GstMemory of CUDA. */
static gboolean
try (GstClContext *context, const GstClImportCheckRun *run, gpointer data,
    GError **error)
{
  GstObject *cuda_context = gst_cl_cuda_memory_context (data);
  const gsize n_rows = run->size_bytes / GST_CL_IMPORT_CHECK_ROW_BYTES / 2;
  const gsize n_first = run->size_bytes -
                        n_rows * GST_CL_IMPORT_CHECK_ROW_BYTES;
  const GstClRows piece = gst_cl_rows_block (n_first);
  const GstClRows rows = { GST_CL_IMPORT_CHECK_ROW_BYTES, n_rows,
    GST_CL_IMPORT_CHECK_STRIDE, GST_CL_IMPORT_CHECK_ROW_BYTES };
  GstClImportCheckRun second = *run;
  g_autoptr (GstClCudaShared) shared = gst_cl_cuda_shared_new (context,
      cuda_context, n_first, CL_MEM_READ_ONLY, error);

  second.bytes += n_first;
  second.back += n_first;

  return shared &&
         try_rows (context, run, cuda_context, shared, &piece, error) &&
         try_rows (context, &second, cuda_context, shared, &rows, error);
}

static const GstClImportCheck check = {
  .name = "CUDA memory",
  .find_obstacle = find_obstacle,
  .try = try,
};

const GstClImportPath gst_cl_import_path_cuda = {
  .check = &check,
  .caps_feature = GST_CL_CAPS_FEATURE_CUDA,
  .has_export = TRUE,
  .supports = supports,
  .copy = copy,
  .upload = upload,
};

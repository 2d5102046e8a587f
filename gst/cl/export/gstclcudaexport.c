/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From device memory to CUDA memory. */

#include "gstclcudaexport.h"

#include "cl/import/gstclcudamemory.h"
#include "cl/import/gstclexternal.h"
#include "cl/import/gstclways.h"
#include "cl/memory/gstclplace.h"

/* A plane on its way: from OpenCL memory to the memory that is shared, where
 * its rows lie as in CUDA memory, and from there to its place in that. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes;        /* within mem */
  gsize shared_offset_bytes; /* a multiple of the stride there */
  gsize out_offset_bytes;
  GstClRows rows; /* from mem to the others */
} Plane;

/* --- OpenCL's part ------------------------------------------------------- */

static cl_int
enqueue_plane (cl_command_queue queue, const Plane *plane, cl_mem shared)
{
  const GstClRows *rows = &plane->rows;
  const gsize from[3] = { plane->offset_bytes % rows->src_stride_bytes,
    plane->offset_bytes / rows->src_stride_bytes, 0 };
  const gsize to[3] = { 0, plane->shared_offset_bytes / rows->dst_stride_bytes,
    0 };
  const gsize region[3] = { rows->row_bytes, rows->n_rows, 1 };

  return clEnqueueCopyBufferRect (queue, plane->mem, shared, from, to, region,
      rows->src_stride_bytes, 0, rows->dst_stride_bytes, 0, 0, NULL, NULL);
}

/* What is acquired is released in any case; *done then follows it. */
static cl_int
enqueue_planes (GstClContext *context, cl_mem shared, const Plane *planes,
    guint n_planes, cl_event *done)
{
  cl_int code = gst_cl_external_acquire (context, context->queue, shared);
  cl_int release_code;

  if (code != CL_SUCCESS)
    return code;

  for (guint p = 0; p < n_planes && code == CL_SUCCESS; p++)
    code = enqueue_plane (context->queue, &planes[p], shared);
  release_code = gst_cl_external_release (context, context->queue, shared,
      done);

  return code == CL_SUCCESS ? release_code : code;
}

/* --- CUDA's part --------------------------------------------------------- */

/* In the CUDA context. */
static gboolean
copy_to_address (GstClCudaShared *shared, const Plane *planes, guint n_planes,
    GstClCudaPointer to, GError **error)
{
  gboolean started = TRUE;

  for (guint p = 0; p < n_planes && started; p++) {
    GstClRows rows = planes[p].rows;

    rows.src_stride_bytes = rows.dst_stride_bytes;
    started = gst_cl_cuda_shared_start_out (shared,
        planes[p].shared_offset_bytes, to + planes[p].out_offset_bytes, &rows,
        error);
  }

  /* those that were started end before @to goes to others */
  return gst_cl_cuda_shared_wait (shared, started ? error : NULL) && started;
}

static gboolean
copy_to_memory (GstClCudaShared *shared, const Plane *planes, guint n_planes,
    GstMemory *memory, GError **error)
{
  gboolean copied;
  GstMapInfo map;

  if (!gst_cl_cuda_enter (gst_cl_cuda_memory_context (memory), error))
    return FALSE;
  if (gst_cl_cuda_memory_map (memory, &map, GST_MAP_WRITE)) {
    copied = copy_to_address (shared, planes, n_planes,
        (GstClCudaPointer) (guintptr) map.data, error);
    gst_memory_unmap (memory, &map);
  } else {
    copied = gst_cl_place_fail (memory, error);
  }
  gst_cl_cuda_leave ();

  return copied;
}

/* --- frames -------------------------------------------------------------- */

/* Sets *size_bytes to what all planes take in the memory that is shared. */
static gboolean
plan (const GstClFrame *frame, GstBuffer *out, Plane *planes, gsize *size_bytes,
    GError **error)
{
  const GstVideoInfo *info = &frame->info;

  *size_bytes = 0;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    Plane *plane = &planes[p];
    gint row_bytes, n_rows, stride;

    if (!gst_cl_frame_check_plane (out, info, p, error) ||
        !gst_cl_frame_plane_layout (out, info, p, &plane->out_offset_bytes,
            &stride, error))
      return FALSE;

    gst_cl_frame_plane_extent (info, p, &row_bytes, &n_rows);
    plane->mem = frame->planes[p].mem;
    plane->offset_bytes = frame->planes[p].offset_bytes;
    plane->shared_offset_bytes = (*size_bytes + stride - 1) / stride * stride;
    plane->rows = (GstClRows){ (gsize) row_bytes, (gsize) n_rows,
      (gsize) frame->planes[p].stride_bytes, (gsize) stride };
    *size_bytes = plane->shared_offset_bytes +
                  gst_cl_rows_target_bytes (&plane->rows);
  }

  return TRUE;
}

static gboolean
reserve (GstClCudaExport *self, GstClContext *context, GstMemory *memory,
    gsize size_bytes, GError **error)
{
  GstObject *cuda_context = gst_cl_cuda_memory_context (memory);

  if (gst_cl_cuda_shared_serves (self->shared, cuda_context, size_bytes))
    return TRUE;

  g_clear_pointer (&self->shared, gst_cl_cuda_shared_free);
  self->shared = gst_cl_cuda_shared_new (context, cuda_context, size_bytes,
      CL_MEM_WRITE_ONLY, error);

  return self->shared != NULL;
}

gboolean
gst_cl_cuda_export_copy (GstClCudaExport *self, GstClContext *context,
    const GstClFrame *frame, GstBuffer *out, GError **error)
{
  const guint n_planes = GST_VIDEO_INFO_N_PLANES (&frame->info);
  GstMemory *memory = gst_buffer_peek_memory (out, 0);
  Plane planes[GST_VIDEO_MAX_PLANES];
  cl_event done = NULL;
  gboolean enqueued;
  gsize size_bytes;

  if (!plan (frame, out, planes, &size_bytes, error) ||
      !reserve (self, context, memory, size_bytes, error))
    return FALSE;

  enqueued = gst_cl_check (enqueue_planes (context,
                               gst_cl_cuda_shared_mem (self->shared), planes,
                               n_planes, &done),
      "copy a frame for CUDA", error);
  if (!gst_cl_context_wait (context, &done, "copy a frame for CUDA",
          enqueued ? error : NULL) ||
      !enqueued)
    return FALSE;
  gst_cl_context_count_within (context, size_bytes);
  gst_cl_context_expect_long_waits (context);

  return copy_to_memory (self->shared, planes, n_planes, memory, error);
}

void
gst_cl_cuda_export_clear (GstClCudaExport *self)
{
  g_clear_pointer (&self->shared, gst_cl_cuda_shared_free);
}

/* --- proof --------------------------------------------------------------- */

/* The driver and the device need for it what they need for the way in. */
static const gchar *
find_obstacle (GstClContext *context)
{
  return gst_cl_way_cuda.proof->find_obstacle (context);
}

static gboolean
write_shared (GstClContext *context, cl_command_queue queue, cl_mem mem,
    const guint8 *bytes, gsize size_bytes, GError **error)
{
  return gst_cl_check (gst_cl_external_acquire (context, queue, mem),
             "acquire exported memory", error) &&
         gst_cl_check (clEnqueueWriteBuffer (queue, mem, CL_TRUE, 0, size_bytes,
                           bytes, 0, NULL, NULL),
             "write exported memory", error) &&
         gst_cl_check (gst_cl_external_release (context, queue, mem, NULL),
             "release exported memory", error) &&
         gst_cl_check (clFinish (queue), "release exported memory", error);
}

/* By way of plain CUDA memory. In the CUDA context. */
static gboolean
read_shared (GstClCudaShared *shared, gsize size_bytes, guint8 *back,
    GError **error)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();
  const Plane plane = { .rows = { size_bytes, 1, size_bytes, size_bytes } };
  GstClCudaPointer to = 0;
  gboolean brought;

  if (!gst_cl_cuda_check (driver->alloc (&to, size_bytes), "allocate memory",
          error))
    return FALSE;
  brought = copy_to_address (shared, &plane, 1, to, error) &&
            gst_cl_cuda_check (driver->copy_to_host (back, to, size_bytes),
                "copy to the host", error);
  driver->free (to);

  return brought;
}

/* @data: a GstMemory of CUDA */
static gboolean
try (GstClContext *context, cl_command_queue queue, gpointer data,
    const guint8 *bytes, gsize size_bytes, guint8 *back, GError **error)
{
  GstObject *cuda_context = gst_cl_cuda_memory_context (data);
  g_autoptr (GstClCudaShared) shared = gst_cl_cuda_shared_new (context,
      cuda_context, size_bytes, CL_MEM_WRITE_ONLY, error);
  gboolean brought;

  if (!shared ||
      !write_shared (context, queue, gst_cl_cuda_shared_mem (shared), bytes,
          size_bytes, error) ||
      !gst_cl_cuda_enter (cuda_context, error))
    return FALSE;
  brought = read_shared (shared, size_bytes, back, error);
  gst_cl_cuda_leave ();

  return brought;
}

static const GstClProof proof = {
  .name = "CUDA memory, on its way out",
  .find_obstacle = find_obstacle,
  .try = try,
};

gboolean
gst_cl_cuda_export_suits (GstClContext *context, GstBuffer *out)
{
  GstMemory *memory = gst_buffer_n_memory (out) == 1
                          ? gst_buffer_peek_memory (out, 0)
                          : NULL;

  return memory && gst_cl_cuda_memory_is_of (memory, context->device) &&
         gst_cl_proof_holds (&proof, context, memory, NULL);
}

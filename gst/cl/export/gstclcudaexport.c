/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies device memory to CUDA memory. */

#include "gstclcudaexport.h"

#include "cl/context/gstclcontext.h"
#include "cl/import/gstclcuda.h"
#include "cl/import/gstclexternal.h"
#include "cl/import/gstclimportpath.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/import/gstcldevicerange.h"

/* One plane of an export: from OpenCL memory to the shared memory, where rows
 * have the stride of the CUDA memory, and from there to the CUDA memory. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes;        /* within mem */
  gsize shared_offset_bytes; /* a multiple of the stride of the shared memory */
  gsize out_offset_bytes;
  GstClRows rows; /* from mem to the shared memory */
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

/* Releases acquired memory in any case; *done is then the event of the
 * release. */
static cl_int
enqueue_planes (GstClContext *context, cl_command_queue queue, cl_mem shared,
    const Plane *planes, guint n_planes, cl_event *done)
{
  cl_int code = gst_cl_external_acquire (context, queue, &shared, 1);
  cl_int release_code;

  if (code != CL_SUCCESS)
    return code;

  for (guint p = 0; p < n_planes && code == CL_SUCCESS; p++)
    code = enqueue_plane (queue, &planes[p], shared);
  release_code = gst_cl_external_release (context, queue, &shared, 1, done);

  return code == CL_SUCCESS ? release_code : code;
}

/* --- CUDA's part --------------------------------------------------------- */

/* Copies in @stream (NULL: a stream that only the plugin uses). The CUDA
 * context must be current. */
static gboolean
copy_to_address (GstClCudaShared *shared, const Plane *planes, guint n_planes,
    GstClCudaPointer to, GstClCudaStream stream, GError **error)
{
  gboolean started = TRUE;

  for (guint p = 0; p < n_planes && started; p++) {
    GstClRows rows = planes[p].rows;

    rows.src_stride_bytes = rows.dst_stride_bytes;
    started = gst_cl_cuda_shared_start_out (shared,
        planes[p].shared_offset_bytes, to + planes[p].out_offset_bytes, &rows,
        stream, error);
  }

  /* copies that were started must end before another element uses @to */
  return gst_cl_cuda_shared_wait (shared, stream, started ? error : NULL) &&
         started;
}

/* The last user of @memory may have left reads of it in its stream: copies in
 * that stream run after them. */
static gboolean
copy_to_memory (GstClContext *context, GstClCudaShared *shared,
    const Plane *planes, guint n_planes, GstMemory *memory, GError **error)
{
  gboolean copied;
  GstMapInfo map;

  if (!gst_cl_cuda_enter (gst_cl_cuda_memory_context (memory), error))
    return FALSE;
  if (gst_cl_cuda_memory_map (memory, &map, GST_MAP_WRITE)) {
    copied = copy_to_address (shared, planes, n_planes,
        (GstClCudaPointer) (guintptr) map.data,
        gst_cl_cuda_memory_stream (memory), error);
    gst_memory_unmap (memory, &map);
    if (copied) { /* the GPU now alternates between CUDA and OpenCL */
      gst_cl_context_expect_long_waits (context);
      gst_cl_cuda_shared_let_waits_sleep (shared);
    }
  } else {
    copied = gst_cl_buffer_region_fail (memory, error);
  }
  gst_cl_cuda_leave ();

  return copied;
}

/* --- frames -------------------------------------------------------------- */

/* The size of the planes in the shared memory, where rows have the stride of
 * the CUDA memory, and the bytes that are copied. */
typedef struct {
  gsize shared_bytes, plane_bytes;
} Sizes;

static gboolean
plan_planes (const GstClFrame *frame, GstBuffer *out, Plane *planes,
    Sizes *sizes, GError **error)
{
  const GstVideoInfo *info = &frame->info;

  *sizes = (Sizes){ 0 };
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
    plane->shared_offset_bytes = (sizes->shared_bytes + stride - 1) / stride *
                                 stride;
    plane->rows = (GstClRows){ (gsize) row_bytes, (gsize) n_rows,
      (gsize) frame->planes[p].stride_bytes, (gsize) stride };
    sizes->shared_bytes = plane->shared_offset_bytes +
                          gst_cl_rows_target_bytes (&plane->rows);
    sizes->plane_bytes += plane->rows.row_bytes * plane->rows.n_rows;
  }

  return TRUE;
}

/* Copies the planes to the shared memory, and waits. */
static gboolean
copy_to_shared (GstClCudaExport *self, GstClContext *context,
    const Plane *planes, guint n_planes, GError **error)
{
  cl_event done = NULL;
  const cl_int code = enqueue_planes (context, context->queue,
      gst_cl_cuda_shared_mem (self->scratch.shared), planes, n_planes, &done);
  const gboolean enqueued = gst_cl_check (code, "copy a frame for CUDA", error);

  /* even without an event some copies may have been enqueued */
  if (done ? gst_cl_context_wait (context, &done, "copy a frame for CUDA",
                 enqueued ? error : NULL)
           : gst_cl_context_finish (context, NULL))
    return enqueued;
  gst_cl_cuda_scratch_quarantine (&self->scratch, context);

  return FALSE;
}

gboolean
gst_cl_cuda_export_copy (GstClCudaExport *self, GstClContext *context,
    const GstClFrame *frame, GstBuffer *out, GError **error)
{
  const guint n_planes = GST_VIDEO_INFO_N_PLANES (&frame->info);
  GstMemory *memory = gst_buffer_peek_memory (out, 0);
  Plane planes[GST_VIDEO_MAX_PLANES];
  Sizes sizes;

  if (!plan_planes (frame, out, planes, &sizes, error) ||
      !gst_cl_cuda_scratch_reserve (&self->scratch, context,
          gst_cl_cuda_memory_context (memory), sizes.shared_bytes,
          CL_MEM_WRITE_ONLY) ||
      !copy_to_shared (self, context, planes, n_planes, error))
    return FALSE;
  gst_cl_context_count_within (context, sizes.plane_bytes);

  return copy_to_memory (context, self->scratch.shared, planes, n_planes,
      memory, error);
}

void
gst_cl_cuda_export_clear (GstClCudaExport *self)
{
  gst_cl_cuda_scratch_clear (&self->scratch);
}

/* --- the check ------------------------------------------------------------ */

/* An export has the same requirements as an import. */
static const gchar *
find_obstacle (GstClContext *context)
{
  return gst_cl_import_path_cuda.check->find_obstacle (context);
}

/* Known bytes are copied as two planes: one as a block, one as rows with a
 * larger stride in the destination. */
#define CHECK_PLANES 2

/* Returns the size of a check of @size_bytes in the shared memory, and in CUDA
 * memory. */
static gsize
plan_check (gsize size_bytes, Plane planes[CHECK_PLANES])
{
  const gsize n_rows = size_bytes / GST_CL_IMPORT_CHECK_ROW_BYTES / 2;
  const gsize n_first = size_bytes - n_rows * GST_CL_IMPORT_CHECK_ROW_BYTES;
  const gsize second = (n_first + GST_CL_IMPORT_CHECK_STRIDE - 1) /
                       GST_CL_IMPORT_CHECK_STRIDE * GST_CL_IMPORT_CHECK_STRIDE;

  planes[0] = (Plane){ .rows = { n_first, 1, n_first, n_first } };
  planes[1] = (Plane){ .offset_bytes = n_first,
    .shared_offset_bytes = second,
    .out_offset_bytes = second,
    .rows = { GST_CL_IMPORT_CHECK_ROW_BYTES, n_rows,
        GST_CL_IMPORT_CHECK_ROW_BYTES, GST_CL_IMPORT_CHECK_STRIDE } };

  return second + n_rows * GST_CL_IMPORT_CHECK_STRIDE;
}

/* Copies the known bytes to plain OpenCL memory, and from there to @shared. */
static gboolean
write_shared (GstClContext *context, const GstClImportCheckRun *run,
    Plane *planes, cl_mem shared, GError **error)
{
  cl_mem mem = gst_cl_buffer_new (context, run->size_bytes, error);
  gboolean written;

  if (!mem)
    return FALSE;
  for (guint p = 0; p < CHECK_PLANES; p++)
    planes[p].mem = mem;
  written = gst_cl_check (clEnqueueWriteBuffer (run->queue, mem, CL_FALSE, 0,
                              run->size_bytes, run->bytes, 0, NULL, NULL),
                "write known bytes", error) &&
            gst_cl_check (enqueue_planes (context, run->queue, shared, planes,
                              CHECK_PLANES, NULL),
                "copy known bytes", error);
  written = gst_cl_check (gst_cl_finish (run->queue), "copy known bytes",
                written ? error : NULL) &&
            written;
  gst_cl_buffer_free (mem);

  return written;
}

/* Copies through @size_bytes of plain CUDA memory. The CUDA context must be
 * current. */
static gboolean
read_shared (GstClCudaShared *shared, const Plane *planes, gsize size_bytes,
    guint8 *back, GError **error)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();
  GstClCudaPointer to = 0;
  gboolean brought;

  if (!gst_cl_cuda_check (driver->alloc (&to, size_bytes), "allocate memory",
          error))
    return FALSE;
  brought = copy_to_address (shared, planes, CHECK_PLANES, to, NULL, error);
  for (guint p = 0; p < CHECK_PLANES; p++) {
    const GstClRows *rows = &planes[p].rows;

    for (gsize y = 0; y < rows->n_rows && brought; y++) {
      brought = gst_cl_cuda_check (
          driver->copy_to_host (back,
              to + planes[p].out_offset_bytes + y * rows->dst_stride_bytes,
              rows->row_bytes),
          "copy to the host", error);
      back += rows->row_bytes;
    }
  }
  driver->free (to);

  return brought;
}

/* @data: a GstMemory of CUDA. */
static gboolean
try (GstClContext *context, const GstClImportCheckRun *run, gpointer data,
    GError **error)
{
  GstObject *cuda_context = gst_cl_cuda_memory_context (data);
  Plane planes[CHECK_PLANES];
  const gsize shared_bytes = plan_check (run->size_bytes, planes);
  g_autoptr (GstClCudaShared) shared = gst_cl_cuda_shared_new (context,
      cuda_context, shared_bytes, CL_MEM_WRITE_ONLY, error);
  gboolean brought;

  if (!shared ||
      !write_shared (context, run, planes, gst_cl_cuda_shared_mem (shared),
          error) ||
      !gst_cl_cuda_enter (cuda_context, error))
    return FALSE;
  brought = read_shared (shared, planes, shared_bytes, run->back, error);
  gst_cl_cuda_leave ();

  return brought;
}

static const GstClImportCheck check = {
  .name = "export to CUDA memory",
  .find_obstacle = find_obstacle,
  .try = try,
};

gboolean
gst_cl_cuda_export_is_supported (GstClContext *context, GstBuffer *out)
{
  GstMemory *memory = gst_buffer_n_memory (out) == 1
                          ? gst_buffer_peek_memory (out, 0)
                          : NULL;

  return memory && gst_cl_cuda_memory_is_of (memory, context->device) &&
         gst_cl_import_check_passes (&check, context, memory, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames that the device is processing. */

#include "gstclinflight.h"

#include "cl/context/gstclcontext.h"
#include "cl/import/gstclcuda.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclmemory.h"
#include "cl/memory/gstclquarantine.h"
#include "ops/packing/packing.h"

#define MAX_RANGES (GST_CL_IMPORTER_SLOTS + 1)

typedef struct {
  GstClImporter *importer; /* NULL before the first frame in this ring entry */
  GstBuffer *buffer;       /* NULL: the device reads no host memory of it */
} Input;

typedef struct {
  Input *inputs;
  guint n_inputs;
  guint n_read;       /* the inputs that have been taken */
  GstClFrame *frames; /* n_inputs + 1: the inputs and one output */
  guint n_frames;
  GstClDeviceRange ranges[MAX_RANGES];
  guint n_ranges;

  gboolean is_upload; /* transfers only */
  GstClFence *last;   /* fence, beside done; or NULL */
  cl_event done;      /* NULL: nothing to wait for */
} Frame;

/* Unpacks an input of frames, or packs their output. Frames use it one after
 * the other, in the order of the compute queue. */
typedef struct {
  GstClPackingProblem problem; /* all zeros: none yet */
  GstClInstance instance;
  cl_mem components;
  const GstClFrame *packed; /* of the current frame; NULL: none is packed */
  GstClFrame unpacked;      /* its components */
} Packing;

struct _GstClInFlight {
  GstClContext *context;
  guint n_inputs;
  Packing *unpacking; /* n_inputs */
  Packing packing;
  Frame ring[GST_CL_FRAMES_IN_FLIGHT];
  guint64 number; /* number of the current frame, ring[number % size] */

  cl_command_queue queue; /* NULL: not needed yet */
  gboolean has_own_queue; /* the kernels of the last frame are on @queue */
};

static void
init_frame (Frame *frame, guint n_inputs)
{
  *frame = (Frame){ .inputs = g_new0 (Input, n_inputs),
    .n_inputs = n_inputs,
    .frames = g_new0 (GstClFrame, n_inputs + 1) };
}

static void
clear_frame (Frame *frame)
{
  for (guint i = 0; i < frame->n_inputs; i++)
    gst_cl_importer_free (frame->inputs[i].importer);
  g_free (frame->inputs);
  g_free (frame->frames);
}

GstClInFlight *
gst_cl_in_flight_new (GstClContext *context, guint n_inputs)
{
  GstClInFlight *self = g_new0 (GstClInFlight, 1);

  self->context = gst_object_ref (context);
  self->n_inputs = n_inputs;
  self->unpacking = g_new0 (Packing, n_inputs);
  for (guint i = 0; i < GST_CL_FRAMES_IN_FLIGHT; i++)
    init_frame (&self->ring[i], n_inputs);

  return self;
}

guint
gst_cl_in_flight_n_inputs (const GstClInFlight *self)
{
  return self->n_inputs;
}

static void
clear_packing (Packing *packing)
{
  gst_cl_instance_clear (&packing->instance);
  gst_cl_buffer_free (packing->components);
  *packing = (Packing){ .components = NULL };
}

void
gst_cl_in_flight_free (GstClInFlight *self)
{
  if (!self)
    return;

  gst_cl_in_flight_drain (self, NULL);
  gst_cl_context_release_queue (self->queue);
  for (guint i = 0; i < GST_CL_FRAMES_IN_FLIGHT; i++)
    clear_frame (&self->ring[i]);
  for (guint i = 0; i < self->n_inputs; i++)
    clear_packing (&self->unpacking[i]);
  g_free (self->unpacking);
  clear_packing (&self->packing);
  gst_object_unref (self->context);
  g_free (self);
}

/* --- one frame ----------------------------------------------------------- */

static Frame *
current_frame (GstClInFlight *self)
{
  return &self->ring[self->number % GST_CL_FRAMES_IN_FLIGHT];
}

static gboolean
reads_host (const Frame *frame)
{
  for (guint i = 0; i < frame->n_frames; i++) {
    if (gst_cl_frame_is_host (&frame->frames[i]))
      return TRUE;
  }
  for (guint i = 0; i < frame->n_ranges; i++) {
    if (frame->ranges[i].is_host)
      return TRUE;
  }

  return FALSE;
}

static void
release (Frame *frame)
{
  while (frame->n_frames > 0)
    gst_cl_frame_release (&frame->frames[--frame->n_frames]);
  while (frame->n_ranges > 0)
    gst_cl_device_range_release (&frame->ranges[--frame->n_ranges]);
  for (guint i = 0; i < frame->n_inputs; i++)
    gst_clear_buffer (&frame->inputs[i].buffer);
  frame->n_read = 0;
  frame->is_upload = FALSE;
}

static void
free_frame (gpointer data)
{
  Frame *frame = data;

  release (frame);
  clear_frame (frame);
  g_free (frame);
}

/* Keeps the buffers and memory of @frame alive, because the device may still
 * use them, and empties the ring entry. */
static void
quarantine (GstClInFlight *self, Frame *frame)
{
  Frame *kept = g_memdup2 (frame, sizeof *frame);
  gsize n_bytes = 0;

  for (guint i = 0; i < frame->n_inputs; i++) {
    const Input *input = &frame->inputs[i];

    if (input->importer)
      n_bytes += gst_cl_importer_bytes (input->importer);
    if (input->buffer)
      n_bytes += gst_buffer_get_size (input->buffer);
  }
  init_frame (frame, self->n_inputs);
  gst_cl_quarantine_add (self->context, n_bytes, kept, free_frame);
}

static gboolean
wait_for_fence (Frame *frame, GError **error)
{
  g_autoptr (GstClFence) last = g_steal_pointer (&frame->last);

  return !last || gst_cl_fence_wait (last, error);
}

/* Transfers are complete when the commands after them are, and may have failed
 * all the same. Transfers that another thread has enqueued are complete when
 * the fence is signalled. */
static gboolean
wait_for_done (GstClInFlight *self, Frame *frame, GError **error)
{
  gboolean done = wait_for_fence (frame, error) &&
                  gst_cl_context_wait_for_end (self->context, &frame->done,
                      "work on a frame", error);

  for (guint i = 0; i < frame->n_frames; i++)
    done &= gst_cl_frame_wait_for_uploads (&frame->frames[i], self->context,
        done ? error : NULL);
  for (guint i = 0; i < frame->n_ranges; i++)
    done &= gst_cl_device_range_wait_for_upload (&frame->ranges[i],
        self->context, done ? error : NULL);

  return done;
}

static gboolean
wait_and_release (GstClInFlight *self, Frame *frame, GError **error)
{
  if (!wait_for_done (self, frame, error)) {
    quarantine (self, frame);
    return FALSE;
  }
  release (frame);

  return TRUE;
}

gboolean
gst_cl_in_flight_begin (GstClInFlight *self, GError **error)
{
  Frame *frame;

  self->number++;
  for (guint i = 0; i < self->n_inputs; i++)
    self->unpacking[i].packed = NULL;
  self->packing.packed = NULL;
  frame = current_frame (self);
  if (!wait_and_release (self, frame, error))
    return FALSE;
  for (guint i = 0; i < self->n_inputs; i++) {
    if (!frame->inputs[i].importer)
      frame->inputs[i].importer = gst_cl_importer_new (self->context);
  }

  return TRUE;
}

static gboolean
begin_reads (GstClInFlight *self, Frame *frame, GError **error)
{
  for (guint i = 0; i < frame->n_frames; i++) {
    if (!gst_cl_frame_begin_reads (&frame->frames[i], self->context, error))
      return FALSE;
  }

  return TRUE;
}

/* Frames with several memories may use several import paths, and packed frames
 * need other kernels before; they are not batched. */
gboolean
gst_cl_in_flight_pending_upload (GstClInFlight *self,
    GstClPendingUpload *pending)
{
  const Frame *frame = current_frame (self);

  return frame->n_frames == 1 && frame->n_ranges == 0 &&
         !self->unpacking[0].packed &&
         gst_cl_frame_pending_upload (&frame->frames[0], pending);
}

void
gst_cl_in_flight_hand_over (GstClInFlight *self, GstClFence *last)
{
  Frame *frame = current_frame (self);

  frame->last = last;
  gst_cl_frame_hand_over_upload (&frame->frames[0]);
}

/* Enqueues the kernels that unpack or pack the current frame, if it is
 * packed. */
static gboolean
run_packing (const Packing *self, GError **error)
{
  const GstClPackingIo io = { self->packed, self->components };

  return !self->packed || gst_cl_instance_run (&self->instance, &io, error);
}

/* Sets the queue of the kernels of the current frame. Frames that are only read
 * from foreign memory on the device have a queue of their own: no other element
 * uses memory of their kernels, and once two threads have enqueued on a queue,
 * a thread of NVIDIA's driver uses most of a processor for it. Frames from the
 * host keep the common queue: with many queues, their transfers are slower. */
static gboolean
set_queue (GstClInFlight *self, GError **error)
{
  GstClPendingUpload pending;
  const gboolean is_own = self->context->is_discrete &&
                          gst_cl_in_flight_pending_upload (self, &pending) &&
                          pending.is_external;

  if (is_own && !self->queue)
    self->queue = gst_cl_context_create_queue (self->context, error);
  if (is_own && !self->queue)
    return FALSE;

  /* frames use the buffers of the elements' ops one after the other */
  gst_cl_context_use_queue (self->has_own_queue ? self->queue : NULL);
  if (is_own != self->has_own_queue &&
      !gst_cl_context_finish_queue (self->context, GST_CL_QUEUE_COMPUTE, error))
    return FALSE;
  self->has_own_queue = is_own;
  gst_cl_context_use_queue (is_own ? self->queue : NULL);

  return TRUE;
}

gboolean
gst_cl_in_flight_begin_kernels (GstClInFlight *self, GError **error)
{
  if (!set_queue (self, error) ||
      !begin_reads (self, current_frame (self), error))
    return FALSE;

  for (guint i = 0; i < self->n_inputs; i++) {
    if (!run_packing (&self->unpacking[i], error))
      return FALSE;
  }

  return TRUE;
}

gboolean
gst_cl_in_flight_end_kernels (GstClInFlight *self, GError **error)
{
  return run_packing (&self->packing, error);
}

void
gst_cl_in_flight_end_reads (GstClInFlight *self)
{
  Frame *frame = current_frame (self);

  for (guint i = 0; i < frame->n_frames; i++)
    gst_cl_frame_end_reads (&frame->frames[i]);
  for (guint i = 0; i < frame->n_ranges; i++)
    gst_cl_device_range_end_reads (&frame->ranges[i]);
}

void
gst_cl_in_flight_set_last (GstClInFlight *self, cl_event last)
{
  current_frame (self)->done = last;
}

/* Sets frame->done to the event of the last command of @frame, if it is not
 * set: the end of its transfers, else of all commands on the compute queue. */
static gboolean
mark_done (GstClInFlight *self, Frame *frame, GError **error)
{
  GstClAccess *accesses = g_newa (GstClAccess,
      (self->n_inputs + 1) * GST_VIDEO_MAX_PLANES + MAX_RANGES);
  guint n_accesses = 0;

  for (guint i = 0; i < frame->n_frames; i++)
    gst_cl_frame_submitted (&frame->frames[i], accesses, &n_accesses);
  for (guint i = 0; i < frame->n_ranges; i++)
    gst_cl_device_range_submitted (&frame->ranges[i], accesses, &n_accesses);

  /* the staging memory of the upload is reused only after the frame has been
   * waited for */
  if (frame->last)
    return TRUE;
  if (frame->done)
    return gst_cl_sync_end_at (self->context, GST_CL_QUEUE_COMPUTE, accesses,
        n_accesses, frame->done, error);
  if (frame->is_upload && frame->n_ranges > 0)
    frame->done = g_steal_pointer (
        &frame->ranges[frame->n_ranges - 1].uploaded);
  if (frame->is_upload || frame->n_frames + frame->n_ranges == 0)
    return TRUE;

  return gst_cl_sync_end (self->context, GST_CL_QUEUE_COMPUTE, accesses,
      n_accesses, &frame->done, error);
}

guint
gst_cl_in_flight_max_buffers (GstBufferPool *pool)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);
  guint max_buffers = 0;

  gst_buffer_pool_config_get_params (config, NULL, NULL, NULL, &max_buffers);
  gst_structure_free (config);

  return max_buffers > 0 ? max_buffers : G_MAXUINT;
}

/* Sets *smallest to @pool (may be NULL) if @pool has fewer buffers. */
static void
take_smaller (GstBufferPool **smallest, GstBufferPool *pool)
{
  const guint max_buffers = pool ? gst_cl_in_flight_max_buffers (pool)
                                 : G_MAXUINT;

  if (max_buffers < G_MAXUINT &&
      (!*smallest || max_buffers < gst_cl_in_flight_max_buffers (*smallest)))
    *smallest = pool;
}

static gboolean
take_smaller_of_parent (GstBuffer *buffer, GstMeta **meta, gpointer user_data)
{
  if ((*meta)->info->api == GST_PARENT_BUFFER_META_API_TYPE)
    take_smaller (user_data, gst_cl_in_flight_bounded_pool (
                                 ((GstParentBufferMeta *) *meta)->buffer));

  return TRUE;
}

GstBufferPool *
gst_cl_in_flight_bounded_pool (GstBuffer *buffer)
{
  GstBufferPool *smallest = NULL;

  take_smaller (&smallest, buffer->pool);
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    GstBuffer *wrapped = gst_is_cl_memory (memory)
                             ? gst_cl_memory_wrapped_buffer (memory)
                             : NULL;

    if (wrapped)
      take_smaller (&smallest, gst_cl_in_flight_bounded_pool (wrapped));
  }
  gst_buffer_foreach_meta (buffer, take_smaller_of_parent, &smallest);

  return smallest;
}

static gboolean find_pool_of_parent (GstBuffer *buffer, GstMeta **meta,
    gpointer user_data);

static gboolean
has_pool (GstBuffer *buffer)
{
  gboolean found = buffer->pool != NULL;

  if (!found)
    gst_buffer_foreach_meta (buffer, find_pool_of_parent, &found);

  return found;
}

static gboolean
find_pool_of_parent (GstBuffer *buffer, GstMeta **meta, gpointer user_data)
{
  gboolean *found = user_data;

  if ((*meta)->info->api == GST_PARENT_BUFFER_META_API_TYPE)
    *found = *found || has_pool (((GstParentBufferMeta *) *meta)->buffer);

  return !*found;
}

gboolean
gst_cl_in_flight_is_lent (GstBuffer *buffer)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    GstBuffer *wrapped = gst_is_cl_memory (memory)
                             ? gst_cl_memory_wrapped_buffer (memory)
                             : NULL;

    if (wrapped ? gst_cl_in_flight_is_lent (wrapped)
                : gst_cl_is_cuda_memory (memory) && !has_pool (buffer))
      return TRUE;
  }

  return FALSE;
}

/* Returns TRUE if upstream may run out of buffers while the element keeps some:
 * it then sends no next frame, which is when the element releases them. */
static gboolean
is_scarce (GstBuffer *buffer)
{
  return gst_cl_in_flight_bounded_pool (buffer) ||
         gst_cl_in_flight_is_lent (buffer);
}

/* Keeps @buffers; returns TRUE if one of them is_scarce(). */
static gboolean
keep_buffers (Frame *frame, GstBuffer *const *buffers, guint n_buffers)
{
  gboolean has_scarce = FALSE;

  g_return_val_if_fail (n_buffers <= frame->n_inputs, FALSE);
  for (guint i = 0; i < n_buffers; i++) {
    frame->inputs[i].buffer = gst_buffer_ref (buffers[i]);
    has_scarce = has_scarce || is_scarce (buffers[i]);
  }

  return has_scarce;
}

static gboolean
end (GstClInFlight *self, GstBuffer *const *buffers, guint n_buffers,
    GError **error)
{
  Frame *frame = current_frame (self);
  const gboolean ended = mark_done (self, frame, error);
  const gboolean has_scarce = reads_host (frame) &&
                              keep_buffers (frame, buffers, n_buffers);

  if (!ended) {
    /* no event shows when the device has finished the frame: wait for all */
    const gboolean is_done = gst_cl_context_finish (self->context, NULL);

    if (wait_for_done (self, frame, NULL) && is_done)
      release (frame);
    else
      quarantine (self, frame);
  } else if (has_scarce) {
    return wait_and_release (self, frame, error);
  }

  return ended;
}

gboolean
gst_cl_in_flight_end (GstClInFlight *self, GstBuffer *const *buffers,
    guint n_buffers, GError **error)
{
  const gboolean ended = end (self, buffers, n_buffers, error);

  gst_cl_context_use_queue (NULL);

  return ended;
}

guint64
gst_cl_in_flight_number (const GstClInFlight *self)
{
  return self->number;
}

static gboolean
is_in_flight (const GstClInFlight *self, guint64 number)
{
  return number <= self->number &&
         number + GST_CL_FRAMES_IN_FLIGHT > self->number;
}

gboolean
gst_cl_in_flight_is_done (const GstClInFlight *self, guint64 number)
{
  const Frame *frame = &self->ring[number % GST_CL_FRAMES_IN_FLIGHT];

  if (!is_in_flight (self, number))
    return TRUE;

  return (!frame->last || gst_cl_fence_is_settled (frame->last)) &&
         (!frame->done || gst_cl_completion_state (frame->done) <= CL_COMPLETE);
}

gboolean
gst_cl_in_flight_wait (GstClInFlight *self, guint64 number, GError **error)
{
  if (!is_in_flight (self, number))
    return TRUE;

  return wait_and_release (self, &self->ring[number % GST_CL_FRAMES_IN_FLIGHT],
      error);
}

gboolean
gst_cl_in_flight_drain (GstClInFlight *self, GError **error)
{
  gboolean drained = TRUE;

  for (guint i = 0; i < GST_CL_FRAMES_IN_FLIGHT; i++)
    drained &= wait_and_release (self, &self->ring[i], drained ? error : NULL);

  return drained;
}

/* --- input and output ----------------------------------------------------- */

/* Returns the importer of the next input to be read, or, without
 * GST_MAP_READ, of the output, which needs no staging buffer. */
static GstClImporter *
take_importer (Frame *frame, GstMapFlags flags)
{
  return frame->inputs[flags & GST_MAP_READ ? frame->n_read++ : 0].importer;
}

const GstClFrame *
gst_cl_in_flight_take_frame (GstClInFlight *self, GstBuffer *buffer,
    const GstVideoInfo *info, guint plane_mask, GstMapFlags flags,
    GError **error)
{
  Frame *frame = current_frame (self);
  GstClImporter *importer;

  frame->is_upload = FALSE;
  g_return_val_if_fail (frame->n_frames <= self->n_inputs, NULL);
  g_return_val_if_fail (
      frame->n_read < self->n_inputs || !(flags & GST_MAP_READ), NULL);

  importer = take_importer (frame, flags);
  /* kernels follow gst_cl_in_flight_begin_kernels() */
  if (flags & GST_MAP_READ)
    flags |= GST_CL_MAP_LATE;
  if (!gst_cl_frame_take (&frame->frames[frame->n_frames], importer, buffer,
          info, plane_mask, flags, error))
    return NULL;

  return &frame->frames[frame->n_frames++];
}

static gboolean
is_same (const GstClPackingProblem *a, const GstClPackingProblem *b)
{
  return a->format == b->format && a->component_mask == b->component_mask &&
         a->width == b->width && a->height == b->height;
}

/* Sets @packing to frames of @problem, if it is not. The kernels of earlier
 * frames may still use its memory, which the driver keeps for them. */
static gboolean
set_packing (Packing *packing, GstClContext *context,
    const GstClPackingProblem *problem, GError **error)
{
  if (packing->components && is_same (&packing->problem, problem))
    return TRUE;

  clear_packing (packing);
  packing->problem = *problem;
  if (!gst_cl_packing_instance_init (&packing->instance, context, problem,
          error))
    return FALSE;
  packing->components = gst_cl_buffer_new (context,
      gst_cl_packing_problem_bytes (problem), error);

  return packing->components != NULL;
}

static const GstClFrame *
take_packed (GstClInFlight *self, GstBuffer *buffer, const GstVideoInfo *info,
    guint component_mask, guint plane_mask, GstMapFlags flags, GError **error)
{
  const gboolean is_read = (flags & GST_MAP_READ) != 0;
  const guint n_read = current_frame (self)->n_read;
  Packing *packing = &self->packing;
  GstClPackingProblem problem;

  g_return_val_if_fail (!is_read || n_read < self->n_inputs, NULL);
  if (is_read)
    packing = &self->unpacking[n_read];

  gst_cl_packing_problem_init (&problem, info,
      is_read ? GST_CL_PACKING_METHOD_UNPACK : GST_CL_PACKING_METHOD_PACK,
      component_mask);
  if (!set_packing (packing, self->context, &problem, error))
    return NULL;
  packing->packed = gst_cl_in_flight_take_frame (self, buffer, info, plane_mask,
      flags, error);
  packing->unpacked = (GstClFrame){ .info = *info,
    .unpacked = packing->components };

  return packing->packed ? &packing->unpacked : NULL;
}

const GstClFrame *
gst_cl_in_flight_take_components (GstClInFlight *self, GstBuffer *buffer,
    const GstVideoInfo *info, guint component_mask, GstMapFlags flags,
    GError **error)
{
  guint plane_mask = 0;

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    if (component_mask & (1u << c))
      plane_mask |= 1u << GST_VIDEO_INFO_COMP_PLANE (info, c);
  }
  if (gst_cl_frame_is_packed (info))
    return take_packed (self, buffer, info, component_mask, plane_mask, flags,
        error);

  return gst_cl_in_flight_take_frame (self, buffer, info, plane_mask, flags,
      error);
}

const GstClDeviceRange *
gst_cl_in_flight_take_bytes (GstClInFlight *self, GstBuffer *buffer,
    gsize size_bytes, GstMapFlags flags, GError **error)
{
  Frame *frame = current_frame (self);
  const GstClImportRequest request = { .buffer = buffer,
    .rows = gst_cl_rows_block (size_bytes),
    .align_bytes = sizeof (cl_ulong),
    .flags = flags };

  g_return_val_if_fail (frame->n_ranges < G_N_ELEMENTS (frame->ranges), NULL);
  g_return_val_if_fail (
      frame->n_read < self->n_inputs || !(flags & GST_MAP_READ), NULL);

  if (!gst_cl_importer_import (take_importer (frame, flags), &request,
          &frame->ranges[frame->n_ranges], error))
    return NULL;

  return &frame->ranges[frame->n_ranges++];
}

gboolean
gst_cl_in_flight_upload (GstClInFlight *self, GstClImportRequest *request,
    GstMemory *dst, GError **error)
{
  Frame *frame = current_frame (self);

  g_return_val_if_fail (frame->n_ranges < G_N_ELEMENTS (frame->ranges), FALSE);

  request->target.mem = gst_cl_memory_get_handle (dst);
  request->target.sync = gst_cl_memory_begin_write (dst);
  if (!gst_cl_importer_import (frame->inputs[0].importer, request,
          &frame->ranges[frame->n_ranges], error))
    return FALSE;
  frame->n_ranges++;
  frame->is_upload = TRUE;

  return TRUE;
}

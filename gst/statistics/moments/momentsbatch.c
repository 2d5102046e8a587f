/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches frames of several streams in launches by one thread. */

#include "momentsprivate.h"

#include "cl/context/gstclbatchqueue.h"
#include "cl/context/gstclcontext.h"
#include "cl/import/gstclexternal.h"
#include "cl/memory/gstclreadback.h"
#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY_EXTERN (gst_cl_op_debug);
#define GST_CAT_DEFAULT gst_cl_op_debug ()

G_STATIC_ASSERT (GST_CL_BATCH_QUEUE_ITEMS <= GST_CL_MOMENTS_BATCH_FRAMES);

struct _GstClMomentsBatcher {
  gchar *key;   /* in batchers */
  gint n_users; /* changed under batchers_lock; atomic */
  GstClContext *context;
  const GstClMomentsBatchRow *row;
  GstClCandidate candidate;
  GstClMomentsProblem problem;

  GMutex lock;
  GstClBatchQueue *batches; /* NULL before the first frame; lock */

  /* only the thread of the batch queue uses these */
  gpointer instance;       /* of the row; NULL before the first launch */
  GstClReadback *readback; /* one slot per launch; NULL before the first one */
  guint running;           /* bits: slots of launches that are not complete */
  guint doubtful;          /* bits: those of them with invalid results */
};

struct _GstClBatchedFrame {
  const GstClMomentsBatcher *batcher;
  gconstpointer source; /* never dereferenced */
  GstClComponent components[GST_CL_MOMENTS_MAX_COMPONENTS];
  GstClWrite write;     /* its transfer; data is NULL: none, or it has begun */
  cl_event upload;      /* its event, once it has begun, or NULL */
  gboolean is_external; /* as in GstClPendingUpload */
  gboolean has_failed;  /* a launch of the frame has failed */
  GstClFence *fence;
  GstClMoments
      results[GST_CL_MOMENTS_MAX_COMPONENTS]; /* after its fence is signalled */
};

/* --- new frames: the thread of the batch queue ---------------------------- */

/* The owner of @self may free it as soon as its fence is signalled or has
 * failed. */
static void
frame_settle (GstClBatchedFrame *self, const GError *error)
{
  g_autoptr (GstClFence) fence = gst_cl_fence_ref (self->fence);

  g_clear_pointer (&self->upload, clReleaseEvent);
  if (error)
    gst_cl_fence_fail (fence, error);
  else
    gst_cl_fence_signal (fence);
}

/* Returns FALSE with @error if the transfer of @self could not be enqueued. */
static gboolean
frame_begin (GstClBatchedFrame *self, GstClContext *context, GError **error)
{
  const GstClWrite write = self->write;

  self->write.data = NULL;

  return gst_cl_write_enqueue (&write, context, &self->upload, error);
}

/* Signals the fences of items, or fails them with @error; returns how many of
 * @n_items are left. @rejected: bits of the items. */
static guint
reject (gpointer *items, guint n_items, guint rejected, const GError *error)
{
  guint n_left = 0;

  for (guint i = 0; i < n_items; i++) {
    if (rejected >> i & 1)
      frame_settle (items[i], error);
    else
      items[n_left++] = items[i];
  }

  return n_left;
}

/* Transfers begin as soon as frames are added. If a transfer cannot begin, only
 * its frame fails. */
static guint
receive (gpointer user_data, gpointer *items, guint n_items)
{
  GstClMomentsBatcher *self = user_data;
  guint n_left = 0, begun = 0; /* begun: bits of the frames that are left */
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n_items; i++) {
    GstClBatchedFrame *frame = items[i];
    const gboolean begins = frame->write.data != NULL;
    g_autoptr (GError) own_error = NULL;

    if (begins && !frame_begin (frame, self->context, &own_error)) {
      frame_settle (frame, own_error);
      continue;
    }
    begun |= (guint) begins << n_left;
    items[n_left++] = frame;
  }
  if (begun != 0 &&
      !gst_cl_sync_submit (self->context, GST_CL_QUEUE_UPLOAD, &error))
    n_left = reject (items, n_left, begun, error);

  return n_left;
}

/* --- launches: the thread of the batch queue ------------------------------ */

static gboolean
prepare_launches (GstClMomentsBatcher *self, GError **error)
{
  cl_command_queue queue = gst_cl_batch_queue_command_queue (self->batches);

  if (!self->readback) {
    self->readback = gst_cl_readback_new (self->context,
        GST_CL_BATCH_QUEUE_LAUNCHES,
        GST_CL_BATCH_QUEUE_ITEMS * self->problem.n_components *
            sizeof (GstClMoments),
        error);
    if (!self->readback)
      return FALSE;
    gst_cl_readback_set_queue (self->readback, queue);
  }
  if (!self->instance)
    self->instance = self->row->create (self->context, &self->candidate,
        &self->problem, queue, error);

  return self->instance != NULL;
}

/* Acquired foreign memory is released even if the launch fails. */
static gboolean
reduce_frames (GstClMomentsBatcher *self, GstClBatchedFrame *const *frames,
    guint n_frames, GError **error)
{
  cl_command_queue queue = gst_cl_batch_queue_command_queue (self->batches);
  GstClMomentsBatchPart parts[GST_CL_BATCH_QUEUE_ITEMS];
  cl_mem external[GST_CL_BATCH_QUEUE_ITEMS];
  guint n_external = 0;
  gboolean is_run;

  for (guint i = 0; i < n_frames; i++) {
    parts[i] = (GstClMomentsBatchPart){ frames[i]->components,
      frames[i]->upload };
    if (frames[i]->is_external)
      external[n_external++] = frames[i]->components[0].mem;
  }
  if (n_external == 0)
    return self->row->run (self->instance, parts, n_frames, error);

  if (!gst_cl_check (
          gst_cl_external_acquire (self->context, queue, external, n_external),
          "acquire imported memory", error))
    return FALSE;
  is_run = self->row->run (self->instance, parts, n_frames, error);

  return gst_cl_check (gst_cl_external_release (self->context, queue, external,
                           n_external, NULL),
             "release imported memory", is_run ? error : NULL) &&
         is_run;
}

static gboolean
launch (gpointer user_data, const gpointer *items, guint n_items, guint slot,
    cl_event *event, GError **error)
{
  GstClMomentsBatcher *self = user_data;

  GST_LOG ("%u frames in a launch, %s", n_items, self->key);
  if (!prepare_launches (self, error) ||
      !reduce_frames (self, (GstClBatchedFrame *const *) items, n_items,
          error) ||
      !gst_cl_readback_enqueue_part (self->readback, slot,
          self->row->get_result (self->instance),
          n_items * self->problem.n_components * sizeof (GstClMoments), error))
    return FALSE;
  *event = gst_cl_readback_event (self->readback, slot);
  if (!gst_cl_check (*event ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY,
          "retain a command's event", error))
    return FALSE;
  self->running |= 1u << slot;

  return TRUE;
}

/* --- ends of launches: the thread of the batch queue ---------------------- */

/* Returns the error code of the transfer of the frame; CL_SUCCESS if it has not
 * failed. */
static cl_int
upload_code (const GstClBatchedFrame *frame)
{
  return frame->upload
             ? MIN (gst_cl_completion_state (frame->upload), CL_SUCCESS)
             : CL_SUCCESS;
}

static gboolean
has_failed_upload (const gpointer *items, guint n_items)
{
  for (guint i = 0; i < n_items; i++) {
    if (upload_code (items[i]) != CL_SUCCESS)
      return TRUE;
  }

  return FALSE;
}

/* A launch that did not run has not cleared the results of the next one: the
 * launches in flight after it add to the results of other frames. */
static void
abandon_instance (GstClMomentsBatcher *self)
{
  g_clear_pointer (&self->instance, self->row->free);
  self->doubtful = self->running;
}

/* Launches frames of a failed launch again, except those whose own transfer has
 * failed, or of which two launches have failed. @error: of this launch, if it
 * has failed by itself; or NULL. */
static void
try_again (GstClMomentsBatcher *self, const gpointer *items, guint n_items,
    const GError *error)
{
  for (guint i = 0; i < n_items; i++) {
    GstClBatchedFrame *frame = items[i];
    g_autoptr (GError) own_error = NULL;

    if (!gst_cl_check (upload_code (frame), "upload a frame", &own_error)) {
      frame_settle (frame, own_error);
    } else if (error && frame->has_failed) {
      frame_settle (frame, error);
    } else {
      frame->has_failed |= error != NULL;
      gst_cl_batch_queue_add (self->batches, frame, frame->source);
    }
  }
}

static void
take_results (GstClMomentsBatcher *self, const gpointer *items, guint n_items,
    guint slot)
{
  const GstClMoments *moments = gst_cl_readback_data (self->readback, slot);
  const guint n_components = self->problem.n_components;

  for (guint i = 0; i < n_items; i++) {
    GstClBatchedFrame *frame = items[i];

    for (guint c = 0; c < n_components; c++)
      frame->results[c] = *moments++;
    frame_settle (frame, NULL);
  }
}

static void
end (gpointer user_data, const gpointer *items, guint n_items, guint slot,
    const GError *error)
{
  GstClMomentsBatcher *self = user_data;
  const gboolean is_of_upload = has_failed_upload (items, n_items);
  const gboolean is_doubtful = self->doubtful >> slot & 1;

  self->running &= ~(1u << slot);
  self->doubtful &= self->running;
  /* the instance of a doubtful launch has been freed before */
  if ((error || is_of_upload) && !is_doubtful)
    abandon_instance (self);
  if (error || is_of_upload || is_doubtful) {
    GST_DEBUG ("%u frames have no results: %s", n_items,
        error ? error->message : "an earlier launch has failed");
    try_again (self, items, n_items,
        is_of_upload || is_doubtful ? NULL : error);
  } else {
    take_results (self, items, n_items, slot);
  }
}

static const GstClBatchQueueWork work = { receive, launch, end };

/* --- batchers ------------------------------------------------------------- */

static GMutex batchers_lock;

static GQuark
batchers_quark (void)
{
  return g_quark_from_static_string ("gst-cl-moments-batchers");
}

/* gchar *key -> GstClMomentsBatcher, both borrowed. Lock held. */
static GHashTable *
batchers_of (GstClContext *context)
{
  GHashTable *batchers = g_object_get_qdata (G_OBJECT (context),
      batchers_quark ());

  if (!batchers) {
    batchers = g_hash_table_new (g_str_hash, g_str_equal);
    g_object_set_qdata_full (G_OBJECT (context), batchers_quark (), batchers,
        (GDestroyNotify) g_hash_table_unref);
  }

  return batchers;
}

static void
batcher_free (GstClMomentsBatcher *self)
{
  gst_cl_batch_queue_free (self->batches);
  g_clear_pointer (&self->readback, gst_cl_readback_free);
  if (self->instance)
    self->row->free (self->instance);
  g_mutex_clear (&self->lock);
  gst_object_unref (self->context);
  g_free (self->key);
  g_free (self);
}

/* @key: transfer full */
static GstClMomentsBatcher *
batcher_new (GstClContext *context, const GstClCandidate *candidate,
    const GstClMomentsProblem *problem, gchar *key)
{
  const GstClMomentsRow *row = candidate->implementation->data;
  GstClMomentsBatcher *self = g_new0 (GstClMomentsBatcher, 1);

  self->key = key;
  self->context = gst_object_ref (context);
  self->row = row->batch;
  self->candidate = *candidate;
  self->problem = *problem;
  g_mutex_init (&self->lock);

  return self;
}

GstClMomentsBatcher *
gst_cl_moments_batcher_get (GstClContext *context,
    const GstClCandidate *candidate, const GstClMomentsProblem *problem)
{
  g_autofree gchar *described = gst_cl_moments_table.describe (problem);
  g_autofree gchar *key = g_strdup_printf ("%s, %s",
      gst_cl_candidate_name (candidate), described);
  GstClMomentsBatcher *self;

  g_mutex_lock (&batchers_lock);
  self = g_hash_table_lookup (batchers_of (context), key);
  if (!self) {
    self = batcher_new (context, candidate, problem, g_steal_pointer (&key));
    g_hash_table_insert (batchers_of (context), self->key, self);
  }
  g_atomic_int_inc (&self->n_users);
  g_mutex_unlock (&batchers_lock);

  return self;
}

void
gst_cl_moments_batcher_release (GstClMomentsBatcher *self)
{
  gboolean is_last;

  if (!self)
    return;

  g_mutex_lock (&batchers_lock);
  is_last = g_atomic_int_dec_and_test (&self->n_users);
  if (is_last)
    g_hash_table_remove (batchers_of (self->context), self->key);
  g_mutex_unlock (&batchers_lock);

  if (is_last)
    batcher_free (self);
}

gboolean
gst_cl_moments_batcher_is_shared (GstClMomentsBatcher *self)
{
  return g_atomic_int_get (&self->n_users) > 1;
}

/* --- frames --------------------------------------------------------------- */

gboolean
gst_cl_moments_batcher_takes (const GstClComponent *components,
    guint n_components)
{
  for (guint c = 0; c < n_components; c++) {
    if (components[c].mem != components[0].mem ||
        components[c].offset_bytes > G_MAXINT32)
      return FALSE;
  }

  return TRUE;
}

/* Returns the batch queue; the first call creates it. NULL with @error. */
static GstClBatchQueue *
get_batches (GstClMomentsBatcher *self, GError **error)
{
  GstClBatchQueue *batches;

  g_mutex_lock (&self->lock);
  if (!self->batches) {
    GST_INFO ("frames of several streams share launches: %s", self->key);
    self->batches = gst_cl_batch_queue_new (self->context, &work, self, error);
  }
  batches = self->batches;
  g_mutex_unlock (&self->lock);

  return batches;
}

GstClBatchedFrame *
gst_cl_moments_batcher_add (GstClMomentsBatcher *batcher, gconstpointer source,
    const GstClComponent *components, const GstClPendingUpload *pending,
    GError **error)
{
  GstClBatchQueue *batches = get_batches (batcher, error);
  g_autofree GstClBatchedFrame *frame = g_new0 (GstClBatchedFrame, 1);

  if (!batches ||
      !gst_cl_pending_upload_keep_event (pending, &frame->upload, error))
    return NULL;

  frame->batcher = batcher;
  frame->write = pending->write;
  frame->is_external = pending->is_external;
  for (guint c = 0; c < batcher->problem.n_components; c++)
    frame->components[c] = components[c];
  frame->fence = gst_cl_fence_new ();
  frame->source = source;
  gst_cl_batch_queue_add (batches, frame, source);

  return g_steal_pointer (&frame);
}

GstClFence *
gst_cl_batched_frame_fence (GstClBatchedFrame *self)
{
  return self->fence;
}

gboolean
gst_cl_batched_frame_result (GstClBatchedFrame *self, GstClMoments *results,
    GError **error)
{
  if (!gst_cl_fence_wait (self->fence, error))
    return FALSE;

  for (guint c = 0; c < self->batcher->problem.n_components; c++)
    results[c] = self->results[c];

  return TRUE;
}

void
gst_cl_batched_frame_free (GstClBatchedFrame *self)
{
  if (!self)
    return;

  gst_cl_fence_wait (self->fence, NULL);
  gst_cl_fence_unref (self->fence);
  g_free (self);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of several streams, enqueued by whoever comes. */

#include "momentsprivate.h"

#include "cl/context/gstclcompletion.h"
#include "cl/context/gstclwait.h"
#include "cl/import/gstclexternal.h"
#include "cl/memory/gstclreadback.h"

/* Launches that the device has not ended, at most: frames that come meanwhile
 * share the next one. As many as a stream has frames in flight. */
#define MAX_LAUNCHES 3

/* Launches by one thread on end, of which the first or the second has its own
 * frame: those who wait for what has come meanwhile go on from there. */
#define MAX_TURNS 4

/* Reads on their way, of one block of host memory. */
#define BLOCK_SLOTS 64

typedef struct {
  GstClReadback *readback;
  guint64 used; /* bits: slots; lock of the joint */
} Block;

/* Frames that share a read. */
typedef struct {
  Block *block;
  guint slot;
  gint n_frames; /* that have not been freed; atomic */
} Launch;

struct _GstClMomentsJoint {
  gchar *key;   /* in joints */
  gint n_users; /* changed under joints_lock; atomic */
  GstClContext *context;
  const GstClMomentsJointRow *row;
  GstClCandidate candidate;
  GstClMomentsProblem problem;

  GMutex lock;
  GQueue added;          /* GstClJointFrame, not enqueued; lock */
  gboolean is_enqueuing; /* some thread, which alone uses what follows; lock */
  gpointer instance;     /* of the row; NULL before the first launch */
  GPtrArray *blocks;     /* Block */
  cl_event launches[MAX_LAUNCHES]; /* a ring; owned, or NULL */
  guint n_launched, n_ended;       /* so far */
};

struct _GstClJointFrame {
  GstClMomentsJoint *joint;
  GstClComponent components[GST_CL_MOMENTS_MAX_COMPONENTS];
  GstClArrival arrival; /* a copy */
  GstClPromise *promise;

  /* before the promise is kept */
  Launch *launch; /* shared; NULL: broken */
  guint place;    /* in the launch */
};

/* --- joints -------------------------------------------------------------- */

static GMutex joints_lock;

static GQuark
joints_quark (void)
{
  return g_quark_from_static_string ("gst-cl-moments-joints");
}

/* gchar *key -> GstClMomentsJoint, both borrowed. Lock held. */
static GHashTable *
joints_of (GstClContext *context)
{
  GHashTable *joints = g_object_get_qdata (G_OBJECT (context), joints_quark ());

  if (!joints) {
    joints = g_hash_table_new (g_str_hash, g_str_equal);
    g_object_set_qdata_full (G_OBJECT (context), joints_quark (), joints,
        (GDestroyNotify) g_hash_table_unref);
  }

  return joints;
}

static void
free_block (gpointer data)
{
  Block *block = data;

  gst_cl_readback_free (block->readback);
  g_free (block);
}

static void
joint_free (GstClMomentsJoint *self)
{
  for (guint i = 0; i < MAX_LAUNCHES; i++)
    g_clear_pointer (&self->launches[i], clReleaseEvent);
  if (self->instance)
    self->row->free (self->instance);
  g_ptr_array_unref (self->blocks);
  g_mutex_clear (&self->lock);
  gst_object_unref (self->context);
  g_free (self->key);
  g_free (self);
}

/* @key: transfer full */
static GstClMomentsJoint *
joint_new (GstClContext *context, const GstClCandidate *candidate,
    const GstClMomentsProblem *problem, gchar *key)
{
  const GstClMomentsRow *row = candidate->implementation->data;
  GstClMomentsJoint *self = g_new0 (GstClMomentsJoint, 1);

  self->key = key;
  self->context = gst_object_ref (context);
  self->row = row->joint;
  self->candidate = *candidate;
  self->problem = *problem;
  self->blocks = g_ptr_array_new_with_free_func (free_block);
  g_mutex_init (&self->lock);
  g_queue_init (&self->added);

  return self;
}

GstClMomentsJoint *
gst_cl_moments_joint_get (GstClContext *context,
    const GstClCandidate *candidate, const GstClMomentsProblem *problem)
{
  g_autofree gchar *described = gst_cl_moments_table.describe (problem);
  g_autofree gchar *key = g_strdup_printf ("%s, %s",
      gst_cl_candidate_name (candidate), described);
  GstClMomentsJoint *self;

  g_mutex_lock (&joints_lock);
  self = g_hash_table_lookup (joints_of (context), key);
  if (!self) {
    self = joint_new (context, candidate, problem, g_steal_pointer (&key));
    g_hash_table_insert (joints_of (context), self->key, self);
  }
  g_atomic_int_inc (&self->n_users);
  g_mutex_unlock (&joints_lock);

  return self;
}

void
gst_cl_moments_joint_leave (GstClMomentsJoint *self)
{
  gboolean is_last;

  if (!self)
    return;

  g_mutex_lock (&joints_lock);
  is_last = g_atomic_int_dec_and_test (&self->n_users);
  if (is_last)
    g_hash_table_remove (joints_of (self->context), self->key);
  g_mutex_unlock (&joints_lock);

  if (is_last)
    joint_free (self);
}

gboolean
gst_cl_moments_joint_is_shared (GstClMomentsJoint *self)
{
  return g_atomic_int_get (&self->n_users) > 1;
}

/* --- launches ------------------------------------------------------------ */

/* Returns a block with a free slot, which it marks used. NULL with @error. */
static Block *
take_slot (GstClMomentsJoint *self, guint *slot, GError **error)
{
  Block *block = NULL;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->blocks->len && !block; i++) {
    Block *one = g_ptr_array_index (self->blocks, i);

    if (one->used != G_MAXUINT64)
      block = one;
  }
  g_mutex_unlock (&self->lock);

  if (!block) {
    GstClReadback *readback = gst_cl_readback_new (self->context, BLOCK_SLOTS,
        GST_CL_MOMENTS_JOINT_FRAMES * self->problem.n_components *
            sizeof (GstClMoments),
        error);

    if (!readback)
      return NULL;
    block = g_new0 (Block, 1);
    block->readback = readback;
    g_ptr_array_add (self->blocks, block);
  }

  g_mutex_lock (&self->lock);
  for (*slot = 0; block->used >> *slot & 1;)
    ++*slot;
  block->used |= G_GUINT64_CONSTANT (1) << *slot;
  g_mutex_unlock (&self->lock);

  return block;
}

/* The next read into the slot comes after the one before, if that is not done:
 * the queue is in order. */
static void
launch_free (GstClMomentsJoint *joint, Launch *self)
{
  g_mutex_lock (&joint->lock);
  self->block->used &= ~(G_GUINT64_CONSTANT (1) << self->slot);
  g_mutex_unlock (&joint->lock);
  g_free (self);
}

/* Memory of others is given back even where the launch fails. */
static gboolean
run (GstClMomentsJoint *self, const GstClMomentsJointPart *parts,
    GstClJointFrame *const *frames, guint n_frames, GError **error)
{
  cl_command_queue queue = self->context->queue;
  cl_mem external[GST_CL_MOMENTS_JOINT_FRAMES];
  guint n_external = 0;
  gboolean is_run;

  for (guint i = 0; i < n_frames; i++) {
    if (frames[i]->arrival.is_external)
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

/* Enqueues the reduction of @frames and the read of their results. */
static gboolean
enqueue_launch (GstClMomentsJoint *self, const Launch *launch,
    GstClJointFrame *const *frames, guint n_frames, GError **error)
{
  GstClMomentsJointPart parts[GST_CL_MOMENTS_JOINT_FRAMES];

  if (!self->instance)
    self->instance = self->row->create (self->context, &self->candidate,
        &self->problem, error);
  if (!self->instance)
    return FALSE;

  for (guint i = 0; i < n_frames; i++)
    parts[i] = (GstClMomentsJointPart){ frames[i]->components,
      frames[i]->arrival.upload };

  return run (self, parts, frames, n_frames, error) &&
         gst_cl_readback_enqueue_part (launch->block->readback, launch->slot,
             self->row->get_result (self->instance),
             n_frames * self->problem.n_components * sizeof (GstClMoments),
             error);
}

/* Returns a launch of all @frames, which is on its way. NULL with @error. */
static Launch *
launch_new (GstClMomentsJoint *joint, GstClJointFrame *const *frames,
    guint n_frames, GError **error)
{
  guint slot;
  Block *block = take_slot (joint, &slot, error);
  Launch *self;

  if (!block)
    return NULL;

  self = g_new (Launch, 1);
  *self = (Launch){ block, slot, (gint) n_frames };
  if (enqueue_launch (joint, self, frames, n_frames, error))
    return self;
  launch_free (joint, self);

  return NULL;
}

/* Whoever owns @self may free it as soon as its promise is kept or broken. */
static void
frame_settle (GstClJointFrame *self, Launch *launch, guint place,
    cl_event event, const GError *error)
{
  gst_cl_arrival_clear (&self->arrival);
  self->launch = launch;
  self->place = place;
  if (event)
    gst_cl_promise_keep (self->promise, event);
  else
    gst_cl_promise_break (self->promise, error);
}

static void
enqueue (GstClMomentsJoint *self, GstClJointFrame *const *frames,
    guint n_frames)
{
  cl_event events[GST_CL_MOMENTS_JOINT_FRAMES] = { NULL };
  g_autoptr (GError) error = NULL;
  Launch *launch = launch_new (self, frames, n_frames, &error);

  /* all of them before the first frame is settled: the launch lasts as long as
   * one that is not */
  for (guint i = 0; i < n_frames && launch; i++) {
    events[i] = gst_cl_readback_event (launch->block->readback, launch->slot);
    if (!events[i] && !error)
      gst_cl_check (CL_OUT_OF_HOST_MEMORY, "keep a command's event", &error);
  }
  if (launch)
    self->launches[self->n_launched++ % MAX_LAUNCHES] = gst_cl_readback_event (
        launch->block->readback, launch->slot);
  for (guint i = 0; i < n_frames; i++)
    frame_settle (frames[i], launch, i, events[i], error);
}

/* Returns how many launches the device has not ended. */
static guint
count_launches (GstClMomentsJoint *self)
{
  for (; self->n_ended < self->n_launched; self->n_ended++) {
    cl_event *oldest = &self->launches[self->n_ended % MAX_LAUNCHES];

    if (*oldest && gst_cl_completion_state (*oldest) > CL_COMPLETE)
      break;
    g_clear_pointer (oldest, clReleaseEvent);
  }

  return self->n_launched - self->n_ended;
}

/* Returns whether to launch @n_added frames beside @n_launches: where the
 * device has nothing to do, or where more would not come before it has. */
static gboolean
is_worth_a_launch (GstClMomentsJoint *self, guint n_added, guint n_launches)
{
  const guint n_streams = (guint) g_atomic_int_get (&self->n_users);

  return n_launches == 0 ||
         (n_launches < MAX_LAUNCHES &&
             n_added >= MIN (n_streams, GST_CL_MOMENTS_JOINT_FRAMES));
}

/* Takes up to GST_CL_MOMENTS_JOINT_FRAMES frames, the first that came, for
 * launch @turn of this thread. Returns how many; 0: others go on from here. */
static guint
take_frames (GstClMomentsJoint *self, guint turn, GstClJointFrame **frames)
{
  const guint n_launches = count_launches (self);
  guint n_frames = 0;

  g_mutex_lock (&self->lock);
  if (turn < MAX_TURNS &&
      is_worth_a_launch (self, self->added.length, n_launches)) {
    while (n_frames < GST_CL_MOMENTS_JOINT_FRAMES && self->added.length > 0)
      frames[n_frames++] = g_queue_pop_head (&self->added);
  }
  if (n_frames == 0)
    self->is_enqueuing = FALSE;
  g_mutex_unlock (&self->lock);

  return n_frames;
}

/* Enqueues what is there, unless another thread is at it, or the device has
 * enough to do. */
static void
hurry (gpointer user_data)
{
  GstClMomentsJoint *self = user_data;
  GstClJointFrame *frames[GST_CL_MOMENTS_JOINT_FRAMES];
  gboolean is_mine;
  guint n_frames;

  g_mutex_lock (&self->lock);
  is_mine = !self->is_enqueuing && self->added.length > 0;
  self->is_enqueuing |= is_mine;
  g_mutex_unlock (&self->lock);

  for (guint turn = 0;
       is_mine && (n_frames = take_frames (self, turn, frames)) > 0; turn++)
    enqueue (self, frames, n_frames);
}

/* --- frames -------------------------------------------------------------- */

gboolean
gst_cl_moments_joint_takes (const GstClComponent *components,
    guint n_components)
{
  for (guint c = 0; c < n_components; c++) {
    if (components[c].mem != components[0].mem ||
        components[c].offset_bytes > G_MAXINT32)
      return FALSE;
  }

  return TRUE;
}

GstClJointFrame *
gst_cl_moments_joint_add (GstClMomentsJoint *joint,
    const GstClComponent *components, const GstClArrival *arrival,
    GError **error)
{
  g_autofree GstClJointFrame *frame = g_new0 (GstClJointFrame, 1);
  GstClJointFrame *self;

  if (!gst_cl_arrival_copy (arrival, &frame->arrival, error))
    return NULL;

  self = g_steal_pointer (&frame);
  self->joint = joint;
  for (guint c = 0; c < joint->problem.n_components; c++)
    self->components[c] = components[c];
  self->promise = gst_cl_promise_new (hurry, joint);

  g_mutex_lock (&joint->lock);
  g_queue_push_tail (&joint->added, self);
  g_mutex_unlock (&joint->lock);
  hurry (joint);

  return self;
}

GstClPromise *
gst_cl_joint_frame_promise (GstClJointFrame *self)
{
  return self->promise;
}

gboolean
gst_cl_joint_frame_result (GstClJointFrame *self, GstClMoments *results,
    GError **error)
{
  GstClMomentsJoint *joint = self->joint;
  cl_event event;
  const GstClMoments *moments;

  if (!gst_cl_promise_wait (self->promise, &event, error) ||
      !gst_cl_context_wait (joint->context, &event, "read a result", error))
    return FALSE;

  moments = gst_cl_readback_data (self->launch->block->readback,
      self->launch->slot);
  for (guint c = 0; c < joint->problem.n_components; c++)
    results[c] = moments[self->place * joint->problem.n_components + c];
  hurry (joint);

  return TRUE;
}

void
gst_cl_joint_frame_free (GstClJointFrame *self)
{
  if (!self)
    return;

  gst_cl_promise_settle (self->promise);
  if (self->launch && g_atomic_int_dec_and_test (&self->launch->n_frames))
    launch_free (self->joint, self->launch);
  gst_cl_promise_unref (self->promise);
  g_free (self);
}

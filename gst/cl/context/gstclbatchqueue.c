/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A command queue with one thread, and the fences that it signals. */

#include "gstclbatchqueue.h"

#include "common/gstcldebug.h"

/* --- fences --------------------------------------------------------------- */

struct _GstClFence {
  GMutex lock;
  GCond settled;
  gboolean is_settled; /* lock */
  guint n_waiting;     /* threads; lock */
  GError *error;       /* the reason of the failure; NULL: signalled */
};

GstClFence *
gst_cl_fence_new (void)
{
  GstClFence *self = g_atomic_rc_box_new0 (GstClFence);

  g_mutex_init (&self->lock);
  g_cond_init (&self->settled);

  return self;
}

GstClFence *
gst_cl_fence_ref (GstClFence *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  GstClFence *self = data;

  g_clear_error (&self->error);
  g_cond_clear (&self->settled);
  g_mutex_clear (&self->lock);
}

void
gst_cl_fence_unref (GstClFence *self)
{
  if (self)
    g_atomic_rc_box_release_full (self, clear);
}

/* @error: transfer full */
static void
settle_fence (GstClFence *self, GError *error)
{
  g_mutex_lock (&self->lock);
  self->error = error;
  self->is_settled = TRUE;
  if (self->n_waiting > 0)
    g_cond_broadcast (&self->settled);
  g_mutex_unlock (&self->lock);
}

void
gst_cl_fence_signal (GstClFence *self)
{
  settle_fence (self, NULL);
}

void
gst_cl_fence_fail (GstClFence *self, const GError *error)
{
  settle_fence (self, g_error_copy (error));
}

gboolean
gst_cl_fence_wait (GstClFence *self, GError **error)
{
  g_mutex_lock (&self->lock);
  self->n_waiting++;
  while (!self->is_settled)
    g_cond_wait (&self->settled, &self->lock);
  self->n_waiting--;
  g_mutex_unlock (&self->lock);

  if (self->error && error)
    *error = g_error_copy (self->error);

  return !self->error;
}

gboolean
gst_cl_fence_is_settled (GstClFence *self)
{
  gboolean is_settled;

  g_mutex_lock (&self->lock);
  is_settled = self->is_settled;
  g_mutex_unlock (&self->lock);

  return is_settled;
}

/* --- batch queues --------------------------------------------------------- */

GST_CL_DEBUG_CATEGORY_EXTERN (gst_cl_context_debug);
#define GST_CAT_DEFAULT gst_cl_context_debug ()

/* The first and the longest interval between two polls of the device; each
 * interval is twice as long as the one before. */
#define FIRST_NAP_US 50
#define LAST_NAP_US  400

/* A launch that takes longer than this is late: no device takes so long. */
#define LATE_US (5 * G_USEC_PER_SEC)

/* A source that has added no item for this time does not delay launches. */
#define PATIENCE_US G_USEC_PER_SEC

typedef struct {
  gconstpointer id;
  gint64 last_us; /* time of its last item; 0: none */
} Source;

typedef struct {
  gpointer items[GST_CL_BATCH_QUEUE_ITEMS];
  guint n_items;
  cl_event event;
  gint64 begun_us;
  gboolean is_late;
} Launch;

struct _GstClBatchQueue {
  GstClContext *context;
  const GstClBatchQueueWork *work;
  gpointer user_data;
  cl_command_queue queue;
  GThread *thread;

  GMutex lock;
  GCond wake;
  GQueue added; /* not yet received by the thread; lock */
  Source sources[GST_CL_BATCH_QUEUE_ITEMS]; /* the latest ones; lock */
  gboolean is_napping;                      /* an item wakes the thread; lock */
  gboolean is_stopping;                     /* lock */

  /* only the thread of the batch queue uses these */
  GQueue ready;  /* items that have been received */
  guint n_apart; /* the number of next items that get a launch each */
  Launch launches[GST_CL_BATCH_QUEUE_LAUNCHES]; /* a ring */
  guint64 n_launched, n_ended;                  /* so far */
  gulong nap_us;
};

/* --- launches ------------------------------------------------------------- */

static Launch *
launch_at (GstClBatchQueue *self, guint64 number)
{
  return &self->launches[number % GST_CL_BATCH_QUEUE_LAUNCHES];
}

static void
end_launch (GstClBatchQueue *self, guint64 number, const GError *error)
{
  const Launch *launch = launch_at (self, number);

  self->work->end (self->user_data, launch->items, launch->n_items,
      number % GST_CL_BATCH_QUEUE_LAUNCHES, error);

  /* items that are launched again, and items added meanwhile */
  if (error) {
    g_mutex_lock (&self->lock);
    self->n_apart = self->ready.length + self->added.length;
    g_mutex_unlock (&self->lock);
  }
}

/* A driver may have lost a command that no flush has submitted: flushes the
 * queues again, and logs it. */
static void
look_after (GstClBatchQueue *self, Launch *launch)
{
  if (launch->is_late || g_get_monotonic_time () - launch->begun_us < LATE_US)
    return;

  launch->is_late = TRUE;
  GST_WARNING_OBJECT (self->context,
      "a launch of %u frames has not ended within %d s (state %d)",
      launch->n_items, LATE_US / G_USEC_PER_SEC,
      gst_cl_completion_state (launch->event));
  clFlush (self->queue);
  gst_cl_context_flush (self->context, GST_CL_QUEUE_UPLOAD, NULL);
}

/* Ends the launches that are complete. */
static void
end_launches (GstClBatchQueue *self)
{
  while (self->n_ended < self->n_launched) {
    Launch *launch = launch_at (self, self->n_ended);
    g_autoptr (GError) error = NULL;

    if (gst_cl_completion_state (launch->event) > CL_COMPLETE) {
      look_after (self, launch);
      return;
    }
    gst_cl_context_wait (self->context, &launch->event,
        "work on frames of several streams", &error);
    end_launch (self, self->n_ended++, error);
    self->nap_us = FIRST_NAP_US;
  }
}

/* Begins a launch of as many ready items as may share it. */
static void
begin_launch (GstClBatchQueue *self)
{
  const guint max_items = self->n_apart > 0 ? 1 : GST_CL_BATCH_QUEUE_ITEMS;
  const guint64 number = self->n_launched;
  Launch *launch = launch_at (self, number);
  g_autoptr (GError) error = NULL;

  *launch = (Launch){ .begun_us = g_get_monotonic_time () };
  while (launch->n_items < max_items && self->ready.length > 0)
    launch->items[launch->n_items++] = g_queue_pop_head (&self->ready);
  self->n_apart -= MIN (self->n_apart, launch->n_items);

  if (self->work->launch (self->user_data, launch->items, launch->n_items,
          number % GST_CL_BATCH_QUEUE_LAUNCHES, &launch->event, &error)) {
    self->n_launched++;
    self->nap_us = FIRST_NAP_US;
    return;
  }
  /* some of its commands may have been enqueued */
  gst_cl_finish (self->queue);
  g_clear_pointer (&launch->event, clReleaseEvent);
  end_launch (self, number, error);
}

/* --- the thread ----------------------------------------------------------- */

/* Lock held. */
static void
note_source (GstClBatchQueue *self, gconstpointer id)
{
  Source *oldest = &self->sources[0];

  for (guint i = 0; i < GST_CL_BATCH_QUEUE_ITEMS; i++) {
    Source *source = &self->sources[i];

    if (source->id == id) {
      oldest = source;
      break;
    }
    if (source->last_us < oldest->last_us)
      oldest = source;
  }
  *oldest = (Source){ id, g_get_monotonic_time () };
}

static guint
count_sources (GstClBatchQueue *self)
{
  const gint64 since_us = g_get_monotonic_time () - PATIENCE_US;
  guint n_sources = 0;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < GST_CL_BATCH_QUEUE_ITEMS; i++)
    n_sources += self->sources[i].last_us > MAX (since_us, 0);
  g_mutex_unlock (&self->lock);

  return MAX (n_sources, 1);
}

/* Returns the number of items needed for another launch: one if the device is
 * idle; otherwise the number of items that may arrive before it is. */
static guint
count_wanted (GstClBatchQueue *self)
{
  switch (self->n_launched - self->n_ended) {
    case 0:
      return 1;
    case GST_CL_BATCH_QUEUE_LAUNCHES:
      return G_MAXUINT;
    default:
      return self->n_apart > 0 ? 1 : count_sources (self);
  }
}

static gboolean
has_enough (GstClBatchQueue *self)
{
  return self->ready.length >= count_wanted (self);
}

/* Sleeps until an item is added, or until the next poll of the device. Lock
 * held. */
static void
nap (GstClBatchQueue *self)
{
  const gint64 end_us = g_get_monotonic_time () + (gint64) self->nap_us;

  self->is_napping = TRUE;
  if (self->n_launched == self->n_ended)
    g_cond_wait (&self->wake, &self->lock);
  else if (!g_cond_wait_until (&self->wake, &self->lock, end_us))
    self->nap_us = MIN (2 * self->nap_us, LAST_NAP_US);
  self->is_napping = FALSE;
}

/* Receives added items; waits for them if there are none and @may_nap. Returns
 * their number. */
static guint
take_added (GstClBatchQueue *self, gboolean may_nap,
    gpointer items[GST_CL_BATCH_QUEUE_ITEMS])
{
  guint n_items = 0;

  g_mutex_lock (&self->lock);
  if (may_nap && self->added.length == 0 && !self->is_stopping)
    nap (self);
  while (n_items < GST_CL_BATCH_QUEUE_ITEMS && self->added.length > 0)
    items[n_items++] = g_queue_pop_head (&self->added);
  g_mutex_unlock (&self->lock);

  return n_items;
}

static void
receive (GstClBatchQueue *self, gpointer *items, guint n_items)
{
  const guint n_left = self->work->receive (self->user_data, items, n_items);

  for (guint i = 0; i < n_left; i++)
    g_queue_push_tail (&self->ready, items[i]);
}

static gboolean
is_stopping (GstClBatchQueue *self)
{
  gboolean is_stopping;

  g_mutex_lock (&self->lock);
  is_stopping = self->is_stopping;
  g_mutex_unlock (&self->lock);

  return is_stopping;
}

static gpointer
run (gpointer user_data)
{
  GstClBatchQueue *self = user_data;

  while (!is_stopping (self)) {
    gpointer items[GST_CL_BATCH_QUEUE_ITEMS];
    const guint n_items = take_added (self, !has_enough (self), items);

    if (n_items > 0)
      receive (self, items, n_items);
    if (has_enough (self))
      begin_launch (self);
    end_launches (self);
  }

  return NULL;
}

/* --- creating batch queues, and adding items ----------------------------- */

GstClBatchQueue *
gst_cl_batch_queue_new (GstClContext *context, const GstClBatchQueueWork *work,
    gpointer user_data, GError **error)
{
  g_autoptr (GstClBatchQueue) self = g_new0 (GstClBatchQueue, 1);

  self->context = gst_object_ref (context);
  self->work = work;
  self->user_data = user_data;
  self->nap_us = FIRST_NAP_US;
  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
  g_queue_init (&self->added);
  g_queue_init (&self->ready);
  self->queue = gst_cl_context_create_queue (context, error);
  if (!self->queue)
    return NULL;
  self->thread = g_thread_try_new ("cl-batch-queue", run, self, error);

  return self->thread ? g_steal_pointer (&self) : NULL;
}

static void
stop (GstClBatchQueue *self)
{
  g_mutex_lock (&self->lock);
  self->is_stopping = TRUE;
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
}

void
gst_cl_batch_queue_free (GstClBatchQueue *self)
{
  if (!self)
    return;

  if (self->thread)
    stop (self);
  gst_cl_context_release_queue (self->queue);
  g_cond_clear (&self->wake);
  g_mutex_clear (&self->lock);
  gst_object_unref (self->context);
  g_free (self);
}

cl_command_queue
gst_cl_batch_queue_command_queue (const GstClBatchQueue *self)
{
  return self->queue;
}

void
gst_cl_batch_queue_add (GstClBatchQueue *self, gpointer item,
    gconstpointer source)
{
  g_mutex_lock (&self->lock);
  note_source (self, source);
  g_queue_push_tail (&self->added, item);
  if (self->is_napping) {
    self->is_napping = FALSE;
    g_cond_signal (&self->wake);
  }
  g_mutex_unlock (&self->lock);
}

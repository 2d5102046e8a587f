/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pending results. */

#include "gstclresults.h"

#include <string.h>

#include <gst/base/gstqueuearray.h>

#include "cl/import/gstclcuda.h"
#include "elements/base/gstclworker.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cl_frame_sum_debug);
#define GST_CAT_DEFAULT gst_cl_frame_sum_debug

/* Buffers of a bounded pool that are never delayed: upstream fills one, the
 * device reads one, and elements downstream show one and have one queued. */
#define N_LEFT_OF_POOL 4

/* Maximum number of results that the worker has not published. */
#define MAX_PENDING 8

/* Each result that is pending, delayed or about to be either has a slot. */
G_STATIC_ASSERT (
    MAX_PENDING + GST_CL_FRAME_SUM_MAX_DEPTH + 2 < GST_CL_MEASUREMENT_SLOTS);
G_STATIC_ASSERT (GST_CL_MEASUREMENT_SLOTS <= 64);

typedef struct _Result Result;

/* Slots with pending results, and unused Results. Each slot has memory of its
 * own, allocated on first use, so the lowest free slot is used. Any thread. */
typedef struct {
  GMutex lock;
  guint64 used;   /* bits; lock */
  Result *unused; /* the first of a list; lock */
} Slots;

/* A frame that was submitted to the device, and how to publish its result. */
struct _Result {
  Result *next;            /* in the list of unused results */
  GstBuffer *buffer;       /* delayed; NULL: the frame has passed */
  GstBufferPool *pool;     /* bounded pool of the delayed buffer; NULL: none */
  GstStructure *structure; /* once the numbers have been read */
  GstClAnalyticsFrame analytics; /* with structure */
  GstClMeasurement *measurement; /* owned; what to wait for, or NULL */
  Slots *slots;                  /* owner of this result and its slot */
  guint slot;
  guint epoch;    /* of the stream analysis */
  guint64 number; /* number of the frame in flight */
  GstClFrameOrder order;
};

struct _GstClResults {
  GstClBaseFilter *filter;
  GstClPublisher *publisher;

  GstClMeasurement *measurement; /* measurement of the next frames */
  Slots slots;
  gdouble max_light, max_average; /* of the buffers that light_caps is for */
  guint n_flushes;                /* flushes that have ended */
  guint max_held;                 /* buffers that upstream can spare */
  guint lacking_depth;            /* more than upstream can spare; or 0 */
  Result *latest;                 /* of gst_cl_results_measure(), or NULL */
  GstQueueArray *held;            /* Result, with buffer */
  GstClWorker *worker;            /* its items are Results without buffer */
};

/* Returns the lowest free slot; GST_CL_MEASUREMENT_SLOTS if none is free. */
static guint
take_slot (Slots *slots)
{
  guint slot = 0;

  g_mutex_lock (&slots->lock);
  while (slot < GST_CL_MEASUREMENT_SLOTS && slots->used >> slot & 1)
    slot++;
  if (slot < GST_CL_MEASUREMENT_SLOTS)
    slots->used |= G_GUINT64_CONSTANT (1) << slot;
  g_mutex_unlock (&slots->lock);

  return slot;
}

static void
give_slot_back (Slots *slots, guint slot)
{
  g_mutex_lock (&slots->lock);
  slots->used &= ~(G_GUINT64_CONSTANT (1) << slot);
  g_mutex_unlock (&slots->lock);
}

static Result *
new_result (Slots *slots)
{
  Result *result;

  g_mutex_lock (&slots->lock);
  result = slots->unused;
  if (result)
    slots->unused = result->next;
  g_mutex_unlock (&slots->lock);

  if (!result)
    result = g_new (Result, 1);
  *result = (Result){ .slots = slots };

  return result;
}

static GQuark
held_quark (void)
{
  return g_quark_from_static_string ("gst-cl-held");
}

/* Returns the atomic counter of buffers of @pool that all elements of the
 * process delay. It exists as long as the pool. */
static gint *
get_pool_counter (GstBufferPool *pool)
{
  gint *n_held;

  GST_OBJECT_LOCK (pool);
  n_held = g_object_get_qdata (G_OBJECT (pool), held_quark ());
  if (!n_held) {
    n_held = g_new0 (gint, 1);
    g_object_set_qdata_full (G_OBJECT (pool), held_quark (), n_held, g_free);
  }
  GST_OBJECT_UNLOCK (pool);

  return n_held;
}

/* Releases the measurement and the slot: the numbers have been read or are not
 * needed. */
static void
release_slot (Result *result)
{
  if (!result->measurement)
    return;

  give_slot_back (result->slots, result->slot);
  g_clear_pointer (&result->measurement, gst_cl_measurement_unref);
}

static void
free_result (gpointer data)
{
  Result *result = data;

  release_slot (result);
  gst_clear_buffer (&result->buffer);
  gst_clear_structure (&result->structure);
  g_clear_pointer (&result->analytics.classes, g_array_unref);
  if (result->pool)
    g_atomic_int_add (get_pool_counter (result->pool), -1);
  gst_clear_object (&result->pool);

  g_mutex_lock (&result->slots->lock);
  result->next = result->slots->unused;
  result->slots->unused = result;
  g_mutex_unlock (&result->slots->lock);
}

static gboolean
analyze (GstClResults *self, Result *result)
{
  GstClMeasured measured;
  g_autoptr (GError) error = NULL;

  if (!gst_cl_measurement_result (result->measurement, result->slot, &measured,
          &error)) {
    gst_cl_publisher_mark_incomplete (self->publisher, result->epoch);
    gst_cl_base_filter_fail (self->filter, error);
    return FALSE;
  }
  result->structure = gst_cl_publisher_analyze (self->publisher, &measured,
      &result->order.time, &result->order.event_settings, result->epoch,
      &result->analytics);

  return TRUE;
}

/* Waits for the numbers of @result and analyzes them. Any thread that owns
 * @result. */
static gboolean
complete (GstClResults *self, Result *result)
{
  gboolean is_analyzed;

  if (!result->measurement)
    return TRUE;

  is_analyzed = analyze (self, result);
  release_slot (result);

  return is_analyzed;
}

/* Returns @light, in cd/m2, as an integer of content-light-level. */
static guint16
round_light (gdouble light)
{
  return (guint16) MIN (light + 0.5, G_MAXUINT16);
}

/* Writes the greatest light up to @structure, the result of the next buffer, to
 * the caps of the source pad, if it is greater than there. */
static void
update_caps (GstClResults *self, const GstStructure *structure)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (self->filter);
  GstVideoContentLightLevel level = { 0 }, now = { 0 };
  g_autoptr (GstCaps) caps = NULL;
  gdouble max, average;

  if (!gst_structure_get_double (structure, "light-max", &max) ||
      !gst_structure_get_double (structure, "light-average", &average))
    return;

  self->max_light = MAX (self->max_light, max);
  self->max_average = MAX (self->max_average, average);
  level.max_content_light_level = round_light (self->max_light);
  level.max_frame_average_light_level = round_light (self->max_average);
  caps = gst_pad_get_current_caps (pad);
  if (!caps || (gst_video_content_light_level_from_caps (&now, caps) &&
                   memcmp (&level, &now, sizeof level) == 0))
    return;

  caps = gst_caps_make_writable (caps);
  gst_video_content_light_level_add_to_caps (&level, caps);
  /* gst_base_transform_update_src_caps() would ask for another negotiation,
   * which sets the caps without the level again */
  gst_pad_push_event (pad, gst_event_new_caps (caps));
}

/* @buffer: gets the result as a meta, or NULL. */
static void
publish (GstClResults *self, Result *result, GstBuffer *buffer)
{
  if (result->structure && buffer && result->order.delivery.light_caps)
    update_caps (self, result->structure);
  if (result->structure)
    gst_cl_publisher_publish (self->publisher, buffer,
        g_steal_pointer (&result->structure), &result->analytics,
        &result->order.delivery);
}

/* Completes and publishes a result whose frame does not wait for it: the frame
 * has passed, or was still delayed when the element stopped. */
static void
publish_alone (gpointer item, gpointer user_data)
{
  if (complete (user_data, item))
    publish (user_data, item, NULL);
  free_result (item);
}

/* Removes the oldest delayed frame from the list when the device has finished
 * it, and publishes its result. *buffer is NULL if a message handler in this
 * thread has flushed meanwhile. Returns FALSE after it has posted an error. */
static gboolean
release_oldest (GstClResults *self, GstBuffer **buffer)
{
  const guint n_flushes = self->n_flushes;
  Result *result = gst_queue_array_pop_head (self->held);
  const gboolean done = complete (self, result) &&
                        gst_cl_base_filter_wait (self->filter, result->number);

  if (!done)
    gst_cl_publisher_mark_incomplete (self->publisher, result->epoch);
  else if (self->n_flushes == n_flushes)
    publish (self, result, result->buffer);
  *buffer = done && self->n_flushes == n_flushes
                ? g_steal_pointer (&result->buffer)
                : NULL;
  free_result (result);

  return done;
}

static GstQueueArray *
new_held (void)
{
  GstQueueArray *held = gst_queue_array_new (GST_CL_FRAME_SUM_MAX_DEPTH + 2);

  gst_queue_array_set_clear_func (held, free_result);

  return held;
}

GstClResults *
gst_cl_results_new (GstClBaseFilter *filter, GstClPublisher *publisher)
{
  GstClResults *self = g_new0 (GstClResults, 1);

  self->filter = filter;
  self->publisher = publisher;
  self->max_held = G_MAXUINT;
  g_mutex_init (&self->slots.lock);
  self->held = new_held ();
  self->worker = gst_cl_worker_new ("clframesum", MAX_PENDING, publish_alone,
      self);

  return self;
}

void
gst_cl_results_free (GstClResults *self)
{
  Result *result;

  if (!self)
    return;

  gst_cl_worker_free (self->worker);
  while ((result = gst_queue_array_pop_head (self->held)))
    publish_alone (result, self);
  gst_queue_array_free (self->held);
  g_clear_pointer (&self->latest, free_result);
  while ((result = self->slots.unused)) {
    self->slots.unused = result->next;
    g_free (result);
  }
  gst_cl_measurement_unref (self->measurement);
  g_mutex_clear (&self->slots.lock);
  g_free (self);
}

gboolean
gst_cl_results_wait_analyzed (GstClResults *self)
{
  const guint n_flushes = self->n_flushes;
  GstQueueArray *held = self->held;
  gboolean is_analyzed = gst_cl_worker_drain (self->worker);

  /* removed from the list, because a flush in complete() would free the result
   */
  self->held = new_held ();
  for (guint i = 0; i < gst_queue_array_get_length (held) && is_analyzed; i++) {
    complete (self, gst_queue_array_peek_nth (held, i));
    is_analyzed = self->n_flushes == n_flushes;
  }
  if (self->n_flushes == n_flushes) {
    gst_queue_array_free (self->held);
    self->held = held;
  } else {
    gst_queue_array_free (held);
  }

  return is_analyzed;
}

void
gst_cl_results_set_measurement (GstClResults *self,
    GstClMeasurement *measurement)
{
  gst_cl_measurement_unref (self->measurement);
  self->measurement = measurement;
}

GstClMeasurement *
gst_cl_results_measurement (GstClResults *self)
{
  return self->measurement;
}

/* After flushes more results may be pending than usual, with a thread that does
 * not return from a message handler. Returns GST_CL_MEASUREMENT_SLOTS if no
 * slot is free even after waiting. */
static guint
find_slot (GstClResults *self, GError **error)
{
  guint slot = take_slot (&self->slots);

  if (slot == GST_CL_MEASUREMENT_SLOTS) {
    gst_cl_results_wait_analyzed (self);
    slot = take_slot (&self->slots);
  }
  if (slot == GST_CL_MEASUREMENT_SLOTS)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "Results are not read: %u are pending.", GST_CL_MEASUREMENT_SLOTS);

  return slot;
}

gboolean
gst_cl_results_measure (GstClResults *self, GstClInFlight *frames,
    GstBuffer *buffer, const GstClFrameOrder *order, GError **error)
{
  const guint slot = find_slot (self, error);

  if (slot == GST_CL_MEASUREMENT_SLOTS)
    return FALSE;
  if (!gst_cl_measurement_enqueue (self->measurement, frames, buffer, slot,
          order->event_settings.freeze_noise, error)) {
    give_slot_back (&self->slots, slot);
    return FALSE;
  }

  g_clear_pointer (&self->latest, free_result);
  self->latest = new_result (&self->slots);
  self->latest->measurement = gst_cl_measurement_ref (self->measurement);
  self->latest->slot = slot;
  self->latest->epoch = gst_cl_publisher_epoch (self->publisher);
  self->latest->number = gst_cl_in_flight_number (frames);
  self->latest->order = *order;

  return TRUE;
}

/* Sets self->max_held to the number of surfaces that upstream can spare without
 * a pool: as many as the ALLOCATION query requested. */
static void
limit_to_surfaces (GstClResults *self, GstBuffer *buffer, guint depth,
    GstDebugLevel level)
{
  guint max_held = G_MAXUINT;

  /* memory that another element has wrapped was lent to that element */
  if (gst_cl_in_flight_is_lent (buffer))
    max_held = gst_cl_is_cuda_memory (gst_buffer_peek_memory (buffer, 0))
                   ? gst_cl_in_place_requested (
                         gst_cl_base_filter_in_place (self->filter))
                   : 0;
  if (max_held < depth && depth != self->lacking_depth)
    GST_CAT_LEVEL_LOG (GST_CAT_DEFAULT, level, self->filter,
        "upstream has frames for an async-depth of %u: it is used instead of "
        "%u "
        "until the next ALLOCATION query",
        max_held, depth);
  self->lacking_depth = max_held < depth ? depth : 0;
  self->max_held = max_held;
}

/* Counts @result as delayed, and sets self->max_held to what upstream's pool
 * can spare: if all its buffers were delayed, upstream would block forever.
 * @level: of the message that fewer frames are delayed than @depth. */
static void
count_delayed (GstClResults *self, Result *result, guint depth,
    GstDebugLevel level)
{
  GstBufferPool *pool = gst_cl_in_flight_bounded_pool (result->buffer);
  guint max_buffers, max_held, n_others;
  gint n_held;

  if (!pool) {
    limit_to_surfaces (self, result->buffer, depth, level);
    return;
  }

  result->pool = gst_object_ref (pool);
  n_held = g_atomic_int_add (get_pool_counter (pool), 1);
  n_others = MAX (n_held - (gint) gst_queue_array_get_length (self->held), 0);
  max_buffers = gst_cl_in_flight_max_buffers (pool);
  max_held = max_buffers > N_LEFT_OF_POOL + n_others
                 ? max_buffers - N_LEFT_OF_POOL - n_others
                 : 0;
  if (max_held < self->max_held && max_held < depth)
    GST_CAT_LEVEL_LOG (GST_CAT_DEFAULT, level, self->filter,
        "upstream's pool has %u buffers: async-depth is %u instead of %u",
        max_buffers, max_held, depth);
  self->max_held = max_held;
}

static GstFlowReturn
pop_oldest (GstClResults *self, GstBuffer **buffer)
{
  return release_oldest (self, buffer)
             ? GST_FLOW_OK
             : gst_cl_base_filter_failed_flow (self->filter);
}

GstFlowReturn
gst_cl_results_route (GstClResults *self, const GstClFrameSumDelivery *delivery,
    GstBuffer **buffer)
{
  const gboolean passes = !gst_cl_frame_sum_delivery_has_meta (delivery);
  const guint depth = gst_cl_in_place_held (
      gst_cl_base_filter_in_place (self->filter));
  Result *result = g_steal_pointer (&self->latest);

  if (passes && gst_queue_array_is_empty (self->held)) {
    if (result)
      gst_cl_worker_push (self->worker, result);
    return GST_FLOW_OK;
  }

  /* results of passed frames are published first */
  gst_cl_worker_drain (self->worker);
  if (*buffer) {
    if (!result)
      result = new_result (&self->slots);
    result->buffer = g_steal_pointer (buffer);
    count_delayed (self, result, depth,
        delivery->async_depth == GST_CL_FRAME_SUM_AUTO_DEPTH
            ? GST_LEVEL_INFO
            : GST_LEVEL_WARNING);
    gst_queue_array_push_tail (self->held, result);
  }
  if (gst_queue_array_get_length (self->held) <=
      (passes ? 0 : MIN (depth, self->max_held)))
    return GST_FLOW_OK;

  return pop_oldest (self, buffer);
}

gboolean
gst_cl_results_has_delayed (GstClResults *self)
{
  return !gst_queue_array_is_empty (self->held);
}

GstFlowReturn
gst_cl_results_pop_ready (GstClResults *self, GstBuffer **buffer)
{
  const Result *oldest = gst_queue_array_peek_head (self->held);

  *buffer = NULL;
  if (!oldest || !gst_cl_base_filter_is_done (self->filter, oldest->number))
    return GST_FLOW_OK;

  return pop_oldest (self, buffer);
}

gboolean
gst_cl_results_drain (GstClResults *self, GstPad *pad)
{
  while (!gst_queue_array_is_empty (self->held)) {
    GstBuffer *buffer;

    if (release_oldest (self, &buffer) && buffer)
      gst_pad_push (pad, buffer);
  }

  return gst_cl_worker_drain (self->worker);
}

void
gst_cl_results_begin_flush (GstClResults *self)
{
  gst_cl_worker_set_flushing (self->worker, TRUE);
}

void
gst_cl_results_end_flush (GstClResults *self)
{
  self->n_flushes++;
  gst_queue_array_clear (self->held);
  if (self->measurement)
    gst_cl_measurement_forget_previous (self->measurement);
  gst_cl_worker_set_flushing (self->worker, FALSE);
}

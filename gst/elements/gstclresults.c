/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results on their way. */

#include "gstclresults.h"

#include "gstclworker.h"

/* Results that the worker has not published yet. */
#define MAX_PENDING 8

/* Each of those pending, held back or about to be either has a slot. */
G_STATIC_ASSERT (
    MAX_PENDING + GST_CL_RESULTS_MAX_DEPTH + 2 < GST_CL_MEASUREMENT_SLOTS);

/* A frame that has been given to the device, and what is to come of it. */
typedef struct {
  GstBuffer *buffer;       /* held back; NULL: it has passed */
  GstStructure *structure; /* once it is there */
  gboolean is_measured;    /* there is something to wait for */
  guint slot;
  guint64 number; /* of the frame in flight */
  GstClFrameTime time;
} Result;

struct _GstClResults {
  GstClBaseFilter *filter;
  gchar *name;
  GstClResultsFunc func;
  GstClWatch *watch;

  GstClMeasurement
      *measurement;    /* the worker reads it too, while it has work */
  guint slot;          /* of the next result */
  Result *latest;      /* of gst_cl_results_measure(), or NULL */
  GQueue held;         /* Result, with buffer */
  GstClWorker *worker; /* has Results without buffer */
};

static void
free_result (gpointer data)
{
  Result *result = data;

  gst_clear_buffer (&result->buffer);
  gst_clear_structure (&result->structure);
  g_free (result);
}

/* Waits for the structure. Any thread that has @result. */
static gboolean
complete (GstClResults *self, Result *result)
{
  g_autoptr (GError) error = NULL;

  if (!result->is_measured)
    return TRUE;

  result->is_measured = FALSE;
  result->structure = gst_cl_measurement_result (self->measurement,
      result->slot, self->name, &result->time, self->watch, &error);
  if (!result->structure)
    gst_cl_base_filter_fail (self->filter, error);

  return result->structure != NULL;
}

static void
publish (GstClResults *self, Result *result)
{
  if (result->structure)
    self->func (self->filter, result->buffer,
        g_steal_pointer (&result->structure));
}

/* A result whose frame does not wait for it: the worker's, since that has passed,
 * and what is held back at a stop. */
static void
publish_alone (gpointer item, gpointer user_data)
{
  if (complete (user_data, item))
    publish (user_data, item);
  free_result (item);
}

/* Takes the oldest frame off those held back, with its result; the device and we
 * are done with it. NULL on an error, which is posted. */
static GstBuffer *
release_oldest (GstClResults *self)
{
  Result *result = g_queue_pop_head (&self->held);
  GstBuffer *buffer = NULL;

  if (complete (self, result) &&
      gst_cl_base_filter_wait (self->filter, result->number)) {
    publish (self, result);
    buffer = g_steal_pointer (&result->buffer);
  }
  free_result (result);

  return buffer;
}

GstClResults *
gst_cl_results_new (GstClBaseFilter *filter, const gchar *name,
    GstClResultsFunc func, GstClWatch *watch)
{
  GstClResults *self = g_new0 (GstClResults, 1);

  self->filter = filter;
  self->name = g_strdup (name);
  self->func = func;
  self->watch = watch;
  g_queue_init (&self->held);
  self->worker = gst_cl_worker_new (name, MAX_PENDING, publish_alone, self);

  return self;
}

void
gst_cl_results_free (GstClResults *self)
{
  Result *result;

  if (!self)
    return;

  gst_cl_worker_free (self->worker);
  while ((result = g_queue_pop_head (&self->held)))
    publish_alone (result, self);
  g_clear_pointer (&self->latest, free_result);
  gst_cl_measurement_free (self->measurement);
  g_free (self->name);
  g_free (self);
}

void
gst_cl_results_settle (GstClResults *self)
{
  gst_cl_worker_drain (self->worker);
  for (GList *item = self->held.head; item; item = item->next)
    complete (self, item->data);
}

void
gst_cl_results_set_measurement (GstClResults *self,
    GstClMeasurement *measurement)
{
  gst_cl_results_settle (self);
  gst_cl_measurement_free (self->measurement);
  self->measurement = measurement;
}

GstClMeasurement *
gst_cl_results_measurement (GstClResults *self)
{
  return self->measurement;
}

gboolean
gst_cl_results_measure (GstClResults *self, GstClInFlight *frames,
    GstBuffer *buffer, const GstClFrameTime *time, GError **error)
{
  const guint slot = self->slot;

  self->slot = (self->slot + 1) % GST_CL_MEASUREMENT_SLOTS;
  if (!gst_cl_measurement_enqueue (self->measurement, frames, buffer, slot,
          error))
    return FALSE;

  g_clear_pointer (&self->latest, free_result);
  self->latest = g_new0 (Result, 1);
  self->latest->is_measured = TRUE;
  self->latest->slot = slot;
  self->latest->number = gst_cl_in_flight_number (frames);
  self->latest->time = *time;

  return TRUE;
}

GstFlowReturn
gst_cl_results_route (GstClResults *self, gboolean passes, guint depth,
    GstBuffer **buffer)
{
  Result *result = g_steal_pointer (&self->latest);

  if (passes && g_queue_is_empty (&self->held)) {
    if (result)
      gst_cl_worker_push (self->worker, result);
    return GST_FLOW_OK;
  }

  /* those that passed before are published before */
  gst_cl_worker_drain (self->worker);
  if (*buffer) {
    if (!result)
      result = g_new0 (Result, 1);
    result->buffer = g_steal_pointer (buffer);
    g_queue_push_tail (&self->held, result);
  }
  if (g_queue_get_length (&self->held) <= (passes ? 0 : depth))
    return GST_FLOW_OK;

  *buffer = release_oldest (self);

  return *buffer ? GST_FLOW_OK : GST_FLOW_ERROR;
}

void
gst_cl_results_drain (GstClResults *self, GstPad *pad)
{
  while (!g_queue_is_empty (&self->held)) {
    GstBuffer *buffer = release_oldest (self);

    if (buffer)
      gst_pad_push (pad, buffer);
  }
  gst_cl_worker_drain (self->worker);
}

void
gst_cl_results_flush (GstClResults *self)
{
  gst_cl_worker_drain (self->worker);
  g_queue_clear_full (&self->held, free_result);
  if (self->measurement)
    gst_cl_measurement_forget (self->measurement);
}

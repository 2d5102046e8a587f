/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asynchronous reads of small results. */

#include "gstclreadback.h"

#include "gstclpinned.h"
#include "gstclquarantine.h"

struct _GstClReadback {
  GstClContext *context;
  cl_command_queue queue; /* the queue of the reads */
  guint n_slots;
  gsize slot_bytes;
  GstClPinned pinned; /* if reads into other memory would block */
  guint8 *plain;      /* otherwise */
  cl_event *events;   /* by slot; NULL: no read in flight */
  gint has_lost_one;  /* atomic: a wait has failed, and its event is gone */
};

GstClReadback *
gst_cl_readback_new (GstClContext *context, guint n_slots, gsize slot_bytes,
    GError **error)
{
  g_autoptr (GstClReadback) self = g_new0 (GstClReadback, 1);

  self->context = gst_object_ref (context);
  self->n_slots = n_slots;
  self->slot_bytes = slot_bytes;
  self->events = g_new0 (cl_event, n_slots);

  if (!context->is_discrete)
    self->plain = g_malloc (n_slots * slot_bytes);
  else if (!gst_cl_pinned_reserve (&self->pinned, context, n_slots * slot_bytes,
               error))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_readback_set_queue (GstClReadback *self, cl_command_queue queue)
{
  self->queue = queue;
}

static gboolean
wait_for_slot (GstClReadback *self, guint slot, GError **error)
{
  if (gst_cl_context_wait (self->context, &self->events[slot], "read a result",
          error))
    return TRUE;

  g_atomic_int_set (&self->has_lost_one, TRUE);

  return FALSE;
}

static void
destroy (gpointer data)
{
  GstClReadback *self = data;

  gst_cl_pinned_clear (&self->pinned, self->context);
  g_free (self->plain);
  g_free (self->events);
  gst_object_unref (self->context);
  g_free (self);
}

void
gst_cl_readback_free (GstClReadback *self)
{
  if (!self)
    return;

  for (guint i = 0; i < self->n_slots; i++)
    wait_for_slot (self, i, NULL);

  if (g_atomic_int_get (&self->has_lost_one))
    gst_cl_quarantine_add (self->context, self->n_slots * self->slot_bytes,
        self, destroy);
  else
    destroy (self);
}

static guint8 *
slot_data (const GstClReadback *self, guint slot)
{
  return (self->plain ? self->plain : self->pinned.data) +
         slot * self->slot_bytes;
}

gboolean
gst_cl_readback_enqueue (GstClReadback *self, guint slot, cl_mem mem,
    GError **error)
{
  return gst_cl_readback_enqueue_part (self, slot, mem, self->slot_bytes,
      error);
}

static cl_command_queue
get_queue (const GstClReadback *self)
{
  return self->queue
             ? self->queue
             : gst_cl_context_find_queue (self->context, GST_CL_QUEUE_COMPUTE);
}

gboolean
gst_cl_readback_enqueue_first (GstClReadback *self, guint slot, cl_mem mem,
    gsize n_bytes, GError **error)
{
  cl_event event = NULL;

  g_return_val_if_fail (slot < self->n_slots && n_bytes <= self->slot_bytes,
      FALSE);

  /* OpenCL refuses to read 0 bytes: CL_INVALID_VALUE */
  if (n_bytes == 0)
    return TRUE;

  if (!gst_cl_check (clEnqueueReadBuffer (get_queue (self), mem, CL_FALSE, 0,
                         n_bytes, slot_data (self, slot), 0, NULL, &event),
          "read a result", error))
    return FALSE;

  /* the queue is in-order: an earlier read that nobody has waited for completes
   * before this one */
  g_clear_pointer (&self->events[slot], clReleaseEvent);
  self->events[slot] = event;

  return TRUE;
}

gboolean
gst_cl_readback_enqueue_part (GstClReadback *self, guint slot, cl_mem mem,
    gsize n_bytes, GError **error)
{
  return gst_cl_readback_enqueue_first (self, slot, mem, n_bytes, error) &&
         gst_cl_check (clFlush (get_queue (self)), "flush a queue", error);
}

cl_event
gst_cl_readback_event (const GstClReadback *self, guint slot)
{
  cl_event event;

  g_return_val_if_fail (slot < self->n_slots, NULL);

  event = self->events[slot];

  return event && clRetainEvent (event) == CL_SUCCESS ? event : NULL;
}

const void *
gst_cl_readback_wait (GstClReadback *self, guint slot, GError **error)
{
  g_return_val_if_fail (slot < self->n_slots, NULL);

  if (!wait_for_slot (self, slot, error))
    return NULL;

  return slot_data (self, slot);
}

const void *
gst_cl_readback_data (const GstClReadback *self, guint slot)
{
  g_return_val_if_fail (slot < self->n_slots, NULL);

  return slot_data (self, slot);
}

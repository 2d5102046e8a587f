/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Element messages in their order, outside of all locks. */

#include "gstclmessages.h"

struct _GstClMessages {
  GMutex lock; /* all below */
  GCond idle;
  GQueue structures;
  gboolean is_open;
  GThread *poster; /* the thread that posts; NULL: none */
};

GstClMessages *
gst_cl_messages_new (void)
{
  GstClMessages *self = g_new0 (GstClMessages, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->idle);
  g_queue_init (&self->structures);

  return self;
}

/* lock held, or nobody else left */
static void
drop_all (GstClMessages *self)
{
  g_queue_clear_full (&self->structures, (GDestroyNotify) gst_structure_free);
}

void
gst_cl_messages_free (GstClMessages *self)
{
  if (!self)
    return;

  drop_all (self);
  g_cond_clear (&self->idle);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
gst_cl_messages_open (GstClMessages *self)
{
  g_mutex_lock (&self->lock);
  self->is_open = TRUE;
  g_mutex_unlock (&self->lock);
}

void
gst_cl_messages_close (GstClMessages *self)
{
  g_mutex_lock (&self->lock);
  self->is_open = FALSE;
  drop_all (self);
  while (self->poster && self->poster != g_thread_self ())
    g_cond_wait (&self->idle, &self->lock);
  g_mutex_unlock (&self->lock);
}

void
gst_cl_messages_add (GstClMessages *self, GstStructure *structure)
{
  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->structures, structure);
  if (!self->is_open)
    drop_all (self);
  g_mutex_unlock (&self->lock);
}

void
gst_cl_messages_post (GstClMessages *self, GstElement *element)
{
  GstStructure *structure;

  g_mutex_lock (&self->lock);
  if (self->poster) {
    g_mutex_unlock (&self->lock);
    return;
  }

  self->poster = g_thread_self ();
  while ((structure = g_queue_pop_head (&self->structures))) {
    g_mutex_unlock (&self->lock);
    gst_element_post_message (element,
        gst_message_new_element (GST_OBJECT (element), structure));
    g_mutex_lock (&self->lock);
  }
  self->poster = NULL;
  g_cond_broadcast (&self->idle);
  g_mutex_unlock (&self->lock);
}

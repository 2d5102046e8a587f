/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Element messages in their order, outside of all locks. */

#include "gstclmessages.h"

struct _GstClMessages {
  GMutex lock; /* all below */
  GCond changed;
  GQueue structures;
  gboolean is_open;
  gboolean is_flushing; /* nobody waits */
  GThread *poster;      /* the thread that posts; NULL: none */
};

GstClMessages *
gst_cl_messages_new (void)
{
  GstClMessages *self = g_new0 (GstClMessages, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
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
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
gst_cl_messages_open (GstClMessages *self)
{
  g_mutex_lock (&self->lock);
  self->is_open = TRUE;
  self->is_flushing = FALSE;
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
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* lock held */
static gboolean
is_posted_elsewhere (const GstClMessages *self)
{
  return self->poster && self->poster != g_thread_self ();
}

void
gst_cl_messages_settle (GstClMessages *self, GstElement *element)
{
  g_mutex_lock (&self->lock);
  while (is_posted_elsewhere (self) && !self->is_flushing)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);

  gst_cl_messages_post (self, element);
}

void
gst_cl_messages_set_flushing (GstClMessages *self, gboolean is_flushing)
{
  g_mutex_lock (&self->lock);
  self->is_flushing = is_flushing;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

void
gst_cl_messages_close (GstClMessages *self, GstElement *element)
{
  g_mutex_lock (&self->lock);
  while (is_posted_elsewhere (self))
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);

  gst_cl_messages_post (self, element);

  g_mutex_lock (&self->lock);
  self->is_open = FALSE;
  drop_all (self);
  g_mutex_unlock (&self->lock);
}

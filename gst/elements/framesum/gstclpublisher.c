/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the results of clframesum go. */

#include "gstclpublisher.h"

#include "cl/device/gstclerror.h"
#include "gstclstatistics.h"

#define META_NAME "GstClFrameSumMeta"

void
gst_cl_publisher_init (GstClPublisher *self)
{
  self->messages = gst_cl_messages_new ();
}

void
gst_cl_publisher_clear (GstClPublisher *self)
{
  g_clear_pointer (&self->messages, gst_cl_messages_free);
  g_clear_error (&self->failure);
  gst_clear_structure (&self->stats);
  g_clear_pointer (&self->location, g_free);
}

void
gst_cl_publisher_register_meta (void)
{
  /* without tags the meta survives scaling and conversion, which is why it says
   * what frame was measured */
  static const gchar *tags[] = { NULL };

  if (!gst_meta_get_info (META_NAME))
    gst_meta_register_custom (META_NAME, tags, NULL, NULL, NULL);
}

gboolean
gst_cl_publisher_start (GstClPublisher *self, GstElement *element)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *location = NULL;
  GstClRecord *record;

  GST_OBJECT_LOCK (element);
  gst_clear_structure (&self->stats);
  location = g_strdup (self->location);
  GST_OBJECT_UNLOCK (element);

  gst_cl_messages_open (self->messages);
  g_clear_error (&self->failure);
  g_atomic_int_set (&self->has_failed, FALSE);
  g_atomic_int_set (&self->has_posted_failure, FALSE);
  if (!location || !*location)
    return TRUE;

  record = gst_cl_record_open (location, &error);
  if (!record) {
    gst_cl_post_error (element, error);
    return FALSE;
  }

  GST_OBJECT_LOCK (element);
  self->record = record;
  GST_OBJECT_UNLOCK (element);

  return TRUE;
}

void
gst_cl_publisher_set_flushing (GstClPublisher *self, GstElement *element,
    gboolean flushing)
{
  gst_cl_messages_set_flushing (self->messages, flushing);
  GST_OBJECT_LOCK (element);
  if (self->record)
    gst_cl_record_set_flushing (self->record, flushing);
  GST_OBJECT_UNLOCK (element);
}

void
gst_cl_publisher_hurry (GstClPublisher *self, GstElement *element)
{
  gst_cl_messages_set_flushing (self->messages, TRUE);
  GST_OBJECT_LOCK (element);
  if (self->record)
    gst_cl_record_stop (self->record);
  GST_OBJECT_UNLOCK (element);
}

static void
post_failure (GstClPublisher *self, GstElement *element)
{
  g_autoptr (GError) failure = g_atomic_pointer_get (&self->failure);

  if (failure &&
      g_atomic_pointer_compare_and_exchange (&self->failure, failure, NULL)) {
    gst_cl_post_error (element, failure);
    g_atomic_int_set (&self->has_posted_failure, TRUE);
  } else {
    g_steal_pointer (&failure); /* another thread posts it */
  }
}

void
gst_cl_publisher_stop (GstClPublisher *self, GstElement *element)
{
  g_autoptr (GError) error = NULL;
  GstClRecord *record;

  post_failure (self, element);
  gst_cl_messages_close (self->messages, element);
  GST_OBJECT_LOCK (element);
  record = g_steal_pointer (&self->record);
  GST_OBJECT_UNLOCK (element);

  if (!gst_cl_record_close (record, &error) &&
      !g_atomic_int_get (&self->has_failed))
    gst_cl_post_error (element, error);
}

/* Keeps an error for post_failure(), since the caller may hold a lock. */
static void
write_line (GstClPublisher *self, GstClRecordKind kind,
    const GstStructure *structure)
{
  g_autoptr (GError) error = NULL;

  if (!self->record || g_atomic_int_get (&self->has_failed))
    return;

  if (!gst_cl_record_write (self->record, kind, structure, &error) &&
      g_atomic_int_compare_and_exchange (&self->has_failed, FALSE, TRUE))
    g_atomic_pointer_set (&self->failure, g_steal_pointer (&error));
}

void
gst_cl_publisher_publish (GstClPublisher *self, GstElement *element,
    GstBuffer *buffer, GstStructure *structure, gboolean posts)
{
  GST_OBJECT_LOCK (element);
  gst_clear_structure (&self->stats);
  self->stats = gst_structure_copy (structure);
  GST_OBJECT_UNLOCK (element);

  if (buffer)
    gst_cl_statistics_add_meta (buffer, META_NAME, structure);
  write_line (self, GST_CL_RECORD_FRAME, structure);
  post_failure (self, element);
  if (posts)
    gst_element_post_message (element,
        gst_message_new_element (GST_OBJECT (element), structure));
  else
    gst_structure_free (structure);
}

void
gst_cl_publisher_queue (GstClPublisher *self, GstClRecordKind kind,
    GstStructure *structure)
{
  write_line (self, kind, structure);
  gst_cl_messages_add (self->messages, structure);
}

void
gst_cl_publisher_post_queued (GstClPublisher *self, GstElement *element)
{
  post_failure (self, element);
  gst_cl_messages_post (self->messages, element);
}

void
gst_cl_publisher_settle (GstClPublisher *self, GstElement *element)
{
  post_failure (self, element);
  gst_cl_messages_settle (self->messages, element);
}

gboolean
gst_cl_publisher_has_posted_failure (GstClPublisher *self)
{
  return g_atomic_int_get (&self->has_posted_failure);
}

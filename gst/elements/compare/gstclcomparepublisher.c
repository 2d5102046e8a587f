/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Publishes results as element messages and as lines of a file. */

#include "gstclcomparepublisher.h"

#include "cl/device/gstclerror.h"

void
gst_cl_compare_publisher_init (GstClComparePublisher *self, GstElement *element)
{
  self->element = element;
  g_mutex_init (&self->lock);
}

void
gst_cl_compare_publisher_clear (GstClComparePublisher *self)
{
  g_mutex_clear (&self->lock);
}

gboolean
gst_cl_compare_publisher_open (GstClComparePublisher *self,
    const gchar *location)
{
  g_autoptr (GError) error = NULL;
  GstClRecord *record;

  self->has_failed = FALSE;
  if (!location || location[0] == '\0')
    return TRUE;
  record = gst_cl_record_open (location, &error);
  if (!record) {
    gst_cl_post_error (self->element, error);
    return FALSE;
  }

  g_mutex_lock (&self->lock);
  self->record = record;
  g_mutex_unlock (&self->lock);

  return TRUE;
}

void
gst_cl_compare_publisher_close (GstClComparePublisher *self)
{
  g_autoptr (GError) error = NULL;
  GstClRecord *record;

  g_mutex_lock (&self->lock);
  record = g_steal_pointer (&self->record);
  g_mutex_unlock (&self->lock);
  if (!gst_cl_record_close (record, &error) && !self->has_failed)
    gst_cl_post_error (self->element, error);
}

void
gst_cl_compare_publisher_set_flushing (GstClComparePublisher *self,
    gboolean is_flushing)
{
  g_mutex_lock (&self->lock);
  if (self->record)
    gst_cl_record_set_flushing (self->record, is_flushing);
  g_mutex_unlock (&self->lock);
}

void
gst_cl_compare_publisher_cancel (GstClComparePublisher *self)
{
  g_mutex_lock (&self->lock);
  if (self->record)
    gst_cl_record_stop (self->record);
  g_mutex_unlock (&self->lock);
}

gboolean
gst_cl_compare_publisher_publish (GstClComparePublisher *self,
    GstClRecordKind kind, GstStructure *structure, gboolean is_posted)
{
  g_autoptr (GError) error = NULL;

  /* it is closed in this thread alone */
  if (self->record && !self->has_failed &&
      !gst_cl_record_write (self->record, kind, structure, FALSE, &error)) {
    self->has_failed = TRUE;
    gst_cl_post_error (self->element, error);
  }
  if (is_posted)
    gst_element_post_message (self->element,
        gst_message_new_element (GST_OBJECT (self->element), structure));
  else
    gst_structure_free (structure);

  return !self->has_failed;
}

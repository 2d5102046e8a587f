/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The properties of clframesum as properties of a bin with one clframesum per
 * stream. The model is a clframesum that only stores the values; they are
 * copied to each measuring element. A thread that sets a property sets the
 * model, then copies to all existing elements; a thread that adds an element
 * publishes it first, then copies to it. All elements thus end with the model's
 * value, whatever other threads set meanwhile. No lock is held, because
 * handlers of property notifications may set properties, too. */
typedef struct {
  GstElement *model; /* a clframesum; constant */
  /*< private >*/
  gint *n_set; /* times each model property was set; atomic */
} GstClBatchProperties;

/* Installs the properties of clframesum's tables except async-depth, and
 * device. Their numbers begin at 1; returns the first free number. */
guint gst_cl_batch_properties_install (GObjectClass *klass);

void gst_cl_batch_properties_init (GstClBatchProperties *self);
void gst_cl_batch_properties_clear (GstClBatchProperties *self);

/* Sets the property @name, with number @id, of the model. Any thread. */
void gst_cl_batch_properties_set (GstClBatchProperties *self, guint id,
    const gchar *name, const GValue *value);

/* Sets that property of @element, a clframesum, to the model's value. Any
 * thread. */
void gst_cl_batch_properties_copy (GstClBatchProperties *self, guint id,
    const gchar *name, GstElement *element);

/* Sets all properties of @element to the model's values. Any thread. */
void gst_cl_batch_properties_copy_all (GstClBatchProperties *self,
    GstElement *element);

/* Returns @location with its `%u` replaced by @index; NULL if it has no `%u`.
 * Free with g_free(). */
gchar *gst_cl_batch_properties_make_location (const gchar *location,
    guint index);

G_END_DECLS

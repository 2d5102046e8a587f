/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The properties of clframesum as those of a bin of several: an element that
 * does nothing but keep the values, the model, and copies for each that works.
 * Whoever sets the model and then copies to all elements that there are, or
 * makes an element known and then copies to it, leaves all with the value of
 * the model, whatever other threads set meanwhile. No lock is held: handlers of
 * what an element tells may set properties, too. */
typedef struct {
  GstElement *model; /* a clframesum; constant */
  /*< private >*/
  gint *n_set; /* how often the model's property of each number was; atomic */
} GstClBatchProperties;

/* Installs them: those of clframesum's tables but for async-depth, and device.
 * Their numbers begin at 1; returns the first that is free. */
guint gst_cl_batch_properties_install (GObjectClass *klass);

void gst_cl_batch_properties_init (GstClBatchProperties *self);
void gst_cl_batch_properties_clear (GstClBatchProperties *self);

/* Sets the property @name, of the number @id, of the model. Any thread. */
void gst_cl_batch_properties_set (GstClBatchProperties *self, guint id,
    const gchar *name, const GValue *value);

/* Gives @element, a clframesum, the model's value of that property. Any
 * thread. */
void gst_cl_batch_properties_copy (GstClBatchProperties *self, guint id,
    const gchar *name, GstElement *element);

/* Gives @element the values of all. Any thread. */
void gst_cl_batch_properties_copy_all (GstClBatchProperties *self,
    GstElement *element);

/* Returns @location with its `%u` replaced by @index; NULL: it has none.
 * g_free() */
gchar *gst_cl_batch_properties_locate (const gchar *location, guint index);

G_END_DECLS

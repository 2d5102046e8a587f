/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* An element's device: the properties `device` and `device-name`, and the
 * context between start and stop. All members belong to the element's object
 * lock; the functions take it. */
typedef struct {
  gchar *wanted;         /* property `device` */
  GstClContext *context; /* NULL: not started */
} GstClContextHelper;

void gst_cl_context_helper_init (GstClContextHelper *self);
void gst_cl_context_helper_clear (GstClContextHelper *self);

/* Adds the properties to a class that has no others. Returns device-name, for
 * g_object_notify_by_pspec(). */
GParamSpec *gst_cl_context_helper_install (GObjectClass *object_class);

/* For GObjectClass.set_property and get_property of that class. */
void gst_cl_context_helper_set_property (GstClContextHelper *self,
    GObject *element, guint id, const GValue *value, GParamSpec *pspec);
void gst_cl_context_helper_get_property (GstClContextHelper *self,
    GObject *element, guint id, GValue *value, GParamSpec *pspec);

/* Finds the context that the properties and the neighbours settle on; an error
 * goes to the bus. */
gboolean gst_cl_context_helper_open (GstClContextHelper *self,
    GstElement *element);
void gst_cl_context_helper_close (GstClContextHelper *self,
    GstElement *element);

/* For the CONTEXT query. */
gboolean gst_cl_context_helper_answer (GstClContextHelper *self,
    GstElement *element, GstQuery *query);

G_END_DECLS

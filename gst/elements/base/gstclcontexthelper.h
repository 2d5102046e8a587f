/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* The device of an element: the properties `device` and `device-name`, and the
 * context between start and stop. All members belong to the element's object
 * lock, which the functions take. */
typedef struct {
  gchar *wanted;         /* property `device` */
  GstClContext *context; /* NULL: not started */
} GstClContextHelper;

void gst_cl_context_helper_init (GstClContextHelper *self);
void gst_cl_context_helper_clear (GstClContextHelper *self);

/* Adds the properties to a class that has no others. Returns that of
 * device-name, for g_object_notify_by_pspec(); borrowed. */
GParamSpec *gst_cl_context_helper_install (GObjectClass *object_class);

/* GObjectClass.set_property and get_property for that class. */
void gst_cl_context_helper_set_property (GstClContextHelper *self,
    GObject *element, guint id, const GValue *value, GParamSpec *pspec);
void gst_cl_context_helper_get_property (GstClContextHelper *self,
    GObject *element, guint id, GValue *value, GParamSpec *pspec);

/* Finds the context that the properties and the neighbours settle on. FALSE
 * with an error on the bus. gst_cl_context_helper_close() gives it back. */
gboolean gst_cl_context_helper_open (GstClContextHelper *self,
    GstElement *element);
void gst_cl_context_helper_close (GstClContextHelper *self,
    GstElement *element);

/* Answers the CONTEXT query @query. FALSE: it asks for another context, or
 * there is none. Any thread. */
gboolean gst_cl_context_helper_answer (GstClContextHelper *self,
    GstElement *element, GstQuery *query);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* The device of an element: the properties `device`, `device-name` and
 * `wait-for-kernels`, and the context between start and stop. The element's
 * object lock protects all members; the functions take this lock. */
typedef struct {
  gchar *wanted;              /* property `device` */
  gboolean waits_for_kernels; /* changes in READY only */
  GstClContext *context;      /* NULL: not started */
} GstClContextHelper;

void gst_cl_context_helper_init (GstClContextHelper *self);
void gst_cl_context_helper_clear (GstClContextHelper *self);

/* Adds the properties to a class that has no others. Returns the property
 * device-name (borrowed), for g_object_notify_by_pspec(). */
GParamSpec *gst_cl_context_helper_install (GObjectClass *object_class);

/* GObjectClass.set_property and get_property for that class. */
void gst_cl_context_helper_set_property (GstClContextHelper *self,
    GObject *element, guint id, const GValue *value, GParamSpec *pspec);
void gst_cl_context_helper_get_property (GstClContextHelper *self,
    GObject *element, guint id, GValue *value, GParamSpec *pspec);

/* Opens the context that the properties and the neighbouring elements select.
 * Returns FALSE after it has posted an error. Release the context with
 * gst_cl_context_helper_close(). */
gboolean gst_cl_context_helper_open (GstClContextHelper *self,
    GstElement *element);
void gst_cl_context_helper_close (GstClContextHelper *self,
    GstElement *element);

/* Answers the CONTEXT query @query. Returns FALSE if it asks for another
 * context, or if there is none. Any thread. */
gboolean gst_cl_context_helper_answer (GstClContextHelper *self,
    GstElement *element, GstQuery *query);

G_END_DECLS

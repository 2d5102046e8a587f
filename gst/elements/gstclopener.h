/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/gstclcontext.h"

G_BEGIN_DECLS

/* An element's device: the properties `device` and `device-name`, and the
 * context between start and stop. All members belong to the element's object
 * lock; the functions take it. */
typedef struct {
  gchar *wanted;         /* property `device` */
  GstClContext *context; /* NULL: not started */
} GstClOpener;

void gst_cl_opener_init (GstClOpener *opener);
void gst_cl_opener_clear (GstClOpener *opener);

/* Adds the properties as numbers @device_id and @name_id. Returns the second,
 * for g_object_notify_by_pspec(). */
GParamSpec *gst_cl_opener_install (GObjectClass *object_class, guint device_id,
    guint name_id);

void gst_cl_opener_set_device (GstClOpener *opener, GstElement *element,
    const GValue *value);
void gst_cl_opener_get_device (GstClOpener *opener, GstElement *element,
    GValue *value);
void gst_cl_opener_get_name (GstClOpener *opener, GstElement *element,
    GValue *value);

/* Finds the context that the properties and the neighbours settle on; an error
 * goes to the bus. */
gboolean gst_cl_opener_open (GstClOpener *opener, GstElement *element);
void gst_cl_opener_close (GstClOpener *opener, GstElement *element);

/* For the CONTEXT query. */
gboolean gst_cl_opener_answer (GstClOpener *opener, GstElement *element,
    GstQuery *query);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A thread that does something with each item of a queue, in their order. */
typedef struct _GstClWorker GstClWorker;

typedef void (*GstClWorkerFunc) (gpointer item, gpointer user_data);

/* At most @max_pending items wait or are worked on. */
GstClWorker *gst_cl_worker_new (const gchar *name, guint max_pending,
    GstClWorkerFunc func, gpointer user_data);

/* Drains it first. Accepts NULL. */
void gst_cl_worker_free (GstClWorker *worker);

/* Waits while @max_pending are there already, unless flushing. Any thread but the
 * worker's. */
void gst_cl_worker_push (GstClWorker *worker, gpointer item);

/* Waits until every item is done. FALSE: it has not, since the worker is flushing
 * or this is its own thread. Any thread; accepts NULL. */
gboolean gst_cl_worker_drain (GstClWorker *worker);

/* @flushing: nobody waits for the worker until further notice, and who does so
 * goes on. Any thread. */
void gst_cl_worker_set_flushing (GstClWorker *worker, gboolean flushing);

G_END_DECLS

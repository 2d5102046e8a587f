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

/* Waits while @max_pending are there already. Any thread but the worker's. */
void gst_cl_worker_push (GstClWorker *worker, gpointer item);

/* Waits until every item is done. Any thread but the worker's; accepts NULL. */
void gst_cl_worker_drain (GstClWorker *worker);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A thread that handles the items of a queue in their order. */
typedef struct _GstClWorker GstClWorker;

typedef void (*GstClWorkerFunc) (gpointer item, gpointer user_data);

/* @func is called for each item, in the thread, which is named @name. At most
 * @max_pending items wait or are worked on. transfer full */
GstClWorker *gst_cl_worker_new (const gchar *name, guint max_pending,
    GstClWorkerFunc func, gpointer user_data);

/* Handles what is in the queue first. Accepts NULL. */
void gst_cl_worker_free (GstClWorker *worker);

/* Adds @item to the queue. Waits while the queue is full, unless flushing. Any
 * thread but that of the worker. */
void gst_cl_worker_push (GstClWorker *worker, gpointer item);

/* Waits until every item is handled. FALSE: not all are, since the worker is
 * flushing or this is its own thread. Any thread; accepts NULL. */
gboolean gst_cl_worker_drain (GstClWorker *worker);

/* While @flushing nobody waits for the worker, and those that do go on. Any
 * thread. */
void gst_cl_worker_set_flushing (GstClWorker *worker, gboolean flushing);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A thread that handles the items of a queue in their order. */
typedef struct _GstClWorker GstClWorker;

typedef void (*GstClWorkerFunc) (gpointer item, gpointer user_data);

/* Creates a thread named @name that calls @func for each item. At most
 * @max_pending items are queued or being processed. transfer full */
GstClWorker *gst_cl_worker_new (const gchar *name, guint max_pending,
    GstClWorkerFunc func, gpointer user_data);

/* Processes the queued items, then frees the worker. Accepts NULL. */
void gst_cl_worker_free (GstClWorker *worker);

/* Appends @item to the queue. Blocks while the queue is full, unless flushing.
 * Any thread except the worker's own. */
void gst_cl_worker_push (GstClWorker *worker, gpointer item);

/* Waits until all items are processed. Returns FALSE if they are not, because
 * the worker is flushing or the caller is the worker's thread. Any thread;
 * accepts NULL. */
gboolean gst_cl_worker_drain (GstClWorker *worker);

/* While @flushing, no call blocks on the worker; blocked calls return. Any
 * thread. */
void gst_cl_worker_set_flushing (GstClWorker *worker, gboolean flushing);

G_END_DECLS

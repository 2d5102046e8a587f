/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sharedwords.h"

G_BEGIN_DECLS

/* Launches of kernels of kernels/latency.cl with one work-item, and their
 * completion, with events and memory that the plugin has no functions for. */

/* Creates kernel @name; NULL with @error. latency_single_kernel_free() accepts
 * NULL. */
cl_kernel latency_single_kernel (GstClContext *context, const gchar *name,
    GError **error);
void latency_single_kernel_free (cl_kernel kernel);

/* The words that a kernel writes, indexed by LatencyWord (latency.h). */
typedef struct {
  cl_mem mem;                /* in device memory; ignored if shared is set */
  const SharedWords *shared; /* in memory shared with the host, or NULL */
} LatencyWords;

/* Enqueues @kernel with the arguments @words and @numbers on the compute queue;
 * does not wait. @event receives the event of its end (transfer full); NULL:
 * none is created. */
gboolean latency_launch (GstClContext *context, cl_kernel kernel,
    LatencyWords words, const guint32 *numbers, guint n_numbers,
    cl_event *event, GError **error);

/* Registers a callback for the end of @event's command, flushes the compute
 * queue, and waits for the callback, for @allowed_us at most. *was_called
 * receives whether it was called. FALSE with @error. */
gboolean latency_wait_for_call (GstClContext *context, cl_event event,
    gint64 allowed_us, gboolean *was_called, GError **error);

G_END_DECLS

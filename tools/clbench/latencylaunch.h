/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sharedwords.h"

G_BEGIN_DECLS

/* Launches of kernels of kernels/latency.cl that have one work-item, and how
 * their ends are noticed: with events and memory that the plugin, which does
 * without, has no functions for. */

/* Kernel @name, NULL with @error; latency_single_kernel_free() accepts NULL. */
cl_kernel latency_single_kernel (GstClContext *context, const gchar *name,
    GError **error);
void latency_single_kernel_free (cl_kernel kernel);

/* The words of LatencyWord. */
typedef struct {
  cl_mem mem;                /* device memory */
  const SharedWords *shared; /* in its place; NULL: none */
} LatencyWords;

/* Enqueues @kernel, whose arguments are @words and @numbers, on the queue of
 * computations; does not wait. @event receives the event of its end (transfer
 * full); NULL: none is made. */
gboolean latency_launch (GstClContext *context, cl_kernel kernel,
    LatencyWords words, const guint32 *numbers, guint n_numbers,
    cl_event *event, GError **error);

/* Has the driver call back at the end of @event's command, flushes the queue of
 * computations, and waits for the call, for @allowed_us at most. *has_come:
 * whether it came. FALSE with @error. */
gboolean latency_wait_for_call (GstClContext *context, cl_event event,
    gint64 allowed_us, gboolean *has_come, GError **error);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "latency.h"

G_BEGIN_DECLS

/* Work that keeps every compute unit busy for a while ahead of a small launch,
 * as a frame of video does before the launch of its results. */
typedef struct _LatencyLoad LatencyLoad;

/* NULL with @error. transfer full */
LatencyLoad *latency_load_new (Latency *latency, GError **error);
void latency_load_free (LatencyLoad *load);

/* Returns the number of instructions that each compute unit executes. */
guint latency_load_instructions (const LatencyLoad *load);

/* Enqueues the work; does not wait. */
gboolean latency_load_launch (LatencyLoad *load, GError **error);

/* Waits for the work. *is_right receives whether all compute units have the
 * correct result. */
gboolean latency_load_check (LatencyLoad *load, gboolean *is_right,
    GError **error);

G_END_DECLS

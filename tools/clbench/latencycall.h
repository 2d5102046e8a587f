/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Has the driver call back at the end of @event's command, flushes the queue of
 * computations, and waits for the call, for @allowed_us at most. *has_come:
 * whether it came. FALSE with @error. */
gboolean latency_call_wait (GstClContext *context, cl_event event,
    gint64 allowed_us, gboolean *has_come, GError **error);

G_END_DECLS

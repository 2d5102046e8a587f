/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <CL/cl.h>
#include <glib.h>

/* Counts pending writes of queues, as in drivers that delay commands until a
 * flush. These functions precede the loader's in symbol resolution. Any
 * thread. */

/* Starts the count. */
void queued_writes_watch (void);

/* Returns the writes that were enqueued since then. */
guint queued_writes_count (void);

/* Returns the writes since then whose queue has not been flushed since. */
guint queued_writes_forgotten (void);

/* Makes the next @n flushes, or waits, of a queue with pending writes fail. The
 * second function returns after they have failed. */
void queued_writes_refuse_flushes (guint n);
void queued_writes_await_refused (void);

/* From now on, a flush, or a wait, of a queue with pending writes blocks until
 * queued_writes_release(). */
void queued_writes_hold (void);

/* Returns when a thread is blocked. Failures that are set from then on apply to
 * later calls than the blocked one. */
void queued_writes_await_held (void);
void queued_writes_release (void);

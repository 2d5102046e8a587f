/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <CL/cl.h>
#include <glib.h>

/* Writes to buffers that queues have, as drivers treat queues that nobody
 * hands over: what stands before the loader's functions counts. Any thread. */

/* From now on. */
void queued_writes_watch (void);

/* Writes that were enqueued since. */
guint queued_writes_count (void);

/* Writes whose queue nobody has handed to the device since. */
guint queued_writes_forgotten (void);

/* The next @n flushes, or waits, of a queue with such fail. Then, returns when
 * they have. */
void queued_writes_refuse_flushes (guint n);
void queued_writes_await_refused (void);

/* From now on, a flush, or a wait, of a queue with such does not return before
 * queued_writes_release(). */
void queued_writes_hold (void);

/* Returns when a thread is held. What is refused from then on is a later call
 * than the held one. */
void queued_writes_await_held (void);
void queued_writes_release (void);

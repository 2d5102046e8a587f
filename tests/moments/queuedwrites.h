/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <CL/cl.h>
#include <glib.h>

/* Counts writes that are enqueued and not flushed: some drivers delay commands
 * until a flush. The OpenCL functions of queuedwrites.c precede those of the
 * loader in symbol resolution. Any thread. */

/* Resets the counts to 0. */
void queued_writes_watch (void);

/* Returns the number of writes enqueued since queued_writes_watch(). */
guint queued_writes_count (void);

/* Returns the number of these writes whose queue has not been flushed after
 * them. */
guint queued_writes_unflushed (void);

/* Makes the next @n flushes or waits of a queue with unflushed writes fail. The
 * second function waits until they have failed. */
void queued_writes_refuse_flushes (guint n);
void queued_writes_await_refused (void);

/* Blocks flushes and waits of a queue with unflushed writes until
 * queued_writes_release(). */
void queued_writes_hold (void);

/* Waits until a thread is blocked. queued_writes_refuse_flushes() then applies
 * to calls after the blocked one. */
void queued_writes_await_held (void);
void queued_writes_release (void);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OpenCL functions that precede those of the loader in symbol resolution:
 * writes, flushes and waits. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "queuedwrites.h"

#include "mocks/realfunction.h"

static GMutex lock;
static cl_command_queue queue_of_writes; /* queue of the last write */
static guint n_writes, n_unflushed, n_refused;
static gboolean holds, has_held;
static GCond changed; /* any variable above */

void
queued_writes_watch (void)
{
  g_mutex_lock (&lock);
  n_writes = n_unflushed = n_refused = 0;
  g_mutex_unlock (&lock);
}

static guint
get (const guint *number)
{
  guint value;

  g_mutex_lock (&lock);
  value = *number;
  g_mutex_unlock (&lock);

  return value;
}

guint
queued_writes_count (void)
{
  return get (&n_writes);
}

guint
queued_writes_unflushed (void)
{
  return get (&n_unflushed);
}

void
queued_writes_refuse_flushes (guint n)
{
  g_mutex_lock (&lock);
  n_refused = n;
  g_mutex_unlock (&lock);
}

void
queued_writes_await_refused (void)
{
  g_mutex_lock (&lock);
  while (n_refused > 0)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
}

void
queued_writes_hold (void)
{
  g_mutex_lock (&lock);
  holds = TRUE;
  has_held = FALSE;
  g_mutex_unlock (&lock);
}

void
queued_writes_await_held (void)
{
  g_mutex_lock (&lock);
  while (!has_held)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
}

void
queued_writes_release (void)
{
  g_mutex_lock (&lock);
  holds = FALSE;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

/* lock held */
static void
wait_if_held (void)
{
  while (holds) {
    has_held = TRUE;
    g_cond_broadcast (&changed);
    g_cond_wait (&changed, &lock);
  }
}

/* Called before a flush or wait of @queue. Blocks while writes are held.
 * Returns whether the call fails. */
static gboolean
is_flush_refused (cl_command_queue queue)
{
  gboolean is_refused, has_writes;

  g_mutex_lock (&lock);
  has_writes = queue == queue_of_writes && n_unflushed > 0;
  is_refused = has_writes && n_refused > 0;
  n_refused -= is_refused;
  g_cond_broadcast (&changed);
  if (has_writes)
    wait_if_held ();
  if (queue == queue_of_writes && !is_refused)
    n_unflushed = 0;
  g_mutex_unlock (&lock);

  return is_refused;
}

cl_int
clEnqueueWriteBuffer (cl_command_queue queue, cl_mem mem, cl_bool blocking,
    size_t offset, size_t size, const void *data, cl_uint n_waits,
    const cl_event *waits, cl_event *event)
{
  cl_int code;

  code = REAL (clEnqueueWriteBuffer) (queue, mem, blocking, offset, size, data,
      n_waits, waits, event);
  if (code != CL_SUCCESS)
    return code;

  g_mutex_lock (&lock);
  queue_of_writes = queue;
  n_writes++;
  n_unflushed++;
  g_mutex_unlock (&lock);

  return CL_SUCCESS;
}

cl_int
clFlush (cl_command_queue queue)
{
  return is_flush_refused (queue) ? CL_OUT_OF_RESOURCES
                                  : REAL (clFlush) (queue);
}

cl_int
clFinish (cl_command_queue queue)
{
  return is_flush_refused (queue) ? CL_OUT_OF_RESOURCES
                                  : REAL (clFinish) (queue);
}

/* While flushes are refused, no marker can replace a wait. */
cl_int
clEnqueueMarkerWithWaitList (cl_command_queue queue, cl_uint n_waits,
    const cl_event *waits, cl_event *event)
{
  return get (&n_refused) > 0 ? CL_OUT_OF_RESOURCES
                              : REAL (clEnqueueMarkerWithWaitList) (queue,
                                    n_waits, waits, event);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests with the thread sanitizer: the order between threads that atomics
 * within GLib and GStreamer establish, which the sanitizer cannot see. Each
 * function adds the order that the documentation of the real one guarantees,
 * and calls that:
 *  - a thread that drops a reference is ordered before the one that drops the
 *    last;
 *  - a thread that returns a buffer to its pool is ordered before the next one
 *    that gets it;
 *  - a thread that pushes work to a thread pool is ordered before the thread
 *    that runs it;
 *  - the thread that initializes a GOnce is ordered before all later users. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

/* Returns the function of that name in the library. */
#define REAL(function)                                                         \
  ((__typeof__ (&function)) real (#function, &real_##function))

static gpointer
real (const gchar *name, gpointer *known)
{
  gpointer found = __atomic_load_n (known, __ATOMIC_RELAXED);

  if (!found) {
    found = dlsym (RTLD_NEXT, name);
    if (!found)
      abort ();
    __atomic_store_n (known, found, __ATOMIC_RELAXED);
  }

  return found;
}

static void
drop (gpointer object)
{
  __tsan_release (object);
  __tsan_acquire (object);
}

/* --- references ---------------------------------------------------------- */

static gpointer real_g_free;
static gpointer real_g_slice_free1;
static gpointer real_g_object_unref;
static gpointer real_gst_object_unref;
static gpointer real_gst_mini_object_unref;
static gpointer real_g_atomic_rc_box_release_full;

void (g_object_unref) (gpointer object)
{
  drop (object);
  REAL (g_object_unref) (object);
}

void (gst_object_unref) (gpointer object)
{
  drop (object);
  REAL (gst_object_unref) (object);
}

static _Thread_local GDestroyNotify user_clear;

/* Runs for the last reference alone: the thread sees every release. */
static void
clear_block (gpointer block)
{
  const GDestroyNotify clear = user_clear;

  __tsan_acquire (block);
  if (clear)
    clear (block);
}

void
g_atomic_rc_box_release_full (gpointer block, GDestroyNotify clear)
{
  __tsan_release (block);
  user_clear = clear;
  REAL (g_atomic_rc_box_release_full) (block, clear_block);
}

/* The last reference to a buffer also drops those to its memories and to their
 * parents, within GStreamer; or it returns the buffer to its pool. */
__attribute__ ((no_sanitize ("thread"))) static void
drop_contents (GstBuffer *buffer)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);

    drop (memory);
    if (memory->parent)
      drop (memory->parent);
  }
  if (buffer->pool)
    __tsan_release (buffer->pool);
}

/* The order is important: all but the last reference are dropped here, after
 * the release, so that a thread that finds only one left sees every release. */
__attribute__ ((no_sanitize ("thread"))) void
gst_mini_object_unref (GstMiniObject *object)
{
  gint n = g_atomic_int_get (&object->refcount);

  __tsan_release (object);
  while (n > 1) {
    if (g_atomic_int_compare_and_exchange (&object->refcount, n, n - 1))
      return;
    n = g_atomic_int_get (&object->refcount);
  }

  __tsan_acquire (object);
  if (GST_IS_BUFFER (object))
    drop_contents (GST_BUFFER_CAST (object));
  REAL (gst_mini_object_unref) (object);
}

/* GStreamer drops references within itself, too; it frees an object whose last
 * reference it drops. */
void (g_free) (gpointer block)
{
  if (block)
    __tsan_acquire (block);
  REAL (g_free) (block);
}

void
g_slice_free1 (gsize size, gpointer block)
{
  if (block)
    __tsan_acquire (block);
  REAL (g_slice_free1) (size, block);
}

/* --- pools --------------------------------------------------------------- */

static gpointer real_gst_buffer_pool_acquire_buffer;

GstFlowReturn
gst_buffer_pool_acquire_buffer (GstBufferPool *pool, GstBuffer **buffer,
    GstBufferPoolAcquireParams *params)
{
  GstFlowReturn flow = REAL (
      gst_buffer_pool_acquire_buffer) (pool, buffer, params);

  __tsan_acquire (pool);

  return flow;
}

/* --- thread pools -------------------------------------------------------- */

static gpointer real_g_thread_pool_new;
static gpointer real_g_thread_pool_push;

typedef struct {
  GFunc func;
  gpointer user_data;
} PoolWork;

static void
do_pool_work (gpointer data, gpointer user_data)
{
  const PoolWork *work = user_data;

  __tsan_acquire (data);
  work->func (data, work->user_data);
}

GThreadPool *
g_thread_pool_new (GFunc func, gpointer user_data, gint max_threads,
    gboolean exclusive, GError **error)
{
  PoolWork *work = g_new (PoolWork, 1); /* kept: pools live long */

  *work = (PoolWork){ func, user_data };

  return REAL (
      g_thread_pool_new) (do_pool_work, work, max_threads, exclusive, error);
}

gboolean
g_thread_pool_push (GThreadPool *pool, gpointer data, GError **error)
{
  __tsan_release (data);

  return REAL (g_thread_pool_push) (pool, data, error);
}

/* --- once ---------------------------------------------------------------- */

static gpointer real_g_once_init_enter;
static gpointer real_g_once_init_leave;

gboolean (g_once_init_enter) (volatile void *location)
{
  gboolean first = ((gboolean (*) (volatile void *)) real ("g_once_init_enter",
      &real_g_once_init_enter)) (location);

  if (!first)
    __tsan_acquire ((void *) location);

  return first;
}

void (g_once_init_leave) (volatile void *location, gsize result)
{
  __tsan_release ((void *) location);
  ((void (*) (volatile void *, gsize)) real ("g_once_init_leave",
      &real_g_once_init_leave)) (location, result);
}

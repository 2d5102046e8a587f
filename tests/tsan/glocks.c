/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GLib's locks by pthreads, for ThreadSanitizer.
 *
 * GLib has locks of its own, in code that the sanitizer has not seen, and so it
 * would take everything that they guard for a race. Linked into a test program,
 * these come before GLib's for GStreamer and for our code; GLib's own calls stay
 * within GLib, and so do the locks they are for. */

#define _GNU_SOURCE
#include <glib.h>
#include <pthread.h>
#include <stdlib.h>

/* The object behind *place, made at first use: static locks are all zero. */
static void *
object (gpointer *place, gsize size, void (*init) (void *))
{
  void *there = __atomic_load_n (place, __ATOMIC_ACQUIRE), *made;

  if (there)
    return there;

  made = calloc (1, size);
  init (made);
  if (!__atomic_compare_exchange_n (place, &there, made, 0, __ATOMIC_ACQ_REL,
          __ATOMIC_ACQUIRE)) {
    free (made);
    return there;
  }

  return made;
}

static void
init_mutex (void *made)
{
  pthread_mutex_init (made, NULL);
}

static void
init_rec_mutex (void *made)
{
  pthread_mutexattr_t attributes;

  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_settype (&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init (made, &attributes);
}

static void
init_cond (void *made)
{
  pthread_condattr_t attributes;

  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (made, &attributes);
}

static void
init_rw_lock (void *made)
{
  pthread_rwlock_init (made, NULL);
}

#define MUTEX(m)   object (&(m)->p, sizeof (pthread_mutex_t), init_mutex)
#define REC(m)     object (&(m)->p, sizeof (pthread_mutex_t), init_rec_mutex)
#define COND(c)    object (&(c)->p, sizeof (pthread_cond_t), init_cond)
#define RW_LOCK(l) object (&(l)->p, sizeof (pthread_rwlock_t), init_rw_lock)

static void
drop (gpointer *place)
{
  free (*place);
  *place = NULL;
}

/* clang-format off */
void g_mutex_init (GMutex *m) { m->p = NULL; MUTEX (m); }
void g_mutex_clear (GMutex *m) { drop (&m->p); }
void g_mutex_lock (GMutex *m) { pthread_mutex_lock (MUTEX (m)); }
void g_mutex_unlock (GMutex *m) { pthread_mutex_unlock (MUTEX (m)); }
gboolean g_mutex_trylock (GMutex *m)
{ return pthread_mutex_trylock (MUTEX (m)) == 0; }

void g_rec_mutex_init (GRecMutex *m) { m->p = NULL; REC (m); }
void g_rec_mutex_clear (GRecMutex *m) { drop (&m->p); }
void g_rec_mutex_lock (GRecMutex *m) { pthread_mutex_lock (REC (m)); }
void g_rec_mutex_unlock (GRecMutex *m) { pthread_mutex_unlock (REC (m)); }
gboolean g_rec_mutex_trylock (GRecMutex *m)
{ return pthread_mutex_trylock (REC (m)) == 0; }

void g_rw_lock_init (GRWLock *l) { l->p = NULL; RW_LOCK (l); }
void g_rw_lock_clear (GRWLock *l) { drop (&l->p); }
void g_rw_lock_writer_lock (GRWLock *l) { pthread_rwlock_wrlock (RW_LOCK (l)); }
void g_rw_lock_writer_unlock (GRWLock *l)
{ pthread_rwlock_unlock (RW_LOCK (l)); }
void g_rw_lock_reader_lock (GRWLock *l) { pthread_rwlock_rdlock (RW_LOCK (l)); }
void g_rw_lock_reader_unlock (GRWLock *l)
{ pthread_rwlock_unlock (RW_LOCK (l)); }
gboolean g_rw_lock_writer_trylock (GRWLock *l)
{ return pthread_rwlock_trywrlock (RW_LOCK (l)) == 0; }
gboolean g_rw_lock_reader_trylock (GRWLock *l)
{ return pthread_rwlock_tryrdlock (RW_LOCK (l)) == 0; }

void g_cond_init (GCond *c) { c->p = NULL; COND (c); }
void g_cond_clear (GCond *c) { drop (&c->p); }
void g_cond_signal (GCond *c) { pthread_cond_signal (COND (c)); }
void g_cond_broadcast (GCond *c) { pthread_cond_broadcast (COND (c)); }
void g_cond_wait (GCond *c, GMutex *m)
{ pthread_cond_wait (COND (c), MUTEX (m)); }
gboolean g_cond_wait_until (GCond *c, GMutex *m, gint64 end)
{
  const struct timespec time = { end / G_USEC_PER_SEC,
    end % G_USEC_PER_SEC * 1000 };

  return pthread_cond_timedwait (COND (c), MUTEX (m), &time) == 0;
}
/* clang-format on */

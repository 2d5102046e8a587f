/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests with the thread sanitizer: implements GLib's locks by pthread
 * locks, which the sanitizer supports. GLib's mutexes and conditions are
 * futexes in a library that is not instrumented. The test program defines the
 * functions, so that the dynamic linker uses them for calls of GStreamer and
 * the plugin, too. GLib's own calls are bound within GLib: its own locks are
 * private, and none is locked in both ways. */

#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Zero is valid: the first user allocates it. */
#define LAZY(name, Type, Native, construct, destroy)                           \
  static Native *name##_native (Type *self)                                    \
  {                                                                            \
    Native *native = __atomic_load_n (&self->p, __ATOMIC_ACQUIRE);             \
    gpointer expected = NULL;                                                  \
                                                                               \
    if (native)                                                                \
      return native;                                                           \
                                                                               \
    native = malloc (sizeof *native);                                          \
    if (!native)                                                               \
      abort ();                                                                \
    construct (native);                                                        \
    if (__atomic_compare_exchange_n (&self->p, &expected, native, FALSE,       \
            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))                               \
      return native;                                                           \
                                                                               \
    destroy (native);                                                          \
    free (native);                                                             \
                                                                               \
    return expected;                                                           \
  }                                                                            \
                                                                               \
  void g_##name##_init (Type *self)                                            \
  {                                                                            \
    __atomic_store_n (&self->p, NULL, __ATOMIC_RELEASE);                       \
  }                                                                            \
                                                                               \
  void g_##name##_clear (Type *self)                                           \
  {                                                                            \
    Native *native = __atomic_exchange_n (&self->p, NULL, __ATOMIC_ACQ_REL);   \
                                                                               \
    if (native) {                                                              \
      destroy (native);                                                        \
      free (native);                                                           \
    }                                                                          \
  }

static void
check (int result)
{
  if (result != 0)
    abort ();
}

static void
construct_mutex (pthread_mutex_t *mutex)
{
  check (pthread_mutex_init (mutex, NULL));
}

static void
construct_rec_mutex (pthread_mutex_t *mutex)
{
  pthread_mutexattr_t attributes;

  check (pthread_mutexattr_init (&attributes));
  check (pthread_mutexattr_settype (&attributes, PTHREAD_MUTEX_RECURSIVE));
  check (pthread_mutex_init (mutex, &attributes));
  pthread_mutexattr_destroy (&attributes);
}

static void
construct_rw_lock (pthread_rwlock_t *lock)
{
  check (pthread_rwlock_init (lock, NULL));
}

/* g_cond_wait_until() uses the monotonic clock. */
static void
construct_cond (pthread_cond_t *cond)
{
  pthread_condattr_t attributes;

  check (pthread_condattr_init (&attributes));
  check (pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC));
  check (pthread_cond_init (cond, &attributes));
  pthread_condattr_destroy (&attributes);
}

LAZY (mutex, GMutex, pthread_mutex_t, construct_mutex, pthread_mutex_destroy)
LAZY (cond, GCond, pthread_cond_t, construct_cond, pthread_cond_destroy)
LAZY (rec_mutex, GRecMutex, pthread_mutex_t, construct_rec_mutex,
    pthread_mutex_destroy)
LAZY (rw_lock, GRWLock, pthread_rwlock_t, construct_rw_lock,
    pthread_rwlock_destroy)

/* --- locks --------------------------------------------------------------- */

#define LOCK(function, Type, name, native_function)                            \
  void g_##function (Type *self)                                               \
  {                                                                            \
    check (native_function (name##_native (self)));                            \
  }

#define TRY(function, Type, name, native_function)                             \
  gboolean g_##function (Type *self)                                           \
  {                                                                            \
    return native_function (name##_native (self)) == 0;                        \
  }

LOCK (mutex_lock, GMutex, mutex, pthread_mutex_lock)
TRY (mutex_trylock, GMutex, mutex, pthread_mutex_trylock)
LOCK (mutex_unlock, GMutex, mutex, pthread_mutex_unlock)
LOCK (rec_mutex_lock, GRecMutex, rec_mutex, pthread_mutex_lock)
TRY (rec_mutex_trylock, GRecMutex, rec_mutex, pthread_mutex_trylock)
LOCK (rec_mutex_unlock, GRecMutex, rec_mutex, pthread_mutex_unlock)
LOCK (rw_lock_reader_lock, GRWLock, rw_lock, pthread_rwlock_rdlock)
TRY (rw_lock_reader_trylock, GRWLock, rw_lock, pthread_rwlock_tryrdlock)
LOCK (rw_lock_reader_unlock, GRWLock, rw_lock, pthread_rwlock_unlock)
LOCK (rw_lock_writer_lock, GRWLock, rw_lock, pthread_rwlock_wrlock)
TRY (rw_lock_writer_trylock, GRWLock, rw_lock, pthread_rwlock_trywrlock)
LOCK (rw_lock_writer_unlock, GRWLock, rw_lock, pthread_rwlock_unlock)

/* --- conditions ---------------------------------------------------------- */

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  check (pthread_cond_wait (cond_native (cond), mutex_native (mutex)));
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  const struct timespec until = { end_time / G_USEC_PER_SEC,
    end_time % G_USEC_PER_SEC * 1000 };
  int result = pthread_cond_timedwait (cond_native (cond), mutex_native (mutex),
      &until);

  if (result != ETIMEDOUT)
    check (result);

  return result == 0;
}

LOCK (cond_signal, GCond, cond, pthread_cond_signal)
LOCK (cond_broadcast, GCond, cond, pthread_cond_broadcast)

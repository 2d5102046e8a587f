/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A clock that tests advance. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "mocks/clock.h"

#include <dlfcn.h>

static GMutex lock;
/* Protected by lock. */
static gint64 advance_us;
static gint64 held_us; /* 0: the clock runs */

void
clock_advance (gint64 us)
{
  g_mutex_lock (&lock);
  advance_us += us;
  g_mutex_unlock (&lock);
}

static gint64
real_time (void)
{
  static gint64 (*real) (void);

  if (!real)
    *(gpointer *) &real = dlsym (RTLD_NEXT, "g_get_monotonic_time");

  return real ();
}

void
clock_hold (void)
{
  g_mutex_lock (&lock);
  if (held_us == 0)
    held_us = real_time ();
  g_mutex_unlock (&lock);
}

gint64
g_get_monotonic_time (void)
{
  gint64 now_us;

  g_mutex_lock (&lock);
  now_us = (held_us ? held_us : real_time ()) + advance_us;
  g_mutex_unlock (&lock);

  return now_us;
}

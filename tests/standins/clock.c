/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A clock that tests advance. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "standins/clock.h"

#include <dlfcn.h>

static GMutex lock;
static gint64 advance_us; /* under lock */

void
clock_advance (gint64 us)
{
  g_mutex_lock (&lock);
  advance_us += us;
  g_mutex_unlock (&lock);
}

gint64
g_get_monotonic_time (void)
{
  static gint64 (*real) (void);
  gint64 now_us;

  g_mutex_lock (&lock);
  if (!real)
    *(gpointer *) &real = dlsym (RTLD_NEXT, "g_get_monotonic_time");
  now_us = real () + advance_us;
  g_mutex_unlock (&lock);

  return now_us;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <dlfcn.h>

/* The next function @name in symbol resolution, for a function of this name.
 * Any thread. Needs _GNU_SOURCE, for RTLD_NEXT. */
#define REAL(name)                                                             \
  ({                                                                           \
    static void *found;                                                        \
    void *next = __atomic_load_n (&found, __ATOMIC_ACQUIRE);                   \
                                                                               \
    if (!next) {                                                               \
      next = dlsym (RTLD_NEXT, #name);                                         \
      __atomic_store_n (&found, next, __ATOMIC_RELEASE);                       \
    }                                                                          \
    (__typeof__ (&name)) next;                                                 \
  })

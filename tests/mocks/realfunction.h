/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <dlfcn.h>
#include <glib.h>

/* Sets @real, a pointer to a function, to the next function of this name in
 * symbol resolution. Any thread. Needs _GNU_SOURCE, for RTLD_NEXT. */
#define FIND_REAL(real, name)                                                  \
  G_STMT_START                                                                 \
  {                                                                            \
    static gsize found = 0;                                                    \
                                                                               \
    if (g_once_init_enter (&found))                                            \
      g_once_init_leave (&found, (gsize) dlsym (RTLD_NEXT, name));             \
    real = (__typeof__ (real)) found;                                          \
  }                                                                            \
  G_STMT_END

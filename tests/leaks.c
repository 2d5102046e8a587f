/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests under the leak sanitizer: what library constructors allocate is not
 * looked at. GLib makes its table of quarks there, and leaves it behind, so
 * that readers need no lock, when GStreamer fills a larger one; of the moment
 * before main() the sanitizer knows no caller to suppress it by. */

#if defined(__SANITIZE_ADDRESS__)

#include <sanitizer/lsan_interface.h>

static void
before_libraries (int argc, char **argv, char **environment)
{
  __lsan_disable ();
}

static void
after_libraries (int argc, char **argv, char **environment)
{
  __lsan_enable ();
}

typedef void (*Constructor) (int argc, char **argv, char **environment);

__attribute__ ((section (".preinit_array"),
    used)) static Constructor first = before_libraries;
__attribute__ ((section (".init_array"),
    used)) static Constructor last = after_libraries;

#endif

/* ISO C wants something in every file. */
extern int tests_leaks_unused;

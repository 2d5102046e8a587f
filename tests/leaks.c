/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests with the leak sanitizer: ignores allocations of library
 * constructors. GLib creates its table of quarks there, and leaks it, so that
 * readers need no lock, when GStreamer fills a larger one; before main() the
 * sanitizer has no caller to suppress it by. */

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

/* ISO C requires a declaration in every file. */
extern int tests_leaks_unused;

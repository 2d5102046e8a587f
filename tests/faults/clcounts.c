/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts a program's OpenCL calls and allocations: a library for LD_PRELOAD.
 *
 * environment: CL_COUNTS_FILE receives a JSON object at exit: each called
 *   OpenCL function, and "malloc" for malloc(), calloc() and realloc(), with
 *   its number of calls */

#include "layer.h"

#include <stdio.h>
#include <stdlib.h>

/* of the GNU C library */
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *old, size_t size);

static gsize n_allocations; /* atomic */

static void
count_allocation (void)
{
  __atomic_add_fetch (&n_allocations, 1, __ATOMIC_RELAXED);
}

__attribute__ ((visibility ("default"))) void *
malloc (size_t size)
{
  count_allocation ();

  return __libc_malloc (size);
}

__attribute__ ((visibility ("default"))) void *
calloc (size_t n, size_t size)
{
  count_allocation ();

  return __libc_calloc (n, size);
}

__attribute__ ((visibility ("default"))) void *
realloc (void *old, size_t size)
{
  count_allocation ();

  return __libc_realloc (old, size);
}

__attribute__ ((destructor)) static void
write_counts (void)
{
  const gchar *path = g_getenv ("CL_COUNTS_FILE");
  FILE *file = path ? fopen (path, "w") : NULL;

  if (!file)
    return;
  fprintf (file, "{\"malloc\": %zu", n_allocations);
  for (EntryPoint i = 0; i < N_ENTRY_POINTS; i++) {
    if (layer_count (i) > 0)
      fprintf (file, ", \"%s\": %u", entry_points[i].name, layer_count (i));
  }
  fputs ("}\n", file);
  fclose (file);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts buffers over host memory; each of them has one reference. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "memory/hostpins.h"

#include "mocks/realfunction.h"

#include <CL/cl.h>

static GMutex lock;
static GHashTable *sizes; /* cl_mem -> bytes; lock */

guint64
host_pins_bytes (void)
{
  GHashTableIter iter;
  gpointer size;
  guint64 sum = 0;

  g_mutex_lock (&lock);
  if (sizes) {
    g_hash_table_iter_init (&iter, sizes);
    while (g_hash_table_iter_next (&iter, NULL, &size))
      sum += GPOINTER_TO_SIZE (size);
  }
  g_mutex_unlock (&lock);

  return sum;
}

cl_mem
clCreateBuffer (cl_context context, cl_mem_flags flags, size_t size, void *data,
    cl_int *code)
{
  cl_mem mem;

  mem = REAL (clCreateBuffer) (context, flags, size, data, code);
  if (mem && (flags & CL_MEM_USE_HOST_PTR)) {
    g_mutex_lock (&lock);
    if (!sizes)
      sizes = g_hash_table_new (NULL, NULL);
    g_hash_table_insert (sizes, mem, GSIZE_TO_POINTER (size));
    g_mutex_unlock (&lock);
  }

  return mem;
}

cl_int
clReleaseMemObject (cl_mem mem)
{
  g_mutex_lock (&lock);
  if (sizes)
    g_hash_table_remove (sizes, mem);
  g_mutex_unlock (&lock);

  return REAL (clReleaseMemObject) (mem);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OpenCL buffers over host memory. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "mocks/hostbuffers.h"

#include "mocks/realfunction.h"

/* A buffer counts while the plugin has references to it. OpenCL may keep the
 * buffer longer, after its memory has been freed and reused. */
typedef struct {
  cl_mem mem;
  guint n_references; /* references of the plugin */
  const guint8 *data;
  gsize size_bytes;
  guint8 *initial; /* contents when the buffer was recorded */
} HostBuffer;

static GMutex lock;
static GList *buffers;
static gint n_reads;

gint
host_buffers_n_reads (void)
{
  return g_atomic_int_get (&n_reads);
}

static void CL_CALLBACK
forget (cl_mem mem, void *data)
{
  HostBuffer *self = data;

  g_mutex_lock (&lock);
  buffers = g_list_remove (buffers, self);
  g_mutex_unlock (&lock);
  g_free (self->initial);
  g_free (self);
}

void
host_buffers_add (cl_mem mem, gpointer host, gsize size_bytes)
{
  HostBuffer *self = g_new (HostBuffer, 1);

  *self = (HostBuffer){ mem, 1, host, size_bytes,
    g_memdup2 (host, size_bytes) };
  g_mutex_lock (&lock);
  buffers = g_list_prepend (buffers, self);
  g_mutex_unlock (&lock);
  clSetMemObjectDestructorCallback (mem, forget, self);
}

gconstpointer
host_buffers_read (gconstpointer data, gboolean is_stale)
{
  gconstpointer found = data;

  g_mutex_lock (&lock);
  for (GList *item = buffers; item; item = item->next) {
    const HostBuffer *self = item->data;
    const guint8 *at = data;

    if (self->n_references == 0 || at < self->data ||
        at >= self->data + self->size_bytes)
      continue;
    g_atomic_int_inc (&n_reads);
    if (is_stale)
      found = self->initial + (at - self->data);
  }
  g_mutex_unlock (&lock);

  return found;
}

gboolean
host_buffers_is_referenced (cl_mem mem)
{
  gboolean is_referenced = FALSE;

  g_mutex_lock (&lock);
  for (GList *item = buffers; item; item = item->next) {
    const HostBuffer *self = item->data;

    if (self->mem == mem && self->n_references > 0)
      is_referenced = TRUE;
  }
  g_mutex_unlock (&lock);

  return is_referenced;
}

static void
count_reference (cl_mem mem, gint change)
{
  g_mutex_lock (&lock);
  for (GList *item = buffers; item; item = item->next) {
    HostBuffer *self = item->data;

    if (self->mem == mem)
      self->n_references += change;
  }
  g_mutex_unlock (&lock);
}

cl_int
clRetainMemObject (cl_mem mem)
{
  count_reference (mem, 1);

  return REAL (clRetainMemObject) (mem);
}

cl_int
clReleaseMemObject (cl_mem mem)
{
  count_reference (mem, -1);

  return REAL (clReleaseMemObject) (mem);
}

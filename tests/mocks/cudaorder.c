/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that copies are ordered after the other uses of their memory. */

#include "mocks/cudaorder.h"

#include "mocks/cuda.h"

typedef struct {
  guintptr begin;
  gsize size;
  gpointer stream; /* stream of other users; NULL: shared with OpenCL */
  guint64 file;    /* inode of shared memory */
} Range;

static GMutex lock;   /* protects the members below */
static GList *ranges; /* of Range */
static CudaIsFree is_free_in_opencl;
static GHashTable
    *n_running;             /* running copies of each stream; NULL: none yet */
static gint n_out_of_order; /* atomic */

gint
cuda_n_out_of_order (void)
{
  return g_atomic_int_get (&n_out_of_order);
}

void
cuda_set_is_free (CudaIsFree is_free)
{
  g_mutex_lock (&lock);
  is_free_in_opencl = is_free;
  g_mutex_unlock (&lock);
}

/* --- memory -------------------------------------------------------------- */

void
cuda_order_forget (gpointer data)
{
  g_mutex_lock (&lock);
  for (GList *item = ranges; item; item = item->next) {
    if (((Range *) item->data)->begin == (guintptr) data) {
      g_free (item->data);
      ranges = g_list_delete_link (ranges, item);
      break;
    }
  }
  g_mutex_unlock (&lock);
}

static void
note (Range range)
{
  g_mutex_lock (&lock);
  ranges = g_list_prepend (ranges, g_memdup2 (&range, sizeof range));
  g_mutex_unlock (&lock);
}

void
cuda_order_note_shared (gpointer data, gsize size, guint64 file)
{
  note ((Range){ (guintptr) data, size, NULL, file });
}

void
cuda_order_note_stream (gpointer data, gsize size, gpointer stream)
{
  note ((Range){ (guintptr) data, size, stream, 0 });
}

/* --- copies -------------------------------------------------------------- */

/* Returns whether a command in @stream is ordered after the other uses of
 * @range. Call with the lock held. */
static gboolean
is_ordered_after_others (const Range *range, gpointer stream)
{
  if (range->stream)
    return range->stream == stream;

  return !is_free_in_opencl || is_free_in_opencl (range->file);
}

gint
cuda_n_running (void)
{
  GHashTableIter iter;
  gpointer n;
  gint n_all = 0;

  g_mutex_lock (&lock);
  if (n_running) {
    g_hash_table_iter_init (&iter, n_running);
    while (g_hash_table_iter_next (&iter, NULL, &n))
      n_all += GPOINTER_TO_INT (n);
  }
  g_mutex_unlock (&lock);

  return n_all;
}

void
cuda_order_waited (gpointer stream)
{
  g_mutex_lock (&lock);
  if (n_running)
    g_hash_table_remove (n_running, stream);
  g_mutex_unlock (&lock);
}

void
cuda_order_begin (guint64 dst, guint64 src, gpointer stream)
{
  const guint64 addresses[] = { dst, src };

  g_mutex_lock (&lock);
  if (!n_running)
    n_running = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (n_running, stream,
      GINT_TO_POINTER (
          GPOINTER_TO_INT (g_hash_table_lookup (n_running, stream)) + 1));
  for (GList *item = ranges; item; item = item->next) {
    const Range *range = item->data;

    for (guint i = 0; i < G_N_ELEMENTS (addresses); i++) {
      if (addresses[i] >= range->begin &&
          addresses[i] - range->begin < range->size &&
          !is_ordered_after_others (range, stream))
        g_atomic_int_inc (&n_out_of_order);
    }
  }
  g_mutex_unlock (&lock);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the OpenCL objects that are held. */

#include "objects.h"

static const gchar *const kind_names[N_OBJECT_KINDS] = { "context", "queue",
  "buffer", "program", "kernel", "event", "mapping" };

static GMutex lock; /* all below */
static gboolean is_watched;
static GHashTable
    *references[N_OBJECT_KINDS]; /* object -> number of references */
static guint n_missing[N_OBJECT_KINDS];

/* lock held */
static GHashTable *
table_of (ObjectKind kind)
{
  if (!references[kind])
    references[kind] = g_hash_table_new (NULL, NULL);

  return references[kind];
}

void
objects_watch (void)
{
  g_mutex_lock (&lock);
  is_watched = TRUE;
  g_mutex_unlock (&lock);
}

void
objects_add (ObjectKind kind, gconstpointer object)
{
  GHashTable *table;
  guint n;

  if (!object)
    return;

  g_mutex_lock (&lock);
  table = table_of (kind);
  n = GPOINTER_TO_UINT (g_hash_table_lookup (table, object));
  if (is_watched)
    g_hash_table_insert (table, (gpointer) object, GUINT_TO_POINTER (n + 1));
  g_mutex_unlock (&lock);
}

ObjectRelease
objects_remove (ObjectKind kind, gconstpointer object)
{
  GHashTable *table;
  guint n;

  g_mutex_lock (&lock);
  table = table_of (kind);
  n = GPOINTER_TO_UINT (g_hash_table_lookup (table, object));
  if (!is_watched)
    n = 2;
  else if (n == 0)
    n_missing[kind]++;
  else if (n == 1)
    g_hash_table_remove (table, object);
  else
    g_hash_table_insert (table, (gpointer) object, GUINT_TO_POINTER (n - 1));
  g_mutex_unlock (&lock);

  return n == 0 ? OBJECT_MISSING : n == 1 ? OBJECT_LAST : OBJECT_HELD;
}

/* lock held */
static void
describe (GString *text, ObjectKind kind)
{
  GHashTableIter iter;
  gpointer object, n;
  guint n_references = 0;

  g_hash_table_iter_init (&iter, table_of (kind));
  while (g_hash_table_iter_next (&iter, &object, &n))
    n_references += GPOINTER_TO_UINT (n);
  if (n_references > 0)
    g_string_append_printf (text, "%s%u references to %u %ss are leaked",
        text->len > 0 ? ", " : "", n_references,
        g_hash_table_size (table_of (kind)), kind_names[kind]);
  if (n_missing[kind] > 0)
    g_string_append_printf (text, "%s%u releases of a %s that is not held",
        text->len > 0 ? ", " : "", n_missing[kind], kind_names[kind]);
}

gchar *
objects_describe (void)
{
  GString *text = g_string_new (NULL);

  g_mutex_lock (&lock);
  for (guint kind = 0; kind < N_OBJECT_KINDS; kind++)
    describe (text, kind);
  g_mutex_unlock (&lock);

  return g_string_free (text, text->len == 0);
}

void
objects_forget (void)
{
  g_mutex_lock (&lock);
  for (guint kind = 0; kind < N_OBJECT_KINDS; kind++) {
    g_hash_table_remove_all (table_of (kind));
    n_missing[kind] = 0;
  }
  g_mutex_unlock (&lock);
}

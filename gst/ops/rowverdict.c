/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known in this process about rows of the ops' tables on devices. */

#include "rowverdict.h"

static GMutex lock;
static GHashTable *verdicts; /* gchar *: see name_verdict(); lock */
static gint n_failed;        /* of these; atomic: most processes have none */

/* @answer is NULL where the row has failed. transfer full */
static gchar *
name_verdict (const GstClDevice *device, gconstpointer row,
    gconstpointer answer)
{
  return g_strdup_printf ("%p %p %p", (gpointer) device->id, row, answer);
}

static gboolean
find (const GstClDevice *device, gconstpointer row, gconstpointer answer)
{
  g_autofree gchar *name = name_verdict (device, row, answer);
  gboolean is_known;

  g_mutex_lock (&lock);
  is_known = verdicts && g_hash_table_contains (verdicts, name);
  g_mutex_unlock (&lock);

  return is_known;
}

/* FALSE: it was known. */
static gboolean
add (const GstClDevice *device, gconstpointer row, gconstpointer answer)
{
  gboolean is_new;

  g_mutex_lock (&lock);
  if (!verdicts)
    verdicts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  is_new = g_hash_table_add (verdicts, name_verdict (device, row, answer));
  g_mutex_unlock (&lock);

  return is_new;
}

gboolean
gst_cl_row_has_failed (const GstClDevice *device, gconstpointer row)
{
  return g_atomic_int_get (&n_failed) > 0 && find (device, row, NULL);
}

void
gst_cl_row_set_failed (const GstClDevice *device, gconstpointer row)
{
  if (add (device, row, NULL))
    g_atomic_int_inc (&n_failed);
}

gboolean
gst_cl_row_has_passed (const GstClDevice *device, gconstpointer row,
    gconstpointer answer)
{
  return find (device, row, answer);
}

void
gst_cl_row_set_passed (const GstClDevice *device, gconstpointer row,
    gconstpointer answer)
{
  add (device, row, answer);
}

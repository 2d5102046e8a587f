/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measurements and verdicts on a device, in memory and on disk. */

#include "gstcltuningdb.h"
#include "gstclcache.h"
#include "gstclfolder.h"

#include <string.h>

#define SUFFIX     ".ini"
#define KEY_DIGITS 16 /* of the device's key, in the name of its file */

/* The maximum size of a file that is read: about ten times the size of
 * GST_CL_TUNING_DB_MAX entries. */
#define MAX_BYTES (1024 * 1024)

/* Words in a file; the keys are those of each group. */
typedef struct {
  const gchar *prefix; /* of its name */
  const gchar *what, *advice;
  const gchar *table, *name, *timings;
} Words;

static const Words words_of_choices = {
  .prefix = "tuning-",
  .what = "The fastest implementations, as measured by auto",
  .advice = "May be deleted at any time: auto then measures again.",
  .table = "candidates",
  .name = "fastest",
  .timings = "measured",
};

static const Words words_of_verdicts = {
  .prefix = "verdicts-",
  .what = "Implementations that passed or failed their self-tests",
  .advice = "May be deleted at any time: they are then tested again.",
  .table = "tested",
  .name = "verdict",
  .timings = "digests",
};

struct _GstClTuningDb {
  const Words *words;
  const GstClDevice *device;
  GMutex measuring;
  GMutex lock;

  /* lock */
  gboolean is_read;
  GHashTable *entries; /* gchar *key -> Entry */
};

typedef struct {
  gchar *table, *name;
} Entry;

/* transfer full */
static Entry *
new_choice (gchar *table, gchar *name)
{
  Entry *entry = g_new0 (Entry, 1);

  entry->table = table;
  entry->name = name;

  return entry;
}

static void
free_choice (gpointer data)
{
  Entry *entry = data;

  g_free (entry->table);
  g_free (entry->name);
  g_free (entry);
}

static GstClTuningDb *
new_db (const GstClDevice *device, const Words *words)
{
  GstClTuningDb *self = g_new0 (GstClTuningDb, 1);

  self->words = words;
  self->device = device;
  g_mutex_init (&self->measuring);
  g_mutex_init (&self->lock);
  self->entries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      free_choice);

  return self;
}

GstClTuningDb *
gst_cl_tuning_db_new (const GstClDevice *device)
{
  return new_db (device, &words_of_choices);
}

GstClTuningDb *
gst_cl_tuning_db_new_for_verdicts (const GstClDevice *device)
{
  return new_db (device, &words_of_verdicts);
}

void
gst_cl_tuning_db_free (GstClTuningDb *self)
{
  if (!self)
    return;

  g_mutex_clear (&self->measuring);
  g_mutex_clear (&self->lock);
  g_hash_table_unref (self->entries);
  g_free (self);
}

void
gst_cl_tuning_db_begin_measuring (GstClTuningDb *self)
{
  g_mutex_lock (&self->measuring);
}

void
gst_cl_tuning_db_end_measuring (GstClTuningDb *self)
{
  g_mutex_unlock (&self->measuring);
}

/* --- file ---------------------------------------------------------------- */

static gchar *
file_name (const GstClTuningDb *self)
{
  g_autofree gchar *key = gst_cl_cache_device_key (self->device);

  return g_strdup_printf ("%s%.*s" SUFFIX, self->words->prefix, KEY_DIGITS,
      key);
}

/* Returns the current contents of the file; empty if it has another format or
 * is rejected. */
static GKeyFile *
load_file (const GstClTuningDb *self, const gchar *folder)
{
  g_autofree gchar *name = file_name (self);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GBytes)
      content = gst_cl_folder_read (folder, name, MAX_BYTES, NULL);

  if (content && g_key_file_load_from_bytes (file, content,
                     G_KEY_FILE_KEEP_COMMENTS, NULL))
    return g_steal_pointer (&file);

  return g_key_file_new (); /* discards what was read before the error */
}

/* Returns a string as stored in the file. The plugin writes no escapes; GLib
 * warns of values with invalid ones. NULL if there is none, or if the plugin
 * has not written it. */
static gchar *
read_text (GKeyFile *file, const gchar *key, const gchar *name)
{
  g_autofree gchar *text = g_key_file_get_value (file, key, name, NULL);

  if (!text || strchr (text, '\\') || !g_utf8_validate (text, -1, NULL))
    return NULL;

  return g_steal_pointer (&text);
}

/* lock held */
static void
read_once (GstClTuningDb *self)
{
  const Words *words = self->words;
  g_autofree gchar *folder = NULL;
  g_autoptr (GKeyFile) file = NULL;
  g_auto (GStrv) keys = NULL;

  if (self->is_read)
    return;

  self->is_read = TRUE;
  folder = gst_cl_cache_folder ();
  if (!folder)
    return;

  file = load_file (self, folder);
  keys = g_key_file_get_groups (file, NULL);
  for (guint i = 0; keys[i]; i++) {
    g_autofree gchar *table = read_text (file, keys[i], words->table);
    g_autofree gchar *name = read_text (file, keys[i], words->name);

    if (table && name)
      g_hash_table_insert (self->entries, g_strdup (keys[i]),
          new_choice (g_steal_pointer (&table), g_steal_pointer (&name)));
  }
}

/* The oldest groups are first. */
static void
drop_oldest (GKeyFile *file)
{
  gsize n_keys;
  g_auto (GStrv) keys = g_key_file_get_groups (file, &n_keys);

  for (gsize i = 0; i + GST_CL_TUNING_DB_MAX < n_keys; i++)
    g_key_file_remove_group (file, keys[i], NULL);
}

/* Replaces the file atomically. If two processes write at the same time, one
 * may lose its entry, and measures again. */
static gboolean
save_entry (GstClTuningDb *self, const gchar *key, const gchar *table,
    const gchar *name, const gchar *timings, GError **error)
{
  const Words *words = self->words;
  const GstClDevice *device = self->device;
  g_autofree gchar *heading = g_strdup_printf (
      " %s, on\n %s (%s, driver %s).\n %s", words->what, device->name,
      device->platform_name, device->driver_version, words->advice);
  g_autofree gchar *folder = gst_cl_cache_folder ();
  g_autofree gchar *target = file_name (self);
  g_autofree gchar *content = NULL;
  g_autoptr (GKeyFile) file = NULL;
  gsize n_bytes;

  if (!folder)
    return TRUE;

  file = load_file (self, folder);
  g_key_file_remove_group (file, key, NULL); /* the newest group is last */
  g_key_file_set_string (file, key, words->table, table);
  g_key_file_set_string (file, key, words->timings, timings);
  g_key_file_set_string (file, key, words->name, name);
  g_key_file_set_comment (file, NULL, NULL, heading, NULL);
  drop_oldest (file);

  content = g_key_file_to_data (file, &n_bytes, NULL);

  return gst_cl_folder_write (folder, target, content, n_bytes, error);
}

/* --- entries ------------------------------------------------------------- */

gchar *
gst_cl_tuning_db_find (GstClTuningDb *self, const gchar *key,
    const gchar *table)
{
  const Entry *entry;
  gchar *name = NULL;

  g_mutex_lock (&self->lock);
  read_once (self);
  entry = g_hash_table_lookup (self->entries, key);
  if (entry && g_str_equal (entry->table, table))
    name = g_strdup (entry->name);
  g_mutex_unlock (&self->lock);

  return name;
}

void
gst_cl_tuning_db_reload (GstClTuningDb *self)
{
  g_mutex_lock (&self->lock);
  self->is_read = FALSE;
  g_mutex_unlock (&self->lock);
}

gboolean
gst_cl_tuning_db_remember (GstClTuningDb *self, const gchar *key,
    const gchar *table, const gchar *name, const gchar *timings, GError **error)
{
  gboolean is_kept;

  g_mutex_lock (&self->lock);
  read_once (self);
  g_hash_table_insert (self->entries, g_strdup (key),
      new_choice (g_strdup (table), g_strdup (name)));
  is_kept = !timings || save_entry (self, key, table, name, timings, error);
  g_mutex_unlock (&self->lock);

  return is_kept;
}

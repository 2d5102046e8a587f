/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was measured to be the fastest, in memory and on disk. */

#include "gstclchoices.h"
#include "gstclcache.h"

#define PREFIX     "tuning-"
#define SUFFIX     ".ini"
#define KEY_DIGITS 16 /* of the device's key, in the name of its file */

#define HEADING                                                                \
  " What auto has measured to be the fastest, on\n %s (%s, driver "            \
  "%s).\n"                                                                     \
  " May be deleted at any time: it is measured again then."

/* Of a group of the file. */
#define TABLE   "candidates"
#define NAME    "fastest"
#define FIGURES "measured"

struct _GstClChoices {
  const GstClDevice *device;
  GMutex measuring;
  GMutex lock;

  /* lock */
  gboolean is_read;
  GHashTable *choices; /* gchar *key -> Choice */
};

typedef struct {
  gchar *table, *name;
} Choice;

/* transfer full */
static Choice *
new_choice (gchar *table, gchar *name)
{
  Choice *choice = g_new0 (Choice, 1);

  choice->table = table;
  choice->name = name;

  return choice;
}

static void
free_choice (gpointer data)
{
  Choice *choice = data;

  g_free (choice->table);
  g_free (choice->name);
  g_free (choice);
}

GstClChoices *
gst_cl_choices_new (const GstClDevice *device)
{
  GstClChoices *self = g_new0 (GstClChoices, 1);

  self->device = device;
  g_mutex_init (&self->measuring);
  g_mutex_init (&self->lock);
  self->choices = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      free_choice);

  return self;
}

void
gst_cl_choices_free (GstClChoices *self)
{
  if (!self)
    return;

  g_mutex_clear (&self->measuring);
  g_mutex_clear (&self->lock);
  g_hash_table_unref (self->choices);
  g_free (self);
}

void
gst_cl_choices_begin_measuring (GstClChoices *self)
{
  g_mutex_lock (&self->measuring);
}

void
gst_cl_choices_end_measuring (GstClChoices *self)
{
  g_mutex_unlock (&self->measuring);
}

/* --- file ---------------------------------------------------------------- */

gchar *
gst_cl_choices_path (const GstClChoices *self)
{
  g_autofree gchar *folder = gst_cl_cache_folder ();
  g_autofree gchar *key = NULL;
  g_autofree gchar *name = NULL;

  if (!folder)
    return NULL;

  key = gst_cl_cache_device_key (self->device);
  name = g_strdup_printf (PREFIX "%.*s" SUFFIX, KEY_DIGITS, key);

  return g_build_filename (folder, name, NULL);
}

/* What there is now; empty if that is no such file. */
static GKeyFile *
load_file (const gchar *path)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();

  if (g_key_file_load_from_file (file, path, G_KEY_FILE_KEEP_COMMENTS, NULL))
    return g_steal_pointer (&file);

  return g_key_file_new (); /* not what was read before the mistake */
}

/* lock held */
static void
read_once (GstClChoices *self)
{
  g_autofree gchar *path = NULL;
  g_autoptr (GKeyFile) file = NULL;
  g_auto (GStrv) keys = NULL;

  if (self->is_read)
    return;

  self->is_read = TRUE;
  path = gst_cl_choices_path (self);
  if (!path)
    return;

  file = load_file (path);
  keys = g_key_file_get_groups (file, NULL);
  for (guint i = 0; keys[i]; i++) {
    g_autofree gchar *table = g_key_file_get_string (file, keys[i], TABLE,
        NULL);
    g_autofree gchar *name = g_key_file_get_string (file, keys[i], NAME, NULL);

    if (table && name)
      g_hash_table_insert (self->choices, g_strdup (keys[i]),
          new_choice (g_steal_pointer (&table), g_steal_pointer (&name)));
  }
}

/* The oldest groups stand first. */
static void
drop_oldest (GKeyFile *file)
{
  gsize n_keys;
  g_auto (GStrv) keys = g_key_file_get_groups (file, &n_keys);

  for (gsize i = 0; i + GST_CL_CHOICES_MAX < n_keys; i++)
    g_key_file_remove_group (file, keys[i], NULL);
}

/* A reader sees the old file or the new one. Of two processes that write at the
 * same time one may lose its choice, and measures it again. */
static gboolean
save (GstClChoices *self, const gchar *key, const gchar *table,
    const gchar *name, const gchar *figures, GError **error)
{
  const GstClDevice *device = self->device;
  g_autofree gchar *heading = g_strdup_printf (HEADING, device->name,
      device->platform_name, device->driver_version);
  g_autofree gchar *folder = gst_cl_cache_folder ();
  g_autofree gchar *path = gst_cl_choices_path (self);
  g_autoptr (GKeyFile) file = NULL;

  if (!path)
    return TRUE;

  file = load_file (path);
  g_key_file_remove_group (file, key, NULL); /* the newest stands last */
  g_key_file_set_string (file, key, TABLE, table);
  g_key_file_set_string (file, key, FIGURES, figures);
  g_key_file_set_string (file, key, NAME, name);
  g_key_file_set_comment (file, NULL, NULL, heading, NULL);
  drop_oldest (file);

  return gst_cl_cache_make_folder (folder, error) &&
         g_key_file_save_to_file (file, path, error);
}

/* --- choices ------------------------------------------------------------- */

gchar *
gst_cl_choices_find (GstClChoices *self, const gchar *key, const gchar *table)
{
  const Choice *choice;
  gchar *name = NULL;

  g_mutex_lock (&self->lock);
  read_once (self);
  choice = g_hash_table_lookup (self->choices, key);
  if (choice && g_str_equal (choice->table, table))
    name = g_strdup (choice->name);
  g_mutex_unlock (&self->lock);

  return name;
}

gboolean
gst_cl_choices_remember (GstClChoices *self, const gchar *key,
    const gchar *table, const gchar *name, const gchar *figures,
    gboolean is_final, GError **error)
{
  gboolean is_kept;

  g_mutex_lock (&self->lock);
  read_once (self);
  g_hash_table_insert (self->choices, g_strdup (key),
      new_choice (g_strdup (table), g_strdup (name)));
  is_kept = !is_final || save (self, key, table, name, figures, error);
  g_mutex_unlock (&self->lock);

  return is_kept;
}

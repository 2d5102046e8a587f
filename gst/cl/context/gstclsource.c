/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Embedded kernel files, includes resolved. */

#include "gstclsource.h"

#include <stdio.h>
#include <string.h>

#define RESOURCE_ROOT "/org/freedesktop/gstreamer/opencl/kernels/"
#define COMMON_FOLDER "common/"

typedef struct {
  GString *text;
  GHashTable *taken; /* names of files that are in the text */
} Source;

static GStrv
load_lines (const gchar *name, GError **error)
{
  g_autofree gchar *path = g_strconcat (RESOURCE_ROOT, name, NULL);
  g_autofree gchar *text = NULL;
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path,
      G_RESOURCE_LOOKUP_FLAGS_NONE, error);

  if (!bytes)
    return NULL;

  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));

  return g_strsplit (text, "\n", -1);
}

static gboolean
file_exists (const gchar *name)
{
  g_autofree gchar *path = g_strconcat (RESOURCE_ROOT, name, NULL);

  return g_resources_get_info (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL, NULL,
      NULL);
}

/* The header that @line of the file @name includes: one of that file's folder,
 * or of the common one; NULL if the line includes none. */
static gchar *
included_header (const gchar *line, const gchar *name)
{
  gchar header[100];
  g_autofree gchar *folder = NULL, *local = NULL;

  if (sscanf (line, " # include \"%99[^\"]", header) != 1)
    return NULL;

  folder = g_path_get_dirname (name);
  local = g_build_path ("/", folder, header, NULL);
  if (file_exists (local))
    return g_steal_pointer (&local);

  return g_strconcat (COMMON_FOLDER, header, NULL);
}

/* Appends nothing where @name is there already. */
static gboolean
append_file (Source *self, const gchar *name, GError **error)
{
  g_auto (GStrv) lines = NULL;

  if (!g_hash_table_add (self->taken, g_strdup (name)))
    return TRUE;
  lines = load_lines (name, error);
  if (!lines)
    return FALSE;

  g_string_append_printf (self->text, "#line 1 \"%s\"\n", name);
  for (guint i = 0; lines[i]; i++) {
    g_autofree gchar *header = included_header (lines[i], name);

    if (!header) {
      g_string_append_printf (self->text, "%s\n", lines[i]);
      continue;
    }
    if (!append_file (self, header, error)) {
      g_prefix_error (error, "%s:%u: ", name, i + 1);
      return FALSE;
    }
    g_string_append_printf (self->text, "#line %u \"%s\"\n", i + 2, name);
  }

  return TRUE;
}

gchar *
gst_cl_source_load (const gchar *name, GError **error)
{
  g_autoptr (GHashTable)
      taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Source source = { g_string_new (NULL), taken };
  const gboolean is_complete = append_file (&source, name, error);

  return g_string_free (source.text, !is_complete);
}

/* --- digest -------------------------------------------------------------- */

static void
add_folder (GChecksum *sum, const gchar *path)
{
  g_auto (GStrv) names = g_resources_enumerate_children (path,
      G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  for (guint i = 0; names && names[i]; i++) {
    g_autofree gchar *child = g_strconcat (path, names[i], NULL);
    g_autoptr (GBytes) bytes = NULL;

    if (g_str_has_suffix (names[i], "/")) {
      add_folder (sum, child);
      continue;
    }
    bytes = g_resources_lookup_data (child, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    g_checksum_update (sum, (const guchar *) child, strlen (child) + 1);
    g_checksum_update (sum, g_bytes_get_data (bytes, NULL),
        g_bytes_get_size (bytes));
  }
}

gchar *
gst_cl_source_digest (void)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_MD5);

  add_folder (sum, RESOURCE_ROOT);

  return g_strdup (g_checksum_get_string (sum));
}

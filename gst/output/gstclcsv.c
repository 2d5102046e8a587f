/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structures as rows of comma-separated values, quoted by the rules of RFC
 * 4180. */

#include "gstclcsv.h"

#include <string.h>

#include "gstclfield.h"

/* The field whose entries name the columns of arrays with one entry a
 * component. */
#define COMPONENTS "components"

struct _GstClCsv {
  GString *names;  /* names of the columns, a row of text; empty: no row yet */
  GString *latest; /* names of the columns of the structure at hand */
  GString *values;
  GString *name; /* of the column at hand */
};

GstClCsv *
gst_cl_csv_new (void)
{
  GstClCsv *self = g_new0 (GstClCsv, 1);

  self->names = g_string_new (NULL);
  self->latest = g_string_new (NULL);
  self->values = g_string_new (NULL);
  self->name = g_string_new (NULL);

  return self;
}

void
gst_cl_csv_free (GstClCsv *self)
{
  if (!self)
    return;

  g_string_free (self->names, TRUE);
  g_string_free (self->latest, TRUE);
  g_string_free (self->values, TRUE);
  g_string_free (self->name, TRUE);
  g_free (self);
}

/* --- text ---------------------------------------------------------------- */

static void
append_quoted (GString *row, const gchar *text)
{
  if (!text[strcspn (text, ",\"\r\n")]) {
    g_string_append (row, text);
    return;
  }

  g_string_append_c (row, '"');
  for (; *text; text++) {
    if (*text == '"')
      g_string_append_c (row, '"');
    g_string_append_c (row, *text);
  }
  g_string_append_c (row, '"');
}

static void
append_value (GString *row, const GValue *value)
{
  if (gst_cl_field_append_number (row, value, ""))
    return;

  if (G_VALUE_HOLDS_STRING (value)) {
    const gchar *text = g_value_get_string (value);

    append_quoted (row, text ? text : "");
  } else {
    g_autofree gchar *text = gst_value_serialize (value);

    append_quoted (row, text);
  }
}

/* --- columns ------------------------------------------------------------- */

/* Adds the column self->name or, for an array, one for each entry. If the
 * outermost array has as many entries as @components (may be NULL), these name
 * its columns; else they are numbered. */
static void
add_columns (GstClCsv *self, const GValue *value, const GValue *components)
{
  const gsize length = self->name->len;
  guint n;

  if (!GST_VALUE_HOLDS_ARRAY (value)) {
    g_string_append (self->latest, self->name->str);
    g_string_append_c (self->latest, ',');
    append_value (self->values, value);
    g_string_append_c (self->values, ',');
    return;
  }

  n = gst_value_array_get_size (value);
  if (components && n != gst_value_array_get_size (components))
    components = NULL;
  for (guint i = 0; i < n; i++) {
    if (components)
      g_string_append_printf (self->name, "-%s",
          g_value_get_string (gst_value_array_get_value (components, i)));
    else
      g_string_append_printf (self->name, "-%u", i);
    add_columns (self, gst_value_array_get_value (value, i), NULL);
    g_string_truncate (self->name, length);
  }
}

/* Returns TRUE if an array has one entry a zone or region of interest, of which
 * there may happen to be as many as components. */
static gboolean
is_of_regions (const gchar *name, const GValue *value)
{
  return (g_str_has_prefix (name, "zone-") ||
             g_str_has_prefix (name, "roi-")) &&
         GST_VALUE_HOLDS_ARRAY (value) &&
         gst_value_array_get_size (value) > 0 &&
         !GST_VALUE_HOLDS_ARRAY (gst_value_array_get_value (value, 0));
}

static void
add_field (GstClCsv *self, const GstStructure *structure, guint i)
{
  const gchar *name = gst_structure_nth_field_name (structure, i);
  const GValue *value = gst_structure_get_value (structure, name);
  const GValue *components = gst_structure_get_value (structure, COMPONENTS);

  if (g_str_equal (name, COMPONENTS))
    return;

  g_string_assign (self->name, name);
  if (gst_cl_field_is_unknown (value)) {
    g_string_append (self->latest, name);
    g_string_append_c (self->latest, ',');
    g_string_append_c (self->values, ',');
  } else {
    add_columns (self, value, is_of_regions (name, value) ? NULL : components);
  }
}

/* Replaces the last comma by a line feed. */
static void
end_row (GString *row)
{
  if (row->len > 0)
    g_string_truncate (row, row->len - 1);
  g_string_append_c (row, '\n');
}

gboolean
gst_cl_csv_append_row (GstClCsv *self, GString *text,
    const GstStructure *structure)
{
  g_string_truncate (self->latest, 0);
  g_string_truncate (self->values, 0);
  for (gint i = 0; i < gst_structure_n_fields (structure); i++)
    add_field (self, structure, i);
  end_row (self->latest);
  end_row (self->values);

  if (self->names->len == 0) {
    g_string_append_len (text, self->latest->str, self->latest->len);
    g_string_assign (self->names, self->latest->str);
  } else if (!g_string_equal (self->latest, self->names)) {
    return FALSE;
  }
  g_string_append_len (text, self->values->str, self->values->len);

  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structures as lines of text: JSON (RFC 8259), or comma-separated values that
 * are quoted by the rules of RFC 4180. */

#include "gstclline.h"

#include <math.h>
#include <string.h>

/* --- fields of both formats ----------------------------------------------- */

/* Returns TRUE if a field has no value: GST_CLOCK_TIME_NONE. Not for entries of
 * arrays, for which all values are valid. */
static gboolean
is_unknown (const GValue *value)
{
  return G_VALUE_HOLDS_UINT64 (value) &&
         g_value_get_uint64 (value) == GST_CLOCK_TIME_NONE;
}

static gboolean
is_packed (const gchar *name)
{
  return g_str_has_suffix (name, "-data") || g_str_equal (name, "waveform") ||
         g_str_equal (name, "vectorscope");
}

/* Appends the bytes of @value, a G_TYPE_BYTES, which need no escapes. */
static void
append_base64 (GString *text, const GValue *value)
{
  gsize n_bytes;
  const guchar *bytes = g_bytes_get_data (g_value_get_boxed (value), &n_bytes);
  g_autofree gchar *base64 = g_base64_encode (bytes, n_bytes);

  g_string_append (text, base64);
}

/* Appends the number of @value as text with which a reader gets the same bits,
 * in any locale; for NaN and infinity, @nothing. Returns FALSE if it is no
 * number. */
static gboolean
append_number (GString *text, const GValue *value, const gchar *nothing)
{
  gchar buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (G_VALUE_HOLDS_UINT64 (value)) {
    g_string_append_printf (text, "%" G_GUINT64_FORMAT,
        g_value_get_uint64 (value));
  } else if (G_VALUE_HOLDS_INT64 (value)) {
    g_string_append_printf (text, "%" G_GINT64_FORMAT,
        g_value_get_int64 (value));
  } else if (G_VALUE_HOLDS_UINT (value)) {
    g_string_append_printf (text, "%u", g_value_get_uint (value));
  } else if (G_VALUE_HOLDS_INT (value)) {
    g_string_append_printf (text, "%d", g_value_get_int (value));
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    const gdouble x = g_value_get_double (value);

    g_string_append (text,
        isfinite (x) ? g_ascii_dtostr (buffer, sizeof buffer, x) : nothing);
  } else {
    return FALSE;
  }

  return TRUE;
}

/* Returns the guint32 numbers of @value, a G_TYPE_BYTES, and sets @n. */
static const guint32 *
get_numbers (const GValue *value, gsize *n)
{
  const guint32 *numbers = g_bytes_get_data (g_value_get_boxed (value), n);

  *n /= sizeof *numbers;

  return numbers;
}

/* Faster than printf: profiles have tens of thousands of numbers. */
static void
append_uint32 (GString *text, guint32 number)
{
  gchar digits[10];
  guint first = sizeof digits;

  do {
    digits[--first] = '0' + number % 10;
    number /= 10;
  } while (number > 0);
  g_string_append_len (text, digits + first, sizeof digits - first);
}

/* --- JSON ----------------------------------------------------------------- */

/* Returns TRUE if @c must be escaped. JSON requires it only for control
 * characters below 0x20, but some readers end a line at others, too, and at the
 * separators of Unicode. */
static gboolean
may_end_line (gunichar c)
{
  const GUnicodeType type = g_unichar_type (c);

  return type == G_UNICODE_CONTROL || type == G_UNICODE_LINE_SEPARATOR ||
         type == G_UNICODE_PARAGRAPH_SEPARATOR;
}

static void
append_string (GString *line, const gchar *text)
{
  g_string_append_c (line, '"');
  for (; *text; text = g_utf8_next_char (text)) {
    const gunichar c = g_utf8_get_char (text);

    if (may_end_line (c)) {
      g_string_append_printf (line, "\\u%04x", c);
    } else {
      if (c == '"' || c == '\\')
        g_string_append_c (line, '\\');
      g_string_append_unichar (line, c);
    }
  }
  g_string_append_c (line, '"');
}

static void
append_json_base64 (GString *line, const GValue *value)
{
  g_string_append_c (line, '"');
  append_base64 (line, value);
  g_string_append_c (line, '"');
}

static void
append_json_numbers (GString *line, const GValue *value)
{
  gsize n;
  const guint32 *numbers = get_numbers (value, &n);

  g_string_append_c (line, '[');
  for (gsize i = 0; i < n; i++) {
    if (i > 0)
      g_string_append_c (line, ',');
    append_uint32 (line, numbers[i]);
  }
  g_string_append_c (line, ']');
}

/* @packs: bytes are base64 text, else numbers. */
static void
append_json_value (GString *line, const GValue *value, gboolean packs)
{
  if (append_number (line, value, "null"))
    return;

  if (GST_VALUE_HOLDS_ARRAY (value)) {
    g_string_append_c (line, '[');
    for (guint i = 0; i < gst_value_array_get_size (value); i++) {
      if (i > 0)
        g_string_append_c (line, ',');
      append_json_value (line, gst_value_array_get_value (value, i), packs);
    }
    g_string_append_c (line, ']');
  } else if (G_VALUE_HOLDS (value, G_TYPE_BYTES) && packs) {
    append_json_base64 (line, value);
  } else if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    append_json_numbers (line, value);
  } else if (G_VALUE_HOLDS_BOOLEAN (value)) {
    g_string_append (line, g_value_get_boolean (value) ? "true" : "false");
  } else if (G_VALUE_HOLDS_STRING (value)) {
    const gchar *text = g_value_get_string (value);

    if (text)
      append_string (line, text);
    else
      g_string_append (line, "null");
  } else {
    g_autofree gchar *text = gst_value_serialize (value);

    append_string (line, text);
  }
}

/* A line to which fields are appended. */
typedef struct {
  GString *text;
  gboolean has_packed;
} Line;

static gboolean
append_field (GQuark field, const GValue *value, gpointer user_data)
{
  const Line *at = user_data;
  const gchar *name = g_quark_to_string (field);
  GString *line = at->text;

  if (is_packed (name) && !at->has_packed)
    return TRUE;

  g_string_append_c (line, ',');
  append_string (line, name);
  g_string_append_c (line, ':');
  if (is_unknown (value))
    g_string_append (line, "null");
  else
    append_json_value (line, value, is_packed (name));

  return TRUE;
}

void
gst_cl_json_append_line (GString *text, const gchar *type, gboolean is_first,
    const GstStructure *structure, gboolean has_packed)
{
  Line line = { text, has_packed };

  g_string_append (text, "{\"type\":");
  append_string (text, type);
  if (is_first)
    g_string_append_printf (text, ",\"schema\":%d", GST_CL_JSON_SCHEMA);
  gst_structure_foreach (structure, append_field, &line);
  g_string_append (text, "}\n");
}

/* --- comma-separated values ----------------------------------------------- */

/* The field with the names of the components, for the columns of arrays with
 * one entry per component. */
#define COMPONENTS "components"

struct _GstClCsv {
  GString *names;  /* names of the columns, a row of text; empty: no row yet */
  GString *latest; /* names of the current structure's columns */
  GString *values;
  GString *name;  /* of the current column */
  gboolean packs; /* its bytes are base64 text, else numbers */
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

/* --- quoted text ---------------------------------------------------------- */

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
append_csv_value (GString *row, const GValue *value)
{
  if (append_number (row, value, ""))
    return;

  if (G_VALUE_HOLDS_STRING (value)) {
    const gchar *text = g_value_get_string (value);

    append_quoted (row, text ? text : "");
  } else if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    append_base64 (row, value);
  } else {
    g_autofree gchar *text = gst_value_serialize (value);

    append_quoted (row, text);
  }
}

/* --- columns ------------------------------------------------------------- */

/* Adds a column for each number. */
static void
add_number_columns (GstClCsv *self, const GValue *value)
{
  gsize n;
  const guint32 *numbers = get_numbers (value, &n);

  for (gsize i = 0; i < n; i++) {
    g_string_append_printf (self->latest, "%s-%" G_GSIZE_FORMAT ",",
        self->name->str, i);
    append_uint32 (self->values, numbers[i]);
    g_string_append_c (self->values, ',');
  }
}

/* Adds the column self->name or, for an array, one column for each entry. If
 * the outermost array has as many entries as @components (may be NULL), the
 * names of the columns end in "-" and the component, else in "-" and the index.
 */
static void
add_columns (GstClCsv *self, const GValue *value, const GValue *components)
{
  const gsize length = self->name->len;
  guint n;

  if (G_VALUE_HOLDS (value, G_TYPE_BYTES) && !self->packs) {
    add_number_columns (self, value);
    return;
  }
  if (!GST_VALUE_HOLDS_ARRAY (value)) {
    g_string_append (self->latest, self->name->str);
    g_string_append_c (self->latest, ',');
    append_csv_value (self->values, value);
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

/* Returns TRUE if an array has one entry per zone, region of interest or field.
 * It may have as many entries as there are components, but is no array by
 * component. */
static gboolean
is_of_regions (const gchar *name, const GValue *value)
{
  return (g_str_has_prefix (name, "zone-") || g_str_has_prefix (name, "roi-") ||
             g_str_has_prefix (name, "field-")) &&
         GST_VALUE_HOLDS_ARRAY (value) &&
         gst_value_array_get_size (value) > 0 &&
         !GST_VALUE_HOLDS_ARRAY (gst_value_array_get_value (value, 0));
}

static void
add_field (GstClCsv *self, const GstStructure *structure, guint i,
    gboolean has_packed)
{
  const gchar *name = gst_structure_nth_field_name (structure, i);
  const GValue *value = gst_structure_get_value (structure, name);
  const GValue *components = gst_structure_get_value (structure, COMPONENTS);

  self->packs = is_packed (name);
  if (g_str_equal (name, COMPONENTS) || (self->packs && !has_packed))
    return;

  g_string_assign (self->name, name);
  if (is_unknown (value)) {
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
    const GstStructure *structure, gboolean has_packed)
{
  g_string_truncate (self->latest, 0);
  g_string_truncate (self->values, 0);
  for (gint i = 0; i < gst_structure_n_fields (structure); i++)
    add_field (self, structure, i, has_packed);
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

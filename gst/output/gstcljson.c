/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structures as lines of JSON (RFC 8259). */

#include "gstcljson.h"

#include "gstclfield.h"

/* Returns TRUE if @c has to be escaped. JSON asks for that for controls below
 * 0x20 alone, but some readers end a line at others, too, and at the separators
 * of Unicode. */
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
append_value (GString *line, const GValue *value)
{
  if (gst_cl_field_append_number (line, value, "null"))
    return;

  if (GST_VALUE_HOLDS_ARRAY (value)) {
    g_string_append_c (line, '[');
    for (guint i = 0; i < gst_value_array_get_size (value); i++) {
      if (i > 0)
        g_string_append_c (line, ',');
      append_value (line, gst_value_array_get_value (value, i));
    }
    g_string_append_c (line, ']');
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

static gboolean
append_field (GQuark field, const GValue *value, gpointer user_data)
{
  GString *line = user_data;

  g_string_append_c (line, ',');
  append_string (line, g_quark_to_string (field));
  g_string_append_c (line, ':');
  if (gst_cl_field_is_unknown (value))
    g_string_append (line, "null");
  else
    append_value (line, value);

  return TRUE;
}

void
gst_cl_json_append_line (GString *text, const gchar *type,
    const GstStructure *structure)
{
  g_string_append (text, "{\"type\":");
  append_string (text, type);
  gst_structure_foreach (structure, append_field, text);
  g_string_append (text, "}\n");
}

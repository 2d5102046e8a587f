/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structures as lines of JSON, by json-glib. */

#include "gstcljson.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "gstclfield.h"

gboolean
gst_cl_json_is_built (GError **error)
{
  return TRUE;
}

/* The integers of json-glib end at 2^63 - 1; what is above becomes a string of
 * its digits. */
static void
add_uint64 (JsonBuilder *builder, guint64 n)
{
  gchar digits[21];

  if (n <= G_MAXINT64) {
    json_builder_add_int_value (builder, (gint64) n);
    return;
  }
  g_snprintf (digits, sizeof (digits), "%" G_GUINT64_FORMAT, n);
  json_builder_add_string_value (builder, digits);
}

/* json-glib (1.6) prints as we do, 17 digits, but adds ".0" to what has no point:
 * to "1e-22" too, which is no JSON then. Those few become strings. */
static void
add_double (JsonBuilder *builder, gdouble x)
{
  gchar buffer[G_ASCII_DTOSTR_BUF_SIZE];
  const gchar *text = gst_cl_field_print_double (x, buffer);

  if (!text)
    json_builder_add_null_value (builder);
  else if (strchr (text, 'e') && !strchr (text, '.'))
    json_builder_add_string_value (builder, text);
  else
    json_builder_add_double_value (builder, x);
}

static void
add_value (JsonBuilder *builder, const GValue *value)
{
  if (GST_VALUE_HOLDS_ARRAY (value)) {
    json_builder_begin_array (builder);
    for (guint i = 0; i < gst_value_array_get_size (value); i++)
      add_value (builder, gst_value_array_get_value (value, i));
    json_builder_end_array (builder);
  } else if (G_VALUE_HOLDS_UINT64 (value)) {
    add_uint64 (builder, g_value_get_uint64 (value));
  } else if (G_VALUE_HOLDS_UINT (value)) {
    json_builder_add_int_value (builder, g_value_get_uint (value));
  } else if (G_VALUE_HOLDS_INT (value)) {
    json_builder_add_int_value (builder, g_value_get_int (value));
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    add_double (builder, g_value_get_double (value));
  } else if (G_VALUE_HOLDS_BOOLEAN (value)) {
    json_builder_add_boolean_value (builder, g_value_get_boolean (value));
  } else if (G_VALUE_HOLDS_STRING (value)) {
    json_builder_add_string_value (builder, g_value_get_string (value));
  } else {
    g_autofree gchar *text = gst_value_serialize (value);

    json_builder_add_string_value (builder, text);
  }
}

static gboolean
add_field (GQuark field, const GValue *value, gpointer user_data)
{
  JsonBuilder *builder = user_data;

  json_builder_set_member_name (builder, g_quark_to_string (field));
  if (gst_cl_field_is_unknown (value))
    json_builder_add_null_value (builder);
  else
    add_value (builder, value);

  return TRUE;
}

void
gst_cl_json_append_line (GString *text, const gchar *type,
    const GstStructure *structure)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autoptr (JsonNode) root = NULL;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "type");
  json_builder_add_string_value (builder, type);
  gst_structure_foreach (structure, add_field, builder);
  json_builder_end_object (builder);

  root = json_builder_get_root (builder);
  json_generator_set_root (generator, root);
  json_generator_to_gstring (generator, text);
  g_string_append_c (text, '\n');
}

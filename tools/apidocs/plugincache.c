/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints what GStreamer's registry knows of a plugin, as the JSON that hotdoc's
 * extension for GStreamer reads (gst_plugins_cache.json). GStreamer makes such
 * files by a generator of its own, which Debian does not ship.
 *
 * usage: plugincache PLUGIN PREFIX
 *
 * The names of all types that the plugin defines begin with PREFIX. */

#include <gst/gst.h>
#include <json-glib/json-glib.h>
#include <string.h>

typedef struct {
  JsonBuilder *json;
  const gchar *prefix;
  GHashTable *types; /* names of the plugin's types that elements have */
} Cache;

/* --- JSON ---------------------------------------------------------------- */

static void
add_string (Cache *cache, const gchar *name, const gchar *value)
{
  json_builder_set_member_name (cache->json, name);
  json_builder_add_string_value (cache->json, value ? value : "");
}

static void
add_boolean (Cache *cache, const gchar *name, gboolean value)
{
  json_builder_set_member_name (cache->json, name);
  json_builder_add_boolean_value (cache->json, value);
}

static void
begin_object (Cache *cache, const gchar *name)
{
  json_builder_set_member_name (cache->json, name);
  json_builder_begin_object (cache->json);
}

static void
end_object (Cache *cache)
{
  json_builder_end_object (cache->json);
}

/* --- types --------------------------------------------------------------- */

static gboolean
is_own (Cache *cache, GType type)
{
  return g_str_has_prefix (g_type_name (type), cache->prefix);
}

static void
remember (Cache *cache, GType type)
{
  if (is_own (cache, type))
    g_hash_table_add (cache->types, (gpointer) g_type_name (type));
}

static void
add_hierarchy (Cache *cache, GType type)
{
  json_builder_set_member_name (cache->json, "hierarchy");
  json_builder_begin_array (cache->json);
  for (; type; type = g_type_parent (type))
    json_builder_add_string_value (cache->json, g_type_name (type));
  json_builder_end_array (cache->json);
}

static void
add_value (Cache *cache, const gchar *nick, const gchar *number,
    const gchar *name)
{
  json_builder_begin_object (cache->json);
  add_string (cache, "name", nick);
  add_string (cache, "value", number);
  add_string (cache, "desc", name);
  end_object (cache);
}

static void
add_enumeration (Cache *cache, GEnumClass *klass)
{
  for (guint i = 0; i < klass->n_values; i++) {
    const GEnumValue *value = &klass->values[i];
    g_autofree gchar *number = g_strdup_printf ("%d", value->value);

    add_value (cache, value->value_nick, number, value->value_name);
  }
}

static void
add_flags (Cache *cache, GFlagsClass *klass)
{
  for (guint i = 0; i < klass->n_values; i++) {
    const GFlagsValue *value = &klass->values[i];
    g_autofree gchar *number = g_strdup_printf ("0x%08x", value->value);

    add_value (cache, value->value_nick, number, value->value_name);
  }
}

static void
add_type (Cache *cache, const gchar *name)
{
  const GType type = g_type_from_name (name);

  begin_object (cache, name);
  if (G_TYPE_IS_OBJECT (type)) {
    add_string (cache, "kind", "object");
    add_hierarchy (cache, type);
  } else {
    gpointer klass = g_type_class_ref (type);

    add_string (cache, "kind", G_TYPE_IS_FLAGS (type) ? "flags" : "enum");
    json_builder_set_member_name (cache->json, "values");
    json_builder_begin_array (cache->json);
    if (G_TYPE_IS_FLAGS (type))
      add_flags (cache, klass);
    else
      add_enumeration (cache, klass);
    json_builder_end_array (cache->json);
    g_type_class_unref (klass);
  }
  end_object (cache);
}

/* --- properties ---------------------------------------------------------- */

static const gchar *
find_mutability (GParamFlags flags)
{
  if (flags & GST_PARAM_MUTABLE_PLAYING)
    return "playing";
  if (flags & GST_PARAM_MUTABLE_PAUSED)
    return "paused";

  return flags & GST_PARAM_MUTABLE_READY ? "ready" : "null";
}

/* Returns flags as gst-launch-1.0 takes them, by their short names. g_free() */
static gchar *
describe_flags (const GValue *value)
{
  g_autoptr (GFlagsClass) klass = g_type_class_ref (G_VALUE_TYPE (value));
  GString *text = g_string_new (NULL);
  guint rest = g_value_get_flags (value);

  while (rest) {
    const GFlagsValue *first = g_flags_get_first_value (klass, rest);

    g_return_val_if_fail (first, NULL);
    g_string_append_printf (text, "%s%s", text->len > 0 ? "+" : "",
        first->value_nick);
    rest &= ~first->value;
  }

  return g_string_free (text, FALSE);
}

/* g_free(); NULL: it has none that could be written */
static gchar *
describe (const GValue *value)
{
  if (G_VALUE_HOLDS_STRING (value))
    return g_strdup (
        g_value_get_string (value) ? g_value_get_string (value) : "NULL");
  if (G_VALUE_HOLDS_ENUM (value)) {
    g_autoptr (GEnumClass) klass = g_type_class_ref (G_VALUE_TYPE (value));

    return g_strdup (
        g_enum_get_value (klass, g_value_get_enum (value))->value_nick);
  }
  if (G_VALUE_HOLDS_FLAGS (value))
    return describe_flags (value);

  return G_VALUE_HOLDS_BOXED (value) ? NULL : gst_value_serialize (value);
}

/* Adds the greatest and the smallest number that a property takes. */
static void
add_range (Cache *cache, GParamSpec *spec)
{
  g_autofree gchar *min = NULL, *max = NULL;

#define RANGE(TYPE, Type, format)                                              \
  if (G_IS_PARAM_SPEC_##TYPE (spec)) {                                         \
    min = g_strdup_printf ("%" format, G_PARAM_SPEC_##TYPE (spec)->minimum);   \
    max = g_strdup_printf ("%" format, G_PARAM_SPEC_##TYPE (spec)->maximum);   \
  }
  RANGE (INT, int, "d")
  RANGE (UINT, uint, "u")
  RANGE (INT64, int64, G_GINT64_FORMAT)
  RANGE (UINT64, uint64, G_GUINT64_FORMAT)
  RANGE (DOUBLE, double, "g")
#undef RANGE

  if (min) {
    add_string (cache, "min", min);
    add_string (cache, "max", max);
  }
}

static void
add_property (Cache *cache, GParamSpec *spec)
{
  const GParamFlags flags = spec->flags;
  g_autofree gchar *value = describe (g_param_spec_get_default_value (spec));

  remember (cache, spec->value_type);
  begin_object (cache, spec->name);
  add_string (cache, "blurb", g_param_spec_get_blurb (spec));
  add_boolean (cache, "conditionally-available", FALSE);
  add_boolean (cache, "construct", (flags & G_PARAM_CONSTRUCT) != 0);
  add_boolean (cache, "construct-only", (flags & G_PARAM_CONSTRUCT_ONLY) != 0);
  add_boolean (cache, "controllable", (flags & GST_PARAM_CONTROLLABLE) != 0);
  if (value)
    add_string (cache, "default", value);
  add_range (cache, spec);
  add_string (cache, "mutable", find_mutability (flags));
  add_boolean (cache, "readable", (flags & G_PARAM_READABLE) != 0);
  add_string (cache, "type", g_type_name (spec->value_type));
  add_boolean (cache, "writable", (flags & G_PARAM_WRITABLE) != 0);
  end_object (cache);
}

/* --- elements ------------------------------------------------------------ */

/* A field a line, as GStreamer's generator writes them. */
static gchar *
caps_text (const GstCaps *caps)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GstStructure *structure = gst_caps_get_structure (caps, i);
    g_autofree gchar *features = gst_caps_features_to_string (
        gst_caps_get_features (caps, i));

    if (g_str_equal (features, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY))
      g_string_append_printf (text, "%s:\n",
          gst_structure_get_name (structure));
    else
      g_string_append_printf (text, "%s%s(%s):\n", i > 0 ? "\n" : "",
          gst_structure_get_name (structure), features);
    for (gint j = 0; j < gst_structure_n_fields (structure); j++) {
      const gchar *name = gst_structure_nth_field_name (structure, (guint) j);
      g_autofree gchar *value = gst_value_serialize (
          gst_structure_get_value (structure, name));

      if (g_str_equal (name, "format")) {
        GString *plain = g_string_new (value);

        g_string_replace (plain, "(string)", "", 0);
        g_free (value);
        value = g_string_free (plain, FALSE);
      }
      g_string_append_printf (text, "%15s: %s\n", name, value);
    }
  }

  return g_string_free (text, FALSE);
}

static void
add_pad_template (Cache *cache, const GstStaticPadTemplate *template)
{
  static const gchar *const presences[] = { "always", "sometimes", "request" };
  g_autoptr (GstCaps) caps = gst_static_pad_template_get_caps (
      (GstStaticPadTemplate *) template);
  g_autofree gchar *text = caps_text (caps);

  begin_object (cache, template->name_template);
  add_string (cache, "caps", text);
  add_string (cache, "direction",
      template->direction == GST_PAD_SRC ? "src" : "sink");
  add_string (cache, "presence", presences[template->presence]);
  end_object (cache);
}

static gint
compare_templates (gconstpointer a, gconstpointer b)
{
  const GstStaticPadTemplate *first = a, *second = b;

  return g_strcmp0 (first->name_template, second->name_template);
}

/* The registry's order depends on where it has them from. */
static void
add_pad_templates (Cache *cache, GstElementFactory *factory)
{
  GList *templates = g_list_sort (
      g_list_copy (
          (GList *) gst_element_factory_get_static_pad_templates (factory)),
      compare_templates);

  for (GList *l = templates; l; l = l->next)
    add_pad_template (cache, l->data);
  g_list_free (templates);
}

static const gchar *
find_rank (GstElementFactory *factory)
{
  const guint rank = gst_plugin_feature_get_rank (GST_PLUGIN_FEATURE (factory));

  if (rank >= GST_RANK_PRIMARY)
    return "primary";
  if (rank >= GST_RANK_SECONDARY)
    return "secondary";

  return rank >= GST_RANK_MARGINAL ? "marginal" : "none";
}

static void
add_element (Cache *cache, GstElementFactory *factory)
{
  static const gchar *const keys[] = { GST_ELEMENT_METADATA_AUTHOR,
    GST_ELEMENT_METADATA_DESCRIPTION, GST_ELEMENT_METADATA_KLASS,
    GST_ELEMENT_METADATA_LONGNAME };
  g_autoptr (GstElement) element = gst_object_ref_sink (
      gst_element_factory_create (factory, NULL));
  const GType type = G_OBJECT_TYPE (element);
  g_autofree GParamSpec **specs = NULL;
  guint n_specs;

  begin_object (cache, GST_OBJECT_NAME (factory));
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    add_string (cache, keys[i],
        gst_element_factory_get_metadata (factory, keys[i]));
  add_string (cache, "rank", find_rank (factory));
  add_hierarchy (cache, type);
  for (GType parent = g_type_parent (type); parent;
       parent = g_type_parent (parent))
    remember (cache, parent);

  begin_object (cache, "pad-templates");
  add_pad_templates (cache, factory);
  end_object (cache);

  begin_object (cache, "properties");
  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element),
      &n_specs);
  for (guint i = 0; i < n_specs; i++) {
    if (is_own (cache, specs[i]->owner_type))
      add_property (cache, specs[i]);
  }
  end_object (cache);
  end_object (cache);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (GST_OBJECT_NAME (a), GST_OBJECT_NAME (b));
}

static void
add_elements (Cache *cache, const gchar *plugin)
{
  GList *features = g_list_sort (
      gst_registry_get_feature_list_by_plugin (gst_registry_get (), plugin),
      compare_names);

  for (GList *l = features; l; l = l->next) {
    g_autoptr (GstPluginFeature) loaded = gst_plugin_feature_load (l->data);

    if (GST_IS_ELEMENT_FACTORY (loaded))
      add_element (cache, GST_ELEMENT_FACTORY (loaded));
  }
  gst_plugin_feature_list_free (features);
}

static void
add_types (Cache *cache)
{
  GList *names = g_list_sort (g_hash_table_get_keys (cache->types),
      (GCompareFunc) strcmp);

  for (GList *l = names; l; l = l->next)
    add_type (cache, l->data);
  g_list_free (names);
}

static void
add_plugin (Cache *cache, GstPlugin *plugin)
{
  const gchar *name = gst_plugin_get_name (plugin);
  g_autofree gchar *file = g_strconcat ("gst", name, NULL);

  json_builder_begin_object (cache->json);
  begin_object (cache, name);
  add_string (cache, "description", gst_plugin_get_description (plugin));
  add_string (cache, "filename", file);
  add_string (cache, "license", gst_plugin_get_license (plugin));
  add_string (cache, "package", gst_plugin_get_package (plugin));
  add_string (cache, "source", gst_plugin_get_source (plugin));
  add_string (cache, "url", gst_plugin_get_origin (plugin));
  begin_object (cache, "elements");
  add_elements (cache, name);
  end_object (cache);
  begin_object (cache, "other-types");
  add_types (cache);
  end_object (cache);
  begin_object (cache, "tracers");
  end_object (cache);
  end_object (cache);
  end_object (cache);
}

/* --- */

int
main (int argc, char **argv)
{
  Cache cache = { 0 };
  g_autoptr (GstPlugin) plugin = NULL;
  g_autoptr (JsonGenerator) generator = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autofree gchar *text = NULL;

  gst_init (&argc, &argv);
  if (argc != 3) {
    g_printerr ("usage: %s PLUGIN PREFIX\n", argv[0]);
    return 2;
  }
  plugin = gst_registry_find_plugin (gst_registry_get (), argv[1]);
  if (!plugin) {
    g_printerr ("There is no plugin %s.\n", argv[1]);
    return 1;
  }

  cache.json = json_builder_new ();
  cache.prefix = argv[2];
  cache.types = g_hash_table_new (g_str_hash, g_str_equal);
  add_plugin (&cache, plugin);
  root = json_builder_get_root (cache.json);
  generator = json_generator_new ();
  json_generator_set_pretty (generator, TRUE);
  json_generator_set_root (generator, root);
  text = json_generator_to_data (generator, NULL);
  g_print ("%s\n", text);
  g_hash_table_unref (cache.types);
  g_object_unref (cache.json);

  return 0;
}

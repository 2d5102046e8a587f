/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every property of every element: limits, default, reading back. */

#include "common.h"

#include "suite.h"

/* The factories of all elements of the plugin; to be freed by
 * gst_plugin_feature_list_free(). */
static GList *
list_factories (void)
{
  GList *factories = gst_registry_get_feature_list_by_plugin (
      gst_registry_get (), "opencl");

  fail_unless (factories != NULL);

  return factories;
}

/* Properties of GObject and GStreamer. */
static gboolean
is_inherited (const GParamSpec *spec)
{
  return !g_str_has_prefix (g_type_name (spec->owner_type), "GstCl");
}

static void
set_and_read_back (GObject *object, GParamSpec *spec, const GValue *value)
{
  GValue got = G_VALUE_INIT;
  g_autofree gchar *text = g_strdup_value_contents (value);

  g_value_init (&got, spec->value_type);
  g_object_set_property (object, spec->name, value);
  g_object_get_property (object, spec->name, &got);
  fail_unless (g_param_values_cmp (spec, value, &got) == 0,
      "%s.%s: expected the value that was set, %s, found another one",
      G_OBJECT_TYPE_NAME (object), spec->name, text);
  g_value_unset (&got);
}

static void
check_numbers (GObject *object, GParamSpec *spec)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, spec->value_type);
  if (G_IS_PARAM_SPEC_INT (spec)) {
    g_value_set_int (&value, G_PARAM_SPEC_INT (spec)->minimum);
    set_and_read_back (object, spec, &value);
    g_value_set_int (&value, G_PARAM_SPEC_INT (spec)->maximum);
    set_and_read_back (object, spec, &value);
  } else if (G_IS_PARAM_SPEC_UINT (spec)) {
    g_value_set_uint (&value, G_PARAM_SPEC_UINT (spec)->minimum);
    set_and_read_back (object, spec, &value);
    g_value_set_uint (&value, G_PARAM_SPEC_UINT (spec)->maximum);
    set_and_read_back (object, spec, &value);
  } else if (G_IS_PARAM_SPEC_UINT64 (spec)) {
    g_value_set_uint64 (&value, G_PARAM_SPEC_UINT64 (spec)->minimum);
    set_and_read_back (object, spec, &value);
    g_value_set_uint64 (&value, G_PARAM_SPEC_UINT64 (spec)->maximum);
    set_and_read_back (object, spec, &value);
  } else if (G_IS_PARAM_SPEC_DOUBLE (spec)) {
    g_value_set_double (&value, G_PARAM_SPEC_DOUBLE (spec)->minimum);
    set_and_read_back (object, spec, &value);
    g_value_set_double (&value, G_PARAM_SPEC_DOUBLE (spec)->maximum);
    set_and_read_back (object, spec, &value);
  } else if (G_IS_PARAM_SPEC_BOOLEAN (spec)) {
    g_value_set_boolean (&value, FALSE);
    set_and_read_back (object, spec, &value);
    g_value_set_boolean (&value, TRUE);
    set_and_read_back (object, spec, &value);
  }
  g_value_unset (&value);
}

static void
check_choices (GObject *object, GParamSpec *spec)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, spec->value_type);
  if (G_IS_PARAM_SPEC_ENUM (spec)) {
    GEnumClass *klass = G_PARAM_SPEC_ENUM (spec)->enum_class;

    for (guint i = 0; i < klass->n_values; i++) {
      gst_util_set_object_arg (object, spec->name, klass->values[i].value_nick);
      g_value_set_enum (&value, klass->values[i].value);
      set_and_read_back (object, spec, &value);
    }
  } else if (G_IS_PARAM_SPEC_FLAGS (spec)) {
    const guint mask = G_PARAM_SPEC_FLAGS (spec)->flags_class->mask;

    /* none, all, each flag alone, and each alone left out */
    for (guint flag = 1; flag > 0 && flag <= mask; flag <<= 1) {
      const guint sets[] = { 0, mask, flag & mask, mask & ~flag };

      for (guint i = 0; i < G_N_ELEMENTS (sets); i++) {
        g_value_set_flags (&value, sets[i]);
        set_and_read_back (object, spec, &value);
      }
    }
  } else if (G_IS_PARAM_SPEC_STRING (spec)) {
    g_value_set_static_string (&value, "0.0");
    set_and_read_back (object, spec, &value);
  }
  g_value_unset (&value);
}

TEST (test_limits_and_defaults)
{
  GList *factories = list_factories ();

  for (GList *f = factories; f; f = f->next) {
    GstElement *element = gst_element_factory_create (f->data, NULL);
    guint n, n_checked = 0;
    g_autofree GParamSpec **specs = g_object_class_list_properties (
        G_OBJECT_GET_CLASS (element), &n);

    for (guint p = 0; p < n; p++) {
      /* boxed types have no limits */
      if (is_inherited (specs[p]) || !(specs[p]->flags & G_PARAM_WRITABLE) ||
          G_IS_PARAM_SPEC_BOXED (specs[p]))
        continue;
      fail_unless (g_param_spec_get_blurb (specs[p]) != NULL);
      check_numbers (G_OBJECT (element), specs[p]);
      check_choices (G_OBJECT (element), specs[p]);
      set_and_read_back (G_OBJECT (element), specs[p],
          g_param_spec_get_default_value (specs[p]));
      n_checked++;
    }
    fail_unless (n_checked > 0);
    gst_object_unref (element);
  }
  gst_plugin_feature_list_free (factories);
}

/* A new element has the declared default values. */
TEST (test_new_elements_have_the_defaults)
{
  GList *factories = list_factories ();

  for (GList *f = factories; f; f = f->next) {
    GstElement *element = gst_element_factory_create (f->data, NULL);
    guint n;
    g_autofree GParamSpec **specs = g_object_class_list_properties (
        G_OBJECT_GET_CLASS (element), &n);

    for (guint p = 0; p < n; p++) {
      GValue got = G_VALUE_INIT;

      if (is_inherited (specs[p]) || !(specs[p]->flags & G_PARAM_READABLE))
        continue;
      g_value_init (&got, specs[p]->value_type);
      g_object_get_property (G_OBJECT (element), specs[p]->name, &got);
      fail_unless (g_param_value_defaults (specs[p], &got), "%s.%s",
          GST_OBJECT_NAME (f->data), specs[p]->name);
      g_value_unset (&got);
    }
    gst_object_unref (element);
  }
  gst_plugin_feature_list_free (factories);
}

TEST (test_planes_by_name_and_number)
{
  static const struct {
    const gchar *text;
    guint mask;
  } rows[] = { { "y", 1 }, { "y+v", 5 }, { "r+b", 5 }, { "g+a", 10 },
    { "5", 5 }, { "0xf", 15 }, { "y+u+v+a", 15 } };
  GstElement *element = gst_element_factory_make ("clframesum", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint mask;

    gst_util_set_object_arg (G_OBJECT (element), "planes", rows[i].text);
    g_object_get (element, "planes", &mask, NULL);
    fail_unless (mask == rows[i].mask, "planes=%s: expected mask %u, found %u",
        rows[i].text, rows[i].mask, mask);
  }
  gst_object_unref (element);
}

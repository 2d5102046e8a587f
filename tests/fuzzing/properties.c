/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties by their GParamSpec. */

#include "properties.h"

#include <math.h>

/* Texts, also for file names: none of them creates a file. */
static const gchar *const texts[] = { NULL, "", "/", "/dev/null", "/dev/full",
  "/nonexistent/\xff\xfe.csv", "/nonexistent/%s%n", "cpu/" };

static gboolean
is_ours (GParamSpec *pspec)
{
  return (pspec->flags & G_PARAM_WRITABLE) &&
         !(pspec->flags & G_PARAM_CONSTRUCT_ONLY) &&
         pspec->owner_type != GST_TYPE_OBJECT;
}

static gboolean
is_choice (GParamSpec *pspec)
{
  return G_IS_PARAM_SPEC_ENUM (pspec) || G_IS_PARAM_SPEC_FLAGS (pspec);
}

/* --- choices ------------------------------------------------------------- */

static void
choose (GParamSpec *pspec, guint number, GValue *value)
{
  if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    const GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;

    g_value_set_enum (value, klass->values[number % klass->n_values].value);
  } else {
    const GFlagsClass *klass = G_PARAM_SPEC_FLAGS (pspec)->flags_class;

    /* every second value has all of them */
    g_value_set_flags (value,
        number % 2 ? klass->mask : (number * 2654435761u >> 8) & klass->mask);
  }
}

void
fuzz_properties_set_variant (GstElement *element, guint variant)
{
  g_autofree GParamSpec **pspecs = NULL;
  guint n;

  if (variant % FUZZ_N_VARIANTS == 0)
    return;

  pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;

    if (!is_ours (pspecs[i]) || !is_choice (pspecs[i]))
      continue;

    g_value_init (&value, pspecs[i]->value_type);
    choose (pspecs[i],
        variant % FUZZ_N_VARIANTS + g_str_hash (pspecs[i]->name) % 7, &value);
    g_object_set_property (G_OBJECT (element), pspecs[i]->name, &value);
    g_value_unset (&value);
  }
}

/* --- numbers and texts --------------------------------------------------- */

/* Returns a number of 0 .. @span: near one end or the other, anywhere, or
 * @usual. */
static guint64
pick_offset (FuzzBytes *bytes, guint64 span, guint64 usual)
{
  const guint kind = fuzz_bytes_below (bytes, 4);
  guint64 number;

  if (kind == 3)
    return usual;

  number = kind == 2 ? fuzz_bytes_u64 (bytes) : fuzz_bytes_u8 (bytes);
  if (span < G_MAXUINT64)
    number %= span + 1;

  return kind == 1 ? span - number : number;
}

static gdouble
pick_double (FuzzBytes *bytes, gdouble min, gdouble max)
{
  const guint16 part = fuzz_bytes_u16 (bytes);

  return part == 0xFFFE ? NAN : min + (max - min) * part / G_MAXUINT16;
}

/* FALSE for a type that is not fuzzed. */
static gboolean
pick_value (GParamSpec *pspec, FuzzBytes *bytes, GValue *value)
{
  if (G_IS_PARAM_SPEC_INT (pspec)) {
    const GParamSpecInt *spec = G_PARAM_SPEC_INT (pspec);

    g_value_set_int (value,
        (gint) (spec->minimum +
                (gint64) pick_offset (bytes,
                    (guint64) ((gint64) spec->maximum - spec->minimum),
                    (guint64) ((gint64) spec->default_value - spec->minimum))));
  } else if (G_IS_PARAM_SPEC_UINT (pspec)) {
    const GParamSpecUInt *spec = G_PARAM_SPEC_UINT (pspec);

    g_value_set_uint (value,
        spec->minimum + (guint) pick_offset (bytes,
                            spec->maximum - spec->minimum,
                            spec->default_value - spec->minimum));
  } else if (G_IS_PARAM_SPEC_UINT64 (pspec)) {
    const GParamSpecUInt64 *spec = G_PARAM_SPEC_UINT64 (pspec);

    g_value_set_uint64 (value,
        spec->minimum + pick_offset (bytes, spec->maximum - spec->minimum,
                            spec->default_value - spec->minimum));
  } else if (G_IS_PARAM_SPEC_BOOLEAN (pspec)) {
    g_value_set_boolean (value, fuzz_bytes_u8 (bytes) & 1);
  } else if (G_IS_PARAM_SPEC_DOUBLE (pspec)) {
    const GParamSpecDouble *spec = G_PARAM_SPEC_DOUBLE (pspec);

    g_value_set_double (value,
        pick_double (bytes, spec->minimum, spec->maximum));
  } else if (G_IS_PARAM_SPEC_STRING (pspec)) {
    g_value_set_static_string (value,
        texts[fuzz_bytes_below (bytes, G_N_ELEMENTS (texts))]);
  } else {
    return FALSE;
  }

  return TRUE;
}

/* Returns the next property at or after @place on a ring of 65536 places; the
 * place of a property depends on its name only. */
static GParamSpec *
find_property (GstElement *element, guint16 place)
{
  g_autofree GParamSpec **pspecs = NULL;
  GParamSpec *nearest = NULL;
  guint16 distance = 0;
  guint n;

  pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (guint i = 0; i < n; i++) {
    const guint16 own = (guint16) (g_str_hash (pspecs[i]->name) % 65521);
    const guint16 away = (guint16) (own - place);

    if (is_ours (pspecs[i]) && !is_choice (pspecs[i]) &&
        (!nearest || away < distance)) {
      nearest = pspecs[i];
      distance = away;
    }
  }

  return nearest;
}

void
fuzz_properties_set_one (GstElement *element, FuzzBytes *bytes)
{
  GParamSpec *pspec = find_property (element, fuzz_bytes_u16 (bytes));
  GValue value = G_VALUE_INIT;

  if (!pspec)
    return;

  g_value_init (&value, pspec->value_type);
  if (pick_value (pspec, bytes, &value))
    g_object_set_property (G_OBJECT (element), pspec->name, &value);
  g_value_unset (&value);
}

void
fuzz_properties_get_all (GstElement *element)
{
  g_autofree GParamSpec **pspecs = NULL;
  guint n;

  pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;

    if (!(pspecs[i]->flags & G_PARAM_READABLE))
      continue;

    g_value_init (&value, pspecs[i]->value_type);
    g_object_get_property (G_OBJECT (element), pspecs[i]->name, &value);
    if (!G_VALUE_HOLDS_BOXED (&value) || g_value_get_boxed (&value))
      g_free (g_strdup_value_contents (&value));
    g_value_unset (&value);
  }
}

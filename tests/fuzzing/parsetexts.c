/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of users, and structures. */

#include "parsers.h"

#include <string.h>

#include "cl/device/gstcldevice.h"
#include "output/gstclline.h"

/* --- devices ------------------------------------------------------------- */

void
fuzz_parse_device_choice (FuzzBytes *bytes)
{
  static GstClDevice described[] = {
    { .id = (cl_device_id) 1,
        .name = (gchar *) "GeForce",
        .platform_name = (gchar *) "CUDA",
        .platform_version = (gchar *) "OpenCL 3.0",
        .driver_version = (gchar *) "1",
        .uuid = (gchar *) "00112233445566778899aabbccddeeff",
        .type = CL_DEVICE_TYPE_GPU },
    { .id = (cl_device_id) 2,
        .platform_index = 1,
        .name = (gchar *) "pthread",
        .platform_name = (gchar *) "PoCL",
        .platform_version = (gchar *) "OpenCL 2.0",
        .driver_version = (gchar *) "3",
        .type = CL_DEVICE_TYPE_CPU },
    { .platform_index = 2,
        .name = (gchar *) "none",
        .platform_name = (gchar *) "Clover",
        .platform_version = (gchar *) "OpenCL 1.1",
        .driver_version = (gchar *) "2",
        .unusable = (gchar *) "lists no device" },
  };
  static const gchar *const words[] = { "gpu", "cpu", "auto", "accelerator",
    "0.0", "1.0", "2.0", "GPU-", "00112233-4455-6677-8899-aabbccddeeff", "." };
  g_autoptr (GPtrArray) devices = g_ptr_array_new ();
  g_autoptr (GPtrArray) chosen = NULL;
  g_autofree gchar *tail = NULL;
  g_autofree gchar *wanted = NULL;
  g_autoptr (GError) error = NULL;
  const guint word = fuzz_bytes_below (bytes, G_N_ELEMENTS (words) + 1);
  const guint n_devices = fuzz_bytes_below (bytes,
      G_N_ELEMENTS (described) + 1);

  for (guint i = 0; i < n_devices; i++) {
    GstClDevice *device = g_rc_box_dup (sizeof *device, &described[i]);

    g_ptr_array_add (devices, device);
  }
  tail = fuzz_bytes_text (bytes, 40);
  wanted = g_strconcat (word < G_N_ELEMENTS (words) ? words[word] : "", tail,
      NULL);

  chosen = gst_cl_device_choose_all (devices, wanted, &error);
  g_assert_true ((chosen != NULL) == (error == NULL));
  g_assert_true (!chosen || chosen->len > 0);

  g_clear_pointer (&chosen, g_ptr_array_unref);
  for (guint i = 0; i < n_devices; i++)
    g_rc_box_release (g_ptr_array_index (devices, i));
}

/* --- structures ---------------------------------------------------------- */

/* Returns the type of the items of the innermost array; 0: it is empty. */
static GType
innermost_type (const GValue *value)
{
  while (GST_VALUE_HOLDS_ARRAY (value)) {
    if (gst_value_array_get_size (value) == 0)
      return 0;
    value = gst_value_array_get_value (value, 0);
  }

  return G_VALUE_TYPE (value);
}

/* GStreamer does not support items of another type than the first: they are
 * dropped. */
static void
append_item (GValue *array, GValue *item)
{
  const GValue *first = gst_value_array_get_size (array) > 0
                            ? gst_value_array_get_value (array, 0)
                            : NULL;

  if (!first || (G_VALUE_TYPE (first) == G_VALUE_TYPE (item) &&
                    innermost_type (first) == innermost_type (item)))
    gst_value_array_append_and_take_value (array, item);
  else
    g_value_unset (item);
}

/* Sets @value, which has no type yet. */
static void
pick_value (FuzzBytes *bytes, GValue *value, guint depth)
{
  g_autofree gchar *text = NULL;

  switch (fuzz_bytes_below (bytes, depth > 0 ? 7 : 6)) {
    case 0:
      g_value_init (value, G_TYPE_INT);
      g_value_set_int (value, (gint) fuzz_bytes_u32 (bytes));
      break;
    case 1:
      g_value_init (value, G_TYPE_UINT);
      g_value_set_uint (value, fuzz_bytes_u32 (bytes));
      break;
    case 2:
      g_value_init (value, G_TYPE_UINT64);
      g_value_set_uint64 (value, fuzz_bytes_u64 (bytes));
      break;
    case 3:
      g_value_init (value, G_TYPE_DOUBLE);
      g_value_set_double (value, fuzz_bytes_u8 (bytes) / 0.);
      break;
    case 4:
      text = fuzz_bytes_text (bytes, 8);
      g_value_init (value, G_TYPE_STRING);
      g_value_take_string (value, g_utf8_make_valid (text, -1));
      break;
    case 5:
      g_value_init (value, GST_TYPE_FRACTION);
      gst_value_set_fraction (value, fuzz_bytes_u8 (bytes), 7);
      break;
    default:
      gst_value_array_init (value, 0);
      for (guint n = fuzz_bytes_below (bytes, 6); n > 0; n--) {
        GValue item = G_VALUE_INIT;

        pick_value (bytes, &item, depth - 1);
        append_item (value, &item);
      }
      break;
  }
}

/* Changes an array in one place: an item, its end, or the type of an item. */
static void
change_array (FuzzBytes *bytes, const GValue *array, GValue *changed)
{
  const guint n = gst_value_array_get_size (array);
  const guint place = fuzz_bytes_below (bytes, MIN (n, 254) + 1);
  const gboolean is_cut = fuzz_bytes_chance (bytes, 64);

  gst_value_array_init (changed, n);
  for (guint i = 0; i < (is_cut ? place : n); i++) {
    const GValue *item = gst_value_array_get_value (array, i);
    GValue put = G_VALUE_INIT;

    if (i != place) {
      g_value_init (&put, G_VALUE_TYPE (item));
      g_value_copy (item, &put);
    } else if (GST_VALUE_HOLDS_ARRAY (item)) {
      change_array (bytes, item, &put);
    } else {
      pick_value (bytes, &put, 2);
    }
    append_item (changed, &put);
  }
}

/* Up to seven fields are removed, replaced, or changed in one place. */
static void
change_fields (FuzzBytes *bytes, GstStructure *structure)
{
  for (guint n = fuzz_bytes_below (bytes, 8); n > 0; n--) {
    const guint n_fields = (guint) gst_structure_n_fields (structure);
    g_autofree gchar *name = NULL;
    const GValue *value;
    GValue changed = G_VALUE_INIT;
    guint change;

    if (n_fields == 0)
      return;

    name = g_strdup (gst_structure_nth_field_name (structure,
        fuzz_bytes_below (bytes, n_fields)));
    value = gst_structure_get_value (structure, name);
    change = fuzz_bytes_below (bytes, 4);
    if (change == 0) {
      gst_structure_remove_field (structure, name);
      continue;
    }
    if (change > 1 && GST_VALUE_HOLDS_ARRAY (value))
      change_array (bytes, value, &changed);
    else
      pick_value (bytes, &changed, 2);
    gst_structure_take_value (structure, name, &changed);
  }
}

/* A line of JSON is one line, and valid UTF-8. */
void
fuzz_parse_record (FuzzBytes *bytes)
{
  static const gchar text[] =
      "clframesum, timestamp=(guint64)40000000, components=(string)< Y, U, V >,"
      " sum=(guint64)< 1, 2, 3 >, mean=(double)< 0.5, nan, inf >, "
      "histogram=(guint)< < 1, 2 >, < 3 > >, flat=(boolean)true, "
      "name=(string)\"a \\\"b\\\", c\", ratio=(fraction)1/2, n=(int)-1, e=< >;";
  g_autoptr (GstStructure) whole = gst_structure_from_string (text, NULL);
  g_autoptr (GstStructure) structure = gst_structure_copy (whole);
  g_autoptr (GString) line = g_string_new (NULL);
  GstClCsv *csv = gst_cl_csv_new ();

  change_fields (bytes, structure);
  /* the plugin defines the names of the columns */
  gst_structure_set_value (structure, "components",
      gst_structure_get_value (whole, "components"));
  gst_cl_json_append_line (line, "frame", TRUE, structure, TRUE);
  g_assert_true (g_utf8_validate (line->str, (gssize) line->len, NULL));
  g_assert_true (strchr (line->str, '\n') == line->str + line->len - 1);
  gst_cl_csv_append_row (csv, line, structure, TRUE);
  gst_cl_csv_append_row (csv, line, structure, TRUE);
  gst_cl_csv_free (csv);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties from the rows of a table. */

#include "gstclproperty.h"

/* Returns "Peak hold" for "peak-hold"; interned. */
static const gchar *
get_nick (const gchar *name)
{
  g_autofree gchar *nick = g_strdelimit (g_strdup (name), "-", ' ');

  nick[0] = g_ascii_toupper (nick[0]);

  return g_intern_string (nick);
}

GParamSpec *
gst_cl_property_spec (const GstClProperty *row)
{
  const gchar *nick = get_nick (row->name);
  const GParamFlags flags = row->flags | G_PARAM_READWRITE |
                            G_PARAM_STATIC_STRINGS;

  switch (row->type) {
    case GST_CL_PROPERTY_BOOLEAN:
      return g_param_spec_boolean (row->name, nick, row->blurb,
          row->values.boolean, flags);
    case GST_CL_PROPERTY_INT:
      return g_param_spec_int (row->name, nick, row->blurb,
          row->values.i.minimum, row->values.i.maximum, row->values.i.initial,
          flags);
    case GST_CL_PROPERTY_UINT:
      return g_param_spec_uint (row->name, nick, row->blurb,
          row->values.u.minimum, row->values.u.maximum, row->values.u.initial,
          flags);
    case GST_CL_PROPERTY_UINT64:
      return g_param_spec_uint64 (row->name, nick, row->blurb,
          row->values.u64.minimum, row->values.u64.maximum,
          row->values.u64.initial, flags);
    case GST_CL_PROPERTY_DOUBLE:
      return g_param_spec_double (row->name, nick, row->blurb,
          row->values.d.minimum, row->values.d.maximum, row->values.d.initial,
          flags);
    case GST_CL_PROPERTY_ENUM:
      return g_param_spec_enum (row->name, nick, row->blurb,
          gst_cl_enum_get_type (row->values.e.type), row->values.e.initial,
          flags);
    case GST_CL_PROPERTY_FLAGS:
      return g_param_spec_flags (row->name, nick, row->blurb,
          gst_cl_enum_get_type (row->values.e.type), row->values.e.initial,
          flags);
    case GST_CL_PROPERTY_STRING:
      return g_param_spec_string (row->name, nick, row->blurb,
          row->values.s.initial, flags);
  }

  g_return_val_if_reached (NULL);
}

void
gst_cl_property_install (const GstClProperty *rows, guint n_rows,
    GObjectClass *klass, guint first_id)
{
  for (guint i = 0; i < n_rows; i++)
    g_object_class_install_property (klass, first_id + i,
        gst_cl_property_spec (&rows[i]));
}

void
gst_cl_property_init_fields (const GstClProperty *rows, guint n_rows,
    gpointer settings)
{
  for (guint i = 0; i < n_rows; i++) {
    g_autoptr (GParamSpec)
        spec = g_param_spec_ref_sink (gst_cl_property_spec (&rows[i]));
    const GValue *initial = g_param_spec_get_default_value (spec);

    gst_cl_property_set (&rows[i], settings, initial);
  }
}

void
gst_cl_property_get (const GstClProperty *row, gconstpointer settings,
    GValue *value)
{
  gconstpointer field = G_STRUCT_MEMBER_P (settings, row->offset);

  switch (row->type) {
    case GST_CL_PROPERTY_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) field);
      break;
    case GST_CL_PROPERTY_INT:
      g_value_set_int (value, *(const gint *) field);
      break;
    case GST_CL_PROPERTY_UINT:
      g_value_set_uint (value, *(const guint *) field);
      break;
    case GST_CL_PROPERTY_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) field);
      break;
    case GST_CL_PROPERTY_DOUBLE:
      g_value_set_double (value, *(const gdouble *) field);
      break;
    case GST_CL_PROPERTY_ENUM:
      g_value_set_enum (value, *(const gint *) field);
      break;
    case GST_CL_PROPERTY_FLAGS:
      g_value_set_flags (value, *(const guint *) field);
      break;
    case GST_CL_PROPERTY_STRING:
      g_value_set_static_string (value, *(const gchar *const *) field);
      break;
  }
}

/* Sets the field of type @type to @new, and is_same to whether its value is
 * unchanged. */
#define SET(type, new)                                                         \
  G_STMT_START                                                                 \
  {                                                                            \
    type *field = G_STRUCT_MEMBER_P (settings, row->offset);                   \
    type const value_now = new;                                                \
                                                                               \
    is_same = *field == value_now;                                             \
    *field = value_now;                                                        \
  }                                                                            \
  G_STMT_END

GstClChange
gst_cl_property_set (const GstClProperty *row, gpointer settings,
    const GValue *value)
{
  gboolean is_same = FALSE;

  switch (row->type) {
    case GST_CL_PROPERTY_BOOLEAN:
      SET (gboolean, g_value_get_boolean (value));
      break;
    case GST_CL_PROPERTY_INT:
      SET (gint, g_value_get_int (value));
      break;
    case GST_CL_PROPERTY_UINT:
      SET (guint, g_value_get_uint (value));
      break;
    case GST_CL_PROPERTY_UINT64:
      SET (guint64, g_value_get_uint64 (value));
      break;
    case GST_CL_PROPERTY_DOUBLE:
      SET (gdouble, g_value_get_double (value));
      break;
    case GST_CL_PROPERTY_ENUM:
      SET (gint, g_value_get_enum (value));
      break;
    case GST_CL_PROPERTY_FLAGS:
      SET (guint, g_value_get_flags (value));
      break;
    case GST_CL_PROPERTY_STRING:
      SET (const gchar *, g_intern_string (g_value_get_string (value)));
      break;
  }

  return is_same ? GST_CL_CHANGE_NONE : row->change;
}

gboolean
gst_cl_property_is_equal (const GstClProperty *row, gconstpointer a,
    gconstpointer b)
{
  switch (row->type) {
    case GST_CL_PROPERTY_UINT64:
      return G_STRUCT_MEMBER (guint64, a, row->offset) ==
             G_STRUCT_MEMBER (guint64, b, row->offset);
    case GST_CL_PROPERTY_DOUBLE:
      return G_STRUCT_MEMBER (gdouble, a, row->offset) ==
             G_STRUCT_MEMBER (gdouble, b, row->offset);
    case GST_CL_PROPERTY_STRING:
      return G_STRUCT_MEMBER (const gchar *, a, row->offset) ==
             G_STRUCT_MEMBER (const gchar *, b, row->offset);
    default: /* all other fields have the size of a gint */
      return G_STRUCT_MEMBER (gint, a, row->offset) ==
             G_STRUCT_MEMBER (gint, b, row->offset);
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of the parameters of a user's kernels: text and GValues to numbers,
 * and numbers to source text. */

#include "parameter.h"

#include <math.h>
#include <string.h>

const gchar *
gst_cl_number_name (GstClNumber number)
{
  static const gchar *const names[] = { "int", "uint", "float" };

  return names[number];
}

void
gst_cl_parameter_value_clear (GstClParameterValue *value)
{
  g_clear_pointer (&value->numbers, g_free);
  value->n = 0;
}

/* --- what a parameter takes ----------------------------------------------- */

gboolean
gst_cl_parameter_is_array (const GstClParameter *parameter)
{
  return parameter->kind == GST_CL_PARAMETER_ARRAY ||
         parameter->kind == GST_CL_PARAMETER_FILE;
}

static void
append_limit (GString *text, const GstClParameter *parameter, gdouble limit)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text,
      parameter->number == GST_CL_NUMBER_FLOAT
          ? g_ascii_formatd (digits, sizeof digits, "%g", limit)
          : g_ascii_formatd (digits, sizeof digits, "%.0f", limit));
}

/* Returns TRUE if the range is narrower than that of the type. */
static gboolean
has_range (const GstClParameter *parameter)
{
  switch (parameter->number) {
    case GST_CL_NUMBER_INT:
      return parameter->minimum > G_MININT32 || parameter->maximum < G_MAXINT32;
    case GST_CL_NUMBER_UINT:
      return parameter->minimum > 0 || parameter->maximum < G_MAXUINT32;
    default:
      return parameter->minimum > -G_MAXFLOAT ||
             parameter->maximum < G_MAXFLOAT;
  }
}

gchar *
gst_cl_parameter_describe (const GstClParameter *parameter)
{
  GString *text = g_string_new (NULL);
  const gchar *name = gst_cl_number_name (parameter->number);

  switch (parameter->kind) {
    case GST_CL_PARAMETER_BOOL:
      g_string_append (text, "true or false");
      break;
    case GST_CL_PARAMETER_ENUM: {
      g_autofree gchar *names = g_strjoinv (", ", parameter->names);

      g_string_append_printf (text, "one of %s", names);
      break;
    }
    case GST_CL_PARAMETER_FILE:
      g_string_append_printf (text, "the path of a file of numbers (%s)", name);
      break;
    case GST_CL_PARAMETER_ARRAY:
      g_string_append_printf (text, "numbers (%s)", name);
      break;
    case GST_CL_PARAMETER_NUMBERS:
      g_string_append (text, name);
      break;
  }
  if (parameter->n > 1)
    g_string_append_printf (text, ", %u numbers", parameter->n);
  if (parameter->kind != GST_CL_PARAMETER_BOOL &&
      parameter->kind != GST_CL_PARAMETER_ENUM && has_range (parameter)) {
    g_string_append (text, ", ");
    append_limit (text, parameter, parameter->minimum);
    g_string_append (text, " to ");
    append_limit (text, parameter, parameter->maximum);
  }

  return g_string_free (text, FALSE);
}

/* Returns FALSE with @error: what @parameter takes, and that @given is not. */
static gboolean
refuse (const GstClParameter *parameter, const gchar *given, GError **error)
{
  g_autofree gchar *takes = gst_cl_parameter_describe (parameter);
  g_autofree gchar *text = g_utf8_make_valid (given, -1);
  const glong n = MIN (60, g_utf8_strlen (text, -1));

  *g_utf8_offset_to_pointer (text, n) = '\0';
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "Parameter %s takes %s, not \"%s\".", parameter->name, takes, text);

  return FALSE;
}

/* --- numbers -------------------------------------------------------------- */

gboolean
gst_cl_parameter_contains (const GstClParameter *parameter, gdouble number)
{
  return number >= parameter->minimum && number <= parameter->maximum &&
         (parameter->number == GST_CL_NUMBER_FLOAT || number == floor (number));
}

/* Returns TRUE if each of @numbers is of the type and within the range. */
static gboolean
check_numbers (const GstClParameter *parameter, const GArray *numbers)
{
  if (parameter->n > 0 ? numbers->len != parameter->n : numbers->len == 0)
    return FALSE;

  for (guint i = 0; i < numbers->len; i++) {
    if (!gst_cl_parameter_contains (parameter,
            g_array_index (numbers, gdouble, i)))
      return FALSE;
  }

  return TRUE;
}

/* Moves @numbers to @value; refuses wrong ones, @given as text. */
static gboolean
take_numbers (const GstClParameter *parameter, GArray *numbers,
    const gchar *given, GstClParameterValue *value, GError **error)
{
  if (!check_numbers (parameter, numbers))
    return refuse (parameter, given, error);

  gst_cl_parameter_value_clear (value);
  value->n = numbers->len;
  value->numbers = g_memdup2 (numbers->data, numbers->len * sizeof (gdouble));

  return TRUE;
}

static gboolean
take_number (const GstClParameter *parameter, gdouble number,
    const gchar *given, GstClParameterValue *value, GError **error)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof number);

  g_array_append_val (numbers, number);

  return take_numbers (parameter, numbers, given, value, error);
}

/* Appends the numbers of @text, between spaces and commas. FALSE if it has
 * anything else. */
static gboolean
scan_numbers (const gchar *text, GArray *numbers)
{
  const gchar *at = text;

  while (TRUE) {
    gdouble number;
    gchar *end;

    at += strspn (at, " \t\r\n,");
    if (!*at)
      return TRUE;
    number = g_ascii_strtod (at, &end);
    if (end == at || !isfinite (number) ||
        numbers->len == GST_CL_PARAMETER_MAX_NUMBERS)
      return FALSE;
    if (*end == 'f' || *end == 'u') /* as in source text */
      end++;
    if (*end && !strchr (" \t\r\n,", *end))
      return FALSE;
    g_array_append_val (numbers, number);
    at = end;
  }
}

/* Appends the numbers of the lines of @text that begin with a number: the words
 * of a .cube file are left out. */
static gboolean
scan_file (const gchar *text, GArray *numbers)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i]; i++) {
    const gchar *line = g_strchug (lines[i]);

    if ((g_ascii_isdigit (*line) || (*line && strchr ("+-.", *line))) &&
        !scan_numbers (line, numbers))
      return FALSE;
  }

  return TRUE;
}

/* --- text ----------------------------------------------------------------- */

static gboolean
parse_name (const GstClParameter *parameter, const gchar *text,
    GstClParameterValue *value, GError **error)
{
  for (guint i = 0; parameter->names[i]; i++) {
    if (g_ascii_strcasecmp (parameter->names[i], text) == 0)
      return take_number (parameter, i, text, value, error);
  }

  return refuse (parameter, text, error);
}

static gboolean
parse_bool (const GstClParameter *parameter, const gchar *text,
    GstClParameterValue *value, GError **error)
{
  static const gchar *const words[] = { "false", "true", "no", "yes", "0",
    "1" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    if (g_ascii_strcasecmp (words[i], text) == 0)
      return take_number (parameter, i % 2, text, value, error);
  }

  return refuse (parameter, text, error);
}

static gboolean
load_numbers (const GstClParameter *parameter, const gchar *location,
    const gchar *folder, GstClParameterValue *value, GError **error)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (gdouble));
  g_autofree gchar *path = g_canonicalize_filename (location, folder);
  g_autofree gchar *text = NULL;

  if (!*location)
    return refuse (parameter, location, error);
  if (!g_file_get_contents (path, &text, NULL, error)) {
    g_prefix_error (error, "Parameter %s: ", parameter->name);
    return FALSE;
  }

  return scan_file (text, numbers)
             ? take_numbers (parameter, numbers, location, value, error)
             : refuse (parameter, location, error);
}

gboolean
gst_cl_parameter_parse (const GstClParameter *parameter, const gchar *text,
    const gchar *folder, GstClParameterValue *value, GError **error)
{
  g_autoptr (GArray) numbers = NULL;

  switch (parameter->kind) {
    case GST_CL_PARAMETER_BOOL:
      return parse_bool (parameter, text, value, error);
    case GST_CL_PARAMETER_ENUM:
      return parse_name (parameter, text, value, error);
    case GST_CL_PARAMETER_FILE:
      return load_numbers (parameter, text, folder, value, error);
    default:
      break;
  }

  numbers = g_array_new (FALSE, FALSE, sizeof (gdouble));

  return scan_numbers (text, numbers)
             ? take_numbers (parameter, numbers, text, value, error)
             : refuse (parameter, text, error);
}

/* --- GValues -------------------------------------------------------------- */

/* Returns FALSE if @gvalue is not a number. */
static gboolean
get_number (const GValue *gvalue, gdouble *number)
{
  GValue copy = G_VALUE_INIT;
  gboolean is_number;

  if (G_VALUE_HOLDS_STRING (gvalue) || G_VALUE_HOLDS_BOOLEAN (gvalue) ||
      !g_value_type_transformable (G_VALUE_TYPE (gvalue), G_TYPE_DOUBLE))
    return FALSE;

  g_value_init (&copy, G_TYPE_DOUBLE);
  is_number = g_value_transform (gvalue, &copy);
  *number = g_value_get_double (&copy);
  g_value_unset (&copy);

  return is_number;
}

/* Appends the numbers of an array or a list. FALSE if @gvalue is neither. */
static gboolean
get_numbers (const GValue *gvalue, GArray *numbers)
{
  const gboolean is_array = GST_VALUE_HOLDS_ARRAY (gvalue);
  guint n;

  if (!is_array && !GST_VALUE_HOLDS_LIST (gvalue))
    return FALSE;

  n = is_array ? gst_value_array_get_size (gvalue)
               : gst_value_list_get_size (gvalue);
  for (guint i = 0; i < n; i++) {
    gdouble number;

    if (!get_number (is_array ? gst_value_array_get_value (gvalue, i)
                              : gst_value_list_get_value (gvalue, i),
            &number))
      return FALSE;
    g_array_append_val (numbers, number);
  }

  return TRUE;
}

gboolean
gst_cl_parameter_convert (const GstClParameter *parameter, const GValue *gvalue,
    const gchar *folder, GstClParameterValue *value, GError **error)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (gdouble));
  g_autofree gchar *given = NULL;
  gdouble number;

  if (G_VALUE_HOLDS_STRING (gvalue) && g_value_get_string (gvalue))
    return gst_cl_parameter_parse (parameter, g_value_get_string (gvalue),
        folder, value, error);

  given = gst_value_serialize (gvalue);
  if (G_VALUE_HOLDS_BOOLEAN (gvalue))
    return parameter->kind == GST_CL_PARAMETER_BOOL
               ? take_number (parameter, g_value_get_boolean (gvalue), given,
                     value, error)
               : refuse (parameter, given, error);
  if (get_number (gvalue, &number))
    g_array_append_val (numbers, number);
  else if (!get_numbers (gvalue, numbers))
    return refuse (parameter, given ? given : G_VALUE_TYPE_NAME (gvalue),
        error);
  if (parameter->kind == GST_CL_PARAMETER_FILE)
    return refuse (parameter, given, error);

  return take_numbers (parameter, numbers, given ? given : "", value, error);
}

/* --- source text ---------------------------------------------------------- */

static void
append_literal (GString *text, GstClNumber type, gdouble number)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  switch (type) {
    case GST_CL_NUMBER_INT:
      /* -2147483648 is not a literal of type int */
      if (number == G_MININT32)
        g_string_append (text, "(-2147483647 - 1)");
      else
        g_string_append_printf (text, number < 0 ? "(%d)" : "%d",
            (gint) number);
      break;
    case GST_CL_NUMBER_UINT:
      g_string_append_printf (text, "%uu", (guint) number);
      break;
    case GST_CL_NUMBER_FLOAT:
      g_ascii_formatd (digits, sizeof digits, "%.9e", number);
      g_string_append_printf (text, number < 0 ? "(%sf)" : "%sf", digits);
      break;
  }
}

gchar *
gst_cl_parameter_literal (const GstClParameter *parameter,
    const GstClParameterValue *value)
{
  const gchar *type = gst_cl_number_name (parameter->number);
  GString *text = g_string_new (NULL);

  if (gst_cl_parameter_is_array (parameter))
    g_string_append (text, "{ ");
  else if (value->n > 1)
    g_string_append_printf (text, "((%s%u) (", type, value->n);
  else if (!parameter->is_define)
    g_string_append_printf (text, "((%s) ", type);
  for (guint i = 0; i < value->n; i++) {
    g_string_append (text, i > 0 ? ", " : "");
    append_literal (text, parameter->number, value->numbers[i]);
  }
  if (gst_cl_parameter_is_array (parameter))
    g_string_append (text, " }");
  else
    g_string_append (text, value->n > 1            ? "))"
                           : !parameter->is_define ? ")"
                                                   : "");

  return g_string_free (text, FALSE);
}

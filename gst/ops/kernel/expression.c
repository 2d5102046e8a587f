/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Expressions of whole numbers: sizes of outputs and of launches. */

#include "expression.h"

#include <string.h>

#include <gst/gst.h>

#define MAX_DEPTH 50 /* of parentheses and signs */

typedef struct {
  const gchar *text, *at;
  const GstClVariable *variables;
  guint n_variables;
  guint depth;
  GError **error;
} Parser;

static gboolean sum (Parser *self, gint64 *value);

G_GNUC_PRINTF (2, 3)
static gboolean
refuse (Parser *self, const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *text = g_utf8_make_valid (self->text, -1);
  g_autofree gchar *what = NULL;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (self->error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "Expression \"%s\": %s.", text, what);

  return FALSE;
}

/* Refuses the character at @self->at. */
static gboolean
refuse_character (Parser *self)
{
  g_autofree gchar *rest = g_utf8_make_valid (self->at, -1);

  *g_utf8_next_char (rest) = '\0';

  return refuse (self, "unexpected \"%s\"", rest);
}

static gchar
next (Parser *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;

  return *self->at;
}

static gboolean
variable (Parser *self, gint64 *value)
{
  const gchar *start = self->at;
  g_autofree gchar *name = NULL;

  while (g_ascii_isalnum (*self->at) || *self->at == '_')
    self->at++;
  name = g_strndup (start, (gsize) (self->at - start));
  for (guint i = 0; i < self->n_variables; i++) {
    if (g_str_equal (self->variables[i].name, name)) {
      *value = self->variables[i].value;
      return TRUE;
    }
  }

  return refuse (self, "\"%s\" is unknown here", name);
}

static gboolean
enter (Parser *self)
{
  return ++self->depth <= MAX_DEPTH || refuse (self, "it is too deep");
}

static gboolean
factor (Parser *self, gint64 *value)
{
  const gchar first = next (self);

  if (g_ascii_isdigit (first)) {
    gchar *end;

    *value = g_ascii_strtoll (self->at, &end, 10);
    self->at = end;
    return *value <= G_MAXINT32 || refuse (self, "a number is too large");
  }
  if (g_ascii_isalpha (first))
    return variable (self, value);
  if (first != '-' && first != '(')
    return first ? refuse_character (self) : refuse (self, "it ends too early");

  self->at++;
  if (!enter (self))
    return FALSE;
  if (first == '-') {
    if (!factor (self, value))
      return FALSE;
    *value = -*value;
  } else {
    if (!sum (self, value))
      return FALSE;
    if (next (self) != ')')
      return refuse (self, "\")\" is missing");
    self->at++;
  }
  self->depth--;

  return TRUE;
}

static gboolean
check_range (Parser *self, gint64 value)
{
  return ABS (value) <= G_MAXINT32 ||
         refuse (self, "a result does not fit in 32 bits");
}

static gboolean
product (Parser *self, gint64 *value)
{
  gint64 other;

  if (!factor (self, value))
    return FALSE;
  while (next (self) == '*' || *self->at == '/') {
    const gchar sign = *self->at++;

    if (!factor (self, &other))
      return FALSE;
    if (sign == '/' && other == 0)
      return refuse (self, "a division by zero");
    *value = sign == '*' ? *value * other : *value / other;
    if (!check_range (self, *value))
      return FALSE;
  }

  return TRUE;
}

static gboolean
sum (Parser *self, gint64 *value)
{
  gint64 other;

  if (!product (self, value))
    return FALSE;
  while (next (self) == '+' || *self->at == '-') {
    const gchar sign = *self->at++;

    if (!product (self, &other))
      return FALSE;
    *value = sign == '+' ? *value + other : *value - other;
    if (!check_range (self, *value))
      return FALSE;
  }

  return TRUE;
}

gboolean
gst_cl_expression_evaluate (const gchar *text, const GstClVariable *variables,
    guint n_variables, gint64 *value, GError **error)
{
  Parser self = { text, text, variables, n_variables, 0, error };

  if (!sum (&self, value))
    return FALSE;

  return next (&self) == '\0' || refuse_character (&self);
}

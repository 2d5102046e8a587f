/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A reader for lines of JSON (RFC 8259). */

#include "json.h"

#include <string.h>

static void
skip_space (const gchar **at)
{
  while (**at == ' ' || **at == '\t' || **at == '\n' || **at == '\r')
    (*at)++;
}

gboolean
json_read_character (const gchar **at, gchar c)
{
  skip_space (at);
  if (**at != c)
    return FALSE;
  (*at)++;

  return TRUE;
}

gboolean
json_read_string (const gchar **at, const gchar **text, gsize *length)
{
  if (!json_read_character (at, '"'))
    return FALSE;

  *text = *at;
  while (**at != '"') {
    if (**at == '\\')
      (*at)++;
    if (**at == '\0')
      return FALSE;
    (*at)++;
  }
  *length = *at - *text;
  (*at)++;

  return TRUE;
}

gboolean
json_is_name (const gchar *name, const gchar *text, gsize length)
{
  return strncmp (name, text, length) == 0 && name[length] == '\0';
}

gboolean
json_read_uint64 (const gchar **at, guint64 *n)
{
  const gchar *first;
  guint64 value = 0;

  skip_space (at);
  first = *at;
  while (g_ascii_isdigit (**at)) {
    const guint digit = **at - '0';

    if (value > (G_MAXUINT64 - digit) / 10)
      return FALSE;
    value = value * 10 + digit;
    (*at)++;
  }
  *n = value;

  return *at > first && (*first != '0' || *at == first + 1) && **at != '.' &&
         **at != 'e' && **at != 'E';
}

/* Moves *@at behind digits. FALSE: there is none. */
static gboolean
skip_digits (const gchar **at)
{
  const gchar *first = *at;

  while (g_ascii_isdigit (**at))
    (*at)++;

  return *at > first;
}

/* Moves *@at behind a number of JSON: g_ascii_strtod() accepts others, too. */
static gboolean
skip_number (const gchar **at)
{
  const gchar *first;

  if (**at == '-')
    (*at)++;
  first = *at;
  if (!skip_digits (at) || (*first == '0' && *at > first + 1))
    return FALSE;
  if (**at == '.') {
    (*at)++;
    if (!skip_digits (at))
      return FALSE;
  }
  if (**at != 'e' && **at != 'E')
    return TRUE;
  (*at)++;
  if (**at == '+' || **at == '-')
    (*at)++;

  return skip_digits (at);
}

gboolean
json_read_double (const gchar **at, gdouble least, gdouble greatest, gdouble *x)
{
  const gchar *first;

  skip_space (at);
  first = *at;
  if (!skip_number (at))
    return FALSE;
  *x = g_ascii_strtod (first, NULL);

  return *x >= least && *x <= greatest;
}

gboolean
json_read_word (const gchar **at, const gchar *word)
{
  const gsize length = strlen (word);

  skip_space (at);
  if (strncmp (*at, word, length) != 0)
    return FALSE;
  *at += length;

  return TRUE;
}

/* Reads what is between brackets, and the closing one. */
static gboolean
skip_nested (const gchar **at)
{
  guint depth = 0;

  do {
    const gchar *text;
    gsize length;

    switch (**at) {
      case '\0':
        return FALSE;
      case '"':
        if (!json_read_string (at, &text, &length))
          return FALSE;
        continue;
      case '[':
      case '{':
        depth++;
        break;
      case ']':
      case '}':
        depth--;
        break;
      default:
        break;
    }
    (*at)++;
  } while (depth > 0);

  return TRUE;
}

gboolean
json_skip_value (const gchar **at)
{
  const gchar *text;
  gsize length;

  skip_space (at);
  if (**at == '"')
    return json_read_string (at, &text, &length);
  if (**at == '[' || **at == '{')
    return skip_nested (at);

  /* a number, or a word */
  text = *at;
  *at += strspn (text, "+-.0123456789aeflnrstuE");

  return *at > text;
}

gboolean
json_read_next (const gchar **at, gchar close, guint n, gboolean *is_right)
{
  *is_right = TRUE;
  if (json_read_character (at, close))
    return FALSE;

  *is_right = n == 0 || json_read_character (at, ',');

  return *is_right;
}

/* --- tables --------------------------------------------------------------- */

#define UNKNOWN G_MAXUINT

typedef struct {
  guint n_levels;
  GArray *numbers;
  guint *sizes; /* UNKNOWN before the first array of a level */
} Table;

static gboolean
append_number (const gchar **at, GArray *numbers)
{
  guint64 number;
  guint32 small;

  if (!json_read_uint64 (at, &number))
    return FALSE;
  if (g_array_get_element_size (numbers) == sizeof number) {
    g_array_append_val (numbers, number);
    return TRUE;
  }
  small = number;
  g_array_append_val (numbers, small);

  return number <= G_MAXUINT32;
}

/* Reads an array of @level. */
static gboolean
read_level (const gchar **at, guint level, Table *table)
{
  gboolean is_right = FALSE;
  guint n = 0;

  if (!json_read_character (at, '['))
    return FALSE;
  for (; json_read_next (at, ']', n, &is_right); n++) {
    if (level + 1 < table->n_levels ? !read_level (at, level + 1, table)
                                    : !append_number (at, table->numbers))
      return FALSE;
  }
  if (table->sizes[level] == UNKNOWN)
    table->sizes[level] = n;

  return is_right && table->sizes[level] == n;
}

gboolean
json_read_table (const gchar **at, guint n_levels, GArray *numbers,
    guint *sizes)
{
  Table table = { .n_levels = n_levels, .numbers = numbers, .sizes = sizes };

  g_array_set_size (numbers, 0);
  for (guint i = 0; i < n_levels; i++)
    sizes[i] = UNKNOWN;
  if (!read_level (at, 0, &table))
    return FALSE;
  for (guint i = 0; i < n_levels; i++)
    sizes[i] = sizes[i] == UNKNOWN ? 0 : sizes[i];

  return TRUE;
}

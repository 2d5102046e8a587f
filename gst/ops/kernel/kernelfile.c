/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a user's kernel file: its head, and the parameters of its kernels. */

#include "kernelfile.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ATTRIBUTE                                                              \
  "__"                                                                         \
  "attribute__"         /* of OpenCL C */
#define MAX_PREVIOUS 16 /* frames that a pool keeps longer */

static void
clear_parameter (gpointer data)
{
  GstClParameter *self = data;

  g_free (self->name);
  g_free (self->description);
  g_strfreev (self->names);
  g_free (self->initial);
}

static void
clear_argument (gpointer data)
{
  g_free (((GstClKernelArgument *) data)->name);
}

static void
clear_function (gpointer data)
{
  GstClKernelFunction *self = data;

  g_free (self->name);
  g_array_unref (self->arguments);
}

static void
clear_memory (gpointer data)
{
  GstClKernelMemory *self = data;

  g_free (self->name);
  g_free (self->count);
}

static void
clear_pass (gpointer data)
{
  g_free (((GstClKernelPass *) data)->work);
}

static GArray *
new_array (gsize element_bytes, GDestroyNotify clear)
{
  GArray *array = g_array_new (FALSE, TRUE, (guint) element_bytes);

  g_array_set_clear_func (array, clear);

  return array;
}

static void
clear_file (gpointer data)
{
  GstClKernelFile *self = data;

  g_free (self->name);
  g_free (self->folder);
  g_free (self->text);
  g_array_unref (self->parameters);
  g_array_unref (self->functions);
  g_array_unref (self->buffers);
  g_array_unref (self->statistics);
  g_array_unref (self->passes);
  g_strfreev (self->formats);
  g_free (self->format);
  g_free (self->width);
  g_free (self->height);
  g_free (self->work);
  g_ptr_array_unref (self->inputs);
}

GstClKernelFile *
gst_cl_kernel_file_ref (GstClKernelFile *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
gst_cl_kernel_file_unref (GstClKernelFile *self)
{
  g_atomic_rc_box_release_full (self, clear_file);
}

/* --- reading -------------------------------------------------------------- */

/* A pass whose function is not known until the whole text is read. */
typedef struct {
  gchar *function, *work;
  guint line;
} NamedPass;

static void
clear_named_pass (gpointer data)
{
  NamedPass *self = data;

  g_free (self->function);
  g_free (self->work);
}

typedef struct {
  GstClKernelFile *file;
  GStrv lines;
  GArray *passes; /* NamedPass */
  gchar *code;    /* the text, from blank_comments() */
  GError **error;
} Reader;

/* Returns FALSE with an error about @line, from 1; 0: about the whole file. */
G_GNUC_PRINTF (3, 4)
static gboolean
refuse (Reader *self, guint line, const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *what = NULL;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (line > 0)
    g_set_error (self->error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "%s:%u: %s", self->file->name, line, what);
  else
    g_set_error (self->error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "%s: %s", self->file->name, what);

  return FALSE;
}

static gboolean
is_name (const gchar *text)
{
  if (!g_ascii_isalpha (*text) && *text != '_')
    return FALSE;
  while (g_ascii_isalnum (*text) || *text == '_')
    text++;

  return *text == '\0';
}

/* Splits @text at spaces; transfer full. */
static GStrv
split_words (const gchar *text)
{
  GStrvBuilder *builder = g_strv_builder_new ();
  g_auto (GStrv) parts = g_strsplit_set (text, " \t\r", -1);
  GStrv words;

  for (guint i = 0; parts[i]; i++) {
    if (*parts[i])
      g_strv_builder_add (builder, parts[i]);
  }
  words = g_strv_builder_end (builder);
  g_strv_builder_unref (builder);

  return words;
}

/* Sets *number and *n of a vector for "int", "uint2", "float4". */
static gboolean
parse_type (const gchar *text, GstClNumber *number, guint *n)
{
  for (guint i = GST_CL_NUMBER_INT; i <= GST_CL_NUMBER_FLOAT; i++) {
    const gchar *name = gst_cl_number_name (i);
    const gchar *rest = text + strlen (name);

    if (!g_str_has_prefix (text, name))
      continue;
    *number = i;
    *n = *rest ? (guint) (*rest - '0') : 1;
    return !*rest || (*rest >= '2' && *rest <= '4' && !rest[1]);
  }

  return FALSE;
}

/* --- the head: parameters ------------------------------------------------- */

/* Sets the range of the type. */
static void
set_full_range (GstClParameter *parameter)
{
  switch (parameter->number) {
    case GST_CL_NUMBER_INT:
      parameter->minimum = G_MININT32;
      parameter->maximum = G_MAXINT32;
      break;
    case GST_CL_NUMBER_UINT:
      parameter->minimum = 0;
      parameter->maximum = G_MAXUINT32;
      break;
    case GST_CL_NUMBER_FLOAT:
      parameter->minimum = -G_MAXFLOAT;
      parameter->maximum = G_MAXFLOAT;
      break;
  }
}

/* Sets *n to that of "9]", the end of "float[9]". */
static gboolean
parse_length (const gchar *text, guint *n)
{
  const gsize n_digits = strspn (text, "0123456789");
  g_autofree gchar *digits = g_strndup (text, n_digits);
  guint64 length;

  if (!g_str_equal (text + n_digits, "]") ||
      !g_ascii_string_to_unsigned (digits, 10, 1, GST_CL_PARAMETER_MAX_NUMBERS,
          &length, NULL))
    return FALSE;
  *n = (guint) length;

  return TRUE;
}

/* Sets the type of @parameter to the last of the words of //!TYPE: "int",
 * "float4", "bool", "float[9]", "uint[]". */
static gboolean
set_type (Reader *self, guint line, const gchar *word,
    GstClParameter *parameter)
{
  g_autofree gchar *base = g_strdup (word);
  gchar *bracket = strchr (base, '[');
  guint n = 0;

  if (g_str_equal (word, "bool") && parameter->kind == GST_CL_PARAMETER_NUMBERS)
    parameter->kind = GST_CL_PARAMETER_BOOL;
  if (parameter->kind == GST_CL_PARAMETER_BOOL) {
    parameter->number = GST_CL_NUMBER_INT;
    parameter->n = 1;
    return TRUE;
  }
  if (bracket) {
    *bracket++ = '\0';
    if (!g_str_equal (bracket, "]") && !parse_length (bracket, &n))
      return refuse (self, line, "\"%s\" is not a type.", word);
    if (parameter->kind == GST_CL_PARAMETER_NUMBERS)
      parameter->kind = GST_CL_PARAMETER_ARRAY;
  }
  if (!parse_type (base, &parameter->number, &parameter->n) ||
      (gst_cl_parameter_is_array (parameter) && parameter->n != 1))
    return refuse (self, line,
        "\"%s\" is not a type: int, uint and float, int2 to float4, float[] or "
        "float[9], bool.",
        word);
  if (bracket || parameter->kind == GST_CL_PARAMETER_FILE)
    parameter->n = bracket ? n : 0;
  if (parameter->kind == GST_CL_PARAMETER_ENUM &&
      (bracket || parameter->n != 1 || parameter->number != GST_CL_NUMBER_INT))
    return refuse (self, line, "An ENUM is an int.");

  return TRUE;
}

static gboolean
read_type (Reader *self, guint line, const gchar *rest,
    GstClParameter *parameter)
{
  g_auto (GStrv) words = split_words (rest);
  const guint n = g_strv_length (words);

  if (n == 0)
    return refuse (self, line, "//!TYPE names no type.");
  for (guint i = 0; i + 1 < n; i++) {
    if (g_str_equal (words[i], "DEFINE"))
      parameter->is_constant = parameter->is_define = TRUE;
    else if (g_str_equal (words[i], "CONSTANT"))
      parameter->is_constant = TRUE;
    else if (g_str_equal (words[i], "ENUM"))
      parameter->kind = GST_CL_PARAMETER_ENUM;
    else if (g_str_equal (words[i], "FILE"))
      parameter->kind = GST_CL_PARAMETER_FILE;
    else if (!g_str_equal (words[i], "DYNAMIC"))
      return refuse (self, line,
          "\"%s\" is not DYNAMIC, CONSTANT, DEFINE, ENUM or FILE.", words[i]);
  }

  return set_type (self, line, words[n - 1], parameter);
}

/* A line //!MINIMUM or //!MAXIMUM; line: 0: the block has none. */
typedef struct {
  guint line;
  const gchar *text;
} Limit;

/* Sets *to to @limit, which is within the type's range. */
static gboolean
apply_limit (Reader *self, const Limit *limit, const GstClParameter *parameter,
    gdouble *to)
{
  gdouble number;
  gchar *end;

  if (limit->line == 0)
    return TRUE;
  if (parameter->kind == GST_CL_PARAMETER_BOOL ||
      parameter->kind == GST_CL_PARAMETER_ENUM)
    return refuse (self, limit->line,
        "Parameter %s has no range: numbers, arrays and files have one.",
        parameter->name);
  number = g_ascii_strtod (limit->text, &end);
  if (end == limit->text || *end)
    return refuse (self, limit->line, "\"%s\" is not a number.", limit->text);
  if (!gst_cl_parameter_contains (parameter, number)) {
    g_autofree gchar *takes = gst_cl_parameter_describe (parameter);

    return refuse (self, limit->line, "The limit %s is not of the type: %s.",
        limit->text, takes);
  }
  *to = number;

  return TRUE;
}

/* Sets the range of @parameter, whose type is set. */
static gboolean
set_range (Reader *self, const Limit *minimum, const Limit *maximum,
    GstClParameter *parameter)
{
  gdouble least, most;

  set_full_range (parameter);
  least = parameter->minimum;
  most = parameter->maximum;
  if (!apply_limit (self, minimum, parameter, &least) ||
      !apply_limit (self, maximum, parameter, &most))
    return FALSE;
  if (least > most)
    return refuse (self, MAX (minimum->line, maximum->line),
        "//!MINIMUM %s is above //!MAXIMUM %s.", minimum->text, maximum->text);
  parameter->minimum = least;
  parameter->maximum = most;

  return TRUE;
}

/* Returns what follows the keyword @word of a head line; NULL: it is another
 * one. */
static const gchar *
after_word (const gchar *line, const gchar *word)
{
  const gsize n = strlen (word);

  if (!g_str_has_prefix (line, "//!") || strncmp (line + 3, word, n) != 0 ||
      (line[n + 3] && !g_ascii_isspace (line[n + 3])))
    return NULL;
  line += n + 3;
  while (g_ascii_isspace (*line))
    line++;

  return line;
}

/* Takes the lines of names, or the one line of the default, from *i on, and
 * leaves them blank: they are no source text. */
static gboolean
read_default (Reader *self, guint *i, GstClParameter *parameter)
{
  GStrvBuilder *names;

  if (parameter->kind != GST_CL_PARAMETER_ENUM) {
    gchar *line = self->lines[*i];

    /* a path may be empty: the file has no default */
    if (!line || g_str_has_prefix (line, "//!") ||
        (!*g_strstrip (line) && parameter->kind != GST_CL_PARAMETER_FILE))
      return refuse (self, parameter->line,
          "Parameter %s has no default: it is the line after the last //! of "
          "the parameter.",
          parameter->name);
    parameter->initial = g_strdup (line);
    *line = '\0';
    (*i)++;
    return TRUE;
  }

  names = g_strv_builder_new ();
  for (gchar *line; (line = self->lines[*i]); (*i)++) {
    if (g_str_has_prefix (line, "//!") || !*g_strstrip (line))
      break;
    g_strv_builder_add (names, line);
    *line = '\0';
  }
  parameter->names = g_strv_builder_end (names);
  g_strv_builder_unref (names);
  parameter->initial = g_strdup (parameter->names[0]);

  return parameter->initial ||
         refuse (self, parameter->line,
             "Parameter %s has no names: they are the lines after the last //! "
             "of the parameter.",
             parameter->name);
}

/* The default is a value; a file is read later. */
static gboolean
check_default (Reader *self, guint line, const GstClParameter *parameter)
{
  GstClParameterValue value = { 0 };
  g_autoptr (GError) reason = NULL;
  gboolean is_good;

  if (parameter->kind == GST_CL_PARAMETER_FILE)
    return TRUE;
  is_good = gst_cl_parameter_parse (parameter, parameter->initial, NULL, &value,
      &reason);
  gst_cl_parameter_value_clear (&value);

  return is_good || refuse (self, line, "The default: %s", reason->message);
}

/* Returns TRUE and sets *index, if not NULL, if one of @memories is @name. */
static gboolean
find_memory (GArray *memories, const gchar *name, guint *index)
{
  for (guint i = 0; i < memories->len; i++) {
    if (!g_str_equal (g_array_index (memories, GstClKernelMemory, i).name,
            name))
      continue;
    if (index)
      *index = i;
    return TRUE;
  }

  return FALSE;
}

/* Refuses @name for a further parameter, buffer or statistic. */
static gboolean
check_name (Reader *self, guint line, const gchar *name)
{
  const GstClKernelFile *file = self->file;

  if (!is_name (name))
    return refuse (self, line, "\"%s\" is not a name.", name);
  if (gst_cl_kernel_file_find (file, name, NULL) ||
      find_memory (file->buffers, name, NULL) ||
      find_memory (file->statistics, name, NULL))
    return refuse (self, line, "The name %s is used twice.", name);

  return TRUE;
}

/* Reads the block that //!PARAM @name begins in the line before *i. */
static gboolean
read_parameter (Reader *self, guint *i, const gchar *name)
{
  GstClParameter parameter = { .name = g_strdup (g_strchomp ((gchar *) name)),
    .line = *i };
  gboolean has_type = FALSE, is_good = check_name (self, *i, parameter.name);
  Limit minimum = { 0 }, maximum = { 0 };
  const gchar *rest;
  guint default_line;

  for (; is_good && self->lines[*i]; (*i)++) {
    gchar *line = g_strchomp (self->lines[*i]);

    if ((rest = after_word (line, "DESC"))) {
      g_free (parameter.description);
      parameter.description = g_strdup (rest);
    } else if ((rest = after_word (line, "TYPE"))) {
      is_good = has_type ? refuse (self, *i + 1, "There are two //!TYPE.")
                         : read_type (self, *i + 1, rest, &parameter);
      has_type = TRUE;
    } else if ((rest = after_word (line, "MINIMUM"))) {
      minimum = (Limit){ *i + 1, rest };
    } else if ((rest = after_word (line, "MAXIMUM"))) {
      maximum = (Limit){ *i + 1, rest };
    } else if (after_word (line, "REGIONS")) {
      parameter.takes_regions = TRUE;
    } else {
      break;
    }
  }
  if (is_good && !has_type)
    is_good = refuse (self, parameter.line, "Parameter %s has no //!TYPE.",
        parameter.name);
  if (is_good && parameter.takes_regions &&
      (parameter.kind != GST_CL_PARAMETER_ARRAY || parameter.is_constant ||
          parameter.number != GST_CL_NUMBER_INT || parameter.n > 0))
    is_good = refuse (self, parameter.line,
        "Parameter %s has //!REGIONS, and is no int[].", parameter.name);
  is_good = is_good && set_range (self, &minimum, &maximum, &parameter);
  default_line = *i + 1;
  is_good = is_good && read_default (self, i, &parameter);
  if (parameter.kind == GST_CL_PARAMETER_BOOL ||
      parameter.kind == GST_CL_PARAMETER_ENUM) {
    parameter.minimum = 0;
    parameter.maximum = parameter.names ? g_strv_length (parameter.names) - 1
                                        : 1;
  }
  is_good = is_good && check_default (self, default_line, &parameter);
  if (is_good)
    g_array_append_val (self->file->parameters, parameter);
  else
    clear_parameter (&parameter);

  return is_good;
}

/* --- the head: other lines ------------------------------------------------ */

/* Returns TRUE if each message or meta has the field @name: those of
 * gst_cl_frame_time_structure() and of gst_cl_result_meta_add(). */
static gboolean
is_field (const gchar *name)
{
  static const gchar *const fields[] = { "timestamp", "duration", "frame",
    "element", "earlier", NULL };

  return g_strv_contains (fields, name);
}

/* Adds memory NAME of COUNT numbers; @line: 0: of a property. */
static gboolean
add_memory (Reader *self, guint line, GArray *memories, const gchar *name,
    const gchar *type, const gchar *count)
{
  GstClKernelMemory memory = { .line = line };
  guint n;

  if (!check_name (self, line, name))
    return FALSE;
  if (memories == self->file->statistics && is_field (name))
    return refuse (self, line,
        "A statistic cannot be called %s: messages and metas have a field %s "
        "of their own.",
        name, name);
  if (!parse_type (type, &memory.number, &n) || n != 1)
    return refuse (self, line, "\"%s\" is not int, uint or float.", type);
  memory.name = g_strdup (name);
  memory.count = g_strdup (count);
  g_array_append_val (memories, memory);

  return TRUE;
}

static gboolean
read_memory (Reader *self, guint line, GArray *memories, const gchar *rest)
{
  g_auto (GStrv) words = split_words (rest);
  g_autofree gchar *count = NULL;

  if (g_strv_length (words) < 3)
    return refuse (self, line, "The line is //!... NAME TYPE COUNT.");
  count = g_strjoinv (" ", words + 2);

  return add_memory (self, line, memories, words[0], words[1], count);
}

static gboolean
read_pass (Reader *self, guint line, const gchar *rest)
{
  g_auto (GStrv) words = split_words (rest);
  NamedPass pass = { .line = line };

  if (!words[0])
    return refuse (self, line, "//!PASS names no kernel.");
  pass.function = g_strdup (words[0]);
  pass.work = words[1] ? g_strjoinv (" ", words + 1) : NULL;
  g_array_append_val (self->passes, pass);

  return TRUE;
}

static gboolean
read_text (Reader *self, guint line, gchar **field, const gchar *rest)
{
  if (!*rest)
    return refuse (self, line, "The line has no value.");
  g_free (*field);
  *field = g_strdup (rest);

  return TRUE;
}

static gboolean
read_formats (Reader *self, guint line, const gchar *rest)
{
  g_strfreev (self->file->formats);
  self->file->formats = split_words (rest);

  return self->file->formats[0] ||
         refuse (self, line, "//!FORMATS names no format.");
}

static gboolean
read_line (Reader *self, guint number, const gchar *line)
{
  GstClKernelFile *file = self->file;
  const gchar *rest;

  if ((rest = after_word (line, "DESC")))
    return TRUE; /* of the file */
  if ((rest = after_word (line, "WORK")))
    return read_text (self, number, &file->work, rest);
  if ((rest = after_word (line, "FORMAT")))
    return read_text (self, number, &file->format, rest);
  if ((rest = after_word (line, "WIDTH")))
    return read_text (self, number, &file->width, rest);
  if ((rest = after_word (line, "HEIGHT")))
    return read_text (self, number, &file->height, rest);
  if ((rest = after_word (line, "FORMATS")))
    return read_formats (self, number, rest);
  if ((rest = after_word (line, "PASS")))
    return read_pass (self, number, rest);
  if ((rest = after_word (line, "BUFFER")))
    return read_memory (self, number, file->buffers, rest);
  if ((rest = after_word (line, "STATISTICS")))
    return read_memory (self, number, file->statistics, rest);

  return refuse (self, number,
      "\"%s\" is not a line of the head: docs/clkernel.md has a table.", line);
}

/* A file is whole: it includes gst_cl.clh, which the text of every file has. */
static gboolean
read_include (Reader *self, guint number, gchar *line)
{
  if (!strstr (line, "\"gst_cl.clh\""))
    return refuse (self, number,
        "\"%s\": a kernel file includes \"gst_cl.clh\" alone.",
        g_strchug (line));
  *line = '\0';

  return TRUE;
}

static gboolean
read_head (Reader *self)
{
  for (guint i = 0; self->lines[i];) {
    gchar *line = g_strchomp (self->lines[i++]);
    const gchar *rest = after_word (line, "PARAM");

    if (rest) {
      if (!read_parameter (self, &i, rest))
        return FALSE;
    } else if (g_regex_match_simple ("^\\s*#\\s*include\\b", line, 0, 0)) {
      if (!read_include (self, i, line))
        return FALSE;
    } else if (g_str_has_prefix (line, "//!") && !read_line (self, i, line)) {
      return FALSE;
    }
  }

  return TRUE;
}

/* --- kernels -------------------------------------------------------------- */

/* Blanks what is no code. */
typedef struct {
  enum { CODE, LINE, BLOCK, QUOTES } state;
  gchar quote;        /* that ends QUOTES */
  gboolean is_first;  /* of the line, but for spaces and comments */
  GString *directive; /* what follows the # of this line; NULL: no directive */
  guint depth;        /* of conditions within "#if 0", which is 1; 0: none */
} Blanker;

/* The line of a directive has ended. */
static void
end_directive (Blanker *self)
{
  g_auto (GStrv) words = split_words (self->directive->str);
  const gchar *word = words[0] ? words[0] : "";

  if (self->depth == 0)
    self->depth = g_str_equal (word, "if") && words[1] && !words[2] &&
                  g_str_equal (words[1], "0");
  else if (g_str_has_prefix (word, "if"))
    self->depth++;
  else if (g_str_equal (word, "endif") ||
           (self->depth == 1 && g_str_has_prefix (word, "el")))
    self->depth--;
  g_string_free (self->directive, TRUE);
  self->directive = NULL;
}

/* Ends the line before the newline @at of @text, unless the line goes on. */
static void
end_line (Blanker *self, const gchar *text, const gchar *at)
{
  if (self->state == BLOCK || (at > text && at[-1] == '\\'))
    return;
  self->state = CODE;
  self->is_first = TRUE;
  if (self->directive)
    end_directive (self);
}

/* Returns how many characters at @at to blank: 0: @at is code. Sets the state
 * behind them. */
static guint
scan (Blanker *self, const gchar *at)
{
  switch (self->state) {
    case CODE:
      if (g_str_has_prefix (at, "//"))
        self->state = LINE;
      else if (g_str_has_prefix (at, "/*"))
        self->state = BLOCK;
      else if (*at == '"' || *at == '\'')
        self->state = QUOTES;
      else
        return 0;
      self->quote = *at;
      return self->state == QUOTES ? 1 : 2;
    case BLOCK:
      if (!g_str_has_prefix (at, "*/"))
        return 1;
      self->state = CODE;
      return 2;
    case QUOTES:
      if (*at == self->quote)
        self->state = CODE;
      return *at == '\\' && at[1] && at[1] != '\n' ? 2 : 1;
    default:
      return 1;
  }
}

/* Returns a copy of @text with spaces instead of comments, strings, directives,
 * and what is between "#if 0" and its #else, #elif or #endif; lines stay where
 * they are. Other conditions are not evaluated. */
static gchar *
blank_comments (const gchar *text)
{
  Blanker self = { .is_first = TRUE };
  gchar *code = g_strdup (text);

  for (gsize i = 0; text[i]; i++) {
    guint n;

    if (text[i] == '\n') {
      end_line (&self, text, text + i);
      continue;
    }
    n = scan (&self, text + i);
    if (n > 0) {
      memset (code + i, ' ', n);
      i += n - 1;
      if (self.directive)
        g_string_append_c (self.directive, ' ');
      continue;
    }
    if (self.directive)
      g_string_append_c (self.directive, text[i]);
    else if (text[i] == '#' && self.is_first)
      self.directive = g_string_new (NULL);
    self.is_first &= g_ascii_isspace (text[i]) != 0;
    if (self.directive || self.depth > 0)
      code[i] = ' ';
  }
  if (self.directive)
    end_directive (&self);

  return code;
}

static guint
line_of (const Reader *self, const gchar *at)
{
  guint line = 1;

  for (const gchar *c = self->code; c < at; c++)
    line += *c == '\n';

  return line;
}

static const gchar *
skip_spaces (const gchar *at)
{
  while (g_ascii_isspace (*at))
    at++;

  return at;
}

/* Returns what follows the group of parentheses at @at; NULL: it has no end. */
static const gchar *
skip_group (const gchar *at)
{
  gint depth = 0;

  for (; *at; at++) {
    depth += (*at == '(') - (*at == ')');
    if (depth == 0)
      return at + 1;
  }

  return NULL;
}

/* Returns TRUE and sets *name (transfer full) and *n for "WORD (name)", n 0, or
 * "WORD (name, n)", n G_MAXUINT if it is not 1 to MAX_PREVIOUS. */
static gboolean
match_frame (const gchar *text, const gchar *word, gchar **name, guint *n)
{
  g_autofree gchar *pattern = g_strdup_printf (
      "^%s\\s*\\(\\s*(\\w+)\\s*(?:,\\s*(\\d+)\\s*)?\\)$", word);
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree gchar *digits = NULL;
  guint64 number;

  if (!g_regex_match (regex, text, 0, &match))
    return FALSE;
  *name = g_match_info_fetch (match, 1);
  digits = g_match_info_fetch (match, 2);
  if (!digits || !*digits)
    *n = 0;
  else if (g_ascii_string_to_unsigned (digits, 10, 1, MAX_PREVIOUS, &number,
               NULL))
    *n = (guint) number;
  else
    *n = G_MAXUINT;

  return TRUE;
}

/* Returns the type of an argument that is no array, as a kernel declares it;
 * transfer full. */
static gchar *
argument_type (GstClNumber number, guint n)
{
  const gchar *name = gst_cl_number_name (number);

  return n > 1 ? g_strdup_printf ("%s%u", name, n) : g_strdup (name);
}

/* Returns TRUE if a kernel declares @type, one line with single spaces, where
 * @want is due. */
static gboolean
is_type (const gchar *type, const gchar *want)
{
  if (g_str_has_prefix (type, "const "))
    type += strlen ("const ");

  return g_str_equal (type, want) ||
         (g_str_equal (want, "uint") && g_str_equal (type, "unsigned int"));
}

static gboolean
is_pointer (const gchar *type, const gchar *want)
{
  g_autofree gchar *pattern = g_strdup_printf (
      "^(volatile |const )*(__)?(global|constant) (volatile |const )*%s "
      "?\\*( ?restrict| ?const)*$",
      want);

  return g_regex_match_simple (pattern, type, 0, 0);
}

/* Finds what @name, declared as @type, is. */
static gboolean
resolve (Reader *self, const gchar *type, GstClKernelArgument *argument)
{
  const guint line = argument->line;
  const GstClKernelFile *file = self->file;
  const gchar *name = argument->name;
  const GstClParameter *parameter = gst_cl_kernel_file_find (file, name,
      &argument->index);
  g_autofree gchar *want = NULL;
  GArray *memories = NULL;

  if (parameter) {
    const gboolean is_array = gst_cl_parameter_is_array (parameter);

    want = argument_type (parameter->number, is_array ? 1 : parameter->n);
    argument->kind = GST_CL_ARGUMENT_PARAMETER;
    if (parameter->is_constant)
      return refuse (self, line,
          "Parameter %s is compiled into the program: it is no argument.",
          name);
    if (is_array)
      return is_pointer (type, want) ||
             refuse (self, line,
                 "Parameter %s is declared as \"%s\", not as GST_CL_ARRAY (%s, "
                 "%s).",
                 name, type, want, name);
    return is_type (type, want) ||
           refuse (self, line,
               "Parameter %s is declared as \"%s\", its //!TYPE is %s.", name,
               type, want);
  }
  if (find_memory (file->buffers, name, &argument->index)) {
    argument->kind = GST_CL_ARGUMENT_BUFFER;
    memories = file->buffers;
  } else if (find_memory (file->statistics, name, &argument->index)) {
    argument->kind = GST_CL_ARGUMENT_STATISTIC;
    memories = file->statistics;
  } else {
    return refuse (self, line,
        "\"%s\" is no frame, parameter, buffer or statistic of the file.",
        name);
  }
  want = argument_type (
      g_array_index (memories, GstClKernelMemory, argument->index).number, 1);

  return is_pointer (type, want) ||
         refuse (self, line,
             "%s is declared as \"%s\", not as __global %s *%s.", name, type,
             want, name);
}

/* Reads "GST_CL_IN (name)", "GST_CL_ARRAY (type, name)", "type name". */
static gboolean
read_argument (Reader *self, const gchar *text, GstClKernelArgument *argument)
{
  static const struct {
    const gchar *word;
    GstClKernelArgumentKind kind;
  } frames[] = {
    { "GST_CL_IN", GST_CL_ARGUMENT_IN },
    { "GST_CL_OUT", GST_CL_ARGUMENT_OUT },
    { "GST_CL_IN_OUT", GST_CL_ARGUMENT_IN_OUT },
    { "GST_CL_PREVIOUS", GST_CL_ARGUMENT_PREVIOUS },
  };
  g_autoptr (GRegex) array = NULL;
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree gchar *type = NULL;
  const gchar *name;

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    if (!match_frame (text, frames[i].word, &argument->name, &argument->n))
      continue;
    argument->kind = frames[i].kind;
    if ((argument->kind == GST_CL_ARGUMENT_PREVIOUS) != (argument->n > 0) ||
        argument->n > MAX_PREVIOUS)
      return refuse (self, argument->line,
          "\"%s\": GST_CL_PREVIOUS has a number of frames back, 1 to %d; "
          "others have none.",
          text, MAX_PREVIOUS);
    return TRUE;
  }

  array = g_regex_new ("^GST_CL_ARRAY\\s*\\(\\s*(\\w+)\\s*,\\s*(\\w+)\\s*\\)$",
      G_REGEX_RAW, 0, NULL);
  if (g_regex_match (array, text, 0, &match)) {
    g_autofree gchar *element = g_match_info_fetch (match, 1);

    argument->name = g_match_info_fetch (match, 2);
    type = g_strdup_printf ("__global const %s *", element);
  } else {
    name = text + strlen (text);
    while (name > text && (g_ascii_isalnum (name[-1]) || name[-1] == '_'))
      name--;
    argument->name = g_strdup (name);
    type = g_strchomp (g_strndup (text, (gsize) (name - text)));
  }

  return resolve (self, type, argument);
}

/* Returns @text with single spaces; transfer full. */
static gchar *
squeeze (const gchar *text, gsize n)
{
  g_autofree gchar *part = g_strndup (text, n);
  g_autoptr (GRegex) spaces = g_regex_new ("\\s+", 0, 0, NULL);

  return g_strstrip (
      g_regex_replace_literal (spaces, part, -1, 0, " ", 0, NULL));
}

/* Reads the parameters between @at, behind the parenthesis, and @end, the one
 * that closes. */
static gboolean
read_arguments (Reader *self, const gchar *at, const gchar *end,
    GArray *arguments)
{
  while (at < end) {
    const gchar *comma = at;
    g_autofree gchar *text = NULL;
    GstClKernelArgument argument = { .line = line_of (self, skip_spaces (at)) };
    gboolean is_good;

    while (comma < end && *comma != ',')
      comma = *comma == '(' ? skip_group (comma) : comma + 1;
    text = squeeze (at, (gsize) (comma - at));
    is_good = read_argument (self, text, &argument);
    g_array_append_val (arguments, argument);
    if (!is_good)
      return FALSE;
    at = comma + 1;
  }

  return TRUE;
}

/* Returns what follows the attributes and spaces at @at; NULL: a parenthesis is
 * not closed. */
static const gchar *
skip_attributes (const gchar *at)
{
  at = skip_spaces (at);
  while (at && g_str_has_prefix (at, ATTRIBUTE)) {
    at = strchr (at, '(');
    at = at ? skip_group (at) : NULL;
    at = at ? skip_spaces (at) : NULL;
  }

  return at;
}

/* Reads the kernel whose "__kernel" ends at @at; sets *at to what follows its
 * parameters. */
static gboolean
read_kernel (Reader *self, const gchar **at)
{
  const guint line = line_of (self, *at);
  const gchar *start = skip_attributes (*at), *end;
  GstClKernelFunction function = { .line = line };

  if (!start)
    return refuse (self, line, "A parenthesis is not closed.");
  if (!g_str_has_prefix (start, "void") || !g_ascii_isspace (start[4]))
    return refuse (self, line, "A kernel returns void.");
  start = skip_attributes (start + 4);
  if (!start)
    return refuse (self, line, "A parenthesis is not closed.");
  end = start;
  while (g_ascii_isalnum (*end) || *end == '_')
    end++;
  function.name = g_strndup (start, (gsize) (end - start));
  function.arguments = new_array (sizeof (GstClKernelArgument), clear_argument);
  g_array_append_val (self->file->functions, function);

  start = skip_spaces (end);
  end = *start == '(' ? skip_group (start) : NULL;
  if (!*function.name || !end)
    return refuse (self, line, "The parameters of a kernel have no end.");
  *at = end;

  return read_arguments (self, start + 1, end - 1, function.arguments);
}

static gboolean
is_part_of_name (gchar c)
{
  return g_ascii_isalnum (c) || c == '_';
}

static gboolean
read_kernels (Reader *self)
{
  const gchar *at = self->code;

  while ((at = strstr (at, "kernel"))) {
    const gchar *start = at;

    at += strlen ("kernel");
    if (start - self->code >= 2 && strncmp (start - 2, "__", 2) == 0)
      start -= 2;
    if ((start > self->code && is_part_of_name (start[-1])) ||
        is_part_of_name (*at))
      continue;
    if (!read_kernel (self, &at))
      return FALSE;
  }

  return self->file->functions->len > 0 ||
         refuse (self, 0, "It has no __kernel.");
}

/* --- passes --------------------------------------------------------------- */

static gboolean
add_pass (Reader *self, guint line, const gchar *name, const gchar *work)
{
  GstClKernelPass pass = { 0 };
  GArray *functions = self->file->functions;

  while (pass.function < functions->len &&
         !g_str_equal (
             g_array_index (functions, GstClKernelFunction, pass.function).name,
             name))
    pass.function++;
  if (pass.function == functions->len) {
    GString *names = g_string_new (NULL);

    for (guint i = 0; i < functions->len; i++)
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
          g_array_index (functions, GstClKernelFunction, i).name);
    refuse (self, line, "It has no kernel \"%s\"; it has %s.", name,
        names->str);
    g_string_free (names, TRUE);
    return FALSE;
  }
  pass.work = g_strdup (work);
  g_array_append_val (self->file->passes, pass);

  return TRUE;
}

static gboolean
set_passes (Reader *self, const gchar *function)
{
  GArray *functions = self->file->functions;

  if (function)
    return add_pass (self, 0, function, NULL);
  for (guint i = 0; i < self->passes->len; i++) {
    const NamedPass *pass = &g_array_index (self->passes, NamedPass, i);

    if (!add_pass (self, pass->line, pass->function, pass->work))
      return FALSE;
  }
  if (self->passes->len > 0)
    return TRUE;
  if (functions->len > 1)
    return refuse (self, 0,
        "It has %u kernels: set the property function, or add lines //!PASS.",
        functions->len);

  return add_pass (self, 0,
      g_array_index (functions, GstClKernelFunction, 0).name, NULL);
}

/* Returns the frame that @argument is: 0: the output, 1: the first input, which
 * earlier frames are of, 2: the second, ... */
static guint
number_of_frame (const GstClKernelFile *file,
    const GstClKernelArgument *argument)
{
  switch (argument->kind) {
    case GST_CL_ARGUMENT_IN:
      return 1 + gst_cl_kernel_file_input (file, argument->name);
    case GST_CL_ARGUMENT_PREVIOUS:
      return 1;
    default:
      return 0;
  }
}

static const gchar *
describe_frame (guint number)
{
  return number == 0   ? "the output"
         : number == 1 ? "the first input"
                       : "another input";
}

/* The frames of the passes so far. */
typedef struct {
  GHashTable *names; /* name to the first GstClKernelArgument */
  const GstClKernelArgument *out, *in_out; /* the first ones; NULL: none */
} Frames;

/* Constants of formats are by name: a name is one frame in all passes. */
static gboolean
check_frame (Reader *self, const GstClKernelArgument *argument, Frames *frames)
{
  GstClKernelFile *file = self->file;
  const GstClKernelArgument *first = g_hash_table_lookup (frames->names,
      argument->name);
  guint number, first_number;

  if (argument->kind == GST_CL_ARGUMENT_IN &&
      !g_ptr_array_find_with_equal_func (file->inputs, argument->name,
          g_str_equal, NULL))
    g_ptr_array_add (file->inputs, argument->name);
  if (argument->kind == GST_CL_ARGUMENT_PREVIOUS)
    file->n_previous = MAX (file->n_previous, argument->n);
  if (argument->kind == GST_CL_ARGUMENT_OUT && !frames->out)
    frames->out = argument;
  if (argument->kind == GST_CL_ARGUMENT_IN_OUT && !frames->in_out)
    frames->in_out = argument;
  if (frames->out && frames->in_out)
    return refuse (self, argument->line,
        "A file has frames GST_CL_IN_OUT or GST_CL_OUT (line %u), not both.",
        argument == frames->out ? frames->in_out->line : frames->out->line);

  if (!first) {
    g_hash_table_insert (frames->names, argument->name, (gpointer) argument);
    return TRUE;
  }
  number = number_of_frame (file, argument);
  first_number = number_of_frame (file, first);

  return number == first_number ||
         refuse (self, argument->line,
             "Frame %s is %s, in line %u %s: a name is the same frame in all "
             "kernels.",
             argument->name, describe_frame (number), first->line,
             describe_frame (first_number));
}

/* Checks and counts the frames of all passes. */
static gboolean
check_frames (Reader *self)
{
  GstClKernelFile *file = self->file;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  Frames frames = { .names = names };
  guint line = 0;

  for (guint p = 0; p < file->passes->len; p++) {
    const GstClKernelPass *pass = &g_array_index (file->passes, GstClKernelPass,
        p);
    const GstClKernelFunction *function = &g_array_index (file->functions,
        GstClKernelFunction, pass->function);

    line = function->line;
    for (guint i = 0; i < function->arguments->len; i++) {
      const GstClKernelArgument *argument = &g_array_index (function->arguments,
          GstClKernelArgument, i);

      if (argument->kind <= GST_CL_ARGUMENT_PREVIOUS &&
          !check_frame (self, argument, &frames))
        return FALSE;
    }
  }
  file->is_in_place = frames.in_out != NULL;
  if (file->is_in_place && (file->format || file->width || file->height))
    return refuse (self, frames.in_out->line,
        "The output of GST_CL_IN_OUT has the format and size of the input.");

  return file->inputs->len > 0 || frames.out || file->is_in_place ||
         refuse (self, line,
             "The kernel has no frame: GST_CL_IN (name), "
             "GST_CL_OUT (name) or GST_CL_IN_OUT (name).");
}

/* --- files ---------------------------------------------------------------- */

/* Adds NAME:TYPE:COUNT,... of the property. */
static gboolean
add_statistics (Reader *self, const gchar *list)
{
  g_auto (GStrv) items = g_strsplit (list, ",", -1);

  for (guint i = 0; items[i]; i++) {
    g_auto (GStrv) words = g_strsplit (g_strstrip (items[i]), ":", -1);

    if (g_strv_length (words) != 3)
      return refuse (self, 0,
          "Property statistics: \"%s\" is not NAME:TYPE:COUNT.", items[i]);
    if (!add_memory (self, 0, self->file->statistics, words[0], words[1],
            words[2]))
      return FALSE;
  }

  return TRUE;
}

/* Reads the @n_bytes of @text. */
static GstClKernelFile *
read_file (const gchar *text, gsize n_bytes, const gchar *name,
    const gchar *folder, const gchar *function, const gchar *statistics,
    GError **error)
{
  g_autoptr (GstClKernelFile) file = g_atomic_rc_box_new0 (GstClKernelFile);
  Reader reader = { .file = file, .error = error };
  gboolean is_good;

  file->name = g_strdup (name);
  file->folder = g_strdup (folder);
  file->parameters = new_array (sizeof (GstClParameter), clear_parameter);
  file->functions = new_array (sizeof (GstClKernelFunction), clear_function);
  file->buffers = new_array (sizeof (GstClKernelMemory), clear_memory);
  file->statistics = new_array (sizeof (GstClKernelMemory), clear_memory);
  file->passes = new_array (sizeof (GstClKernelPass), clear_pass);
  file->inputs = g_ptr_array_new ();

  reader.passes = new_array (sizeof (NamedPass), clear_named_pass);
  is_good = g_utf8_validate_len (text, n_bytes, NULL) ||
            refuse (&reader, 0, "It is not a text in UTF-8.");
  reader.lines = g_strsplit (is_good ? text : "", "\n", -1);
  is_good = is_good && read_head (&reader) &&
            (!statistics || add_statistics (&reader, statistics));
  if (is_good) {
    file->text = g_strjoinv ("\n", reader.lines);
    reader.code = blank_comments (file->text);
    is_good = read_kernels (&reader) && set_passes (&reader, function) &&
              check_frames (&reader);
  }
  g_free (reader.code);
  g_strfreev (reader.lines);
  g_array_unref (reader.passes);

  return is_good ? g_steal_pointer (&file) : NULL;
}

GstClKernelFile *
gst_cl_kernel_file_new (const gchar *text, const gchar *name,
    const gchar *folder, const gchar *function, const gchar *statistics,
    GError **error)
{
  return read_file (text, strlen (text), name, folder, function, statistics,
      error);
}

GstClKernelFile *
gst_cl_kernel_file_load (const gchar *location, const gchar *function,
    const gchar *statistics, GError **error)
{
  g_autofree gchar *folder = g_path_get_dirname (location);
  g_autofree gchar *name = g_filename_display_basename (location);
  g_autofree gchar *text = NULL;
  g_autoptr (GError) reason = NULL;
  gsize n_bytes;

  if (!g_file_get_contents (location, &text, &n_bytes, &reason)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ,
        "Cannot read the kernel file: %s", reason->message);
    return NULL;
  }

  return read_file (text, n_bytes, name, folder, function, statistics, error);
}

guint
gst_cl_kernel_file_input (const GstClKernelFile *self, const gchar *name)
{
  guint index = 0;

  g_ptr_array_find_with_equal_func (self->inputs, name, g_str_equal, &index);

  return index;
}

const GstClParameter *
gst_cl_kernel_file_find (const GstClKernelFile *self, const gchar *name,
    guint *index)
{
  for (guint i = 0; i < self->parameters->len; i++) {
    const GstClParameter *parameter = &g_array_index (self->parameters,
        GstClParameter, i);

    if (!g_str_equal (parameter->name, name))
      continue;
    if (index)
      *index = i;
    return parameter;
  }

  return NULL;
}

static gboolean
check_names (const GstClKernelFile *self, const GstStructure *structure,
    GError **error)
{
  for (gint i = 0; structure && i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, (guint) i);
    GString *names;

    if (gst_cl_kernel_file_find (self, name, NULL))
      continue;
    names = g_string_new (NULL);
    for (guint p = 0; p < self->parameters->len; p++)
      g_string_append_printf (names, "%s%s", p > 0 ? ", " : "",
          g_array_index (self->parameters, GstClParameter, p).name);
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "%s has no parameter \"%s\"; it has %s.", self->name, name,
        names->len > 0 ? names->str : "none");
    g_string_free (names, TRUE);
    return FALSE;
  }

  return TRUE;
}

/* Returns the text or number that @structure has for @parameter; NULL: the
 * default. */
static const GValue *
given_value (const GstStructure *structure, const GstClParameter *parameter)
{
  return structure ? gst_structure_get_value (structure, parameter->name)
                   : NULL;
}

static gboolean
is_same_value (const GValue *a, const GValue *b)
{
  return a && b ? gst_value_compare (a, b) == GST_VALUE_EQUAL : a == b;
}

gboolean
gst_cl_kernel_file_values (const GstClKernelFile *self,
    const GstStructure *structure, const GstClKernelValues *before,
    GstClParameterValue *values, GError **error)
{
  if (!check_names (self, structure, error))
    return FALSE;

  for (guint i = 0; i < self->parameters->len; i++) {
    const GstClParameter *parameter = &g_array_index (self->parameters,
        GstClParameter, i);
    const GValue *given = given_value (structure, parameter);

    if (before && parameter->kind == GST_CL_PARAMETER_FILE &&
        is_same_value (given, given_value (before->structure, parameter))) {
      values[i].n = before->values[i].n;
      values[i].numbers = g_memdup2 (before->values[i].numbers,
          values[i].n * sizeof (gdouble));
      continue;
    }
    if (given ? !gst_cl_parameter_convert (parameter, given, NULL, &values[i],
                    error)
              : !gst_cl_parameter_parse (parameter, parameter->initial,
                    self->folder, &values[i], error)) {
      g_prefix_error (error, "%s:%u: ", self->name, parameter->line);
      return FALSE;
    }
  }

  return TRUE;
}

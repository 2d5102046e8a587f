/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows as a printed table and as JSON. */

#include "report.h"

#include <errno.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <unistd.h>

#define ROW_COLUMNS 44 /* longer names shift their line */

/* A text about a technique. */
typedef struct {
  gchar *technique, *row, *words; /* no row for a conclusion */
} Note;

struct _Report {
  gchar *device, *driver, *platform, *opencl;
  guint32 seed;
  GPtrArray *rows;                  /* ReportRow with strings of its own */
  GPtrArray *skipped, *conclusions; /* Note */
  FILE *table;                      /* or NULL */
  int table_errno;                  /* of the first write that failed, or 0 */
  gchar *shown_technique;           /* of the last printed heading */
  gboolean has_progress;            /* a line on stderr is to be cleared */
};

static void
row_free (ReportRow *row)
{
  g_free ((gchar *) row->technique);
  g_free ((gchar *) row->row);
  g_free ((gchar *) row->detail);
  g_clear_pointer (&row->figures, g_variant_unref);
  g_free (row);
}

static void
note_free (Note *note)
{
  g_free (note->technique);
  g_free (note->row);
  g_free (note->words);
  g_free (note);
}

static void
add_note (GPtrArray *notes, const gchar *technique, const gchar *row,
    const gchar *words)
{
  Note *note = g_new0 (Note, 1);

  note->technique = g_strdup (technique);
  note->row = g_strdup (row);
  note->words = g_strdup (words);
  g_ptr_array_add (notes, note);
}

/* --- the table ------------------------------------------------------------ */

gchar *
report_format_us (gdouble us)
{
  if (us < 1000)
    return g_strdup_printf ("%.*f us", us < 10 ? 3 : 1, us);
  if (us < 1e6)
    return g_strdup_printf ("%.2f ms", us / 1e3);

  return g_strdup_printf ("%.2f s", us / 1e6);
}

static gchar *
format_rate (gdouble per_second)
{
  if (per_second < 1e4)
    return g_strdup_printf ("%.4g/s", per_second);
  if (per_second < 1e6)
    return g_strdup_printf ("%.1f k/s", per_second / 1e3);

  return g_strdup_printf ("%.1f M/s", per_second / 1e6);
}

static const gchar *
verdict (const ReportRow *row)
{
  if (row->expected_wrong)
    return row->correct ? "not wrong here" : "wrong, as expected";

  return row->correct ? "correct" : "WRONG";
}

static void
clear_progress (Report *self)
{
  if (self->has_progress)
    fputs ("\r\033[K", stderr);
  self->has_progress = FALSE;
}

static void
flush_table (Report *self)
{
  errno = 0;
  if ((fflush (self->table) != 0 || ferror (self->table)) &&
      self->table_errno == 0)
    self->table_errno = errno != 0 ? errno : EIO;
}

static void
print_heading (Report *self, const gchar *technique)
{
  if (g_strcmp0 (technique, self->shown_technique) == 0)
    return;

  g_free (self->shown_technique);
  self->shown_technique = g_strdup (technique);
  fprintf (self->table, "\n%-*s %11s  %-23s %11s  result\n", ROW_COLUMNS,
      technique, "median", "10% .. 90%", "rate");
}

static void
print_row (Report *self, const ReportRow *row)
{
  g_autofree gchar *median = NULL, *range = NULL, *rate = NULL;

  if (row->us.median > 0) {
    g_autofree gchar *low = report_format_us (row->us.low);
    g_autofree gchar *high = report_format_us (row->us.high);

    median = report_format_us (row->us.median);
    range = g_strdup_printf ("%s .. %s", low, high);
  }
  if (row->per_second > 0)
    rate = format_rate (row->per_second);

  print_heading (self, row->technique);
  fprintf (self->table, "  %-*s %11s  %-23s %11s  %s%s%s\n", ROW_COLUMNS - 2,
      row->row, median ? median : "", range ? range : "", rate ? rate : "",
      verdict (row), *row->detail ? "; " : "", row->detail);
}

Report *
report_new (const GstClDevice *device, guint32 seed, FILE *table)
{
  Report *self = g_new0 (Report, 1);

  self->device = g_strdup (device->name);
  self->driver = g_strdup (device->driver_version);
  self->platform = g_strdup (device->platform_name);
  self->opencl = g_strdup (device->platform_version);
  self->seed = seed;
  self->rows = g_ptr_array_new_with_free_func ((GDestroyNotify) row_free);
  self->skipped = g_ptr_array_new_with_free_func ((GDestroyNotify) note_free);
  self->conclusions = g_ptr_array_new_with_free_func (
      (GDestroyNotify) note_free);
  self->table = table;

  if (table)
    fprintf (table, "Device: %s\nPlatform: %s, %s\nDriver: %s\n", self->device,
        self->platform, self->opencl, self->driver);

  return self;
}

void
report_free (Report *self)
{
  if (!self)
    return;

  clear_progress (self);
  g_free (self->device);
  g_free (self->driver);
  g_free (self->platform);
  g_free (self->opencl);
  g_ptr_array_unref (self->rows);
  g_ptr_array_unref (self->skipped);
  g_ptr_array_unref (self->conclusions);
  g_free (self->shown_technique);
  g_free (self);
}

void
report_progress (Report *self, const gchar *technique, const gchar *row)
{
  if (!isatty (STDERR_FILENO))
    return;

  clear_progress (self);
  fprintf (stderr, "%s%s%s", technique, row ? ": " : "", row ? row : "");
  fflush (stderr);
  self->has_progress = TRUE;
}

void
report_add (Report *self, const ReportRow *from)
{
  ReportRow *row = g_memdup2 (from, sizeof *from);

  row->technique = g_strdup (from->technique);
  row->row = g_strdup (from->row);
  row->detail = g_strdup (from->detail ? from->detail : "");
  if (row->figures)
    g_variant_ref_sink (row->figures);
  g_ptr_array_add (self->rows, row);

  clear_progress (self);
  if (!self->table)
    return;
  print_row (self, row);
  flush_table (self);
}

void
report_skip (Report *self, const gchar *technique, const gchar *row,
    const gchar *reason)
{
  add_note (self->skipped, technique, row, reason);

  clear_progress (self);
  if (!self->table)
    return;
  print_heading (self, technique);
  fprintf (self->table, "  %-*s skipped: %s\n", ROW_COLUMNS - 2, row, reason);
  flush_table (self);
}

void
report_conclude (Report *self, const gchar *technique, const gchar *sentence)
{
  add_note (self->conclusions, technique, NULL, sentence);
}

static gboolean
is_bad (const ReportRow *row)
{
  return !row->correct && !row->expected_wrong;
}

gboolean
report_finish (Report *self, GError **error)
{
  clear_progress (self);
  if (!self->table)
    return TRUE;

  fputc ('\n', self->table);
  for (guint i = 0; i < self->conclusions->len; i++) {
    const Note *note = g_ptr_array_index (self->conclusions, i);

    fprintf (self->table, "%s: %s\n", note->technique, note->words);
  }
  for (guint i = 0; i < self->rows->len; i++) {
    const ReportRow *row = g_ptr_array_index (self->rows, i);

    if (is_bad (row))
      fprintf (self->table, "WRONG: %s: %s\n", row->technique, row->row);
  }
  flush_table (self);
  if (self->table_errno == 0)
    return TRUE;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (self->table_errno),
      "cannot write the table: %s", g_strerror (self->table_errno));

  return FALSE;
}

gboolean
report_is_good (const Report *self)
{
  for (guint i = 0; i < self->rows->len; i++) {
    if (is_bad (g_ptr_array_index (self->rows, i)))
      return FALSE;
  }

  return TRUE;
}

/* --- JSON ----------------------------------------------------------------- */

static void
add_string (JsonBuilder *builder, const gchar *name, const gchar *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value ? value : "");
}

static void
add_boolean (JsonBuilder *builder, const gchar *name, gboolean value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, value);
}

/* JSON has no infinite numbers: omitted. */
static void
add_number (JsonBuilder *builder, const gchar *name, gdouble value)
{
  if (!isfinite (value))
    return;

  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, value);
}

static void
add_row (JsonBuilder *builder, const ReportRow *row)
{
  json_builder_begin_object (builder);
  add_string (builder, "technique", row->technique);
  add_string (builder, "row", row->row);
  add_boolean (builder, "correct", row->correct);
  add_boolean (builder, "expected_wrong", row->expected_wrong);
  if (row->us.median > 0) {
    add_number (builder, "median_us", row->us.median);
    add_number (builder, "low_us", row->us.low);
    add_number (builder, "high_us", row->us.high);
  }
  if (row->per_second > 0)
    add_number (builder, "per_second", row->per_second);
  if (*row->detail)
    add_string (builder, "detail", row->detail);

  if (row->figures) {
    GVariantIter iter;
    const gchar *name;
    gdouble value;

    g_variant_iter_init (&iter, row->figures);
    while (g_variant_iter_next (&iter, "{&sd}", &name, &value))
      add_number (builder, name, value);
  }
  json_builder_end_object (builder);
}

/* An array of objects; @words: the name of the note's text. */
static void
add_notes (JsonBuilder *builder, const gchar *name, const GPtrArray *notes,
    const gchar *words)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < notes->len; i++) {
    const Note *note = g_ptr_array_index (notes, i);

    json_builder_begin_object (builder);
    add_string (builder, "technique", note->technique);
    if (note->row)
      add_string (builder, "row", note->row);
    add_string (builder, words, note->words);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

gchar *
report_to_json (const Report *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree gchar *text = NULL;

  json_builder_begin_object (builder);
  add_string (builder, "device", self->device);
  add_string (builder, "driver", self->driver);
  add_string (builder, "platform", self->platform);
  add_string (builder, "opencl", self->opencl);
  add_string (builder, "version", PACKAGE_VERSION);
  json_builder_set_member_name (builder, "seed");
  json_builder_add_int_value (builder, self->seed);
  json_builder_set_member_name (builder, "rows");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->rows->len; i++)
    add_row (builder, g_ptr_array_index (self->rows, i));
  json_builder_end_array (builder);
  add_notes (builder, "skipped", self->skipped, "reason");
  add_notes (builder, "conclusions", self->conclusions, "sentence");
  json_builder_end_object (builder);

  root = json_builder_get_root (builder);
  text = json_to_string (root, TRUE);

  return g_strconcat (text, "\n", NULL);
}

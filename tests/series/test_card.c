/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known pictures: the cells of a frame against built-in cards and files. */

#include "eventlog.h"
#include "folder.h"
#include "suite.h"
#include "statistics/cells/gstclcard.h"

#define N          GST_CL_N_CELLS
#define N_BUILT_IN 4

static guint32 cells[GST_CL_SERIES_MAX_COMPONENTS][N];

/* EBU bars in R'G'B' of full range and 8 bits, whose colours have @level. */
static void
draw_bars (EventLog *log, guint white, guint level)
{
  log->frame.is_rgb = log->frame.is_full_range = TRUE;
  log->frame.n_components = 3;
  for (guint c = 0; c < 3; c++) {
    log->frame.cells[c] = cells[c];
    for (guint i = 0; i < N; i++) {
      const guint bar = i % GST_CL_CELLS_COLUMNS / 4;
      /* white, yellow, cyan, green, magenta, red, blue, black */
      const guint has[] = { !(bar & 2), bar < 4, !(bar & 1) };
      const guint code = bar == 0 ? white : has[c] ? level : 0;

      cells[c][i] = code * GST_CL_CELL_ONE;
    }
  }
}

/* Makes @n cells from @first on green. */
static void
cover (guint first, guint n)
{
  for (guint i = first; i < first + n; i++) {
    cells[0][i] = cells[2][i] = 0;
    cells[1][i] = 128 * GST_CL_CELL_ONE;
  }
}

TEST (test_bars)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_CARD);

  draw_bars (log, 255, 191);
  event_log_push (log, 10);
  event_log_expect (log, "card start 0.0; ");
  fail_unless_equals_string (log->last.word.name, "card");
  fail_unless_equals_string (log->last.word.text, "ebu-100-0-75-0");
  fail_unless_equals_string (log->last.values[0].name, "share");
  fail_unless_equals_float (log->last.values[0].value, 1.0);

  /* other bars end it at once */
  draw_bars (log, 255, 255);
  event_log_push (log, 10);
  event_log_expect (log, "card end 1.0 (1.0); card start 1.0; ");
  fail_unless_equals_string (log->last.word.text, "ebu-100-0-100-0");

  /* between the bars of 75 % and of 100 % is nothing */
  draw_bars (log, 255, 223);
  event_log_push (log, 10);
  event_log_expect (log, "card end 2.0 (1.0); ");
  fail_unless_equals_string (log->last.word.text, "ebu-100-0-100-0");
}

TEST (test_hysteresis)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_CARD);

  draw_bars (log, 255, 191);
  cover (0, 2 * 32); /* two of 18 rows: 88.9 % remain */
  event_log_push (log, 10);
  event_log_expect (log, "");
  draw_bars (log, 255, 191);
  cover (0, 32); /* 94.4 % */
  event_log_push (log, 10);
  event_log_expect (log, "card start 1.0; ");
  draw_bars (log, 255, 191);
  cover (0, 2 * 32);
  event_log_push (log, 10);
  event_log_expect (log, "");
  fail_unless (log->last.values[0].value > 0.9);
  cover (0, 3 * 32); /* 83.3 % */
  event_log_push (log, 1);
  event_log_expect (log, "card end 3.0 (2.0); ");
  fail_unless (log->last.values[0].value > 0.85);
  fail_unless (log->last.values[0].value < 0.9);
}

/* Luma alone: of 10 bits, limited range, BT.709. */
TEST (test_luma)
{
  static const gdouble lumas[] = { 1, .75 * .9278, .75 * .7874, .75 * .7152,
    .75 * .2848, .75 * .2126, .75 * .0722, 0 };
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_CARD);

  log->frame.depth = 10;
  log->frame.cells[0] = cells[0];
  for (guint i = 0; i < N; i++)
    cells[0][i] = (64 + 876 * lumas[i % GST_CL_CELLS_COLUMNS / 4]) *
                  GST_CL_CELL_ONE;
  event_log_push (log, 6);
  event_log_expect (log, "card start 0.0; ");
  fail_unless_equals_string (log->last.word.text, "ebu-100-0-75-0");

  /* R' alone says nothing, nor does a frame without cells */
  log->frame.is_rgb = TRUE;
  event_log_push (log, 1);
  event_log_expect (log, "card end 0.6 (0.6); ");
  log->frame.is_rgb = FALSE;
  log->frame.cells[0] = NULL;
  event_log_push (log, 10);
  event_log_expect (log, "");
}

/* A line of clqc-replay may have any numbers. */
TEST (test_any_numbers)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_CARD);

  for (guint depth = 8; depth <= 16; depth += 4) {
    for (guint c = 0; c < 3; c++) {
      log->frame.cells[c] = cells[c];
      for (guint i = 0; i < N; i++)
        cells[c][i] = (i + c) % 2 ? G_MAXUINT32 : 0;
    }
    log->frame.depth = depth;
    log->frame.n_components = 3;
    log->frame.is_rgb = FALSE;
    log->frame.is_full_range = depth == 12;
    event_log_push (log, 10);
    event_log_expect (log, "");
  }
}

/* --- files ---------------------------------------------------------------- */

/* Returns the group of a card of @n_white white cells. */
static gchar *
group_of (const gchar *name, guint n_white, const gchar *components)
{
  const guint n = g_str_equal (components, "RGB") ? 3 : 1;
  GString *text = g_string_new (NULL);

  g_string_append_printf (text,
      "[%s]\ngrid=32x18\ncomponents=%s\nlevels=", name, components);
  for (guint i = 0; i < n * N; i++)
    g_string_append (text, i < n * n_white ? "1000;" : "0;");
  g_string_append_c (text, '\n');

  return g_string_free (text, FALSE);
}

static gboolean
load (const gchar *path, const gchar *text, GError **error)
{
  fail_unless (g_file_set_contents (path, text, -1, NULL));

  return gst_cl_cards_load (path, error);
}

TEST (test_file)
{
  g_autofree gchar *path = g_build_filename (test_folder, "cards", NULL);
  g_autofree gchar *one = group_of ("words", 40, "RGB");
  g_autofree gchar *two = group_of ("more words", 60, "Y");
  g_autofree gchar *both = g_strconcat (one, two, NULL);
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_CARD);

  fail_unless (load (path, both, NULL));
  log->settings.card_file = g_intern_string (path);
  event_log_configure (log, GST_CL_EVENT_CARD);

  /* black has 93 % of the cells of the card, but none of those marked */
  draw_bars (log, 0, 0);
  event_log_push (log, 10);
  event_log_expect (log, "");
  for (guint c = 0; c < 3; c++) {
    for (guint i = 0; i < 40; i++)
      cells[c][i] = 255 * GST_CL_CELL_ONE;
  }
  event_log_push (log, 10);
  event_log_expect (log, "card start 1.0; ");
  fail_unless_equals_string (log->last.word.text, "words");
  fail_unless_equals_float (log->last.values[0].value, 1.0);
  for (guint c = 0; c < 3; c++) {
    for (guint i = 40; i < 60; i++)
      cells[c][i] = 255 * GST_CL_CELL_ONE;
  }
  /* 20 of 576 cells more: another card, which is 3 % better */
  event_log_push (log, 10);
  event_log_expect (log, "card end 2.0 (1.0); card start 2.0; ");
  fail_unless_equals_string (log->last.word.text, "more words");
  for (guint c = 0; c < 3; c++) {
    for (guint i = 45; i < 60; i++)
      cells[c][i] = 0;
  }
  /* 2.6 % less of one card, and 0.9 % of the other: 1.7 % */
  event_log_push (log, 10);
  event_log_expect (log, "");
  gst_cl_events_finish (log->events);
  event_log_expect (log, "card end 4.0 (2.0); ");
  event_log_push (log, 10);
  fail_unless_equals_string (log->last.word.text, "words");

  /* the file has changed while it is used */
  event_log_expect (log, "card start 4.0; ");
  fail_unless (load (path, "", NULL));
  event_log_push (log, 10);
  event_log_expect (log, "card end 5.0 (1.0); ");
}

/* Cells with other words differ by less than other pictures do. */
TEST (test_words)
{
  g_autofree gchar *path = g_build_filename (test_folder, "cards", NULL);
  g_autofree gchar *words = group_of ("words", 27, "RGB");
  g_autofree gchar *picture = group_of ("picture", 28, "RGB");
  const struct {
    const gchar *text;
    guint n, percent;
    const gchar *events;
  } rows[] = {
    { words, 27, 99, "card start 0.0; " },
    { words, 27, 95, "" },
    { picture, 28, 95, "card start 0.0; " },
    { picture, 28, 85, "" },
  };

  for (guint row = 0; row < G_N_ELEMENTS (rows); row++) {
    g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_CARD);

    fail_unless (load (path, rows[row].text, NULL));
    log->settings.card_file = g_intern_string (path);
    event_log_configure (log, GST_CL_EVENT_CARD);
    draw_bars (log, 0, 0);
    for (guint i = 0; i < 3 * rows[row].n; i++)
      cells[i % 3][i / 3] = rows[row].percent * 255 * GST_CL_CELL_ONE / 100;
    event_log_push (log, 10);
    event_log_expect (log, rows[row].events);
  }
}

TEST (test_wrong_files)
{
  g_autofree gchar *path = g_build_filename (test_folder, "cards", NULL);
  g_autofree gchar *few = group_of ("x", 15, "RGB");
  g_autofree gchar *enough = group_of ("x", 16, "RGB");
  const struct {
    const gchar *text, *message;
  } rows[] = {
    { "no file", "Key file" },
    { "[x]\n", "grid" },
    { "[x]\ngrid=8x8\n", "card 'x': grid is not 32x18" },
    { "[x]\ngrid=32x18\n", "components" },
    { "[x]\ngrid=32x18\ncomponents=YUV\n",
        "card 'x': components is neither RGB nor Y" },
    { "[x]\ngrid=32x18\ncomponents=Y\n", "levels" },
    { "[x]\ngrid=32x18\ncomponents=Y\nlevels=1;x\n", "card 'x': " },
    { "[\xff]\n", "not UTF-8" },
    { "[x]\ngrid=32x18\ncomponents=Y\nlevels=1;2\n",
        "card 'x': levels does not have 576 numbers" },
    { few, "card 'x': fewer than 16 cells differ" },
  };

  fail_if (gst_cl_cards_load (path, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;

    fail_if (load (path, rows[i].text, &error), "%s", rows[i].text);
    fail_unless (g_str_has_prefix (error->message, path), "%s", error->message);
    fail_unless (strstr (error->message, rows[i].message), "%s",
        error->message);
  }
  fail_unless (load (path, enough, NULL));
  fail_unless_equals_int (gst_cl_cards_find (path)->len, N_BUILT_IN + 1);
  fail_unless (load (path, "", NULL)); /* no card yet */
  fail_unless_equals_int (gst_cl_cards_find (path)->len, N_BUILT_IN);
  fail_if (load (path, few, NULL)); /* keeps the last ones */
  fail_unless_equals_int (gst_cl_cards_find (path)->len, N_BUILT_IN);
}

SUITE (.setup = test_folder_setup, .teardown = test_folder_teardown);

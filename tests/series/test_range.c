/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The colour range that generated pictures show, and the event range. */

#include <math.h>
#include <string.h>

#include "eventlog.h"
#include "pagetable.h"
#include "suite.h"
#include "statistics/range/gstclrange.h"

#define WIDTH  160
#define HEIGHT 90

/* --- pictures ------------------------------------------------------------- */

/* Each returns the brightness at @x, @y, 0.0 to 1.0: black to white; values
 * beyond are clipped where the range ends. */

static gdouble
ramp (gint x, gint y)
{
  return x / (WIDTH - 1.0);
}

/* Smooth, with many dark and few bright samples. */
static gdouble
scene (gint x, gint y)
{
  const gdouble wave = sin (x / 9.0) * cos (y / 7.0) + sin (x * y / 900.0);

  return 0.35 + 0.15 * wave + 0.1 * x / WIDTH;
}

static gdouble
contrasty (gint x, gint y)
{
  return CLAMP ((scene (x, y) - 0.35) * 3 + 0.4, 0.0, 1.0);
}

static gdouble
night (gint x, gint y)
{
  return CLAMP ((scene (x, y) - 0.3) * 0.4, 0.0, 1.0);
}

static gdouble
snow (gint x, gint y)
{
  return CLAMP (scene (x, y) + 0.45, 0.0, 1.0);
}

static gdouble
letterbox (gint x, gint y)
{
  return y < 12 || y >= HEIGHT - 12 ? 0.0 : scene (x, y);
}

/* White with black letters on 3 % of the page. */
static gdouble
page (gint x, gint y)
{
  return x % 8 == 3 && y % 4 == 1 ? 0.0 : 1.0;
}

/* Highlights up to 109 % white, which cameras record. */
static gdouble
highlights (gint x, gint y)
{
  return CLAMP ((scene (x, y) - 0.35) * 3 + 0.6, 0.0, 1.09);
}

/* Edges that a filter has sharpened beyond black and white. */
static gdouble
sharpened (gint x, gint y)
{
  const gint edge = x % 20;

  return edge == 0 ? -0.03 : edge == 19 ? 1.03 : edge < 10 ? 0.0 : 1.0;
}

static gdouble
grey (gint x, gint y)
{
  return 0.5;
}

static gdouble
black (gint x, gint y)
{
  return 0.0;
}

static gdouble
white (gint x, gint y)
{
  return 1.0;
}

static const struct {
  const gchar *name;
  gdouble (*brightness) (gint x, gint y);
  gdouble noise; /* standard deviation, codes of 8 bits */
} pictures[] = {
  { "ramp from black to white", ramp, 0 },
  { "clipped at black and white", contrasty, 0 },
  { "the same, noise 2", contrasty, 2 },
  { "the same, noise 5", contrasty, 5 },
  { "no black and no white", scene, 0 },
  { "the same, noise 2", scene, 2 },
  { "dark, clipped at black", night, 0 },
  { "the same, noise 1", night, 1 },
  { "the same, noise 3", night, 3 },
  { "the same, noise 8", night, 8 },
  { "the same, noise 15", night, 15 },
  { "bright, clipped at white", snow, 0 },
  { "the same, noise 2", snow, 2 },
  { "letterbox", letterbox, 0 },
  { "the same, noise 1", letterbox, 1 },
  { "the same, noise 3", letterbox, 3 },
  { "black text on white", page, 0 },
  { "highlights above white", highlights, 0 },
  { "sharpened edges", sharpened, 0 },
  { "flat grey", grey, 0 },
  { "flat black", black, 0 },
  { "the same, noise 2", black, 2 },
  { "flat white", white, 0 },
};

static gdouble
normal (GRand *rand)
{
  const gdouble radius = sqrt (-2 * log (1 - g_rand_double (rand)));

  return radius * cos (2 * G_PI * g_rand_double (rand));
}

/* Fills @histogram with picture @index. @depth: in bits, 8 to 16. */
static void
draw (guint32 *histogram, guint index, guint depth, gboolean is_full)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (index);
  const gint scale = 1 << (depth - 8), n_codes = 1 << depth;
  const gdouble lowest = is_full ? 0 : 16 * scale;
  const gdouble range = is_full ? n_codes - 1 : 219 * scale;

  memset (histogram, 0, n_codes * sizeof *histogram);
  for (gint y = 0; y < HEIGHT; y++) {
    for (gint x = 0; x < WIDTH; x++) {
      const gdouble code = lowest + range * pictures[index].brightness (x, y) +
                           pictures[index].noise * scale * normal (rand);

      histogram[CLAMP ((gint) floor (code + 0.5), 0, n_codes - 1)]++;
    }
  }
}

static GstClRangeEvidence
evidence_of (guint index, guint depth, gboolean is_full)
{
  g_autofree guint32 *histogram = g_new (guint32, 1u << depth);
  const guint32 *histograms[] = { histogram };

  draw (histogram, index, depth, is_full);

  return gst_cl_range_find_evidence (histograms, 1, depth);
}

/* --- docs/events.md ------------------------------------------------------- */

#define TABLE_HEAD                                                             \
  "| picture | limited, 8 bits | full, 8 bits | limited, 10 bits | "           \
  "full, 10 bits |\n|---|---|---|---|---|\n"

/* The page has the evidence of each picture; WRITE_TABLES=1 writes it. */
TEST (test_page)
{
  g_autoptr (GString) table = g_string_new (TABLE_HEAD);

  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++) {
    g_string_append_printf (table, "| %s ", pictures[i].name);
    for (guint depth = 8; depth <= 10; depth += 2) {
      for (guint full = 0; full < 2; full++)
        g_string_append_printf (table, "| %s ",
            gst_cl_range_evidence_name (evidence_of (i, depth, full)));
    }
    g_string_append (table, "|\n");
  }

  page_table_expect ("events.md", TABLE_HEAD, table->str);
}

/* No picture with little noise shows the wrong range, at any depth. */
TEST (test_no_wrong_evidence)
{
  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++) {
    for (guint depth = 8; depth <= 16; depth++) {
      if (pictures[i].noise > 10)
        continue;
      fail_if (evidence_of (i, depth, FALSE) == GST_CL_RANGE_FULL,
          "%s, %u bits", pictures[i].name, depth);
      fail_if (evidence_of (i, depth, TRUE) == GST_CL_RANGE_LIMITED,
          "%s, %u bits", pictures[i].name, depth);
    }
  }
}

/* Samples of all components count together. */
TEST (test_components)
{
  guint32 blue[256] = { 0 }, none[256] = { 0 };
  const guint32 *const histograms[] = { none, none, blue };

  fail_unless_equals_int (gst_cl_range_find_evidence (histograms, 3, 8),
      GST_CL_RANGE_UNKNOWN);
  none[0] = 100;
  blue[255] = 100;
  fail_unless_equals_int (gst_cl_range_find_evidence (histograms, 3, 8),
      GST_CL_RANGE_FULL);
  fail_unless_equals_int (gst_cl_range_find_evidence (histograms + 2, 1, 8),
      GST_CL_RANGE_UNKNOWN);
  none[0] = blue[255] = 0;
  none[16] = blue[235] = 100;
  fail_unless_equals_int (gst_cl_range_find_evidence (histograms, 3, 8),
      GST_CL_RANGE_LIMITED);
}

/* --- a stream ------------------------------------------------------------- */

TEST (test_of_frames)
{
  fail_unless_equals_int (gst_cl_range_of_frames (0, 0), GST_CL_RANGE_UNKNOWN);
  fail_unless_equals_int (gst_cl_range_of_frames (1, 0), GST_CL_RANGE_LIMITED);
  fail_unless_equals_int (gst_cl_range_of_frames (0, 1), GST_CL_RANGE_FULL);
  fail_unless_equals_int (gst_cl_range_of_frames (9, 1), GST_CL_RANGE_LIMITED);
  fail_unless_equals_int (gst_cl_range_of_frames (8, 1), GST_CL_RANGE_UNKNOWN);
  fail_unless_equals_int (gst_cl_range_of_frames (1, 9), GST_CL_RANGE_FULL);
  fail_unless_equals_int (gst_cl_range_of_frames (2, 9), GST_CL_RANGE_UNKNOWN);
}

static void
push_level (EventLog *log, guint code, guint n_samples, guint n_frames)
{
  event_log_set_level (log, 0, code, n_samples);
  event_log_push (log, n_frames);
}

/* The caps name limited range. */
TEST (test_full_as_limited)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_RANGE);

  push_level (log, 0, 9, 30); /* less than 1 % */
  push_level (log, 5, 100, 30);
  push_level (log, 255, 500, 30); /* highlights */
  event_log_expect (log, "");
  push_level (log, 0, 10, 20);
  event_log_expect (log, "");
  push_level (log, 4, 10, 1);
  event_log_expect (log, "range start 9.0; ");
  fail_unless_equals_string (log->last.values[0].name, "below");
  fail_unless_equals_float (log->last.values[0].value, 0.01);
  fail_unless_equals_string (log->last.values[1].name, "above");
  fail_unless_equals_float (log->last.values[1].value, 0.0);

  push_level (log, 128, 0, 100); /* either range */
  event_log_expect (log, "");
  push_level (log, 16, 10, 1);
  event_log_expect (log, "range end 21.1 (12.1); ");
}

TEST (test_limited_as_full)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_RANGE);

  log->frame.is_full_range = TRUE;
  push_level (log, 0, 100, 30);
  push_level (log, 16, 4, 30); /* less than 0.5 % */
  event_log_expect (log, "");
  push_level (log, 16, 5, 21);
  event_log_expect (log, "range start 6.0; ");
  gst_cl_events_finish (log->events);
  event_log_expect (log, "range end 8.1 (2.1); ");
  push_level (log, 235, 300, 21);
  event_log_expect (log, "range start 8.1; ");
}

/* Single frames further apart than the minimum duration are no event, unless
 * all frames are that far apart. */
TEST (test_single_frames)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_RANGE);

  for (guint i = 0; i < 5; i++) {
    push_level (log, 0, 100, 1);
    push_level (log, 128, 0, 30);
  }
  event_log_expect (log, "");
  push_level (log, 0, 100, 1);
  log->frame.time.timestamp += 10 * GST_SECOND;
  event_log_push (log, 1);
  event_log_expect (log, "range start 15.5; ");
}

/* 10 bits: the ends are 64 and 940. */
TEST (test_ten_bits)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_RANGE);

  log->frame.depth = 10;
  push_level (log, 18, 100, 30); /* nearer to code 5 of 8 bits than to 4 */
  event_log_expect (log, "");
  push_level (log, 17, 100, 30);
  event_log_expect (log, "range start 3.0; ");
  push_level (log, 65, 100, 1); /* near black of limited range */
  event_log_expect (log, "range end 6.0 (3.0); ");
}

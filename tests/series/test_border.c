/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Borders of generated clips, and the event border.
 *
 *     CLIPS_FOLDER=DIR test_unit_border
 *
 * writes luma of each clip of the page as DIR/CONDITION:DEPTH:SHAPE:BAR, with
 * two bytes for each sample of more than 8 bits, little-endian. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eventlog.h"
#include "pagetable.h"
#include "suite.h"
#include "statistics/profiles/gstclactivearea.h"

#define WIDTH        161
#define HEIGHT       91
#define N_FRAMES     30 /* of a clip, at ten a second */
#define MAX_FRAMES   100
#define N_COMPONENTS 3 /* Y, U and V; 4:2:0 */

/* --- clips ---------------------------------------------------------------- */

typedef struct {
  const gchar *name;
  guint widths[GST_CL_N_SIDES];
} Shape;

static const Shape shapes[] = {
  { "none", { 0, 0, 0, 0 } },
  { "letterbox", { 0, 0, 11, 12 } },
  { "pillarbox", { 20, 21, 0, 0 } },
  { "windowbox", { 16, 16, 9, 9 } },
};

/* Codes of 8 bits. */
static const struct {
  const gchar *name;
  gdouble codes[N_COMPONENTS];
} bars[] = {
  { "black", { 16, 128, 128 } },
  { "code 30", { 30, 128, 128 } },
  { "grey", { 120, 128, 128 } },
  { "white", { 235, 128, 128 } },
  { "blue", { 41, 240, 110 } },
};

typedef enum {
  SUBTITLES = 1 << 0, /* in the lower bar and in the picture, for a second */
  LOGO = 1 << 1,      /* in the upper left corner */
  DARK = 1 << 2,      /* the picture is almost black for a second */
  FADE = 1 << 3,      /* the picture fades in from black */
  BLENDED = 1 << 4,   /* the outermost lines of the picture are half bar */
} Extra;

static const struct {
  const gchar *name;
  guint depth;
  gdouble noise; /* standard deviation, codes of 8 bits */
  guint extras;
} conditions[] = {
  { "8 bits", 8, 0, 0 },
  { "10 bits", 10, 0, 0 },
  { "16 bits", 16, 0, 0 },
  { "noise 1", 8, 1, 0 },
  { "noise 3", 8, 3, 0 },
  { "subtitles", 8, 1, SUBTITLES },
  { "a logo", 8, 1, LOGO },
  { "a dark scene", 8, 1, DARK },
  { "a fade from black", 8, 1, FADE },
  { "blended edges", 8, 0, BLENDED },
};

typedef struct {
  guint widths[GST_CL_N_SIDES];
  const gdouble *bar; /* codes of 8 bits */
  guint depth;
  gdouble noise;
  guint extras;
  FILE *file; /* that luma is written to, or NULL */
} Clip;

/* Luma of the frame that is drawn. */
static guint luma[HEIGHT][WIDTH];

static gdouble
normal (GRand *rand)
{
  const gdouble radius = sqrt (-2 * log (1 - g_rand_double (rand)));

  return radius * cos (2 * G_PI * g_rand_double (rand));
}

static guint
component_width (guint c)
{
  return c == 0 ? WIDTH : (WIDTH + 1) / 2;
}

static guint
component_height (guint c)
{
  return c == 0 ? HEIGHT : (HEIGHT + 1) / 2;
}

/* What all clips have in common in the frame of a number. */
typedef struct {
  gdouble scene[HEIGHT][WIDTH]; /* brightness of the picture, 0.0 to 1.0 */
  gdouble noise[N_COMPONENTS][HEIGHT][WIDTH]; /* standard deviation 1 */
} Content;

static Content *
content_new (guint number)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (number);
  Content *self = g_new (Content, 1);
  const gdouble t = number / 3.0;

  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++)
      self->scene[y][x] = 0.45 + 0.17 * sin (x / 9.0 + t) * cos (y / 7.0 - t) +
                          0.15 * sin (x * y / 900.0 + t) +
                          0.1 * ((x + y) % 5) / 5.0;
  for (guint c = 0; c < N_COMPONENTS; c++)
    for (guint y = 0; y < component_height (c); y++)
      for (guint x = 0; x < component_width (c); x++)
        self->noise[c][y][x] = normal (rand);

  return self;
}

/* Returns the content of frame @number, which is computed once. */
static const Content *
content_of (guint number)
{
  static Content *contents[MAX_FRAMES];

  g_assert (number < MAX_FRAMES);
  if (!contents[number])
    contents[number] = content_new (number);

  return contents[number];
}

/* Returns the brightness of the picture, 0.0 to 1.0. */
static gdouble
scene (gint x, gint y, guint number, guint extras)
{
  const gdouble v = content_of (number)->scene[y][x];

  if ((extras & DARK) && number >= 10 && number < 20)
    return v * 0.01;
  if ((extras & FADE) && number < 10)
    return v * number / 10.0;

  return v;
}

static gboolean
is_letter (gint x, gint y, guint number)
{
  return number >= 10 && number < 20 && x > 40 && x < 120 && y > HEIGHT - 16 &&
         y < HEIGHT - 4 && (x / 2 + y / 2) % 3 == 0;
}

/* Returns the share of the picture in a pixel. */
static gdouble
share_of_picture (const Clip *clip, gint x, gint y)
{
  const gint left = clip->widths[GST_CL_SIDE_LEFT];
  const gint right = WIDTH - clip->widths[GST_CL_SIDE_RIGHT];
  const gint top = clip->widths[GST_CL_SIDE_TOP];
  const gint bottom = HEIGHT - clip->widths[GST_CL_SIDE_BOTTOM];
  const gboolean is_edge = (x == left && left > 0) ||
                           (x == right - 1 && right < WIDTH) ||
                           (y == top && top > 0) ||
                           (y == bottom - 1 && bottom < HEIGHT);

  if (x < left || x >= right || y < top || y >= bottom)
    return 0.0;

  return is_edge && (clip->extras & BLENDED) ? 0.5 : 1.0;
}

/* Returns component @c of a pixel, in codes of 8 bits. */
static gdouble
draw (const Clip *clip, gint x, gint y, guint c, guint number)
{
  const gdouble share = share_of_picture (clip, x, y);
  const gdouble v = scene (x, y, number, clip->extras);
  const gdouble picture = c == 0 ? 16 + 219 * v
                                 : 128 + 40 * sin (x / 30.0 + c) * v;

  if ((clip->extras & SUBTITLES) && is_letter (x, y, number))
    return c == 0 ? 210 : 128;
  if ((clip->extras & LOGO) && x >= 4 && x < 14 && y >= 3 && y < 8)
    return c == 0 ? 180 : 100;

  return share * picture + (1 - share) * clip->bar[c];
}

/* --- profiles ------------------------------------------------------------- */

typedef struct {
  GstClProfile profile;
  guint32 numbers[9][WIDTH];
} Drawn;

static void
init_drawn (Drawn *drawn, guint width, guint height)
{
  guint32 (*n)[WIDTH] = drawn->numbers;

  memset (drawn, 0, sizeof *drawn);
  memset (n[1], 0xff, sizeof n[1]);
  memset (n[6], 0xff, sizeof n[6]);
  drawn->profile = (GstClProfile){ height, width, n[0], n[1], n[2], n[3], n[4],
    n[5], n[6], n[7], n[8] };
}

static void
add_sample (guint32 (*n)[WIDTH], guint i, guint v, guint before)
{
  n[0][i] += v;
  n[1][i] = MIN (n[1][i], v);
  n[2][i] = MAX (n[2][i], v);
  n[3][i] += ABS ((gint) v - (gint) before);
}

static void
draw_component (Drawn *drawn, const Clip *clip, guint c, guint number)
{
  static guint codes[HEIGHT][WIDTH];
  const guint step = c == 0 ? 1 : 2;
  const guint width = component_width (c);
  const guint height = component_height (c);
  const gdouble scale = 1u << (clip->depth - 8);

  init_drawn (drawn, width, height);
  for (guint y = 0; y < height; y++) {
    for (guint x = 0; x < width; x++) {
      const gdouble code = draw (clip, x * step, y * step, c, number) +
                           clip->noise * content_of (number)->noise[c][y][x];

      codes[y][x] = CLAMP (floor (code * scale + 0.5), 0, 256 * scale - 1);
      if (c == 0)
        luma[y][x] = codes[y][x];
      add_sample (drawn->numbers, y, codes[y][x], codes[y > 0 ? y - 1 : y][x]);
      add_sample (drawn->numbers + 5, x, codes[y][x],
          codes[y][x > 0 ? x - 1 : x]);
    }
  }
}

static void
find (const Clip *clip, guint number, GstClBorders *borders)
{
  static Drawn drawn[N_COMPONENTS];
  const GstClProfile *profiles[N_COMPONENTS];

  for (guint c = 0; c < N_COMPONENTS; c++) {
    draw_component (&drawn[c], clip, c, number);
    profiles[c] = &drawn[c].profile;
  }
  gst_cl_borders_find (borders, profiles, N_COMPONENTS, clip->depth);
}

/* Appends luma of the drawn frame to @clip->file. */
static void
write_luma (const Clip *clip)
{
  static guint8 bytes[2 * WIDTH * HEIGHT];
  gsize n = 0;

  for (guint y = 0; y < HEIGHT; y++) {
    for (guint x = 0; x < WIDTH; x++) {
      bytes[n++] = luma[y][x] & 0xff;
      if (clip->depth > 8)
        bytes[n++] = luma[y][x] >> 8;
    }
  }
  fail_unless (fwrite (bytes, n, 1, clip->file) == 1);
}

static void
push (EventLog *log, const Clip *clip, guint number)
{
  log->frame.depth = clip->depth;
  log->frame.has_borders = TRUE;
  find (clip, number, &log->frame.borders);
  if (clip->file)
    write_luma (clip);
  event_log_push (log, 1);
}

/* --- hits and misses ------------------------------------------------------ */

/* Returns the events that @clip has if its borders are found in all frames. */
static gchar *
expected_events (const Shape *shape)
{
  return g_strdup (shape->name[0] == 'n' ? ""
                                         : "border start 0.0; border end 3.0 "
                                           "(3.0); ");
}

/* Returns the file that a clip is written to; NULL without CLIPS_FOLDER. */
static FILE *
open_file (const Shape *shape, guint bar, guint condition)
{
  const gchar *folder = g_getenv ("CLIPS_FOLDER");
  g_autofree gchar *name = g_strdup_printf ("%s:%u:%s:%s",
      conditions[condition].name, conditions[condition].depth, shape->name,
      bars[bar].name);
  g_autofree gchar *path = folder ? g_build_filename (folder, name, NULL)
                                  : NULL;
  FILE *file = path ? fopen (path, "wb") : NULL;

  fail_unless (!path || file);

  return file;
}

/* Returns TRUE if the clip has one event with its borders. */
static gboolean
is_hit (const Shape *shape, guint bar, guint condition)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BORDER);
  g_autofree gchar *expected = expected_events (shape);
  Clip clip = { .bar = bars[bar].codes,
    .depth = conditions[condition].depth,
    .noise = conditions[condition].noise,
    .extras = conditions[condition].extras,
    .file = open_file (shape, bar, condition) };
  gboolean is_right;

  memcpy (clip.widths, shape->widths, sizeof clip.widths);
  for (guint i = 0; i < N_FRAMES; i++)
    push (log, &clip, i);
  gst_cl_events_finish (log->events);
  if (clip.file)
    fclose (clip.file);

  /* the first frames of a fade show no border */
  is_right = conditions[condition].extras & FADE
                 ? g_str_has_suffix (expected, "; ") ==
                           g_str_has_suffix (log->text->str, "; ") &&
                       log->n_told == (*expected ? 2 : 0)
                 : strcmp (log->text->str, expected) == 0;
  for (guint s = 0; s < GST_CL_N_SIDES && *expected; s++) {
    /* half of the outermost lines is bar: they belong to it */
    const guint more = clip.widths[s] > 0 && (clip.extras & BLENDED);

    is_right &= log->last.values[s].value == clip.widths[s] + more;
  }
  if (*expected)
    is_right &= g_strcmp0 (log->last.word.text, shape->name) == 0;
  if (!is_right && g_getenv ("SHOW_MISSES"))
    g_printerr ("%s, %s, %s: %s(%g %g %g %g)\n", shape->name, bars[bar].name,
        conditions[condition].name, log->text->str, log->last.values[0].value,
        log->last.values[1].value, log->last.values[2].value,
        log->last.values[3].value);
  g_string_truncate (log->text, 0);

  return is_right;
}

#define TABLE_HEAD                                                             \
  "| clips | none | letterbox | pillarbox | windowbox |\n|---|---|---|---|"    \
  "---|\n"

/* The page has the hits; WRITE_TABLES=1 writes it. */
TEST (test_page)
{
  g_autoptr (GString) table = g_string_new (TABLE_HEAD);

  for (guint i = 0; i < G_N_ELEMENTS (conditions); i++) {
    g_string_append_printf (table, "| %s ", conditions[i].name);
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++) {
      guint n = 0;

      for (guint b = 0; b < G_N_ELEMENTS (bars); b++)
        n += is_hit (&shapes[s], b, i);
      g_string_append_printf (table, "| %u of %u ", n,
          (guint) G_N_ELEMENTS (bars));
    }
    g_string_append (table, "|\n");
  }

  page_table_expect ("events.md", TABLE_HEAD, table->str);
}

/* --- streams -------------------------------------------------------------- */

static Clip
clip_of (guint shape)
{
  Clip clip = { .bar = bars[0].codes, .depth = 8 };

  memcpy (clip.widths, shapes[shape].widths, sizeof clip.widths);

  return clip;
}

static void
push_clip (EventLog *log, guint shape, guint n_frames)
{
  const Clip clip = clip_of (shape);

  for (guint i = 0; i < n_frames; i++)
    push (log, &clip, i);
}

/* Each cut to another shape ends an event and begins one. */
TEST (test_cuts)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BORDER);

  push_clip (log, 1, 20);
  event_log_expect (log, "border start 0.0; ");
  fail_unless_equals_string (log->last.word.name, "kind");
  fail_unless_equals_string (log->last.word.text, "letterbox");
  push_clip (log, 2, 5);
  event_log_expect (log, "");
  push_clip (log, 2, 1);
  event_log_expect (log, "border end 2.0 (2.0); border start 2.0; ");
  fail_unless_equals_string (log->last.word.text, "pillarbox");
  push_clip (log, 0, 10);
  event_log_expect (log, "border end 2.6 (0.6); ");
  push_clip (log, 3, 3);
  push_clip (log, 0, 10);
  event_log_expect (log, "");
}

/* The first frame decides at once, but is no event if later frames differ
 * before the least duration has passed. */
TEST (test_short_start)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BORDER);

  push_clip (log, 3, 2);
  push_clip (log, 0, 10);
  event_log_expect (log, "");
  push_clip (log, 3, 6);
  event_log_expect (log, "border start 1.2; ");
}

/* The borders of frames of one size end with them, also if the next frames show
 * the same ones, or nothing. */
TEST (test_sizes)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BORDER);
  Clip black = clip_of (0);

  black.widths[GST_CL_SIDE_LEFT] = WIDTH;
  push_clip (log, 1, 20);
  event_log_expect (log, "border start 0.0; ");
  log->frame.borders.frame_width = 2 * WIDTH;
  push_clip (log, 1, 10);
  event_log_expect (log, "border end 2.0 (2.0); border start 2.0; ");
  log->frame.borders.frame_height = 2 * HEIGHT;
  push (log, &black, 0);
  event_log_expect (log, "border end 3.0 (1.0); ");
}

/* Black frames show nothing, and change nothing. */
TEST (test_black)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BORDER);
  Clip black = clip_of (0);

  black.widths[GST_CL_SIDE_LEFT] = WIDTH;
  for (guint i = 0; i < 20; i++)
    push (log, &black, i);
  event_log_expect (log, "");
  fail_if (gst_cl_borders_are_evident (&log->frame.borders));
  fail_unless_equals_uint64 (log->frame.borders.limit[GST_CL_SIDE_TOP], HEIGHT);
  push_clip (log, 1, 10);
  event_log_expect (log, "border start 2.0; ");
  for (guint i = 0; i < 20; i++)
    push (log, &black, i);
  event_log_expect (log, "");
  push_clip (log, 1, 10);
  event_log_expect (log, "");
}

/* Rows of a frame of one row, and of one column. */
TEST (test_small)
{
  guint32 numbers[] = { 16 };
  const GstClProfile profile = { 1, 1, numbers, numbers, numbers, numbers,
    numbers, numbers, numbers, numbers, numbers };
  const GstClProfile *profiles[] = { &profile };
  GstClBorders borders;

  gst_cl_borders_find (&borders, profiles, 1, 8);
  for (guint s = 0; s < GST_CL_N_SIDES; s++) {
    fail_unless_equals_uint64 (borders.width[s], GST_CL_BORDER_UNKNOWN);
    fail_unless_equals_uint64 (borders.limit[s], 1);
  }
}

TEST (test_fields)
{
  GstClActiveArea area = { .is_known = TRUE, .widths = { 3, 4, 5, 6 } };
  GstClBorders borders = { { 3, 4, GST_CL_BORDER_UNKNOWN, 6 }, { 3, 4, 9, 6 },
    0, 0 };
  g_autoptr (GstStructure) structure = gst_structure_new_empty ("fields");
  g_autofree gchar *text = NULL;

  gst_cl_active_area_add_fields (&area, &borders, 100, 50, structure);
  text = gst_structure_to_string (structure);
  fail_unless_equals_string (text,
      "fields, active-x=(uint)3, active-y=(uint)5, active-width=(uint)93, "
      "active-height=(uint)39, active-evidence=(boolean)false;");
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Borders of frames, and the active area of a stream. */

#include "gstclactivearea.h"

#include <math.h>
#include <string.h>

#define MAX_COMPONENTS 3

/* --- lines of a side ------------------------------------------------------ */

/* In codes of 8 bits. */
#define MAX_RANGE   32.0 /* of the samples of a bar with much noise */
#define LEAST_RANGE 12.0 /* a bar may always have: ringing of codecs */
#define LEAST_DRIFT 2.0  /* of the means of its lines */
#define LEAST_STEP  2.0  /* mean difference at an edge */

#define STEP_TO_QUIET 4.0  /* an edge, compared with the noise of the bar */
#define OVERLAY_SHARE 0.20 /* of a line, that letters on a bar cover at most */
#define BLENDED_SHARE                                                          \
  0.75                    /* of the contrast, that a blended line has at most */
#define BLENDED_STEP 0.50 /* of the step before, inside of a blended line */
#define MAX_GAP      2    /* covered lines between a bar and its edge */
#define MAX_OUTER    4    /* lines outside, which may be no lines of the bar */

/* Codecs change lines of the bar that are in a block with the edge: up to
 * sixteen, because a block of 8 x 8 samples of chroma has as many. */
#define MAX_RINGING     16
#define RINGING_DRIFT   12.0 /* of the mean of such a line */
#define STEP_TO_RINGING 2.5  /* an edge, compared with steps before it */
#define RINGING_STEP    6.0  /* mean difference at an edge after such lines */

/* The lines of one side, from the outermost on: rows or columns of all
 * components. */
typedef struct {
  const GstClProfile *const *profiles;
  guint n_components;
  gdouble code; /* one code of 8 bits, in codes */
  gboolean has_rows, is_from_end;
  guint n_lines; /* of the first component */
} Lines;

/* The numbers of a line in one component, in codes of 8 bits. */
typedef struct {
  gdouble mean, min, max;
} Line;

static guint
count_lines (const Lines *lines, guint c)
{
  return lines->has_rows ? lines->profiles[c]->n_rows
                         : lines->profiles[c]->n_columns;
}

static gboolean
is_subsampled (const Lines *lines, guint c)
{
  return count_lines (lines, c) < lines->n_lines;
}

/* Returns the index of line @i in component @c. A line of a subsampled
 * component may be of the bar and of the picture: it counts when its last line
 * is reached. */
static guint
find_index (const Lines *lines, guint i, guint c)
{
  const guint n = count_lines (lines, c);
  const guint n_shared = (lines->n_lines + n - 1) / n;
  const guint line = i - MIN (n_shared - 1, i);
  const guint index = lines->is_from_end ? lines->n_lines - 1 - line : line;

  return (guint64) index * n / lines->n_lines;
}

static Line
get_line (const Lines *lines, guint i, guint c)
{
  const GstClProfile *profile = lines->profiles[c];
  const guint k = find_index (lines, i, c);
  const gdouble code = lines->code;

  if (lines->has_rows)
    return (Line){ profile->row_sum[k] / (profile->n_columns * code),
      profile->row_min[k] / code, profile->row_max[k] / code };

  return (Line){ profile->column_sum[k] / (profile->n_rows * code),
    profile->column_min[k] / code, profile->column_max[k] / code };
}

/* Returns the mean difference between line @i and the line outside of it, in
 * the component where it is greatest; subsampled components do not count. @i:
 * at least 1. */
static gdouble
get_step (const Lines *lines, guint i)
{
  gdouble greatest = 0.0;

  for (guint c = 0; c < lines->n_components; c++) {
    const GstClProfile *profile = lines->profiles[c];
    /* a difference is that to the line with the lower index */
    const guint k = find_index (lines, lines->is_from_end ? i - 1 : i, c);
    const guint32 sum = lines->has_rows ? profile->row_difference[k]
                                        : profile->column_difference[k];
    const guint n = lines->has_rows ? profile->n_columns : profile->n_rows;

    if (!is_subsampled (lines, c))
      greatest = MAX (greatest, sum / (n * lines->code));
  }

  return greatest;
}

/* --- one side of a frame -------------------------------------------------- */

/* The colour of a bar, and how much lines of it vary. */
typedef struct {
  gdouble mean[MAX_COMPONENTS];
  gdouble range[MAX_COMPONENTS]; /* least to greatest sample */
} Bar;

typedef enum {
  PART_OF_BAR,
  PARTLY_COVERED, /* a bar with letters or a logo, or a dark picture */
  PICTURE,
} LineKind;

/* Takes the bar's colour from the first flat line outside. Returns FALSE if
 * there is none: the picture has no bar. */
static gboolean
find_bar (const Lines *lines, Bar *bar)
{
  for (guint i = 0; i < MIN (MAX_OUTER, lines->n_lines); i++) {
    gboolean is_flat = TRUE;

    for (guint c = 0; c < lines->n_components; c++) {
      const Line line = get_line (lines, i, c);

      bar->mean[c] = line.mean;
      bar->range[c] = line.max - line.min;
      is_flat &= bar->range[c] <= MAX_RANGE;
    }
    if (is_flat)
      return TRUE;
  }

  return FALSE;
}

/* @change: the mean difference to the line outside, if that is a line of the
 * bar; else 0. */
static LineKind
classify (const Lines *lines, guint i, const Bar *bar, gdouble change)
{
  LineKind kind = PART_OF_BAR;

  for (guint c = 0; c < lines->n_components; c++) {
    const Line line = get_line (lines, i, c);
    const gdouble range = MAX (2 * bar->range[c], LEAST_RANGE);
    const gdouble drift = fabs (line.mean - bar->mean[c]);
    const gdouble contrast = MAX (line.max - bar->mean[c],
        bar->mean[c] - line.min);

    if (line.max - line.min <= range &&
        drift <= LEAST_DRIFT + bar->range[c] / 8)
      continue;
    /* samples of the bar are left, and they are most of the line */
    if (line.min > bar->mean[c] + range / 2 ||
        line.max < bar->mean[c] - range / 2 ||
        MAX (drift, is_subsampled (lines, c) ? 0.0 : change) >
            OVERLAY_SHARE * contrast)
      return PICTURE;
    /* a line of a subsampled component may be covered beside this one */
    if (!is_subsampled (lines, c))
      kind = PARTLY_COVERED;
  }

  return kind;
}

/* Returns TRUE if line @i is blended of the bar and of the line inside, as a
 * scaler does. */
static gboolean
is_blended (const Lines *lines, guint i, const Bar *bar)
{
  gdouble here = 0.0, inside = 0.0;

  if (i + 1 >= lines->n_lines ||
      get_step (lines, i + 1) <
          MAX (LEAST_STEP, BLENDED_STEP * get_step (lines, i)))
    return FALSE;
  for (guint c = 0; c < lines->n_components; c++) {
    const gdouble of_line = get_line (lines, i, c).mean - bar->mean[c];
    const gdouble of_inside = get_line (lines, i + 1, c).mean - bar->mean[c];

    if (!is_subsampled (lines, c) && fabs (of_inside) > fabs (inside)) {
      inside = of_inside;
      here = of_line;
    }
  }

  return here * inside > 0 && fabs (here) < BLENDED_SHARE * fabs (inside);
}

/* Returns TRUE if the bar ends with an edge between lines @i - 1 and @i.
 * @quiet: the mean difference of lines of the bar. */
static gboolean
has_edge (const Lines *lines, guint i, gdouble quiet)
{
  return get_step (lines, i) >= MAX (LEAST_STEP, STEP_TO_QUIET * quiet);
}

/* Returns TRUE if line @i may be a line of the bar that a codec has changed. */
static gboolean
is_near_bar (const Lines *lines, guint i, const Bar *bar)
{
  for (guint c = 0; c < lines->n_components; c++) {
    if (fabs (get_line (lines, i, c).mean - bar->mean[c]) > RINGING_DRIFT)
      return FALSE;
  }

  return TRUE;
}

/* Returns the line at which the bar ends, behind lines from @end on (at least
 * 1) that a codec has changed; 0: there is none. */
static guint
find_edge_after_ringing (const Lines *lines, guint end, const Bar *bar)
{
  const guint n = MIN (lines->n_lines, end + MAX_RINGING + 1);
  gdouble greatest = 0.0, before = 0.0;
  guint edge = 0;

  for (guint i = end; i < n; i++) {
    const gdouble step = get_step (lines, i);

    if (step > greatest) {
      before = greatest;
      greatest = step;
      edge = i;
    }
    if (!is_near_bar (lines, i, bar))
      break;
  }

  return greatest >= MAX (RINGING_STEP, STEP_TO_RINGING * before) &&
                 classify (lines, edge, bar, 0.0) == PICTURE
             ? edge
             : 0;
}

static void
find_border (const Lines *lines, guint64 *width, guint64 *limit)
{
  const guint n = lines->n_lines;
  guint i, end = 0, n_quiet = 0;
  gdouble quiet = 0.0;
  gboolean is_before_bar = FALSE;
  Bar bar;

  *width = *limit = 0;
  if (!find_bar (lines, &bar))
    return;

  /* @end: behind the last line of the bar */
  for (i = 0; i < n; i++) {
    const gdouble change = is_before_bar ? get_step (lines, i) : 0.0;
    const LineKind kind = classify (lines, i, &bar, change);

    if (kind == PICTURE && i >= MAX_OUTER)
      break;
    if (kind == PICTURE && end > 0)
      break;
    if (kind == PART_OF_BAR) {
      if (is_before_bar) {
        quiet += change;
        n_quiet++;
      }
      end = i + 1;
    }
    is_before_bar = kind == PART_OF_BAR;
  }
  *limit = i;
  *width = GST_CL_BORDER_UNKNOWN;
  if (i == n)
    return;
  /* no edge, or one that may be that of a block */
  if (end > 0 && (end + MAX_GAP < i || get_step (lines, i) < RINGING_STEP)) {
    const guint edge = find_edge_after_ringing (lines, end, &bar);

    if (edge > 0)
      i = end = edge;
  }
  if (end + MAX_GAP < i)
    return;
  if (has_edge (lines, i, n_quiet > 0 ? quiet / n_quiet : 0.0)) {
    *width = is_blended (lines, i, &bar) ? i + 1 : i;
    *limit = *width;
  }
}

void
gst_cl_borders_find (GstClBorders *borders, const GstClProfile *const *profiles,
    guint n_components, guint depth)
{
  for (guint s = 0; s < GST_CL_N_SIDES; s++) {
    Lines lines = {
      .profiles = profiles,
      .n_components = MIN (n_components, MAX_COMPONENTS),
      .code = 1u << (depth - 8),
      .has_rows = s == GST_CL_SIDE_TOP || s == GST_CL_SIDE_BOTTOM,
      .is_from_end = s == GST_CL_SIDE_RIGHT || s == GST_CL_SIDE_BOTTOM,
    };

    lines.n_lines = count_lines (&lines, 0);
    find_border (&lines, &borders->width[s], &borders->limit[s]);
  }
}

gboolean
gst_cl_borders_are_evident (const GstClBorders *borders)
{
  for (guint s = 0; s < GST_CL_N_SIDES; s++) {
    if (borders->width[s] == GST_CL_BORDER_UNKNOWN)
      return FALSE;
  }

  return TRUE;
}

/* --- a stream ------------------------------------------------------------- */

/* Sets @shown to the borders that a frame shows in a stream whose borders are
 * @widths: they stay where nothing contradicts them. */
static void
get_shown (const GstClBorders *borders, const guint64 *widths, guint64 *shown)
{
  for (guint s = 0; s < GST_CL_N_SIDES; s++) {
    const gboolean is_known = borders->width[s] != GST_CL_BORDER_UNKNOWN;

    if (is_known && borders->width[s] > widths[s])
      shown[s] = borders->width[s];
    else if (borders->limit[s] < widths[s])
      shown[s] = is_known ? borders->width[s] : borders->limit[s];
    else
      shown[s] = widths[s];
  }
}

static gboolean
are_equal (const guint64 *a, const guint64 *b)
{
  return memcmp (a, b, GST_CL_N_SIDES * sizeof *a) == 0;
}

/* Adds borders that differ from the current ones. Picture near the edge decides
 * as soon as one frame shows it; a wider border has to be the same in all
 * frames. */
static void
add_next (GstClActiveArea *self, const guint64 *shown, GstClockTime position)
{
  gboolean is_same = self->has_next;

  for (guint s = 0; s < GST_CL_N_SIDES && is_same; s++) {
    if (shown[s] < self->widths[s] && self->next[s] <= self->widths[s])
      self->next[s] = MIN (self->next[s], shown[s]);
    else
      is_same = shown[s] == self->next[s];
  }
  if (is_same)
    return;

  self->has_next = TRUE;
  memcpy (self->next, shown, sizeof self->next);
  self->next_since = position;
}

gboolean
gst_cl_active_area_ends (const GstClActiveArea *self,
    const GstClBorders *borders)
{
  return self->is_known && (self->frame_width != borders->frame_width ||
                               self->frame_height != borders->frame_height);
}

gboolean
gst_cl_active_area_add (GstClActiveArea *self, const GstClBorders *borders,
    GstClockTime position, GstClockTime min_duration)
{
  guint64 shown[GST_CL_N_SIDES];

  if (gst_cl_active_area_ends (self, borders))
    *self = (GstClActiveArea){ 0 };
  self->frame_width = borders->frame_width;
  self->frame_height = borders->frame_height;

  get_shown (borders, self->widths, shown);
  if (!self->is_known) {
    /* the first frame that shows all sides decides at once */
    if (!gst_cl_borders_are_evident (borders))
      return FALSE;
    self->is_known = TRUE;
    memcpy (self->widths, shown, sizeof self->widths);
    return TRUE;
  }

  if (are_equal (shown, self->widths)) {
    /* a frame without evidence does not restore them */
    if (self->has_next && gst_cl_borders_are_evident (borders))
      self->has_next = FALSE;
    return FALSE;
  }

  add_next (self, shown, position);
  if (position - self->next_since < min_duration)
    return FALSE;

  self->has_next = FALSE;
  memcpy (self->widths, self->next, sizeof self->widths);

  return TRUE;
}

void
gst_cl_active_area_add_fields (const GstClActiveArea *self,
    const GstClBorders *borders, guint width, guint height,
    GstStructure *structure)
{
  const guint64 *widths = self->widths;
  const guint x = MIN (widths[GST_CL_SIDE_LEFT], width);
  const guint y = MIN (widths[GST_CL_SIDE_TOP], height);
  const guint right = MIN (widths[GST_CL_SIDE_RIGHT], width - x);
  const guint bottom = MIN (widths[GST_CL_SIDE_BOTTOM], height - y);

  gst_structure_set (structure, "active-x", G_TYPE_UINT, x, "active-y",
      G_TYPE_UINT, y, "active-width", G_TYPE_UINT, width - x - right,
      "active-height", G_TYPE_UINT, height - y - bottom, "active-evidence",
      G_TYPE_BOOLEAN, gst_cl_borders_are_evident (borders), NULL);
}

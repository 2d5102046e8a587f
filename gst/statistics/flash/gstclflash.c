/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts flashes of whole pictures and of regions. */

#include "gstclflash.h"

#include <math.h>
#include <string.h>

#define N_KINDS GST_CL_FLASH_N_KINDS

/* Windows of time. Timestamps, or durations that are added up, are rounded:
 * pictures that are a whole number of seconds apart must not be in one window
 * because of that. */
#define ROUNDING      GST_MSECOND
#define SECOND        (GST_SECOND - ROUNDING)
#define EXTENDED_TIME (5 * GST_SECOND - ROUNDING)
#define EXTENDED_MIN  (4 * GST_SECOND - ROUNDING)

/* Transitions in a second: a flash is a pair of them. */
#define MAX_TRANSITIONS     6
#define WARNING_TRANSITIONS 4

/* Pictures within EXTENDED_TIME of which the state is kept: 200 a second. At
 * higher rates the windows are shorter. */
#define MAX_PICTURES 1024

/* The difference of the means from which a transition is counted, and the mean
 * from which the darker picture has none; red has no such limit. */
static const gdouble steps[N_KINDS] = { 0.1, 20.0 };
static const gdouble dark_limits[N_KINDS] = { 0.8, G_MAXDOUBLE };

/* The values of one in the units of the device. */
static const gdouble ones[N_KINDS] = { GST_CL_FLASH_ONE,
  GST_CL_FLASH_ONE / 320.0 };

/* --- windows of time ------------------------------------------------------ */

/* A picture of the last five seconds. */
typedef struct {
  GstClockTime time;
  gdouble difference[N_KINDS];
  gboolean turns[N_KINDS];     /* it has a transition */
  gboolean is_active[N_KINDS]; /* it has four to six in its second */
} Picture;

/* The last pictures, in a ring. */
typedef struct {
  Picture pictures[MAX_PICTURES];
  guint first, n;
} Pictures;

static Picture *
get_picture (Pictures *self, guint i)
{
  return &self->pictures[(self->first + i) % MAX_PICTURES];
}

/* Adds a picture at @time, and drops those that are too old. */
static Picture *
push_picture (Pictures *self, GstClockTime time)
{
  Picture *picture;

  while (self->n == MAX_PICTURES ||
         (self->n > 0 && time - get_picture (self, 0)->time >= EXTENDED_TIME)) {
    self->first = (self->first + 1) % MAX_PICTURES;
    self->n--;
  }
  picture = get_picture (self, self->n++);
  *picture = (Picture){ .time = time };

  return picture;
}

/* Returns the index of the first picture within @span before the last one. */
static guint
find_since (Pictures *self, GstClockTime span)
{
  const GstClockTime now = get_picture (self, self->n - 1)->time;
  guint i = self->n - 1;

  while (i > 0 && now - get_picture (self, i - 1)->time < span)
    i--;

  return i;
}

static GstClFlashResult
judge (guint n_transitions, guint n_active, guint n_required)
{
  if (n_transitions > MAX_TRANSITIONS)
    return GST_CL_FLASH_FAIL;
  if (n_transitions < WARNING_TRANSITIONS)
    return GST_CL_FLASH_PASS;

  return n_active >= n_required ? GST_CL_FLASH_EXTENDED : GST_CL_FLASH_WARNING;
}

static gboolean
is_active (guint n_transitions)
{
  return n_transitions >= WARNING_TRANSITIONS &&
         n_transitions <= MAX_TRANSITIONS;
}

/* --- regions -------------------------------------------------------------- */

/* A third of the picture in each direction: 341 x 256 of 1024 x 768. */
#define WINDOW_COLUMNS (GST_CL_FLASH_COLUMNS / 3)
#define WINDOW_ROWS    (GST_CL_FLASH_ROWS / 3)
#define N_WINDOWS_X    (GST_CL_FLASH_COLUMNS - WINDOW_COLUMNS + 1)
#define N_WINDOWS_Y    (GST_CL_FLASH_ROWS - WINDOW_ROWS + 1)

/* Region 0 is the picture, the others are the windows in row order. */
#define N_REGIONS (1 + N_WINDOWS_X * N_WINDOWS_Y)

/* Changes of a smaller share of the region end the sum of a slow change. */
#define LEAST_SHARE 0.01

/* A change is of one direction if the other one has at most this share. */
#define OTHER_SHARE 0.25

#define N_TIMES 16 /* transitions whose time is kept */

typedef struct {
  gint last_direction;         /* of the last transition: 1, -1, or 0: none */
  gdouble n_rising, n_falling; /* cells that have turned, picture by picture */
  gdouble n_rises, n_falls;    /* of the picture before; 0 after a transition */
  gdouble share; /* of cells that turn in the picture of the last transition */
  guint n_times, last_time; /* of times, and the index of the last one */
  GstClockTime times[N_TIMES];
  guint n_active; /* pictures of the last five seconds that were active */
  guint8 active[MAX_PICTURES / 8]; /* a bit for each picture of the ring */
} Region;

struct _GstClFlash {
  GstClFlashState state;
  gint columns, rows; /* of cells, of the last picture; 0: none */
  gdouble mean[N_KINDS];
  gdouble sum[N_KINDS];    /* accumulated differences of one direction */
  guint n_summed[N_KINDS]; /* pictures in the sum */
  Pictures pictures;
  guint n_pictures; /* that have been added, modulo MAX_PICTURES */

  Region regions[N_KINDS][N_REGIONS];
  gboolean has_turned[N_KINDS]; /* a region has had a transition */

  /* sums of tiles above and to the left of a corner */
  guint32 rises[GST_CL_FLASH_ROWS + 1][GST_CL_FLASH_COLUMNS + 1];
  guint32 falls[GST_CL_FLASH_ROWS + 1][GST_CL_FLASH_COLUMNS + 1];
};

/* The tiles of a region. */
typedef struct {
  gint x, y, end_x, end_y;
} Tiles;

static Tiles
tiles_of_region (guint index)
{
  const gint window = (gint) index - 1;
  const gint x = window % N_WINDOWS_X, y = window / N_WINDOWS_X;

  if (index == 0)
    return (Tiles){ 0, 0, GST_CL_FLASH_COLUMNS, GST_CL_FLASH_ROWS };

  return (Tiles){ x, y, x + WINDOW_COLUMNS, y + WINDOW_ROWS };
}

static gint
start_of (gint tile, gint n_tiles, gint n_cells)
{
  return (gint) ((gint64) n_cells * tile / n_tiles);
}

static gdouble
count_cells (const GstClFlash *self, const Tiles *tiles)
{
  const gint width = start_of (tiles->end_x, GST_CL_FLASH_COLUMNS,
                         self->columns) -
                     start_of (tiles->x, GST_CL_FLASH_COLUMNS, self->columns);
  const gint height = start_of (tiles->end_y, GST_CL_FLASH_ROWS, self->rows) -
                      start_of (tiles->y, GST_CL_FLASH_ROWS, self->rows);

  return (gdouble) width * height;
}

static guint32
sum_of (guint32 sums[][GST_CL_FLASH_COLUMNS + 1], const Tiles *t)
{
  return sums[t->end_y][t->end_x] - sums[t->y][t->end_x] -
         sums[t->end_y][t->x] + sums[t->y][t->x];
}

/* Sums the tiles of @counts; returns the number of transitions. */
static guint32
sum_tiles (GstClFlash *self, const GstClFlashCounts *counts, guint kind)
{
  for (gint y = 0; y < GST_CL_FLASH_ROWS; y++) {
    guint32 rises = 0, falls = 0;

    for (gint x = 0; x < GST_CL_FLASH_COLUMNS; x++) {
      const GstClFlashTile *tile = &counts->tiles[y * GST_CL_FLASH_COLUMNS + x];
      const gboolean is_red = kind == GST_CL_FLASH_OF_RED;

      rises += is_red ? tile->n_red_rises : tile->n_rises;
      falls += is_red ? tile->n_red_falls : tile->n_falls;
      self->rises[y + 1][x + 1] = self->rises[y][x + 1] + rises;
      self->falls[y + 1][x + 1] = self->falls[y][x + 1] + falls;
    }
  }

  return self->rises[GST_CL_FLASH_ROWS][GST_CL_FLASH_COLUMNS] +
         self->falls[GST_CL_FLASH_ROWS][GST_CL_FLASH_COLUMNS];
}

/* Adds the cells of a picture that rise and fall. A slow change turns them in
 * several pictures, one after the other, in one direction. Of @n_fields fields
 * of a frame, each has cells of its own. */
static void
add_cells (Region *region, gdouble n_rises, gdouble n_falls, gdouble n_cells,
    guint n_fields)
{
  if (n_rises + n_falls < LEAST_SHARE * n_cells) {
    region->n_rising = region->n_falling = 0;
  } else if (n_falls <= OTHER_SHARE * n_rises) {
    region->n_rising += n_rises;
    region->n_falling = 0;
  } else if (n_rises <= OTHER_SHARE * n_falls) {
    region->n_falling += n_falls;
    region->n_rising = 0;
  } else {
    region->n_rising = n_rises + (n_fields - 1) * region->n_rises;
    region->n_falling = n_falls + (n_fields - 1) * region->n_falls;
  }
  region->n_rises = n_rises;
  region->n_falls = n_falls;
}

/* Returns whether the region has a transition now. @area: the share of the
 * cells of a frame that more cells exceed. */
static gboolean
turn (Region *region, gdouble n_rises, gdouble n_falls, gdouble n_cells,
    gdouble area, guint n_fields)
{
  const gdouble limit = area * n_cells * n_fields;
  gboolean rises, falls;

  add_cells (region, n_rises, n_falls, n_cells, n_fields);
  rises = region->n_rising > limit;
  falls = region->n_falling > limit;
  if (rises && falls)
    region->last_direction = region->last_direction > 0 ? -1 : 1;
  else if (rises && region->last_direction <= 0)
    region->last_direction = 1;
  else if (falls && region->last_direction >= 0)
    region->last_direction = -1;
  else
    return FALSE;
  region->share = MAX (n_rises, n_falls) / n_cells;
  region->n_rising = region->n_falling = 0;
  region->n_rises = region->n_falls = 0;

  return TRUE;
}

static void
keep_time (Region *region, GstClockTime time)
{
  region->last_time = (region->last_time + 1) % N_TIMES;
  region->times[region->last_time] = time;
  region->n_times = MIN (region->n_times + 1, N_TIMES);
}

/* Returns the number of transitions in the second up to @now. */
static guint
count_times (const Region *region, GstClockTime now)
{
  guint n = 0;

  while (
      n < region->n_times &&
      now - region->times[(region->last_time + N_TIMES - n) % N_TIMES] < SECOND)
    n++;

  return n;
}

/* Sets the bit of picture @slot. */
static void
mark_active (Region *region, guint slot, gboolean is_set)
{
  guint8 *byte = &region->active[slot / 8];
  const guint8 bit = (guint8) (1u << slot % 8);

  if (!(*byte & bit) == !is_set)
    return;
  *byte ^= bit;
  if (is_set)
    region->n_active++;
  else
    region->n_active--;
}

/* Steps all regions of a kind, and returns the index of the worst one; of
 * equal ones, of the one with the largest share of cells. */
static guint
step_regions (GstClFlash *self, guint kind, GstClockTime now, gdouble area,
    guint n_fields, guint n_required)
{
  const guint newest = (self->pictures.first + self->pictures.n - 1) %
                       MAX_PICTURES;
  guint64 *worst_result = &self->state.region_result[kind];
  guint64 *worst_transitions = &self->state.region_transitions[kind];
  gdouble worst_share = 0;
  guint worst = 0;

  for (guint i = 0; i < N_REGIONS; i++) {
    Region *region = &self->regions[kind][i];
    const Tiles tiles = tiles_of_region (i);
    const gdouble n_cells = count_cells (self, &tiles);
    const gdouble n_rises = sum_of (self->rises, &tiles);
    const gdouble n_falls = sum_of (self->falls, &tiles);
    guint n, result;

    if (n_cells > 0 &&
        turn (region, n_rises, n_falls, n_cells, area, n_fields)) {
      keep_time (region, now);
      self->has_turned[kind] = TRUE;
    }
    n = count_times (region, now);
    mark_active (region, newest, is_active (n));
    result = judge (n, region->n_active, n_required);
    if (n > 0 && (result > *worst_result ||
                     (result == *worst_result &&
                         (n > *worst_transitions ||
                             (n == *worst_transitions &&
                                 region->share > worst_share))))) {
      *worst_result = result;
      *worst_transitions = n;
      worst_share = region->share;
      worst = i;
    }
  }

  return worst;
}

/* Forgets the activity of pictures that have left the ring. */
static void
expire (GstClFlash *self, guint slot)
{
  for (guint kind = 0; kind < N_KINDS; kind++) {
    for (guint i = 0; self->has_turned[kind] && i < N_REGIONS; i++)
      mark_active (&self->regions[kind][i], slot, FALSE);
  }
}

static void
set_region (GstClFlash *self, guint index)
{
  const Tiles tiles = tiles_of_region (index);
  GstClFlashState *state = &self->state;

  state->x = 2 * start_of (tiles.x, GST_CL_FLASH_COLUMNS, self->columns);
  state->y = 2 * start_of (tiles.y, GST_CL_FLASH_ROWS, self->rows);
  state->width = 2 * start_of (tiles.end_x, GST_CL_FLASH_COLUMNS,
                         self->columns) -
                 state->x;
  state->height = 2 * start_of (tiles.end_y, GST_CL_FLASH_ROWS, self->rows) -
                  state->y;
}

/* --- the mean of the picture ---------------------------------------------- */

static gboolean
have_one_sign (gdouble a, gdouble b)
{
  return (a <= 0 && b <= 0) || (a >= 0 && b >= 0);
}

/* Adds the difference of the last picture to the sum of those of one direction
 * in the last second. Returns whether that is a transition. */
static gboolean
accumulate (GstClFlash *self, guint kind, gdouble darker)
{
  Pictures *pictures = &self->pictures;
  const gdouble before = self->sum[kind];
  const gdouble difference = get_picture (pictures, pictures->n - 1)
                                 ->difference[kind];

  if (have_one_sign (before, difference)) {
    const guint since = find_since (pictures, SECOND);
    const guint n = MIN (self->n_summed[kind] + 1, pictures->n - since);

    self->n_summed[kind] = n;
    self->sum[kind] = 0;
    for (guint i = pictures->n - n; i < pictures->n; i++)
      self->sum[kind] += get_picture (pictures, i)->difference[kind];
  } else {
    self->n_summed[kind] = 1;
    self->sum[kind] = difference;
  }

  if (have_one_sign (before, self->sum[kind]) && fabs (before) >= steps[kind])
    return FALSE;

  return fabs (self->sum[kind]) >= steps[kind] && darker < dark_limits[kind];
}

/* Steps the mean of a kind; the last of the pictures is the current one. */
static void
step_mean (GstClFlash *self, guint kind, gdouble mean, gdouble changed_share,
    gdouble area, guint n_required)
{
  Pictures *pictures = &self->pictures;
  Picture *picture = get_picture (pictures, pictures->n - 1);
  GstClFlashState *state = &self->state;
  const gdouble difference = mean - self->mean[kind];
  guint n_transitions = 0, n_active = 0;

  /* A field is compared with the one of its parity; a difference of means of
   * two fields shows that at least this share differs. */
  state->area[kind] = MAX (changed_share,
      fabs (difference) * ones[kind] / GST_CL_FLASH_LARGEST);
  if (state->area[kind] >= area)
    picture->difference[kind] = difference;
  picture->turns[kind] = accumulate (self, kind, MIN (mean, self->mean[kind]));
  self->mean[kind] = mean;

  for (guint i = find_since (pictures, SECOND); i < pictures->n; i++)
    n_transitions += get_picture (pictures, i)->turns[kind];
  picture->is_active[kind] = is_active (n_transitions);
  for (guint i = 0; i < pictures->n; i++)
    n_active += get_picture (pictures, i)->is_active[kind];

  state->difference[kind] = self->sum[kind];
  state->transitions[kind] = n_transitions;
  state->result[kind] = judge (n_transitions, n_active, n_required);
}

/* --- pictures ------------------------------------------------------------- */

GstClFlash *
gst_cl_flash_new (void)
{
  return g_new0 (GstClFlash, 1);
}

void
gst_cl_flash_free (GstClFlash *self)
{
  g_free (self);
}

void
gst_cl_flash_reset (GstClFlash *self)
{
  memset (self, 0, sizeof *self);
}

const GstClFlashState *
gst_cl_flash_state (const GstClFlash *self)
{
  return &self->state;
}

/* Returns whether a picture of @counts is the first of a stream: it has not the
 * size of the last one. Of two fields, one may have another row of cells. */
static gboolean
is_first_picture (const GstClFlash *self, const GstClFlashCounts *counts,
    guint n_fields)
{
  return self->columns != counts->columns ||
         ABS (self->rows - counts->rows) >= (gint) n_fields;
}

/* Drops the pictures that leave the ring, and adds one. */
static void
push (GstClFlash *self, GstClockTime time)
{
  Pictures *pictures = &self->pictures;
  const guint n_before = pictures->n, first_before = pictures->first;
  guint n_dropped;

  push_picture (pictures, time);
  n_dropped = n_before + 1 - pictures->n;
  for (guint i = 0; i < n_dropped; i++)
    expire (self, (first_before + i) % MAX_PICTURES);
}

void
gst_cl_flash_add (GstClFlash *self, const GstClFlashCounts *counts,
    GstClockTime time, gdouble area, guint n_fields)
{
  const guint64 sums[N_KINDS] = { counts->luminance, counts->red };
  const guint64 n_changed[N_KINDS] = { counts->n_changed_luminance,
    counts->n_changed_red };
  const gboolean is_first = is_first_picture (self, counts, n_fields);
  const gdouble n_cells = (gdouble) counts->n_cells;
  guint n_required, worst[N_KINDS] = { 0 }, worse;

  if (counts->n_cells == 0)
    return;

  if (is_first) {
    gst_cl_flash_reset (self);
    for (guint kind = 0; kind < N_KINDS; kind++)
      self->mean[kind] = sums[kind] / n_cells / ones[kind];
  }
  self->columns = counts->columns;
  self->rows = counts->rows;
  if (self->pictures.n > 0)
    time = MAX (time,
        get_picture (&self->pictures, self->pictures.n - 1)->time);
  push (self, time);
  n_required = self->pictures.n - find_since (&self->pictures, EXTENDED_MIN);

  for (guint kind = 0; kind < N_KINDS; kind++) {
    const guint32 n_turns = sum_tiles (self, counts, kind);

    step_mean (self, kind, sums[kind] / n_cells / ones[kind],
        n_changed[kind] / n_cells, area, n_required);
    self->state.region_result[kind] = GST_CL_FLASH_PASS;
    self->state.region_transitions[kind] = 0;
    if (n_turns > 0 || self->has_turned[kind])
      worst[kind] = step_regions (self, kind, time, area, n_fields, n_required);
  }

  worse = self->state.region_result[GST_CL_FLASH_OF_RED] >
                      self->state.region_result[GST_CL_FLASH_OF_LUMINANCE] ||
                  self->state.region_transitions[GST_CL_FLASH_OF_LUMINANCE] == 0
              ? GST_CL_FLASH_OF_RED
              : GST_CL_FLASH_OF_LUMINANCE;
  if (self->state.region_transitions[worse] > 0)
    set_region (self, worst[worse]);
  else
    self->state.x = self->state.y = self->state.width = self->state.height = 0;
}

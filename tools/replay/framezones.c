/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The zones of a frame, from the members of a line. */

#include "framezones.h"

#include <string.h>

#include "frameerror.h"
#include "json.h"

#define PREFIX "zone-"

/* Members of zones that are no row of gst_cl_series_fields. */
enum {
  X,
  Y,
  WIDTH,
  HEIGHT,
  COUNT,
  SUM,
  SUM_SQUARES,
  HISTOGRAM,
  N_OWN,
};

/* A member is @n_levels arrays: components if there are several, then zones,
 * then bins. */
static const struct {
  const gchar *name;
  guint n_levels;
} rows[N_OWN] = {
  [X] = { PREFIX "x", 1 },
  [Y] = { PREFIX "y", 1 },
  [WIDTH] = { PREFIX "width", 1 },
  [HEIGHT] = { PREFIX "height", 1 },
  [COUNT] = { PREFIX "count", 2 },
  [SUM] = { PREFIX "sum", 2 },
  [SUM_SQUARES] = { PREFIX "sum-squares", 2 },
  [HISTOGRAM] = { PREFIX "histogram", 3 },
};

/* Row N_OWN + i is row i of gst_cl_series_fields. */
#define N_MEMBERS (N_OWN + GST_CL_SERIES_N_FIELDS)

typedef struct {
  gboolean is_present;
  GArray *numbers; /* guint64; of histograms guint32; NULL: was never there */
  guint sizes[JSON_MAX_LEVELS];
} Member;

struct _FrameZones {
  Member members[N_MEMBERS];
  GArray *zones; /* GstClSeriesZone */
};

FrameZones *
frame_zones_new (void)
{
  FrameZones *self = g_new0 (FrameZones, 1);

  self->zones = g_array_new (FALSE, FALSE, sizeof (GstClSeriesZone));

  return self;
}

void
frame_zones_free (FrameZones *self)
{
  for (guint i = 0; i < N_MEMBERS; i++)
    g_clear_pointer (&self->members[i].numbers, g_array_unref);
  g_array_unref (self->zones);
  g_free (self);
}

void
frame_zones_reset (FrameZones *self)
{
  for (guint i = 0; i < N_MEMBERS; i++)
    self->members[i].is_present = FALSE;
}

/* --- reading -------------------------------------------------------------- */

gboolean
frame_zones_has_member (const gchar *text, gsize length)
{
  return length > strlen (PREFIX) &&
         strncmp (text, PREFIX, strlen (PREFIX)) == 0;
}

/* Returns the row of a member; N_MEMBERS: events do not need it. */
static guint
find_row (const gchar *text, gsize length)
{
  const gsize prefix = strlen (PREFIX);

  for (guint i = 0; i < N_OWN; i++) {
    if (json_is_name (rows[i].name, text, length))
      return i;
  }
  for (guint i = 0; i < GST_CL_SERIES_N_FIELDS; i++) {
    const GstClSeriesField *field = &gst_cl_series_fields[i];

    if (gst_cl_series_field_is_of_zones (field) &&
        json_is_name (field->name, text + prefix, length - prefix))
      return N_OWN + i;
  }

  return N_MEMBERS;
}

gboolean
frame_zones_read (FrameZones *self, const gchar *text, gsize length,
    const gchar **at)
{
  const guint row = find_row (text, length);
  Member *member = &self->members[row];

  if (row == N_MEMBERS)
    return json_skip_value (at);

  if (!member->numbers)
    member->numbers = g_array_new (FALSE, FALSE,
        row == HISTOGRAM ? sizeof (guint32) : sizeof (guint64));
  member->is_present = TRUE;

  return json_read_table (at, row < N_OWN ? rows[row].n_levels : 1,
      member->numbers, member->sizes);
}

/* --- zones ---------------------------------------------------------------- */

static gboolean
is_needed (guint row, GstClStatistics needs)
{
  if (row == HISTOGRAM)
    return (needs & (GST_CL_STATISTIC (BRIGHTNESS) |
                        GST_CL_STATISTIC (HISTOGRAM))) != 0;
  if (row < N_OWN)
    return TRUE;

  return gst_cl_series_field_is_of_zones (&gst_cl_series_fields[row - N_OWN]) &&
         (gst_cl_series_fields[row - N_OWN].statistic & needs);
}

/* Returns the largest number that is allowed in @row. */
static guint64
find_limit (guint row)
{
  return row <= HEIGHT ? G_MAXINT : row == COUNT ? G_MAXUINT32 : G_MAXUINT64;
}

/* Returns whether @row has a number for each zone, component and code of
 * @input. */
static gboolean
has_sizes (const FrameZones *self, guint row, const GstClSeriesInput *input,
    guint n_zones)
{
  const Member *member = &self->members[row];
  const guint n_levels = row < N_OWN ? rows[row].n_levels : 1;

  if (n_levels == 3)
    return member->sizes[0] == input->n_components &&
           member->sizes[1] == n_zones &&
           member->sizes[2] == 1u << input->frame.depth;
  for (guint i = 0; i < member->numbers->len; i++) {
    if (g_array_index (member->numbers, guint64, i) > find_limit (row))
      return FALSE;
  }

  return n_levels == 1 ? member->sizes[0] == n_zones
                       : member->sizes[0] == input->n_components &&
                             member->sizes[1] == n_zones;
}

static gboolean
refuse_row (guint row, gboolean (*refuse) (GError **error, const gchar *field),
    GError **error)
{
  const gchar *own = row < N_OWN ? rows[row].name : NULL;
  g_autofree gchar *name = own ? g_strdup (own)
                               : g_strconcat (PREFIX,
                                     gst_cl_series_fields[row - N_OWN].name,
                                     NULL);

  return refuse (error, name);
}

static gboolean
check_members (const FrameZones *self, const GstClSeriesInput *input,
    guint n_zones, GstClStatistics needs, GError **error)
{
  for (guint i = 0; i < N_MEMBERS; i++) {
    if (!is_needed (i, needs))
      continue;
    if (!self->members[i].is_present)
      return refuse_row (i, frame_refuse_missing, error);
    if (!has_sizes (self, i, input, n_zones))
      return refuse_row (i, frame_refuse_wrong, error);
  }

  return TRUE;
}

static guint64
get_number (const FrameZones *self, guint row, guint i)
{
  return g_array_index (self->members[row].numbers, guint64, i);
}

static void
set_zone (const FrameZones *self, GstClSeriesZone *zone, guint z, guint n_zones,
    const GstClSeriesInput *input, GstClStatistics needs)
{
  const GstClSeriesFrame *whole = &input->frame;

  *zone = (GstClSeriesZone){
    .x = get_number (self, X, z),
    .y = get_number (self, Y, z),
    .width = get_number (self, WIDTH, z),
    .height = get_number (self, HEIGHT, z),
    .frame = { .time = whole->time,
        .buffer_flags = whole->buffer_flags,
        .depth = whole->depth,
        .is_full_range = whole->is_full_range,
        .is_rgb = whole->is_rgb },
  };

  for (guint c = 0; c < input->n_components; c++) {
    const guint i = c * n_zones + z, to = zone->frame.n_components;

    if (*input->names[c] == 'A')
      continue;
    zone->frame.moments[to] = (GstClMoments){
      .count = get_number (self, COUNT, i),
      .sum = get_number (self, SUM, i),
      .sum_squares = get_number (self, SUM_SQUARES, i),
    };
    if (is_needed (HISTOGRAM, needs))
      zone->frame.histograms[to] = &g_array_index (
          self->members[HISTOGRAM].numbers, guint32, i << whole->depth);
    zone->frame.n_components++;
  }
  for (guint i = 0; i < GST_CL_SERIES_N_FIELDS; i++) {
    if (is_needed (N_OWN + i, needs))
      G_STRUCT_MEMBER (guint64, &zone->frame,
          gst_cl_series_fields[i].offset) = get_number (self, N_OWN + i, z);
  }
}

gboolean
frame_zones_set (FrameZones *self, GstClSeriesInput *input,
    GstClStatistics needs, GError **error)
{
  const guint n_zones = self->members[X].sizes[0];

  if (!self->members[X].is_present)
    return TRUE;
  if (!check_members (self, input, n_zones, needs, error))
    return FALSE;

  g_array_set_size (self->zones, n_zones);
  for (guint z = 0; z < n_zones; z++)
    set_zone (self, &g_array_index (self->zones, GstClSeriesZone, z), z,
        n_zones, input, needs);
  input->n_zones = n_zones;
  input->zones = (const GstClSeriesZone *) self->zones->data;

  return TRUE;
}

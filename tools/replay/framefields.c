/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A line of JSON as fields. */

#include "framefields.h"

#include <string.h>

#include "frameerror.h"
#include "json.h"
#include "output/gstclline.h"
#include "statistics/cells/gstclcells.h"

void
frame_fields_init (FrameFields *self, gboolean has_zones)
{
  *self = (FrameFields){
    .bins = g_array_new (FALSE, FALSE, sizeof (guint32)),
    .cells = g_array_new (FALSE, FALSE, sizeof (guint32)),
    .zones = has_zones ? frame_zones_new () : NULL,
  };
}

void
frame_fields_clear (FrameFields *self)
{
  g_clear_pointer (&self->bins, g_array_unref);
  g_clear_pointer (&self->cells, g_array_unref);
  g_clear_pointer (&self->zones, frame_zones_free);
}

/* --- values --------------------------------------------------------------- */

static gboolean
read_time (FrameFields *self, const gchar **at, gpointer member)
{
  guint64 *time = member;

  *time = GST_CLOCK_TIME_NONE;

  return json_read_word (at, "null") || json_read_uint64 (at, time);
}

static gboolean
read_number (FrameFields *self, const gchar **at, gpointer member)
{
  return json_read_uint64 (at, member);
}

static gboolean
read_numbers (FrameFields *self, const gchar **at, gpointer member)
{
  FrameNumbers *numbers = member;
  gboolean is_right = FALSE;

  numbers->n = 0;
  if (!json_read_character (at, '['))
    return FALSE;
  while (json_read_next (at, ']', numbers->n, &is_right)) {
    if (numbers->n == FRAME_MAX_COMPONENTS ||
        !json_read_uint64 (at, &numbers->values[numbers->n++]))
      return FALSE;
  }

  return is_right;
}

static gboolean
read_name (const gchar **at, const gchar **name)
{
  static const gchar *const names[] = { "Y", "U", "V", "R", "G", "B", "A" };
  const gchar *text;
  gsize length;

  if (!json_read_string (at, &text, &length) || length != 1)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    if (*text == *names[i]) {
      *name = names[i];
      return TRUE;
    }
  }

  return FALSE;
}

static gboolean
read_names (FrameFields *self, const gchar **at, gpointer member)
{
  gboolean is_right = FALSE;

  self->n_components = 0;
  if (!json_read_character (at, '['))
    return FALSE;
  while (json_read_next (at, ']', self->n_components, &is_right)) {
    if (self->n_components == FRAME_MAX_COMPONENTS ||
        !read_name (at, &self->names[self->n_components++]))
      return FALSE;
  }

  return is_right;
}

static gboolean
read_histograms (FrameFields *self, const gchar **at, gpointer member)
{
  guint sizes[2];

  if (!json_read_table (at, G_N_ELEMENTS (sizes), self->bins, sizes))
    return FALSE;
  self->n_histograms = sizes[0];

  return sizes[0] == 0 || sizes[1] > 0;
}

static gboolean
read_cells (FrameFields *self, const gchar **at, gpointer member)
{
  guint sizes[2];

  if (!json_read_table (at, G_N_ELEMENTS (sizes), self->cells, sizes))
    return FALSE;
  self->n_cell_means = sizes[0];

  return sizes[1] == 0 || sizes[1] == GST_CL_N_CELLS;
}

static gboolean
read_evidence (FrameFields *self, const gchar **at, gpointer member)
{
  GstClRangeEvidence *evidence = member;
  const gchar *text;
  gsize length;

  if (!json_read_string (at, &text, &length))
    return FALSE;
  for (guint i = 0; i < GST_CL_RANGE_N_EVIDENCES; i++) {
    if (json_is_name (gst_cl_range_evidence_name (i), text, length)) {
      *evidence = i;
      return TRUE;
    }
  }

  return FALSE;
}

static gboolean
skip (FrameFields *self, const gchar **at, gpointer member)
{
  return json_skip_value (at);
}

/* --- fields --------------------------------------------------------------- */

enum {
  IS_REQUIRED = 1 << 0, /* in every line */
  IS_HEADER = 1 << 1,   /* what a frame has that was not measured */
};

/* A field that has a member, and how it is read. */
typedef struct {
  const gchar *name;
  guint flags;
  gboolean (*read) (FrameFields *self, const gchar **at, gpointer member);
  gsize offset; /* of the member */
} Field;

#define TIME(name)         G_STRUCT_OFFSET (FrameFields, frame.time.name)
#define MEMBER(name)       G_STRUCT_OFFSET (FrameFields, name)
#define NUMBERS(statistic) MEMBER (numbers[FRAME_##statistic])

/* Statistics come first, so that their bits have names. */
static const Field fields[] = {
  [FRAME_COUNT] = { "count", 0, read_numbers, NUMBERS (COUNT) },
  [FRAME_SUM] = { "sum", 0, read_numbers, NUMBERS (SUM) },
  [FRAME_SUM_SQUARES] = { "sum-squares", 0, read_numbers,
      NUMBERS (SUM_SQUARES) },
  [FRAME_MIN] = { "min", 0, read_numbers, NUMBERS (MIN) },
  [FRAME_MAX] = { "max", 0, read_numbers, NUMBERS (MAX) },
  [FRAME_HISTOGRAM] = { "histogram", 0, read_histograms, 0 },
  [FRAME_RANGE_EVIDENCE] = { "range-evidence", 0, read_evidence,
      MEMBER (evidence) },
  [FRAME_CELLS] = { "cell-means", 0, read_cells, 0 },
  { "timestamp", IS_HEADER | IS_REQUIRED, read_time, TIME (timestamp) },
  { "stream-time", IS_HEADER | IS_REQUIRED, read_time, TIME (stream_time) },
  { "running-time", IS_HEADER | IS_REQUIRED, read_time, TIME (running_time) },
  { "duration", IS_HEADER | IS_REQUIRED, read_time, TIME (duration) },
  { "frame", IS_HEADER | IS_REQUIRED, read_number, TIME (frame) },
  { "depth", IS_HEADER | IS_REQUIRED, read_number, MEMBER (depth) },
  { "components", IS_HEADER | IS_REQUIRED, read_names, 0 },
  { "element", IS_HEADER, skip, 0 },
  { "width", IS_HEADER, read_number, MEMBER (frame.borders.frame_width) },
  { "height", IS_HEADER, read_number, MEMBER (frame.borders.frame_height) },
  { "format", IS_HEADER, skip, 0 },
  { "schema", IS_HEADER, skip, 0 }, /* check_schema() */
};

/* Returns the largest value of @field: shares are at most 1, light has no
 * limit. */
static gdouble
find_limit (const GstClSeriesField *field)
{
  return field->statistic == GST_CL_STATISTIC (LEVELS) ? 1 : G_MAXDOUBLE;
}

static gboolean
read_series_field (FrameFields *self, const GstClSeriesField *field,
    const gchar **at)
{
  GstClSeriesFrame *frame = &self->frame;
  gboolean *flag;

  if (field->statistic == GST_CL_STATISTIC (ACTIVE_AREA))
    return read_time (self, at,
        G_STRUCT_MEMBER_P (frame, field->offset)); /* null: unknown */
  if (field->type == G_TYPE_UINT64)
    return json_read_uint64 (at,
        &G_STRUCT_MEMBER (guint64, frame, field->offset));
  if (field->type == G_TYPE_DOUBLE)
    return json_read_double (at, 0, find_limit (field),
        &G_STRUCT_MEMBER (gdouble, frame, field->offset));

  flag = &G_STRUCT_MEMBER (gboolean, frame, field->offset);
  *flag = json_read_word (at, "true");

  return *flag || json_read_word (at, "false");
}

/* Reads the value of the member @text, @length bytes. */
static gboolean
read_member (FrameFields *self, const gchar *text, gsize length,
    const gchar **at)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    if (json_is_name (fields[i].name, text, length)) {
      self->present |= 1u << i;
      self->is_measured |= !(fields[i].flags & IS_HEADER);
      return fields[i].read (self, at,
          G_STRUCT_MEMBER_P (self, fields[i].offset));
    }
  }

  self->is_measured = TRUE;
  for (guint i = 0; i < GST_CL_SERIES_N_FIELDS; i++) {
    if (json_is_name (gst_cl_series_fields[i].name, text, length)) {
      self->series |= G_GUINT64_CONSTANT (1) << i;
      return read_series_field (self, &gst_cl_series_fields[i], at);
    }
  }

  return self->zones && frame_zones_has_member (text, length)
             ? frame_zones_read (self->zones, text, length, at)
             : json_skip_value (at);
}

gboolean
frame_fields_has (const FrameFields *self, FrameStatistic statistic)
{
  return (self->present & 1u << statistic) != 0;
}

const gchar *
frame_fields_name (FrameStatistic statistic)
{
  return fields[statistic].name;
}

/* --- the line ------------------------------------------------------------- */

/* Reads all members behind the type. */
static gboolean
read_members (FrameFields *self, const gchar *at, GError **error)
{
  gboolean is_right;
  const gchar *text = "type";
  gsize length = strlen (text);

  while (json_read_next (&at, '}', 1, &is_right)) {
    if (!json_read_string (&at, &text, &length) ||
        !json_read_character (&at, ':'))
      return frame_refuse (error, "this is no line of JSON");
    if (!read_member (self, text, length, &at))
      return frame_refuse (error, "the field '%.*s' is wrong",
          (gint) MIN (length, 60), text);
  }
  if (!is_right)
    return frame_refuse (error, "the line breaks off after the field '%.*s'",
        (gint) MIN (length, 60), text);
  if (json_read_character (&at, '\0'))
    return TRUE;

  return frame_refuse (error, "there is more than one object");
}

/* Checks what every frame has. */
static gboolean
check_header (const FrameFields *self, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    if ((fields[i].flags & IS_REQUIRED) && !(self->present & 1u << i))
      return frame_refuse_missing (error, fields[i].name);
  }
  if (self->depth < 8 || self->depth > 16)
    return frame_refuse_wrong (error, "depth");
  if (self->is_measured && self->n_components == 0)
    return frame_refuse_wrong (error, "components");

  return TRUE;
}

static gboolean
read_type (const gchar **at, gboolean *is_frame, GError **error)
{
  const gchar *text;
  gsize length;

  if (!json_read_character (at, '{'))
    return frame_refuse (error, "this is no line of JSON");
  if (!json_read_string (at, &text, &length) ||
      !json_is_name ("type", text, length) || !json_read_character (at, ':') ||
      !json_read_string (at, &text, &length))
    return frame_refuse (error, "the first field is not 'type'");
  *is_frame = json_is_name ("frame", text, length);

  return TRUE;
}

/* Refuses lines of another version of the schema. The version follows the type
 * in the first line of a file; releases before version 1 wrote none. */
static gboolean
check_schema (const gchar *at, GError **error)
{
  const gchar *text;
  gsize length;
  guint64 version;

  if (!json_read_character (&at, ',') ||
      !json_read_string (&at, &text, &length) ||
      !json_is_name ("schema", text, length) || !json_read_character (&at, ':'))
    return TRUE;
  if (!json_read_uint64 (&at, &version))
    return frame_refuse_wrong (error, "schema");
  if (version == GST_CL_JSON_SCHEMA)
    return TRUE;

  return frame_refuse (error,
      "the lines have version %" G_GUINT64_FORMAT " of the schema, and this "
      "clqc-replay reads version %d: install the gst-opencl that wrote them",
      version, GST_CL_JSON_SCHEMA);
}

gboolean
frame_fields_read (FrameFields *self, const gchar *line, gboolean *is_frame,
    GError **error)
{
  const gchar *at = line;

  *self = (FrameFields){ .bins = self->bins,
    .cells = self->cells,
    .zones = self->zones };
  g_array_set_size (self->bins, 0);
  g_array_set_size (self->cells, 0);
  if (self->zones)
    frame_zones_reset (self->zones);
  *is_frame = FALSE;

  return read_type (&at, is_frame, error) && check_schema (at, error) &&
         (!*is_frame ||
             (read_members (self, at, error) && check_header (self, error)));
}

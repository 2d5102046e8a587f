/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts a line of JSON to GstClSeriesInput. */

#include "frameline.h"

#include <string.h>

#include "frameerror.h"
#include "framefields.h"
#include "statistics/cells/gstclcells.h"

struct _FrameLine {
  GstClStatistics needs, zone_needs;
  FrameFields fields;
  GstClSeriesInput input; /* borrows from the fields */
};

FrameLine *
frame_line_new (GstClStatistics needs, GstClStatistics zone_needs)
{
  FrameLine *self = g_new0 (FrameLine, 1);

  self->needs = needs;
  self->zone_needs = zone_needs;
  frame_fields_init (&self->fields, zone_needs != 0);

  return self;
}

void
frame_line_free (FrameLine *self)
{
  if (!self)
    return;

  frame_fields_clear (&self->fields);
  g_free (self);
}

const GstClSeriesInput *
frame_line_input (const FrameLine *self)
{
  return &self->input;
}

/* --- parts ---------------------------------------------------------------- */

static const struct {
  FrameStatistic statistic;
  GstClStatistics part; /* a line has all statistics of a part, or none */
} rows[] = {
  { FRAME_COUNT, GST_CL_STATISTIC (MOMENTS) },
  { FRAME_SUM, GST_CL_STATISTIC (MOMENTS) },
  { FRAME_SUM_SQUARES, GST_CL_STATISTIC (MOMENTS) },
  { FRAME_MIN, GST_CL_STATISTIC (RANGE) },
  { FRAME_MAX, GST_CL_STATISTIC (RANGE) },
  { FRAME_HISTOGRAM, GST_CL_STATISTIC (HISTOGRAM) },
  { FRAME_RANGE_EVIDENCE, GST_CL_STATISTIC (RANGE_EVIDENCE) },
};

/* Finds out which parts are pooled. Moments always are: nothing else says how
 * many samples there are. */
static gboolean
set_parts (FrameLine *self, GError **error)
{
  const FrameFields *fields = &self->fields;

  self->input.parts = GST_CL_STATISTIC (MOMENTS);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (frame_fields_has (fields, rows[i].statistic))
      self->input.parts |= rows[i].part;
  }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if ((self->input.parts & rows[i].part) &&
        !frame_fields_has (fields, rows[i].statistic))
      return frame_refuse_missing (error,
          frame_fields_name (rows[i].statistic));
  }

  return TRUE;
}

/* --- components ----------------------------------------------------------- */

/* Checks that @statistic, if the line has it, has one value per component, and
 * that all but sums are at most G_MAXUINT32, as their members are guint32. */
static gboolean
check_statistic (const FrameFields *fields, FrameStatistic statistic,
    GError **error)
{
  const gboolean is_long = statistic == FRAME_SUM ||
                           statistic == FRAME_SUM_SQUARES;
  const FrameNumbers *numbers = &fields->numbers[statistic];
  gboolean is_right = numbers->n == fields->n_components;

  if (!frame_fields_has (fields, statistic))
    return TRUE;

  for (guint c = 0; c < numbers->n && !is_long; c++)
    is_right &= numbers->values[c] <= G_MAXUINT32;

  return is_right || frame_refuse_wrong (error, frame_fields_name (statistic));
}

static gboolean
set_histograms (FrameLine *self, GError **error)
{
  const FrameFields *fields = &self->fields;
  const guint32 *bins = (const guint32 *) fields->bins->data;
  GstClSeriesInput *input = &self->input;

  if (!frame_fields_has (fields, FRAME_HISTOGRAM))
    return TRUE;

  if (fields->n_histograms != fields->n_components)
    return frame_refuse_wrong (error, frame_fields_name (FRAME_HISTOGRAM));
  input->n_bins = fields->bins->len / fields->n_histograms;
  if (input->n_bins > 1u << fields->depth)
    return frame_refuse_wrong (error, frame_fields_name (FRAME_HISTOGRAM));
  for (guint c = 0; c < fields->n_components; c++)
    input->components[c].histogram = bins + c * input->n_bins;

  return TRUE;
}

static gboolean
set_components (FrameLine *self, GError **error)
{
  const FrameFields *fields = &self->fields;
  const FrameNumbers *numbers = fields->numbers;
  GstClSeriesInput *input = &self->input;

  for (FrameStatistic s = 0; s < FRAME_HISTOGRAM; s++) {
    if (!check_statistic (fields, s, error))
      return FALSE;
  }

  input->evidence = fields->evidence;
  input->n_components = fields->n_components;
  for (guint c = 0; c < fields->n_components; c++) {
    input->names[c] = fields->names[c];
    input->components[c].moments = (GstClMoments){
      .count = numbers[FRAME_COUNT].values[c],
      .sum = numbers[FRAME_SUM].values[c],
      .sum_squares = numbers[FRAME_SUM_SQUARES].values[c],
      .min = numbers[FRAME_MIN].values[c],
      .max = numbers[FRAME_MAX].values[c],
    };
  }

  return set_histograms (self, error);
}

/* Returns the cells of component @c; NULL: the frame has none. */
static const guint32 *
get_cells (const FrameFields *fields, guint c)
{
  return fields->cells->len > 0
             ? &g_array_index (fields->cells, guint32, c * GST_CL_N_CELLS)
             : NULL;
}

/* Sets whether the line has the fields that @statistic needs: all of them, or
 * none. */
static gboolean
find_series_fields (const FrameFields *fields, GstClStatistics statistic,
    gboolean *has_any, GError **error)
{
  const GstClSeriesField *missing = NULL;

  *has_any = FALSE;
  for (guint i = 0; i < GST_CL_SERIES_N_FIELDS; i++) {
    const GstClSeriesField *field = &gst_cl_series_fields[i];

    if (!(field->statistic & statistic))
      continue;
    if (fields->series & G_GUINT64_CONSTANT (1) << i)
      *has_any = TRUE;
    else
      missing = field;
  }

  return !*has_any || !missing || frame_refuse_missing (error, missing->name);
}

/* Finds out which numbers of gst_cl_series_fields are pooled. */
static gboolean
set_series_parts (FrameLine *self, GError **error)
{
  static const GstClStatistics parts[] = { GST_CL_STATISTIC (NOISE),
    GST_CL_STATISTIC (BLOCKINESS), GST_CL_STATISTIC (LIGHT),
    GST_CL_STATISTIC (LEVELS) };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    gboolean has_any;

    if (!find_series_fields (&self->fields, parts[i], &has_any, error))
      return FALSE;
    if (has_any)
      self->input.parts |= parts[i];
  }

  return TRUE;
}

/* --- what detectors see --------------------------------------------------- */

static gboolean
set_frame (FrameLine *self, GError **error)
{
  GstClSeriesInput *input = &self->input;
  GstClSeriesFrame *frame = &input->frame;
  const gchar first = *input->names[0];

  if (frame_fields_has (&self->fields, FRAME_CELLS) &&
      self->fields.n_cell_means != input->n_components)
    return frame_refuse_wrong (error, frame_fields_name (FRAME_CELLS));

  frame->depth = self->fields.depth;
  frame->is_rgb = strchr ("RGB", first) != NULL;
  input->has_brightness = frame->is_rgb || first == 'Y';
  for (guint c = 0; c < input->n_components; c++) {
    if (*input->names[c] == 'A')
      continue;
    if (frame->n_components == GST_CL_SERIES_MAX_COMPONENTS)
      return frame_refuse_wrong (error, "components");
    frame->cells[frame->n_components] = get_cells (&self->fields, c);
    frame->histograms[frame->n_components] = input->components[c].histogram;
    frame->moments[frame->n_components++] = input->components[c].moments;
  }

  return set_series_parts (self, error) &&
         find_series_fields (&self->fields, GST_CL_STATISTIC (ACTIVE_AREA),
             &frame->has_borders, error) &&
         find_series_fields (&self->fields, GST_CL_STATISTIC (FIELDS),
             &frame->has_fields, error);
}

/* Checks that all is there that the events ask for, and sets the zones. */
static gboolean
check_needs (FrameLine *self, GError **error)
{
  const FrameFields *fields = &self->fields;
  const guint n_codes = 1u << fields->depth;

  if (!self->input.has_brightness)
    return TRUE;
  if (fields->zones &&
      !frame_zones_set (fields->zones, &self->input, self->zone_needs, error))
    return FALSE;

  for (guint i = 0; i < GST_CL_SERIES_N_FIELDS; i++) {
    const GstClSeriesField *field = &gst_cl_series_fields[i];

    if ((self->needs & field->statistic) &&
        !(fields->series & G_GUINT64_CONSTANT (1) << i))
      return frame_refuse_missing (error, field->name);
  }

  if ((self->needs & GST_CL_STATISTIC (CELLS)) &&
      !frame_fields_has (fields, FRAME_CELLS))
    return frame_refuse_missing (error, frame_fields_name (FRAME_CELLS));
  if (!(self->needs &
          (GST_CL_STATISTIC (BRIGHTNESS) | GST_CL_STATISTIC (HISTOGRAM))))
    return TRUE;
  if (!frame_fields_has (fields, FRAME_HISTOGRAM))
    return frame_refuse_missing (error, frame_fields_name (FRAME_HISTOGRAM));

  return self->input.n_bins == n_codes ||
         frame_refuse (error,
             "the field '%s' has %u bins, but the events ask for one for each "
             "of %u codes",
             frame_fields_name (FRAME_HISTOGRAM), self->input.n_bins, n_codes);
}

FrameLineResult
frame_line_read (FrameLine *self, const gchar *line, GError **error)
{
  gboolean is_frame;

  if (!frame_fields_read (&self->fields, line, &is_frame, error))
    return FRAME_LINE_WRONG;
  if (!is_frame)
    return FRAME_LINE_OTHER;

  self->input = (GstClSeriesInput){ .frame = self->fields.frame };
  if (!self->fields.is_measured)
    return FRAME_LINE_UNMEASURED;

  return set_parts (self, error) && set_components (self, error) &&
                 set_frame (self, error) && check_needs (self, error)
             ? FRAME_LINE_MEASURED
             : FRAME_LINE_WRONG;
}

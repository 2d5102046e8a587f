/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frame statistics as a GstStructure. */

#include "gstclstatistics.h"

#include "cl/video/gstclformat.h"
#include "statistics/cells/gstclcells.h"

/* --- fields -------------------------------------------------------------- */

/* The type of a member of the summary and of its field: COUNT is a guint32
 * stored as a uint64 in the structure. */
typedef enum {
  UINT64,
  COUNT,
  UINT,
  INT,
  DOUBLE,
  TEXT,
  HISTOGRAM,
  PACKED_HISTOGRAM,
  ROWS,
  COLUMNS,
  CELLS,
  COUNTS,
  SHAPE,
  DERIVED,
} Kind;

typedef struct {
  const gchar *name;
  GstClStatistics statistic; /* the flag that it belongs to */
  Kind kind;
  gsize offset; /* of the number, or of the histogram, in the summary */
  gdouble (*derive) (const GstClComponentMetrics *metrics, guint n_codes);
} Field;

/* Fields with one value per component. */
#define COMPONENT_FIELD(name, statistic, kind, member, unit, key, words)       \
  { name, GST_CL_STATISTIC (statistic), kind,                                  \
    G_STRUCT_OFFSET (GstClComponentSummary, member), NULL },
#define DERIVED_FIELD(name, statistic, function, unit, key, words)             \
  { name, GST_CL_STATISTIC (statistic), DERIVED, 0, function },
static const Field component_fields[] = { GST_CL_COMPONENT_FIELDS (
    COMPONENT_FIELD, DERIVED_FIELD) };

/* Fields with one value. */
#define REGION_FIELD(name, statistic, kind, member, unit, key, words)          \
  { name, GST_CL_STATISTIC (statistic), kind,                                  \
    G_STRUCT_OFFSET (GstClSummary, member), NULL },
static const Field region_fields[] = { GST_CL_REGION_FIELDS (REGION_FIELD) };

/* Returns TRUE if results have @field: of histograms, only one of two. */
static gboolean
is_reported (const GstClStatisticsShape *shape, const Field *field)
{
  const Kind unused = shape->has_packed_histograms ? HISTOGRAM
                                                   : PACKED_HISTOGRAM;

  return (shape->statistics & field->statistic) && field->kind != unused;
}

/* --- values -------------------------------------------------------------- */

static void
set_uint64 (GValue *value, guint64 n)
{
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, n);
}

static void
set_double (GValue *value, gdouble x)
{
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, x);
}

/* Sets @value to @n_bins sums of the @n_codes counts. */
static void
set_histogram (GValue *value, const guint32 *counts, guint n_codes,
    guint n_bins)
{
  gst_value_array_init (value, n_bins);
  for (guint b = 0; b < n_bins; b++) {
    GValue bin = G_VALUE_INIT;

    set_uint64 (&bin, gst_cl_distribution_bin (counts, n_codes, b, n_bins));
    gst_value_array_append_and_take_value (value, &bin);
  }
}

/* Sets @value to @n numbers (transfer full) as little-endian bytes. */
static void
take_packed (GValue *value, guint32 *numbers, gsize n)
{
  for (gsize i = 0; i < n; i++)
    numbers[i] = GUINT32_TO_LE (numbers[i]);
  g_value_init (value, G_TYPE_BYTES);
  g_value_take_boxed (value, g_bytes_new_take (numbers, n * sizeof *numbers));
}

/* Sets @value to @n_bins sums of the @n_codes counts, as bytes. */
static void
set_packed_histogram (GValue *value, const guint32 *counts, guint n_codes,
    guint n_bins)
{
  guint32 *bins = g_new (guint32, n_bins);

  gst_cl_distribution_fold (counts, n_codes, bins, n_bins);
  take_packed (value, bins, n_bins);
}

static void
set_counts (GValue *value, const GstClCounts *counts)
{
  const gsize n = (gsize) counts->shape[0] * counts->shape[1];

  take_packed (value, g_memdup2 (counts->counts, n * sizeof *counts->counts),
      n);
}

static void
set_shape (GValue *value, const GstClCounts *counts)
{
  gst_value_array_init (value, G_N_ELEMENTS (counts->shape));
  for (guint i = 0; i < G_N_ELEMENTS (counts->shape); i++) {
    GValue size = G_VALUE_INIT;

    g_value_init (&size, G_TYPE_UINT);
    g_value_set_uint (&size, counts->shape[i]);
    gst_value_array_append_and_take_value (value, &size);
  }
}

/* Sets @value to @n numbers. One GValue for each of the rows and columns of a
 * frame would take milliseconds. */
static void
set_numbers (GValue *value, const guint32 *numbers, guint n)
{
  g_value_init (value, G_TYPE_BYTES);
  g_value_take_boxed (value, g_bytes_new (numbers, n * sizeof *numbers));
}

/* Sets @value to @n numbers of the profile of @summary. */
static void
set_line (GValue *value, const GstClComponentSummary *summary,
    const guint32 *numbers, guint n)
{
  if (!summary->copy) {
    set_numbers (value, numbers, n);
    return;
  }

  g_value_init (value, G_TYPE_BYTES);
  g_value_take_boxed (value,
      g_bytes_new_from_bytes (summary->copy,
          (numbers - summary->copied) * sizeof *numbers, n * sizeof *numbers));
}

/* Initializes @value and sets it to the member of @summary that @field names.
 */
static void
set_field (GValue *value, const GstClStatisticsShape *shape, const Field *field,
    gconstpointer summary)
{
  switch (field->kind) {
    case UINT64:
      set_uint64 (value, G_STRUCT_MEMBER (guint64, summary, field->offset));
      break;
    case COUNT:
      set_uint64 (value, G_STRUCT_MEMBER (guint32, summary, field->offset));
      break;
    case UINT:
      g_value_init (value, G_TYPE_UINT);
      g_value_set_uint (value, G_STRUCT_MEMBER (guint, summary, field->offset));
      break;
    case INT:
      g_value_init (value, G_TYPE_INT);
      g_value_set_int (value, G_STRUCT_MEMBER (gint, summary, field->offset));
      break;
    case DERIVED:
      set_double (value,
          field->derive (&((const GstClComponentSummary *) summary)->metrics,
              shape->n_codes));
      break;
    case DOUBLE:
      set_double (value, G_STRUCT_MEMBER (gdouble, summary, field->offset));
      break;
    case TEXT:
      g_value_init (value, G_TYPE_STRING);
      g_value_set_static_string (value,
          G_STRUCT_MEMBER (const gchar *, summary, field->offset));
      break;
    case HISTOGRAM:
      set_histogram (value,
          G_STRUCT_MEMBER (const guint32 *, summary, field->offset),
          shape->n_codes, MIN (shape->n_bins, shape->n_codes));
      break;
    case PACKED_HISTOGRAM:
      set_packed_histogram (value,
          G_STRUCT_MEMBER (const guint32 *, summary, field->offset),
          shape->n_codes, MIN (shape->n_bins, shape->n_codes));
      break;
    case ROWS:
      set_line (value, summary,
          G_STRUCT_MEMBER (const guint32 *, summary, field->offset),
          ((const GstClComponentSummary *) summary)->profile.n_rows);
      break;
    case COLUMNS:
      set_line (value, summary,
          G_STRUCT_MEMBER (const guint32 *, summary, field->offset),
          ((const GstClComponentSummary *) summary)->profile.n_columns);
      break;
    case CELLS: {
      const guint32 *cells = G_STRUCT_MEMBER (const guint32 *, summary,
          field->offset);

      set_numbers (value, cells, cells ? GST_CL_N_CELLS : 0);
      break;
    }
    case COUNTS:
      set_counts (value,
          &G_STRUCT_MEMBER (GstClCounts, summary, field->offset));
      break;
    case SHAPE:
      set_shape (value, &G_STRUCT_MEMBER (GstClCounts, summary, field->offset));
      break;
  }
}

static void
append_field (GValue *array, const GstClStatisticsShape *shape,
    const Field *field, gconstpointer summary)
{
  GValue value = G_VALUE_INIT;

  set_field (&value, shape, field, summary);
  gst_value_array_append_and_take_value (array, &value);
}

/* --- pictures ------------------------------------------------------------ */

gboolean
gst_cl_statistics_has_two_fields (const GstClStatisticsShape *shape)
{
  const GstVideoInfo *info = &shape->info;
  const GstVideoInterlaceMode mode = GST_VIDEO_INFO_INTERLACE_MODE (info);

  for (guint i = 0; i < shape->n_components; i++) {
    if (GST_VIDEO_INFO_COMP_HEIGHT (info, shape->component_ids[i]) <
        GST_CL_MEASURED_FIELDS)
      return FALSE;
  }

  return mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED ||
         mode == GST_VIDEO_INTERLACE_MODE_MIXED;
}

gboolean
gst_cl_statistics_has_brightness (const GstClStatisticsShape *shape)
{
  if (shape->n_components == 0)
    return FALSE;
  if (GST_VIDEO_INFO_IS_RGB (&shape->info))
    return shape->component_ids[0] != GST_VIDEO_COMP_A;

  return shape->component_ids[0] == GST_VIDEO_COMP_Y;
}

gboolean
gst_cl_statistics_has_colour (const GstClStatisticsShape *shape)
{
  const GstVideoInfo *info = &shape->info;
  const guint n = GST_VIDEO_INFO_IS_GRAY (info) ? 1 : 3;

  if (!GST_VIDEO_INFO_IS_YUV (info) && !GST_VIDEO_INFO_IS_RGB (info) &&
      !GST_VIDEO_INFO_IS_GRAY (info))
    return FALSE;
  if (shape->n_components < n)
    return FALSE;

  for (guint i = 0; i < n; i++) {
    if (shape->component_ids[i] != i)
      return FALSE;
  }

  return TRUE;
}

gboolean
gst_cl_statistics_has_chroma (const GstClStatisticsShape *shape)
{
  return GST_VIDEO_INFO_IS_YUV (&shape->info) && shape->n_components >= 3 &&
         shape->component_ids[2] == GST_VIDEO_COMP_V;
}

/* --- which statistics ---------------------------------------------------- */

/* What a picture must have, and what has the statistic. */
enum { ANY, BRIGHTNESS, COLOUR, CHROMA };
enum { FRAMES, PICTURES, REGIONS };

static const struct {
  GstClStatistics statistic;
  GstClMetric metrics;
  guint of, where;
} rows[] = {
#define FLAG(statistic, nick, metrics, of, where, description)                 \
  { GST_CL_STATISTIC (statistic), metrics, of, where },
#define DETECTED(statistic, metrics)                                           \
  { GST_CL_STATISTIC (statistic), metrics, ANY, FRAMES },
  GST_CL_STATISTIC_TABLE (FLAG) GST_CL_DETECTED_TABLE (DETECTED)
#undef FLAG
#undef DETECTED
};

GstClMetric
gst_cl_statistics_metrics (GstClStatistics statistics)
{
  GstClMetric metrics = 0;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (statistics & rows[i].statistic)
      metrics |= rows[i].metrics;
  }

  return metrics;
}

GstClStatistics
gst_cl_statistics_of_picture (GstClStatistics statistics,
    const GstClStatisticsShape *shape)
{
  const gboolean has[] = {
    [ANY] = TRUE,
    [BRIGHTNESS] = gst_cl_statistics_has_brightness (shape),
    [COLOUR] = gst_cl_statistics_has_colour (shape),
    [CHROMA] = gst_cl_statistics_has_chroma (shape),
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (!has[rows[i].of])
      statistics &= ~rows[i].statistic;
  }
  if (GST_VIDEO_INFO_INTERLACE_MODE (&shape->info) ==
      GST_VIDEO_INTERLACE_MODE_ALTERNATE)
    statistics &= ~GST_CL_STATISTIC (FIELDS);

  return statistics;
}

/* Returns the subset of @statistics that exists at @where. */
static GstClStatistics
select_where (GstClStatistics statistics, guint where)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (rows[i].where < where)
      statistics &= ~rows[i].statistic;
  }

  return statistics;
}

GstClStatistics
gst_cl_statistics_of_fields (GstClStatistics statistics)
{
  return select_where (statistics, PICTURES);
}

GstClStatistics
gst_cl_statistics_of_regions (GstClStatistics statistics)
{
  return select_where (statistics, REGIONS);
}

/* --- structure ----------------------------------------------------------- */

GstStructure *
gst_cl_statistics_new (const gchar *name, const GstClStatisticsShape *shape,
    const GstClFrameTime *time, const gchar *element)
{
  const GstVideoInfo *info = &shape->info;
  GstStructure *structure = gst_cl_frame_time_structure (name, time, element);
  GValue components = G_VALUE_INIT;

  gst_structure_set (structure, "width", G_TYPE_INT,
      GST_VIDEO_INFO_WIDTH (info), "height", G_TYPE_INT,
      GST_VIDEO_INFO_FIELD_HEIGHT (info), "format", G_TYPE_STRING,
      GST_VIDEO_INFO_NAME (info), "depth", G_TYPE_INT, (gint) shape->depth,
      NULL);

  gst_value_array_init (&components, shape->n_components);
  for (guint i = 0; i < shape->n_components; i++) {
    GValue component = G_VALUE_INIT;

    g_value_init (&component, G_TYPE_STRING);
    g_value_set_static_string (&component,
        gst_cl_format_component_name (info->finfo, shape->component_ids[i]));
    gst_value_array_append_and_take_value (&components, &component);
  }
  gst_structure_take_value (structure, "components", &components);

  return structure;
}

void
gst_cl_statistics_add_rectangle (GstStructure *structure,
    const GstClRegions *regions)
{
  const GstClRegion *rectangle = &g_array_index (regions->regions, GstClRegion,
      0);

  if (!regions->is_whole)
    gst_structure_set (structure, "measured-x", G_TYPE_INT, rectangle->x,
        "measured-y", G_TYPE_INT, rectangle->y, "measured-width", G_TYPE_INT,
        rectangle->width, "measured-height", G_TYPE_INT, rectangle->height,
        NULL);
}

void
gst_cl_statistics_add (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClSummary *summary)
{
  for (guint i = 0; i < G_N_ELEMENTS (component_fields); i++) {
    const Field *field = &component_fields[i];
    GValue array = G_VALUE_INIT;

    if (!is_reported (shape, field))
      continue;
    gst_value_array_init (&array, shape->n_components);
    for (guint c = 0; c < shape->n_components; c++)
      append_field (&array, shape, field, &summary->components[c]);
    gst_structure_take_value (structure, field->name, &array);
  }

  for (guint i = 0; i < G_N_ELEMENTS (region_fields); i++) {
    const Field *field = &region_fields[i];
    GValue value = G_VALUE_INIT;

    if (!is_reported (shape, field))
      continue;
    set_field (&value, shape, field, summary);
    gst_structure_take_value (structure, field->name, &value);
  }
}

/* --- regions ------------------------------------------------------------- */

/* Adds the fields of the regions of @group: one entry per region; for values
 * per component, an array for each component. */
static void
add_group (GstStructure *structure, const GstClRegionGroup *group,
    const GstClStatisticsShape *shape, const GstClSummary *summaries)
{
  for (guint i = 0; i < G_N_ELEMENTS (component_fields); i++) {
    const Field *field = &component_fields[i];
    GValue array = G_VALUE_INIT;

    if (!is_reported (shape, field))
      continue;
    gst_value_array_init (&array, shape->n_components);
    for (guint c = 0; c < shape->n_components; c++) {
      GValue inner = G_VALUE_INIT;

      gst_value_array_init (&inner, group->n);
      for (guint r = group->first; r < group->first + group->n; r++)
        append_field (&inner, shape, field, &summaries[r].components[c]);
      gst_value_array_append_and_take_value (&array, &inner);
    }
    gst_cl_region_group_take (structure, group, field->name, &array);
  }

  for (guint i = 0; i < G_N_ELEMENTS (region_fields); i++) {
    const Field *field = &region_fields[i];
    GValue array = G_VALUE_INIT;

    if (!is_reported (shape, field))
      continue;
    gst_value_array_init (&array, group->n);
    for (guint r = group->first; r < group->first + group->n; r++)
      append_field (&array, shape, field, &summaries[r]);
    gst_cl_region_group_take (structure, group, field->name, &array);
  }
}

void
gst_cl_statistics_add_zones (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClRegions *regions,
    const GstClSummary *summaries)
{
  const GstClRegionGroup group = gst_cl_regions_zones (regions);

  if (group.n == 0)
    return;

  gst_cl_regions_add_group (regions, &group, structure);
  add_group (structure, &group, shape, summaries);
}

static void
take_doubles (GstStructure *structure, const gchar *name, const gdouble *x,
    guint n)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, n);
  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;

    set_double (&value, x[i]);
    gst_value_array_append_and_take_value (&array, &value);
  }
  gst_structure_take_value (structure, name, &array);
}

void
gst_cl_statistics_add_light (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClLightLevels *levels,
    const GstClLightCounts *counts)
{
  if (shape->statistics & GST_CL_STATISTIC (LIGHT)) {
    take_doubles (structure, "light-max-rgb", levels->max_rgb,
        G_N_ELEMENTS (levels->max_rgb));
    take_doubles (structure, "light-percentiles", levels->percentiles,
        G_N_ELEMENTS (levels->percentiles));
  }
  if ((shape->statistics & GST_CL_STATISTIC (LIGHT_HISTOGRAM)) &&
      counts->histogram) {
    const gboolean is_packed = shape->has_packed_histograms;
    GValue value = G_VALUE_INIT;

    (is_packed ? set_packed_histogram : set_histogram) (&value,
        counts->histogram, counts->n_codes, counts->n_codes);
    gst_structure_take_value (structure,
        is_packed ? "light-histogram-data" : "light-histogram", &value);
  }
}

void
gst_cl_statistics_add_fields (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClSummary *summaries)
{
  const GstClRegionGroup group = { "field-", 0, 2 };

  add_group (structure, &group, shape, summaries);
}

void
gst_cl_statistics_add_rois (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClRegions *regions,
    const GstClSummary *summaries)
{
  const GstClRegionGroup group = gst_cl_regions_rois (regions);

  if (group.n == 0)
    return;

  gst_cl_regions_add_group (regions, &group, structure);
  add_group (structure, &group, shape, summaries);
}

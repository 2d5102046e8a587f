/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the pictures of one kind: frames, top fields or bottom fields. */

#include "gstclpicture.h"

#include "elements/base/gstclcolour.h"
#include "elements/base/gstclgamut.h"
#include "cl/video/gstclformat.h"
#include "common/gstclcells.h"
#include "ops/blocks/blocks.h"
#include "ops/cells/cells.h"
#include "ops/moments/moments.h"
#include "ops/profiles/profiles.h"
#include "ops/scopes/scopes.h"
#include "ops/tieredop.h"
#include "series/gstcleventsettings.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cl_frame_sum_debug);
#define GST_CAT_DEFAULT gst_cl_frame_sum_debug

G_STATIC_ASSERT (GST_CL_PICTURE_SLOTS <= GST_CL_MOMENTS_SLOTS);
G_STATIC_ASSERT (GST_CL_PICTURE_SLOTS <= GST_CL_METRICS_SLOTS);
G_STATIC_ASSERT (GST_CL_PICTURE_SLOTS <= GST_CL_PROFILES_SLOTS);
G_STATIC_ASSERT (GST_CL_PICTURE_SLOTS <= GST_CL_BLOCKS_SLOTS);
G_STATIC_ASSERT (GST_CL_PICTURE_SLOTS <= GST_CL_CELLS_SLOTS);
G_STATIC_ASSERT (GST_CL_PICTURE_SLOTS <= GST_CL_SCOPES_SLOTS);
G_STATIC_ASSERT (GST_CL_PICTURE_SLOTS <= GST_CL_PICTURE_LIGHT_SLOTS);
G_STATIC_ASSERT ((GST_CL_NEEDS_ALL & GST_CL_METRICS_ALL) == 0);

/* A picture whose results are pending. */
typedef struct {
  gboolean has_metrics; /* measured by an op for metrics; else for moments */
  gpointer op;          /* that op */
  GstClProfilesOp *profiles_op; /* NULL: no profiles */
  GstClBlocksOp *blocks_op;     /* NULL: no blocks */
  GstClCellsOp *cells_op;       /* NULL: no cells */
  GstClScopesOp *scopes_op;     /* NULL: no scopes */
  guint n_regions;
  gboolean has_previous, has_previous_zones;
  GArray *limits;  /* guint64, of references of freeze; or NULL */
  GArray *metrics; /* GstClRegionMetrics, or NULL */
  GstClProfile profiles[GST_VIDEO_MAX_COMPONENTS];
} Slot;

struct _GstClPicture {
  GstClPictureProblem problem;

  GstClTieredOp *moments;   /* of GstClMomentsOp, measures whole pictures */
  GstClTieredOp *metrics;   /* of GstClMetricsOp */
  GstClTieredOp *profiles;  /* of GstClProfilesOp */
  GstClTieredOp *blocks;    /* of GstClBlocksOp */
  GstClTieredOp *cells;     /* of GstClCellsOp */
  GstClTieredOp *scopes;    /* of GstClScopesOp */
  GstClPictureLight *light; /* each is NULL until needed */

  /* There is a previous picture, and it had the same zones. */
  gboolean has_previous, has_previous_zones;

  /* of the picture that was begun last */
  GArray *samples; /* GstClRegion: the regions, in the first component */
  GstClRegion parts[GST_VIDEO_MAX_COMPONENTS]; /* region 0 in each component */

  Slot slots[GST_CL_PICTURE_SLOTS];
};

GstClPicture *
gst_cl_picture_new (const GstClPictureProblem *problem)
{
  GstClPicture *self = g_new0 (GstClPicture, 1);

  self->problem = *problem;
  self->samples = g_array_new (FALSE, FALSE, sizeof (GstClRegion));

  return self;
}

void
gst_cl_picture_free (GstClPicture *self)
{
  if (!self)
    return;

  gst_cl_tiered_op_free (self->moments);
  gst_cl_tiered_op_free (self->metrics);
  gst_cl_tiered_op_free (self->profiles);
  gst_cl_tiered_op_free (self->blocks);
  gst_cl_tiered_op_free (self->cells);
  gst_cl_tiered_op_free (self->scopes);
  gst_cl_picture_light_free (self->light);
  for (guint i = 0; i < GST_CL_PICTURE_SLOTS; i++) {
    g_clear_pointer (&self->slots[i].limits, g_array_unref);
    g_clear_pointer (&self->slots[i].metrics, g_array_unref);
  }
  g_array_unref (self->samples);
  g_free (self);
}

/* --- ops ----------------------------------------------------------------- */

/* Sets @shapes to the measured components, with codes of @depth bits. */
static void
get_shapes (const GstClPicture *self, guint depth, GstClComponent *shapes)
{
  const GstClStatisticsShape *shape = self->problem.shape;

  for (guint i = 0; i < shape->n_components; i++) {
    shapes[i] = gst_cl_component_rows (
        gst_cl_component_of_info (&shape->info, shape->component_ids[i]),
        self->problem.rows);
    shapes[i].sample.depth = depth;
  }
}

static gboolean
build_moments (GstClPicture *self, gboolean may_measure, GError **error)
{
  const GstClStatisticsShape *shape = self->problem.shape;
  GstClMomentsProblem problem = { .n_components = shape->n_components };

  if (self->moments)
    return TRUE;

  get_shapes (self, gst_cl_format_component_depth (shape->info.finfo, 0),
      problem.components);
  self->moments = gst_cl_tiered_op_new (&gst_cl_moments_tiered,
      self->problem.context, self->problem.reduction, &problem, may_measure,
      error);
  if (!self->moments)
    return FALSE;

  GST_INFO ("%u components: %s", shape->n_components,
      gst_cl_tiered_op_name (self->moments));

  return TRUE;
}

static void
get_gamut (const GstClStatisticsShape *shape, GstClMetricsProblem *problem)
{
  const GstVideoInfo *info = &shape->info;

  for (guint i = 0; i < shape->n_components; i++) {
    const guint c = shape->component_ids[i];

    if (shape->has_signalstats)
      gst_cl_gamut_limits_lavfi (info, shape->depth, c, &problem->gamut_low[i],
          &problem->gamut_high[i]);
    else
      gst_cl_gamut_limits (info, shape->depth, c, &problem->gamut_low[i],
          &problem->gamut_high[i]);
  }
}

/* Returns how many rows component @i has fewer than its subsampling gives. */
static guint
count_missing_rows (const GstClPicture *self, guint i, gint height)
{
  const GstVideoInfo *info = &self->problem.shape->info;
  const gint rows = gst_cl_row_set_count (self->problem.rows,
      GST_VIDEO_INFO_FIELD_HEIGHT (info));

  return GST_VIDEO_SUB_SCALE (GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo,
                                  self->problem.shape->component_ids[i]),
             rows) -
         height;
}

/* Sets the missing rows of components beside those of the first one. */
static void
get_missing_rows (const GstClPicture *self, GstClMetricsProblem *problem)
{
  for (guint i = 0; i < problem->n_components; i++)
    problem->n_missing_rows[i] = count_missing_rows (self, i,
                                     problem->shapes[i].height) -
                                 count_missing_rows (self, 0,
                                     problem->shapes[0].height);
}

static gboolean
build_metrics (GstClPicture *self, GError **error)
{
  const GstClStatisticsShape *shape = self->problem.shape;
  GstClMetricsProblem problem = { .n_components = shape->n_components,
    .metrics = self->problem.needs & GST_CL_METRICS_ALL,
    .n_bins = shape->n_codes,
    .max_regions = GST_CL_METRICS_MAX_REGIONS };

  if (self->metrics)
    return TRUE;

  get_shapes (self, shape->depth, problem.shapes);
  get_missing_rows (self, &problem);
  get_gamut (shape, &problem);
  self->metrics = gst_cl_tiered_op_new (&gst_cl_metrics_tiered,
      self->problem.context, GST_CL_METHOD_AUTO, &problem, FALSE, error);
  if (!self->metrics)
    return FALSE;

  GST_INFO ("%u components, metrics %#x: %s", shape->n_components,
      self->problem.needs, gst_cl_tiered_op_name (self->metrics));

  return TRUE;
}

static gboolean
build_profiles (GstClPicture *self, GError **error)
{
  const GstClStatisticsShape *shape = self->problem.shape;
  GstClProfilesProblem problem = { .n_components = shape->n_components };

  if (self->profiles || !(self->problem.needs & GST_CL_NEEDS_PROFILES))
    return TRUE;

  get_shapes (self, shape->depth, problem.shapes);
  self->profiles = gst_cl_tiered_op_new (&gst_cl_profiles_tiered,
      self->problem.context, GST_CL_METHOD_AUTO, &problem, FALSE, error);

  return self->profiles != NULL;
}

static gboolean
build_blocks (GstClPicture *self, GError **error)
{
  GstClComponent shapes[GST_VIDEO_MAX_COMPONENTS];
  GstClBlocksProblem problem;

  if (self->blocks || !(self->problem.needs & GST_CL_NEEDS_BLOCKS))
    return TRUE;

  get_shapes (self, self->problem.shape->depth, shapes);
  problem.shape = shapes[0];
  self->blocks = gst_cl_tiered_op_new (&gst_cl_blocks_tiered,
      self->problem.context, GST_CL_METHOD_AUTO, &problem, FALSE, error);

  return self->blocks != NULL;
}

/* Returns the rows of component @i that cells use: gstclcells.h. */
static GstClRowSet
get_cell_rows (const GstClPicture *self, guint i)
{
  const GstClStatisticsShape *shape = self->problem.shape;

  return GST_VIDEO_FORMAT_INFO_H_SUB (shape->info.finfo,
             shape->component_ids[i]) == 0
             ? GST_CL_ROWS_TOP
             : GST_CL_ROWS_ALL;
}

static gboolean
build_cells (GstClPicture *self, GError **error)
{
  const GstClStatisticsShape *shape = self->problem.shape;
  GstClCellsProblem problem = { .n_components = shape->n_components };

  if (self->cells || !(self->problem.needs & GST_CL_NEEDS_CELLS))
    return TRUE;

  get_shapes (self, shape->depth, problem.shapes);
  for (guint i = 0; i < problem.n_components; i++)
    problem.shapes[i] = gst_cl_component_rows (problem.shapes[i],
        get_cell_rows (self, i));
  self->cells = gst_cl_tiered_op_new (&gst_cl_cells_tiered,
      self->problem.context, GST_CL_METHOD_AUTO, &problem, FALSE, error);

  return self->cells != NULL;
}

/* Returns the number of bins of a code in scopes. */
static guint
count_bins (const GstClPicture *self)
{
  return MIN (self->problem.shape->n_bins, GST_CL_SCOPES_MAX_BINS);
}

/* A fourth component has no waveform. */
static gboolean
build_scopes (GstClPicture *self, GError **error)
{
  const GstClStatisticsShape *shape = self->problem.shape;
  const GstClMetric needs = self->problem.needs;
  GstClComponent shapes[GST_VIDEO_MAX_COMPONENTS];
  GstClScopesProblem problem = {
    .n_components = MIN (shape->n_components, GST_CL_SCOPES_MAX_COMPONENTS),
    .waveform_bins = count_bins (self),
    .vectorscope_bins = needs & GST_CL_NEEDS_VECTORSCOPE ? count_bins (self)
                                                         : 0,
  };

  if (self->scopes || !(needs & GST_CL_NEEDS_SCOPES))
    return TRUE;

  get_shapes (self, shape->depth, shapes);
  memcpy (problem.shapes, shapes, sizeof problem.shapes);
  gst_cl_colour_matrix (&shape->info, shape->depth, &problem.matrix);
  if (needs & GST_CL_NEEDS_WAVEFORM)
    problem.n_waveforms = problem.n_components;
  self->scopes = gst_cl_tiered_op_new (&gst_cl_scopes_tiered,
      self->problem.context, GST_CL_METHOD_AUTO, &problem, FALSE, error);

  return self->scopes != NULL;
}

static gboolean
build_light (GstClPicture *self, GError **error)
{
  const GstClMetric needs = self->problem.needs & GST_CL_NEEDS_OF_LIGHT;

  if (self->light || needs == 0)
    return TRUE;
  self->light = gst_cl_picture_light_new (self->problem.context,
      self->problem.shape, self->problem.rows, needs, error);

  return self->light != NULL;
}

/* Returns the number of measured regions: fields have no zones and no regions
 * of interest. */
static guint
count_regions (const GstClPicture *self, const GstClRegions *regions)
{
  return self->problem.rows == GST_CL_ROWS_ALL ? regions->regions->len : 1;
}

gboolean
gst_cl_picture_is_simple (const GstClPicture *self, const GstClRegions *regions)
{
  return (self->problem.needs & GST_CL_METRICS_ALL) == GST_CL_METRIC_MOMENTS &&
         regions->is_whole && count_regions (self, regions) == 1;
}

gboolean
gst_cl_picture_build (GstClPicture *self, const GstClRegions *regions,
    gboolean may_measure, GError **error)
{
  return build_profiles (self, error) && build_blocks (self, error) &&
         build_cells (self, error) && build_scopes (self, error) &&
         build_light (self, error) &&
         (gst_cl_picture_is_simple (self, regions)
                 ? build_moments (self, may_measure, error)
                 : build_metrics (self, error));
}

/* --- measuring ----------------------------------------------------------- */

/* Sets the regions of the next picture, in samples. */
static void
take_samples (GstClPicture *self, const GstClRegions *regions)
{
  const guint n_regions = count_regions (self, regions);
  const GstClStatisticsShape *shape = self->problem.shape;
  const GstClRowSet rows = self->problem.rows;

  g_array_set_size (self->samples, 0);
  for (guint r = 0; r < n_regions; r++) {
    const GstClRegion region = gst_cl_regions_samples (regions, r, &shape->info,
        shape->component_ids[0], rows);

    g_array_append_val (self->samples, region);
  }
  for (guint i = 0; i < shape->n_components; i++)
    self->parts[i] = gst_cl_regions_samples (regions, 0, &shape->info,
        shape->component_ids[i], rows);
}

/* Returns whether the next picture is large enough for cells. */
static gboolean
has_cells (const GstClPicture *self)
{
  return self->parts[0].width >= GST_CL_CELLS_MIN_WIDTH &&
         self->parts[0].height >= GST_CL_CELLS_MIN_HEIGHT;
}

/* Sets the limits of freeze, of the picture and of each zone. */
static void
set_limits (const GstClPicture *self, Slot *at, guint n, gdouble noise)
{
  if (!at->limits)
    at->limits = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_array_set_size (at->limits, n);
  for (guint r = 0; r < n; r++)
    g_array_index (at->limits, guint64, r) = gst_cl_freeze_limit (noise,
        gst_cl_metrics_op_count (at->op,
            &g_array_index (self->samples, GstClRegion, r)),
        self->problem.shape->depth);
}

/* Sets *op to the op for the next run; NULL: @tiered is NULL. */
static gboolean
take_op (GstClTieredOp *tiered, gpointer *op, GError **error)
{
  *op = tiered ? gst_cl_tiered_op_next (tiered, error) : NULL;

  return !tiered || *op;
}

gboolean
gst_cl_picture_begin (GstClPicture *self, guint slot,
    const GstClRegions *regions, guint n_limits, gdouble noise, GError **error)
{
  Slot *at = &self->slots[slot];
  gpointer profiles_op, blocks_op, cells_op, scopes_op;

  at->has_metrics = !gst_cl_picture_is_simple (self, regions);
  take_samples (self, regions);
  at->n_regions = self->samples->len;
  /* the first frame with regions of interest needs an op for metrics */
  if ((at->has_metrics && !build_metrics (self, error)) ||
      !take_op (self->profiles, &profiles_op, error) ||
      !take_op (self->blocks, &blocks_op, error) ||
      !take_op (has_cells (self) ? self->cells : NULL, &cells_op, error) ||
      !take_op (self->scopes, &scopes_op, error) ||
      (self->light && !gst_cl_picture_light_begin (self->light, slot, error)) ||
      !take_op (at->has_metrics ? self->metrics : self->moments, &at->op,
          error))
    return FALSE;

  at->profiles_op = profiles_op;
  at->blocks_op = blocks_op;
  at->cells_op = cells_op;
  at->scopes_op = scopes_op;
  if (at->has_metrics)
    set_limits (self, at, n_limits, noise);

  return TRUE;
}

/* Returns the samples of @part that are in @rows of @component. */
static GstClComponent
get_part (const GstClComponent *component, const GstClRegion *part,
    GstClRowSet rows)
{
  GstClComponent result = gst_cl_component_rows (*component, rows);
  const gint y = gst_cl_row_set_count (rows, part->y);

  result.offset_bytes += (gsize) y * result.stride_bytes +
                         (gsize) part->x * result.pixel_stride_bytes;
  result.width = part->width;
  result.height = gst_cl_row_set_count (rows, part->y + part->height) - y;

  return result;
}

/* Enqueues the measurement of profiles, blocks, cells, scopes and light, if
 * needed. */
static gboolean
run_others (const GstClPicture *self, guint slot,
    const GstClComponent *components, GError **error)
{
  const Slot *at = &self->slots[slot];
  GstClComponent parts[GST_VIDEO_MAX_COMPONENTS];
  GstClComponent of_cells[GST_VIDEO_MAX_COMPONENTS];
  GstClComponent fields[GST_CL_MEASURED_FIELDS][GST_VIDEO_MAX_COMPONENTS];
  const GstClPictureInput scopes = { .components = parts };

  for (guint i = 0; i < self->problem.shape->n_components; i++) {
    parts[i] = get_part (&components[i], &self->parts[i], GST_CL_ROWS_ALL);
    of_cells[i] = get_part (&components[i], &self->parts[i],
        get_cell_rows (self, i));
    fields[0][i] = get_part (&components[i], &self->parts[i], GST_CL_ROWS_TOP);
    fields[1][i] = get_part (&components[i], &self->parts[i],
        GST_CL_ROWS_BOTTOM);
  }

  return (!at->profiles_op ||
             gst_cl_profiles_op_run (at->profiles_op, parts, error)) &&
         (!at->blocks_op ||
             gst_cl_blocks_op_run (at->blocks_op, &parts[0], error)) &&
         (!at->cells_op ||
             gst_cl_cells_op_run (at->cells_op, of_cells, error)) &&
         (!at->scopes_op ||
             gst_cl_scopes_op_run (at->scopes_op, &scopes, error)) &&
         (!self->light || gst_cl_picture_light_run (self->light, slot, parts,
                              fields, error));
}

static gboolean
run_metrics (GstClPicture *self, Slot *at, const GstClComponent *components,
    GError **error)
{
  at->has_previous = self->has_previous;
  at->has_previous_zones = (self->problem.needs & GST_CL_METRIC_ZONES) &&
                           self->has_previous_zones;

  return gst_cl_metrics_op_run (at->op, components,
      (const GstClRegion *) self->samples->data, self->samples->len,
      (const guint64 *) at->limits->data, at->limits->len, error);
}

gboolean
gst_cl_picture_run (GstClPicture *self, guint slot,
    const GstClComponent *components, GError **error)
{
  Slot *at = &self->slots[slot];
  GstClComponent of_picture[GST_VIDEO_MAX_COMPONENTS];

  for (guint i = 0; i < self->problem.shape->n_components; i++)
    of_picture[i] = gst_cl_component_rows (components[i], self->problem.rows);

  return run_others (self, slot, of_picture, error) &&
         (at->has_metrics ? run_metrics (self, at, of_picture, error)
                          : gst_cl_moments_op_run (at->op, of_picture, error));
}

gboolean
gst_cl_picture_fetch (GstClPicture *self, guint slot, cl_event *last,
    GError **error)
{
  const Slot *at = &self->slots[slot];

  if ((at->profiles_op &&
          !gst_cl_profiles_op_fetch (at->profiles_op, slot, error)) ||
      (at->blocks_op && !gst_cl_blocks_op_fetch (at->blocks_op, slot, error)) ||
      (at->cells_op && !gst_cl_cells_op_fetch (at->cells_op, slot, error)) ||
      (at->scopes_op && !gst_cl_scopes_op_fetch (at->scopes_op, slot, error)) ||
      (self->light && !gst_cl_picture_light_fetch (self->light, slot, error)))
    return FALSE;

  if (!at->has_metrics) {
    if (!gst_cl_moments_op_fetch (at->op, slot, error))
      return FALSE;
    if (last)
      *last = gst_cl_moments_op_fetched (at->op, slot);
    return TRUE;
  }

  if (!gst_cl_metrics_op_fetch (at->op, slot, error))
    return FALSE;
  if (last)
    *last = gst_cl_metrics_op_fetched (at->op, slot);
  self->has_previous = self->has_previous_zones = TRUE;

  return TRUE;
}

GstClMomentsOp *
gst_cl_picture_only_moments (GstClPicture *self, guint slot)
{
  const Slot *at = &self->slots[slot];

  return at->has_metrics || at->profiles_op || at->blocks_op || at->cells_op ||
                 at->scopes_op || self->light
             ? NULL
             : at->op;
}

void
gst_cl_picture_forget_previous (GstClPicture *self)
{
  if (self->metrics)
    gst_cl_metrics_op_forget (gst_cl_tiered_op_current (self->metrics));
  if (self->light)
    gst_cl_picture_light_forget (self->light);
  self->has_previous = self->has_previous_zones = FALSE;
}

void
gst_cl_picture_forget_zones (GstClPicture *self)
{
  if (self->metrics)
    gst_cl_metrics_op_forget_zones (gst_cl_tiered_op_current (self->metrics));
  self->has_previous_zones = FALSE;
}

/* --- results ------------------------------------------------------------- */

static gboolean
get_moments (const GstClPicture *self, guint slot, GstClRegionMetrics *metrics,
    GError **error)
{
  GstClMoments moments[GST_VIDEO_MAX_COMPONENTS];

  if (!gst_cl_moments_op_result (self->slots[slot].op, slot, moments, error))
    return FALSE;

  for (guint i = 0; i < self->problem.shape->n_components; i++)
    metrics->components[i] = (GstClComponentMetrics){ .moments = moments[i] };

  return TRUE;
}

static gboolean
get_blockiness (const Slot *at, guint slot, gdouble *blockiness, GError **error)
{
  GstClBlockSums sums;

  if (!gst_cl_blocks_op_result (at->blocks_op, slot, &sums, error))
    return FALSE;
  *blockiness = gst_cl_blockiness (sums.columns, sums.n_columns, sums.rows,
      sums.n_rows);

  return TRUE;
}

static gboolean
get_cells (const GstClPicture *self, const Slot *at, guint slot,
    GstClMeasuredPicture *measured, GError **error)
{
  const guint32 *means = gst_cl_cells_op_result (at->cells_op, slot, error);

  if (!means)
    return FALSE;

  for (guint i = 0; i < self->problem.shape->n_components; i++)
    measured->cells[i] = means + i * GST_CL_N_CELLS;

  return TRUE;
}

static gboolean
get_scopes (const GstClPicture *self, const Slot *at, guint slot,
    GstClMeasuredPicture *measured, GError **error)
{
  const guint n_bins = count_bins (self);
  GstClScopesCounts counts;

  if (!gst_cl_scopes_op_result (at->scopes_op, slot, &counts, error))
    return FALSE;

  for (guint i = 0; i < counts.layout.n_waveforms; i++)
    measured->waveforms[i] = (GstClCounts){ counts.waveforms[i],
      { counts.layout.n_columns[i], n_bins } };
  if (counts.vectorscope)
    measured->vectorscope = (GstClCounts){ counts.vectorscope,
      { n_bins, n_bins } };

  return TRUE;
}

gboolean
gst_cl_picture_result (GstClPicture *self, guint slot,
    GstClMeasuredPicture *measured, GError **error)
{
  Slot *at = &self->slots[slot];
  GstClRegionMetrics *metrics;

  *measured = (GstClMeasuredPicture){
    .has_previous = at->has_metrics && at->has_previous,
    .has_previous_zones = at->has_metrics && at->has_previous_zones,
    .limits = at->has_metrics ? (const guint64 *) at->limits->data : NULL,
    .has_zone_limits = at->has_metrics && at->limits->len > 1,
  };

  if (!at->metrics)
    at->metrics = g_array_new (FALSE, FALSE, sizeof *metrics);
  g_array_set_size (at->metrics, at->n_regions);
  metrics = (GstClRegionMetrics *) at->metrics->data;
  memset (metrics, 0, at->n_regions * sizeof *metrics);
  if (at->has_metrics ? !gst_cl_metrics_op_result (at->op, slot, metrics,
                            at->n_regions, error)
                      : !get_moments (self, slot, metrics, error))
    return FALSE;
  measured->metrics = metrics;

  if (at->profiles_op) {
    if (!gst_cl_profiles_op_result (at->profiles_op, slot, at->profiles, error))
      return FALSE;
    measured->profiles = at->profiles;
  }

  return (!at->blocks_op ||
             get_blockiness (at, slot, &measured->blockiness, error)) &&
         (!at->cells_op || get_cells (self, at, slot, measured, error)) &&
         (!at->scopes_op || get_scopes (self, at, slot, measured, error)) &&
         (!self->light || gst_cl_picture_light_result (self->light, slot,
                              &measured->light, error));
}

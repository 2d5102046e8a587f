/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the pictures of one kind: frames, top fields or bottom fields. */

#include "gstclpicture.h"

#include "cl/video/gstclformat.h"
#include "elements/base/gstclcolour.h"
#include "elements/base/gstclgamut.h"
#include "statistics/blockiness/blocks.h"
#include "statistics/cells/cells.h"
#include "statistics/cells/gstclcells.h"
#include "statistics/flash/flash.h"
#include "statistics/light/light.h"
#include "statistics/moments/moments.h"
#include "statistics/profiles/profiles.h"
#include "statistics/scopes/scopes.h"
#include "statistics/series/gstcleventsettings.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cl_frame_sum_debug);
#define GST_CAT_DEFAULT gst_cl_frame_sum_debug

G_STATIC_ASSERT (GST_CL_PICTURE_SLOTS <= GST_CL_MOMENTS_SLOTS);
G_STATIC_ASSERT (GST_CL_PICTURE_SLOTS <= GST_CL_METRICS_SLOTS);
G_STATIC_ASSERT (GST_CL_PICTURE_SLOTS <= GST_CL_PICTURE_OP_SLOTS);

/* The measurements beside moments and metrics, each by an op of its own: rows
 * of a table. Flashes of frames with two fields are measured in each. */
enum { PROFILES, BLOCKS, CELLS, SCOPES, FLASH, FLASH_BOTTOM, LIGHT, N_OTHERS };
G_STATIC_ASSERT (N_OTHERS <= GST_CL_PICTURE_RESULTS_OPS);

/* A picture whose results are pending. */
typedef struct {
  gboolean has_metrics; /* measured by an op for metrics; else for moments */
  gpointer op;          /* that op */
  GstClPictureOp *others[N_OTHERS]; /* NULL: not measured */
  guint n_regions;
  gboolean has_previous, has_previous_zones;
  GArray *limits;  /* guint64, of references of freeze; or NULL */
  GArray *metrics; /* GstClRegionMetrics, or NULL */
  GstClProfile profiles[GST_VIDEO_MAX_COMPONENTS];
} Slot;

struct _GstClPicture {
  GstClPictureProblem problem;
  gboolean has_fields; /* frames have two, whose light is measured apart */

  GstClTieredOp *moments; /* of GstClMomentsOp, measures whole pictures */
  GstClTieredOp *metrics; /* of GstClMetricsOp */
  GstClTieredOp *others[N_OTHERS]; /* of GstClPictureOp; each is NULL until
                                      needed */
  GstClPictureResults *results;    /* of the ops in others */

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
  self->has_fields = problem->rows == GST_CL_ROWS_ALL &&
                     gst_cl_statistics_has_two_fields (problem->shape);
  self->results = gst_cl_picture_results_new (problem->context);
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
  for (guint i = 0; i < N_OTHERS; i++)
    gst_cl_tiered_op_free (self->others[i]);
  gst_cl_picture_results_free (self->results);
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
    .metrics = gst_cl_statistics_metrics (self->problem.needs),
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
      problem.metrics, gst_cl_tiered_op_name (self->metrics));

  return TRUE;
}

/* --- other measurements --------------------------------------------------- */

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

/* Returns the number of bins of a code in scopes. */
static guint
count_bins (const GstClPicture *self)
{
  return MIN (self->problem.shape->n_bins, GST_CL_SCOPES_MAX_BINS);
}

/* The statistics of the maximum of R, G and B. */
#define LIGHTS (GST_CL_STATISTIC (LIGHT) | GST_CL_STATISTIC (LIGHT_HISTOGRAM))

/* The problems of all other ops begin with the shape of the picture. */
typedef union {
  GstClPictureShape picture;
  GstClScopesProblem scopes;
  GstClFlashProblem flash;
  GstClLightProblem light;
} Problem;

static void
set_blocks (const GstClPicture *self, Problem *problem)
{
  problem->picture.n_components = 1;
}

static void
set_cells (const GstClPicture *self, Problem *problem)
{
  for (guint i = 0; i < problem->picture.n_components; i++)
    problem->picture.shapes[i] = gst_cl_component_rows (
        problem->picture.shapes[i], get_cell_rows (self, i));
}

/* Sets the shape to that of pixels: a fourth component is left out. */
static void
set_pixels (const GstClPicture *self, GstClPictureShape *picture)
{
  const GstVideoInfo *info = &self->problem.shape->info;

  picture->n_components = MIN (picture->n_components, GST_CL_PIXEL_COMPONENTS);
  picture->x_shift = GST_VIDEO_FORMAT_INFO_W_SUB (info->finfo, 1);
  picture->y_shift = GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, 1);
  gst_cl_colour_matrix (info, self->problem.shape->depth, &picture->matrix);
}

static void
set_scopes (const GstClPicture *self, Problem *problem)
{
  const GstClStatistics needs = self->problem.needs;
  GstClScopesProblem *scopes = &problem->scopes;

  set_pixels (self, &scopes->picture);
  scopes->waveform_bins = count_bins (self);
  if (needs & GST_CL_STATISTIC (WAVEFORM))
    scopes->n_waveforms = scopes->picture.n_components;
  if (needs & GST_CL_STATISTIC (VECTORSCOPE))
    scopes->vectorscope_bins = count_bins (self);
}

static void
set_flash_of (const GstClPicture *self, GstClRowSet rows, Problem *problem)
{
  GstClPictureShape *picture = &problem->picture;

  set_pixels (self, picture);
  for (guint i = 0; i < picture->n_components; i++)
    picture->shapes[i] = gst_cl_component_rows (picture->shapes[i], rows);
  problem->flash.curve = self->problem.shape->curve;
  gst_cl_colour_luminance (&self->problem.shape->info, problem->flash.weights);
}

static void
set_flash (const GstClPicture *self, Problem *problem)
{
  set_flash_of (self, self->has_fields ? GST_CL_ROWS_TOP : GST_CL_ROWS_ALL,
      problem);
}

static void
set_bottom_flash (const GstClPicture *self, Problem *problem)
{
  set_flash_of (self, GST_CL_ROWS_BOTTOM, problem);
}

static void
set_light (const GstClPicture *self, Problem *problem)
{
  const GstClStatisticsShape *shape = self->problem.shape;
  const GstClStatistics needs = self->problem.needs;
  GstClLightProblem *light = &problem->light;

  set_pixels (self, &light->picture);
  light->parts = (needs & LIGHTS ? GST_CL_LIGHT_HISTOGRAM : 0) |
                 (needs & GST_CL_STATISTIC (LEVELS) ? GST_CL_LIGHT_LEVELS : 0);
  gst_cl_colour_luma (&shape->info, light->weights);
  gst_cl_colour_preferred_range (&shape->info, shape->depth, &light->low,
      &light->high);
}

static GstClComponent
get_all_rows (const GstClPicture *self, const GstClComponent *components,
    guint i)
{
  return gst_cl_region_of_component (&components[i], &self->parts[i],
      GST_CL_ROWS_ALL);
}

static GstClComponent
get_cell_part (const GstClPicture *self, const GstClComponent *components,
    guint i)
{
  return gst_cl_region_of_component (&components[i], &self->parts[i],
      get_cell_rows (self, i));
}

/* A part of a picture may have chroma of the other field alone. */
static GstClComponent
get_field (const GstClPicture *self, const GstClComponent *components, guint i,
    GstClRowSet rows, GstClRowSet others)
{
  const GstClComponent field = gst_cl_region_of_component (&components[i],
      &self->parts[i], rows);

  return i == 0 || field.height > 0
             ? field
             : gst_cl_region_of_component (&components[i], &self->parts[i],
                   others);
}

static GstClComponent
get_flash_part (const GstClPicture *self, const GstClComponent *components,
    guint i)
{
  return self->has_fields ? get_field (self, components, i, GST_CL_ROWS_TOP,
                                GST_CL_ROWS_BOTTOM)
                          : get_all_rows (self, components, i);
}

static GstClComponent
get_bottom_part (const GstClPicture *self, const GstClComponent *components,
    guint i)
{
  return get_field (self, components, i, GST_CL_ROWS_BOTTOM, GST_CL_ROWS_TOP);
}

static gboolean
get_profiles (GstClPicture *self, GstClPictureOp *op, guint slot,
    GstClMeasuredPicture *measured, GError **error)
{
  measured->profiles = self->slots[slot].profiles;

  return gst_cl_profiles_op_result (op, slot, self->slots[slot].profiles,
      error);
}

static gboolean
get_blockiness (GstClPicture *self, GstClPictureOp *op, guint slot,
    GstClMeasuredPicture *measured, GError **error)
{
  return gst_cl_blocks_op_result (op, slot, &measured->blockiness, error);
}

static gboolean
get_cells (GstClPicture *self, GstClPictureOp *op, guint slot,
    GstClMeasuredPicture *measured, GError **error)
{
  const guint32 *means = gst_cl_picture_op_result (op, slot, NULL, error);

  for (guint i = 0; means && i < self->problem.shape->n_components; i++)
    measured->cells[i] = means + i * GST_CL_N_CELLS;

  return means != NULL;
}

static gboolean
get_scopes (GstClPicture *self, GstClPictureOp *op, guint slot,
    GstClMeasuredPicture *measured, GError **error)
{
  const guint n_bins = count_bins (self);
  GstClScopesCounts counts;

  if (!gst_cl_scopes_op_result (op, slot, &counts, error))
    return FALSE;

  for (guint i = 0; i < counts.layout.n_waveforms; i++)
    measured->waveforms[i] = (GstClCounts){ counts.waveforms[i],
      { counts.layout.n_columns[i], n_bins } };
  if (counts.vectorscope)
    measured->vectorscope = (GstClCounts){ counts.vectorscope,
      { n_bins, n_bins } };

  return TRUE;
}

static gboolean
get_flash (GstClPicture *self, GstClPictureOp *op, guint slot,
    GstClMeasuredPicture *measured, GError **error)
{
  GstClMeasuredLight *light = &measured->light;

  return gst_cl_flash_op_result (op, slot,
      &light->pictures[light->n_pictures++], error);
}

static gboolean
get_light (GstClPicture *self, GstClPictureOp *op, guint slot,
    GstClMeasuredPicture *measured, GError **error)
{
  measured->light.has_light = TRUE;

  return gst_cl_light_op_result (op, slot, &measured->light.light, error);
}

static const struct {
  GstClStatistics needs; /* for any of these */
  const GstClTieredFuncs *funcs;
  gboolean is_of_fields; /* only of frames with two */
  gboolean has_scan;     /* pixels have the chroma of their field */

  /* Changes the problem, whose shape has all components. NULL: does not. */
  void (*set_problem) (const GstClPicture *self, Problem *problem);
  /* Returns what is measured of component @i. */
  GstClComponent (*get_part) (const GstClPicture *self,
      const GstClComponent *components, guint i);
  /* Sets the numbers in @slot of @measured. FALSE with @error. */
  gboolean (*get_result) (GstClPicture *self, GstClPictureOp *op, guint slot,
      GstClMeasuredPicture *measured, GError **error);
} others[N_OTHERS] = {
  [PROFILES] = { GST_CL_STATISTIC (PROFILES) | GST_CL_STATISTIC (ACTIVE_AREA),
      &gst_cl_profiles_tiered, .get_part = get_all_rows,
      .get_result = get_profiles },
  [BLOCKS] = { GST_CL_STATISTIC (BLOCKINESS), &gst_cl_blocks_tiered,
      .set_problem = set_blocks, .get_part = get_all_rows,
      .get_result = get_blockiness },
  [CELLS] = { GST_CL_STATISTIC (CELLS), &gst_cl_cells_tiered,
      .set_problem = set_cells, .get_part = get_cell_part,
      .get_result = get_cells },
  [SCOPES] = { GST_CL_STATISTIC (WAVEFORM) | GST_CL_STATISTIC (VECTORSCOPE),
      &gst_cl_scopes_tiered, .set_problem = set_scopes,
      .get_part = get_all_rows, .get_result = get_scopes },
  [FLASH] = { GST_CL_STATISTIC (FLASH), &gst_cl_flash_tiered,
      .set_problem = set_flash, .get_part = get_flash_part,
      .get_result = get_flash },
  [FLASH_BOTTOM] = { GST_CL_STATISTIC (FLASH), &gst_cl_flash_tiered,
      .is_of_fields = TRUE, .set_problem = set_bottom_flash,
      .get_part = get_bottom_part, .get_result = get_flash },
  [LIGHT] = { LIGHTS | GST_CL_STATISTIC (LEVELS), &gst_cl_light_tiered,
      .has_scan = TRUE, .set_problem = set_light, .get_part = get_all_rows,
      .get_result = get_light },
};

static gboolean
needs_other (const GstClPicture *self, guint i)
{
  return (self->problem.needs & others[i].needs) &&
         (self->has_fields || !others[i].is_of_fields);
}

static gboolean
build_other (GstClPicture *self, guint i, GError **error)
{
  const GstClStatisticsShape *shape = self->problem.shape;
  Problem problem;

  if (self->others[i] || !needs_other (self, i))
    return TRUE;

  memset (&problem, 0, sizeof problem); /* all members of the union */
  problem.picture.n_components = shape->n_components;
  get_shapes (self, shape->depth, problem.picture.shapes);
  if (others[i].set_problem)
    others[i].set_problem (self, &problem);
  self->others[i] = gst_cl_tiered_op_new (others[i].funcs,
      self->problem.context, GST_CL_METHOD_AUTO, &problem, FALSE, error);

  return self->others[i] != NULL;
}

/* Enqueues the kernels of those that are measured. */
static gboolean
run_others (GstClPicture *self, guint slot, const GstClComponent *components,
    GError **error)
{
  for (guint i = 0; i < N_OTHERS; i++) {
    GstClPictureOp *op = self->slots[slot].others[i];
    GstClComponent parts[GST_VIDEO_MAX_COMPONENTS];
    const GstClPictureInput input = { parts,
      others[i].has_scan && self->has_fields, NULL };

    if (!op)
      continue;
    for (guint c = 0; c < op->shape->n_components; c++)
      parts[c] = others[i].get_part (self, components, c);
    if (!gst_cl_picture_results_run (self->results, i, &input, error))
      return FALSE;
  }

  return TRUE;
}

/* --- all measurements ----------------------------------------------------- */

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
  return gst_cl_statistics_metrics (self->problem.needs) ==
             GST_CL_METRIC_MOMENTS &&
         regions->is_whole && count_regions (self, regions) == 1;
}

gboolean
gst_cl_picture_has_others (const GstClPicture *self)
{
  for (guint i = 0; i < N_OTHERS; i++) {
    if (needs_other (self, i))
      return TRUE;
  }

  return FALSE;
}

/* Returns the subset of @statistics that ops other than moments and metrics
 * count; statistics of the same kernels have one name. */
static GstClStatistics
find_counted (GstClStatistics statistics)
{
  const GstClStatistics second_names = GST_CL_STATISTIC (ACTIVE_AREA) |
                                       GST_CL_STATISTIC (LIGHT_HISTOGRAM);
  GstClStatistics of_others = 0;

  for (guint i = 0; i < N_OTHERS; i++)
    of_others |= others[i].needs;
  if (statistics & GST_CL_STATISTIC (ACTIVE_AREA))
    statistics |= GST_CL_STATISTIC (PROFILES);
  if (statistics & GST_CL_STATISTIC (LIGHT_HISTOGRAM))
    statistics |= GST_CL_STATISTIC (LIGHT);

  return statistics & of_others & ~second_names;
}

gboolean
gst_cl_picture_needs_same_kernels (GstClStatistics a, GstClStatistics b)
{
  return gst_cl_statistics_metrics (a) == gst_cl_statistics_metrics (b) &&
         find_counted (a) == find_counted (b);
}

gboolean
gst_cl_picture_build (GstClPicture *self, const GstClRegions *regions,
    gboolean may_measure, GError **error)
{
  for (guint i = 0; i < N_OTHERS; i++) {
    if (!build_other (self, i, error))
      return FALSE;
  }

  return gst_cl_picture_is_simple (self, regions)
             ? build_moments (self, may_measure, error)
             : build_metrics (self, error);
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

/* Selects the ops of the other measurements. */
static gboolean
take_others (const GstClPicture *self, Slot *at, GError **error)
{
  for (guint i = 0; i < N_OTHERS; i++) {
    GstClTieredOp *tiered = self->others[i];

    at->others[i] = NULL;
    if (!tiered || (i == CELLS && !has_cells (self)))
      continue;
    at->others[i] = gst_cl_tiered_op_next (tiered, error);
    if (!at->others[i])
      return FALSE;
  }

  return gst_cl_picture_results_begin (self->results, at->others, N_OTHERS,
      error);
}

gboolean
gst_cl_picture_begin (GstClPicture *self, guint slot,
    const GstClRegions *regions, guint n_limits, gdouble noise, GError **error)
{
  Slot *at = &self->slots[slot];

  at->has_metrics = !gst_cl_picture_is_simple (self, regions);
  take_samples (self, regions);
  at->n_regions = self->samples->len;
  /* the first frame with regions of interest needs an op for metrics */
  if ((at->has_metrics && !build_metrics (self, error)) ||
      !take_others (self, at, error))
    return FALSE;
  at->op = gst_cl_tiered_op_next (
      at->has_metrics ? self->metrics : self->moments, error);
  if (at->op && at->has_metrics)
    set_limits (self, at, n_limits, noise);

  return at->op != NULL;
}

static gboolean
run_metrics (GstClPicture *self, Slot *at, const GstClComponent *components,
    GError **error)
{
  const GstClMetricsIo io = { components,
    (const GstClRegion *) self->samples->data, self->samples->len,
    (const guint64 *) at->limits->data, at->limits->len };

  at->has_previous = self->has_previous;
  at->has_previous_zones = (self->problem.needs &
                               GST_CL_STATISTIC (ZONE_STILLNESS)) &&
                           self->has_previous_zones;

  return gst_cl_metrics_op_run (at->op, &io, error);
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

/* Enqueues the read of moments or metrics, and flushes the queue. */
static gboolean
fetch_regions (GstClPicture *self, const Slot *at, guint slot, cl_event *last,
    GError **error)
{
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

gboolean
gst_cl_picture_fetch (GstClPicture *self, guint slot, cl_event *last,
    GError **error)
{
  if (!gst_cl_picture_results_fetch (self->results, slot, error))
    return FALSE;
  if (fetch_regions (self, &self->slots[slot], slot, last, error))
    return TRUE;

  /* nothing else flushes the first read */
  gst_cl_context_flush (self->problem.context, GST_CL_QUEUE_COMPUTE, NULL);

  return FALSE;
}

GstClMomentsOp *
gst_cl_picture_only_moments (GstClPicture *self, guint slot)
{
  const Slot *at = &self->slots[slot];

  for (guint i = 0; i < N_OTHERS; i++) {
    if (at->others[i])
      return NULL;
  }

  return at->has_metrics ? NULL : at->op;
}

void
gst_cl_picture_forget_previous (GstClPicture *self)
{
  if (self->metrics)
    gst_cl_metrics_op_forget (gst_cl_tiered_op_current (self->metrics));
  for (guint i = 0; i < N_OTHERS; i++) {
    if (self->others[i])
      gst_cl_picture_op_forget (gst_cl_tiered_op_current (self->others[i]));
  }
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

  for (guint i = 0; i < N_OTHERS; i++) {
    if (at->others[i] &&
        !others[i].get_result (self, at->others[i], slot, measured, error))
      return FALSE;
  }

  return TRUE;
}

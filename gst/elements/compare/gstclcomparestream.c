/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One stream that is compared with the reference. */

#include "gstclcomparestream.h"

#include <string.h>

#include "cl/video/gstclformat.h"
#include "ops/tieredop.h"
#include "statistics/cells/cells.h"
#include "statistics/compare/errors.h"
#include "statistics/compare/gstcloffset.h"
#include "statistics/compare/gstclxpsnr.h"
#include "statistics/compare/ssim.h"
#include "statistics/compare/xpsnr.h"

#define MESSAGE "clcompare"
#define EVENT   "clcompare-event"
#define POOLED  "clcompare-pooled"

/* The stream that has a frame without a partner. */
#define REFERENCE "reference"
#define DISTORTED "distorted"

enum {
  ERRORS,
  SSIM,
  N_OF_REGIONS,
  XPSNR = N_OF_REGIONS,
  CELLS_OF_REFERENCE,
  CELLS,
  N_OPS
};

/* An event with a duration. */
typedef struct {
  gboolean is_open;
  GstClFrameTime start;
  guint64 n_frames;
} Span;

/* What a frame lacks. */
typedef struct {
  const gchar *metric;
  gdouble value, threshold;
} Mismatch;

struct _GstClCompareStream {
  gchar *name;
  GstClComparePublisher *publisher;

  /* NULL and zeros before configure() */
  GstClContext *context;
  GstVideoInfo info;
  GstClComparedShape shape;
  GstClXpsnrPicture picture;             /* for XPSNR */
  guint order[GST_VIDEO_MAX_COMPONENTS]; /* components, as they are compared */
  GstClTieredOp *ops[N_OPS];             /* NULL: not measured */
  GstClPictureOp *running[N_OPS];
  GstClPictureResults *results;
  GstClComparePool *whole, *second;
  guint64 second_number;
  GstClOffset *offset; /* NULL: frames have no cells */

  GstClRegions zones; /* of frames of info: the frame first */

  /* of the pair */
  GstClRegions regions;
  GArray *shapes, *compared; /* GstClComparedShape, GstClCompared, of regions */

  /* the ends of the last frames of the reference, and of the stream */
  GstClFrameTime last, last_compared;
  gint last_offset;
  gboolean has_frames; /* since the last end */
  guint64 n_unpaired, n_unpaired_references;
  Span mismatch, unpaired, unpaired_reference, shifted;
};

GstClCompareStream *
gst_cl_compare_stream_new (const gchar *name, GstClComparePublisher *publisher)
{
  GstClCompareStream *self = g_new0 (GstClCompareStream, 1);

  self->name = g_strdup (name);
  self->publisher = publisher;
  gst_cl_regions_init (&self->zones);
  gst_cl_regions_init (&self->regions);
  self->shapes = g_array_new (FALSE, TRUE, sizeof (GstClComparedShape));
  self->compared = g_array_new (FALSE, TRUE, sizeof (GstClCompared));

  return self;
}

static void
free_ops (GstClCompareStream *self)
{
  for (guint i = 0; i < N_OPS; i++)
    g_clear_pointer (&self->ops[i], gst_cl_tiered_op_free);
  g_clear_pointer (&self->results, gst_cl_picture_results_free);
  gst_clear_object (&self->context);
}

void
gst_cl_compare_stream_free (GstClCompareStream *self)
{
  if (!self)
    return;

  free_ops (self);
  gst_cl_compare_pool_free (self->whole);
  gst_cl_compare_pool_free (self->second);
  gst_cl_offset_free (self->offset);
  gst_cl_regions_clear (&self->zones);
  gst_cl_regions_clear (&self->regions);
  g_array_unref (self->shapes);
  g_array_unref (self->compared);
  g_free (self->name);
  g_free (self);
}

/* --- publishing ----------------------------------------------------------- */

/* Returns the structure of an event. transfer full */
static GstStructure *
new_event (const GstClCompareStream *self, const gchar *name,
    const GstClFrameTime *time, const Span *ended)
{
  GstStructure *structure = gst_cl_frame_time_structure (EVENT, time,
      GST_OBJECT_NAME (self->publisher->element));

  gst_structure_set (structure, "event", G_TYPE_STRING, name, "state",
      G_TYPE_STRING, ended ? "end" : "start", "pad", G_TYPE_STRING, self->name,
      "duration", G_TYPE_UINT64, GST_CLOCK_TIME_NONE, NULL);
  if (ended)
    gst_structure_set (structure, "start-timestamp", G_TYPE_UINT64,
        ended->start.timestamp, "start-stream-time", G_TYPE_UINT64,
        ended->start.stream_time, "start-running-time", G_TYPE_UINT64,
        ended->start.running_time, "start-frame", G_TYPE_UINT64,
        ended->start.frame, "frames", G_TYPE_UINT64, ended->n_frames, NULL);
  if (ended && GST_CLOCK_TIME_IS_VALID (time->running_time) &&
      GST_CLOCK_TIME_IS_VALID (ended->start.running_time))
    gst_structure_set (structure, "duration", G_TYPE_UINT64,
        time->running_time - ended->start.running_time, NULL);

  return structure;
}

static gboolean
publish_event (GstClCompareStream *self, GstStructure *structure)
{
  return gst_cl_compare_publisher_publish (self->publisher, GST_CL_RECORD_EVENT,
      structure, TRUE);
}

/* Begins @span at @time. The caller publishes the event. */
static void
begin_span (Span *span, const GstClFrameTime *time)
{
  *span = (Span){ TRUE, *time, 0 };
}

/* Ends @span, if it is open, before the frame at @time. @side: NULL, or the
 * stream that has frames without a partner. */
static gboolean
end_span (GstClCompareStream *self, Span *span, const gchar *name,
    const GstClFrameTime *time, const gchar *side)
{
  GstStructure *event;

  if (!span->is_open)
    return TRUE;
  span->is_open = FALSE;
  event = new_event (self, name, time, span);
  if (side)
    gst_structure_set (event, "side", G_TYPE_STRING, side, NULL);

  return publish_event (self, event);
}

/* Publishes @structure (transfer full), of a second or of the stream. */
static gboolean
publish_pool (GstClCompareStream *self, GstStructure *structure,
    const gchar *span)
{
  gst_structure_set (structure, "span", G_TYPE_STRING, span, "pad",
      G_TYPE_STRING, self->name, "element", G_TYPE_STRING,
      GST_OBJECT_NAME (self->publisher->element), NULL);

  return gst_cl_compare_publisher_publish (self->publisher,
      GST_CL_RECORD_POOLED, structure, TRUE);
}

static gboolean
end_second (GstClCompareStream *self)
{
  gboolean done = TRUE;

  if (self->second && gst_cl_compare_pool_frames (self->second) > 0)
    done = publish_pool (self,
        gst_cl_compare_pool_to_structure (self->second, POOLED), "second");
  if (self->second)
    gst_cl_compare_pool_clear (self->second);

  return done;
}

/* Without a pair there are no values. */
static gboolean
publish_whole (GstClCompareStream *self, gboolean is_complete)
{
  GstStructure *structure = self->whole ? gst_cl_compare_pool_to_structure (
                                              self->whole, POOLED)
                                        : gst_structure_new (POOLED, "frames",
                                              G_TYPE_UINT64, (guint64) 0, NULL);

  gst_structure_set (structure, "unpaired-reference-frames", G_TYPE_UINT64,
      self->n_unpaired_references, "unpaired-frames", G_TYPE_UINT64,
      self->n_unpaired, "complete", G_TYPE_BOOLEAN, is_complete, NULL);

  return publish_pool (self, structure, "stream");
}

/* --- configuring ---------------------------------------------------------- */

/* Sets the components of frames of @info. The weights of XPSNR are those of its
 * first component; for R, G and B that is G. */
static void
set_components (GstClCompareStream *self, const GstVideoInfo *info,
    GstClCompareMetrics metrics)
{
  const guint n = GST_VIDEO_INFO_N_COMPONENTS (info);
  const guint n_weighted = MIN (n, GST_CL_XPSNR_COMPONENTS);
  GstClComparedShape *shape = &self->shape;

  *shape = (GstClComparedShape){
    .metrics = metrics,
    .depth = gst_cl_component_of_info (info, 0).sample.depth,
    .n_components = n,
    .weighted = { .n_components = n_weighted },
  };
  shape->weighted.depth = shape->depth;
  for (guint c = 0; c < n; c++) {
    const GstClComponent component = gst_cl_component_of_info (info, c);

    shape->components[c].name = gst_cl_format_component_name (info->finfo, c);
    shape->components[c].width = (guint) component.width;
    shape->components[c].height = (guint) component.height;
  }
  for (guint i = 0; i < n_weighted; i++) {
    const guint c = GST_VIDEO_INFO_IS_RGB (info) ? (i + 1) % n_weighted : i;

    shape->weighted_ids[i] = c;
    shape->weighted.widths[i] = shape->components[c].width;
    shape->weighted.heights[i] = shape->components[c].height;
  }
}

static gboolean
has_cells (const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_WIDTH (info) >= GST_CL_CELLS_MIN_WIDTH &&
         GST_VIDEO_INFO_HEIGHT (info) >= GST_CL_CELLS_MIN_HEIGHT;
}

/* Sets the shapes of @n components, in the order of XPSNR if @is_weighted. */
static GstClPictureShape
get_shape (const GstClCompareStream *self, const GstVideoInfo *info, guint n,
    gboolean is_weighted)
{
  GstClPictureShape shape = { .n_components = n };

  for (guint i = 0; i < n; i++)
    shape.shapes[i] = gst_cl_component_of_info (info,
        is_weighted ? self->shape.weighted_ids[i] : i);

  return shape;
}

static gboolean
create_op (GstClCompareStream *self, guint i, const GstClTieredFuncs *funcs,
    gconstpointer problem, GError **error)
{
  self->ops[i] = gst_cl_tiered_op_new (funcs, self->context, GST_CL_METHOD_AUTO,
      problem, FALSE, error);

  return self->ops[i] != NULL;
}

static gboolean
create_ops (GstClCompareStream *self, const GstVideoInfo *info, GError **error)
{
  const GstClCompareMetrics metrics = self->shape.metrics;
  const guint n = self->shape.n_components;
  GstClErrorsProblem errors;
  GstClXpsnrProblem xpsnr;
  GstClPictureShape cells;

  /* problems are compared by their bytes */
  memset (&errors, 0, sizeof errors);
  errors.picture = get_shape (self, info, n, FALSE);
  errors.has_histogram = (metrics & GST_CL_COMPARE_HISTOGRAM) != 0;
  memset (&xpsnr, 0, sizeof xpsnr);
  xpsnr.picture = get_shape (self, info, self->shape.weighted.n_components,
      TRUE);
  xpsnr.order = gst_cl_xpsnr_order (GST_VIDEO_INFO_FPS_N (info),
      GST_VIDEO_INFO_FPS_D (info));
  xpsnr.is_large = gst_cl_xpsnr_is_large (self->shape.weighted.widths[0],
      self->shape.weighted.heights[0]);
  cells = get_shape (self, info, 1, FALSE);
  self->results = gst_cl_picture_results_new (self->context);

  return (!(metrics & GST_CL_COMPARE_ERRORS) ||
             create_op (self, ERRORS, &gst_cl_errors_tiered, &errors, error)) &&
         (!(metrics & GST_CL_COMPARE_SSIM) ||
             create_op (self, SSIM, &gst_cl_ssim_tiered, &errors.picture,
                 error)) &&
         (!(metrics & GST_CL_COMPARE_XPSNR) ||
             create_op (self, XPSNR, &gst_cl_xpsnr_tiered, &xpsnr, error)) &&
         (!has_cells (info) ||
             (create_op (self, CELLS_OF_REFERENCE, &gst_cl_cells_tiered, &cells,
                  error) &&
                 create_op (self, CELLS, &gst_cl_cells_tiered, &cells, error)));
}

/* Checks what the metrics need of @info. */
static gboolean
check_info (const GstClCompareStream *self, const GstVideoInfo *info,
    GstClCompareMetrics metrics, GError **error)
{
  if (!(metrics & GST_CL_COMPARE_XPSNR) || GST_VIDEO_INFO_FPS_N (info) > 0)
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      "%s has no frame rate, which XPSNR depends on. Put \"videorate ! "
      "video/x-raw,framerate=25/1\" before it, or leave xpsnr out of metrics.",
      self->name);

  return FALSE;
}

/* Sets the zones of frames of @info. */
static gboolean
set_zones (GstClCompareStream *self, const GstVideoInfo *info,
    const GstClRegionSettings *settings, GError **error)
{
  if (settings->grid_columns * settings->grid_rows <=
      GST_CL_COMPARE_MAX_REGIONS)
    return gst_cl_regions_set (&self->zones, settings, info, error);
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "grid-columns %d, grid-rows %d are more than %d zones.",
      settings->grid_columns, settings->grid_rows, GST_CL_COMPARE_MAX_REGIONS);

  return FALSE;
}

/* Returns TRUE if results of frames of both are pooled. Other members, such as
 * the pixel aspect ratio, may change within a stream. */
static gboolean
have_same_shape (const GstVideoInfo *a, const GstVideoInfo *b)
{
  return GST_VIDEO_INFO_FORMAT (a) == GST_VIDEO_INFO_FORMAT (b) &&
         GST_VIDEO_INFO_WIDTH (a) == GST_VIDEO_INFO_WIDTH (b) &&
         GST_VIDEO_INFO_HEIGHT (a) == GST_VIDEO_INFO_HEIGHT (b) &&
         GST_VIDEO_INFO_FPS_N (a) == GST_VIDEO_INFO_FPS_N (b) &&
         GST_VIDEO_INFO_FPS_D (a) == GST_VIDEO_INFO_FPS_D (b);
}

/* Returns the metrics that are asked for, and those of thresholds. */
static GstClCompareMetrics
get_metrics (const GstClCompareSettings *settings)
{
  GstClCompareMetrics metrics = settings->metrics;

  if (settings->min_psnr > 0)
    metrics |= GST_CL_COMPARE_PSNR;
  if (settings->min_ssim > 0)
    metrics |= GST_CL_COMPARE_SSIM;
  if (settings->min_xpsnr > 0)
    metrics |= GST_CL_COMPARE_XPSNR;
  if (settings->max_difference < GST_CL_COMPARE_NO_LIMIT)
    metrics |= GST_CL_COMPARE_MAX_DIFFERENCE;

  return metrics;
}

gboolean
gst_cl_compare_stream_configure (GstClCompareStream *self,
    GstClContext *context, const GstVideoInfo *info,
    const GstClCompareSettings *settings, GError **error)
{
  const GstClCompareMetrics metrics = get_metrics (settings);
  const guint n_second = (guint) gst_util_uint64_scale_round (1,
      (guint64) MAX (GST_VIDEO_INFO_FPS_N (info), 1),
      (guint64) MAX (GST_VIDEO_INFO_FPS_D (info), 1));

  if (!set_zones (self, info, &settings->regions, error))
    return FALSE;
  if (self->context && metrics == self->shape.metrics &&
      have_same_shape (info, &self->info)) {
    self->info = *info;
    return TRUE;
  }
  if (!check_info (self, info, metrics, error))
    return FALSE;
  /* pooled results are of one shape */
  if (self->context && !gst_cl_compare_stream_end (self, TRUE))
    return FALSE;

  free_ops (self);
  g_clear_pointer (&self->offset, gst_cl_offset_free);
  g_clear_pointer (&self->whole, gst_cl_compare_pool_free);
  g_clear_pointer (&self->second, gst_cl_compare_pool_free);
  set_components (self, info, metrics);
  self->context = gst_object_ref (context);
  self->whole = gst_cl_compare_pool_new (&self->shape);
  self->second = gst_cl_compare_pool_new (&self->shape);
  if (has_cells (info))
    self->offset = gst_cl_offset_new (n_second);
  if (!create_ops (self, info, error)) {
    free_ops (self);
    return FALSE;
  }
  self->info = *info;

  return TRUE;
}

/* --- measuring ------------------------------------------------------------ */

/* Sets the regions of the pair, and the sizes of their components. */
static void
take_regions (GstClCompareStream *self, GstBuffer *rois)
{
  gst_cl_regions_copy (&self->regions, &self->zones);
  if (rois)
    gst_cl_regions_add_rois (&self->regions, rois, &self->info);
  while (self->regions.labels->len > 0 &&
         self->regions.regions->len > GST_CL_COMPARE_MAX_REGIONS + 1) {
    g_array_set_size (self->regions.regions, self->regions.regions->len - 1);
    g_array_set_size (self->regions.labels, self->regions.labels->len - 1);
  }

  g_array_set_size (self->shapes, self->regions.regions->len);
  for (guint r = 0; r < self->shapes->len; r++) {
    GstClComparedShape *shape = &g_array_index (self->shapes,
        GstClComparedShape, r);

    *shape = self->shape;
    for (guint c = 0; c < shape->n_components; c++) {
      const GstClRegion samples = gst_cl_regions_samples (&self->regions, r,
          &self->info, c, GST_CL_ROWS_ALL);

      shape->components[c].width = (guint) samples.width;
      shape->components[c].height = (guint) samples.height;
    }
  }
}

/* Sets the first @n components of region @r of @frame. */
static void
get_components (const GstClCompareStream *self, const GstClFrame *frame,
    guint r, const guint *order, guint n, GstClComponent *components)
{
  for (guint i = 0; i < n; i++) {
    const guint c = order ? order[i] : i;
    const GstClComponent whole = gst_cl_frame_component (frame, c);
    const GstClRegion samples = gst_cl_regions_samples (&self->regions, r,
        &self->info, c, GST_CL_ROWS_ALL);

    components[i] = gst_cl_region_of_component (&whole, &samples,
        GST_CL_ROWS_ALL);
  }
}

/* Enqueues op @i for region @r of a pair, or of the frame @one alone. */
static gboolean
run_op (GstClCompareStream *self, guint i, guint r, const GstClFrame *one,
    const GstClFrame *other, GError **error)
{
  const guint *order = i == XPSNR ? self->shape.weighted_ids : NULL;
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS],
      compared[GST_VIDEO_MAX_COMPONENTS];
  const GstClPictureInput input = { .components = components,
    .compared = other ? compared : NULL };
  const guint n = self->running[i] ? self->running[i]->shape->n_components : 0;

  if (!self->running[i])
    return TRUE;
  get_components (self, one, r, order, n, components);
  if (other)
    get_components (self, other, r, order, n, compared);

  return gst_cl_picture_results_run (self->results, i, &input, error);
}

/* Enqueues the ops of region @r, and the read of their results into slot @r.
 * Only the frame has those of N_OF_REGIONS and more. */
static gboolean
run_region (GstClCompareStream *self, guint r, const GstClFrame *reference,
    const GstClFrame *compared, GError **error)
{
  const guint n_ops = r == 0 ? N_OPS : N_OF_REGIONS;

  if (!gst_cl_picture_results_begin (self->results, self->running, n_ops,
          error))
    return FALSE;
  for (guint i = 0; i < n_ops; i++) {
    const gboolean is_single = i == CELLS || i == CELLS_OF_REFERENCE;

    if (!run_op (self, i, r, i == CELLS ? compared : reference,
            is_single ? NULL : compared, error))
      return FALSE;
  }

  return gst_cl_picture_results_fetch (self->results, r, error);
}

gboolean
gst_cl_compare_stream_run (GstClCompareStream *self,
    const GstClFrame *reference, const GstClFrame *compared, GstBuffer *rois,
    GError **error)
{
  for (guint i = 0; i < N_OPS; i++) {
    self->running[i] = NULL;
    if (!self->ops[i])
      continue;
    self->running[i] = gst_cl_tiered_op_next (self->ops[i], error);
    if (!self->running[i])
      return FALSE;
  }
  take_regions (self, rois);
  for (guint r = 0; r < self->shapes->len; r++) {
    if (!run_region (self, r, reference, compared, error))
      return FALSE;
  }

  return TRUE;
}

/* --- results -------------------------------------------------------------- */

static gboolean
get_errors (GstClCompareStream *self, guint r, GstClCompared *compared,
    GError **error)
{
  GstClPictureOp *op = self->running[ERRORS];
  gconstpointer words;

  if (!op)
    return TRUE;
  words = gst_cl_picture_op_result (op, r, NULL, error);
  if (!words)
    return FALSE;
  for (guint c = 0; c < self->shape.n_components; c++) {
    GstClComparedComponent *to = &compared->components[c];
    const GstClErrors *errors = gst_cl_errors_get (op, words, c,
        &to->histogram);

    to->squares = errors->squares;
    to->n_different = errors->n_different;
    to->max = errors->max;
    to->first = errors->first;
  }

  return TRUE;
}

static gboolean
get_ssim (GstClCompareStream *self, guint r, GstClCompared *compared,
    GError **error)
{
  const gint64 *sums;

  if (!self->running[SSIM])
    return TRUE;
  sums = gst_cl_picture_op_result (self->running[SSIM], r, NULL, error);
  if (!sums)
    return FALSE;
  for (guint c = 0; c < self->shape.n_components; c++)
    compared->components[c].ssim_sum = sums[c];

  return TRUE;
}

static gboolean
get_xpsnr (GstClCompareStream *self, GstClCompared *compared, GError **error)
{
  const GstClXpsnrBlock *blocks;

  if (!self->running[XPSNR])
    return TRUE;
  blocks = gst_cl_picture_op_result (self->running[XPSNR], 0, NULL, error);
  if (!blocks)
    return FALSE;
  gst_cl_xpsnr_sums (&self->shape.weighted, blocks, compared->weighted);

  return TRUE;
}

/* --- events --------------------------------------------------------------- */

/* A threshold of 0 is none: SSIM and XPSNR may be less than 0. */
static gboolean
is_too_low (const Mismatch *mismatch)
{
  return mismatch->threshold > 0 && mismatch->value < mismatch->threshold;
}

/* Returns TRUE if a figure is beyond its threshold, and sets @mismatch. */
static gboolean
find_mismatch (const GstClCompareStream *self,
    const GstClCompareSettings *settings, const GstClCompared *compared,
    Mismatch *mismatch)
{
  const GstClComparedShape *shape = &self->shape;
  guint64 max = 0;

  for (guint c = 0; c < shape->n_components; c++)
    max = MAX (max, compared->components[c].max);
  if (shape->metrics & GST_CL_COMPARE_PSNR) {
    *mismatch = (Mismatch){ "psnr",
      gst_cl_compared_psnr (gst_cl_compared_mse_of_all (shape, compared),
          shape->depth),
      settings->min_psnr };
    if (is_too_low (mismatch))
      return TRUE;
  }
  if (shape->metrics & GST_CL_COMPARE_SSIM) {
    *mismatch = (Mismatch){ "ssim",
      gst_cl_compared_ssim_of_all (shape, compared), settings->min_ssim };
    if (is_too_low (mismatch))
      return TRUE;
  }
  if (shape->metrics & GST_CL_COMPARE_XPSNR) {
    *mismatch = (Mismatch){ "xpsnr", gst_cl_compared_xpsnr (shape, compared, 0),
      settings->min_xpsnr };
    if (is_too_low (mismatch))
      return TRUE;
  }
  *mismatch = (Mismatch){ "max-difference", (gdouble) max,
    settings->max_difference };

  return (shape->metrics & GST_CL_COMPARE_MAX_DIFFERENCE) &&
         mismatch->value > mismatch->threshold;
}

static gboolean
detect_mismatch (GstClCompareStream *self, const GstClCompareSettings *settings,
    const GstClCompared *compared, const GstClFrameTime *time)
{
  Mismatch mismatch;
  GstStructure *event;

  if (!find_mismatch (self, settings, compared, &mismatch))
    return end_span (self, &self->mismatch, "mismatch", time, NULL);

  if (self->mismatch.is_open) {
    self->mismatch.n_frames++;
    return TRUE;
  }
  begin_span (&self->mismatch, time);
  self->mismatch.n_frames = 1;
  event = new_event (self, "mismatch", time, NULL);
  gst_structure_set (event, "metric", G_TYPE_STRING, mismatch.metric, "value",
      G_TYPE_DOUBLE, mismatch.value, "threshold", G_TYPE_DOUBLE,
      mismatch.threshold, NULL);
  if (self->shape.metrics & GST_CL_COMPARE_MAX_DIFFERENCE)
    gst_cl_compared_add_first (event, &self->shape, compared);

  return publish_event (self, event);
}

/* Detects a constant shift from the cells of the pair. FALSE with @error, or
 * without after the publisher has posted one. */
static gboolean
detect_offset (GstClCompareStream *self, const GstClFrameTime *time,
    GError **error)
{
  const guint32 *reference, *compared;
  GstStructure *event;
  gint offset;

  if (!self->offset)
    return TRUE;
  reference = gst_cl_picture_op_result (self->running[CELLS_OF_REFERENCE], 0,
      NULL, error);
  compared = reference ? gst_cl_picture_op_result (self->running[CELLS], 0,
                             NULL, error)
                       : NULL;
  if (!compared)
    return FALSE;

  self->shifted.n_frames++;
  if (!gst_cl_offset_add (self->offset, reference, compared, &offset) ||
      offset == self->last_offset)
    return TRUE;
  self->last_offset = offset;
  if (!end_span (self, &self->shifted, "offset", time, NULL))
    return FALSE;
  if (offset == 0)
    return TRUE;
  begin_span (&self->shifted, time);
  event = new_event (self, "offset", time, NULL);
  gst_structure_set (event, "offset-frames", G_TYPE_INT, offset, NULL);

  return publish_event (self, event);
}

/* Sets @last to the end of the frame at @time. */
static void
set_last (GstClFrameTime *last, const GstClFrameTime *time)
{
  *last = gst_cl_frame_time_end (time);
  last->frame++;
}

gboolean
gst_cl_compare_stream_add_unpaired (GstClCompareStream *self,
    const GstClFrameTime *time, gboolean is_reference)
{
  Span *span = is_reference ? &self->unpaired_reference : &self->unpaired;
  GstStructure *event;

  self->has_frames = TRUE;
  self->n_unpaired_references += is_reference;
  self->n_unpaired += !is_reference;
  set_last (is_reference ? &self->last : &self->last_compared, time);
  if (span->is_open) {
    span->n_frames++;
    return TRUE;
  }

  begin_span (span, time);
  span->n_frames = 1;
  event = new_event (self, "unpaired", time, NULL);
  gst_structure_set (event, "side", G_TYPE_STRING,
      is_reference ? REFERENCE : DISTORTED, NULL);

  return publish_event (self, event);
}

/* Ends the events of frames without a partner: before the pair of the frames at
 * @time and @compared. */
static gboolean
end_unpaired (GstClCompareStream *self, const GstClFrameTime *time,
    const GstClFrameTime *compared)
{
  return end_span (self, &self->unpaired, "unpaired", compared, DISTORTED) &&
         end_span (self, &self->unpaired_reference, "unpaired", time,
             REFERENCE);
}

/* --- the result of a pair ------------------------------------------------- */

/* Adds the pair to the pools. */
static gboolean
pool (GstClCompareStream *self, const GstClCompared *compared,
    const GstClFrameTime *time)
{
  const guint64 number = GST_CLOCK_TIME_IS_VALID (time->running_time)
                             ? time->running_time / GST_SECOND
                             : 0;

  if (number != self->second_number && !end_second (self))
    return FALSE;
  self->second_number = number;
  gst_cl_compare_pool_add (self->whole, compared, time);
  gst_cl_compare_pool_add (self->second, compared, time);

  return TRUE;
}

/* Adds the fields of the regions of @group. */
static void
add_group (const GstClCompareStream *self, const GstClRegionGroup *group,
    GstStructure *structure)
{
  if (group->n == 0)
    return;

  gst_cl_regions_add_group (&self->regions, group, structure);
  gst_cl_compared_add_regions (structure, group->prefix,
      &g_array_index (self->shapes, GstClComparedShape, group->first),
      &g_array_index (self->compared, GstClCompared, group->first), group->n);
}

/* Waits for the results of all regions. Returns those of the frame; NULL with
 * @error. */
static const GstClCompared *
get_results (GstClCompareStream *self, GError **error)
{
  g_array_set_size (self->compared, 0);
  g_array_set_size (self->compared, self->shapes->len);
  for (guint r = 0; r < self->compared->len; r++) {
    GstClCompared *compared = &g_array_index (self->compared, GstClCompared, r);

    if (!get_errors (self, r, compared, error) ||
        !get_ssim (self, r, compared, error) ||
        (r == 0 && !get_xpsnr (self, compared, error)))
      return NULL;
  }

  return &g_array_index (self->compared, GstClCompared, 0);
}

GstStructure *
gst_cl_compare_stream_finish (GstClCompareStream *self,
    const GstClCompareSettings *settings, const GstClFrameTime *time,
    const GstClFrameTime *compared_time, GError **error)
{
  g_autoptr (GstStructure) structure = NULL;
  const GstClCompared *compared = get_results (self, error);
  const GstClRegionGroup zones = gst_cl_regions_zones (&self->regions),
                         rois = gst_cl_regions_rois (&self->regions);

  if (!compared)
    return NULL;

  structure = gst_cl_frame_time_structure (MESSAGE, time,
      GST_OBJECT_NAME (self->publisher->element));
  gst_structure_set (structure, "pad", G_TYPE_STRING, self->name, "width",
      G_TYPE_INT, GST_VIDEO_INFO_WIDTH (&self->info), "height", G_TYPE_INT,
      GST_VIDEO_INFO_HEIGHT (&self->info), NULL);
  gst_cl_compared_add (structure, &self->shape, compared,
      settings->keys == GST_CL_COMPARE_KEYS_LAVFI);
  add_group (self, &zones, structure);
  add_group (self, &rois, structure);
  self->has_frames = TRUE;
  set_last (&self->last, time);
  set_last (&self->last_compared, compared_time);

  if (!end_unpaired (self, time, compared_time) ||
      !pool (self, compared, time) ||
      !detect_mismatch (self, settings, compared, time) ||
      !detect_offset (self, time, error) ||
      !gst_cl_compare_publisher_publish (self->publisher, GST_CL_RECORD_FRAME,
          gst_structure_copy (structure), settings->post_messages))
    return NULL;

  return g_steal_pointer (&structure);
}

/* --- the end -------------------------------------------------------------- */

gboolean
gst_cl_compare_stream_end (GstClCompareStream *self, gboolean is_complete)
{
  const GstClFrameTime last = self->last;
  gboolean done;

  if (!self->has_frames)
    return TRUE;
  done = end_unpaired (self, &last, &self->last_compared) &&
         end_span (self, &self->mismatch, "mismatch", &last, NULL) &&
         end_span (self, &self->shifted, "offset", &last, NULL) &&
         end_second (self) && publish_whole (self, is_complete);
  gst_cl_compare_stream_reset (self);

  return done;
}

void
gst_cl_compare_stream_reset (GstClCompareStream *self)
{
  self->mismatch.is_open = self->unpaired.is_open = FALSE;
  self->unpaired_reference.is_open = self->shifted.is_open = FALSE;
  self->n_unpaired = self->n_unpaired_references = 0;
  self->last_offset = 0;
  self->has_frames = FALSE;
  if (self->whole)
    gst_cl_compare_pool_clear (self->whole);
  if (self->second)
    gst_cl_compare_pool_clear (self->second);
  if (self->offset)
    gst_cl_offset_forget (self->offset);
  if (self->ops[XPSNR])
    gst_cl_picture_op_forget (gst_cl_tiered_op_current (self->ops[XPSNR]));
}

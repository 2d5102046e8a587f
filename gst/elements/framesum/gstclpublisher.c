/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Publishes results as messages, metas, events and lines of a file. */

#include "gstclpublisher.h"

#include <string.h>

#include <gst/base/gstqueuearray.h>

#include "cl/device/gstclerror.h"
#include "elements/base/gstclgamut.h"
#include "elements/base/gstclresultmeta.h"
#include "gstclseriesinput.h"
#include "gstclsignalstats.h"
#include "gstclstatistics.h"

/* --- bits that samples use ------------------------------------------------ */

/* Number of frames that decide whether samples have fewer bits than their
 * format. */
#define N_CHECKED_FRAMES 25

/* A frame within 8 bits is black in 16 bits, and says nothing. A picture that
 * is half as bright as possible leaves one upper bit unused. */
#define MIN_USED_BITS   9
#define MIN_UNUSED_BITS 2

/* The first frames since the start. */
typedef struct {
  guint n_frames; /* so far; N_CHECKED_FRAMES: the check is over */
  guint n_bits;   /* the most bits of any of them */
} UsedBits;

/* Returns TRUE if @measured is the last frame of the check, and no frame of it
 * used the upper bits. */
static gboolean
lacks_upper_bits (UsedBits *self, const GstClMeasured *measured)
{
  if (self->n_frames == N_CHECKED_FRAMES || measured->used_bits < MIN_USED_BITS)
    return FALSE;

  self->n_frames++;
  self->n_bits = MAX (self->n_bits, measured->used_bits);
  if (self->n_bits + MIN_UNUSED_BITS > measured->shape->depth) {
    self->n_frames = N_CHECKED_FRAMES;
    return FALSE;
  }

  return self->n_frames == N_CHECKED_FRAMES;
}

/* --- results -------------------------------------------------------------- */

#define META_NAME    "GstClFrameSumMeta"
#define MESSAGE_NAME "clframesum"

/* A message to be posted. */
typedef struct {
  GstStructure *structure;
  gboolean has_line; /* its line has been written, if there is a file */
} Queued;

struct _GstClPublisher {
  GstElement *element; /* posts the messages */
  gchar *name;         /* its name when the last frame was analyzed, or NULL */

  /* of the frame being analyzed; one thread at a time */
  GArray *summaries; /* GstClSummary */
  GstClMeasuredInput measured;
  UsedBits used_bits;

  GMutex lock;   /* protects the members below */
  GCond changed; /* poster, is_flushing */

  gchar *location;
  GstMessage *latest;  /* holds the last result until stop(); or NULL */
  GstStructure *stats; /* the last result after stop(), or NULL */

  guint epoch;           /* current epoch; incremented by each reset */
  GstClLightCurve curve; /* of the last frame */
  GstClEventType types, zone_types;
  GstClEventSettings settings; /* of that frame */
  GstClSeries *series;
  GArray *open_events; /* of the series */

  GstQueueArray *queue; /* Queued */
  GThread *poster;      /* the posting thread; NULL: none */
  gboolean is_open;
  gboolean is_flushing; /* no call blocks */

  GstClRecord *record; /* NULL: no file */
  gboolean has_failed; /* writing the file has failed */
  GError *failure;     /* the error, until it is posted */
  gboolean has_posted_failure;
};

static void add_result (GstClSeriesResult kind, GstStructure *structure,
    gpointer user_data);

static void
clear_queued (gpointer data)
{
  Queued *queued = data;

  gst_clear_structure (&queued->structure);
}

GstClPublisher *
gst_cl_publisher_new (GstElement *element)
{
  GstClPublisher *self = g_new0 (GstClPublisher, 1);

  self->element = element;
  self->summaries = g_array_new (FALSE, FALSE, sizeof (GstClSummary));
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  gst_cl_event_settings_init (&self->settings);
  self->series = gst_cl_series_new (add_result, self);
  self->open_events = gst_cl_open_events_new ();
  self->queue = gst_queue_array_new_for_struct (sizeof (Queued), 8);
  gst_queue_array_set_clear_func (self->queue, clear_queued);

  return self;
}

void
gst_cl_publisher_free (GstClPublisher *self)
{
  if (!self)
    return;

  gst_queue_array_free (self->queue);
  gst_cl_series_free (self->series);
  g_array_unref (self->open_events);
  g_clear_error (&self->failure);
  gst_clear_message (&self->latest);
  gst_clear_structure (&self->stats);
  g_free (self->location);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_array_unref (self->summaries);
  gst_cl_measured_input_clear (&self->measured);
  g_free (self->name);
  g_free (self);
}

void
gst_cl_publisher_register_meta (void)
{
  gst_cl_result_meta_register (META_NAME);
}

/* --- properties ----------------------------------------------------------- */

void
gst_cl_publisher_set_location (GstClPublisher *self, const gchar *location)
{
  g_mutex_lock (&self->lock);
  g_free (self->location);
  self->location = g_strdup (location);
  g_mutex_unlock (&self->lock);
}

gchar *
gst_cl_publisher_dup_location (GstClPublisher *self)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  return g_strdup (self->location);
}

GstStructure *
gst_cl_publisher_dup_stats (GstClPublisher *self)
{
  g_autoptr (GstMessage) latest = NULL;
  GstStructure *stats = NULL;

  g_mutex_lock (&self->lock);
  if (self->latest)
    latest = gst_message_ref (self->latest);
  else if (self->stats)
    stats = gst_structure_copy (self->stats);
  g_mutex_unlock (&self->lock);

  return latest ? gst_structure_copy (gst_message_get_structure (latest))
                : stats;
}

/* --- the file ------------------------------------------------------------- */

/* Returns the file if it can be written, else NULL. It exists until stop(). */
static GstClRecord *
writable_record (GstClPublisher *self)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  return self->has_failed ? NULL : self->record;
}

/* Stores the first @error (transfer full) for post_failure(). lock held */
static void
fail (GstClPublisher *self, GError *error)
{
  if (self->has_failed) {
    g_error_free (error);
    return;
  }
  self->has_failed = TRUE;
  self->failure = error;
}

/* Writes a line; blocks until the reader of a pipe has room. */
static void
write_line (GstClPublisher *self, GstClRecordKind kind,
    const GstStructure *structure, gboolean has_packed)
{
  GstClRecord *record = writable_record (self);
  GError *error = NULL;

  if (!record ||
      gst_cl_record_write (record, kind, structure, has_packed, &error))
    return;

  g_mutex_lock (&self->lock);
  fail (self, error);
  g_mutex_unlock (&self->lock);
}

/* Writes an event; never blocks on the reader. lock held */
static void
write_event (GstClPublisher *self, const GstStructure *structure)
{
  GError *error = NULL;

  if (self->record && !self->has_failed &&
      !gst_cl_record_write (self->record, GST_CL_RECORD_EVENT, structure, FALSE,
          &error))
    fail (self, error);
}

static void
post_failure (GstClPublisher *self)
{
  g_autoptr (GError) failure = NULL;

  g_mutex_lock (&self->lock);
  failure = g_steal_pointer (&self->failure);
  g_mutex_unlock (&self->lock);
  if (!failure)
    return;

  gst_cl_post_error (self->element, failure);
  g_mutex_lock (&self->lock);
  self->has_posted_failure = TRUE;
  g_mutex_unlock (&self->lock);
}

gboolean
gst_cl_publisher_has_posted_failure (GstClPublisher *self)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  return self->has_posted_failure;
}

/* --- messages ------------------------------------------------------------- */

/* Queues @structure (transfer full). lock held */
static void
queue_message (GstClPublisher *self, GstStructure *structure, gboolean has_line)
{
  Queued queued = { structure, has_line };

  if (self->is_open)
    gst_queue_array_push_tail_struct (self->queue, &queued);
  else
    gst_structure_free (structure);
}

/* lock held */
static void
queue_result (GstClPublisher *self, GstStructure *structure, gboolean is_event)
{
  if (is_event)
    write_event (self, structure);
  queue_message (self, structure, is_event);
}

/* lock held */
static void
add_result (GstClSeriesResult kind, GstStructure *structure, gpointer user_data)
{
  GstClPublisher *self = user_data;

  /* also with analytics-meta=false, which may change during an event */
  if (kind == GST_CL_SERIES_EVENT)
    gst_cl_open_events_add (self->open_events, structure);
  queue_result (self, structure, kind == GST_CL_SERIES_EVENT);
}

void
gst_cl_publisher_queue (GstClPublisher *self, GstStructure *structure)
{
  g_mutex_lock (&self->lock);
  queue_result (self, structure, TRUE);
  g_mutex_unlock (&self->lock);
}

static void
post (GstClPublisher *self, const Queued *queued)
{
  if (!queued->has_line)
    write_line (self, GST_CL_RECORD_POOLED, queued->structure, FALSE);
  post_failure (self);
  gst_element_post_message (self->element,
      gst_message_new_element (GST_OBJECT (self->element), queued->structure));
}

void
gst_cl_publisher_post_queued (GstClPublisher *self)
{
  const Queued *next;

  post_failure (self);
  g_mutex_lock (&self->lock);
  if (self->poster) {
    g_mutex_unlock (&self->lock);
    return;
  }

  self->poster = g_thread_self ();
  while ((next = gst_queue_array_pop_head_struct (self->queue))) {
    const Queued queued = *next;

    g_mutex_unlock (&self->lock);
    post (self, &queued);
    g_mutex_lock (&self->lock);
  }
  self->poster = NULL;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* lock held */
static gboolean
is_posted_elsewhere (const GstClPublisher *self)
{
  return self->poster && self->poster != g_thread_self ();
}

void
gst_cl_publisher_wait_posted (GstClPublisher *self)
{
  g_mutex_lock (&self->lock);
  while (is_posted_elsewhere (self) && !self->is_flushing)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);

  gst_cl_publisher_post_queued (self);
}

/* --- life cycle ----------------------------------------------------------- */

gboolean
gst_cl_publisher_start (GstClPublisher *self)
{
  g_autofree gchar *location = gst_cl_publisher_dup_location (self);
  g_autoptr (GError) error = NULL;
  GstClRecord *record = NULL;

  if (location && *location) {
    record = gst_cl_record_open (location, &error);
    if (!record)
      gst_cl_post_error (self->element, error);
  }

  self->used_bits = (UsedBits){ 0 };
  g_mutex_lock (&self->lock);
  gst_clear_structure (&self->stats);
  g_clear_error (&self->failure);
  self->has_failed = self->has_posted_failure = FALSE;
  self->record = record;
  self->is_open = !error;
  self->is_flushing = FALSE;
  g_mutex_unlock (&self->lock);

  return !error;
}

/* Keeps the last result without its message, which references the element. */
static void
keep_stats (GstClPublisher *self)
{
  g_autoptr (GstMessage) latest = NULL;
  GstStructure *stats = NULL;

  g_mutex_lock (&self->lock);
  latest = g_steal_pointer (&self->latest);
  g_mutex_unlock (&self->lock);
  if (!latest)
    return;

  stats = gst_structure_copy (gst_message_get_structure (latest));
  g_mutex_lock (&self->lock);
  gst_clear_structure (&self->stats);
  self->stats = stats;
  g_mutex_unlock (&self->lock);
}

void
gst_cl_publisher_stop (GstClPublisher *self)
{
  g_autoptr (GError) error = NULL;
  GstClRecord *record;
  gboolean has_failed;

  g_mutex_lock (&self->lock);
  while (is_posted_elsewhere (self))
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);
  gst_cl_publisher_post_queued (self);

  g_mutex_lock (&self->lock);
  self->is_open = FALSE;
  gst_queue_array_clear (self->queue);
  record = g_steal_pointer (&self->record);
  has_failed = self->has_failed;
  g_mutex_unlock (&self->lock);

  keep_stats (self);
  if (!gst_cl_record_close (record, &error) && !has_failed)
    gst_cl_post_error (self->element, error);
}

void
gst_cl_publisher_set_flushing (GstClPublisher *self, gboolean is_flushing)
{
  g_mutex_lock (&self->lock);
  self->is_flushing = is_flushing;
  if (self->record)
    gst_cl_record_set_flushing (self->record, is_flushing);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

void
gst_cl_publisher_cancel_waits (GstClPublisher *self)
{
  g_mutex_lock (&self->lock);
  self->is_flushing = TRUE;
  if (self->record)
    gst_cl_record_stop (self->record);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* --- events and the pooled result ----------------------------------------- */

static void
unlock_and_post (GstClPublisher *self)
{
  g_mutex_unlock (&self->lock);
  gst_cl_publisher_post_queued (self);
}

/* lock held */
static void
configure_series (GstClPublisher *self)
{
  gst_cl_series_configure (self->series,
      self->types & ~GST_CL_EVENT_SIGNAL_LOSS, self->zone_types,
      &self->settings);
}

gboolean
gst_cl_publisher_has_events (GstClPublisher *self, GstClEventType types,
    GstClEventType zone_types)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  return self->types == types && self->zone_types == zone_types;
}

void
gst_cl_publisher_set_events (GstClPublisher *self, GstClEventType types,
    GstClEventType zone_types)
{
  g_mutex_lock (&self->lock);
  self->types = types;
  self->zone_types = zone_types;
  configure_series (self);
  unlock_and_post (self);
}

/* lock held */
static void
use_settings (GstClPublisher *self, const GstClEventSettings *settings)
{
  if (gst_cl_event_settings_equal (&self->settings, settings))
    return;

  self->settings = *settings;
  configure_series (self);
}

guint
gst_cl_publisher_epoch (GstClPublisher *self)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  return self->epoch;
}

void
gst_cl_publisher_mark_incomplete (GstClPublisher *self, guint epoch)
{
  g_mutex_lock (&self->lock);
  if (epoch == self->epoch)
    gst_cl_series_miss (self->series);
  g_mutex_unlock (&self->lock);
}

void
gst_cl_publisher_finish (GstClPublisher *self, gboolean is_complete)
{
  g_mutex_lock (&self->lock);
  gst_cl_series_finish (self->series, is_complete);
  unlock_and_post (self);
}

void
gst_cl_publisher_reset (GstClPublisher *self)
{
  g_mutex_lock (&self->lock);
  gst_cl_series_reset (self->series);
  g_array_set_size (self->open_events, 0);
  self->epoch++;
  g_mutex_unlock (&self->lock);
}

/* --- frames --------------------------------------------------------------- */

static void
summarize_range (GstClSummary *summary, const GstClStatisticsShape *shape,
    const GstClRegionMetrics *metrics)
{
  for (guint i = 0; i < shape->n_components; i++) {
    guint low, high;

    gst_cl_gamut_limits_limited (&shape->info, shape->depth,
        shape->component_ids[i], &low, &high);
    gst_cl_summary_set_range (&summary->components[i], shape->n_codes, low,
        high);
  }
  summary->range_evidence = gst_cl_range_evidence_name (
      gst_cl_measured_evidence (shape, metrics));
}

/* Returns the summary of region @index of a picture in @rows. */
static GstClSummary
summarize (const GstClMeasured *measured, const GstClMeasuredPicture *picture,
    guint index, GstClRowSet rows)
{
  const GstClStatisticsShape *shape = measured->shape;
  const GstClRegion samples = gst_cl_regions_samples (measured->regions, index,
      &shape->info, shape->component_ids[0], rows);
  const GstClRegionMetrics *metrics = &picture->metrics[index];
  GstClSummary summary;

  gst_cl_summary_init (&summary, shape->statistics, metrics,
      shape->n_components, shape->n_codes, samples.height);
  /* no code is outside full range; the device counts all the same, because BRNG
   * of signalstats uses limited range always */
  if (gst_cl_gamut_is_full (&shape->info))
    summary.gamut = 0.0;
  if (shape->statistics & GST_CL_STATISTIC (RANGE_EVIDENCE))
    summarize_range (&summary, shape, metrics);
  if (index == 0) {
    summary.blockiness = picture->blockiness;
    for (guint i = 0; picture->profiles && i < shape->n_components; i++)
      summary.components[i].profile = picture->profiles[i];
    for (guint i = 0; i < shape->n_components; i++) {
      summary.components[i].cells = picture->cells[i];
      summary.components[i].waveform = picture->waveforms[i];
    }
    summary.vectorscope = picture->vectorscope;
  }

  return summary;
}

/* Copies the profiles in @summary with one allocation; an array each would take
 * 20 us of a frame. Returns NULL if there are none; transfer full. */
static GBytes *
copy_profiles (GstClSummary *summary, const GstClStatisticsShape *shape)
{
  const GstClProfile *last = &summary->components[shape->n_components - 1]
                                  .profile;
  const guint32 *first = summary->components[0].profile.row_sum;
  GBytes *copy;

  if (!(shape->statistics & GST_CL_STATISTIC (PROFILES)) || !first)
    return NULL;

  copy = g_bytes_new (first,
      (last->column_difference + last->n_columns - first) * sizeof *first);
  for (guint i = 0; i < shape->n_components; i++) {
    summary->components[i].copy = copy;
    summary->components[i].copied = first;
  }

  return copy;
}

/* Adds the statistics of both fields of the frame, if they were measured. */
static void
add_fields (GstStructure *structure, const GstClMeasured *measured)
{
  GstClStatisticsShape shape = *measured->shape;
  const GstClSummary summaries[] = {
    summarize (measured, &measured->fields[0], 0, GST_CL_ROWS_TOP),
    summarize (measured, &measured->fields[1], 0, GST_CL_ROWS_BOTTOM),
  };

  shape.statistics = gst_cl_statistics_of_fields (shape.statistics);
  gst_cl_statistics_add_fields (structure, &shape, summaries);
}

static void
add_statistics (GstClPublisher *self, GstStructure *structure,
    const GstClMeasured *measured, const GstClSeriesInput *input)
{
  const GstClStatisticsShape *shape = measured->shape;
  const GstClRegions *regions = measured->regions;
  const guint n = regions->regions->len;
  GstClStatisticsShape shape_of_regions = *shape;
  g_autoptr (GBytes) copy = NULL;
  GstClSummary *summaries;

  g_array_set_size (self->summaries, n);
  summaries = (GstClSummary *) self->summaries->data;
  for (guint r = 0; r < n; r++)
    summaries[r] = summarize (measured, &measured->frame, r, GST_CL_ROWS_ALL);
  copy = copy_profiles (&summaries[0], shape);
  summaries[0].flash = input->frame.flash;
  summaries[0].light = input->frame.light;
  memcpy (summaries[0].levels, input->frame.levels, sizeof summaries[0].levels);

  gst_cl_statistics_add_rectangle (structure, regions);
  gst_cl_statistics_add (structure, shape, &summaries[0]);
  gst_cl_statistics_add_light (structure, shape, &summaries[0].light,
      &measured->frame.light.light);
  gst_cl_series_frame_add_fields (&input->frame,
      shape->statistics & GST_CL_STATISTIC (DETECTION)
          ? shape->statistics | GST_CL_STATISTICS_OF_DETECTION
          : shape->statistics,
      structure);
  if (shape->has_signalstats)
    gst_cl_signalstats_add (structure, shape, &measured->frame.metrics[0],
        &summaries[0]);
  if (measured->has_fields)
    add_fields (structure, measured);
  shape_of_regions.statistics = gst_cl_statistics_of_regions (
      shape->statistics);
  if (!measured->has_region_histograms)
    shape_of_regions.statistics &= ~GST_CL_STATISTIC (HISTOGRAM);
  gst_cl_statistics_add_zones (structure, &shape_of_regions, regions,
      summaries);
  if ((shape->statistics & GST_CL_STATISTIC (DETECTION)) &&
      measured->frame.has_zone_limits)
    gst_cl_series_zones_add_fields (input->zones, input->n_zones, structure);
  gst_cl_statistics_add_rois (structure, &shape_of_regions, regions, summaries);
}

static gboolean
are_equal_curves (const GstClLightCurve *a, const GstClLightCurve *b)
{
  return a->transfer == b->transfer && a->is_full_range == b->is_full_range &&
         a->depth == b->depth && a->peak == b->peak;
}

/* Adds the pictures of @measured to the flashes of the stream. lock held */
static void
add_flash (GstClPublisher *self, const GstClMeasured *measured,
    GstClSeriesFrame *frame)
{
  const GstClStatisticsShape *shape = measured->shape;
  const GstClMeasuredLight *light = &measured->frame.light;
  const gboolean is_alternate = GST_VIDEO_INFO_INTERLACE_MODE (&shape->info) ==
                                GST_VIDEO_INTERLACE_MODE_ALTERNATE;
  const GstClRegion *region = &g_array_index (measured->regions->regions,
      GstClRegion, 0);
  const GstClSeriesArea area = { region->x, region->y, region->width,
    region->height };

  if (!are_equal_curves (&self->curve, &shape->curve))
    gst_cl_series_forget_flash (self->series);
  self->curve = shape->curve;
  gst_cl_series_add_flash (self->series, light->pictures, light->n_pictures,
      is_alternate ? 2 : light->n_pictures,
      frame->tagged_order == GST_CL_FIELDS_BFF, &area, frame);
}

/* Sets the light of @frame, and its flashes if @is_current. lock held */
static void
add_light_input (GstClPublisher *self, const GstClMeasured *measured,
    GstClSeriesFrame *frame, gboolean is_current)
{
  const GstClStatisticsShape *shape = measured->shape;
  const GstClMeasuredLight *light = &measured->frame.light;
  const GstClRegion *region = &g_array_index (measured->regions->regions,
      GstClRegion, 0);

  if (is_current)
    add_flash (self, measured, frame);
  if (!light->has_light)
    return;

  if (light->light.histogram)
    gst_cl_light_levels_init (&frame->light, &light->light, &shape->curve,
        shape->light_area == GST_CL_LIGHT_AREA_ACTIVE
            ? gst_cl_series_border_pixels (self->series, region->width,
                  region->height)
            : 0);
  for (guint i = 0; i < GST_CL_LEVELS_N_COMPONENTS; i++)
    frame->levels[i] = gst_cl_light_beyond (&light->light, i);
}

/* Returns the current name of the element, which the results contain; borrowed
 * until the next call. An application may rename an element at any time. */
static const gchar *
current_name (GstClPublisher *self)
{
  GST_OBJECT_LOCK (self->element);
  if (g_strcmp0 (self->name, GST_OBJECT_NAME (self->element)) != 0) {
    g_free (self->name);
    self->name = g_strdup (GST_OBJECT_NAME (self->element));
  }
  GST_OBJECT_UNLOCK (self->element);

  return self->name;
}

GstStructure *
gst_cl_publisher_analyze (GstClPublisher *self, const GstClMeasured *measured,
    const GstClFrameTime *time, const GstClEventSettings *settings, guint epoch,
    GstClAnalyticsFrame *analytics)
{
  GstStructure *structure = gst_cl_statistics_new (MESSAGE_NAME,
      measured->shape, time, current_name (self));
  GstClSeriesInput *input = &self->measured.input;

  *analytics = (GstClAnalyticsFrame){ 0 };
  if (measured->frame.metrics) {
    gst_cl_measured_input_init (&self->measured, measured, time);
    g_mutex_lock (&self->lock);
    if (epoch == self->epoch)
      use_settings (self, settings);
    if (self->zone_types || measured->frame.has_zone_limits)
      gst_cl_measured_input_add_zones (&self->measured, measured);
    add_light_input (self, measured, &input->frame, epoch == self->epoch);
    if (epoch == self->epoch) {
      gst_cl_series_add (self->series, input);
      analytics->classes = gst_cl_open_events_next (self->open_events);
    }
    if (input->frame.has_fields)
      gst_cl_series_add_field_order (self->series, structure,
          measured->shape->has_signalstats);
    if (measured->shape->statistics & GST_CL_STATISTIC (ACTIVE_AREA))
      gst_cl_series_add_active_area (self->series, &input->frame,
          measured->frame.profiles[0].n_columns,
          measured->frame.profiles[0].n_rows, structure);
    unlock_and_post (self);
    analytics->n_boxes = measured->regions->n_boxes;
    add_statistics (self, structure, measured, input);
    if (lacks_upper_bits (&self->used_bits, measured))
      GST_ELEMENT_WARNING (self->element, STREAM, FORMAT,
          ("No sample of the first %d frames uses more than %u of the %u bits "
           "of %s: if samples have fewer bits, set the property "
           "significant-bits to their number.",
              N_CHECKED_FRAMES, self->used_bits.n_bits, measured->shape->depth,
              GST_VIDEO_INFO_NAME (&measured->shape->info)),
          (NULL));
  }

  return structure;
}

void
gst_cl_publisher_publish (GstClPublisher *self, GstBuffer *buffer,
    GstStructure *structure, const GstClAnalyticsFrame *analytics,
    const GstClFrameSumDelivery *delivery)
{
  /* the property `stats` and the message share the structure */
  g_autoptr (GstMessage)
      message = gst_message_new_element (GST_OBJECT (self->element), structure);
  g_autoptr (GstMessage) before = NULL;

  if (buffer && delivery->stats_meta)
    gst_cl_result_meta_add (buffer, META_NAME, structure);
  if (buffer && delivery->analytics_meta)
    gst_cl_analytics_add (buffer, structure, analytics);
  write_line (self, GST_CL_RECORD_FRAME, structure, delivery->packed_lines);
  post_failure (self);

  g_mutex_lock (&self->lock);
  before = g_steal_pointer (&self->latest);
  self->latest = gst_message_ref (message);
  g_mutex_unlock (&self->lock);

  if (delivery->post_messages)
    gst_element_post_message (self->element, g_steal_pointer (&message));
}

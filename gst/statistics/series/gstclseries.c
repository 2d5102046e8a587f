/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events and pooled results of a stream. */

#include "gstclseries.h"

#include "statistics/fields/gstclfields.h"

struct _GstClSeries {
  GstClSeriesFunc func;
  gpointer user_data;

  GstClEvents *events;
  GstClEventType zone_types;
  GstClEventSettings settings;
  GPtrArray *zones;       /* Zone, of the last frame */
  GstClPooled *pooled;    /* NULL before the first frame */
  gboolean misses_frames; /* a frame could not be measured */
  GstClFields fields;
  GstClActiveArea area;
  GstClFlash *flash; /* NULL before the first picture */
};

/* A zone, and its detectors. */
typedef struct {
  GstClSeries *series;
  guint index;
  gint x, y, width, height;
  GstClEvents *events;
} Zone;

static void
take_event (const GstClEvent *event, gpointer user_data)
{
  GstClSeries *self = user_data;

  self->func (GST_CL_SERIES_EVENT, gst_cl_event_to_structure (event),
      self->user_data);
}

static void
take_zone_event (const GstClEvent *event, gpointer user_data)
{
  const Zone *zone = user_data;
  GstStructure *structure = gst_cl_event_to_structure (event);

  gst_structure_set (structure, "zone", G_TYPE_UINT, zone->index, "zone-x",
      G_TYPE_INT, zone->x, "zone-y", G_TYPE_INT, zone->y, "zone-width",
      G_TYPE_INT, zone->width, "zone-height", G_TYPE_INT, zone->height, NULL);
  zone->series->func (GST_CL_SERIES_EVENT, structure, zone->series->user_data);
}

static void
free_zone (gpointer data)
{
  Zone *zone = data;

  gst_cl_events_free (zone->events);
  g_free (zone);
}

GstClSeries *
gst_cl_series_new (GstClSeriesFunc func, gpointer user_data)
{
  GstClSeries *self = g_new0 (GstClSeries, 1);

  self->func = func;
  self->user_data = user_data;
  self->events = gst_cl_events_new (take_event, self);
  self->zones = g_ptr_array_new_with_free_func (free_zone);
  gst_cl_event_settings_init (&self->settings);

  return self;
}

void
gst_cl_series_free (GstClSeries *self)
{
  if (!self)
    return;

  gst_cl_events_free (self->events);
  g_ptr_array_unref (self->zones);
  gst_cl_pooled_free (self->pooled);
  gst_cl_flash_free (self->flash);
  g_free (self);
}

void
gst_cl_series_configure (GstClSeries *self, GstClEventType types,
    GstClEventType zone_types, const GstClEventSettings *settings)
{
  gst_cl_events_configure (self->events, types, settings);
  self->zone_types = zone_types;
  self->settings = *settings;
  for (guint i = 0; i < self->zones->len; i++) {
    const Zone *zone = g_ptr_array_index (self->zones, i);

    gst_cl_events_configure (zone->events, zone_types, settings);
  }
}

/* --- zones ---------------------------------------------------------------- */

/* Ends the open events of all zones, and removes the zones. */
static void
end_zones (GstClSeries *self)
{
  for (guint i = 0; i < self->zones->len; i++) {
    const Zone *zone = g_ptr_array_index (self->zones, i);

    gst_cl_events_finish (zone->events);
  }
  g_ptr_array_set_size (self->zones, 0);
}

static gboolean
has_zones (const GstClSeries *self, const GstClSeriesInput *input)
{
  if (self->zones->len != input->n_zones)
    return FALSE;

  for (guint i = 0; i < input->n_zones; i++) {
    const Zone *zone = g_ptr_array_index (self->zones, i);
    const GstClSeriesZone *other = &input->zones[i];

    if (zone->x != other->x || zone->y != other->y ||
        zone->width != other->width || zone->height != other->height)
      return FALSE;
  }

  return TRUE;
}

static void
add_zone (GstClSeries *self, const GstClSeriesZone *added)
{
  Zone *zone = g_new (Zone, 1);

  *zone = (Zone){
    .series = self,
    .index = self->zones->len,
    .x = added->x,
    .y = added->y,
    .width = added->width,
    .height = added->height,
    .events = gst_cl_events_new (take_zone_event, zone),
  };
  gst_cl_events_configure (zone->events, self->zone_types, &self->settings);
  g_ptr_array_add (self->zones, zone);
}

static void
measure_zones (GstClSeries *self, const GstClSeriesInput *input)
{
  if (!has_zones (self, input)) {
    end_zones (self);
    for (guint i = 0; i < input->n_zones; i++)
      add_zone (self, &input->zones[i]);
  }

  for (guint i = 0; i < input->n_zones; i++) {
    const Zone *zone = g_ptr_array_index (self->zones, i);

    gst_cl_events_measure (zone->events, &input->zones[i].frame);
  }
}

/* --- frames --------------------------------------------------------------- */

static void
end_pooled (GstClSeries *self, gboolean is_complete)
{
  gst_cl_fields_flush (&self->fields);
  if (self->pooled) {
    GstStructure *structure = gst_cl_pooled_to_structure (self->pooled);

    gst_structure_set (structure, "complete", G_TYPE_BOOLEAN,
        is_complete && !self->misses_frames, NULL);
    gst_cl_fields_take_counts (&self->fields, structure);
    gst_cl_events_take_counts (self->events, structure, self->pooled->n_frames,
        self->pooled->duration);
    self->func (GST_CL_SERIES_POOLED, structure, self->user_data);
  }
  g_clear_pointer (&self->pooled, gst_cl_pooled_free);
}

/* Keeps the current pooled result if the frame can be added to it. */
static void
prepare_pooled (GstClSeries *self, const GstClSeriesInput *input)
{
  const guint depth = input->frame.depth;

  if (self->pooled && gst_cl_pooled_is_of (self->pooled, input->parts, depth,
                          input->n_bins, input->names, input->n_components))
    return;

  end_pooled (self, TRUE);
  self->pooled = gst_cl_pooled_new (input->parts, depth, input->n_bins,
      input->names, input->n_components);
}

void
gst_cl_series_forget_flash (GstClSeries *self)
{
  if (self->flash)
    gst_cl_flash_reset (self->flash);
}

/* Ends what depends on the frames before. */
static void
finish_events (GstClSeries *self)
{
  gst_cl_events_finish (self->events);
  end_zones (self);
  self->area = (GstClActiveArea){ 0 };
  gst_cl_series_forget_flash (self);
}

void
gst_cl_series_add (GstClSeries *self, const GstClSeriesInput *input)
{
  if (input->has_brightness) {
    gst_cl_events_measure (self->events, &input->frame);
    measure_zones (self, input);
  } else {
    finish_events (self);
  }

  prepare_pooled (self, input);
  if (input->frame.has_borders)
    gst_cl_active_area_add (&self->area, &input->frame.borders,
        gst_cl_events_position (self->events),
        self->settings.border_min_duration);
  if (input->frame.has_fields)
    gst_cl_fields_add (&self->fields, &input->frame.fields,
        input->frame.tagged_order);
  gst_cl_pooled_add (self->pooled, &input->frame.time, input->components,
      input->evidence);
  gst_cl_pooled_add_numbers (self->pooled, &input->frame);
}

/* Returns the duration of @frame, nanoseconds, but not more than that of the
 * rate of its caps; 0 if neither is known. */
static GstClockTime
find_duration (const GstClSeriesFrame *frame)
{
  if (!GST_CLOCK_TIME_IS_VALID (frame->time.duration))
    return frame->nominal_duration;
  if (frame->nominal_duration == 0)
    return frame->time.duration;

  return MIN (frame->time.duration, frame->nominal_duration);
}

void
gst_cl_series_add_flash (GstClSeries *self, const GstClFlashCounts *pictures,
    guint n_pictures, guint n_fields, gboolean is_bottom_first,
    const GstClSeriesArea *area, GstClSeriesFrame *frame)
{
  const GstClockTime position = gst_cl_events_next_position (self->events,
      &frame->time);
  const GstClockTime duration = find_duration (frame);
  GstClFlashState *state = &frame->flash;

  if (n_pictures == 0)
    return;

  if (!self->flash)
    self->flash = gst_cl_flash_new ();
  for (guint i = 0; i < n_pictures; i++)
    gst_cl_flash_add (self->flash,
        &pictures[is_bottom_first ? n_pictures - 1 - i : i],
        gst_cl_time_add (position, i * duration / n_pictures),
        self->settings.flash_area, n_fields);
  *state = *gst_cl_flash_state (self->flash);
  if (state->width > 0) {
    state->y *= n_pictures;
    state->height *= n_pictures;
    /* the last cells may be only partly in the picture */
    state->width = MIN (state->width, area->width - state->x);
    state->height = MIN (state->height, area->height - state->y);
    state->x += area->x;
    state->y += area->y;
  }
}

guint64
gst_cl_series_border_pixels (const GstClSeries *self, guint width, guint height)
{
  const guint64 *widths = self->area.widths;
  const guint64 across = widths[GST_CL_SIDE_LEFT] + widths[GST_CL_SIDE_RIGHT];
  const guint64 down = widths[GST_CL_SIDE_TOP] + widths[GST_CL_SIDE_BOTTOM];

  return (guint64) width * height -
         (width - MIN (across, width)) * (height - MIN (down, height));
}

void
gst_cl_series_add_field_order (const GstClSeries *self, GstStructure *structure,
    gboolean has_lavfi)
{
  gst_cl_fields_add_decisions (&self->fields, structure, has_lavfi);
}

void
gst_cl_series_add_active_area (const GstClSeries *self,
    const GstClSeriesFrame *frame, guint width, guint height,
    GstStructure *structure)
{
  if (frame->has_borders)
    gst_cl_active_area_add_fields (&self->area, &frame->borders, width, height,
        structure);
}

void
gst_cl_series_miss (GstClSeries *self)
{
  self->misses_frames = TRUE;
}

void
gst_cl_series_finish (GstClSeries *self, gboolean is_complete)
{
  finish_events (self);
  end_pooled (self, is_complete);
  self->fields = (GstClFields){ 0 };
  self->misses_frames = FALSE;
}

void
gst_cl_series_reset (GstClSeries *self)
{
  gst_cl_events_reset (self->events);
  g_ptr_array_set_size (self->zones, 0);
  g_clear_pointer (&self->pooled, gst_cl_pooled_free);
  self->fields = (GstClFields){ 0 };
  self->area = (GstClActiveArea){ 0 };
  gst_cl_series_forget_flash (self);
  self->misses_frames = FALSE;
}

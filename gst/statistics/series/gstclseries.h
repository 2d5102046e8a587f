/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclevents.h"
#include "gstclpooled.h"

G_BEGIN_DECLS

/* Results of a stream: events and pooled results. One caller at a time. */
typedef struct _GstClSeries GstClSeries;

typedef enum {
  GST_CL_SERIES_EVENT,  /* `clframesum-event` */
  GST_CL_SERIES_POOLED, /* `clframesum-pooled` */
} GstClSeriesResult;

/* The measured pixels of frames. */
typedef struct {
  guint x, y, width, height;
} GstClSeriesArea;

/* Receives a result as @structure (transfer full), in the caller's thread. */
typedef void (*GstClSeriesFunc) (GstClSeriesResult kind,
    GstStructure *structure, gpointer user_data);

/* A measured frame: the input of the detectors, and of pooled results. */
typedef struct {
  GstClSeriesFrame frame;
  gboolean has_brightness; /* FALSE: it shows no event, and ends open events */

  guint n_zones;                /* 0: no events of zones */
  const GstClSeriesZone *zones; /* borrowed */

  GstClStatistics parts;
  guint n_bins; /* of a histogram; undefined without histograms */
  guint n_components;
  const gchar *names[GST_CL_POOLED_MAX_COMPONENTS]; /* borrowed */
  GstClRangeEvidence evidence;                      /* UNKNOWN if not pooled */
  GstClPooledFrame components[GST_CL_POOLED_MAX_COMPONENTS];
} GstClSeriesInput;

/* Creates a series; @func receives the results. No event is detected before
 * gst_cl_series_configure(). Transfer full. */
GstClSeries *gst_cl_series_new (GstClSeriesFunc func, gpointer user_data);
void gst_cl_series_free (GstClSeries *self); /* accepts NULL */

/* Detects @types in frames and @zone_types in their zones, with @settings
 * (copied), from the next frame on. */
void gst_cl_series_configure (GstClSeries *self, GstClEventType types,
    GstClEventType zone_types, const GstClEventSettings *settings);

/* Adds a frame. If its depth, components, parts or number of bins differ from
 * those of earlier frames, passes the pooled result to the GstClSeriesFunc and
 * starts a new one. If its zones are others, ends the open events of zones. */
void gst_cl_series_add (GstClSeries *self, const GstClSeriesInput *input);

/* Adds the pictures of a frame, which is added next: one, or two fields, of
 * which @is_bottom_first says which comes first. @n_fields: 2 if a picture is
 * one of two fields of a frame, else 1. Sets the member flash of @frame.
 * @area: of the pictures. */
void gst_cl_series_add_flash (GstClSeries *self,
    const GstClFlashCounts *pictures, guint n_pictures, guint n_fields,
    gboolean is_bottom_first, const GstClSeriesArea *area,
    GstClSeriesFrame *frame);

/* Makes the next picture be the first one for flashes: its light is in other
 * units than that of the pictures before. */
void gst_cl_series_forget_flash (GstClSeries *self);

/* Returns how many pixels of a picture of @width x @height are outside the
 * active area of the frames before. */
guint64 gst_cl_series_border_pixels (const GstClSeries *self, guint width,
    guint height);

/* Adds the decisions on the field order of the frame before the last one to
 * @structure. @has_lavfi: also under the names of FFmpeg's idet. */
void gst_cl_series_add_field_order (const GstClSeries *self,
    GstStructure *structure, gboolean has_lavfi);

/* Adds the active area after the last frame, @frame, of a picture of @width x
 * @height to @structure, if the frame has borders. */
void gst_cl_series_add_active_area (const GstClSeries *self,
    const GstClSeriesFrame *frame, guint width, guint height,
    GstStructure *structure);

/* Call it when a frame is missing: the next pooled results are not complete. */
void gst_cl_series_miss (GstClSeries *self);

/* Call it when the stream has ended, or was aborted (not @is_complete): open
 * events end, and the pooled result is passed to the GstClSeriesFunc. */
void gst_cl_series_finish (GstClSeries *self, gboolean is_complete);

/* Clears all state without a result. */
void gst_cl_series_reset (GstClSeries *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClSeries, gst_cl_series_free)

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclevents.h"
#include "gstclpooled.h"

G_BEGIN_DECLS

/* What follows from the frames of a stream together: events and pooled results.
 * One caller at a time. */
typedef struct _GstClSeries GstClSeries;

typedef enum {
  GST_CL_SERIES_EVENT,  /* `clframesum-event` */
  GST_CL_SERIES_POOLED, /* `clframesum-pooled` */
} GstClSeriesResult;

/* Gets a result as @structure (transfer full), in the thread of the caller. */
typedef void (*GstClSeriesFunc) (GstClSeriesResult kind,
    GstStructure *structure, gpointer user_data);

/* A measured frame: what detectors see of it, and what is pooled. */
typedef struct {
  GstClSeriesFrame frame;
  gboolean has_brightness; /* else it shows no event, and ends those open */

  GstClPooledPart parts;
  guint n_bins; /* of a histogram; meaningless without histograms */
  guint n_components;
  const gchar *names[GST_CL_POOLED_MAX_COMPONENTS]; /* borrowed */
  GstClPooledFrame components[GST_CL_POOLED_MAX_COMPONENTS];
} GstClSeriesInput;

/* @func gets the results. No event is detected before
 * gst_cl_series_configure(). transfer full */
GstClSeries *gst_cl_series_new (GstClSeriesFunc func, gpointer user_data);
void gst_cl_series_free (GstClSeries *self); /* accepts NULL */

/* Detects @types by @settings (copied) from the next frame on. */
void gst_cl_series_configure (GstClSeries *self, GstClEventType types,
    const GstClEventSettings *settings);

/* Adds a frame. One with another depth, other components, parts or bins than
 * those before starts a new pooled result, and the one before is ready. */
void gst_cl_series_add (GstClSeries *self, const GstClSeriesInput *input);

/* A frame is missing: the next pooled results are not complete. */
void gst_cl_series_miss (GstClSeries *self);

/* The stream has ended, or broken off (not @is_complete): open events end, and
 * the pooled result is ready. */
void gst_cl_series_finish (GstClSeries *self, gboolean is_complete);

/* Forgets the stream without a result. */
void gst_cl_series_reset (GstClSeries *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClSeries, gst_cl_series_free)

G_END_DECLS

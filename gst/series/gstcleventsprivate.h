/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclevents.h"
#include "gstcleventsettings.h"
#include "gstclseriesframe.h"

G_BEGIN_DECLS

/* What the detectors share; nobody else includes it. */

typedef struct GstClDetector GstClDetector;

/* A frame, and its position on a time line that never runs backwards, whatever
 * timestamps do: nanoseconds since the first frame, GST_CLOCK_TIME_NONE once 64
 * bits do not hold them. */
typedef struct {
  GstClFrameTime time;
  GstClockTime position;
} GstClInstant;

/* What a detector needs in one call. */
typedef struct {
  const GstClDetector *detector;
  const GstClEventSettings *settings;
  GstClEventFunc func;
  gpointer user_data;
} GstClDetection;

/* One row a detector. @state has state_bytes bytes, which are zero before the
 * first frame. */
struct GstClDetector {
  GstClEventType type;
  const gchar *name;
  GstClSeriesStatistic needs;
  const gchar *times[GST_CL_EVENT_MAX_TIMES]; /* of starts and ends */
  const gchar *values[GST_CL_EVENT_MAX_VALUES];
  gsize state_bytes;

  /* Functions are NULL where the detector has nothing to do. */
  void (*receive) (gpointer state, const GstClDetection *detection,
      const GstClFrameTime *time, GstClockTime now);
  void (*step) (gpointer state, const GstClDetection *detection,
      const GstClInstant *at, const GstClSeriesFrame *frame);
  void (*tick) (gpointer state, const GstClDetection *detection,
      GstClockTime now);
  /* @at_end is the end of the last frame measured. Called only if there was
   * one, or if the detector has no step(). */
  void (*finish) (gpointer state, const GstClDetection *detection,
      const GstClInstant *at_end);
};

extern const GstClDetector gst_cl_detect_black, gst_cl_detect_white,
    gst_cl_detect_freeze, gst_cl_detect_scene, gst_cl_detect_single_color,
    gst_cl_detect_defocus, gst_cl_detect_signal_loss;

/* Post an event of the detector, with as many @times and @values as it names.
 */
void gst_cl_detection_post_start (const GstClDetection *detection,
    const GstClFrameTime *start, const GstClockTime *times,
    const gdouble *values);
void gst_cl_detection_post_end (const GstClDetection *detection,
    const GstClFrameTime *start, const GstClFrameTime *end,
    GstClockTime duration, const GstClockTime *times, const gdouble *values);
void gst_cl_detection_post_instant (const GstClDetection *detection,
    const GstClFrameTime *time, const gdouble *values);

/* Returns the share @part of @whole, 0.0 to 1.0; 0 if @whole is 0. */
static inline gdouble
gst_cl_ratio (guint64 part, guint64 whole)
{
  return whole > 0 ? (gdouble) part / whole : 0.0;
}

/* --- an interval with hysteresis and a least duration --------------------- */

/* All zeros means that it has not begun. */
typedef struct {
  gboolean has_begun, is_posted;
  GstClInstant start;
  gdouble values[GST_CL_EVENT_MAX_VALUES]; /* of the last frame */
} GstClSpan;

/* A frame that @enters begins the interval, one that does not stay (@stays)
 * ends it. The event starts when @min_duration has passed from the first frame
 * in it to the frame @at, be that in it or the one that ends it. */
void gst_cl_span_step (GstClSpan *span, const GstClDetection *detection,
    const GstClInstant *at, gboolean enters, gboolean stays,
    GstClockTime min_duration, const gdouble *values);

/* Ends the interval at @at, whether an event has started or not. */
void gst_cl_span_finish (GstClSpan *span, const GstClDetection *detection,
    const GstClInstant *at);

G_END_DECLS

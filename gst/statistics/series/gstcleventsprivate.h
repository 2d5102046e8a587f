/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclevents.h"
#include "gstcleventsettings.h"
#include "gstclseriesframe.h"

G_BEGIN_DECLS

/* Declarations that the detectors share; only they include this header. */

typedef struct GstClDetector GstClDetector;

/* The members of a GstClProperty behind its words: a field of the settings and
 * its default; of a double also the least and the greatest value. */
#define GST_CL_EVENT_FIELD(name) G_STRUCT_OFFSET (GstClEventSettings, name)
#define GST_CL_EVENT_UINT64(name, initial)                                     \
  .type = GST_CL_PROPERTY_UINT64, .offset = GST_CL_EVENT_FIELD (name),         \
  .flags = GST_PARAM_MUTABLE_PLAYING, .change = GST_CL_CHANGE_FRAMES,          \
  .values.u64 = { initial, 0, G_MAXINT64 }
#define GST_CL_EVENT_DOUBLE(name, ...)                                         \
  .type = GST_CL_PROPERTY_DOUBLE, .offset = GST_CL_EVENT_FIELD (name),         \
  .flags = GST_PARAM_MUTABLE_PLAYING, .change = GST_CL_CHANGE_FRAMES,          \
  .values.d = { __VA_ARGS__ }

/* A frame, and its position on a timeline that never runs backwards, whatever
 * the timestamps: nanoseconds since the first frame, GST_CLOCK_TIME_NONE after
 * an overflow of 64 bits. */
typedef struct {
  GstClFrameTime time;
  GstClockTime position;
} GstClInstant;

/* What detectors count for the pooled result. */
typedef struct {
  guint64 n_repeated, n_missing; /* frames */
} GstClEventCounts;

/* The context of one call of a detector. */
typedef struct {
  const GstClDetector *detector;
  const GstClEventSettings *settings;
  GstClEventCounts *counts;
  const gchar *word; /* of the events that the detector posts; static or
                        interned */
  GstClEventFunc func;
  gpointer user_data;
} GstClDetection;

/* One row per detector. @state has state_bytes bytes, which are zero before the
 * first frame. */
struct GstClDetector {
  GstClEventType type;
  const gchar *name;
  GstClStatistics needs;
  const gchar *times[GST_CL_EVENT_MAX_TIMES]; /* of starts and ends */
  const gchar *word;                          /* its name, or NULL */
  const gchar *values[GST_CL_EVENT_MAX_VALUES];
  gsize state_bytes;
  gboolean is_of_zones; /* zones have the event, too */

  /* of clframesum; the last one has no name. NULL: none */
  const GstClProperty *properties;

  /* A function is NULL if the detector does not need it. */
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
    gst_cl_detect_defocus, gst_cl_detect_range, gst_cl_detect_noisy,
    gst_cl_detect_border, gst_cl_detect_blocky, gst_cl_detect_field_order,
    gst_cl_detect_signal_loss, gst_cl_detect_repeat, gst_cl_detect_gap,
    gst_cl_detect_card, gst_cl_detect_flash, gst_cl_detect_levels;

/* Post an event of the detector, with its declared numbers of @times and
 * @values, and the word of @detection if it declares one. */
void gst_cl_detection_post_start (const GstClDetection *detection,
    const GstClFrameTime *start, const GstClockTime *times,
    const gdouble *values);
void gst_cl_detection_post_end (const GstClDetection *detection,
    const GstClFrameTime *start, const GstClFrameTime *end,
    GstClockTime duration, const GstClockTime *times, const gdouble *values);
void gst_cl_detection_post_instant (const GstClDetection *detection,
    const GstClFrameTime *time, const gdouble *values);

/* Returns what @buffer_flags say of missing data, the worst of them; @none if
 * none is set. Static. */
const gchar *gst_cl_buffer_evidence (guint64 buffer_flags, const gchar *none);

/* Returns the ratio @part / @whole, 0.0 to 1.0; 0 if @whole is 0. */
static inline gdouble
gst_cl_ratio (guint64 part, guint64 whole)
{
  return whole > 0 ? (gdouble) part / whole : 0.0;
}

/* Returns the number of components of the brightness, the first ones. */
static inline guint
gst_cl_brightness_components (const GstClSeriesFrame *frame)
{
  return frame->is_rgb ? frame->n_components : 1;
}

/* Returns the number of samples with codes @first .. @last. */
static inline guint64
gst_cl_count_codes (const guint32 *histogram, guint first, guint last)
{
  guint64 n = 0;

  for (guint code = first; code <= last; code++)
    n += histogram[code];

  return n;
}

/* --- an average over time ------------------------------------------------- */

/* All zeros: no value yet. */
typedef struct {
  gboolean has_value;
  gdouble value;
  GstClockTime looked_back; /* the time that it covers */
} GstClAverage;

/* Adds the value of a frame, @passed after the frame before: the average is the
 * mean of all frames during the first @span of time, then an exponential
 * average with @span as its time constant. */
void gst_cl_average_add (GstClAverage *average, gdouble value,
    GstClockTime passed, GstClockTime span);

/* --- an interval with hysteresis and a minimum duration ------------------- */

/* All zeros: it has not begun. */
typedef struct {
  gboolean has_begun, is_posted;
  GstClInstant start;
  gdouble values[GST_CL_EVENT_MAX_VALUES]; /* of the last frame */
} GstClSpan;

/* A frame with @enters begins the interval, a frame without @stays ends it. The
 * event starts when @min_duration has passed from the first frame in the
 * interval to the frame @at, which may be the frame that ends it. */
void gst_cl_span_step (GstClSpan *span, const GstClDetection *detection,
    const GstClInstant *at, gboolean enters, gboolean stays,
    GstClockTime min_duration, const gdouble *values);

/* Ends the interval at @at, whether its event has started or not. */
void gst_cl_span_finish (GstClSpan *span, const GstClDetection *detection,
    const GstClInstant *at);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclframetime.h"
#include "common/gstclmoments.h"
#include "statistics/flash/gstclflash.h"
#include "statistics/gstclstatistictable.h"
#include "statistics/light/gstcllight.h"
#include "statistics/profiles/gstclactivearea.h"

G_BEGIN_DECLS

/* Y, U and V, or R, G and B: the histogram of alpha is ignored. */
#define GST_CL_SERIES_MAX_COMPONENTS 3

/* A field order: the top or the bottom field comes first, or both at once. */
typedef enum {
  GST_CL_FIELDS_UNDETERMINED,
  GST_CL_FIELDS_TFF,
  GST_CL_FIELDS_BFF,
  GST_CL_FIELDS_PROGRESSIVE,
  GST_CL_FIELDS_N_TYPES,
} GstClFieldsType;

/* Sums over all components from which the field order follows, of even rows
 * (the top field) and odd rows: kernels/metrics/cl_metricfields.clh defines
 * them. */
typedef struct {
  gboolean has_previous; /* FALSE: the frame was compared with itself */
  guint64 previous[2], current[2], own[2], change[2];
} GstClSeriesFieldSums;

/* The flags by which a demuxer or decoder says that data is missing. */
#define GST_CL_SERIES_BUFFER_FLAGS                                             \
  (GST_BUFFER_FLAG_CORRUPTED | GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_DISCONT)

/* A frame as input of the detectors. Its statistics are integers, so that
 * results are the same on every device. Statistics that were not requested are
 * zero. */
typedef struct {
  GstClFrameTime time;
  guint64 nominal_duration; /* of a frame at the rate of the caps, nanoseconds;
                               0: the caps have no rate */
  guint64 buffer_flags;     /* GST_CL_SERIES_BUFFER_FLAGS of its buffer */
  guint depth;              /* bits of a component, 8 to 16 */
  gboolean is_full_range;   /* colour range of the caps: 0 .. 2^depth - 1 */
  gboolean is_rgb;          /* brightness is that of all three components */

  /* histograms[c][code] is the number of samples of component c with this code,
   * out of 1 << depth codes; their sum is moments[c].count, which is always
   * set. Borrowed. */
  guint n_components;
  const guint32 *histograms[GST_CL_SERIES_MAX_COMPONENTS];
  GstClMoments moments[GST_CL_SERIES_MAX_COMPONENTS];

  /* The sum of absolute differences to the previous frame, over the luma of YUV
   * or all components of RGB, and the number of samples compared. 0 samples:
   * there is no previous frame, because this is the first one or caps have
   * changed. */
  guint64 previous_sad, previous_count;

  /* The sum of absolute differences to the reference frame of freeze, over all
   * components including alpha, the number of samples compared, and the limit
   * that decided whether this frame replaces the reference
   * (gst_cl_freeze_replaces()). */
  guint64 reference_sad, reference_count, reference_limit;

  /* The sum of the squared differences of all horizontal and vertical
   * neighbours in luma or red, and the number of such pairs. */
  guint64 gradient_sum, gradient_count;

  /* The sum for the noise (gstclnoise.h) of luma or red, and the number of
   * samples that it is the sum over. */
  guint64 noise_sum, noise_count;

  /* Times GST_CL_BLOCKINESS_ONE, rounded to the nearest integer. */
  guint64 blockiness;

  /* Means of component c, GST_CL_N_CELLS of gstclcells.h; NULL: none, because
   * the frame is small. Borrowed. */
  const guint32 *cells[GST_CL_SERIES_MAX_COMPONENTS];

  gboolean has_borders; /* borders is set */
  GstClBorders borders;

  GstClFlashState flash; /* after the frame */
  GstClLightLevels light;
  gdouble levels[GST_CL_LEVELS_N_COMPONENTS]; /* shares of pixels */

  guint64 tagged_order; /* GstClFieldsType that caps and buffer name */
  gboolean has_fields;  /* fields is set */
  GstClSeriesFieldSums fields;
} GstClSeriesFrame;

/* A member that results of clframesum have as a field, because it cannot be
 * computed from other fields. */
typedef struct {
  const gchar *name;         /* static */
  GType type;                /* of the field and the member: boolean, uint64 or
                        double; the latter are statistics of their own, which
                        gst_cl_series_frame_add_fields() does not add */
  gsize offset;              /* of the member */
  GstClStatistics statistic; /* that needs it */
} GstClSeriesField;

#define GST_CL_SERIES_N_FIELDS 50

extern const GstClSeriesField gst_cl_series_fields[GST_CL_SERIES_N_FIELDS];

/* Adds a field to @structure for each row of gst_cl_series_fields that one of
 * @statistics needs. */
void gst_cl_series_frame_add_fields (const GstClSeriesFrame *frame,
    GstClStatistics statistics, GstStructure *structure);

/* A zone of a measured frame: the input of its detectors. */
typedef struct {
  gint x, y, width, height; /* pixels */
  GstClSeriesFrame frame;   /* the numbers of the zone, the time of the frame */
} GstClSeriesZone;

/* Returns whether zones have a value of their own, which results have in the
 * array `zone-NAME`. */
gboolean gst_cl_series_field_is_of_zones (const GstClSeriesField *field);

/* Adds the arrays `zone-NAME` to @structure, of @n zones. */
void gst_cl_series_zones_add_fields (const GstClSeriesZone *zones, guint n,
    GstStructure *structure);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "elements/base/gstclregions.h"
#include "gstclsummary.h"
#include "common/gstcltransfer.h"
#include "statistics/series/gstclframetime.h"

G_BEGIN_DECLS

/* Frame statistics as a GstStructure for messages, metas and the property
 * `stats`; docs/statistics.md lists its fields. */

/* The measured components and the reported statistics. */
typedef struct {
  GstVideoInfo info;
  guint depth; /* bits of a code, those of info or fewer */
  guint component_ids[GST_VIDEO_MAX_COMPONENTS]; /* the measured components */
  guint n_components;
  GstClStatistics statistics; /* only those that exist for these components */
  guint n_codes;              /* length of a measured histogram */
  guint n_bins;               /* maximum length of a reported histogram */
  gboolean has_packed_histograms;
  gboolean has_signalstats; /* also the keys of FFmpeg's signalstats */
  GstClLightCurve curve;    /* of R, G and B */
  gint light_area;          /* GstClLightArea */
} GstClStatisticsShape;

/* The top and the bottom field of a frame. */
#define GST_CL_MEASURED_FIELDS 2

/* Returns TRUE if each frame has two fields, with rows of each component. */
gboolean gst_cl_statistics_has_two_fields (const GstClStatisticsShape *shape);

/* Returns the metrics that @statistics need, without the numbers of other ops.
 */
GstClMetric gst_cl_statistics_metrics (GstClStatistics statistics);

/* Returns the subset of @statistics that pictures of @shape have. */
GstClStatistics gst_cl_statistics_of_picture (GstClStatistics statistics,
    const GstClStatisticsShape *shape);

/* Return the subset of @statistics that fields, or zones and regions of
 * interest, have. */
GstClStatistics gst_cl_statistics_of_fields (GstClStatistics statistics);
GstClStatistics gst_cl_statistics_of_regions (GstClStatistics statistics);

/* Returns TRUE if luma and both chroma components are measured. */
gboolean gst_cl_statistics_has_chroma (const GstClStatisticsShape *shape);

/* Returns TRUE if the first component is luma, grey or a colour; FALSE for
 * chroma and alpha. */
gboolean gst_cl_statistics_has_brightness (const GstClStatisticsShape *shape);

/* Returns TRUE if a pixel has a colour or a grey: luma and chroma, R, G and B,
 * or grey are measured. */
gboolean gst_cl_statistics_has_colour (const GstClStatisticsShape *shape);

/* Returns a structure named @name that has the time, the frame and @element,
 * the name of the measuring element, but no statistics. transfer full */
GstStructure *gst_cl_statistics_new (const gchar *name,
    const GstClStatisticsShape *shape, const GstClFrameTime *time,
    const gchar *element);

/* Adds the measured rectangle if it is smaller than the frame. */
void gst_cl_statistics_add_rectangle (GstStructure *structure,
    const GstClRegions *regions);

/* Adds the fields of all statistics of the frame or the rectangle. */
void gst_cl_statistics_add (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClSummary *summary);

/* Adds the fields of light that are arrays. @counts: of @levels. */
void gst_cl_statistics_add_light (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClLightLevels *levels,
    const GstClLightCounts *counts);

/* Adds the fields of the top and the bottom field of the frame, @summaries, as
 * arrays. */
void gst_cl_statistics_add_fields (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClSummary *summaries);

/* Add the fields of the zones, or of the regions of interest, of @regions as
 * arrays. @summaries has one entry per region of @regions. */
void gst_cl_statistics_add_zones (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClRegions *regions,
    const GstClSummary *summaries);
void gst_cl_statistics_add_rois (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClRegions *regions,
    const GstClSummary *summaries);

G_END_DECLS

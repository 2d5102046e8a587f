/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "gstclregions.h"
#include "gstclsummary.h"
#include "series/gstclframetime.h"

G_BEGIN_DECLS

/* Frame statistics as the GstStructure that messages, metas and the `stats`
 * property carry; docs/statistics.md lists its fields. */

/* Which components are measured, and which statistics users get of them. */
typedef struct {
  GstVideoInfo info;
  guint component_ids[GST_VIDEO_MAX_COMPONENTS]; /* those measured */
  guint n_components;
  GstClStatistic statistics; /* those only that the components have */
  guint n_codes;             /* length of a measured histogram */
  guint n_bins;              /* length of a reported histogram, at most */
  gboolean has_signalstats;  /* the keys of FFmpeg's signalstats, too */
} GstClStatisticsShape;

/* Returns TRUE if the first component shows the brightness: luma, grey or a
 * colour; neither chroma nor alpha. */
gboolean gst_cl_statistics_has_brightness (const GstClStatisticsShape *shape);

/* Returns a structure named @name with the time, the frame and the name of
 * @element, which has measured it, alone. transfer full */
GstStructure *gst_cl_statistics_new (const gchar *name,
    const GstClStatisticsShape *shape, const GstClFrameTime *time,
    const gchar *element);

/* Adds the measured rectangle if that is less than the frame. */
void gst_cl_statistics_add_rectangle (GstStructure *structure,
    const GstClRegions *regions);

/* Adds a field for each statistic of the frame or the rectangle. */
void gst_cl_statistics_add (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClSummary *summary);

/* Add the fields of the zones and of the regions of interest of @regions, as
 * arrays. @summaries has one entry for each region of @regions. */
void gst_cl_statistics_add_zones (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClRegions *regions,
    const GstClSummary *summaries);
void gst_cl_statistics_add_rois (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClRegions *regions,
    const GstClSummary *summaries);

/* Sets @time to when @buffer, frame number @frame of the stream, is shown by
 * @segment. */
void gst_cl_statistics_get_time (GstClFrameTime *time,
    const GstSegment *segment, GstBuffer *buffer, guint64 frame);

/* Sets the fields of the custom meta @name of @buffer, which is writable, to
 * those of @structure. The results that the meta holds of other elements go
 * into its field `earlier`, an array of structures, oldest first. */
void gst_cl_statistics_add_meta (GstBuffer *buffer, const gchar *name,
    const GstStructure *structure);

G_END_DECLS

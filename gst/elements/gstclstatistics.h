/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "ops/framestats.h"

G_BEGIN_DECLS

/* Frame statistics as the GstStructure that messages, metas and the `stats`
 * property carry; docs/statistics.md lists its fields. */

/* What to put in: the flags of the `statistics` property. */
typedef enum {
  GST_CL_STATISTIC_MOMENTS = 1 << 0,
  GST_CL_STATISTIC_RANGE = 1 << 1,
} GstClStatistic;

#define GST_CL_STATISTICS_ALL                                                  \
  (GST_CL_STATISTIC_MOMENTS | GST_CL_STATISTIC_RANGE)

/* When the measured frame is shown; GST_CLOCK_TIME_NONE where unknown. */
typedef struct {
  GstClockTime timestamp, stream_time, running_time, duration;
  guint64 frame; /* number of the frame in the stream, from 0 */
} GstClStatisticsTime;

/* A new structure named @name. @stats[i] belongs to component
 * @component_ids[i]; @n_components of them. */
GstStructure *gst_cl_statistics_new (const gchar *name, GstClStatistic which,
    const GstVideoInfo *info, const GstClStatisticsTime *time,
    const GstClFrameStats *stats, const guint *component_ids,
    guint n_components);

/* When @buffer, frame number @frame of the stream, is shown by @segment. */
void gst_cl_statistics_get_time (GstClStatisticsTime *time,
    const GstSegment *segment, GstBuffer *buffer, guint64 frame);

/* Adds the custom meta @name with the fields of @structure to @buffer. */
void gst_cl_statistics_add_meta (GstBuffer *buffer, const gchar *name,
    const GstStructure *structure);

/* Mean and population variance of exact sums; 0 for an empty component. */
void gst_cl_statistics_moments (const GstClFrameStats *stats, gdouble *mean,
    gdouble *variance);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclsummary.h"
#include "common/gstclproperty.h"
#include "elements/base/gstclregions.h"
#include "statistics/moments/moments.h"
#include "statistics/series/gstcleventsettings.h"

G_BEGIN_DECLS

/* The values of the property light-transfer: of GstClTransfer, or that of the
 * caps. */
#define GST_CL_LIGHT_TRANSFER_AUTO (-1)

/* The pixels of light levels. */
typedef enum {
  GST_CL_LIGHT_AREA_FRAME,
  GST_CL_LIGHT_AREA_ACTIVE, /* without borders */
} GstClLightArea;

/* The fields of histograms. */
typedef enum {
  GST_CL_HISTOGRAM_FORMAT_ARRAY,
  GST_CL_HISTOGRAM_FORMAT_PACKED, /* bytes */
} GstClHistogramFormat;

/* Names of the fields in results. */
typedef enum {
  GST_CL_KEY_STYLE_GST,
  GST_CL_KEY_STYLE_LAVFI, /* also the keys of FFmpeg's signalstats */
} GstClKeyStyle;

#define GST_CL_FRAME_SUM_MAX_DEPTH 32 /* delayed frames */

/* The automatic depth, and how many frames it delays in a pipeline that is not
 * live; in a live pipeline it delays none. */
#define GST_CL_FRAME_SUM_AUTO_DEPTH   (-1)
#define GST_CL_FRAME_SUM_AUTO_DELAYED 2

/* Properties that say which frames are measured and where their results go. */
typedef struct {
  gboolean post_messages;
  gboolean stats_meta;
  gboolean analytics_meta;
  guint64 interval;      /* nanoseconds */
  guint frame_interval;  /* frames */
  gboolean light_caps;   /* content-light-level in the caps */
  gboolean packed_lines; /* the file has packed fields */
  gint async_depth;      /* frames, at most GST_CL_FRAME_SUM_MAX_DEPTH; or
                           GST_CL_FRAME_SUM_AUTO_DEPTH */
} GstClFrameSumDelivery;

/* Properties of clframesum that can change while it runs; each property has one
 * field here and one row in a table. */
typedef struct {
  gint statistics;        /* GstClStatistics */
  gint planes;            /* bit c for component c */
  gint reduction;         /* GstClReduction */
  gint histogram_bins;    /* 0: one per code */
  gint histogram_format;  /* GstClHistogramFormat */
  guint significant_bits; /* 0: the depth of the format */
  gint key_style;         /* GstClKeyStyle */

  GstClRegionSettings regions;
  gboolean roi_meta;
  gboolean region_histograms;
  gboolean fields;

  gint light_transfer;  /* GstClTransfer, or GST_CL_LIGHT_TRANSFER_AUTO */
  gdouble display_peak; /* cd/m2; 0: 200, or 1000 for HLG */
  gint light_area;      /* GstClLightArea */

  gint events; /* GstClEventType */
  gboolean zone_events;
  GstClEventSettings event_settings;
  GstClFrameSumDelivery delivery;
} GstClFrameSumSettings;

/* Returns TRUE if buffers get results, and so wait for them. */
gboolean gst_cl_frame_sum_delivery_has_meta (
    const GstClFrameSumDelivery *delivery);

/* Sets every field to its default. */
void gst_cl_frame_sum_settings_init (GstClFrameSumSettings *settings);

#define GST_CL_FRAME_SUM_N_PROPERTIES          21
#define GST_CL_FRAME_SUM_N_DELIVERY_PROPERTIES 8

/* Rows for GstClFrameSumSettings and for its member delivery. The rows for
 * event_settings are those of gst_cl_event_property(). */
extern const GstClProperty
    gst_cl_frame_sum_properties[GST_CL_FRAME_SUM_N_PROPERTIES];
extern const GstClProperty gst_cl_frame_sum_delivery_properties
    [GST_CL_FRAME_SUM_N_DELIVERY_PROPERTIES];

/* Types of the enum and flags properties; gst_cl_statistics_enum has the flags
 * of GstClStatistics. The flags of the property events are GstClEventType
 * (gstclevents.h). */
extern GstClEnum gst_cl_statistics_enum, gst_cl_histogram_format_enum,
    gst_cl_key_style_enum, gst_cl_reduction_enum, gst_cl_light_transfer_enum,
    gst_cl_light_area_enum;

G_END_DECLS

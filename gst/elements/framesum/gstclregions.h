/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "gstclframesumsettings.h"
#include "ops/metrics/metrics.h"

G_BEGIN_DECLS

/* What a region of interest is called. */
typedef struct {
  gint id;
  const gchar *type; /* UTF-8, interned; "": none */
} GstClRegionLabel;

/* The regions of a frame that are measured, in pixels, each within the frame:
 * first the frame or the rectangle that stands for it, then the zones row by
 * row, then those of interest. */
typedef struct {
  gboolean is_whole;  /* the first is all of the frame */
  gint columns, rows; /* of zones; 1, 1: there are none */
  GArray *regions;    /* GstClRegion */
  GArray *labels;     /* GstClRegionLabel, of those of interest */
} GstClRegions;

/* Empty. */
void gst_cl_regions_init (GstClRegions *self);
void gst_cl_regions_clear (GstClRegions *self);

/* The rectangle and the zones of @settings in frames of @info. FALSE with
 * GST_CORE_ERROR_NEGOTIATION, which names the property and the frame, if they do
 * not go with it. */
gboolean gst_cl_regions_set (GstClRegions *self,
    const GstClFrameSumSettings *settings, const GstVideoInfo *info,
    GError **error);

/* Those of @from, which has none of interest. */
void gst_cl_regions_copy (GstClRegions *self, const GstClRegions *from);

/* Adds the part within the frame of each region of interest that @buffer's metas
 * name, and of each box of an analytics meta where those are built in; of those
 * beyond GST_CL_METRICS_MAX_REGIONS or outside of the frame, nothing. */
void gst_cl_regions_add_rois (GstClRegions *self, GstBuffer *buffer,
    const GstVideoInfo *info);

/* 0 where there are no zones. */
guint gst_cl_regions_n_zones (const GstClRegions *self);

/* Region @index in samples of component @component of @info. */
GstClRegion gst_cl_regions_samples (const GstClRegions *self, guint index,
    const GstVideoInfo *info, guint component);

G_END_DECLS

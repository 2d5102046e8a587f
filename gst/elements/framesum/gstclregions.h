/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "gstclframesumsettings.h"
#include "ops/metrics/metrics.h"

G_BEGIN_DECLS

/* The name of a region of interest. */
typedef struct {
  gint id;
  const gchar *type; /* UTF-8, interned; "": none */
} GstClRegionLabel;

/* The regions of a frame that are measured, in pixels, each within the frame:
 * first the frame or the rectangle that stands for it, then the zones row by
 * row, then the regions of interest. */
typedef struct {
  gboolean is_whole;  /* the first is all of the frame */
  gint columns, rows; /* of zones; 1, 1: there are none */
  GArray *regions;    /* GstClRegion */
  GArray *labels;     /* GstClRegionLabel, of those of interest */
} GstClRegions;

/* Starts without any region. */
void gst_cl_regions_init (GstClRegions *self);
void gst_cl_regions_clear (GstClRegions *self);

/* Sets the rectangle and the zones of @settings in frames of @info. FALSE with
 * GST_CORE_ERROR_NEGOTIATION, which names the property and the frame, if they
 * do not fit. */
gboolean gst_cl_regions_set (GstClRegions *self,
    const GstClFrameSumSettings *settings, const GstVideoInfo *info,
    GError **error);

/* Sets the regions to those of @from, which has none of interest. */
void gst_cl_regions_copy (GstClRegions *self, const GstClRegions *from);

/* Adds the part within the frame of each region of interest that a meta of
 * @buffer names, and of each box of an analytics meta if support for these is
 * built in. Regions beyond GST_CL_METRICS_MAX_REGIONS or outside of the frame
 * are left out. */
void gst_cl_regions_add_rois (GstClRegions *self, GstBuffer *buffer,
    const GstVideoInfo *info);

/* Returns the number of zones; 0 where there are none. */
guint gst_cl_regions_n_zones (const GstClRegions *self);

/* Returns region @index in samples of component @component of @info. */
GstClRegion gst_cl_regions_samples (const GstClRegions *self, guint index,
    const GstVideoInfo *info, guint component);

G_END_DECLS

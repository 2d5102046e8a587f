/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "cl/video/gstclframe.h"
#include "statistics/metrics/metricstypes.h"

G_BEGIN_DECLS

/* What users ask for. */
typedef struct {
  /* The rectangle, in pixels; width or height 0: up to the edge of the frame.
   */
  gint position_x, position_y, width, height;
  gint grid_columns, grid_rows; /* of zones; 1, 1: no zones */
} GstClRegionSettings;

/* The name of a region of interest. */
typedef struct {
  gint id;
  const gchar *type; /* UTF-8, interned; "" if there is none */
} GstClRegionLabel;

/* The measured regions of a frame, in pixels, each within the frame: first the
 * frame or the rectangle, then the zones row by row, then the regions of
 * interest. */
typedef struct {
  gboolean is_whole;  /* the first region is the whole frame */
  gint columns, rows; /* of zones; 1, 1: no zones */
  GArray *regions;    /* GstClRegion */
  GArray *labels;     /* GstClRegionLabel, of the regions of interest */
  guint n_boxes;      /* the last of these, of an analytics meta */
} GstClRegions;

/* Initializes an empty list of regions. */
void gst_cl_regions_init (GstClRegions *self);
void gst_cl_regions_clear (GstClRegions *self);

/* Sets the rectangle and the zones of @settings for frames of @info. Returns
 * FALSE with GST_CORE_ERROR_NEGOTIATION, which names the property and the
 * frame, if they do not fit. */
gboolean gst_cl_regions_set (GstClRegions *self,
    const GstClRegionSettings *settings, const GstVideoInfo *info,
    GError **error);

/* Copies the regions of @from, which has no regions of interest. */
void gst_cl_regions_copy (GstClRegions *self, const GstClRegions *from);

/* Adds each region of interest in the metas of @buffer, clipped to the frame,
 * and each box of an analytics meta if the plugin supports these. Ignores
 * regions beyond GST_CL_METRICS_MAX_REGIONS or outside the frame. */
void gst_cl_regions_add_rois (GstClRegions *self, GstBuffer *buffer,
    const GstVideoInfo *info);

/* Returns the number of zones; 0 if there are none. */
guint gst_cl_regions_n_zones (const GstClRegions *self);

/* Returns TRUE if @self and @other have the same zones. */
gboolean gst_cl_regions_have_zones_of (const GstClRegions *self,
    const GstClRegions *other);

/* Returns region @index in the rows of @rows alone, whose numbers are counted
 * without those of other rows. The height is 0 if it has none. */
GstClRegion gst_cl_regions_pixels (const GstClRegions *self, guint index,
    GstClRowSet rows);

/* The zones, or the regions of interest, whose fields in a structure begin with
 * `zone-` or `roi-`. */
typedef struct {
  const gchar *prefix;
  guint first, n; /* of the regions; n may be 0 */
} GstClRegionGroup;

GstClRegionGroup gst_cl_regions_zones (const GstClRegions *self);
GstClRegionGroup gst_cl_regions_rois (const GstClRegions *self);

/* Adds the fields that say which regions these are: rectangles, the numbers of
 * columns and rows, ids and types. */
void gst_cl_regions_add_group (const GstClRegions *self,
    const GstClRegionGroup *group, GstStructure *structure);

/* Sets the field @name of @group to @value, which is taken. */
void gst_cl_region_group_take (GstStructure *structure,
    const GstClRegionGroup *group, const gchar *name, GValue *value);

/* Returns the samples of @part that are in @rows of @component. */
GstClComponent gst_cl_region_of_component (const GstClComponent *component,
    const GstClRegion *part, GstClRowSet rows);

/* Returns region @index in samples of component @component of @info, in the
 * rows of @rows alone, of which the component has at least one. */
GstClRegion gst_cl_regions_samples (const GstClRegions *self, guint index,
    const GstVideoInfo *info, guint component, GstClRowSet rows);

G_END_DECLS

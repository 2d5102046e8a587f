/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclsummary.h"
#include "ops/moments/moments.h"
#include "series/gstclevents.h"

G_BEGIN_DECLS

/* How fields are named. */
typedef enum {
  GST_CL_KEY_STYLE_GST,
  GST_CL_KEY_STYLE_LAVFI, /* the keys of FFmpeg's signalstats as well */
} GstClKeyStyle;

/* What users set about what clframesum measures and judges: one field, and one
 * row of the tables behind the functions below, for each property. */
typedef struct {
  gint statistics;     /* GstClStatistic */
  gint planes;         /* bit c for component c */
  gint reduction;      /* GstClReduction */
  gint histogram_bins; /* 0: one a code */
  gint key_style;      /* GstClKeyStyle */

  /* The rectangle, in pixels; width, height 0: up to the frame's edge. */
  gint position_x, position_y, width, height;
  gint grid_columns, grid_rows;
  gboolean roi_meta;
  gboolean region_histograms;

  gint events; /* GstClEventType */
  GstClEventSettings event_settings;
} GstClFrameSumSettings;

/* Every field at its default. */
void gst_cl_frame_sum_settings_init (GstClFrameSumSettings *settings);

/* Number of rows, those of events included; @index below is that of a row. */
guint gst_cl_frame_sum_settings_count (void);

/* A new, floating GParamSpec of the property: name, blurb, range, default. */
GParamSpec *gst_cl_frame_sum_settings_pspec (guint index, GParamFlags flags);

/* @value holds what the property does. */
void gst_cl_frame_sum_settings_get (const GstClFrameSumSettings *settings,
    guint index, GValue *value);
void gst_cl_frame_sum_settings_set (GstClFrameSumSettings *settings,
    guint index, const GValue *value);

G_END_DECLS

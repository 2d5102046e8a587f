/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "gstcllightcounts.h"
#include "common/gstcltransfer.h"

G_BEGIN_DECLS

/* Light levels of a picture from its histogram: docs/light.md. */

/* Percentiles in per cent. */
#define GST_CL_LIGHT_N_PERCENTILES 12
extern const gdouble gst_cl_light_percents[GST_CL_LIGHT_N_PERCENTILES];

/* The percentile that leaves out outliers. */
#define GST_CL_LIGHT_ROBUST_PERCENT 99.99

/* Light is in cd/m2. */
typedef struct {
  gdouble max;        /* of max (R, G, B): MaxCLL of the picture */
  gdouble average;    /* of max (R, G, B): MaxFALL of the picture */
  gdouble robust_max; /* the percentile GST_CL_LIGHT_ROBUST_PERCENT */
  gdouble left_out;   /* the share of pixels above it */
  gdouble max_rgb[3]; /* the greatest R, G and B */
  gdouble percentiles[GST_CL_LIGHT_N_PERCENTILES];
} GstClLightLevels;

/* Sets @levels from @counts, without the @n_left_out darkest pixels. Without
 * pixels, all are 0. */
void gst_cl_light_levels_init (GstClLightLevels *levels,
    const GstClLightCounts *counts, const GstClLightCurve *curve,
    guint64 n_left_out);

/* Returns the share of the pixels of @counts whose component @index is beyond
 * the preferred range. */
gdouble gst_cl_light_beyond (const GstClLightCounts *counts, guint index);

G_END_DECLS

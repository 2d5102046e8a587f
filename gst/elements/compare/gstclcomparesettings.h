/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "common/gstclproperty.h"
#include "elements/base/gstclregions.h"
#include "gstclcomparepairing.h"
#include "ops/pictureop.h"
#include "statistics/compare/gstclcompared.h"

G_BEGIN_DECLS

/* The property `output`. */
typedef enum {
  GST_CL_COMPARE_OUTPUT_DISTORTED, /* the frames of sink_0 */
  GST_CL_COMPARE_OUTPUT_NONE,      /* buffers without memory */
  GST_CL_COMPARE_OUTPUT_MAP,       /* pictures of differences */
} GstClCompareOutput;

/* The property `key-style`. */
typedef enum {
  GST_CL_COMPARE_KEYS_GST,
  GST_CL_COMPARE_KEYS_LAVFI, /* also those of FFmpeg's filters */
} GstClCompareKeys;

/* The most zones and regions of interest of a frame. */
#define GST_CL_COMPARE_MAX_REGIONS (GST_CL_PICTURE_OP_SLOTS - 1)

/* The property `max-difference`: none. */
#define GST_CL_COMPARE_NO_LIMIT 65535

/* The values of the properties. */
typedef struct {
  GstClCompareMetrics metrics;
  GstClRegionSettings regions; /* zones of the whole frame */
  gboolean roi_meta;
  GstClPairing pairing;
  gboolean accepts_other_rates;
  GstClCompareOutput output;
  guint map_gain;
  GstClCompareKeys keys;
  const gchar *location; /* interned, or NULL */
  gboolean post_messages;
  gdouble min_psnr, min_ssim, min_xpsnr;
  guint max_difference;
} GstClCompareSettings;

extern const GstClProperty gst_cl_compare_properties[];
extern const guint gst_cl_compare_n_properties;

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "common/gstclproperty.h"

G_BEGIN_DECLS

/* What is drawn. */
typedef enum {
  GST_CL_SCOPE_WAVEFORM,
  GST_CL_SCOPE_PARADE,
  GST_CL_SCOPE_PARADE_RGB,
  GST_CL_SCOPE_OVERLAY_RGB,
  GST_CL_SCOPE_VECTORSCOPE,
  GST_CL_SCOPE_HISTOGRAM,
  GST_CL_SCOPE_FALSE_COLOUR,
  GST_CL_SCOPE_ALL,
} GstClScopeKind;

/* Where it is drawn. */
typedef enum {
  GST_CL_SCOPE_REPLACE,
  GST_CL_SCOPE_SIDE,
  GST_CL_SCOPE_OVERLAY,
} GstClScopeMode;

typedef enum {
  GST_CL_SCOPE_TOP_LEFT,
  GST_CL_SCOPE_TOP_RIGHT,
  GST_CL_SCOPE_BOTTOM_LEFT,
  GST_CL_SCOPE_BOTTOM_RIGHT,
} GstClScopePosition;

/* The unit of the graticule. */
typedef enum {
  GST_CL_GRATICULE_AUTO, /* cd/m2 for PQ and HLG, else IRE */
  GST_CL_GRATICULE_NONE,
  GST_CL_GRATICULE_IRE,
  GST_CL_GRATICULE_CODES,
  GST_CL_GRATICULE_NITS,
} GstClGraticuleUnit;

/* The properties of clscope. */
typedef struct {
  GstClScopeKind kind;
  GstClScopeMode mode;
  GstClScopePosition position;
  gint width, height; /* of the scope; 0: automatic */
  gdouble intensity, opacity;
  gdouble peak_hold; /* seconds; 0: off */
  GstClGraticuleUnit graticule;
  gboolean legend;
  const gchar *rectangle, *lines; /* interned; NULL: the frame */
} GstClScopeSettings;

#define GST_CL_SCOPE_N_PROPERTIES 12

/* Rows for GstClScopeSettings. */
extern const GstClProperty gst_cl_scope_properties[GST_CL_SCOPE_N_PROPERTIES];

/* Types of the enum properties. */
extern GstClEnum gst_cl_scope_kind_enum, gst_cl_scope_mode_enum,
    gst_cl_scope_position_enum, gst_cl_graticule_unit_enum;

/* Sets @region to the pixels of frames of @info that are counted: those of the
 * rectangle in the rows of lines. FALSE with GST_CORE_ERROR_NEGOTIATION, which
 * names the property, if it cannot be read or exceeds the frame. */
gboolean gst_cl_scope_settings_region (const GstClScopeSettings *settings,
    const GstVideoInfo *info, GstVideoRectangle *region, GError **error);

G_END_DECLS

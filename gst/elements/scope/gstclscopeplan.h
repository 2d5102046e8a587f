/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclscopesettings.h"
#include "common/gstcltransfer.h"
#include "statistics/scopes/scopedraw.h"

G_BEGIN_DECLS

/* From properties and caps to the problems of ops. */

/* The counts of a plan. */
enum {
  GST_CL_SCOPE_OWN, /* luma or components, and the vectorscope */
  GST_CL_SCOPE_RGB, /* R, G and B */
};

#define GST_CL_SCOPE_MAX_PANELS 4

/* A part of the scope with a graticule of its own. */
typedef struct {
  GstClScopeKind kind; /* never ALL */
  GstClDrawArea area;
} GstClScopePanel;

typedef struct {
  GstVideoInfo in;
  guint depth;
  guint n_components;
  guint n_panels;
  GstClScopePanel panels[GST_CL_SCOPE_MAX_PANELS];
  GstClScopesProblem counts[GST_CL_SCOPE_DRAW_MAX_COUNTS]; /* without waveforms
                                                              and vectorscope:
                                                              not needed */
  GstVideoRectangle regions[GST_CL_SCOPE_DRAW_MAX_COUNTS]; /* in pixels */
  GstClScopeDrawProblem draw;
  GstClLightCurve curve;    /* of luma */
  GstClGraticuleUnit unit;  /* never AUTO */
  gboolean has_light_zones; /* false colours are in cd/m2, else in percent */
} GstClScopePlan;

/* Fills @plan for frames of @in and of @out. FALSE with @error. */
gboolean gst_cl_scope_plan_init (GstClScopePlan *plan,
    const GstClScopeSettings *settings, const GstVideoInfo *in,
    const GstVideoInfo *out, GError **error);

/* Returns TRUE if counts @index are needed. */
gboolean gst_cl_scope_plan_needs (const GstClScopePlan *plan, guint index);

/* Returns the size of a scope with mode=side or mode=overlay beside or over
 * pictures of @width x @height pixels. */
void gst_cl_scope_plan_size (const GstClScopeSettings *settings, gint width,
    gint height, gint *scope_width, gint *scope_height);

G_END_DECLS

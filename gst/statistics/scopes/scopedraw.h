/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "scopes.h"

G_BEGIN_DECLS

/* Draws a scope: the counts of scopes as traces or bars, or the picture in
 * false colours, with a graticule; beside or over the picture. Colours are R, G
 * and B of 8 bits, 0xRRGGBB. */

typedef enum {
  GST_CL_PLOT_TRACE, /* counts as brightness */
  GST_CL_PLOT_BARS,  /* counts of each bin, in all columns: a histogram */
  GST_CL_PLOT_ZONES, /* the picture: a colour for each luma code */
} GstClPlotKind;

/* A rectangle, in pixels. */
typedef struct {
  gint x, y, width, height;
} GstClDrawArea;

/* A part of a scope. */
typedef struct {
  GstClPlotKind kind;
  GstClDrawArea area;          /* of the scope */
  guint counts;                /* index in GstClScopeDrawInput.counts */
  gboolean is_vectorscope;     /* TRACE */
  guint first_trace, n_traces; /* TRACE, BARS: waveforms, drawn one over the
                                  other */
  guint32 colours[GST_CL_PIXEL_COMPONENTS];
} GstClPlot;

#define GST_CL_SCOPE_DRAW_MAX_PLOTS  8
#define GST_CL_SCOPE_DRAW_MAX_COUNTS 2
#define GST_CL_SCOPE_DRAW_MAX_PLANES 3

/* How a frame of the output is stored, in 8 bits. */
typedef enum {
  GST_CL_DRAW_RGBA, /* A is 255 */
  GST_CL_DRAW_BGRA,
  GST_CL_DRAW_NV12, /* U and V of the mean of 2 x 2 pixels */
  GST_CL_DRAW_I420,
} GstClDrawFormat;

/* The problem that an instance is built for. */
typedef struct {
  gint width, height; /* of the scope */
  guint n_plots;
  GstClPlot plots[GST_CL_SCOPE_DRAW_MAX_PLOTS]; /* at most one of BARS */
  guint n_bins[GST_CL_SCOPE_DRAW_MAX_COUNTS];   /* of waveforms */
  guint n_uv_bins; /* of the vectorscope, of either counts */
  gboolean holds_peaks;

  /* the picture, of 1 or 3 components */
  GstClPictureShape shape;
  GstClYuvMatrix yuv;    /* of RGB: for Y */
  gint black;            /* the code of R, G and B that is drawn as 0 */
  gint white;            /* as 255: at least half of all codes above */
  GstClDrawArea picture; /* in the output; width 0: the picture is not drawn */

  /* the output */
  GstClDrawFormat format;
  gint out_width, out_height;
  gint scope_x, scope_y;
  GstClYuvMatrix out_yuv; /* NV12, I420: of R, G and B of 8 bits */
} GstClScopeDrawProblem;

/* A frame. */
typedef struct {
  const GstClComponent *components; /* of the picture */
  gboolean is_interlaced;           /* pixels have the chroma of their field */
  struct {
    cl_mem mem; /* of gst_cl_scopes_op_counts(), with has_rows_of_bins */
    GstClScopesLayout layout;
    guint n_rows[GST_CL_PIXEL_COMPONENTS]; /* of waveforms */
    guint64 n_pairs;                       /* of the vectorscope */
  } counts[GST_CL_SCOPE_DRAW_MAX_COUNTS];
  cl_mem graticule; /* 0xAARRGGBB for each pixel of the scope */
  cl_mem zones;     /* ZONES: the colour of each luma code; or NULL */
  guint intensity;  /* 256: a bin that has as many samples of its column, or
                      pairs, as if they were even in all bins, has half of the
                      full brightness; brightness grows with it */
  guint opacity;    /* of the scope over the picture, 0 .. 256 */
  guint fading;     /* what held peaks lose, 1/256 of a level of 0 .. 255 */
  struct {
    cl_mem mem;
    gsize offset_bytes;
    gint stride_bytes;
  } planes[GST_CL_SCOPE_DRAW_MAX_PLANES]; /* of the output */
} GstClScopeDrawInput;

/* The implementations; problems are GstClScopeDrawProblem, io is const
 * GstClScopeDrawInput *. Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_scope_draw_table;

/* Create, free and run an op; problems are GstClScopeDrawProblem. */
extern const GstClTieredFuncs gst_cl_scope_draw_tiered;

typedef struct _GstClScopeDrawOp GstClScopeDrawOp;

/* create() and free() of all rows. Creates a GstClScopeDrawOp of @candidate,
 * without peaks. NULL with @error; transfer full. */
gpointer gst_cl_scope_draw_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
void gst_cl_scope_draw_op_free (gpointer op); /* accepts NULL */

/* Enqueues one frame, @input. Neither waits nor allocates. */
gboolean gst_cl_scope_draw_op_run (gpointer op, gconstpointer input,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClScopeDrawOp, gst_cl_scope_draw_op_free)

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/pictureop.h"

G_BEGIN_DECLS

/* Two-dimensional histograms of a picture: columns x codes (waveforms), and
 * codes of V x codes of U (vectorscope). Codes that are computed are clamped to
 * 0 .. 2^depth - 1. A code counts in bin floor (code * bins / 2^depth). */

#define GST_CL_SCOPES_MAX_BINS 1024

/* The codes whose waveforms are counted. */
typedef enum {
  GST_CL_SCOPES_COMPONENTS, /* of each of the first components */
  GST_CL_SCOPES_RGB,        /* R, G and B of pixels */
  GST_CL_SCOPES_LUMA,       /* Y of pixels: the first component, but of RGB
                               that of @yuv */
} GstClScopesSource;

/* The problem that an instance is built for. */
typedef struct {
  GstClPictureShape
      picture;        /* of 1 .. 3 components; the kind of the matrix says
                                what they are */
  GstClYuvMatrix yuv; /* of RGB: for Y, U and V */
  GstClScopesSource source;
  guint n_waveforms; /* at most n_components; RGB: 3; LUMA: 1; 0: none */
  guint waveform_bins;
  guint vectorscope_bins; /* of components 1 and 2, which have one size, or of
                             U and V of RGB; 0: no vectorscope */
  gboolean has_rows_of_bins; /* waveforms are bins x columns in C order; else
                                columns x bins */
} GstClScopesProblem;

/* The positions of histograms in a result, in words. */
typedef struct {
  guint n_waveforms;
  gsize first[GST_CL_PIXEL_COMPONENTS]; /* of each waveform */
  guint n_columns[GST_CL_PIXEL_COMPONENTS];
  gsize vectorscope; /* its first word */
  gsize n_words;
} GstClScopesLayout;

/* A result; arrays are borrowed until the next run in the slot. */
typedef struct {
  GstClScopesLayout layout;
  const guint32 *waveforms[GST_CL_PIXEL_COMPONENTS]; /* NULL: none */
  const guint32 *vectorscope; /* bins of V x bins of U; NULL: none */
} GstClScopesCounts;

/* The implementations; problems are GstClScopesProblem, io is const
 * GstClPictureInput *. Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_scopes_table;

/* Create and free a GstClPictureOp. */
extern const GstClTieredFuncs gst_cl_scopes_tiered;

/* Returns the memory of the last run's result (borrowed; the next run writes to
 * it), and sets @layout. */
cl_mem gst_cl_scopes_op_counts (const GstClPictureOp *op,
    GstClScopesLayout *layout);

/* Waits for the read into @slot and sets @counts. FALSE with @error. Any
 * thread, one per slot. */
gboolean gst_cl_scopes_op_result (GstClPictureOp *op, guint slot,
    GstClScopesCounts *counts, GError **error);

G_END_DECLS

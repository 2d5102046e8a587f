/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "common/gstclrgb.h"
#include "ops/tieredop.h"

G_BEGIN_DECLS

/* Two-dimensional histograms of a picture: columns x codes of each component,
 * or of R, G and B (waveforms), and codes of V x codes of U (vectorscope). A
 * code counts in bin floor (code * bins / 2^depth). */

#define GST_CL_SCOPES_MAX_COMPONENTS 3
#define GST_CL_SCOPES_MAX_BINS       1024

/* The problem that an instance is built for. Later pictures have the same pixel
 * strides and sample type (one for all components), and no component is larger.
 * Memory, offsets and strides are ignored. */
typedef struct {
  guint n_components; /* 1 .. 3 */
  GstClComponent shapes[GST_CL_SCOPES_MAX_COMPONENTS];
  gboolean is_rgb;        /* waveforms are those of R, G and B, clamped to 0 ..
                      2^depth - 1, of pixels; else of each component */
  guint x_shift, y_shift; /* is_rgb: subsampling of chroma */
  GstClRgbMatrix matrix;  /* is_rgb */
  guint waveform_bins;    /* 0: no waveforms */
  guint vectorscope_bins; /* of components 1 and 2, which have one size; 0: no
                             vectorscope */
  gboolean has_rows_of_bins; /* waveforms are bins x columns in C order; else
                                columns x bins */
} GstClScopesProblem;

/* A picture. */
typedef struct {
  const GstClComponent *components; /* parts of it, each with its own size */
  gboolean is_interlaced;           /* is_rgb: chroma of two fields */
} GstClScopesInput;

/* The positions of histograms in a result, in words. */
typedef struct {
  guint n_waveforms;
  gsize first[GST_CL_SCOPES_MAX_COMPONENTS]; /* of each waveform */
  guint n_columns[GST_CL_SCOPES_MAX_COMPONENTS];
  gsize vectorscope; /* its first word */
  gsize n_words;
} GstClScopesLayout;

/* A result; arrays are borrowed until the next run in the slot. */
typedef struct {
  GstClScopesLayout layout;
  const guint32 *waveforms[GST_CL_SCOPES_MAX_COMPONENTS]; /* NULL: none */
  const guint32 *vectorscope; /* bins of V x bins of U; NULL: none */
} GstClScopesCounts;

/* The implementations; problems are GstClScopesProblem, io is const
 * GstClScopesInput *. Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_scopes_table;

/* For tiered ops of these problems. */
extern const GstClTieredFuncs gst_cl_scopes_tiered;

/* Maximum number of pending results. */
#define GST_CL_SCOPES_SLOTS 64

/* An instance. */
typedef struct _GstClScopesOp GstClScopesOp;

/* Builds the kernels and allocates scratch memory. NULL with @error. Any
 * thread; transfer full. */
gpointer gst_cl_scopes_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
void gst_cl_scopes_op_free (gpointer op); /* accepts NULL */

/* Enqueues the kernels; does not wait. CL_INVALID_VALUE if the components are
 * not parts of the problem's shapes. */
gboolean gst_cl_scopes_op_run (gpointer op, gconstpointer input,
    GError **error);

/* Enqueues the read of the last run's result into @slot. */
gboolean gst_cl_scopes_op_fetch (GstClScopesOp *op, guint slot, GError **error);

/* Waits for the read into @slot and sets @counts. One thread per slot. */
gboolean gst_cl_scopes_op_result (GstClScopesOp *op, guint slot,
    GstClScopesCounts *counts, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClScopesOp, gst_cl_scopes_op_free)

G_END_DECLS

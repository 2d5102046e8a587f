/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "scopedraw.h"

G_BEGIN_DECLS

/* Returns the shares of a count, in units of 2^-16, for level_of_count(), if
 * @n_samples are counted in @n_bins. */
guint32 gst_cl_scope_draw_gain (guint intensity, guint64 n_bins,
    guint64 n_samples);

/* Returns the bytes of row @plane of the output of @problem, without padding,
 * and its rows. */
void gst_cl_scope_draw_plane_size (const GstClScopeDrawProblem *problem,
    guint plane, gint *row_bytes, gint *n_rows);
guint gst_cl_scope_draw_n_planes (const GstClScopeDrawProblem *problem);

/* The number of bins of waveforms and of the vectorscope, and of columns, in
 * answers. */
#define GST_CL_SCOPE_DRAW_ANSWER_BINS    64
#define GST_CL_SCOPE_DRAW_ANSWER_COLUMNS 101

/* Sets the numbers of @input, the layout of its counts, and the strides of its
 * planes, for the answer of @problem. */
void gst_cl_scope_draw_answer_input (const GstClScopeDrawProblem *problem,
    GstClScopeDrawInput *input);

/* Returns @n fixed random words below 2^@n_bits; transfer full. */
guint32 *gst_cl_scope_draw_answer_words (guint seed, gsize n, guint n_bits);

/* Returns the bytes of the planes of an answer, one after the other. */
gsize gst_cl_scope_draw_answer_bytes (const GstClScopeDrawProblem *problem);

/* GstClOpTable.answers and so on: scopedrawanswers.c. */
#define GST_CL_SCOPE_DRAW_N_ANSWERS 2
extern const GstClAnswer gst_cl_scope_draw_answers[GST_CL_SCOPE_DRAW_N_ANSWERS];
gboolean gst_cl_scope_draw_is_alike (gconstpointer answered,
    gconstpointer problem);
gboolean gst_cl_scope_draw_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

G_END_DECLS

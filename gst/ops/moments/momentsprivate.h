/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "moments.h"

#include "cl/context/gstclkernel.h"

G_BEGIN_DECLS

/* What is behind GstClMomentsOp. An instance of a row enqueues kernels that
 * leave one partial a component, in the components' order. */

/* What rows tell beside the rest: GstClImplementation.data. */
typedef struct {
  /* The buffer of partials of the last run; the next one's may be another.
   * transfer none */
  cl_mem (*get_result) (gconstpointer instance);
} GstClMomentsRow;

/* --- rounds over blocks of samples, then of partials: momentsrounds.c ---- */

gpointer gst_cl_moments_rounds_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_moments_rounds_run (gpointer rounds, gconstpointer components,
    GError **error);
void gst_cl_moments_rounds_free (gpointer rounds);

extern const GstClMomentsRow gst_cl_moments_rounds_row;

/* --- tiles that are added up where they are: momentstiles.c -------------- */

/* A tuning is a number of rows of a tile, 256 at most. */
void gst_cl_moments_tiles_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);
gpointer gst_cl_moments_tiles_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_moments_tiles_run (gpointer tiles, gconstpointer components,
    GError **error);
void gst_cl_moments_tiles_free (gpointer tiles);

extern const GstClMomentsRow gst_cl_moments_tiles_row;

/* --- bands of rows of whole planes, then their merge: momentsbands.c ----- */

/* A tuning is a percentage of the usual number of bands; it comes to a number
 * of bands. */
void gst_cl_moments_bands_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);
gpointer gst_cl_moments_bands_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_moments_bands_run (gpointer bands, gconstpointer components,
    GError **error);
void gst_cl_moments_bands_free (gpointer bands);

extern const GstClMomentsRow gst_cl_moments_bands_row;

/* --- what candidates are measured with: momentstrial.c ------------------- */

/* The functions make_io(), free_io() and count_bytes() of GstClOpTable. */
gpointer gst_cl_moments_io_new (GstClContext *context, gconstpointer problem,
    GError **error);
void gst_cl_moments_io_free (gpointer io);
guint64 gst_cl_moments_count_bytes (gconstpointer problem, guint n_candidates);

/* --- known answers: momentsanswers.c ------------------------------------- */

/* GstClOpTable.answers and so on. */
#define GST_CL_MOMENTS_N_ANSWERS 1
extern const GstClAnswer gst_cl_moments_answers[GST_CL_MOMENTS_N_ANSWERS];
gboolean gst_cl_moments_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "localmean.h"

G_BEGIN_DECLS

/* create(), run() and free() of GstClImplementation for the rows of the table
 * in localmeantable.c, whose data is a GstClLocalMeanRow. */

/* Copies of the samples that results belong to, by the row's kernel. */
gpointer gst_cl_local_mean_copy_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_local_mean_copy_run (gpointer self, gconstpointer io,
    GError **error);
void gst_cl_local_mean_copy_free (gpointer self);

/* Means by the corners of windows on an integral image, by the row's kernel;
 * run() takes sums. */
gpointer gst_cl_local_mean_corners_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_local_mean_corners_run (gpointer self, gconstpointer io,
    GError **error);
void gst_cl_local_mean_corners_free (gpointer self);

/* An integral image of the samples, and one of their squares where the
 * operation needs it; then the row that the data names, which takes sums. */
gpointer gst_cl_local_mean_by_image_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_local_mean_by_image_run (gpointer self, gconstpointer io,
    GError **error);
void gst_cl_local_mean_by_image_free (gpointer self);

/* Rounded means by the row that the data names, which has the tuning; then an
 * operation on them. */
gpointer gst_cl_local_mean_by_means_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_local_mean_by_means_run (gpointer self, gconstpointer io,
    GError **error);
void gst_cl_local_mean_by_means_free (gpointer self);

/* A plane on the device for @width x @height samples of @sample, which lie
 * @pixel_stride_bytes apart. FALSE with @error; mem is to be freed by
 * gst_cl_buffer_free(), which takes NULL. */
gboolean gst_cl_local_mean_plane_init (GstClComponent *plane,
    GstClContext *context, const GstClSampleType *sample, gint width,
    gint height, gint pixel_stride_bytes, GError **error);

/* --- measuring: localmeantrial.c ------------------------------------------ */

gpointer gst_cl_local_mean_trial_new (GstClContext *context,
    gconstpointer problem, GError **error);
void gst_cl_local_mean_trial_free (gpointer trial);
guint64 gst_cl_local_mean_trial_count_bytes (gconstpointer problem,
    guint n_candidates);

/* --- known answers: localmeananswers.c ------------------------------------ */

/* GstClOpTable.answers and so on. */
#define GST_CL_LOCAL_MEAN_N_ANSWERS 13
extern const GstClAnswer gst_cl_local_mean_answers[GST_CL_LOCAL_MEAN_N_ANSWERS];
gboolean gst_cl_local_mean_is_alike (gconstpointer answered,
    gconstpointer problem);
gboolean gst_cl_local_mean_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/implementation.h"
#include "localmeanproblem.h"

G_BEGIN_DECLS

/* Means of a window straight from samples, by running sums: no integral image.
 * fits() of GstClLocalMeanRow, and create(), run() and free() of
 * GstClImplementation, for samples and any operation that needs means. Creating
 * on a GPU builds the kernels of all windows that slide with the border of
 * @problem, so that another window finds its programs.
 *
 * A window slides whose sizes are below 2^15, whose samples sum up below 2^32,
 * and which (but for VALID) holds its own sample; on a GPU it is at most
 * GST_CL_TILE_WIDEST_WINDOW samples wide, so that the columns of a tile hold it
 * and leave room for results. */

/* The kernel files of the two rows on CPUs. */
#define GST_CL_LOCAL_MEAN_SLIDING_BYTES_FILE "localmean/cpusliding16.cl"
#define GST_CL_LOCAL_MEAN_SLIDING_ANY_FILE   "localmean/cpusliding.cl"

/* On CPUs there are two, with run() and free() in common: for samples of 8
 * bits, steps of 1 and windows of at most 256 samples, or of at most 1024
 * columns and a sum below 2^31; and for all others. Value 0 of the tuning is
 * the number of bands in hundredths of the usual one, 0: that. */
gboolean gst_cl_local_mean_sliding_bytes_cpu_fits (
    const GstClLocalMeanProblem *problem);
gboolean gst_cl_local_mean_sliding_any_cpu_fits (
    const GstClLocalMeanProblem *problem);
gpointer gst_cl_local_mean_sliding_bytes_cpu_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gpointer gst_cl_local_mean_sliding_any_cpu_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_local_mean_sliding_cpu_run (gpointer self, gconstpointer io,
    GError **error);
void gst_cl_local_mean_sliding_cpu_free (gpointer self);

gboolean gst_cl_local_mean_sliding_gpu_fits (
    const GstClLocalMeanProblem *problem);

/* Value 0 is the row groups of a work-group, value 1 the rows of results that a
 * work-item takes; there are no other tunings. */
void gst_cl_local_mean_sliding_gpu_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);
gpointer gst_cl_local_mean_sliding_gpu_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_local_mean_sliding_gpu_run (gpointer self, gconstpointer io,
    GError **error);
void gst_cl_local_mean_sliding_gpu_free (gpointer self);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "localmean.h"

G_BEGIN_DECLS

/* --- what the rows of the table in localmeantable.c are made of -------------
 *
 * The data of these rows is a GstClLocalMeanRow, and fits() takes a
 * GstClLocalMeanProblem. */

/* Copies of the samples that results belong to, by the row's kernel:
 * localmeancopy.c. */
extern const GstClInstanceFuncs gst_cl_local_mean_copy;

/* Means by the corners of windows on an integral image, by the row's kernel;
 * run() takes sums: localmeancorners.c. */
extern const GstClInstanceFuncs gst_cl_local_mean_corners;

/* An integral image of the samples, and one of their squares where the
 * operation needs it; then the row that the data names, which takes sums:
 * localmeanbyimage.c. */
extern const GstClInstanceFuncs gst_cl_local_mean_by_image;

/* Rounded means by the row that the data names, which has the tuning; then an
 * operation on them: localmeanbymeans.c. */
extern const GstClInstanceFuncs gst_cl_local_mean_by_means;

/* Means of a window straight from samples, by running sums: no integral image.
 * A window slides whose sizes are below 2^15, whose samples sum up below 2^32,
 * and which (but for VALID) holds its own sample.
 *
 * On CPUs there are two, in localmeanslidingcpu.c: for samples of 8 bits, steps
 * of 1 and windows of at most 256 samples, or of at most 1024 columns and a sum
 * below 2^31; and for all others. Value 0 of the tuning is the number of bands
 * in hundredths of the usual one, 0: that. */
#define GST_CL_LOCAL_MEAN_SLIDING_BYTES_FILE "localmean/cpusliding16.cl"
#define GST_CL_LOCAL_MEAN_SLIDING_ANY_FILE   "localmean/cpusliding.cl"
extern const GstClInstanceFuncs gst_cl_local_mean_sliding_bytes_cpu;
extern const GstClInstanceFuncs gst_cl_local_mean_sliding_any_cpu;

/* On a GPU (localmeanslidinggpu.c) a window is at most
 * GST_CL_TILE_WIDEST_WINDOW samples wide, so that the columns of a tile hold it
 * and leave room for results. Creating builds the kernels of all windows that
 * slide with the border of the problem, so that another window finds its
 * programs. */
extern const GstClInstanceFuncs gst_cl_local_mean_sliding_gpu;

/* Value 0 is the row groups of a work-group, value 1 the rows of results that a
 * work-item takes; there are no other tunings. */
void gst_cl_local_mean_sliding_gpu_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);

/* The operations other than MEAN and COPY by one work-item a result, on any
 * device (operation.c). Those that start from sums: where the problem is of
 * samples, the sums were made of them by the window's user,
 * gst_cl_window_sum_bytes_within() each; run() takes samples, sums and squares.
 * Those that start from rounded means: run() takes means, and samples or
 * sums. */
extern const GstClInstanceFuncs gst_cl_operation_on_sums;
extern const GstClInstanceFuncs gst_cl_operation_on_means;

/* Operations on a CPU by bands of rows, by the kernel that the row's data names
 * (operationbands.c): straight from samples by running sums, those on the mean
 * in 1/256 of a code and on the deviation, for an anchor within the window,
 * sums of the window's samples below 2^31, with samples of 8 bits also sums of
 * their squared distances from the mean; value 0 of the tuning: bands in
 * hundredths of the usual number, 0: that. Or all of them from integral images,
 * whose samples may be larger than the codes of results: at most 2^15 samples
 * in a window, 2^14 across; run() takes sums, and squares where the operation
 * needs them. Or those that start from rounded means, and from samples; run()
 * takes means and samples. */
extern const GstClInstanceFuncs gst_cl_operation_sliding_cpu;
extern const GstClInstanceFuncs gst_cl_operation_bands;
extern const GstClInstanceFuncs gst_cl_operation_on_means_cpu;

/* TRUE if the kernels of the first two count finely enough for the factors;
 * FALSE has its reason in k or target. */
gboolean gst_cl_operation_bands_take_factors (
    const GstClLocalMeanFactors *factors);

/* The operations other than MEAN and COPY straight from samples of 8 bits, by
 * running sums on a GPU (operationsliding.c): no integral image. For step 1
 * down the frame, a window of at most GST_CL_TILE_WIDEST_WINDOW samples
 * across that (but for VALID) holds its own sample, and whose sums, and
 * squares where the operation needs them, fit 32 bits. */
extern const GstClInstanceFuncs gst_cl_operation_sliding_gpu;

/* Value 0 is the rows of results that a work-item takes; there are no other
 * tunings. */
void gst_cl_operation_sliding_gpu_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);

/* MEAN, DIFFERENCE and MEAN_C of small windows on a GPU, in registers alone
 * (operationsmall.c): windows of 3 x 3, 5 x 5 and 7 x 7 samples of 8 bits
 * around each sample, with any border but VALID, of planes whose samples
 * follow each other. Creating builds the kernels of all such windows with the
 * border of the problem, so that another window finds its program. */
extern const GstClInstanceFuncs gst_cl_operation_small_gpu;

/* --- what they share ----------------------------------------------------- */

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

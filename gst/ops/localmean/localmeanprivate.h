/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
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
 * localmeansteps.c. */
extern const GstClInstanceFuncs gst_cl_local_mean_by_image;

/* Rounded means by the row that the data names, which has the tuning; then an
 * operation on them: localmeansteps.c. */
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

/* --- windows that slide: sliding.c ---------------------------------------- */

/* Windows that slide down bands of rows on a CPU:
 * kernels/common/cl_sliding.clh. The rows around a band are summed up once more
 * for it. */

/* Bands for the results of @problem. @percent: hundredths of the usual number;
 * 0: that. */
gint gst_cl_sliding_bands (const GstClDevice *device,
    const GstClLocalMeanProblem *problem, guint percent);

/* Scratch for @n_bands bands of a frame of @width samples a row, with room for
 * windows of @widest_window samples; *row_length receives the elements of a row
 * of it. NULL with @error; to be freed by gst_cl_buffer_free(). */
cl_mem gst_cl_sliding_scratch (GstClContext *context, gint width,
    gint widest_window, gint n_bands, gint *row_length, GError **error);

/* Tiles of the GPU kernels that slide windows, kernels/localmean/gpu.cl and
 * kernels/operation/gpu.cl: kernels/common/cl_windowtile.clh draws one. */

#define GST_CL_TILE_LANES         64  /* work-items across a tile */
#define GST_CL_TILE_WIDEST_WINDOW 188 /* leaves columns for results */

/* Results of a tile's row: about as many for each of those that make up a row
 * of @n_results. */
gint gst_cl_sliding_tile_results (const GstClWindow *window, gint n_results);

/* tile.x y z w of the kernels: results of a tile's row, strides of pixels from
 * and to in samples, bits for whole quads. @n_results: in a row of the frame.
 */
cl_int4 gst_cl_sliding_tile (const GstClSampleType *sample,
    const GstClWindow *window, gint n_results, const GstClComponent *src,
    gint src_pixel_stride_bytes, const GstClComponent *dst,
    gint dst_pixel_stride_bytes);

/* --- arguments of operations: operation.c --------------------------------- */

/* Arguments and memory that kernels of operations have in common. */

typedef struct {
  GstClArg args[24];
  guint n;
} GstClOperationArgs;

void gst_cl_operation_add (GstClOperationArgs *arguments, GstClArg arg);

/* Adds where samples lie. */
void gst_cl_operation_add_samples (GstClOperationArgs *arguments,
    const GstClComponent *src);

/* Adds frame and window of kernels that slide. @row_length: frame.z, elements
 * of a row of scratch, 0 without. */
void gst_cl_operation_add_window (GstClOperationArgs *arguments,
    const GstClLocalMeanProblem *problem, gint row_length);

/* Adds RESULTS_ARGUMENTS of kernels/operation/plain.cl: the results and the
 * factors of @io. */
void gst_cl_operation_add_results (GstClOperationArgs *arguments,
    const GstClLocalMeanProblem *problem, const GstClLocalMeanIo *io);

/* WOLF: largest deviation and smallest code of a frame, on the device. */
typedef struct _GstClOperationExtremes GstClOperationExtremes;

/* @clear and @find: the kernels that reset them before each frame, and that
 * find them in it; transfer full. NULL stands for one that is not built, with
 * @error set. */
GstClOperationExtremes *gst_cl_operation_extremes_new (GstClContext *context,
    GstClKernel *clear, GstClKernel *find, GError **error);
void gst_cl_operation_extremes_free (GstClOperationExtremes *extremes);

/* Enqueues both kernels. @find runs as @x times @y work-items and takes
 * @arguments, then the extremes. */
gboolean gst_cl_operation_extremes_find (GstClOperationExtremes *extremes,
    GstClOperationArgs arguments, gsize x, gsize y, GError **error);
GstClArg gst_cl_operation_extremes_arg (const GstClOperationExtremes *extremes);

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

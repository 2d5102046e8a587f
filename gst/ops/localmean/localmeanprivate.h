/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "localmean.h"

G_BEGIN_DECLS

/* --- functions of the rows of the table in localmeantable.c -----------------
 *
 * The data of these rows is a GstClLocalMeanRow, and computes() takes a
 * GstClLocalMeanProblem. */

/* Copies the samples that results belong to, with the row's kernel:
 * localmeancopy.c. */
extern const GstClInstanceFuncs gst_cl_local_mean_copy;

/* Computes means from the corners of windows in an integral image, with the
 * row's kernel; run() takes sums: localmeancorners.c. */
extern const GstClInstanceFuncs gst_cl_local_mean_corners;

/* Computes an integral image of the samples, and one of their squares if the
 * operation needs it, and then runs the row that the data names, which takes
 * sums: localmeansteps.c. Frames that are too large for this are computed in
 * strips. This value of the tuning is the number of rows of results of a strip;
 * 0: as many as there is memory for. */
#define GST_CL_LOCAL_MEAN_STRIP_RESULTS 1
extern const GstClInstanceFuncs gst_cl_local_mean_by_image;

/* Computes rounded means with the row that the data names, which has the
 * tuning, and then an operation on them: localmeansteps.c. */
extern const GstClInstanceFuncs gst_cl_local_mean_by_means;

/* Computes means of a window directly from samples, by running sums, without an
 * integral image. Supports windows with sizes below 2^15 and sums below 2^32
 * that (except for VALID) contain their own sample.
 *
 * There are two CPU versions in localmeanslidingcpu.c, whose kernels are in one
 * program: one for samples of 8 bits, steps of 1 and windows of at most 256
 * samples, or of at most 1024 columns and a sum below 2^31; and one for all
 * others. Value 0 of the tuning is the number of bands in percent of the
 * default; 0 is the default. */
extern const GstClInstanceFuncs gst_cl_local_mean_sliding_bytes_cpu;
extern const GstClInstanceFuncs gst_cl_local_mean_sliding_any_cpu;

/* On a GPU (localmeanslidinggpu.c) a window is at most
 * GST_CL_TILE_WIDEST_WINDOW samples wide, so that the columns of a tile contain
 * it and some results. create() builds the kernels of all sliding windows with
 * the problem's border, so that another window finds its programs. */
extern const GstClInstanceFuncs gst_cl_local_mean_sliding_gpu;

/* Value 0 is the number of row groups of a work-group, value 1 the number of
 * rows of results of a work-item; there are no other values. */
void gst_cl_local_mean_sliding_gpu_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);

/* Computes the operations other than MEAN and COPY with one work-item per
 * result, on any device (operation.c). For operations on sums, run() takes
 * samples, sums and squares; if the problem has samples, the caller has made
 * sums of gst_cl_window_sum_bytes_within() bytes from them. For operations on
 * rounded means, run() takes means, and samples or sums. */
extern const GstClInstanceFuncs gst_cl_operation_on_sums;
extern const GstClInstanceFuncs gst_cl_operation_on_means;

/* Computes operations on a CPU by bands of rows, with the kernel that the row's
 * data names (operationbands.c), in three versions.
 *
 * Sliding: directly from samples by running sums, for operations on the mean in
 * 1/256 of a code and on the deviation, and an anchor within the window.
 * Without the deviation, the sum of the window's samples is below 2^31. Value 0
 * of the tuning is the number of bands in percent of the default; 0 is the
 * default.
 *
 * From integral images: all operations; their samples may be larger than the
 * codes of results. Without the deviation, a window has at most 2^15 samples;
 * run() takes sums, and squares if the operation needs them.
 *
 * From rounded means: the operations on rounded means and samples; run() takes
 * means and samples. */
extern const GstClInstanceFuncs gst_cl_operation_sliding_cpu;
extern const GstClInstanceFuncs gst_cl_operation_bands;
extern const GstClInstanceFuncs gst_cl_operation_on_means_cpu;

/* Returns TRUE if the precision of the first two kernels is enough for the
 * factors; FALSE is due to k or target. */
gboolean gst_cl_operation_bands_take_factors (
    const GstClLocalMeanFactors *factors);

/* Computes the operations other than MEAN and COPY directly from samples of 8
 * bits, by running sums on a GPU (operationsliding.c), without an integral
 * image. Supports a vertical step of 1, and windows of at most
 * GST_CL_TILE_WIDEST_WINDOW columns that (except for VALID) contain their own
 * sample, and whose sums, and squares if the operation needs them, fit into 32
 * bits. */
extern const GstClInstanceFuncs gst_cl_operation_sliding_gpu;

/* Value 0 is the number of rows of results of a work-item; there are no other
 * values. */
void gst_cl_operation_sliding_gpu_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);

/* Computes MEAN, DIFFERENCE and MEAN_C of small windows on a GPU, in registers
 * alone (operationsmall.c): windows of 3 x 3, 5 x 5 and 7 x 7 samples of 8 bits
 * around each sample, with any border except VALID, of planes with adjacent
 * samples. create() builds the kernels of all such windows with the problem's
 * border, so that another window finds its program. */
extern const GstClInstanceFuncs gst_cl_operation_small_gpu;

/* --- shared functions ----------------------------------------------------- */

/* Returns a plane for @width x @height samples of @sample at a distance of
 * @pixel_stride_bytes, without memory. */
GstClComponent gst_cl_local_mean_plane (const GstClSampleType *sample,
    gint width, gint height, gint pixel_stride_bytes);

/* Allocates the memory of @plane. FALSE with @error. The caller frees mem by
 * gst_cl_buffer_free(), which accepts NULL. */
gboolean gst_cl_local_mean_plane_allocate (GstClComponent *plane,
    GstClContext *context, GError **error);

/* --- sliding windows: sliding.c ------------------------------------------- */

/* Windows that slide down bands of rows on a CPU:
 * kernels/common/cl_sliding.clh. The rows around a band are summed again for
 * each band. */

/* Returns the number of bands for the results of @problem. @percent: of the
 * default number; 0: the default. */
gint gst_cl_sliding_bands (const GstClDevice *device,
    const GstClLocalMeanProblem *problem, guint percent);

/* Allocates scratch memory for @n_bands bands of a frame of @width samples per
 * row and windows of at most @widest_window samples; sets *row_length to the
 * number of elements in a row of it. NULL with @error; the caller frees it by
 * gst_cl_buffer_free(). */
cl_mem gst_cl_sliding_scratch (GstClContext *context, gint width,
    gint widest_window, gint n_bands, gint *row_length, GError **error);

/* Tiles of the GPU kernels with sliding windows, kernels/localmean/gpu.cl and
 * kernels/operation/gpu.cl; kernels/common/cl_windowtile.clh has a drawing of
 * one. */

#define GST_CL_TILE_LANES         64  /* work-items across a tile */
#define GST_CL_TILE_WIDEST_WINDOW 188 /* some columns are left for results */

/* Returns the number of results in a row of a tile: about the same for all
 * tiles that make up a row of @n_results. */
gint gst_cl_sliding_tile_results (const GstClWindow *window, gint n_results);

/* Returns tile.x y z w of the kernels: results in a row of a tile, source and
 * destination pixel strides in samples, bits for whole quads. @n_results: in a
 * row of the frame. */
cl_int4 gst_cl_sliding_tile (const GstClLocalMeanProblem *problem,
    gint n_results, const GstClComponent *src, const GstClComponent *dst);

/* --- arguments of operations: operation.c --------------------------------- */

/* Arguments and memory that all kernels of operations have. */

typedef struct {
  GstClArg args[24];
  guint n;
} GstClOperationArgs;

void gst_cl_operation_add (GstClOperationArgs *arguments, GstClArg arg);

/* Adds the location of the samples. */
void gst_cl_operation_add_samples (GstClOperationArgs *arguments,
    const GstClComponent *src);

/* Adds the frame and window of kernels with sliding windows. @row_length:
 * frame.z, elements in a row of scratch memory, 0 if there is none. */
void gst_cl_operation_add_window (GstClOperationArgs *arguments,
    const GstClLocalMeanProblem *problem, const GstClLocalMeanIo *io,
    gint row_length);

/* Adds RESULTS_ARGUMENTS of kernels/operation/cl_operation.clh: the results and
 * the factors of @io. */
void gst_cl_operation_add_results (GstClOperationArgs *arguments,
    const GstClLocalMeanProblem *problem, const GstClLocalMeanIo *io);

/* WOLF: the largest deviation and the smallest code of a frame, on the device.
 */
typedef struct _GstClOperationExtremes GstClOperationExtremes;

/* Creates the memory of the extremes. @clear and @find: the kernels that reset
 * the extremes before each frame, and that find them in it; transfer full. NULL
 * is a kernel that could not be built, with @error set. */
GstClOperationExtremes *gst_cl_operation_extremes_new (GstClContext *context,
    GstClKernel *clear, GstClKernel *find, GError **error);
void gst_cl_operation_extremes_free (GstClOperationExtremes *extremes);

/* Enqueues both kernels; only @find with @adds, which keeps the extremes of
 * earlier strips. @find runs with @x times @y work-items; its arguments are
 * @arguments, then the extremes. */
gboolean gst_cl_operation_extremes_find (GstClOperationExtremes *extremes,
    GstClOperationArgs arguments, gsize x, gsize y, gboolean adds,
    GError **error);
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

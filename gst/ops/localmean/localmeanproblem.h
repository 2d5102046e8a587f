/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstcldevice.h"
#include "cl/video/gstclcomponent.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* --- windows -------------------------------------------------------------- */

/* The samples beyond the frame's edge. */
typedef enum {
  GST_CL_BORDER_SHRINK,      /* the window is clipped to the frame */
  GST_CL_BORDER_VALID,       /* only whole windows have a result */
  GST_CL_BORDER_REPLICATE,   /* the nearest edge sample: aaa|abcd|ddd */
  GST_CL_BORDER_CONSTANT,    /* border_value */
  GST_CL_BORDER_REFLECT,     /* mirrored, edges too: cba|abcd|dcb */
  GST_CL_BORDER_REFLECT_101, /* mirrored at the edges: dcb|abcd|cba */
  GST_CL_BORDER_WRAP,        /* from the opposite side: bcd|abcd|abc */
} GstClBorder;

/* A window that slides over a plane; sizes are in samples of that plane. Result
 * (i, j) belongs to sample (i * step_x, j * step_y). Its window has
 * kernel_width x kernel_height samples and begins at that sample minus the
 * anchor. With VALID, the window begins at (i * step_x, j * step_y), and the
 * result belongs to that sample plus the anchor. */
typedef struct {
  gint kernel_width, kernel_height; /* at least 1; may exceed the plane, except
                                       with VALID */
  gint anchor_x, anchor_y;          /* any; 0 .. kernel size - 1 is inside */
  gint step_x, step_y;              /* at least 1 */
  GstClBorder border;
  guint border_value; /* code of every sample beyond the frame; CONSTANT */
} GstClWindow;

/* Returns the number of results along one axis of @size samples: ceil (size /
 * step), or with VALID (size - kernel) / step + 1, which is 0 if the plane is
 * smaller than the window. */
gint gst_cl_window_results (GstClBorder border, gint size, gint kernel,
    gint step);

/* Returns the value of BORDER for kernels: windows of VALID are never clipped,
 * and use the programs of SHRINK. */
gint gst_cl_window_border_of_kernels (GstClBorder border);

/* Returns TRUE if every window contains its own sample. */
gboolean gst_cl_window_has_inner_anchor (const GstClWindow *window);

/* Returns the number of samples of a whole window. */
guint64 gst_cl_window_samples (const GstClWindow *window);

/* Returns the code of samples beyond the frame for kernels: 0 except for
 * CONSTANT, since with the other borders there is no such sample, or it is one
 * of the frame. */
guint gst_cl_window_outside (const GstClWindow *window);

/* Returns the number of bytes, 4 or 8, that can store the sum of any window of
 * samples up to @max_sample exactly. The rounding division needs no more
 * (cl_exact.clh). */
guint gst_cl_window_sum_bytes (const GstClWindow *window, guint max_sample);

/* Returns the number of bytes that can store the sum of any window on a plane
 * of @width x @height samples: with SHRINK no window has more samples than the
 * plane. */
guint gst_cl_window_sum_bytes_within (const GstClWindow *window, gint width,
    gint height, guint max_sample);

/* --- problems ------------------------------------------------------------- */

/* The problem of local means and of operations on them. */

/* kernels/operation/cl_operation.clh defines the operations, with the same
 * numbers. Host and kernels compare these numbers: from STDDEV on, the mean of
 * the window is not yet the result; from MEAN_C on, results are those of
 * thresholds; from NIBLACK on, thresholds use the deviation and are rounded to
 * codes. */
typedef enum {
  GST_CL_LOCAL_MEAN_OPERATION_MEAN,
  GST_CL_LOCAL_MEAN_OPERATION_COPY, /* the sample that the result belongs to */
  GST_CL_LOCAL_MEAN_OPERATION_STDDEV,
  GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE,
  GST_CL_LOCAL_MEAN_OPERATION_NORMALIZE,
  GST_CL_LOCAL_MEAN_OPERATION_MEAN_C,
  GST_CL_LOCAL_MEAN_OPERATION_BRADLEY,
  GST_CL_LOCAL_MEAN_OPERATION_NIBLACK,
  GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA,
  GST_CL_LOCAL_MEAN_OPERATION_WOLF,
  GST_CL_LOCAL_MEAN_OPERATION_NICK,
} GstClLocalMeanOperation;

/* The factors of the operations, rounded to the units of
 * kernels/operation/cl_operation.clh. */
typedef struct {
  gdouble k;       /* weight: share of the mean (BRADLEY), of the deviation */
  gdouble r;       /* of SAUVOLA, in codes, above 0 */
  gdouble offset;  /* subtracted from each threshold, in codes */
  gdouble target;  /* of NORMALIZE: the new mean, in codes */
  gboolean invert; /* thresholds: 0 above */
} GstClLocalMeanFactors;

/* All members except the factors are constant after an instance is created. */
typedef struct {
  GstClLocalMeanOperation operation;
  GstClWindow window;
  GstClLocalMeanFactors factors;
  gint repeat;                 /* MEAN of samples: passes, at least 1 */
  gint width, height;          /* of the input component, in samples */
  GstClSampleType sample;      /* of input and output */
  gint src_pixel_stride_bytes; /* raw input only */
  gint dst_pixel_stride_bytes;

  /* TRUE: the input is an integral image with the properties below; FALSE:
   * samples */
  gboolean from_sums;
  GstClLayout layout;
  gint channels;
  guint sum_bytes; /* samples: least size of sums made from them, or 0 */

  gint n_result_rows; /* the first results of width x height samples, which
                         may be a strip of a frame; 0: all of them */
} GstClLocalMeanProblem;

/* WOLF needs the extremes of the whole frame before the first result. For
 * strips these are separate runs; from FIRST_EXTREMES on, a run has no
 * results. */
typedef enum {
  GST_CL_LOCAL_MEAN_RUN_ALL,            /* extremes, if needed, and results */
  GST_CL_LOCAL_MEAN_RUN_RESULTS,        /* results, with earlier extremes */
  GST_CL_LOCAL_MEAN_RUN_FIRST_EXTREMES, /* extremes of the first strip */
  GST_CL_LOCAL_MEAN_RUN_MORE_EXTREMES,  /* extremes of another strip */
} GstClLocalMeanRun;

/* A strip of a frame, for rows that compute from an integral image of it. */
typedef struct {
  gint first_row; /* the row of samples to which the first results belong */
  GstClLocalMeanRun run;
} GstClLocalMeanStrip;

/* The frames of one run. */
typedef struct {
  const GstClComponent *samples; /* NULL: from sums */

  /* from sums */
  const GstClSums *sums;
  const GstClSums *squares; /* NULL where the operation needs none; sums of 8
                               bytes in the layout of sums */
  gint channel;             /* of both */

  const GstClComponent *means; /* rounded, one per result, tightly packed: for
                                  operations on means */
  const GstClComponent *results;

  GstClLocalMeanStrip strip; /* zeros: the frame is in one piece */

  /* replace those of the problem, if describe() of the table returns the same
   * text for both; NULL: the problem's */
  const GstClLocalMeanFactors *factors;
} GstClLocalMeanIo;

/* Returns TRUE if all fields are equal. */
gboolean gst_cl_local_mean_problem_equal (const GstClLocalMeanProblem *a,
    const GstClLocalMeanProblem *b);

/* Returns the properties of the problem, except its factors, that can change
 * which implementation is the fastest, as text without brackets; operations
 * that take equally long have the same name. Transfer full. */
gchar *gst_cl_local_mean_problem_describe (const GstClLocalMeanProblem *self);

/* Returns the operation that represents all operations with the same kernels as
 * @operation, which take equally long: MEAN and COPY represent themselves,
 * DIFFERENCE operations on the rounded mean and the sample, SAUVOLA operations
 * on squares, and BRADLEY the others, on exact sums of windows. */
GstClLocalMeanOperation gst_cl_local_mean_typical_operation (
    GstClLocalMeanOperation operation);

/* Returns TRUE if @operation uses the standard deviation: with an integral
 * image it needs the sums of squares. */
gboolean gst_cl_local_mean_needs_squares (GstClLocalMeanOperation operation);

/* Returns the code of a sample with all bits of its depth set. */
guint gst_cl_local_mean_largest_code (const GstClLocalMeanProblem *self);

/* Returns the size of the sums from which windows are computed: those of the
 * input, or of the integral image that is made from samples. */
guint gst_cl_local_mean_sum_bytes (const GstClLocalMeanProblem *self);

/* Sets the number of columns and rows of results. */
void gst_cl_local_mean_result_size (const GstClLocalMeanProblem *self,
    gint *width, gint *height);

/* Further properties of a row of the table of local means:
 * GstClImplementation.data. */
typedef struct {
  /* The operations that it computes: bits 1 << typical operation. */
  guint operations;

  /* Whether it reads an integral image, else samples; a row with @means has the
   * input of that row. */
  gboolean from_sums;

  const gchar *kernel; /* if create() is shared by several rows, else NULL */

  /* Steps: a row for the rounded means, if they are needed, then a row for
   * means or for an integral image. NULL: there is one step. */
  const GstClImplementation *means, *then;
} GstClLocalMeanRow;

/* --- arguments of kernels ------------------------------------------------- */

/* Problems and integral images as arguments of kernels with windows. */

/* Returns the -D options of a component's samples and borders, for kernels that
 * are built for both. @sum_bytes: size of the sums from which windows are
 * computed. Transfer full. */
gchar *gst_cl_window_options (const GstClLocalMeanProblem *problem,
    guint sum_bytes);

/* Returns the -D options of plain kernels with windows: the C types, and the
 * border if gst_cl_device_prefers_constants(). Transfer full. */
gchar *gst_cl_window_plain_options (const GstClLocalMeanProblem *problem,
    guint sum_bytes, const GstClDevice *device);

/* Returns format.x y z w of plain kernels, which take as arguments what the
 * options above define for other kernels: samples from a result to the next,
 * unused bits below a code, largest code, border. */
cl_int4 gst_cl_window_format (const GstClLocalMeanProblem *problem);

/* Returns grid.x y z w of the kernels: columns and rows of results, steps. */
cl_int4 gst_cl_window_grid (const GstClLocalMeanProblem *problem);

/* Returns window.x y z w: size, and anchors of windows that start at the
 * result. @first_row: that of a strip, or 0. */
cl_int4 gst_cl_window_argument (const GstClWindow *window, gint first_row);

/* The sums of one channel in any layout: S(1, 1) and the following ones. */
typedef struct {
  gsize first_sum;  /* S(1, 1), in sums from the buffer's start */
  gsize first_word; /* S(1, 1), in words of four bytes from there */
  cl_int4 size; /* frame.x y z w: samples in each direction; sums from row to
                   row, and from one of the channel to the next */
} GstClWindowSums;

GstClWindowSums gst_cl_window_sums (const GstClSums *sums, gint channel);

/* Returns the number of work-items for @n_rows rows of results on a CPU, where
 * a row costs the same wherever a band begins. */
gsize gst_cl_window_bands (const GstClDevice *device, gint n_rows);

G_END_DECLS

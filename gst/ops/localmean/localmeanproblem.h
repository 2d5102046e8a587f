/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstcldevice.h"
#include "cl/video/gstclcomponent.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* --- windows -------------------------------------------------------------- */

/* What lies beyond the frame's edge. */
typedef enum {
  GST_CL_BORDER_SHRINK,      /* the window is clipped to the frame */
  GST_CL_BORDER_VALID,       /* only whole windows give a result */
  GST_CL_BORDER_REPLICATE,   /* the nearest edge sample: aaa|abcd|ddd */
  GST_CL_BORDER_CONSTANT,    /* border_value */
  GST_CL_BORDER_REFLECT,     /* mirrored, edges too: cba|abcd|dcb */
  GST_CL_BORDER_REFLECT_101, /* mirrored at the edges: dcb|abcd|cba */
  GST_CL_BORDER_WRAP,        /* from the other side: bcd|abcd|abc */
} GstClBorder;

/* A window that slides over a plane; counts in samples of that plane.
 * Result (i, j) belongs to sample (i * step_x, j * step_y) and covers
 * kernel_width x kernel_height samples from that sample minus the anchor on;
 * with VALID it covers them from (i * step_x, j * step_y) on, and belongs to
 * that plus the anchor. */
typedef struct {
  gint kernel_width, kernel_height; /* at least 1; may exceed the plane, but
                                       for VALID */
  gint anchor_x, anchor_y;          /* any; 0 .. kernel size - 1 lies within */
  gint step_x, step_y;              /* at least 1 */
  GstClBorder border;
  guint border_value; /* code of every sample beyond the frame; CONSTANT */
} GstClWindow;

/* Results along one axis of @size samples: ceil (size / step), or with VALID
 * (size - kernel) / step + 1, which is 0 where the window does not fit. */
gint gst_cl_window_results (GstClBorder border, gint size, gint kernel,
    gint step);

/* Value of BORDER for kernels: windows of VALID are never clipped, and share
 * the programs of SHRINK. */
gint gst_cl_window_border_of_kernels (GstClBorder border);

/* TRUE if every window has its own sample within. */
gboolean gst_cl_window_has_inner_anchor (const GstClWindow *window);

/* Samples of a whole window. */
guint64 gst_cl_window_samples (const GstClWindow *window);

/* The code of samples beyond the frame, as kernels take it: 0 but for CONSTANT,
 * since with the other borders there is none, or one of the frame. */
guint gst_cl_window_outside (const GstClWindow *window);

/* Bytes that hold the sum of any window of samples up to @max_sample exactly: 4
 * or 8. The division that rounds adds nothing to it (cl_exact.clh). */
guint gst_cl_window_sum_bytes (const GstClWindow *window, guint max_sample);

/* Bytes that hold the sum of any window on a plane of @width x @height samples:
 * with SHRINK no window has more samples than that. */
guint gst_cl_window_sum_bytes_within (const GstClWindow *window, gint width,
    gint height, guint max_sample);

/* --- problems ------------------------------------------------------------- */

/* The problem of local means and of operations that follow from them. */

/* kernels/operation/plain.cl says what each operation is, and has the same
 * numbers. Host and kernels compare by them: from STDDEV on a window's mean is
 * not the result yet, from MEAN_C on results are those of thresholds, from
 * NIBLACK on thresholds take the deviation and are rounded to codes. */
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

/* Numbers in the operations. They are rounded to what
 * kernels/operation/plain.cl counts in. */
typedef struct {
  gdouble k;       /* weight: share of the mean (BRADLEY), of the deviation */
  gdouble r;       /* of SAUVOLA, in codes, above 0 */
  gdouble offset;  /* taken off each threshold, in codes */
  gdouble target;  /* of NORMALIZE: what the mean becomes, in codes */
  gboolean invert; /* thresholds: 0 above */
} GstClLocalMeanFactors;

/* All of it but the factors is fixed when an instance is created. */
typedef struct {
  GstClLocalMeanOperation operation;
  GstClWindow window;
  GstClLocalMeanFactors factors;
  gint repeat;                 /* MEAN of samples: passes, at least 1 */
  gint width, height;          /* of the input component, in samples */
  GstClSampleType sample;      /* of input and output */
  gint src_pixel_stride_bytes; /* raw input only */
  gint dst_pixel_stride_bytes;

  /* TRUE: the input is an integral image that these describe, else samples */
  gboolean from_sums;
  GstClLayout layout;
  gint channels;
  guint sum_bytes;
} GstClLocalMeanProblem;

/* The frames of one run. */
typedef struct {
  const GstClComponent *samples; /* NULL: from sums */

  /* from sums */
  const GstClSums *sums;
  const GstClSums *squares; /* NULL where the operation needs none; sums of 8
                               bytes in the layout of sums */
  gint channel;             /* of both */

  const GstClComponent *means; /* rounded, one a result, tightly packed: where
                                  an operation goes on from them */
  const GstClComponent *results;

  /* replace those of the problem, if describe() of the table says the same of
   * both; NULL: the problem's */
  const GstClLocalMeanFactors *factors;
} GstClLocalMeanIo;

/* TRUE if all fields are equal. */
gboolean gst_cl_local_mean_problem_equal (const GstClLocalMeanProblem *a,
    const GstClLocalMeanProblem *b);

/* All of the problem but its factors that can change which implementation is
 * the fastest, in words without brackets; operations that take equally long
 * have one word. transfer full */
gchar *gst_cl_local_mean_problem_describe (const GstClLocalMeanProblem *self);

/* The operation that stands for all that share kernels with @operation, and so
 * take as long: MEAN and COPY for themselves, DIFFERENCE for what starts from
 * the rounded mean and the sample, SAUVOLA for what needs squares, and BRADLEY
 * for the others, which start from exact sums of windows. */
GstClLocalMeanOperation gst_cl_local_mean_typical_operation (
    GstClLocalMeanOperation operation);

/* TRUE if @operation takes the standard deviation: from an integral image it
 * needs the sums of squares. */
gboolean gst_cl_local_mean_needs_squares (GstClLocalMeanOperation operation);

/* The code of a sample with all bits of its depth set. */
guint gst_cl_local_mean_largest_code (const GstClLocalMeanProblem *self);

/* Size of the sums that windows are taken from: those of the input, or of the
 * integral image that is made of samples. */
guint gst_cl_local_mean_sum_bytes (const GstClLocalMeanProblem *self);

/* Columns and rows of results. */
void gst_cl_local_mean_result_size (const GstClLocalMeanProblem *self,
    gint *width, gint *height);

/* What a row of the table of local means says beside the rest:
 * GstClImplementation.data. */
typedef struct {
  /* The operations that it computes: bits 1 << typical operation. */
  guint operations;

  /* Whether it reads an integral image, else samples; a row with @means leaves
   * that to the latter. */
  gboolean from_sums;

  const gchar *kernel; /* where create() serves several rows, else NULL */

  /* Steps: a row for the rounded means, where they are needed, then what goes
   * on from them or from an integral image. NULL: there is one step. */
  const GstClImplementation *means, *then;
} GstClLocalMeanRow;

/* --- as kernels take them ------------------------------------------------- */

/* Problems and integral images in the terms of kernels that take windows. */

/* -D options of a component's samples and borders, for kernels that are built
 * for both. @sum_bytes: size of the sums that windows are taken from. transfer
 * full */
gchar *gst_cl_window_options (const GstClLocalMeanProblem *problem,
    guint sum_bytes);

/* -D options of plain kernels that take windows: the C types, and the border
 * where gst_cl_device_prefers_constants(). transfer full */
gchar *gst_cl_window_plain_options (const GstClLocalMeanProblem *problem,
    guint sum_bytes, const GstClDevice *device);

/* format.x y z w of plain kernels, for which the former are arguments: samples
 * from a result to the next, unused bits below a code, largest code, border. */
cl_int4 gst_cl_window_format (const GstClLocalMeanProblem *problem);

/* grid.x y z w of the kernels: columns and rows of results, steps. */
cl_int4 gst_cl_window_grid (const GstClLocalMeanProblem *problem);

/* window.x y z w: size, and anchors of windows that start at the result. */
cl_int4 gst_cl_window_argument (const GstClWindow *window);

/* Sums of one channel, whatever their layout: S(1, 1) and what follows it. */
typedef struct {
  gsize first_sum;  /* S(1, 1), in sums from the buffer's start */
  gsize first_word; /* S(1, 1), in words of four bytes from there */
  cl_int4 size; /* frame.x y z w: samples each way; sums from row to row, and
                       from one of the channel to the next */
} GstClWindowSums;

GstClWindowSums gst_cl_window_sums (const GstClSums *sums, gint channel);

/* Work-items that share @n_rows rows of results on a CPU, where a row costs the
 * same wherever a band begins. */
gsize gst_cl_window_bands (const GstClDevice *device, gint n_rows);

G_END_DECLS

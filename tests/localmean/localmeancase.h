/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"
#include "ops/localmean/localmean.h"

G_BEGIN_DECLS

/* Cases of test_localmean: the parameters of a run, and its expected
 * results. */

#define N_BORDERS (GST_CL_BORDER_WRAP + 1)

typedef struct {
  const GstClImplementation *row; /* its method and family select the
                                   * implementation */
  gboolean is_last;               /* the last of the candidates */
  guint bands_percent;            /* value 0 of tunings */
  guint strip_results;            /* value 1: GST_CL_LOCAL_MEAN_STRIP_RESULTS */
  GstClLocalMeanProblem problem;
  gint channel;              /* of an integral image */
  guint32 sample_mask;       /* mask of its random samples: 0xff or more */
  gint src_pad, dst_pad;     /* guard bytes of a row */
  gint src_guard, dst_guard; /* before and after all rows */
  FillType fill;
} MeanCase;

/* Form of the @n-th case of @row. The cases test every border, and every pair
 * of strides with one border. Rows for CPUs or GPUs compile one program per
 * form, about a second each with PoCL; therefore rows for CPUs use the two
 * common forms and one of the others, rows for GPUs one of each. */
typedef struct {
  GstClBorder border;
  gint src_pixel_stride, dst_pixel_stride;
} MeanForm;

MeanForm mean_case_form (const Harness *h, const GstClImplementation *row,
    guint n);

/* Returns a case of means with random window, strides and padding. */
MeanCase mean_case_random (Harness *h, const GstClImplementation *row,
    gint width, gint height);

/* Returns the first implementation of the row's method and family that supports
 * the problem, or a fallback if there is none; with is_last the last one. */
const GstClImplementation *mean_case_implementation (const MeanCase *c);

/* Returns an instance of mean_case_implementation() with the case's tuning.
 * NULL with @error. transfer full */
GstClLocalMeanOp *mean_case_op (const Harness *h, const MeanCase *c,
    GError **error);

/* Returns the nick of the operation, such as "mean"; static. */
const gchar *mean_case_operation (GstClLocalMeanOperation operation);

/* Returns mean_case_random() with the border and strides of mean_case_form()
 * for @n. */
MeanCase mean_case_of_form (Harness *h, const GstClImplementation *row,
    gint width, gint height, guint n);

/* Lets rows that make integral images compute @c in strips of some rows of
 * results. Limits the height of the window, so that there are several strips
 * unless the frame is low. */
void mean_case_use_strips (Harness *h, MeanCase *c);

/* Leaves out a random number of the last rows of results of every other case;
 * after its window is set. */
void mean_case_leave_out_rows (Harness *h, MeanCase *c);

/* Returns all parameters, for messages. transfer full. */
gchar *mean_case_describe (const MeanCase *c);

/* Returns a destination for the results, filled with random bytes, with guards
 * around it. transfer full. */
TestPlane *mean_case_results (Harness *h, const MeanCase *c);

/* Runs the op of the case on the samples of @src, and compares the results with
 * the reference, including guards and the bytes between samples. */
void mean_case_check_plane (Harness *h, const MeanCase *c,
    const TestPlane *src);

/* Does the same with a frame of the case's fill, or with the integral images of
 * random samples if problem.from_sums. */
void mean_case_check (Harness *h, const MeanCase *c);

/* Reads the device copy of @plane, which has the op's output, and compares it
 * with @results, a code for each sample. The host copy must have the bytes from
 * before the run. Returns FALSE, and the case fails, at a difference. */
gboolean mean_case_check_results (Harness *h, const MeanCase *c,
    TestPlane *plane, const guint16 *results);

/* Returns the samples of the first component, tightly packed. transfer full. */
guint32 *mean_case_samples (const TestPlane *plane);

/* Creates an integral image on the device as described by @c, with @guard_sums
 * random sums before it: channel c->channel has the sums of @samples, the
 * others are random. The caller releases the result's mem, which is NULL with
 * @error set. */
GstClSums mean_case_upload_sums (Harness *h, const MeanCase *c,
    const guint32 *samples, gint guard_sums, GError **error);

/* Creates an integral image of the squares of @samples on the device: sums of 8
 * bytes, after @guard_words words of 4 bytes. The caller releases the result's
 * mem, which is NULL with @error set. */
GstClSums mean_case_upload_squares (Harness *h, const MeanCase *c,
    const guint32 *samples, gint guard_words, GError **error);

G_END_DECLS

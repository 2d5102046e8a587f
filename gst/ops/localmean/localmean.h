/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "ops/implementation.h"
#include "ops/window/window.h"

G_BEGIN_DECLS

/* Means of a window around the samples of one component:
 * (sum + n / 2) / n, n being the samples of the window (SHRINK: those inside
 * the frame), in exact integers; and what follows from them. In the element's
 * terms and units: docs/cllocalmean.md. */

typedef enum {
  GST_CL_LOCAL_MEAN_METHOD_AUTO,
  GST_CL_LOCAL_MEAN_METHOD_DIRECT,     /* corners of an integral image, read
                                          straight from global memory */
  GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY, /* the four corner rows fetched into one
                                          local buffer, barrier-separated */
  GST_CL_LOCAL_MEAN_METHOD_SLIDING,    /* running sums; raw input only */
} GstClLocalMeanMethod;

/* kernels/operation/plain.cl says what each is; it has the same numbers. Host and kernels
 * compare by them: from STDDEV on a window's mean is not the result yet, from MEAN_C
 * on results are thresholds', from NIBLACK on those take the deviation and are
 * rounded to codes. */
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

/* Numbers in the operations; rounded to what kernels/operation/plain.cl counts in. */
typedef struct {
  gdouble k;       /* weight: share of the mean (BRADLEY), of the deviation */
  gdouble r;       /* of SAUVOLA, in codes, above 0 */
  gdouble offset;  /* taken off each threshold, in codes */
  gdouble target;  /* of NORMALIZE: what the mean becomes, in codes */
  gboolean invert; /* thresholds: 0 above */
} GstClLocalMeanFactors;

/* What an op instance is built for; all of it is fixed at construction. Another
 * window, operation or factors take no other kernels, so that the context has
 * them built already. */
typedef struct {
  GstClLocalMeanOperation operation;
  GstClWindow window;
  GstClLocalMeanFactors factors;
  gint repeat;                 /* MEAN of samples: passes, at least 1 */
  gint width, height;          /* of the input component, in samples */
  GstClSampleType sample;      /* of input and output */
  gint src_pixel_stride_bytes; /* raw input only */
  gint dst_pixel_stride_bytes;

  /* TRUE: the input is an integral image of this form, else raw samples */
  gboolean from_sums;
  GstClLayout layout;
  gint channels;
  guint sum_bytes;

  guint bands_percent;  /* speed alone: of sliding on a CPU, bands of rows in
                          hundredths of the usual ones; 0: those */
  gboolean means_first; /* speed alone: operations on the rounded mean by a
                           kernel of their own, where one could do all */
} GstClLocalMeanSpec;

/* TRUE if @operation takes the standard deviation: from an integral image it
 * needs the sums of squares. */
gboolean gst_cl_local_mean_needs_squares (GstClLocalMeanOperation operation);

typedef struct _GstClLocalMeanOp GstClLocalMeanOp;

/* The table of variants; *n_rows receives its length. */
const GstClImplementation *gst_cl_local_mean_variants (guint *n_rows);

/* FALSE for rows that take samples only, not integral images. */
gboolean gst_cl_local_mean_takes_sums (const GstClImplementation *variant);

/* The row that serves @method (AUTO: any) best on @device, for the input and
 * window of @spec. NULL if none does: SLIDING has no use for sums. */
const GstClImplementation *gst_cl_local_mean_choose (gint method,
    const GstClLocalMeanSpec *spec, const GstClDevice *device);

/* One of the ways that AUTO chooses from. */
typedef struct {
  const gchar *name;
  const GstClImplementation *variant;
  guint bands_percent;  /* as in the spec */
  gboolean means_first; /* likewise */
} GstClLocalMeanWay;

#define GST_CL_LOCAL_MEAN_MAX_WAYS 5

/* Those that come into question for @spec on @device, what choose() says first;
 * returns how many. */
guint gst_cl_local_mean_ways (const GstClDevice *device,
    const GstClLocalMeanSpec *spec,
    GstClLocalMeanWay ways[GST_CL_LOCAL_MEAN_MAX_WAYS]);

/* As choose(), but AUTO takes what is remembered to be the fastest, sets what of
 * @spec is for speed alone, and measures what is not remembered if @may_measure,
 * which takes a while (tune.h). */
const GstClImplementation *gst_cl_local_mean_choose_fastest (
    GstClContext *context, gint method, GstClLocalMeanSpec *spec,
    gboolean may_measure);

/* Makes the programs that a spec may need which differs from @spec in operation
 * and numbers, in the window but for its border, in nothing else: afterwards ops
 * of such specs take what is there. COPY is another matter than the rest: what it
 * needs, or takes its place for an integral image. Takes seconds where nothing is
 * kept on disk; ends early, after the program at hand, once the thread's current
 * GCancellable is cancelled. What cannot be made is told at INFO. Any thread. */
void gst_cl_local_mean_prebuild (GstClContext *context, gint method,
    const GstClLocalMeanSpec *spec);

/* Builds the kernels of @variant and allocates scratch (for raw input an
 * integral image of the component, wide enough for the window's sums).
 * COPY serves raw input only; from sums use MEAN with a 1 x 1 window. Copies,
 * and windows and operations that neither gst_cl_local_mean_sliding_takes() nor
 * gst_cl_operation_sliding_takes() does where @variant is for SLIDING, go the way
 * of DIRECT, as do operations that take more than the rounded mean. With
 * spec.repeat above 1 both pixel strides are the same, results as many as
 * samples. */
GstClLocalMeanOp *gst_cl_local_mean_op_new (GstClContext *context,
    const GstClImplementation *variant, const GstClLocalMeanSpec *spec,
    GError **error);
void gst_cl_local_mean_op_free (GstClLocalMeanOp *op);

/* Enqueues the means of @src into @dst, whose size is that of
 * gst_cl_window_results(). Only the samples of @dst are written, no byte
 * between or beside them. Waits for nothing and allocates nothing. */
gboolean gst_cl_local_mean_op_run (GstClLocalMeanOp *op,
    const GstClComponent *src, const GstClComponent *dst, GError **error);

/* The same from channel @channel of an integral image (spec.from_sums);
 * @squares: NULL where the operation needs none, else sums of 8 bytes in the
 * form of @src. Results above the largest code become that. */
gboolean gst_cl_local_mean_op_run_sums (GstClLocalMeanOp *op,
    const GstClSums *src, const GstClSums *squares, gint channel,
    const GstClComponent *dst, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalMeanOp, gst_cl_local_mean_op_free)

G_END_DECLS

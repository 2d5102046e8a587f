/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "ops/tieredop.h"

G_BEGIN_DECLS

/* Integral image (summed-area table) of 1 to 4 components of a frame. */

typedef enum {
  GST_CL_INTEGRAL_METHOD_AUTO,
  GST_CL_INTEGRAL_METHOD_MULTI_PASS,  /* rows, then columns, in few launches */
  GST_CL_INTEGRAL_METHOD_ASYNC_COPY,  /* strips through local memory by
                                        asynchronous copies and barriers */
  GST_CL_INTEGRAL_METHOD_SINGLE_PASS, /* one launch whose work-groups wait for
                                         each other, with a timeout */
} GstClIntegralMethod;

/* The kind of sums. */
typedef enum {
  GST_CL_INTEGRAL_SUM,     /* samples above and to the left */
  GST_CL_INTEGRAL_SQUARES, /* their squares; sums of 8 bytes only */
  GST_CL_INTEGRAL_TILTED,  /* samples above, within 45 degrees on each side:
                              sum (x, y) has all (i, j) with |i - x| <= y - j.
                              Exclusive layout: sum (x, y) is the inclusive sum
                              of (x - 1, y - 1), also for x = 0, so that column
                              0 is not zero */
} GstClIntegralKind;

/* The problem that an instance is built for; constant after construction. */
typedef struct {
  gint width, height;      /* of every component, in samples; at least 1 */
  gint channels;           /* components, 1 .. 4, interleaved in the output */
  gint pixel_stride_bytes; /* of every input component, 1 .. 4 samples */
  GstClSampleType sample;  /* of every input component */
  GstClLayout layout;
  guint sum_bytes;   /* 4: sums modulo 2^32; 8: exact */
  gboolean is_float; /* instead: float (4) or double (8), the nearest value to
                        the exact sum, ties to even */
  GstClIntegralKind kind;
  gboolean starts_at_word; /* sums of 8 bytes may start at any multiple of 4 */
} GstClIntegralProblem;

typedef struct _GstClIntegralOp GstClIntegralOp;

/* The implementations; problems are GstClIntegralProblem, io is
 * GstClIntegralIo. Methods are those of GstClIntegralMethod. */
extern const GstClOpTable gst_cl_integral_table;

/* A frame and its integral image. */
typedef struct {
  const GstClComponent *components; /* channels of them */
  const GstClSums *sums;
} GstClIntegralIo;

/* create() and free() of all rows. Creates a GstClIntegralOp of @candidate,
 * whose implementation supports @problem: builds the kernels and allocates the
 * scratch memory. NULL with @error; transfer full. */
gpointer gst_cl_integral_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
void gst_cl_integral_op_free (gpointer op);

/* Enqueues the integral of @components (as many as the problem has channels,
 * with its geometry; strides and offsets may change from frame to frame) into
 * @sums. Neither waits nor allocates. Not thread-safe. */
gboolean gst_cl_integral_op_run (GstClIntegralOp *op,
    const GstClComponent *components, const GstClSums *sums, GError **error);

extern const GstClTieredFuncs gst_cl_integral_tiered; /* problems as above */

/* Returns TRUE once the wait of a single pass has timed out; then this op, and
 * every later op of its context, uses two launches instead. The result is known
 * some frames after the frame in question; all frames are correct. */
gboolean gst_cl_integral_op_has_fallen_back (const GstClIntegralOp *op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClIntegralOp, gst_cl_integral_op_free)

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/pictureop.h"

G_BEGIN_DECLS

/* The differences between two pictures: their squares (mean squared error,
 * PSNR), their number, the greatest one, the first one. */

/* The numbers of a component, words of a result: cl_errors.clh. */
typedef struct {
  guint64 squares;     /* sum of squared differences */
  guint64 n_different; /* samples */
  guint64 max;         /* the greatest absolute difference */
  guint64 first;       /* index y * width + x of the first different sample in
                          row order; G_MAXUINT64: none */
} GstClErrors;

/* Bin i of a histogram counts the samples whose absolute difference is i, the
 * last bin also those of greater ones. */
#define GST_CL_ERRORS_N_BINS 256

/* The problem that an instance is built for. */
typedef struct {
  GstClPictureShape picture;
  gboolean has_histogram;
} GstClErrorsProblem;

/* The implementations; problems are GstClErrorsProblem, io is const
 * GstClPictureInput *, with a compared picture. Only the method AUTO has a
 * nick. */
extern const GstClOpTable gst_cl_errors_table;

/* Create and free a GstClPictureOp. */
extern const GstClTieredFuncs gst_cl_errors_tiered;

/* Returns the numbers of component @c from @words, the result of @op, and sets
 * *@histogram (may be NULL) to GST_CL_ERRORS_N_BINS counts, or to NULL if the
 * problem has none. Both are in @words. */
const GstClErrors *gst_cl_errors_get (const GstClPictureOp *op,
    gconstpointer words, guint c, const guint64 **histogram);

G_END_DECLS

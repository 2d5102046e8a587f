/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"
#include "ops/integral/integral.h"

G_BEGIN_DECLS

/* Returns the row of the op's table; aborts if there is none. */
const GstClImplementation *integral_row (const gchar *name);

#define INTEGRAL_CASE_PREFIX "integral/"

/* Returns the row in the name of the case. */
const GstClImplementation *integral_case_row (const Harness *h);

/* Returns an instance of @candidate; NULL, and the case fails, if it cannot be
 * created. */
GstClIntegralOp *integral_case_candidate (Harness *h,
    const GstClCandidate *candidate, const GstClIntegralProblem *problem);

/* Returns an instance of @row, or of the row that its method selects if @row
 * does not support @problem; NULL as above. */
GstClIntegralOp *integral_case_op (Harness *h, const GstClImplementation *row,
    const GstClIntegralProblem *problem);

/* A frame, its integral image on the device, and the reference. */
typedef struct {
  GstClIntegralProblem problem;
  TestPlane *planes[4]; /* only the first, unless planar */
  gint n_planes;
  GstClComponent components[4];
  const guint8 *bytes[4]; /* host copy of the memory of each component */

  GstClSums sums;
  gsize size_bytes; /* of the buffer, guards included */
  guint8 *want, *got;
} IntegralCase;

/* Creates buffers for @problem, components in a random order, with random
 * strides, offsets and guards. @is_planar: each component in a buffer of its
 * own, otherwise all in one pixel. */
void integral_case_init (Harness *h, IntegralCase *pair,
    const GstClIntegralProblem *problem, gboolean is_planar);
void integral_case_clear (IntegralCase *pair);

/* Sets new samples, and computes the reference's sums. */
void integral_case_fill (Harness *h, IntegralCase *pair, FillType fill);

/* Runs @op over guard bytes and reads its output. */
gboolean integral_case_run (Harness *h, IntegralCase *pair, GstClIntegralOp *op,
    GError **error);

/* Fills, runs and compares. */
void integral_case_check (Harness *h, IntegralCase *pair, GstClIntegralOp *op,
    FillType fill);

G_END_DECLS

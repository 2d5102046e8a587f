/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"
#include "ops/integral/integral.h"

G_BEGIN_DECLS

/* The row of the op's table; there must be one. */
const GstClImplementation *integral_row (const gchar *name);

#define INTEGRAL_CASE_PREFIX "integral/"

/* The row that the case is named after. */
const GstClImplementation *integral_case_row (const Harness *h);

/* An instance of @candidate; NULL, and the case fails, if it cannot be made. */
GstClIntegralOp *integral_case_candidate (Harness *h,
    const GstClCandidate *candidate, const GstClIntegralProblem *problem);

/* An instance of @row, or of what its method comes to where it does not support
 * @problem; NULL likewise. */
GstClIntegralOp *integral_case_op (Harness *h, const GstClImplementation *row,
    const GstClIntegralProblem *problem);

/* A frame, its integral image on the device, and what that should hold. */
typedef struct {
  GstClIntegralProblem problem;
  TestPlane *planes[4]; /* the first alone, unless planar */
  gint n_planes;
  GstClComponent components[4];
  const guint8 *bytes[4]; /* host copy behind each component */

  GstClSums sums;
  gsize size_bytes; /* of the buffer, guards included */
  guint8 *want, *got;
} IntegralCase;

/* Buffers for @problem, components in a random order, with random strides,
 * offsets and guards. @is_planar: each component in a buffer of its own, else
 * all within one pixel. */
void integral_case_init (Harness *h, IntegralCase *pair,
    const GstClIntegralProblem *problem, gboolean is_planar);
void integral_case_clear (IntegralCase *pair);

/* New samples, and the reference's sums of them. */
void integral_case_fill (Harness *h, IntegralCase *pair, FillType fill);

/* Runs @op over guard bytes and fetches what it wrote. */
gboolean integral_case_run (Harness *h, IntegralCase *pair, GstClIntegralOp *op,
    GError **error);

/* Fills, runs and compares. */
void integral_case_check (Harness *h, IntegralCase *pair, GstClIntegralOp *op,
    FillType fill);

G_END_DECLS

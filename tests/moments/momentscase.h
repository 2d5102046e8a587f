/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"
#include "harness/testframe.h"
#include "statistics/moments/moments.h"

G_BEGIN_DECLS

/* Returns the problem of frames like @frame. */
GstClMomentsProblem moments_case_problem (const TestFrame *frame);

/* Returns an instance of @candidate for frames like @frame; NULL, and the case
 * fails, if it cannot be created. */
GstClMomentsOp *moments_case_op (Harness *h, const GstClCandidate *candidate,
    const TestFrame *frame);

/* Compares @results, one for each component, with the reference; @what names
 * the case. */
void moments_case_compare (Harness *h, const TestFrame *frame,
    const gchar *what, const GstClMoments *results);

/* Runs @op over @frame and compares each component; @what names the case. */
void moments_case_check (Harness *h, GstClMomentsOp *op, const TestFrame *frame,
    const gchar *what);

G_END_DECLS

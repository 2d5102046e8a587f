/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "localmean/localmeanreference.h"
#include "ops/localmean/localmean.h"

G_BEGIN_DECLS

/* Scalar reference of the operations of gst/ops/localmean/localmean.h other
 * than COPY, by docs/cllocalmean.md: returns the results of samples of
 * problem->width x problem->height codes. transfer full. */
guint16 *ref_local_op (const guint32 *samples,
    const GstClLocalMeanProblem *problem);

/* Returns the standard deviation that the operations use, in 1/256 of a
 * code. */
guint ref_local_op_deviation (const RefMoments *moments);

G_END_DECLS

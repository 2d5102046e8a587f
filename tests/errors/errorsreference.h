/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/compare/errors.h"

G_BEGIN_DECLS

/* Sets @errors and @histogram to the numbers of the differences between the
 * samples of @a and those of @b, sample by sample. @a_bytes, @b_bytes: host
 * copies of their memories; their cl_mem is not used. */
void ref_errors (const guint8 *a_bytes, const GstClComponent *a,
    const guint8 *b_bytes, const GstClComponent *b, GstClErrors *errors,
    guint64 histogram[GST_CL_ERRORS_N_BINS]);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/integral/integral.h"

G_BEGIN_DECLS

/* Bytes of the integral image that @problem describes. */
gsize ref_integral_size_bytes (const GstClIntegralProblem *problem);

/* The integral image of one channel, of the problem's kind, into its place
 * among the interleaved @sums. @bytes is the memory that @component lies in. */
void ref_integral (const GstClIntegralProblem *problem, gint channel,
    const guint8 *bytes, const GstClComponent *component, guint8 *sums);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/integral/integral.h"

G_BEGIN_DECLS

/* Returns the bytes of the integral image of @problem. */
gsize ref_integral_size_bytes (const GstClIntegralProblem *problem);

/* Writes the integral image of one channel, of the problem's type, to its place
 * among the interleaved @sums. @bytes: the memory of @component. */
void ref_integral (const GstClIntegralProblem *problem, gint channel,
    const guint8 *bytes, const GstClComponent *component, guint8 *sums);

G_END_DECLS

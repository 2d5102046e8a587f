/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/light/light.h"

G_BEGIN_DECLS

/* Measures a picture of @problem, pixel by pixel, and sets @counts, which
 * borrows @histogram, of 2^depth words. @bytes: host copies of the memory of
 * the components; their cl_mem is not used. */
void ref_light (const GstClLightProblem *problem, const guint8 *const *bytes,
    const GstClPictureInput *input, guint32 *histogram,
    GstClLightCounts *counts);

G_END_DECLS

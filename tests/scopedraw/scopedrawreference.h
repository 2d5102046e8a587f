/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/scopes/scopedraw.h"

G_BEGIN_DECLS

/* The memory of a frame, in host memory. */
typedef struct {
  const guint8 *bytes[GST_CL_PIXEL_COMPONENTS]; /* of the components */
  const guint32 *counts[GST_CL_SCOPE_DRAW_MAX_COUNTS];
  const guint32 *graticule, *zones;
  GHashTable *peaks; /* from a place in a trace to its peak; empty at first */
  guint8 *planes[GST_CL_SCOPE_DRAW_MAX_PLANES]; /* at offset 0 of the input's
                                                   memory */
} RefScopeMemory;

/* Draws a frame of @problem, pixel by pixel. Memory of @input is not used. */
void ref_scope_draw (const GstClScopeDrawProblem *problem,
    const GstClScopeDrawInput *input, const RefScopeMemory *memory);

G_END_DECLS

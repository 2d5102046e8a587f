/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/packing/packing.h"

G_BEGIN_DECLS

/* The position of a plane of a packed frame in its bytes. */
typedef struct {
  gsize offset_bytes;
  gint stride_bytes;
} RefPackedPlane;

/* Copies the components of @problem between @packed, a frame with @planes, and
 * @components, bit by bit. Unpacking writes the samples only; packing writes
 * the rows of the planes. */
void ref_packing (const GstClPackingProblem *problem,
    const RefPackedPlane *planes, guint8 *packed, guint8 *components);

G_END_DECLS

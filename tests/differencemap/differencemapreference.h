/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/compare/differencemap.h"

G_BEGIN_DECLS

/* Writes the differences of @a and @b to @map_bytes, at the offset and stride
 * of @map. @a_bytes, @b_bytes, @map_bytes: host copies of their memories; their
 * cl_mem is not used. */
void ref_difference_map (const guint8 *a_bytes, const GstClComponent *a,
    const guint8 *b_bytes, const GstClComponent *b, guint gain,
    guint8 *map_bytes, const GstClComponent *map);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness.h"
#include "ops/variant.h"

G_BEGIN_DECLS

/* Speed of figures: by what is asked for, bits of a sample, size of the frame,
 * number of regions, and what the frame shows; of the plain row 1080p alone. */
void figures_bench_row (Harness *h, const GstClOpVariant *row);

/* What peers have calls for, on frames like theirs, by the row that elements
 * take. */
void figures_bench_beside_peers (Harness *h);

G_END_DECLS

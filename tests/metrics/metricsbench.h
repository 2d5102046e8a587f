/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* Speed of metrics: by what is asked for, bits of a sample, size of the frame,
 * number of regions, and what the frame shows; of the plain row 1080p alone. */
void metrics_bench_row (Harness *h, const GstClImplementation *row);

/* What peers have calls for, on frames like theirs, by the row that elements
 * take. */
void metrics_bench_beside_peers (Harness *h);

G_END_DECLS

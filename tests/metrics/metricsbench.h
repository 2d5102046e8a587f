/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* Timing of metrics: by metrics, bits of a sample, size of the frame, number of
 * regions, and contents of the frame; for the plain row only at 1080p. */
void metrics_bench_row (Harness *h, const GstClImplementation *row);

/* Metrics that peers have functions for, on the same frames, with the row that
 * elements select. */
void metrics_bench_beside_peers (Harness *h);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"

G_BEGIN_DECLS

/* Benchmarks of the row in the name of the case. */
void integral_bench_row (Harness *h);
void integral_bench_tilted (Harness *h); /* of the row for tilted sums */

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"

G_BEGIN_DECLS

/* Timing of the operations, with the row that `auto` selects unless the name
 * has another; independent of the name of the case. */
void bench_operations (Harness *h); /* on samples of 8 bits */
void bench_windows (Harness *h);    /* one on means only, one also on squares */
void bench_depths (Harness *h);     /* of 8, 10 and 16 */
void bench_direct_operations (Harness *h);  /* with method=direct */
void bench_operations_on_sums (Harness *h); /* of 4 and 8 bytes, and squares */

G_END_DECLS

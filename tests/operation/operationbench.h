/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"

G_BEGIN_DECLS

/* Speed of the operations, as `auto` goes but where a name says otherwise,
 * whatever the case is called. */
void bench_operations (Harness *h); /* on samples of 8 bits */
void bench_windows (Harness *h);    /* one of means alone, one of squares too */
void bench_depths (Harness *h);     /* of 8, 10 and 16 */
void bench_direct_operations (Harness *h);  /* by method=direct */
void bench_operations_on_sums (Harness *h); /* of 4 and 8 bytes, and squares */

G_END_DECLS

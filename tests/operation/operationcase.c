/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of operations, compared with floating point. */

#include "operationcase.h"

#include <math.h>

#include "operationreference.h"

void
local_op_check_reference (Harness *h)
{
  for (guint i = 0; i < 20000 && h->n_failed == 0; i++) {
    const guint depth = 8 + i % 9;
    RefMoments m = { .n = g_rand_int_range (h->rand, 1, 300) };
    gdouble mean, variance = 0;
    guint codes[300], got;

    for (guint k = 0; k < m.n; k++) {
      codes[k] = g_rand_int (h->rand) >> (32 - depth);
      if (i % 3 == 0)
        codes[k] &= 1;
      m.sum += codes[k];
      m.squares += (guint64) codes[k] * codes[k];
    }
    mean = (gdouble) m.sum / (gdouble) m.n;
    for (guint k = 0; k < m.n; k++)
      variance += (codes[k] - mean) * (codes[k] - mean) / (gdouble) m.n;

    got = ref_local_op_deviation (&m);
    if (fabs (256 * sqrt (variance) - got) > 1.001)
      harness_fail (h, NULL,
          "deviation of %" G_GUINT64_FORMAT
          " codes in 1/256: expected %f, found %u",
          m.n, 256 * sqrt (variance), got);
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of errors, in the simplest code. */

#include "errorsreference.h"

#include "harness/harness.h"

void
ref_errors (const guint8 *a_bytes, const GstClComponent *a,
    const guint8 *b_bytes, const GstClComponent *b, GstClErrors *errors,
    guint64 histogram[GST_CL_ERRORS_N_BINS])
{
  *errors = (GstClErrors){ .first = G_MAXUINT64 };
  memset (histogram, 0, GST_CL_ERRORS_N_BINS * sizeof *histogram);

  for (gint y = 0; y < a->height; y++) {
    for (gint x = 0; x < a->width; x++) {
      const gint64 difference = (gint64) test_code_at (a_bytes, a, x, y) -
                                test_code_at (b_bytes, b, x, y);
      const guint64 size = (guint64) ABS (difference);

      errors->squares += size * size;
      errors->n_different += size > 0;
      errors->max = MAX (errors->max, size);
      if (size > 0 && errors->first == G_MAXUINT64)
        errors->first = (guint64) y * (guint64) a->width + (guint64) x;
      histogram[MIN (size, GST_CL_ERRORS_N_BINS - 1)]++;
    }
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The quality of a picture: noise (J. Immerkaer, "Fast noise variance
 * estimation", Computer Vision and Image Understanding 64(2), 1996), and
 * blockiness as FFmpeg's blockdetect computes it (R. Muijs and I. Kirenko, "A
 * no-reference blocking artifact measure for adaptive video processing",
 * EUSIPCO 2005). */

#include "gstclquality.h"

#include <math.h>

/* --- noise ---------------------------------------------------------------- */

gdouble
gst_cl_noise_deviation (gdouble sum, guint64 count)
{
  /* the weights of the nine samples are the square root of 36 = 6 long */
  return count > 0 ? sqrt (G_PI_2) * sum / (6.0 * count) : 0.0;
}

/* --- blockiness ----------------------------------------------------------- */

#define FIRST_PERIOD 3
#define LAST_PERIOD  24
#define FIRST        3 /* the first step with a ratio */
#define LAST         4 /* behind the last one */

/* Returns how much greater the sums at the last line of each period are than
 * others, of the period where that is most. An edge may be a line beside, where
 * a picture was scaled. */
static gdouble
compare_periods (const guint64 *sums, guint n)
{
  gdouble most = 0.0, total = 0.0;

  if (n < FIRST + LAST + 1)
    return 0.0;
  for (guint i = FIRST; i < n - LAST; i++)
    total += sums[i];

  for (guint period = FIRST_PERIOD; period <= LAST_PERIOD; period++) {
    gdouble edges = 0.0, of_edges = 0.0;
    guint n_edges = 0;
    const guint first = FIRST + (period - 1 + period - FIRST % period) % period;
    const guint n_all = n - FIRST - LAST;

    for (guint i = first; i < n - LAST; i += period) {
      edges += MAX (MAX (sums[i - 1], sums[i]), sums[i + 1]);
      of_edges += sums[i];
      n_edges++;
    }
    if (n_edges == 0 || n_edges == n_all || total <= of_edges)
      continue;
    most = MAX (most,
        edges / n_edges / ((total - of_edges) / (n_all - n_edges)));
  }

  return most;
}

gdouble
gst_cl_blockiness (const guint64 *columns, guint n_columns, const guint64 *rows,
    guint n_rows)
{
  return MAX (compare_periods (columns, n_columns),
      compare_periods (rows, n_rows));
}

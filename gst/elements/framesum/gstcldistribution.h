/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What follows from a histogram: @counts[code] samples have the code, @n_codes
 * of them. Percentiles and linear means are those of FFmpeg's vf_signalstats.
 */

/* Returns the number of samples. */
guint64 gst_cl_distribution_count (const guint32 *counts, guint n_codes);

/* Returns the code of the @rank-th sample, from 1, of all in order; 0 for rank
 * 0 or where there is no sample. */
guint gst_cl_distribution_at (const guint32 *counts, guint n_codes,
    guint64 rank);

/* Returns the rank of the percentile @percent of @count samples, halves rounded
 * to the even number. It is 0 for very few samples, of which vf_signalstats
 * takes code 0. */
guint64 gst_cl_distribution_rank (guint64 count, guint percent);

/* Returns the rank of the median: the upper one of two. */
guint64 gst_cl_distribution_middle (guint64 count);

/* Least and greatest code that occurs, and the mean of all; 0 where there is no
 * sample. */
void gst_cl_distribution_range (const guint32 *counts, guint n_codes,
    guint *min, guint *max);
gdouble gst_cl_distribution_mean (const guint32 *counts, guint n_codes);

/* Returns Shannon's entropy in bits: 0 .. log2 (n_codes). */
gdouble gst_cl_distribution_entropy (const guint32 *counts, guint n_codes);

/* Folds the histogram: @bins[b], @n_bins of them, counts the codes with floor
 * (code * n_bins / n_codes) = b. */
void gst_cl_distribution_fold (const guint32 *counts, guint n_codes,
    guint64 *bins, guint n_bins);

/* Hues on the circle, in degrees. */
typedef struct {
  gdouble mean;          /* direction of the mean of unit vectors, [0, 360) */
  gdouble concentration; /* its length: 1: one hue, 0: none prevails */
  guint median;          /* on the circle cut open opposite of the mean */
} GstClHues;

/* Returns what follows from @counts[d] samples with hues of [d, d + 1) degrees;
 * all 0 where there is none. */
GstClHues gst_cl_distribution_hues (const guint32 counts[360]);

G_END_DECLS

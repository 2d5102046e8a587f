/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Functions of a histogram: @counts[code], of @n_codes, is the number of
 * samples with this code. Percentiles and linear means are those of FFmpeg's
 * vf_signalstats. */

/* Returns the number of samples. */
guint64 gst_cl_distribution_count (const guint32 *counts, guint n_codes);

/* Returns the code of the sample with @rank, from 1, in sorted order; 0 for
 * rank 0 or without samples. */
guint gst_cl_distribution_at (const guint32 *counts, guint n_codes,
    guint64 rank);

/* Returns the rank of the percentile @percent of @count samples, rounded half
 * to even. For very few samples the rank is 0, for which vf_signalstats uses
 * code 0. */
guint64 gst_cl_distribution_rank (guint64 count, guint percent);

/* Returns the rank of the median; of two middle samples, the upper one. */
guint64 gst_cl_distribution_middle (guint64 count);

/* Compute the least and greatest code that occurs, and the mean; 0 without
 * samples. */
void gst_cl_distribution_range (const guint32 *counts, guint n_codes,
    guint *min, guint *max);
gdouble gst_cl_distribution_mean (const guint32 *counts, guint n_codes);

/* Returns the Shannon entropy in bits: 0 .. log2 (n_codes). */
gdouble gst_cl_distribution_entropy (const guint32 *counts, guint n_codes);

/* Returns the count of bin @bin of a histogram of @n_bins bins: of the codes
 * with floor (code * n_bins / n_codes) = bin. */
guint64 gst_cl_distribution_bin (const guint32 *counts, guint n_codes,
    guint bin, guint n_bins);

/* Sets @bins to the @n_bins counts of gst_cl_distribution_bin(). */
void gst_cl_distribution_fold (const guint32 *counts, guint n_codes,
    guint32 *bins, guint n_bins);

/* Hues on the circle, in degrees. */
typedef struct {
  gdouble mean;          /* direction of the mean of unit vectors, [0, 360) */
  gdouble concentration; /* its length: 1: one hue, 0: all hues */
  guint median;          /* on the circle, cut opposite the mean */
} GstClHues;

/* Returns the hues of a histogram: @counts[d] samples have hues of [d, d + 1)
 * degrees. All 0 without samples. */
GstClHues gst_cl_distribution_hues (const guint32 counts[360]);

G_END_DECLS

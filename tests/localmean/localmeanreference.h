/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/localmean/localmeanproblem.h"

G_BEGIN_DECLS

/* Scalar references of gst/ops/localmean/localmean.h. @samples: width * height
 * of one component, tightly packed; they may exceed the codes of results. */

/* Returns the number of results along both axes, counted one by one. */
void ref_local_mean_size (gint width, gint height, const GstClWindow *window,
    gint *results_width, gint *results_height);

/* Returns the sum of the samples of a window that count. */
typedef struct {
  guint64 sum, squares, n;
} RefMoments;

/* Returns the moments of the window of result (@i, @j), by a loop over its
 * samples. */
void ref_local_mean_moments (const guint32 *samples, gint width, gint height,
    const GstClWindow *window, gint i, gint j, RefMoments *moments);

/* The definition: a loop over every window. @sum_bytes 4: window sums are
 * modulo 2^32; 8: exact. Means above @max_code are cut to it. transfer full. */
guint16 *ref_local_mean (const guint32 *samples, gint width, gint height,
    const GstClWindow *window, guint sum_bytes, guint max_code);

/* The mean from 64-bit sums over the frame and its surroundings: for windows
 * that are too slow for the loop. */
guint16 *ref_local_mean_fast (const guint32 *samples, gint width, gint height,
    const GstClWindow *window, guint sum_bytes, guint max_code);

/* Returns the sample of each result. */
guint16 *ref_local_mean_copy (const guint32 *samples, gint width, gint height,
    const GstClWindow *window);

G_END_DECLS

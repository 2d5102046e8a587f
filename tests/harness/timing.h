/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* How long something takes on a device, by the host's clock or the device's:
 * medians of many runs. */

/* Microseconds: median and the range that holds four fifths of the samples. */
typedef struct {
  gdouble median, low, high;
} Spread;

/* Enqueues one run on the compute queue; does not wait. */
typedef gboolean (*TimingRun) (gpointer user_data, GError **error);

/* Times @run after warm-up. In a context that does not profile, runs are
 * enqueued back to back and the host's clock is read around several of them:
 * *@spread is that of a run's share. In one that profiles it is the device's
 * own time of single runs. At least 50 runs (200 where a run is short), fewer
 * where those would take longer than @allowed_us, but at least five: one that
 * takes long exceeds it. FALSE with @error, where a run or the device fails. */
gboolean timing_measure (GstClContext *context, TimingRun run,
    gpointer user_data, gint64 allowed_us, Spread *spread, GError **error);

/* Waits, then returns the sum of the device times of all launches in a context
 * that profiles since the last call, in nanoseconds; 0 in others. */
guint64 timing_take_profile_ns (GstClContext *context);

/* Median, 10th and 90th percentile of @samples, gdouble elements, which it
 * sorts; zeros where there are none. */
Spread timing_spread (GArray *samples);

G_END_DECLS

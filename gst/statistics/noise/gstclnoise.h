/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the standard deviation of the noise in codes, from the sum over
 * @count samples that kernels/metrics/cl_metricnoise.clh defines; 0 if @count
 * is 0. */
gdouble gst_cl_noise_deviation (gdouble sum, guint64 count);

G_END_DECLS

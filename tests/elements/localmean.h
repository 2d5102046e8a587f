/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "common.h"

G_BEGIN_DECLS

/* Frames through the one cllocalmean of a harness, compared with the reference
 * for its current properties. */

/* Sets properties, "name=value" each, with the syntax of gst-launch. */
void local_mean_set (GstHarness *h, const gchar *text);

/* Pushes a random frame of the current caps, and compares. */
void local_mean_push (GstHarness *h, const GstVideoInfo *info, guint seed);

/* Runs frames of these caps, and compares them with the reference. */
void local_mean_run (GstHarness *h, GstVideoFormat format, gint width,
    gint height);

/* Runs a frame of @format through clintegral and cllocalmean, whose output
 * format is @out, and compares: component i of the output has the means of
 * component i of the frame, for i < @n_components. */
void local_mean_run_integral (GstHarness *h, GstVideoFormat format,
    GstVideoFormat out, guint n_components);

G_END_DECLS

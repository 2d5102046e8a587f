/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "elements/frames.h"

G_BEGIN_DECLS

/* Streams of frames in CUDA memory, with a mock CUDA. */

#define CUDA_FEATURE "memory:CUDAMemory"

/* Sets the caps of the next buffers: raw frames of this format and size, 25
 * frames a second, with @feature; NULL: none. *info receives the format. */
void cuda_set_caps (GstHarness *h, const gchar *feature, GstVideoInfo *info,
    GstVideoFormat format, gint width, gint height);

/* Creates a harness around @description with caps as in cuda_set_caps();
 * downstream supports GstVideoMeta. transfer full, harness_free() */
GstHarness *cuda_harness_new (const gchar *description, const gchar *feature,
    GstVideoInfo *info, GstVideoFormat format, gint width, gint height);

/* Pushes @frame, in CUDA memory of @context if that is not NULL, to clframesum;
 * returns the statistics as text. g_free() */
gchar *cuda_measure (GstHarness *h, GstBuffer *frame, GstObject *context);

#define CUDA_N_FRAMES 8 /* more than are in flight */

/* Checks that CUDA_N_FRAMES frames have the same statistics in CUDA memory of
 * @context as in system memory. Returns the harness with CUDA memory, transfer
 * full. */
GstHarness *cuda_expect_same_statistics (GstObject *context,
    GstVideoFormat format, gint width, gint height, FrameLayout layout);

/* Returns whether the sink pad of @h offers CUDA memory. */
gboolean cuda_is_offered (GstHarness *h);

G_END_DECLS

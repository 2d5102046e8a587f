/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

/* Contexts that represent: a downstream whose pool has other memory than its
 * caps; a downstream that is flushing when it is queried; a downstream without
 * a pool that answers context queries with the fixture's context. The last one
 * proposes a size and a number of buffers all the same, unless there is a queue
 * before it. */
#define EXPORT_OTHER_MEMORY ((GstObject *) 1)
#define EXPORT_FLUSHING     ((GstObject *) 2)
#define EXPORT_NO_POOL      ((GstObject *) 3)

/* Frames of *info enter @description in system memory, or in CUDA memory
 * (@in_cuda). Downstream accepts the caps @taken, and has a pool of CUDA memory
 * of @context; NULL: no pool. */
GstHarness *export_harness_new_taking (const gchar *description,
    gboolean in_cuda, const gchar *taken, GstObject *context,
    GstVideoInfo *info, GstVideoFormat format, gint width, gint height);

/* Frames leave in CUDA memory of @context. */
GstHarness *export_harness_new (const gchar *description, gboolean in_cuda,
    GstObject *context, GstVideoInfo *info, GstVideoFormat format, gint width,
    gint height);

/* Creates such a harness for small frames, which @description uploads; *frame
 * receives one, transfer full. */
GstHarness *export_harness_new_small_of (const gchar *description,
    GstObject *context, GstBuffer **frame);
GstHarness *export_harness_new_small (GstObject *context, GstBuffer **frame);

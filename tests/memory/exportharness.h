/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

/* Values of @context for other kinds of downstream. */

/* The pool has another kind of memory than the caps. */
#define EXPORT_OTHER_MEMORY ((GstObject *) 1)
/* Downstream is flushing when it is queried. */
#define EXPORT_FLUSHING     ((GstObject *) 2)
/* There is no pool, but context queries are answered with the fixture's
 * context. Unless @description has a queue, the ALLOCATION query proposes a
 * size and a number of buffers. */
#define EXPORT_NO_POOL      ((GstObject *) 3)

/* Creates a harness around @description. Its input is in system memory, or in
 * CUDA memory (@in_cuda); *info receives its format. Downstream accepts the
 * caps @out_caps, and has a pool of CUDA memory of @context; NULL: no pool.
 * transfer full, harness_free() */
GstHarness *export_harness_new_with_caps (const gchar *description,
    gboolean in_cuda, const gchar *out_caps, GstObject *context,
    GstVideoInfo *info, GstVideoFormat format, gint width, gint height);

/* Calls export_harness_new_with_caps(); downstream accepts CUDA memory only. */
GstHarness *export_harness_new (const gchar *description, gboolean in_cuda,
    GstObject *context, GstVideoInfo *info, GstVideoFormat format, gint width,
    gint height);

/* Calls export_harness_new() for small frames in system memory; *frame receives
 * a frame, transfer full. */
GstHarness *export_harness_new_small_of (const gchar *description,
    GstObject *context, GstBuffer **frame);
GstHarness *export_harness_new_small (GstObject *context, GstBuffer **frame);

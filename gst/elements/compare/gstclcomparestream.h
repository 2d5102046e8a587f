/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclinflight.h"
#include "gstclcomparepublisher.h"
#include "gstclcomparesettings.h"

G_BEGIN_DECLS

/* One stream that is compared: its ops, its events and its pooled results.
 * Streaming thread. */
typedef struct _GstClCompareStream GstClCompareStream;

/* @name: of the pad. @publisher is borrowed. transfer full */
GstClCompareStream *gst_cl_compare_stream_new (const gchar *name,
    GstClComparePublisher *publisher);
void gst_cl_compare_stream_free (GstClCompareStream *self); /* accepts NULL */

/* Creates the ops for frames of @info at its frame rate, unless they are the
 * same. Pooled results of frames of another shape are published. FALSE with
 * @error. */
gboolean gst_cl_compare_stream_configure (GstClCompareStream *self,
    GstClContext *context, const GstVideoInfo *info,
    const GstClCompareSettings *settings, GError **error);

/* Enqueues the kernels of a pair, and the reads of their results. Regions of
 * interest are those of @rois; NULL: none. */
gboolean gst_cl_compare_stream_run (GstClCompareStream *self,
    const GstClFrame *reference, const GstClFrame *compared, GstBuffer *rois,
    GError **error);

/* Waits for the results of the pair, and publishes them and the events that
 * they begin or end. Returns the structure of the pair, also for metas; NULL
 * with @error, or without after the publisher has posted one. transfer full */
GstStructure *gst_cl_compare_stream_finish (GstClCompareStream *self,
    const GstClCompareSettings *settings, const GstClFrameTime *time,
    const GstClFrameTime *compared_time, GError **error);

/* Counts a frame without a partner: one of the reference at @time
 * (@is_reference), or one of this stream. Publishes the event `unpaired`. */
gboolean gst_cl_compare_stream_add_unpaired (GstClCompareStream *self,
    const GstClFrameTime *time, gboolean is_reference);

/* Ends the stream: publishes the ends of events and the pooled results, if
 * there was a frame since the last end. Not @is_complete: it stopped without
 * EOS. */
gboolean gst_cl_compare_stream_end (GstClCompareStream *self,
    gboolean is_complete);

/* Discards all results; the next pair begins anew. */
void gst_cl_compare_stream_reset (GstClCompareStream *self);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "cl/context/gstclcontext.h"
#include "gstclinflight.h"

G_BEGIN_DECLS

/* State of a filter that works in place: its output buffers are its input
 * buffers. There is one exception: on a discrete device, if the neighbouring
 * element prefers device memory (gst_cl_caps_uploading()), the filter uploads a
 * frame in system memory, processes the copy and outputs it. Part of
 * GstClBaseFilter. */
typedef struct {
  /*< private >*/
  gint passes, uploads;        /* atomic */
  gint n_held, n_requested;    /* atomic */
  GstClockTime frame_duration; /* NONE: unknown; object lock of the element */
  GstVideoInfo video;          /* streaming thread; for uploads */
} GstClInPlace;

/* Sets whether buffers pass without being written to. The setting applies from
 * the next gst_cl_in_place_apply(), which runs between two frames in the
 * streaming thread; it has no effect while frames are uploaded. Any thread. */
void gst_cl_in_place_set_passes (GstClInPlace *self, gboolean passes);
void gst_cl_in_place_apply (GstClInPlace *self, GstBaseTransform *trans);

/* Sets the number of frames that the filter delays in addition to those in
 * flight. Upstream needs this many more buffers. Any thread. */
void gst_cl_in_place_set_held (GstClInPlace *self, guint n_frames);
guint gst_cl_in_place_held (GstClInPlace *self);

/* Records for how many delayed frames upstream's pool can have buffers, from
 * the last answered ALLOCATION query; 0 if there was none, it has no pool, or
 * the pool is bounded. Any thread. */
void gst_cl_in_place_set_requested (GstClInPlace *self, guint n_frames);
guint gst_cl_in_place_requested (GstClInPlace *self);

/* Adds the duration of the delayed frames to an answered LATENCY query. Any
 * thread. */
void gst_cl_in_place_add_latency (GstClInPlace *self, GstBaseTransform *trans,
    GstQuery *query);

/* Sets the fixed caps @in and @out of raw video. Streaming thread. */
void gst_cl_in_place_set_caps (GstClInPlace *self, GstBaseTransform *trans,
    GstCaps *in, GstCaps *out);

/* Returns a writable buffer that shares the memory of @in, if @in is device
 * memory. Returns NULL if frames are not uploaded, or if @in must be uploaded.
 * transfer full. Streaming thread. */
GstBuffer *gst_cl_in_place_pass (GstClInPlace *self, GstClContext *context,
    GstBuffer *in);

/* Enqueues the upload of @in to @out, if frames are uploaded and @in is not in
 * device memory. Streaming thread. */
gboolean gst_cl_in_place_upload (GstClInPlace *self, GstClContext *context,
    GstClInFlight *frames, GstBuffer *in, GstBuffer *out, GError **error);

G_END_DECLS

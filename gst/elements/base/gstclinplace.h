/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "cl/context/gstclcontext.h"
#include "gstclinflight.h"

G_BEGIN_DECLS

/* Filters that work in place: frames come out as they went in, in the same
 * buffer. Only that on a device with memory of its own they move there from
 * system memory if a neighbour wants them there (gst_cl_caps_uploading()): then the
 * filter works on the copy. Part of GstClBaseFilter. */
typedef struct {
  /*< private >*/
  gint passes, uploads, n_held; /* atomic */
  GstClockTime frame_duration;  /* NONE: unknown; object lock of the element */
  GstVideoInfo video;           /* streaming thread; while frames move */
} GstClInPlace;

/* Whether buffers are to pass without being written to, as they do unless they
 * move. Any thread. */
void gst_cl_in_place_set_passes (GstClInPlace *self, GstBaseTransform *trans,
    gboolean passes);
gboolean gst_cl_in_place_passes (GstClInPlace *self);

/* How many frames the filter keeps back beside those in flight: upstream needs so
 * many buffers more. Any thread. */
void gst_cl_in_place_set_held (GstClInPlace *self, guint n_frames);
guint gst_cl_in_place_held (GstClInPlace *self);

/* Adds the time of those to an answered LATENCY query. Any thread. */
void gst_cl_in_place_add_latency (GstClInPlace *self, GstBaseTransform *trans,
    GstQuery *query);

/* For GstClBaseFilter, in the streaming thread: fixed caps of raw video. */
void gst_cl_in_place_set_caps (GstClInPlace *self, GstBaseTransform *trans,
    GstCaps *in, GstCaps *out);

/* A buffer that has @in on the device already and can be written to; NULL: frames
 * do not move, or have to be copied. transfer full */
GstBuffer *gst_cl_in_place_pass (GstClInPlace *self, GstClContext *context,
    GstBuffer *in);

/* Enqueues the copy, if there is one to be made. */
gboolean gst_cl_in_place_upload (GstClInPlace *self, GstClContext *context,
    GstClInFlight *frames, GstBuffer *in, GstBuffer *out, GError **error);

G_END_DECLS

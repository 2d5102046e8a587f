/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "cl/context/gstclcontext.h"
#include "gstclinflight.h"

G_BEGIN_DECLS

/* A filter that works in place: frames leave in the buffers in which they came.
 * There is one exception. On a device with memory of its own, a frame in system
 * memory is uploaded if a neighbour wants it in device memory
 * (gst_cl_caps_uploading()); the filter then works on the copy, and that goes
 * on. Part of GstClBaseFilter. */
typedef struct {
  /*< private >*/
  gint passes, uploads;        /* atomic */
  gint n_held, n_promised;     /* atomic */
  GstClockTime frame_duration; /* NONE: unknown; object lock of the element */
  GstVideoInfo video;          /* streaming thread; for uploads */
} GstClInPlace;

/* Sets whether buffers are to pass without being written to. They do so unless
 * frames are uploaded, from gst_cl_in_place_apply() on, which runs between two
 * frames in the streaming thread. Any thread. */
void gst_cl_in_place_set_passes (GstClInPlace *self, gboolean passes);
void gst_cl_in_place_apply (GstClInPlace *self, GstBaseTransform *trans);

/* Sets how many frames the filter holds back beside those in flight: upstream
 * needs so many buffers more. Any thread. */
void gst_cl_in_place_set_held (GstClInPlace *self, guint n_frames);
guint gst_cl_in_place_held (GstClInPlace *self);

/* Notes how many of the frames held back upstream was asked for buffers for, in
 * the last ALLOCATION query that was answered; 0: there was none. Any thread.
 */
void gst_cl_in_place_set_promised (GstClInPlace *self, guint n_frames);
guint gst_cl_in_place_promised (GstClInPlace *self);

/* Adds the duration of the frames held back to an answered LATENCY query. Any
 * thread. */
void gst_cl_in_place_add_latency (GstClInPlace *self, GstBaseTransform *trans,
    GstQuery *query);

/* The fixed caps @in and @out of raw video have been negotiated. Streaming
 * thread. */
void gst_cl_in_place_set_caps (GstClInPlace *self, GstBaseTransform *trans,
    GstCaps *in, GstCaps *out);

/* Returns a buffer that has the memory of @in, which is on the device already,
 * and can be written to. NULL: frames are not uploaded, or this one has to be.
 * transfer full. Streaming thread. */
GstBuffer *gst_cl_in_place_pass (GstClInPlace *self, GstClContext *context,
    GstBuffer *in);

/* Enqueues the upload of @in to @out, if frames are uploaded and @in is not on
 * the device yet. Streaming thread. */
gboolean gst_cl_in_place_upload (GstClInPlace *self, GstClContext *context,
    GstClInFlight *frames, GstBuffer *in, GstBuffer *out, GError **error);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclpromise.h"
#include "cl/video/gstclframe.h"

G_BEGIN_DECLS

#define GST_CL_FRAMES_IN_FLIGHT                                                \
  3 /* one is uploaded, one is computed on, one is waited for */

/* The frames that a filter has handed to the device and not yet waited for: a
 * ring of GST_CL_FRAMES_IN_FLIGHT. The oldest is waited for before another
 * begins, so that neither memory nor the queue of the device grows, however
 * fast frames come. Streaming thread, except for new and free. */
typedef struct _GstClInFlight GstClInFlight;

GstClInFlight *gst_cl_in_flight_new (GstClContext *context);

/* Waits for the device first. What the device may still use after a wait that
 * failed is kept (gstclquarantine.h). Accepts NULL. */
void gst_cl_in_flight_free (GstClInFlight *self);

/* Begins a frame; waits for the oldest where the ring is full. */
gboolean gst_cl_in_flight_begin (GstClInFlight *self, GError **error);

/* Call gst_cl_frame_take(), gst_cl_importer_take() and gst_cl_importer_upload()
 * for the frame that was begun. What the first two return is borrowed until its
 * end. A frame takes at most one frame or range to read, and one to write. */
const GstClFrame *gst_cl_in_flight_take_frame (GstClInFlight *self,
    GstBuffer *buffer, const GstVideoInfo *info, guint plane_mask,
    GstMapFlags flags, GError **error);
const GstClRange *gst_cl_in_flight_take_bytes (GstClInFlight *self,
    GstBuffer *buffer, gsize size_bytes, GstMapFlags flags, GError **error);
gboolean gst_cl_in_flight_upload (GstClInFlight *self, guint slot,
    GstBuffer *buffer, gsize offset_bytes, const GstClRows *rows,
    GstMemory *dst, gsize dst_offset_bytes, GError **error);

/* Before the kernels of a frame that was taken with GST_CL_MAP_LATE: see
 * gst_cl_frame_begin_reads(). */
gboolean gst_cl_in_flight_begin_reads (GstClInFlight *self, GError **error);

/* Call when all kernels that read what was taken have been enqueued, if other
 * commands of the frame follow. */
void gst_cl_in_flight_end_reads (GstClInFlight *self);

/* @last (transfer full) is the event of the frame's last command on the compute
 * queue, which has been handed to the device, and came after
 * gst_cl_in_flight_end_reads(): gst_cl_in_flight_end() then needs no command of
 * its own to tell when the frame is done. NULL: there is none. */
void gst_cl_in_flight_set_last (GstClInFlight *self, cl_event last);

/* Another thread enqueues the frame's kernels, and its arrival before them
 * (gst_cl_frame_arrival()): both have ended when @last (transfer full) is kept.
 */
void gst_cl_in_flight_set_promise (GstClInFlight *self, GstClPromise *last);

/* Ends the frame, all commands of which have been enqueued, or promised. Keeps
 * @buffer until the device is done, if the device reads its host memory. */
gboolean gst_cl_in_flight_end (GstClInFlight *self, GstBuffer *buffer,
    GError **error);

/* Returns the smallest pool of a fixed size among those that @buffer, or a
 * buffer that it holds on to, goes back to; NULL: none. Borrowed, as long as
 * @buffer lives. */
GstBufferPool *gst_cl_in_flight_bounded_pool (GstBuffer *buffer);

/* Returns TRUE if @buffer, or a buffer that it holds on to, is of CUDA memory
 * and goes back to no pool. Decoders of GStreamer 1.24 lend their surfaces so:
 * they have a few more than the ALLOCATION query has asked for, and wait for
 * one when all are out. */
gboolean gst_cl_in_flight_is_lent (GstBuffer *buffer);

/* Returns how many buffers @pool hands out at a time; G_MAXUINT: no bound. */
guint gst_cl_in_flight_max_buffers (GstBufferPool *pool);

/* Returns the number of the frame that was begun last, from 1. */
guint64 gst_cl_in_flight_number (const GstClInFlight *self);

/* Waits for frame @number, if it is still in flight, and gives back what was
 * taken of it: the filter then holds on to its buffer no more. */
gboolean gst_cl_in_flight_wait (GstClInFlight *self, guint64 number,
    GError **error);

/* Waits for all frames, and gives back what was taken of them. */
gboolean gst_cl_in_flight_drain (GstClInFlight *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClInFlight, gst_cl_in_flight_free)

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclbatchqueue.h"
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
 * end. A frame takes at most one frame or range to read, and one to write.
 * Kernels that use what was taken run in gst_cl_in_flight_run(). */
const GstClFrame *gst_cl_in_flight_take_frame (GstClInFlight *self,
    GstBuffer *buffer, const GstVideoInfo *info, guint plane_mask,
    GstMapFlags flags, GError **error);
const GstClRange *gst_cl_in_flight_take_bytes (GstClInFlight *self,
    GstBuffer *buffer, gsize size_bytes, GstMapFlags flags, GError **error);
gboolean gst_cl_in_flight_upload (GstClInFlight *self, guint slot,
    GstBuffer *buffer, gsize offset_bytes, const GstClRows *rows,
    GstMemory *dst, gsize dst_offset_bytes, GError **error);

/* The commands of a frame. Functions return FALSE with @error. */
typedef struct {
  /* Enqueues the kernels that use what was taken, on the compute queue. */
  gboolean (*run) (gpointer user_data, GError **error);

  /* Enqueues the commands that follow them there. Sets *last to the event of
   * the last one, which has been handed to the device (transfer full), or to
   * NULL, if it has none. NULL: no commands follow. */
  gboolean (*fetch) (gpointer user_data, cl_event *last, GError **error);

  /* Tried before run(): hands the frame to a thread that enqueues @pending, and
   * then the kernels of several frames in one launch. Sets *last to the fence
   * that is signalled when all of these commands have ended (transfer full), or
   * to NULL, if this frame is not for that thread. NULL: there is no such
   * thread. */
  gboolean (*submit) (gpointer user_data, const GstClPendingUpload *pending,
      GstClFence **last, GError **error);
} GstClFrameWork;

/* Has @work enqueue the commands of the frame that was begun, of which all has
 * been taken. They may run when this returns. Once a frame. */
gboolean gst_cl_in_flight_run (GstClInFlight *self, const GstClFrameWork *work,
    gpointer user_data, GError **error);

/* Ends the frame, all commands of which have been enqueued, or have a fence.
 * Keeps @buffer until the device is done if the device reads its host
 * memory. */
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

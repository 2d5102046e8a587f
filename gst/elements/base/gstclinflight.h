/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclbatchqueue.h"
#include "cl/video/gstclframe.h"

G_BEGIN_DECLS

#define GST_CL_FRAMES_IN_FLIGHT                                                \
  3 /* one is uploaded, one is processed, one is waited for */

/* The frames that a filter has submitted to the device and not yet waited for:
 * a ring of GST_CL_FRAMES_IN_FLIGHT. A new frame waits for the oldest if the
 * ring is full, which bounds memory and the device queue. Streaming thread,
 * except for new and free. */
typedef struct _GstClInFlight GstClInFlight;

/* @n_inputs: of each frame; at least 1. transfer full */
GstClInFlight *gst_cl_in_flight_new (GstClContext *context, guint n_inputs);

guint gst_cl_in_flight_n_inputs (const GstClInFlight *self);

/* Waits for the device. If the wait fails, keeps memory that the device may
 * still use (gstclquarantine.h). Accepts NULL. */
void gst_cl_in_flight_free (GstClInFlight *self);

/* Begins a frame. Waits for the oldest frame if the ring is full. */
gboolean gst_cl_in_flight_begin (GstClInFlight *self, GError **error);

/* Call gst_cl_frame_take() and gst_cl_importer_import() for the current frame.
 * Results are borrowed until the frame ends. A frame has at most n_inputs
 * inputs, each with an importer of its own, in the order in which they are
 * taken with GST_MAP_READ, and one output. Kernels that use the inputs or the
 * output follow gst_cl_in_flight_begin_kernels(). */
const GstClFrame *gst_cl_in_flight_take_frame (GstClInFlight *self,
    GstBuffer *buffer, const GstVideoInfo *info, guint plane_mask,
    GstMapFlags flags, GError **error);

/* Takes a frame for kernels that read or write the components in
 * @component_mask (bit c: component c); gst_cl_frame_component() then returns
 * them. A frame of a packed format is unpacked before these kernels, into
 * memory that the next frame uses again, or packed after them. A mask without
 * bits selects no plane. */
const GstClFrame *gst_cl_in_flight_take_components (GstClInFlight *self,
    GstBuffer *buffer, const GstVideoInfo *info, guint component_mask,
    GstMapFlags flags, GError **error);
const GstClDeviceRange *gst_cl_in_flight_take_bytes (GstClInFlight *self,
    GstBuffer *buffer, gsize size_bytes, GstMapFlags flags, GError **error);

/* Copies the rows of @request to @dst, from byte target.offset_bytes on; sets
 * the other members of the target. */
gboolean gst_cl_in_flight_upload (GstClInFlight *self,
    GstClImportRequest *request, GstMemory *dst, GError **error);

/* The kernels of the current frame, on the compute queue, or, if the frame has
 * only an input and it is in foreign memory on the device, on a queue of this
 * object (gst_cl_context_use_queue(), until the frame ends): after its input
 * and output are known, once per frame,
 *   gst_cl_in_flight_begin_kernels () &&
 *   (kernels that use the input and output) &&
 *   gst_cl_in_flight_end_kernels ()
 * They may run when this returns. FALSE with @error. */
gboolean gst_cl_in_flight_begin_kernels (GstClInFlight *self, GError **error);
gboolean gst_cl_in_flight_end_kernels (GstClInFlight *self, GError **error);

/* After the kernels, if other commands follow on the same queue, which do not
 * use the input. */
void gst_cl_in_flight_end_reads (GstClInFlight *self);

/* Sets the event of the last of these commands (transfer full), which has been
 * flushed to the device; NULL: it has no event. */
void gst_cl_in_flight_set_last (GstClInFlight *self, cl_event last);

/* Sets @pending to the pending upload of the current frame, if another thread
 * can enqueue it with the kernels of several frames. That thread's fence of all
 * these commands is then set by gst_cl_in_flight_hand_over() (transfer full),
 * instead of kernels. */
gboolean gst_cl_in_flight_pending_upload (GstClInFlight *self,
    GstClPendingUpload *pending);
void gst_cl_in_flight_hand_over (GstClInFlight *self, GstClFence *last);

/* Ends the current frame, whose commands have all been enqueued or have a
 * fence. Keeps @buffers, those of the inputs, alive until the device has
 * finished, if the device reads host memory of one of them. */
gboolean gst_cl_in_flight_end (GstClInFlight *self, GstBuffer *const *buffers,
    guint n_buffers, GError **error);

/* Returns the smallest bounded pool among the pools of @buffer and of the
 * buffers that it references; NULL: none. Borrowed; valid while @buffer exists.
 */
GstBufferPool *gst_cl_in_flight_bounded_pool (GstBuffer *buffer);

/* Returns TRUE if @buffer, or a buffer that it references, is CUDA memory
 * without a pool. Decoders of GStreamer 1.24 output their surfaces this way:
 * they have a few more surfaces than the ALLOCATION query requested, and block
 * when all are in use. */
gboolean gst_cl_in_flight_is_lent (GstBuffer *buffer);

/* Returns the maximum number of buffers of @pool; G_MAXUINT: no limit. */
guint gst_cl_in_flight_max_buffers (GstBufferPool *pool);

/* Returns the number of the current or last frame; the first is 1. */
guint64 gst_cl_in_flight_number (const GstClInFlight *self);

/* Returns TRUE if the device has finished frame @number, or failed to. Does not
 * wait. */
gboolean gst_cl_in_flight_is_done (const GstClInFlight *self, guint64 number);

/* Waits for frame @number if it is still in flight, and releases its buffers
 * and memory. */
gboolean gst_cl_in_flight_wait (GstClInFlight *self, guint64 number,
    GError **error);

/* Waits for all frames, and releases their buffers and memory. */
gboolean gst_cl_in_flight_drain (GstClInFlight *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClInFlight, gst_cl_in_flight_free)

G_END_DECLS

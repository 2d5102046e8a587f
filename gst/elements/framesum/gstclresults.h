/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclbasefilter.h"
#include "gstclmeasurement.h"
#include "gstclpublisher.h"

G_BEGIN_DECLS

/* Pending results of clframesum. A frame either passes at once and a thread
 * publishes its result later, or the element delays the frame, and those before
 * it, until its result is attached. Both publish results in the order of their
 * frames. Streaming thread. */
typedef struct _GstClResults GstClResults;

/* Results are published by @publisher (borrowed); errors are posted by @filter
 * (borrowed). */
GstClResults *gst_cl_results_new (GstClBaseFilter *filter,
    GstClPublisher *publisher);
void gst_cl_results_free (
    GstClResults *self); /* accepts NULL; publishes pending results */

/* Waits until all pending results are analyzed. Returns FALSE if a flush has
 * interrupted the wait. */
gboolean gst_cl_results_wait_analyzed (GstClResults *self);

/* Sets the measurement (transfer full) of the next frames. */
void gst_cl_results_set_measurement (GstClResults *self,
    GstClMeasurement *measurement);

/* Returns the current measurement (borrowed); NULL: none. */
GstClMeasurement *gst_cl_results_measurement (GstClResults *self);

/* A frame, the settings of its events and where its result goes, even if
 * properties change meanwhile. */
typedef struct {
  GstClFrameTime time;
  GstClEventSettings event_settings;
  GstClFrameSumDelivery delivery;
} GstClFrameOrder;

/* Enqueues the measurement of @buffer (@order is copied), which is passed to
 * gst_cl_results_route() next, with the same delivery. */
gboolean gst_cl_results_measure (GstClResults *self, GstClInFlight *frames,
    GstBuffer *buffer, const GstClFrameOrder *order, GError **error);

/* Takes *buffer, measured or not (NULL: none), and sets it to the next buffer
 * to push, or to NULL. Without a meta a buffer does not wait for its result.
 * With a meta up to gst_cl_in_place_held() frames are delayed, fewer if
 * upstream's pool has too few buffers. Call repeatedly until *buffer is NULL.
 */
GstFlowReturn gst_cl_results_route (GstClResults *self,
    const GstClFrameSumDelivery *delivery, GstBuffer **buffer);

/* Returns TRUE if frames are delayed. */
gboolean gst_cl_results_has_delayed (GstClResults *self);

/* Sets *buffer (transfer full) to the oldest delayed frame, with its result, if
 * the device has finished it, else to NULL. Returns an error after it has been
 * posted. Does not wait for the device. */
GstFlowReturn gst_cl_results_pop_ready (GstClResults *self, GstBuffer **buffer);

/* Pushes the delayed frames to @pad and publishes all results. Returns FALSE if
 * a flush has begun. */
gboolean gst_cl_results_drain (GstClResults *self, GstPad *pad);

/* Begins a flush: no call blocks on results until the flush ends. Any thread.
 */
void gst_cl_results_begin_flush (GstClResults *self);

/* Ends a flush: drops the delayed frames. Pending results of frames that
 * were already pushed are still published; they are analyzed only if their
 * epoch is current. A synchronous message handler may call it while
 * gst_cl_results_route() or gst_cl_results_drain() posts a message. */
void gst_cl_results_end_flush (GstClResults *self);

G_END_DECLS

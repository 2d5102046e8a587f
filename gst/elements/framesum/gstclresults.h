/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclbasefilter.h"
#include "gstclmeasurement.h"
#include "gstclpublisher.h"

G_BEGIN_DECLS

/* The results of clframesum between the device and the application. A frame
 * either passes at once, and its result follows in a thread of its own; or it
 * is held back, with those before it, until its result can go with it. Results
 * come in the order of their frames either way. Streaming thread. */
typedef struct _GstClResults GstClResults;

/* Results go to @publisher (borrowed); errors are posted by @filter (borrowed).
 */
GstClResults *gst_cl_results_new (GstClBaseFilter *filter,
    GstClPublisher *publisher);
void gst_cl_results_free (GstClResults *self); /* accepts NULL, publishes */

/* Waits for the results that are on their way: all of them have then been
 * analyzed. FALSE: they have not, since a flush has begun. */
gboolean gst_cl_results_settle (GstClResults *self);

/* Measures from the next frame on with @measurement (transfer full). */
void gst_cl_results_set_measurement (GstClResults *self,
    GstClMeasurement *measurement);

/* Returns the measurement at work; NULL: none. Borrowed. */
GstClMeasurement *gst_cl_results_measurement (GstClResults *self);

/* Enqueues the measuring of @buffer, which goes to gst_cl_results_route() next,
 * with the same @delivery. That says where the result goes, however late. */
gboolean gst_cl_results_measure (GstClResults *self, GstClInFlight *frames,
    GstBuffer *buffer, const GstClFrameTime *time,
    const GstClFrameSumDelivery *delivery, GError **error);

/* Takes *buffer, measured or not (NULL: none came), and sets it to the one
 * whose turn it is to go, or to NULL. Without a meta a buffer need not wait for
 * its result. Otherwise up to async_depth frames are held back, fewer if the
 * pool of upstream does not spare so many. Called until it sets NULL. */
GstFlowReturn gst_cl_results_route (GstClResults *self,
    const GstClFrameSumDelivery *delivery, GstBuffer **buffer);

/* Pushes the frames held back to @pad and publishes all results. FALSE: a flush
 * has begun. */
gboolean gst_cl_results_drain (GstClResults *self, GstPad *pad);

/* A flush begins: nobody waits for results until it ends. Any thread. */
void gst_cl_results_begin_flush (GstClResults *self);

/* The flush ends: forgets the frames held back. Results of frames that have
 * passed are published when they come; whether they are analyzed depends on the
 * epoch of the stream analysis. May be called within gst_cl_results_route() and
 * gst_cl_results_drain(), by a handler of a message that these post. */
void gst_cl_results_end_flush (GstClResults *self);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclbasefilter.h"
#include "gstclfanout.h"
#include "gstclmeasurement.h"

G_BEGIN_DECLS

/* Results of clframesum between the device and the application. A frame either
 * passes at once, and its result follows in a thread of its own; or it is held
 * back, with those before it, until its result is there to go with it. Results
 * come in the order of their frames either way. Streaming thread. */
typedef struct _GstClResults GstClResults;

#define GST_CL_RESULTS_MAX_DEPTH 32 /* frames held back */

/* Results go to @fanout (borrowed); errors are posted by @filter (borrowed). */
GstClResults *gst_cl_results_new (GstClBaseFilter *filter,
    const GstClFanout *fanout);
void gst_cl_results_free (GstClResults *self); /* accepts NULL, publishes */

/* Waits for what is on its way: all of it has been analyzed then. FALSE: it has
 * not, since a flush has begun. */
gboolean gst_cl_results_settle (GstClResults *self);

/* @measurement (transfer full) takes over from the next frame on. */
void gst_cl_results_set_measurement (GstClResults *self,
    GstClMeasurement *measurement);

/* The one at work; NULL: none. */
GstClMeasurement *gst_cl_results_measurement (GstClResults *self);

/* Measures @buffer, the one that goes to gst_cl_results_route() next. */
gboolean gst_cl_results_measure (GstClResults *self, GstClInFlight *frames,
    GstBuffer *buffer, const GstClFrameTime *time, GError **error);

/* *buffer (NULL: none came), measured or not, is in; out comes the buffer whose
 * turn it is, or NULL. @passes: need not wait for its result; else as many as
 * @depth frames may be held back, fewer if upstream's pool does not spare so many.
 * To be called until nothing comes. */
GstFlowReturn gst_cl_results_route (GstClResults *self, gboolean passes,
    guint depth, GstBuffer **buffer);

/* Sends all on its way: frames held back to @pad, results to be published. FALSE:
 * a flush has begun. */
gboolean gst_cl_results_drain (GstClResults *self, GstPad *pad);

/* A flush begins: nobody waits for results until it ends. Any thread. */
void gst_cl_results_begin_flush (GstClResults *self);

/* The flush ends: forgets the frames held back. The results of frames that have
 * passed are published when they come; whether they are analyzed depends on the
 * epoch of the stream analysis. It may come within gst_cl_results_route() and gst_cl_results_drain(), from who
 * gets a result there. */
void gst_cl_results_end_flush (GstClResults *self);

G_END_DECLS

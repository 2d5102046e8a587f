/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/gstvideoaggregator.h>

#include "common/gstclproperty.h"
#include "gstclinflight.h"

G_BEGIN_DECLS

/* Base class of elements with several inputs: pads `sink_%u`, in the order of
 * their numbers, and `src`. GstVideoAggregator pairs the frames of the inputs
 * by running time, repeats frames, and has the pads' properties, latency and
 * QoS; the pads are children of the element. This class has the device,
 * negotiates memory on all pads, holds the frames in flight, and posts errors
 * on the bus, as GstClBaseFilter does for one input. */
#define GST_TYPE_CL_AGGREGATOR (gst_cl_aggregator_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstClAggregator, gst_cl_aggregator, GST,
    CL_AGGREGATOR, GstVideoAggregator)

/* A sink pad: its frames are not mapped. */
#define GST_TYPE_CL_AGGREGATOR_PAD (gst_cl_aggregator_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstClAggregatorPad, gst_cl_aggregator_pad, GST,
    CL_AGGREGATOR_PAD, GstVideoAggregatorPad)

/* The inputs of an output frame, in the order of their pads. */
typedef struct {
  guint n;
  GstBuffer *const *buffers;
  const GstVideoInfo *infos;
  const GstClockTime *running_times;
} GstClInputs;

struct _GstClAggregatorClass {
  GstVideoAggregatorClass parent_class;

  /* Copies the properties into the snapshot that the functions below read:
   * once before caps are negotiated and once per output frame. Called with the
   * object lock held. */
  void (*take_settings) (GstClAggregator *self);

  /* Sets controlled objects to their values at @stream_time, before the
   * settings are taken. NULL: nothing. */
  void (*sync_values) (GstClAggregator *self, GstClockTime stream_time);

  /* Returns the caps of the output for @structure of the first input, or of the
   * first input for that of the output (@direction: of @structure), as
   * GstClBaseFilterClass.map_structure. transfer full. Any thread. */
  GstCaps *(*map_structure) (GstClAggregator *self, GstPadDirection direction,
      const GstStructure *structure);

  /* Returns @caps (transfer full) of an input without those that the element
   * does not support. NULL: it supports all. transfer full. Any thread. */
  GstCaps *(*restrict_input) (GstClAggregator *self, GstCaps *caps);

  /* Names of the properties that map_structure() depends on, for the error
   * message when downstream rejects the caps. */
  const gchar *caps_properties;

  /* Creates the ops for @inputs and frames of @out: before the first frame
   * after the caps of a pad, the number of pads or the settings have changed.
   * On FALSE the error is posted and the flow is not-negotiated. */
  gboolean (*configure) (GstClAggregator *self, const GstClInputs *inputs,
      const GstVideoInfo *out, GError **error);

  /* Enqueues the work for one frame, as GstClBaseFilterClass.process. @segment:
   * of @out, whose times are set. */
  gboolean (*process) (GstClAggregator *self, GstClInFlight *frames,
      const GstClInputs *inputs, GstBuffer *out, const GstSegment *segment,
      GError **error);

  /* The frames that follow do not continue those before. NULL: nothing. */
  void (*reset) (GstClAggregator *self);
};

/* For class_init: adds the pads `sink_%u` and `src`, as
 * gst_cl_caps_add_templates() does. */
void gst_cl_aggregator_add_templates (GstElementClass *klass,
    const GstCaps *sink, const GstCaps *src);

/* Returns the context (borrowed), which exists between start() and stop().
 * Streaming thread. */
GstClContext *gst_cl_aggregator_context (GstClAggregator *self);

/* Posts @error, as gst_cl_base_filter_fail(). Any thread. */
void gst_cl_aggregator_fail (GstClAggregator *self, const GError *error);

/* Returns the names of the sink pads, in their order: "sink_0, sink_1". Any
 * thread. g_free() */
gchar *gst_cl_aggregator_list_pads (GstClAggregator *self);

/* For property setters, as gst_cl_base_filter_mark_changed(). Any thread,
 * without the object lock. */
void gst_cl_aggregator_mark_changed (GstClAggregator *self, GstClChange change);

G_END_DECLS

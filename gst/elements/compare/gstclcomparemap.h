/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstaggregator.h>

#include "cl/video/gstclframe.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* The frames of output=map: pictures of differences. Embedded in the element;
 * zero-initialized. Streaming thread. */
typedef struct {
  /* between open() and close() */
  GstClContext *context;
  GstAllocator *allocator;

  GstVideoInfo info;      /* of the map */
  gboolean is_in_system;  /* downstream takes system memory */
  GstClSampleType sample; /* of the frames that are compared */
  GstClInstance instance; /* all zeros: none */
} GstClCompareMap;

void gst_cl_compare_map_open (GstClCompareMap *self, GstClContext *context);
void gst_cl_compare_map_close (GstClCompareMap *self);

/* Chooses caps that @src can send, for the map of frames of @info. NULL with
 * @error; transfer full. */
GstCaps *gst_cl_compare_map_choose_caps (GstClCompareMap *self,
    const GstVideoInfo *info, GstPad *src, GError **error);

/* Creates the op for frames of @info, unless it is the same. FALSE with @error.
 */
gboolean gst_cl_compare_map_configure (GstClCompareMap *self,
    const GstVideoInfo *info, GError **error);

/* Allocates the map of a frame that has the times of @compared. GST_FLOW_ERROR
 * has @error. *@map: transfer full */
GstFlowReturn gst_cl_compare_map_allocate (GstClCompareMap *self,
    GstAggregator *agg, GstBuffer *compared, GstBuffer **map, GError **error);

/* Enqueues the kernel. */
gboolean gst_cl_compare_map_run (GstClCompareMap *self,
    const GstClFrame *reference, const GstClFrame *compared,
    const GstClFrame *map, guint gain, GError **error);

G_END_DECLS

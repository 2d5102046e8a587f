/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event blocky: edges of blocks stand out. */

#include "gstcleventsprivate.h"

static void
step (gpointer state, const GstClDetection *detection, const GstClInstant *at,
    const GstClSeriesFrame *frame)
{
  const GstClEventSettings *settings = detection->settings;
  const gdouble blockiness = (gdouble) frame->blockiness /
                             GST_CL_BLOCKINESS_ONE;

  gst_cl_span_step (state, detection, at,
      blockiness >= settings->blocky_threshold,
      blockiness >=
          MIN (settings->blocky_leave_threshold, settings->blocky_threshold),
      settings->blocky_min_duration, &blockiness);
}

static void
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  gst_cl_span_finish (state, detection, at_end);
}

const GstClDetector gst_cl_detect_blocky = {
  .type = GST_CL_EVENT_BLOCKY,
  .name = "blocky",
  .needs = GST_CL_SERIES_BLOCKS,
  .values = { "blockiness" },
  .state_bytes = sizeof (GstClSpan),
  .step = step,
  .finish = finish,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclframesum.h"
#include "gstclinterval.h"
#include "gstclpublisher.h"
#include "gstclresults.h"
#include "gstclwatchdog.h"

G_BEGIN_DECLS

/* What the files of clframesum share: the element, and its properties, which
 * have a file of their own. Nobody else includes it. */

struct _GstClFrameSum {
  GstClBaseFilter parent;

  /* Held while a property about events is set and the watchdog configured by
   * it, so that the last of several threads decides both. Taken before the
   * object lock; nothing is posted under it. */
  GMutex watchdog_lock;

  /* properties, under the object lock; what the watchdog is configured by is
   * written under watchdog_lock, too */
  GstClFrameSumSettings settings;
  GstClFrameSumSettings snapshot; /* of settings, for caps and frames */

  GstClPublisher *publisher; /* as long as the element lives */
  GstClWatchdog *watchdog;   /* as long as the element lives */

  /* streaming thread; NULL unless started */
  GstClResults *results;
  GstClInterval turn;
  GstFlowReturn flow;                /* of the last frame */
  guint n_flushes, n_flushes_before; /* now; when the frame came */

  GstPadChainFunction chain; /* the parent's */
};

void gst_cl_frame_sum_install_properties (GObjectClass *klass);

/* Sets all properties to their defaults. The watchdog is there. */
void gst_cl_frame_sum_init_properties (GstClFrameSum *self);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcllocalmeanrunner.h"

G_BEGIN_DECLS

/* Programs made ahead, in a thread of its own: what changes of properties may
 * need while the stream runs. Streaming thread. */
typedef struct _GstClLocalMeanPrebuild GstClLocalMeanPrebuild;

/* NULL if it is switched off (GST_OPENCL_PREPARE), or if nothing is kept on
 * disk, so that each start would compile what most streams never use. */
GstClLocalMeanPrebuild *gst_cl_local_mean_prebuild_new (GstClContext *context);

/* Waits for the program at hand, if there is one. Accepts NULL. */
void gst_cl_local_mean_prebuild_free (GstClLocalMeanPrebuild *self);

/* After the first frame of @runner: builds what it may come to need,
 * GST_CL_PREBUILD_DELAY_US later, and gives up what was for another runner,
 * unless that needs the same. Accepts NULL. */
void gst_cl_local_mean_prebuild_start (GstClLocalMeanPrebuild *self,
    const GstClLocalMeanRunner *runner);

/* Streams that end sooner need not wait for a program at their end, and what
 * the first frames still compile is not disturbed. In microseconds. */
#define GST_CL_PREBUILD_DELAY_US 1000000

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcllocalmeanrunner.h"

G_BEGIN_DECLS

/* Builds programs in advance, in its own thread: those that property changes
 * may need while the stream runs. Streaming thread. */
typedef struct _GstClLocalMeanPrebuild GstClLocalMeanPrebuild;

/* Returns NULL if GST_OPENCL_PREPARE switches it off, or if there is no cache
 * on disk: each start would then compile programs that most streams never use.
 * transfer full */
GstClLocalMeanPrebuild *gst_cl_local_mean_prebuild_new (GstClContext *context);

/* Waits for the program that is being built. Accepts NULL. */
void gst_cl_local_mean_prebuild_free (GstClLocalMeanPrebuild *self);

/* Called once @runner is settled. Builds the programs that @runner may
 * need, after GST_CL_PREBUILD_DELAY_US, and cancels those of the previous
 * runner unless both need the same. Accepts NULL. */
void gst_cl_local_mean_prebuild_start (GstClLocalMeanPrebuild *self,
    const GstClLocalMeanRunner *runner);

/* Delay in microseconds: shorter streams do not wait for a program at their
 * end, and the compilation for the first frames is not slowed down. */
#define GST_CL_PREBUILD_DELAY_US 1000000

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/gstclcomponent.h"
#include "cl/gstclkernel.h"

G_BEGIN_DECLS

/* What kernels that read samples of all components of a frame take first:
 * kernels/include/cl_figures.clh, FIGURE_FRAME_ARGUMENTS. */
#define GST_CL_FRAME_ARGUMENTS 12

/* Of 1 to 4 components; those that are not there have no samples. */
void gst_cl_frame_arguments_get (const GstClComponent *components,
    guint n_components, GstClArg args[GST_CL_FRAME_ARGUMENTS]);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "cl/context/gstclkernel.h"

G_BEGIN_DECLS

/* What kernels that read samples of all components of a frame take first:
 * kernels/common/cl_plane.clh, PLANE_ARGUMENTS. */
#define GST_CL_FRAME_ARGUMENTS 12

/* The arguments for 1 to 4 components; those that are not there have no
 * samples. */
void gst_cl_frame_arguments_get (const GstClComponent *components,
    guint n_components, GstClArg args[GST_CL_FRAME_ARGUMENTS]);

G_END_DECLS

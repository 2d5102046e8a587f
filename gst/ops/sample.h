/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "cl/video/gstclcomponent.h"

G_BEGIN_DECLS

/* What kernels need to know of a sample's type. */

/* Compiler options of kernels that are built for one sample type of
 * cl_pixel.clh; transfer full. */
gchar *gst_cl_sample_options (const GstClSampleType *sample);

/* Compiler options of plain kernels: the C type of samples. All else of a
 * sample is an argument. transfer full */
gchar *gst_cl_sample_type_option (const GstClSampleType *sample);

/* Compiler options of plain kernels that read samples and sums of @sum_bytes, 4
 * or 8: the C types of both. transfer full */
gchar *gst_cl_sums_options (const GstClSampleType *sample, guint sum_bytes);

/* The largest code that the stored bits can make, whatever the depth says: what
 * must not overflow if a frame is not as its caps say. */
guint gst_cl_sample_max_code (const GstClSampleType *sample);

/* Samples from one of the component to the next in a row. */
gint gst_cl_component_pixel_stride (const GstClComponent *component);

/* For ops whose memory was made for certain shapes, never to run past it. FALSE
 * with CL_INVALID_VALUE, in the name of @what, where one of @n components at
 * @got differs from its like at @want in size, pixel stride or how samples are
 * stored; memory, offsets and strides of rows may. */
gboolean gst_cl_components_check_shapes (const GstClComponent *got,
    const GstClComponent *want, guint n, const gchar *what, GError **error);

/* --- arguments for all components of a frame ------------------------------ */

/* What kernels that read samples of all components of a frame take first:
 * kernels/common/cl_plane.clh, PLANE_ARGUMENTS. */
#define GST_CL_FRAME_ARGUMENTS 12

/* The arguments for 1 to 4 components; those that are not there have no
 * samples. */
void gst_cl_frame_arguments_get (const GstClComponent *components,
    guint n_components, GstClArg args[GST_CL_FRAME_ARGUMENTS]);

G_END_DECLS

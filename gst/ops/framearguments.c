/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame's components as kernels take them. */

#include "framearguments.h"

#include "sample.h"

#define MAX_COMPONENTS 4

void
gst_cl_frame_arguments_get (const GstClComponent *components,
    guint n_components, GstClArg args[GST_CL_FRAME_ARGUMENTS])
{
  cl_int4 strides = { { 0 } }, pixel_strides = { { 0 } };
  cl_int4 widths = { { 0 } }, heights = { { 0 } };

  for (guint c = 0; c < MAX_COMPONENTS; c++) {
    /* who is not there stands for nothing: it has no samples */
    const GstClComponent *component = &components[c < n_components ? c : 0];

    args[2 * c] = (GstClArg) GST_CL_MEM (component->mem);
    args[2 * c + 1] = (GstClArg) GST_CL_ULONG (component->offset_bytes);
    if (c < n_components) {
      strides.s[c] = component->stride_bytes;
      pixel_strides.s[c] = gst_cl_component_pixel_stride (component);
      widths.s[c] = component->width;
      heights.s[c] = component->height;
    }
  }
  args[8] = (GstClArg) GST_CL_INT4 (strides);
  args[9] = (GstClArg) GST_CL_INT4 (pixel_strides);
  args[10] = (GstClArg) GST_CL_INT4 (widths);
  args[11] = (GstClArg) GST_CL_INT4 (heights);
}

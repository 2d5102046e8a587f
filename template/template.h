/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* The op: adds an amount to every sample of one component, and clamps the
 * result to 0 .. the maximum code. */

typedef struct {
  gint width, height;      /* of the component, in samples; at least 1 */
  gint pixel_stride_bytes; /* of input and output, 1 .. 4 samples */
  GstClSampleType sample;  /* of input and output */
} GstClTemplateProblem;

/* Input and output of one run, of the shape of the problem; strides and offsets
 * may differ from frame to frame. */
typedef struct {
  GstClComponent src, dst;
  gint amount; /* in codes */
} GstClTemplateIo;

/* Problems are GstClTemplateProblem, io is GstClTemplateIo. The
 * only row has method 1, since 0 is GST_CL_METHOD_AUTO. */
extern const GstClOpTable gst_cl_template_table;

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

#define GST_TYPE_CL_COMPARE (gst_cl_compare_get_type ())
G_DECLARE_FINAL_TYPE (GstClCompare, gst_cl_compare, GST, CL_COMPARE,
    GstAggregator)

/* A sink pad: `reference` or `sink_%u`. */
#define GST_TYPE_CL_COMPARE_PAD (gst_cl_compare_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstClComparePad, gst_cl_compare_pad, GST, CL_COMPARE_PAD,
    GstAggregatorPad)

GST_ELEMENT_REGISTER_DECLARE (clcompare)

G_END_DECLS

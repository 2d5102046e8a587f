/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclbasefilter.h"

G_BEGIN_DECLS

/* The element cltemplate: adds an amount to every sample. */
#define GST_TYPE_CL_TEMPLATE (gst_cl_template_get_type ())
G_DECLARE_FINAL_TYPE (GstClTemplate, gst_cl_template, GST, CL_TEMPLATE,
    GstClBaseFilter)

GST_ELEMENT_REGISTER_DECLARE (cltemplate)

G_END_DECLS

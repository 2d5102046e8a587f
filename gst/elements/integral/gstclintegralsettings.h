/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclintegralcaps.h"
#include "ops/integral/integral.h"
#include "common/gstclproperty.h"

G_BEGIN_DECLS

/* The properties of clintegral. */
typedef struct {
  GstClIntegralChoice choice; /* what the caps depend on */
  GstClIntegralMethod method;
} GstClIntegralSettings;

#define GST_CL_INTEGRAL_N_PROPERTIES 6

/* Rows for GstClIntegralSettings. */
extern const GstClProperty
    gst_cl_integral_properties[GST_CL_INTEGRAL_N_PROPERTIES];

/* Types of the enum properties. */
extern GstClEnum gst_cl_sum_format_enum, gst_cl_layout_enum,
    gst_cl_integral_method_enum;

G_END_DECLS

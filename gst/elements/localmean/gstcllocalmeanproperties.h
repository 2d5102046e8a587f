/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcllocalmeansettings.h"
#include "common/gstclproperty.h"

G_BEGIN_DECLS

#define GST_CL_LOCAL_MEAN_N_PROPERTIES 17

/* Rows for GstClLocalMeanSettings. */
extern const GstClProperty
    gst_cl_local_mean_properties[GST_CL_LOCAL_MEAN_N_PROPERTIES];

/* Types of the enum properties. */
extern GstClEnum gst_cl_border_enum, gst_cl_local_mean_operation_enum,
    gst_cl_local_mean_method_enum;

G_END_DECLS

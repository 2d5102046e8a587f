/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "common/gstclenum.h"

G_BEGIN_DECLS

/* Flags that name components: bit c is component c in the order of GStreamer.
 * The nicks y, u, v, a and r, g, b name the same bits. */
extern GstClEnum gst_cl_planes_enum;

#define GST_CL_PLANES_ALL 0xf

G_END_DECLS

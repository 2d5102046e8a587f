/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/pictureop.h"

G_BEGIN_DECLS

/* Structural similarity of two pictures (Wang et al. 2004), in windows of 8 x 8
 * samples, four samples apart: cl_ssim.clh defines it. A result has a word for
 * each component, gint64: the sum of the values of its windows, in units of 1 /
 * GST_CL_SSIM_ONE. */
#define GST_CL_SSIM_ONE (G_GINT64_CONSTANT (1) << 31)

/* The implementations; problems are GstClPictureShape, io is const
 * GstClPictureInput *, with a compared picture. Only the method AUTO has a
 * nick. */
extern const GstClOpTable gst_cl_ssim_table;

/* Create and free a GstClPictureOp. */
extern const GstClTieredFuncs gst_cl_ssim_tiered;

G_END_DECLS

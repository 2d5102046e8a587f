/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclxpsnr.h"
#include "ops/pictureop.h"

G_BEGIN_DECLS

/* The integers of the blocks of a picture and of another one, for XPSNR. A
 * result has a GstClXpsnrBlock for each block of gst_cl_xpsnr_grid() of the
 * measured picture; squares of missing components are 0. The first component of
 * the picture before, and with order 2 of that before it, stays on the device;
 * it is zeros before the first picture, after gst_cl_picture_op_forget(), and
 * for a picture of another size than the last one. */

/* The problem that an instance is built for. */
typedef struct {
  /* 1 .. GST_CL_XPSNR_COMPONENTS components: the first one gives the weights,
   * the others have the same pixel stride */
  GstClPictureShape picture;
  guint order; /* gst_cl_xpsnr_order() */
  /* gst_cl_xpsnr_is_large() of the measured pictures, which may be parts of
   * frames */
  gboolean is_large;
} GstClXpsnrProblem;

/* The implementations; problems are GstClXpsnrProblem, io is const
 * GstClPictureInput * with a whole picture and the other one. Only the method
 * AUTO has a nick. */
extern const GstClOpTable gst_cl_xpsnr_table;

/* Create and free a GstClPictureOp. */
extern const GstClTieredFuncs gst_cl_xpsnr_tiered;

G_END_DECLS

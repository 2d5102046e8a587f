/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "common/gstclrgb.h"
#include "ops/sample.h"

G_BEGIN_DECLS

/* Arguments and compiler options of kernels that read the R, G and B of pixels
 * (kernels/common/cl_picture.clh). */

#define GST_CL_PICTURE_MAX_COMPONENTS 4
#define GST_CL_PIXEL_COMPONENTS       3 /* of R, G and B, or of Y, U and V */

/* What is known of pictures before their kernels are built. Later pictures have
 * the same pixel strides and sample type (one for all components), and no
 * component is larger. Memory, offsets and strides are ignored. */
typedef struct {
  guint n_components; /* 1 .. 4 */
  GstClComponent shapes[GST_CL_PICTURE_MAX_COMPONENTS];

  /* for ops that measure pixels, of 1 (GREY) or 3 components: */
  guint x_shift, y_shift; /* subsampling of chroma */
  GstClRgbMatrix matrix;
} GstClPictureShape;

/* A picture. */
typedef struct {
  const GstClComponent *components; /* parts of it, each with its own size */
  gboolean is_interlaced; /* two fields, each with the chroma of its rows */
  /* of ops that compare: parts of the other picture, of the same sizes, pixel
   * strides and sample type as @components; others ignore it */
  const GstClComponent *compared;
} GstClPictureInput;

/* For make_io and free_io of tables: returns a picture of @n components whose
 * samples are zeros, compared with itself. NULL with @error; transfer full. */
GstClPictureInput *gst_cl_picture_input_new_zeroed (GstClContext *context,
    const GstClComponent *shapes, guint n, GError **error);
void gst_cl_picture_input_free (gpointer input); /* accepts NULL */

/* Returns the compiler options for pictures of @shape. @has_strides: with their
 * pixel strides, too. Transfer full. */
gchar *gst_cl_picture_options (const GstClPictureShape *shape,
    gboolean has_strides);

/* The first arguments of such kernels: PLANE_ARGUMENTS, matrix, middle and
 * row_step. */
#define GST_CL_PICTURE_ARGUMENTS (GST_CL_FRAME_ARGUMENTS + 3)

void gst_cl_picture_arguments_get (const GstClPictureInput *input,
    const GstClPictureShape *shape, GstClArg args[GST_CL_PICTURE_ARGUMENTS]);

/* The first arguments of kernels that compare pictures: PLANE_ARGUMENTS and
 * COMPARED_ARGUMENTS. */
#define GST_CL_COMPARED_ARGUMENTS                                              \
  (GST_CL_FRAME_ARGUMENTS + GST_CL_MEMORY_ARGUMENTS)

void gst_cl_compared_arguments_get (const GstClPictureInput *input,
    guint n_components, GstClArg args[GST_CL_COMPARED_ARGUMENTS]);

/* Return the argument matrix of these kernels, and the argument of yuv_of_rgb()
 * for Y, U or V (@i: 0, 1 or 2). */
cl_int4 gst_cl_rgb_argument (const GstClRgbMatrix *matrix);
cl_int4 gst_cl_yuv_argument (const GstClYuvMatrix *matrix, guint i);

G_END_DECLS

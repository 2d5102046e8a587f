/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments and compiler options of kernels that read pixels. */

#include "picture.h"

gchar *
gst_cl_picture_options (const GstClPictureShape *shape, gboolean has_strides)
{
  const GstClComponent *last = &shape->shapes[shape->n_components - 1];
  g_autofree gchar *type = gst_cl_sample_options (&shape->shapes[0].sample);
  g_autofree gchar *strides = g_strdup_printf (
      " -DSTRIDE_FIRST=%d -DSTRIDE_OTHERS=%d",
      gst_cl_component_pixel_stride (&shape->shapes[0]),
      gst_cl_component_pixel_stride (last));

  return g_strdup_printf (
      "%s -DDEPTH=%u -DRGB_KIND=%d -DX_SHIFT=%u -DY_SHIFT=%u%s", type,
      shape->shapes[0].sample.depth, shape->matrix.kind, shape->x_shift,
      shape->y_shift, has_strides ? strides : "");
}

void
gst_cl_picture_arguments_get (const GstClPictureInput *input,
    const GstClPictureShape *shape, GstClArg args[GST_CL_PICTURE_ARGUMENTS])
{
  const cl_int4 coefficients = gst_cl_rgb_argument (&shape->matrix);

  gst_cl_frame_arguments_get (input->components, shape->n_components, args);
  args[GST_CL_FRAME_ARGUMENTS] = (GstClArg) GST_CL_INT4 (coefficients);
  args[GST_CL_FRAME_ARGUMENTS + 1] = (GstClArg) GST_CL_INT (
      shape->matrix.middle);
  args[GST_CL_FRAME_ARGUMENTS + 2] = (GstClArg) GST_CL_INT (
      input->is_interlaced ? 2 : 1);
}

void
gst_cl_compared_arguments_get (const GstClPictureInput *input,
    guint n_components, GstClArg args[GST_CL_COMPARED_ARGUMENTS])
{
  gst_cl_frame_arguments_get (input->components, n_components, args);
  gst_cl_memory_arguments_get (input->compared, n_components,
      &args[GST_CL_FRAME_ARGUMENTS]);
}

cl_int4
gst_cl_rgb_argument (const GstClRgbMatrix *matrix)
{
  return (cl_int4){ { matrix->r_v, matrix->g_u, matrix->g_v, matrix->b_u } };
}

cl_int4
gst_cl_yuv_argument (const GstClYuvMatrix *matrix, guint i)
{
  const gint *weights = matrix->weights[i];

  return (
      cl_int4){ { weights[0], weights[1], weights[2], matrix->offsets[i] } };
}

/* --- a picture for trials ------------------------------------------------- */

GstClPictureInput *
gst_cl_picture_input_new_zeroed (GstClContext *context,
    const GstClComponent *shapes, guint n, GError **error)
{
  GstClComponent *components = gst_cl_components_new_zeroed (context, shapes, n,
      error);
  GstClPictureInput *input;

  if (!components)
    return NULL;
  input = g_new0 (GstClPictureInput, 1);
  input->components = input->compared = components;

  return input;
}

void
gst_cl_picture_input_free (gpointer user_input)
{
  GstClPictureInput *input = user_input;

  if (input)
    gst_cl_components_free ((gpointer) input->components);
  g_free (input);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of packed formats. */

#include "ops/grid.h"
#include "ops/packing/packing.h"

static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_v210,
  GST_VIDEO_FORMAT_RGB16 };

static gconstpointer
get_problem (guint index)
{
  static GstClPackingProblem problem;
  GstVideoInfo info;

  if (index >= 2 * G_N_ELEMENTS (formats))
    return NULL;

  gst_video_info_set_format (&info, formats[index / 2], 1920, 1080);
  gst_cl_packing_problem_init (&problem, &info,
      index % 2 ? GST_CL_PACKING_METHOD_PACK : GST_CL_PACKING_METHOD_UNPACK,
      GST_CL_ALL_COMPONENTS);

  return &problem;
}

static const gchar *const methods[] = { "auto", NULL };

const OpGrid packing_grid = {
  .name = "packing",
  .table = &gst_cl_packing_table,
  .methods = methods,
  .get_problem = get_problem,
};

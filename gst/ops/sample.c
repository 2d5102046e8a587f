/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Types of samples, as kernels are built for them. */

#include "sample.h"

static const gchar *
type_name (const GstClSampleType *sample)
{
  return sample->bytes == 2 ? "ushort" : "uchar";
}

gchar *
gst_cl_sample_options (const GstClSampleType *sample)
{
  return g_strdup_printf ("-DSAMPLE_T=%s -DSAMPLE_SHIFT=%u", type_name (sample),
      sample->shift);
}

gchar *
gst_cl_sample_type_option (const GstClSampleType *sample)
{
  return g_strdup_printf ("-DSAMPLE_T=%s", type_name (sample));
}

gchar *
gst_cl_sums_options (const GstClSampleType *sample, guint sum_bytes)
{
  return g_strdup_printf ("-DSAMPLE_T=%s -DSUM_T=%s", type_name (sample),
      sum_bytes == 8 ? "ulong" : "uint");
}

guint
gst_cl_sample_max_code (const GstClSampleType *sample)
{
  return (1u << (8 * sample->bytes - sample->shift)) - 1;
}

gint
gst_cl_component_pixel_stride (const GstClComponent *component)
{
  return component->pixel_stride_bytes / (gint) component->sample.bytes;
}

gboolean
gst_cl_components_check_shapes (const GstClComponent *got,
    const GstClComponent *want, guint n, const gchar *what, GError **error)
{
  for (guint i = 0; i < n; i++) {
    if (got[i].width != want[i].width || got[i].height != want[i].height ||
        got[i].pixel_stride_bytes != want[i].pixel_stride_bytes ||
        got[i].sample.bytes != want[i].sample.bytes ||
        got[i].sample.shift != want[i].sample.shift) {
      g_autofree gchar *text = g_strdup_printf ("%s: a frame of another shape",
          what);

      return gst_cl_check (CL_INVALID_VALUE, text, error);
    }
  }

  return TRUE;
}

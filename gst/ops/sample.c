/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Types of samples, as kernels are built for them. */

#include "sample.h"

gchar *
gst_cl_sample_options (const GstClSampleType *sample)
{
  return g_strdup_printf ("-DSAMPLE_T=%s -DSAMPLE_SHIFT=%u",
      sample->bytes == 2 ? "ushort" : "uchar", sample->shift);
}

guint
gst_cl_sample_max_code (const GstClSampleType *sample)
{
  return (1u << (8 * sample->bytes - sample->shift)) - 1;
}

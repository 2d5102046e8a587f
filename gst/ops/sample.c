/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiler options for types of samples, and a frame's components as arguments
 * of kernels. */

#include "sample.h"

#include "cl/memory/gstclbuffer.h"

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

static gboolean
check_shapes (const GstClComponent *got, const GstClComponent *want, guint n,
    gboolean may_be_smaller, const gchar *what, GError **error)
{
  for (guint i = 0; i < n; i++) {
    const gboolean has_size = may_be_smaller
                                  ? got[i].width <= want[i].width &&
                                        got[i].height <= want[i].height
                                  : got[i].width == want[i].width &&
                                        got[i].height == want[i].height;

    if (!has_size || got[i].pixel_stride_bytes != want[i].pixel_stride_bytes ||
        got[i].sample.bytes != want[i].sample.bytes ||
        got[i].sample.shift != want[i].sample.shift) {
      g_autofree gchar *text = g_strdup_printf ("%s: a frame of another shape",
          what);

      return gst_cl_check (CL_INVALID_VALUE, text, error);
    }
  }

  return TRUE;
}

gboolean
gst_cl_components_check_shapes (const GstClComponent *got,
    const GstClComponent *want, guint n, const gchar *what, GError **error)
{
  return check_shapes (got, want, n, FALSE, what, error);
}

gboolean
gst_cl_components_check_parts (const GstClComponent *got,
    const GstClComponent *want, guint n, const gchar *what, GError **error)
{
  return check_shapes (got, want, n, TRUE, what, error);
}

/* --- arguments for all components of a frame ------------------------------ */

#define MAX_COMPONENTS 4

void
gst_cl_memory_arguments_get (const GstClComponent *components,
    guint n_components, GstClArg args[GST_CL_MEMORY_ARGUMENTS])
{
  cl_int4 strides = { { 0 } };

  for (guint c = 0; c < MAX_COMPONENTS; c++) {
    /* missing components repeat the first one, without samples */
    const GstClComponent *component = &components[c < n_components ? c : 0];

    args[2 * c] = (GstClArg) GST_CL_MEM (component->mem);
    args[2 * c + 1] = (GstClArg) GST_CL_ULONG (component->offset_bytes);
    if (c < n_components)
      strides.s[c] = component->stride_bytes;
  }
  args[8] = (GstClArg) GST_CL_INT4 (strides);
}

void
gst_cl_frame_arguments_get (const GstClComponent *components,
    guint n_components, GstClArg args[GST_CL_FRAME_ARGUMENTS])
{
  cl_int4 pixel_strides = { { 0 } }, widths = { { 0 } }, heights = { { 0 } };

  for (guint c = 0; c < n_components; c++) {
    pixel_strides.s[c] = gst_cl_component_pixel_stride (&components[c]);
    widths.s[c] = components[c].width;
    heights.s[c] = components[c].height;
  }
  gst_cl_memory_arguments_get (components, n_components, args);
  args[9] = (GstClArg) GST_CL_INT4 (pixel_strides);
  args[GST_CL_FRAME_WIDTHS] = (GstClArg) GST_CL_INT4 (widths);
  args[GST_CL_FRAME_HEIGHTS] = (GstClArg) GST_CL_INT4 (heights);
}

gchar *
gst_cl_components_describe (const GstClComponent *components, guint n)
{
  GString *text = g_string_new (NULL);

  for (guint c = 0; c < n; c++)
    g_string_append_printf (text, "%s%dx%d every %d bytes", c > 0 ? ", " : "",
        components[c].width, components[c].height,
        components[c].pixel_stride_bytes);

  return g_string_free (text, FALSE);
}

guint64
gst_cl_components_count_bytes (const GstClComponent *components, guint n)
{
  gsize n_bytes = 0;

  for (guint c = 0; c < n; c++) {
    const GstClComponent *component = &components[c];
    const gsize row_bytes = (gsize) (component->width - 1) *
                                component->pixel_stride_bytes +
                            component->sample.bytes;

    n_bytes = MAX (n_bytes,
        component->offset_bytes +
            (gsize) (component->height - 1) * component->stride_bytes +
            row_bytes);
  }

  return n_bytes;
}

/* --- a frame for trials --------------------------------------------------- */

GstClComponent *
gst_cl_components_new_zeroed (GstClContext *context,
    const GstClComponent *shapes, guint n, GError **error)
{
  cl_mem mem = gst_cl_buffer_new_zeroed (context,
      gst_cl_components_count_bytes (shapes, n), error);
  GstClComponent *components;

  if (!mem)
    return NULL;

  components = g_memdup2 (shapes, n * sizeof *shapes);
  for (guint c = 0; c < n; c++)
    components[c].mem = mem;

  return components;
}

void
gst_cl_components_free (gpointer user_components)
{
  GstClComponent *components = user_components;

  gst_cl_buffer_free (components[0].mem);
  g_free (components);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps on either side of clintegral. */

#include "gstclintegralcaps.h"

#include "cl/video/gstclformat.h"
#include "cl/video/gstclintegralinfo.h"
#include "elements/base/gstcldimension.h"

/* --- sums ---------------------------------------------------------------- */

/* Name in caps of the sums that samples of @info get. */
static const gchar *
sum_format_name (const GstClIntegralChoice *choice,
    const GstVideoFormatInfo *info)
{
  switch (choice->sum_format) {
    case GST_CL_SUM_FORMAT_U32:
      return GST_CL_INTEGRAL_FORMAT_U32;
    case GST_CL_SUM_FORMAT_U64:
      return GST_CL_INTEGRAL_FORMAT_U64;
    case GST_CL_SUM_FORMAT_F32:
      return GST_CL_INTEGRAL_FORMAT_F32;
    default:
      /* 32 bits hold a window of 65537 samples of 16 bits, of 12 bits one of a
       * million */
      return GST_VIDEO_FORMAT_INFO_DEPTH (info, 0) >= 16
                 ? GST_CL_INTEGRAL_FORMAT_U64
                 : GST_CL_INTEGRAL_FORMAT_U32;
  }
}

/* TRUE if field @name of @structure may be @value, which is cleared. */
static gboolean
admits (const GstStructure *structure, const gchar *name, GValue *value)
{
  const GValue *field = gst_structure_get_value (structure, name);
  const gboolean is_admitted = !field ||
                               gst_value_intersect (NULL, field, value);

  g_value_unset (value);

  return is_admitted;
}

static gboolean
admits_string (const GstStructure *structure, const gchar *name,
    const gchar *text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_static_string (&value, text);

  return admits (structure, name, &value);
}

static gboolean
admits_int (const GstStructure *structure, const gchar *name, gint n)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, n);

  return admits (structure, name, &value);
}

static gboolean
admits_boolean (const GstStructure *structure, const gchar *name, gboolean is)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_BOOLEAN);
  g_value_set_boolean (&value, is);

  return admits (structure, name, &value);
}

/* Appends @text to @list unless it is there. */
static void
append_once (GValue *list, const gchar *text)
{
  GValue value = G_VALUE_INIT;

  for (guint i = 0; i < gst_value_list_get_size (list); i++) {
    if (g_str_equal (g_value_get_string (gst_value_list_get_value (list, i)),
            text))
      return;
  }
  g_value_init (&value, G_TYPE_STRING);
  g_value_set_static_string (&value, text);
  gst_value_list_append_and_take_value (list, &value);
}

/* Takes @list; one entry becomes a plain string. FALSE if there is none. */
static gboolean
take_list (GstStructure *structure, const gchar *name, GValue *list)
{
  const guint n = gst_value_list_get_size (list);

  if (n == 1)
    gst_structure_set_value (structure, name,
        gst_value_list_get_value (list, 0));
  else if (n > 1)
    gst_structure_set_value (structure, name, list);
  g_value_unset (list);

  return n > 0;
}

/* --- sizes --------------------------------------------------------------- */

/* NULL unless @structure names one format that has @component. */
static const GstVideoFormatInfo *
fixed_format (const GstStructure *structure, gint component)
{
  const gchar *name = gst_structure_get_string (structure, "format");
  GstVideoFormat format = name ? gst_video_format_from_string (name)
                               : GST_VIDEO_FORMAT_UNKNOWN;
  const GstVideoFormatInfo *info;

  if (format == GST_VIDEO_FORMAT_UNKNOWN)
    return NULL;

  info = gst_video_format_get_info (format);

  return component < (gint) GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info) ? info
                                                                      : NULL;
}

/* user_data: log2 of the subsampling, exactly known */
static gint
subsample (gint n, gboolean upper, gpointer user_data)
{
  const gint shift = GPOINTER_TO_INT (user_data);

  return n == G_MAXINT ? n : -((-n) >> shift);
}

static void
map_dimensions (const GstStructure *in, GstStructure *out, gint w_sub,
    gint h_sub)
{
  gst_cl_dimension_map (in, out, "width", subsample, GINT_TO_POINTER (w_sub));
  gst_cl_dimension_map (in, out, "height", subsample, GINT_TO_POINTER (h_sub));
}

static void
copy_framerate (const GstStructure *in, GstStructure *out)
{
  const GValue *framerate = gst_structure_get_value (in, "framerate");

  if (framerate)
    gst_structure_set_value (out, "framerate", framerate);
}

/* --- structures ---------------------------------------------------------- */

/* The sums of every format that @raw admits; FALSE if it admits none. */
static gboolean
set_sum_formats (const GstStructure *raw, GstStructure *out,
    const GstClIntegralChoice *choice)
{
  GValue list = G_VALUE_INIT;
  const GstClFormat *rows;
  guint n_rows;

  g_value_init (&list, GST_TYPE_LIST);
  rows = gst_cl_formats (&n_rows);
  for (guint i = 0; i < n_rows; i++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (rows[i].format);

    if (admits_string (raw, "format", GST_VIDEO_FORMAT_INFO_NAME (info)))
      append_once (&list, sum_format_name (choice, info));
  }

  return take_list (out, "format", &list);
}

static GstStructure *
integral_of_raw (const GstStructure *raw, const GstClIntegralChoice *choice)
{
  const GstVideoFormatInfo *format = fixed_format (raw, choice->component);
  GstStructure *out = gst_structure_new (GST_CL_INTEGRAL_MEDIA_TYPE, "layout",
      G_TYPE_STRING, gst_cl_layout_name (choice->layout), "squares",
      G_TYPE_BOOLEAN, choice->squares, "tilted", G_TYPE_BOOLEAN, choice->tilted,
      NULL);

  if (!set_sum_formats (raw, out, choice)) {
    gst_structure_free (out);
    return NULL;
  }
  copy_framerate (raw, out);

  if (choice->component < 0)
    map_dimensions (raw, out, 0, 0);
  else if (format)
    map_dimensions (raw, out,
        GST_VIDEO_FORMAT_INFO_W_SUB (format, choice->component),
        GST_VIDEO_FORMAT_INFO_H_SUB (format, choice->component));

  if (choice->component >= 0)
    gst_structure_set (out, "channels", G_TYPE_INT, 1, NULL);
  else if (format)
    gst_structure_set (out, "channels", G_TYPE_INT,
        gst_cl_format_main_components (format), NULL);

  return out;
}

/* The formats that give sums as @integral admits them; FALSE if none does. A
 * format that lacks the component passes, so that configuring can say so. */
static gboolean
set_raw_formats (const GstStructure *integral, GstStructure *out,
    const GstClIntegralChoice *choice)
{
  GValue list = G_VALUE_INIT;
  const GstClFormat *rows;
  guint n_rows;

  g_value_init (&list, GST_TYPE_LIST);
  rows = gst_cl_formats (&n_rows);
  for (guint i = 0; i < n_rows; i++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (rows[i].format);
    const gint channels = choice->component >= 0
                              ? 1
                              : gst_cl_format_main_components (info);

    if (admits_int (integral, "channels", channels) &&
        admits_string (integral, "format", sum_format_name (choice, info)))
      append_once (&list, GST_VIDEO_FORMAT_INFO_NAME (info));
  }

  return take_list (out, "format", &list);
}

static GstStructure *
raw_of_integral (const GstStructure *integral,
    const GstClIntegralChoice *choice)
{
  GstStructure *out = gst_structure_new_empty ("video/x-raw");

  if (!admits_boolean (integral, "squares", choice->squares) ||
      !admits_boolean (integral, "tilted", choice->tilted) ||
      !set_raw_formats (integral, out, choice)) {
    gst_structure_free (out);
    return NULL;
  }
  copy_framerate (integral, out);
  if (choice->component < 0)
    map_dimensions (integral, out, 0, 0);

  return out;
}

GstCaps *
gst_cl_integral_map_structure (const GstClIntegralChoice *choice,
    GstPadDirection direction, const GstStructure *structure)
{
  GstCaps *caps = gst_caps_new_empty ();
  GstStructure *mapped = direction == GST_PAD_SINK
                             ? integral_of_raw (structure, choice)
                             : raw_of_integral (structure, choice);

  if (mapped)
    gst_caps_append_structure (caps, mapped);

  return caps;
}

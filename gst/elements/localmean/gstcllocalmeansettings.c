/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cllocalmean's properties: whether they go with a frame, and as the ops take
 * them. */

#include "gstcllocalmeansettings.h"

#include <math.h>

#include "cl/video/gstclformat.h"

/* --- checks -------------------------------------------------------------- */

static gboolean G_GNUC_PRINTF (2, 3)
    refuse (GError **error, const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, text);

  return FALSE;
}

/* Says which frame it is that settings do not go with. */
static void
name_frame (const GstVideoInfo *video, const GstClIntegralInfo *integral,
    GError **error)
{
  if (video)
    g_prefix_error (error, "%dx%d frame of %s: ", GST_VIDEO_INFO_WIDTH (video),
        GST_VIDEO_INFO_HEIGHT (video), GST_VIDEO_INFO_NAME (video));
  else
    g_prefix_error (error, "%dx%d integral image: ", integral->width,
        integral->height);
}

static gboolean
check_anchor (const gchar *name, gint anchor, const gchar *kernel_name,
    gint kernel, GError **error)
{
  if (anchor < kernel)
    return TRUE;

  return refuse (error, "property %s is %d, outside the window: %s is %d.",
      name, anchor, kernel_name, kernel);
}

static gboolean
check_window (const GstClWindow *window, gint width, gint height,
    const GstVideoInfo *video, GError **error)
{
  if (!check_anchor ("anchor-x", window->anchor_x, "kernel-width",
          window->kernel_width, error) ||
      !check_anchor ("anchor-y", window->anchor_y, "kernel-height",
          window->kernel_height, error))
    return FALSE;

  if (window->border != GST_CL_BORDER_VALID)
    return TRUE;

  if (window->kernel_width > width || window->kernel_height > height)
    return refuse (error,
        "with border-mode=valid the window (kernel-width %d, kernel-height %d) "
        "must fit into it.",
        window->kernel_width, window->kernel_height);

  if (video && gst_cl_format_is_subsampled (video->finfo))
    return refuse (error,
        "border-mode=valid needs a format without chroma subsampling.");

  return TRUE;
}

static gboolean
check_repeat (const GstClLocalMeanSettings *settings, gboolean is_video,
    GError **error)
{
  const GstClWindow *window = &settings->window;

  if (settings->repeat == 1)
    return TRUE;
  if (settings->operation != GST_CL_LOCAL_MEAN_OPERATION_MEAN)
    return refuse (error, "property repeat is %d: operation must be mean.",
        settings->repeat);
  if (window->step_x != 1 || window->step_y != 1)
    return refuse (error,
        "property repeat is %d: step-x and step-y must be 1, not %d and %d.",
        settings->repeat, window->step_x, window->step_y);
  if (window->border == GST_CL_BORDER_VALID)
    return refuse (error, "property repeat is %d: border-mode cannot be valid.",
        settings->repeat);
  if (!is_video)
    return refuse (error, "property repeat is %d, which takes video.",
        settings->repeat);

  return TRUE;
}

static gboolean
check_exactness (const GstClIntegralInfo *integral, GError **error)
{
  if (!integral || !integral->is_float)
    return TRUE;

  return refuse (error,
      "its sums are floats, which are not exact: set clintegral sum-format=u32 "
      "or u64.");
}

static gboolean
check_squares (const GstClLocalMeanSettings *settings,
    const GstClIntegralInfo *integral, GError **error)
{
  if (!integral || integral->has_squares ||
      !gst_cl_local_mean_needs_squares (settings->operation))
    return TRUE;

  return refuse (error,
      "property operation takes the standard deviation, and there are no sums "
      "of squares: set clintegral squares=true.");
}

gboolean
gst_cl_local_mean_settings_check (const GstClLocalMeanSettings *settings,
    const GstVideoInfo *video, const GstClIntegralInfo *integral,
    GError **error)
{
  const gint width = video ? GST_VIDEO_INFO_WIDTH (video) : integral->width;
  const gint height = video ? GST_VIDEO_INFO_HEIGHT (video) : integral->height;

  if (check_window (&settings->window, width, height, video, error) &&
      check_repeat (settings, video != NULL, error) &&
      check_exactness (integral, error) &&
      check_squares (settings, integral, error))
    return TRUE;

  name_frame (video, integral, error);

  return FALSE;
}

gboolean
gst_cl_local_mean_settings_check_sums (const GstClLocalMeanSettings *settings,
    const GstClSampleType *sample, const GstClIntegralInfo *integral,
    GError **error)
{
  const GstClWindow *window = &settings->window;

  if (gst_cl_window_sum_bytes_within (window, integral->width, integral->height,
          (1u << sample->depth) - 1) <= integral->sum_bytes)
    return TRUE;

  refuse (error,
      "a window of kernel-width %d, kernel-height %d can sum up to more than "
      "its 32-bit sums tell apart.",
      window->kernel_width, window->kernel_height);
  name_frame (NULL, integral, error);

  return FALSE;
}

/* --- as the ops take them ------------------------------------------------ */

/* What authors and OpenCV's documentation recommend. */
static gdouble
usual_k (GstClLocalMeanOperation operation)
{
  switch (operation) {
    case GST_CL_LOCAL_MEAN_OPERATION_BRADLEY:
      return 0.15;
    case GST_CL_LOCAL_MEAN_OPERATION_NIBLACK:
      return -0.2;
    case GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA:
      return 0.2;
    case GST_CL_LOCAL_MEAN_OPERATION_WOLF:
      return 0.5;
    case GST_CL_LOCAL_MEAN_OPERATION_NICK:
      return -0.1;
    default:
      return 0;
  }
}

void
gst_cl_local_mean_settings_apply (const GstClLocalMeanSettings *settings,
    const GstClSampleType *sample, GstClLocalMeanProblem *problem)
{
  const gdouble scale = 1 << (sample->depth - 8);
  const guint largest = (1u << sample->depth) - 1;
  const GstClLocalMeanFactors *factors = &settings->factors;
  GstClWindow *window = &problem->window;

  problem->sample = *sample;
  problem->operation = settings->operation;
  problem->repeat = settings->repeat;

  *window = settings->window;
  if (window->anchor_x < 0)
    window->anchor_x = window->kernel_width / 2;
  if (window->anchor_y < 0)
    window->anchor_y = window->kernel_height / 2;
  window->border_value = MIN (
      (guint) floor (settings->border_value * scale + .5), largest);

  problem->factors.k = factors->k == GST_CL_LOCAL_MEAN_USUAL_K
                           ? usual_k (settings->operation)
                           : factors->k;
  problem->factors.r = factors->r * scale;
  problem->factors.offset = factors->offset * scale;
  problem->factors.target = factors->target * scale;
  problem->factors.invert = factors->invert;
}

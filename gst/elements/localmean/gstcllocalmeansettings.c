/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of cllocalmean: their table, checks against the input, and their
 * conversion to problems. */

#include "gstcllocalmeansettings.h"

#include <math.h>

#include "cl/video/gstclformat.h"
#include "cl/video/gstclframe.h"
#include "common/gstclenum.h"

/* --- the table ------------------------------------------------------------ */

#define MAX_SIZE   32767 /* samples; width times height stays below 2^30 */
#define MAX_CODE   255.  /* unit of numbers that scale with the depth */
#define MAX_PASSES 100

GstClEnum gst_cl_border_enum = {
  .name = "GstClLocalMeanBorderMode",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_BORDER_SHRINK, "The window is clipped to the frame",
              "shrink" },
          { GST_CL_BORDER_VALID, "Only whole windows give a result", "valid" },
          { GST_CL_BORDER_REPLICATE, "The nearest sample: aaa|abcd|ddd",
              "replicate" },
          { GST_CL_BORDER_CONSTANT, "Samples of border-value", "constant" },
          { GST_CL_BORDER_REFLECT, "Mirrored with the edge: cba|abcd|dcb",
              "reflect" },
          { GST_CL_BORDER_REFLECT_101, "Mirrored at the edge: dcb|abcd|cba",
              "reflect-101" },
          { GST_CL_BORDER_WRAP, "From the other side: bcd|abcd|abc", "wrap" },
          { 0, NULL, NULL },
      },
};

GstClEnum gst_cl_local_mean_operation_enum = {
  .name = "GstClLocalMeanOperation",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_LOCAL_MEAN_OPERATION_MEAN, "Mean, rounded half up", "mean" },
          { GST_CL_LOCAL_MEAN_OPERATION_STDDEV, "Standard deviation",
              "stddev" },
          { GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE,
              "Pixel minus mean, around mid-grey", "difference" },
          { GST_CL_LOCAL_MEAN_OPERATION_NORMALIZE,
              "Pixel * target / mean: corrects uneven light", "normalize" },
          { GST_CL_LOCAL_MEAN_OPERATION_MEAN_C, "Threshold mean - offset",
              "mean-c" },
          { GST_CL_LOCAL_MEAN_OPERATION_BRADLEY, "Threshold mean * (1 - k)",
              "bradley" },
          { GST_CL_LOCAL_MEAN_OPERATION_NIBLACK, "Threshold mean + k * stddev",
              "niblack" },
          { GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA,
              "Threshold mean * (1 + k * (stddev / r - 1))", "sauvola" },
          { GST_CL_LOCAL_MEAN_OPERATION_WOLF,
              "Threshold mean - k * (mean - min) * (1 - stddev / max stddev)",
              "wolf" },
          { GST_CL_LOCAL_MEAN_OPERATION_NICK,
              "Threshold mean + k * sqrt (2 * stddev^2 + mean^2)", "nick" },
          { 0, NULL, NULL },
      },
};

GstClEnum gst_cl_local_mean_method_enum = {
  .name = "GstClLocalMeanMethod",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_LOCAL_MEAN_METHOD_AUTO,
              "The fastest on the device, as measured", "auto" },
          { GST_CL_LOCAL_MEAN_METHOD_DIRECT,
              "Corners of the integral image from global memory", "direct" },
          { GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY,
              "Corner rows through local memory by asynchronous copies",
              "async-copy" },
          { GST_CL_LOCAL_MEAN_METHOD_SLIDING,
              "Running sums of the samples, no integral image", "sliding" },
          { 0, NULL, NULL },
      },
};

#define FIELD(name) G_STRUCT_OFFSET (GstClLocalMeanSettings, name)
#define CONTROLLED  (GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE)

const GstClProperty gst_cl_local_mean_properties[] = {
  /**
   * GstClLocalMean:kernel-width:
   *
   * Width of the window, in samples of each component. A window wider than the
   * plane covers its whole width.
   *
   * Since: 0.1
   */
  { "kernel-width", "Width of the window in samples, even or odd",
      GST_CL_PROPERTY_INT, FIELD (window.kernel_width), CONTROLLED,
      GST_CL_CHANGE_CAPS, .values.i = { 15, 1, MAX_SIZE } },

  /**
   * GstClLocalMean:kernel-height:
   *
   * Height of the window, in samples of each component. A window taller than
   * the plane covers its whole height.
   *
   * Since: 0.1
   */
  { "kernel-height", "Height of the window in samples, even or odd",
      GST_CL_PROPERTY_INT, FIELD (window.kernel_height), CONTROLLED,
      GST_CL_CHANGE_CAPS, .values.i = { 15, 1, MAX_SIZE } },

  /**
   * GstClLocalMean:anchor-x:
   *
   * Column of the window, counted from 0, at the sample of the result. -1 is
   * the centre.
   *
   * Since: 0.1
   */
  { "anchor-x",
      "Column of the window that the result belongs to; -1: kernel-width / 2",
      GST_CL_PROPERTY_INT, FIELD (window.anchor_x), CONTROLLED,
      GST_CL_CHANGE_OPS, .values.i = { -1, -1, MAX_SIZE - 1 } },

  /**
   * GstClLocalMean:anchor-y:
   *
   * Row of the window, counted from 0, at the sample of the result. -1 is the
   * centre.
   *
   * Since: 0.1
   */
  { "anchor-y",
      "Row of the window that the result belongs to; -1: kernel-height / 2",
      GST_CL_PROPERTY_INT, FIELD (window.anchor_y), CONTROLLED,
      GST_CL_CHANGE_OPS, .values.i = { -1, -1, MAX_SIZE - 1 } },

  /**
   * GstClLocalMean:step-x:
   *
   * Distance in samples between two results of a row. Above 1, output frames
   * are narrower than input frames.
   *
   * Since: 0.1
   */
  { "step-x", "Distance between results, in columns", GST_CL_PROPERTY_INT,
      FIELD (window.step_x), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_CAPS,
      .values.i = { 1, 1, MAX_SIZE } },

  /**
   * GstClLocalMean:step-y:
   *
   * Distance in samples between two rows of results. Above 1, output frames are
   * lower than input frames.
   *
   * Since: 0.1
   */
  { "step-y", "Distance between results, in rows", GST_CL_PROPERTY_INT,
      FIELD (window.step_y), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_CAPS,
      .values.i = { 1, 1, MAX_SIZE } },

  /**
   * GstClLocalMean:border-mode:
   *
   * How to treat samples beyond the frame's edge. The names are those of
   * OpenCV's border types, except `shrink`, which ignores these samples, and
   * `valid`, which gives results only for whole windows.
   *
   * Since: 0.1
   */
  { "border-mode", "How to treat samples beyond the frame's edge",
      GST_CL_PROPERTY_ENUM, FIELD (window.border), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_CAPS,
      .values.e = { GST_CL_BORDER_SHRINK, &gst_cl_border_enum } },

  /**
   * GstClLocalMean:planes:
   *
   * Components to filter. Other components are copied; with steps, only the
   * samples at the positions of results.
   *
   * Since: 0.1
   */
  { "planes", "Components to filter; the others are copied",
      GST_CL_PROPERTY_FLAGS, FIELD (planes), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_PLANES_ALL, &gst_cl_planes_enum } },

  /**
   * GstClLocalMean:split-fields:
   *
   * Filters the two fields of an interlaced frame separately: windows and
   * steps count the rows of a field, and the output frame has the results of
   * both fields, row by row. If it is false, windows have rows of both fields.
   *
   * Since: 0.3
   */
  { "split-fields", "Filter the fields of interlaced frames separately",
      GST_CL_PROPERTY_BOOLEAN, FIELD (split_fields), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_CAPS, .values.boolean = TRUE },

  /**
   * GstClLocalMean:operation:
   *
   * The result: the mean or the deviation of the window, the sample corrected
   * by the mean, or full scale if the sample is above a local threshold and 0
   * otherwise.
   *
   * Since: 0.3
   */
  { "operation", "What to compute in the window", GST_CL_PROPERTY_ENUM,
      FIELD (operation), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_LOCAL_MEAN_OPERATION_MEAN,
          &gst_cl_local_mean_operation_enum } },

  /**
   * GstClLocalMean:k:
   *
   * Weight in the formula of a threshold. -10 selects the value that the
   * authors of the operation recommend.
   *
   * Since: 0.3
   */
  { "k",
      "Weight in the formula of a threshold; -10: the usual value of the "
      "operation, bradley 0.15, niblack -0.2, sauvola 0.2, wolf 0.5, nick -0.1",
      GST_CL_PROPERTY_DOUBLE, FIELD (factors.k), CONTROLLED,
      GST_CL_CHANGE_FRAMES,
      .values.d = { GST_CL_LOCAL_MEAN_USUAL_K, GST_CL_LOCAL_MEAN_USUAL_K,
          -GST_CL_LOCAL_MEAN_USUAL_K } },

  /**
   * GstClLocalMean:r:
   *
   * Deviation at which the threshold of `sauvola` equals the mean. With more
   * than 8 bits, it is scaled with the depth.
   *
   * Since: 0.3
   */
  { "r",
      "Deviation at which the threshold of sauvola equals the mean, in codes "
      "of 8 bits",
      GST_CL_PROPERTY_DOUBLE, FIELD (factors.r), CONTROLLED,
      GST_CL_CHANGE_FRAMES, .values.d = { 128, 1. / 256, MAX_CODE } },

  /**
   * GstClLocalMean:offset:
   *
   * Subtracted from every threshold. With more than 8 bits, it is scaled with
   * the depth.
   *
   * Since: 0.3
   */
  { "offset", "Subtracted from every threshold, in codes of 8 bits",
      GST_CL_PROPERTY_DOUBLE, FIELD (factors.offset), CONTROLLED,
      GST_CL_CHANGE_FRAMES, .values.d = { 0, -MAX_CODE, MAX_CODE } },

  /**
   * GstClLocalMean:target:
   *
   * New value of the mean with `normalize`. With more than 8 bits, it is scaled
   * with the depth.
   *
   * Since: 0.3
   */
  { "target", "New value of the mean with normalize, in codes of 8 bits",
      GST_CL_PROPERTY_DOUBLE, FIELD (factors.target), CONTROLLED,
      GST_CL_CHANGE_FRAMES, .values.d = { 128, 0, MAX_CODE } },

  /**
   * GstClLocalMean:invert:
   *
   * Sets samples above the threshold to 0 and all others to full scale.
   *
   * Since: 0.3
   */
  { "invert", "Thresholds: full scale at or below the threshold, not above",
      GST_CL_PROPERTY_BOOLEAN, FIELD (factors.invert), CONTROLLED,
      GST_CL_CHANGE_FRAMES, .values.boolean = FALSE },

  /**
   * GstClLocalMean:border-value:
   *
   * Value of the samples beyond the frame with #GstClLocalMean:border-mode
   * `constant`. With more than 8 bits, it is scaled with the depth.
   *
   * Since: 0.3
   */
  { "border-value",
      "Samples beyond the frame with border-mode=constant, in codes of 8 bits",
      GST_CL_PROPERTY_DOUBLE, FIELD (border_value), CONTROLLED,
      GST_CL_CHANGE_OPS, .values.d = { 0, 0, MAX_CODE } },

  /**
   * GstClLocalMean:repeat:
   *
   * Number of passes of the mean; each uses the result of the pass before. More
   * than one pass needs video input, steps of 1 and a border other than
   * `valid`.
   *
   * Since: 0.3
   */
  { "repeat",
      "Passes of the mean; two give a triangle, three nearly a Gaussian",
      GST_CL_PROPERTY_INT, FIELD (repeat), CONTROLLED, GST_CL_CHANGE_OPS,
      .values.i = { 1, 1, MAX_PASSES } },

  /**
   * GstClLocalMean:method:
   *
   * How the device computes the means; all methods give the same bits. `auto`
   * measures once per device, caps and window, and stores the fastest.
   *
   * Since: 0.1
   */
  { "method", "How the device computes the means", GST_CL_PROPERTY_ENUM,
      FIELD (method), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_LOCAL_MEAN_METHOD_AUTO,
          &gst_cl_local_mean_method_enum } },
};

/* --- checks -------------------------------------------------------------- */

static gboolean G_GNUC_PRINTF (2, 3)
    set_error (GError **error, const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, text);

  return FALSE;
}

/* Appends the description of the input that the settings do not support. */
static void
prefix_input (const GstVideoInfo *video, const GstClIntegralInfo *integral,
    GError **error)
{
  if (video)
    g_prefix_error (error, "%dx%d frame of %s: ", GST_VIDEO_INFO_WIDTH (video),
        GST_VIDEO_INFO_FIELD_HEIGHT (video), GST_VIDEO_INFO_NAME (video));
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

  return set_error (error, "property %s is %d, outside the window: %s is %d.",
      name, anchor, kernel_name, kernel);
}

/* @splits_fields: the window must fit into each field of a frame of @height
 * rows. */
static gboolean
check_window (const GstClWindow *window, gint width, gint height,
    gboolean splits_fields, const GstVideoInfo *video, GError **error)
{
  /* a frame of one row has no bottom field */
  const gint rows = splits_fields && height > 1
                        ? gst_cl_row_set_count (GST_CL_ROWS_BOTTOM, height)
                        : height;

  if (!check_anchor ("anchor-x", window->anchor_x, "kernel-width",
          window->kernel_width, error) ||
      !check_anchor ("anchor-y", window->anchor_y, "kernel-height",
          window->kernel_height, error))
    return FALSE;

  if (window->border != GST_CL_BORDER_VALID)
    return TRUE;

  if (window->kernel_width > width || window->kernel_height > rows)
    return set_error (error,
        "with border-mode=valid the window (kernel-width %d, kernel-height %d) "
        "must fit into %s.",
        window->kernel_width, window->kernel_height,
        splits_fields ? "each of its fields" : "it");

  if (video && gst_cl_format_is_subsampled (video->finfo))
    return set_error (error,
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
    return set_error (error, "property repeat is %d: operation must be mean.",
        settings->repeat);
  if (window->step_x != 1 || window->step_y != 1)
    return set_error (error,
        "property repeat is %d: step-x and step-y must be 1, not %d and %d.",
        settings->repeat, window->step_x, window->step_y);
  if (window->border == GST_CL_BORDER_VALID)
    return set_error (error,
        "property repeat is %d: border-mode cannot be valid.",
        settings->repeat);
  if (!is_video)
    return set_error (error, "property repeat is %d, which needs video input.",
        settings->repeat);

  return TRUE;
}

static gboolean
check_exactness (const GstClIntegralInfo *integral, GError **error)
{
  if (!integral || !integral->is_float)
    return TRUE;

  return set_error (error,
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

  return set_error (error,
      "property operation needs the standard deviation, and the integral image "
      "has no sums of squares: set clintegral squares=true.");
}

gboolean
gst_cl_local_mean_settings_split (const GstClLocalMeanSettings *settings,
    const GstVideoInfo *video)
{
  return settings->split_fields && GST_VIDEO_INFO_INTERLACE_MODE (video) ==
                                       GST_VIDEO_INTERLACE_MODE_INTERLEAVED;
}

gboolean
gst_cl_local_mean_settings_check (const GstClLocalMeanSettings *settings,
    const GstVideoInfo *video, const GstClIntegralInfo *integral,
    GError **error)
{
  const gint width = video ? GST_VIDEO_INFO_WIDTH (video) : integral->width;
  const gint height = video ? GST_VIDEO_INFO_FIELD_HEIGHT (video)
                            : integral->height;

  if (check_window (&settings->window, width, height,
          video && gst_cl_local_mean_settings_split (settings, video), video,
          error) &&
      check_repeat (settings, video != NULL, error) &&
      check_exactness (integral, error) &&
      check_squares (settings, integral, error))
    return TRUE;

  prefix_input (video, integral, error);

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

  set_error (error,
      "the sum of a window of kernel-width %d, kernel-height %d can exceed its "
      "32-bit sums.",
      window->kernel_width, window->kernel_height);
  prefix_input (NULL, integral, error);

  return FALSE;
}

/* --- conversion to problems ----------------------------------------------- */

/* Returns the k that the authors and OpenCV's documentation recommend. */
static gdouble
recommended_k (GstClLocalMeanOperation operation)
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
gst_cl_local_mean_settings_get_factors (const GstClLocalMeanSettings *settings,
    const GstClSampleType *sample, GstClLocalMeanFactors *factors)
{
  const gdouble scale = 1 << (sample->depth - 8);

  *factors = settings->factors;
  if (factors->k == GST_CL_LOCAL_MEAN_USUAL_K)
    factors->k = recommended_k (settings->operation);
  factors->r *= scale;
  factors->offset *= scale;
  factors->target *= scale;
}

void
gst_cl_local_mean_settings_apply (const GstClLocalMeanSettings *settings,
    const GstClSampleType *sample, GstClLocalMeanProblem *problem)
{
  const gdouble scale = 1 << (sample->depth - 8);
  const guint largest = (1u << sample->depth) - 1;
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
  gst_cl_local_mean_settings_get_factors (settings, sample, &problem->factors);
}

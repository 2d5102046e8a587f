/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference of cllocalmean: its properties and caps by docs/cllocalmean.md,
 * then the references of the kernel tests. */

#include <math.h>

#include <gst/check/gstcheck.h>

#include "operation/operationreference.h"
#include "frames.h"
#include "reference.h"

/* Properties as applications see them: enums by nick. */
typedef struct {
  const gchar *border, *operation;
  guint planes;
  gint repeat;
  gdouble border_value, k, r, offset, target; /* codes of 8 bits, except k */
  GstClLocalMeanProblem problem;              /* not converted */
} Settings;

static const struct {
  const gchar *nick;
  GstClBorder border;
} borders[] = {
  { "shrink", GST_CL_BORDER_SHRINK },
  { "valid", GST_CL_BORDER_VALID },
  { "replicate", GST_CL_BORDER_REPLICATE },
  { "constant", GST_CL_BORDER_CONSTANT },
  { "reflect", GST_CL_BORDER_REFLECT },
  { "reflect-101", GST_CL_BORDER_REFLECT_101 },
  { "wrap", GST_CL_BORDER_WRAP },
};

static const struct {
  const gchar *nick;
  GstClLocalMeanOperation operation;
  gdouble usual_k;
} operations[] = {
  { "mean", GST_CL_LOCAL_MEAN_OPERATION_MEAN, 0 },
  { "stddev", GST_CL_LOCAL_MEAN_OPERATION_STDDEV, 0 },
  { "difference", GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE, 0 },
  { "normalize", GST_CL_LOCAL_MEAN_OPERATION_NORMALIZE, 0 },
  { "mean-c", GST_CL_LOCAL_MEAN_OPERATION_MEAN_C, 0 },
  { "bradley", GST_CL_LOCAL_MEAN_OPERATION_BRADLEY, .15 },
  { "niblack", GST_CL_LOCAL_MEAN_OPERATION_NIBLACK, -.2 },
  { "sauvola", GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA, .2 },
  { "wolf", GST_CL_LOCAL_MEAN_OPERATION_WOLF, .5 },
  { "nick", GST_CL_LOCAL_MEAN_OPERATION_NICK, -.1 },
};

/* --- properties ---------------------------------------------------------- */

static const gchar *
get_nick (GstElement *element, const gchar *property)
{
  const GParamSpec *problem = g_object_class_find_property (
      G_OBJECT_GET_CLASS (element), property);
  gint value;

  g_object_get (element, property, &value, NULL);

  return g_enum_get_value (G_PARAM_SPEC_ENUM (problem)->enum_class, value)
      ->value_nick;
}

static void
read_settings (GstElement *element, Settings *settings)
{
  GstClWindow *window = &settings->problem.window;

  memset (settings, 0, sizeof *settings);
  settings->border = get_nick (element, "border-mode");
  settings->operation = get_nick (element, "operation");
  g_object_get (element, "kernel-width", &window->kernel_width, "kernel-height",
      &window->kernel_height, "anchor-x", &window->anchor_x, "anchor-y",
      &window->anchor_y, "step-x", &window->step_x, "step-y", &window->step_y,
      "planes", &settings->planes, "repeat", &settings->repeat, NULL);
  g_object_get (element, "border-value", &settings->border_value, "k",
      &settings->k, "r", &settings->r, "offset", &settings->offset, "target",
      &settings->target, "invert", &settings->problem.factors.invert, NULL);
}

/* Sets the parameters that depend on the @depth of results. */
static void
fill_spec (Settings *settings, guint depth)
{
  GstClLocalMeanProblem *problem = &settings->problem;
  const gdouble scale = 1 << (depth - 8);

  for (guint i = 0; i < G_N_ELEMENTS (borders); i++) {
    if (g_str_equal (borders[i].nick, settings->border))
      problem->window.border = borders[i].border;
  }
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++) {
    if (g_str_equal (operations[i].nick, settings->operation)) {
      problem->operation = operations[i].operation;
      problem->factors.k = settings->k == -10 ? operations[i].usual_k
                                              : settings->k;
    }
  }

  if (problem->window.anchor_x < 0)
    problem->window.anchor_x = problem->window.kernel_width / 2;
  if (problem->window.anchor_y < 0)
    problem->window.anchor_y = problem->window.kernel_height / 2;
  problem->window.border_value = (guint) floor (
      settings->border_value * scale + .5);
  problem->factors.r = settings->r * scale;
  problem->factors.offset = settings->offset * scale;
  problem->factors.target = settings->target * scale;
  problem->sample.depth = depth;
}

/* --- results ------------------------------------------------------------- */

static guint32 *
samples_of (const guint16 *codes, gsize n)
{
  guint32 *samples = g_new (guint32, n);

  for (gsize i = 0; i < n; i++)
    samples[i] = codes[i];

  return samples;
}

/* Codes above the largest code of the results are cut to it. */
static guint16 *
make_copy (const guint16 *codes, const GstClLocalMeanProblem *problem,
    gint n_results)
{
  const gint max = (1 << problem->sample.depth) - 1;
  g_autofree guint32 *samples = samples_of (codes,
      (gsize) problem->width * problem->height);
  guint16 *results = ref_local_mean_copy (samples, problem->width,
      problem->height, &problem->window);

  for (gint i = 0; i < n_results; i++)
    results[i] = (guint16) MIN (results[i], max);

  return results;
}

static guint16 *
make_means (const guint16 *codes, const GstClLocalMeanProblem *problem,
    gint repeat)
{
  const gsize n = (gsize) problem->width * problem->height;
  guint16 *results = NULL;

  for (gint pass = 0; pass < repeat; pass++) {
    g_autofree guint32 *samples = samples_of (results ? results : codes, n);

    g_free (results);
    results = ref_local_mean (samples, problem->width, problem->height,
        &problem->window, 8, (1u << problem->sample.depth) - 1);
  }

  return results;
}

static guint16 *
make_results (const guint16 *codes, const Settings *settings,
    gboolean is_filtered, gint n_results)
{
  const GstClLocalMeanProblem *problem = &settings->problem;
  g_autofree guint32 *samples = NULL;

  if (!is_filtered)
    return make_copy (codes, problem, n_results);
  if (problem->operation == GST_CL_LOCAL_MEAN_OPERATION_MEAN)
    return make_means (codes, problem, settings->repeat);

  samples = samples_of (codes, (gsize) problem->width * problem->height);

  return ref_local_op (samples, problem);
}

/* Checks the results for the input @codes, which has the size of the
 * problem. */
static void
expect_results (const Settings *settings, gboolean is_filtered,
    const guint16 *results, gint width, gint height, const guint16 *codes,
    const gchar *what)
{
  const GstClLocalMeanProblem *problem = &settings->problem;
  const GstClWindow *window = &problem->window;
  g_autofree guint16 *expected = NULL;
  gint columns, rows;

  ref_local_mean_size (problem->width, problem->height, window, &columns,
      &rows);
  fail_unless_equals_int (width, columns);
  fail_unless_equals_int (height, rows);

  expected = make_results (codes, settings, is_filtered, width * height);
  for (gint i = 0; i < width * height; i++) {
    if (results[i] != expected[i])
      fail ("%s %dx%d, %s, window %dx%d, step %dx%d, border %s, k %f, offset "
            "%f: result at %d, %d is %d, expected %d",
          what, problem->width, problem->height, settings->operation,
          window->kernel_width, window->kernel_height, window->step_x,
          window->step_y, settings->border, settings->k, settings->offset,
          i % width, i / width, results[i], expected[i]);
  }
}

/* Checks that the bits below the codes are 0. */
static void
expect_clean_words (GstBuffer *frame, const GstVideoInfo *info, guint component)
{
  const guint mask = (1u << frame_shift (info)) - 1;
  gint width, height;
  g_autofree guint8 *low = frame_component (frame, info, component, &width,
      &height);

  for (gint i = 0; i < width * height; i++)
    fail_unless ((low[i] & mask) == 0,
        "%s, sample %d: bits below the code are not 0",
        GST_VIDEO_INFO_NAME (info), i);
}

void
expect_component_means (GstElement *element, GstBuffer *out,
    const GstVideoInfo *out_info, guint out_component, GstBuffer *in,
    const GstVideoInfo *in_info, guint in_component)
{
  Settings settings;
  gint width, height;
  g_autofree guint16 *codes = NULL;
  g_autofree guint16 *results = frame_codes (out, out_info, out_component,
      &width, &height);

  read_settings (element, &settings);
  fill_spec (&settings, GST_VIDEO_INFO_COMP_DEPTH (out_info, out_component));
  codes = frame_codes (in, in_info, in_component, &settings.problem.width,
      &settings.problem.height);
  expect_results (&settings, (settings.planes >> out_component) & 1, results,
      width, height, codes, GST_VIDEO_INFO_NAME (in_info));
  expect_clean_words (out, out_info, out_component);
}

/* Checks that the padding bytes are copied. */
static void
expect_padding (GstElement *element, GstBuffer *out,
    const GstVideoInfo *out_info, GstBuffer *in, const GstVideoInfo *in_info)
{
  const gint width = GST_VIDEO_INFO_WIDTH (in_info);
  const gint height = GST_VIDEO_INFO_FIELD_HEIGHT (in_info);
  const gint columns = GST_VIDEO_INFO_WIDTH (out_info);
  const gint rows = GST_VIDEO_INFO_FIELD_HEIGHT (out_info);
  g_autofree guint8 *from = frame_padding (in, in_info);
  g_autofree guint8 *to = frame_padding (out, out_info);
  g_autofree guint16 *codes = g_new (guint16, (gsize) width * height);
  g_autofree guint16 *results = g_new (guint16, (gsize) columns * rows);
  Settings settings;

  for (gint i = 0; i < width * height; i++)
    codes[i] = from[i];
  for (gint i = 0; i < columns * rows; i++)
    results[i] = to[i];

  read_settings (element, &settings);
  fill_spec (&settings, 8);
  settings.problem.width = width;
  settings.problem.height = height;
  expect_results (&settings, FALSE, results, columns, rows, codes, "padding");
}

void
expect_means (GstElement *element, GstBuffer *out, const GstVideoInfo *out_info,
    GstBuffer *in, const GstVideoInfo *in_info)
{
  fail_unless_equals_int (GST_VIDEO_INFO_FORMAT (out_info),
      GST_VIDEO_INFO_FORMAT (in_info));
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (in_info); c++)
    expect_component_means (element, out, out_info, c, in, in_info, c);

  if (frame_has_padding (in_info))
    expect_padding (element, out, out_info, in, in_info);
}

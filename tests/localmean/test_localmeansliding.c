/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sliding windows: those that change from run to run, and samples of 16 bits,
 * against the definition. */

#include <string.h>

#include "localmeancase.h"
#include "ops/localmean/localmeansliding.h"
#include "localmeanreference.h"

#define WINDOWS_OF_AN_INSTANCE 12

static GstClFamily
labelled_family (const Harness *h)
{
  return strstr (h->label, "/cpu/") ? GST_CL_FAMILY_CPU : GST_CL_FAMILY_GPU;
}

/* One instance, whose window changes from run to run. */
static void
check_instance (Harness *h, gint width, gint height, GstClBorder border,
    gint src_stride, gint dst_stride)
{
  const GstClImplementation *row = gst_cl_local_mean_variants (&(guint){ 0 });
  const GstClLocalMeanSlidingSpec spec = {
    .family = labelled_family (h),
    .sample = { .bytes = 1, .depth = 8 },
    .src_pixel_stride_bytes = src_stride,
    .dst_pixel_stride_bytes = dst_stride,
    .width = width,
    .height = height,
    .window = { .kernel_width = 1, .kernel_height = 1, .border = border },
  };
  const guint n_windows = harness_count (h, WINDOWS_OF_AN_INSTANCE, 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClLocalMeanSliding)
      op = gst_cl_local_mean_sliding_new (h->context, &spec, &error);

  if (!op)
    harness_fail (h, error, "%dx%d", width, height);

  for (guint n = 0; n < n_windows && h->n_failed == 0; n++) {
    MeanCase c = mean_case_random (h, row, width, height);
    g_autofree guint32 *samples = NULL;
    g_autofree gchar *what = NULL;
    TestPlane *src, *dst;

    c.spec.window.border = border;
    c.spec.src_pixel_stride_bytes = src_stride;
    c.spec.dst_pixel_stride_bytes = dst_stride;
    if (n == 1) {
      /* from no row to one: changes of more than 16 bits with a sign */
      c.spec.window.kernel_width = MIN (width, 129 + 32 * (width % 5));
      c.spec.window.kernel_height = 1;
      c.spec.window.anchor_x = c.spec.window.kernel_width / 2;
      c.spec.window.anchor_y = 0;
      c.spec.window.step_x = c.spec.window.step_y = 1;
    }
    c.fill = n == 1 ? FILL_MAX : n % 2 ? FILL_RANDOM : n / 2 % N_FILL_TYPES;
    if (!gst_cl_local_mean_sliding_takes (&spec, &c.spec.window))
      continue;

    what = mean_case_describe (&c);
    src = test_plane_new (h, width, height, 1, src_stride, c.src_pad,
        c.src_guard);
    dst = mean_case_results (h, &c);
    test_plane_fill (h, src, c.fill);
    samples = mean_case_samples (src);
    if (gst_cl_local_mean_sliding_run (op, src->components, dst->components,
            &c.spec.window, &error))
      mean_case_check (h, &c, dst, samples);
    else
      harness_fail (h, error, "%s", what);
    test_plane_free (src);
    test_plane_free (dst);
  }
}

static void
check_windows (Harness *h)
{
  const guint n_forms = harness_count (h, 3, 1);
  guint n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint i = 0; i < n_sizes; i++) {
    for (guint k = 0; k < n_forms && h->n_failed == 0; k++) {
      const MeanForm form = mean_case_form (h, labelled_family (h), 3 * i + k);

      check_instance (h, sizes[i].width, sizes[i].height, form.border,
          form.src_pixel_stride, form.dst_pixel_stride);
    }
  }
}

/* Samples of 16 bits */

typedef struct {
  GstClLocalMeanSlidingSpec spec;
  gint stride_bytes;
  gsize size_bytes;
  guint16 *samples; /* as stored */
} Wide;

/* Means as they are stored. */
static guint16 *
wide_means (const Wide *wide, const GstClWindow *window, gsize n_results)
{
  const gint width = wide->spec.width, height = wide->spec.height;
  const GstClSampleType *sample = &wide->spec.sample;
  g_autofree guint32 *codes = g_new (guint32, (gsize) width * height);
  guint16 *means;

  for (gint y = 0; y < height; y++) {
    for (gint x = 0; x < width; x++)
      codes[y * width + x] = wide->samples[y * wide->stride_bytes / 2 + x] >>
                             sample->shift;
  }
  means = ref_local_mean (codes, width, height, window, 4,
      (1u << sample->depth) - 1);
  for (gsize i = 0; i < n_results; i++)
    means[i] = (guint16) (means[i] << sample->shift);

  return means;
}

static void
check_wide_window (Harness *h, const Wide *wide, const GstClWindow *window)
{
  const GstClLocalMeanSlidingSpec *spec = &wide->spec;
  const gint columns = gst_cl_window_results (window->border, spec->width,
      window->kernel_width, window->step_x);
  const gint rows = gst_cl_window_results (window->border, spec->height,
      window->kernel_height, window->step_y);
  const gsize n_bytes = (gsize) columns * rows * 2;
  g_autofree guint16 *got = g_malloc (n_bytes);
  g_autofree guint16 *want = wide_means (wide, window, (gsize) columns * rows);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClLocalMeanSliding) op = NULL;
  cl_mem mems[2] = { NULL, NULL };

  op = gst_cl_local_mean_sliding_new (h->context, spec, &error);
  mems[0] = gst_cl_buffer_new (h->context, wide->size_bytes, &error);
  mems[1] = gst_cl_buffer_new (h->context, n_bytes, &error);
  if (op && mems[0] && mems[1] &&
      gst_cl_buffer_write (h->context, mems[0], 0, wide->size_bytes,
          wide->samples, &error) &&
      gst_cl_local_mean_sliding_run (op,
          &(GstClComponent){ .mem = mems[0],
              .stride_bytes = wide->stride_bytes },
          &(GstClComponent){ .mem = mems[1], .stride_bytes = columns * 2 },
          window, &error) &&
      gst_cl_buffer_read (h->context, mems[1], 0, n_bytes, got, &error))
    test_bytes_equal (h, (guint8 *) got, (guint8 *) want, n_bytes,
        "%dx%d depth %u, window %dx%d step %d,%d border %d", spec->width,
        spec->height, spec->sample.depth, window->kernel_width,
        window->kernel_height, window->step_x, window->step_y, window->border);
  else
    harness_fail (h, error, "%dx%d", spec->width, spec->height);

  gst_cl_buffer_free (mems[0]);
  gst_cl_buffer_free (mems[1]);
}

static void
check_wide_samples (Harness *h)
{
  static const GstClSampleType types[] = { { 2, 10, 6 }, { 2, 16, 0 } };

  const guint n_windows = harness_count (h, 24, 6);
  const gint largest = (gint) harness_count (h, 300, 70);

  for (guint i = 0; i < n_windows && h->n_failed == 0; i++) {
    const gint width = g_rand_int_range (h->rand, 1, largest);
    const gint height = g_rand_int_range (h->rand, 1, 40);
    const MeanForm form = mean_case_form (h, labelled_family (h), i);
    const GstClSampleType type = types[form.border % 2];
    MeanCase c = mean_case_random (h,
        gst_cl_local_mean_variants (&(guint){ 0 }), width, height);
    Wide wide = {
      .spec = {
        .family = labelled_family (h),
        .sample = type,
        .src_pixel_stride_bytes = 2,
        .dst_pixel_stride_bytes = 2,
        .width = width,
        .height = height,
      },
      .stride_bytes = 2 * (width + g_rand_int_range (h->rand, 0, 8)),
    };
    g_autofree guint16 *samples = NULL;

    c.spec.window.border = form.border;
    wide.spec.window = c.spec.window;
    if (!gst_cl_local_mean_sliding_takes (&wide.spec, &c.spec.window))
      continue;
    wide.size_bytes = (gsize) wide.stride_bytes * height;
    wide.samples = samples = g_malloc (wide.size_bytes);
    for (gsize k = 0; k < wide.size_bytes / 2; k++)
      samples[k] = (guint16) (g_rand_int (h->rand) << type.shift);
    check_wide_window (h, &wide, &c.spec.window);
  }
}

static void
check_limits (Harness *h)
{
  GstClLocalMeanSlidingSpec spec = {
    .family = labelled_family (h),
    .sample = { .bytes = 1, .depth = 8 },
    .width = 300,
    .height = 4200,
    .window = { .kernel_width = 3, .kernel_height = 3 },
  };
  const gint widest = spec.family == GST_CL_FAMILY_CPU ? 300 : 188;
  GstClWindow window = spec.window;

  window.kernel_width = widest;
  if (!gst_cl_local_mean_sliding_takes (&spec, &window))
    harness_fail (h, NULL, "%d columns are not taken", widest);
  window.kernel_width = widest + 1;
  if (gst_cl_local_mean_sliding_takes (&spec, &window))
    harness_fail (h, NULL, "%d columns are taken", widest + 1);
  window.kernel_width = 3;
  window.border = GST_CL_BORDER_REPLICATE;
  if (gst_cl_local_mean_sliding_takes (&spec, &window))
    harness_fail (h, NULL, "another border is taken");
  spec.sample = (GstClSampleType){ .bytes = 2, .depth = 16 };
  window = (GstClWindow){ .kernel_width = 188, .kernel_height = 400 };
  if (gst_cl_local_mean_sliding_takes (&spec, &window))
    harness_fail (h, NULL, "sums beyond 2^32 are taken");
}

int
main (int argc, char **argv)
{
  static const HarnessCase cases[] = {
    { "localmeansliding/cpu/windows", check_windows, NULL, FALSE },
    { "localmeansliding/cpu/wide-samples", check_wide_samples, NULL, FALSE },
    { "localmeansliding/cpu/limits", check_limits, NULL, FALSE },
    { "localmeansliding/gpu/windows", check_windows, NULL, FALSE },
    { "localmeansliding/gpu/wide-samples", check_wide_samples, NULL, FALSE },
    { "localmeansliding/gpu/limits", check_limits, NULL, FALSE },
  };

  return harness_main (argc, argv, cases, G_N_ELEMENTS (cases));
}

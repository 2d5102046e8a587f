/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The op "template": every implementation against the definition, and its
 * speed. */

#include "harness/rows.h"
#include "template.h"
#include "templatereference.h"

#define MAX_PAD   5
#define MAX_GUARD 7

/* The row that the case is named after. */
static const GstClImplementation *
row_of_case (const Harness *h)
{
  return harness_row (h, &gst_cl_template_table);
}

static GstClTemplateProblem
problem_of (const GstClComponent *component)
{
  return (GstClTemplateProblem){
    .width = component->width,
    .height = component->height,
    .pixel_stride_bytes = component->pixel_stride_bytes,
    .sample = component->sample,
  };
}

static gboolean
run_row (Harness *h, const GstClTemplateIo *io, GError **error)
{
  const GstClImplementation *row = row_of_case (h);
  const GstClTemplateProblem problem = problem_of (&io->src);
  const GstClCandidate candidate = gst_cl_implementation_untuned (row, &problem,
      h->context->device);
  GstClInstance instance = { NULL };
  const gboolean done = gst_cl_instance_init (&instance, h->context, &candidate,
                            &problem, error) &&
                        gst_cl_instance_run (&instance, io, error);

  gst_cl_instance_clear (&instance);

  return done;
}

/* What @want, which holds what @dst held before, should hold afterwards. */
static void
apply_reference (guint8 *want, const TestPlane *src, const GstClComponent *dst,
    gint amount)
{
  const GstClComponent *c = &src->components[0];
  const guint largest = (1u << c->sample.depth) - 1;

  for (gint y = 0; y < c->height; y++) {
    for (gint x = 0; x < c->width; x++) {
      const gsize from = c->offset_bytes + (gsize) y * c->stride_bytes +
                         (gsize) x * c->pixel_stride_bytes;
      const gsize to = dst->offset_bytes + (gsize) y * dst->stride_bytes +
                       (gsize) x * dst->pixel_stride_bytes;
      const guint code = template_reference (
          test_code (src->bytes, &c->sample, from), amount, largest);

      if (c->sample.bytes == 1)
        want[to] = (guint8) code;
      else
        *(guint16 *) (want + to) = (guint16) (code << c->sample.shift);
    }
  }
}

static void
check_frame (Harness *h, GstClSampleType sample, gint width, gint height,
    gint pixel_stride, gint amount, FillType fill)
{
  const gint pad = g_rand_int_range (h->rand, 0, MAX_PAD) * sample.bytes;
  const gint guard = g_rand_int_range (h->rand, 0, MAX_GUARD) * sample.bytes;
  TestPlane *src = test_plane_new_of (h, sample, width, height, 1, pixel_stride,
      pad, guard);
  TestPlane *dst = test_plane_new_of (h, sample, width, height, 1, pixel_stride,
      pad, guard);
  g_autofree guint8 *want = NULL;
  g_autoptr (GError) error = NULL;
  const GstClTemplateIo io = { .src = src->components[0],
    .dst = dst->components[0],
    .amount = amount };

  test_plane_fill (h, src, fill);
  test_plane_fill (h, dst, FILL_ZERO);
  want = g_memdup2 (dst->bytes, dst->size_bytes);
  apply_reference (want, src, &dst->components[0], amount);

  if (!run_row (h, &io, &error)) {
    harness_fail (h, error, "cannot run on a frame of %dx%d", width, height);
  } else {
    test_plane_download (h, dst);
    test_bytes_equal (h, dst->bytes, want, dst->size_bytes,
        "%dx%d, %u bits, stride %d, amount %d, %s", width, height, sample.depth,
        pixel_stride, amount, fill_type_name (fill));
  }

  test_plane_free (src);
  test_plane_free (dst);
}

/* Checks frames of all sizes and samples that the row supports. */
static void
check (Harness *h)
{
  static const gint strides[] = { 1, 3, 4 };
  const GstClImplementation *row = row_of_case (h);
  guint n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint i = 0; i < n_sizes && h->n_failed == 0; i++) {
    for (guint s = 0; s < n_test_samples && h->n_failed == 0; s++) {
      const gint largest = (1 << test_samples[s].depth) - 1;
      const gint stride = strides[(i + s) % G_N_ELEMENTS (strides)];
      const GstClTemplateProblem problem = {
        .width = sizes[i].width,
        .height = sizes[i].height,
        .pixel_stride_bytes = stride * (gint) test_samples[s].bytes,
        .sample = test_samples[s],
      };

      if (!gst_cl_implementation_supports (row, &problem, h->context->device))
        continue;
      check_frame (h, test_samples[s], sizes[i].width, sizes[i].height, stride,
          g_rand_int_range (h->rand, -largest, largest + 1),
          (FillType) ((i + s) % N_FILL_TYPES));
    }
  }
}

typedef struct {
  GstClInstance instance;
  GstClTemplateIo io;
} Bench;

static gboolean
bench_run (gpointer user_data, GError **error)
{
  Bench *bench = user_data;

  return gst_cl_instance_run (&bench->instance, &bench->io, error);
}

static void
bench (Harness *h)
{
  const gint width = 1920, height = 1080;
  TestPlane *src = test_plane_new (h, width, height, 1, 1, 0, 0);
  TestPlane *dst = test_plane_new (h, width, height, 1, 1, 0, 0);
  const GstClTemplateProblem problem = problem_of (&src->components[0]);
  Bench b = { .io = { src->components[0], dst->components[0], 20 } };
  const GstClCandidate candidate = gst_cl_implementation_untuned (
      row_of_case (h), &problem, h->context->device);
  g_autoptr (GError) error = NULL;

  test_plane_fill (h, src, FILL_RANDOM);
  if (gst_cl_instance_init (&b.instance, h->context, &candidate, &problem,
          &error))
    harness_bench (h, h->label, width, height, (guint64) 2 * width * height,
        bench_run, &b);
  else
    harness_fail (h, error, "cannot create an instance");

  gst_cl_instance_clear (&b.instance);
  test_plane_free (src);
  test_plane_free (dst);
}

int
main (int argc, char **argv)
{
  return harness_rows_main (argc, argv, &gst_cl_template_table, check, bench,
      NULL, 0);
}

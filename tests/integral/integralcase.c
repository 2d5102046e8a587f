/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One frame and its integral image, as the device makes it and as it should
 * be. */

#include "integralcase.h"
#include "integralreference.h"

#include <string.h>

const GstClImplementation *
integral_variant (const gchar *name)
{
  guint n_rows;
  const GstClImplementation *rows = gst_cl_integral_variants (&n_rows);

  return gst_cl_implementation_find (rows, n_rows, name);
}

#define GUARD_BYTE 0x5A

/* Components in random order, as packed formats have them; of one channel any
 * component of the pixel. */
static void
choose_components (Harness *h, Trial *trial)
{
  const gint channels = trial->spec.channels;
  const gint n = (gint) trial->planes[0]->n_components;
  const gint first = g_rand_int_range (h->rand, 0, n);

  for (gint i = 0; i < channels; i++) {
    const gboolean is_planar = trial->n_planes > 1;
    const TestPlane *plane = trial->planes[is_planar ? i : 0];

    trial->components[i] = plane->components[is_planar ? 0 : (first + i) % n];
    trial->bytes[i] = plane->bytes;
  }
}

/* Bytes that shift frames and sums against each other; none in a benchmark,
 * whose frames lie as a pool's do. */
static gint
choose_bytes (Harness *h, gint element_bytes, gint begin, gint end)
{
  return h->is_bench ? 0
                     : element_bytes * g_rand_int_range (h->rand, begin, end);
}

void
trial_init (Harness *h, Trial *trial, const GstClIntegralSpec *spec,
    gboolean is_planar)
{
  g_autoptr (GError) error = NULL;
  const gint bytes = (gint) spec->sample.bytes;
  const gint word_bytes = spec->starts_at_word ? (gint) sizeof (cl_uint)
                                               : (gint) spec->sum_bytes;
  const gsize guard_bytes = choose_bytes (h, word_bytes, 1, 9);
  const gint n_components = spec->channels > 1
                                ? spec->channels
                                : g_rand_int_range (h->rand, 1,
                                      spec->pixel_stride_bytes /
                                              (gint) spec->sample.bytes +
                                          1);

  *trial = (Trial){ .spec = *spec };
  trial->n_planes = is_planar ? spec->channels : 1;
  for (gint i = 0; i < trial->n_planes; i++) {
    trial->planes[i] = test_plane_new_of (h, spec->sample, spec->width,
        spec->height, is_planar ? 1 : n_components,
        spec->pixel_stride_bytes / (gint) spec->sample.bytes,
        choose_bytes (h, bytes, 0, 40), choose_bytes (h, bytes, 0, 20));
  }
  choose_components (h, trial);

  trial->size_bytes = 2 * guard_bytes + ref_integral_size_bytes (spec);
  trial->want = g_malloc (trial->size_bytes);
  trial->got = g_malloc (trial->size_bytes);
  trial->sums = (GstClSums){
    .mem = gst_cl_buffer_new (h->context, trial->size_bytes, &error),
    .offset_bytes = guard_bytes,
    .layout = spec->layout,
    .width = spec->width,
    .height = spec->height,
    .channels = spec->channels,
    .sum_bytes = spec->sum_bytes,
    .is_float = spec->is_float,
  };
  if (!trial->sums.mem)
    g_error ("sums: %s", error->message);
}

void
trial_clear (Trial *trial)
{
  for (gint i = 0; i < trial->n_planes; i++)
    test_plane_free (trial->planes[i]);
  gst_cl_buffer_free (trial->sums.mem);
  g_free (trial->want);
  g_free (trial->got);
}

void
trial_fill (Harness *h, Trial *trial, FillType fill)
{
  for (gint i = 0; i < trial->n_planes; i++)
    test_plane_fill (h, trial->planes[i], fill);

  memset (trial->want, GUARD_BYTE, trial->size_bytes);
  for (gint i = 0; i < trial->spec.channels; i++) {
    ref_integral (&trial->spec, i, trial->bytes[i], &trial->components[i],
        trial->want + trial->sums.offset_bytes);
  }
}

gboolean
trial_run (Harness *h, Trial *trial, GstClIntegralOp *op, GError **error)
{
  memset (trial->got, GUARD_BYTE, trial->size_bytes);

  return gst_cl_buffer_write (h->context, trial->sums.mem, 0, trial->size_bytes,
             trial->got, error) &&
         gst_cl_integral_op_run (op, trial->components, &trial->sums, error) &&
         gst_cl_buffer_read (h->context, trial->sums.mem, 0, trial->size_bytes,
             trial->got, error);
}

void
trial_check (Harness *h, Trial *trial, GstClIntegralOp *op, FillType fill)
{
  g_autoptr (GError) error = NULL;
  const GstClIntegralSpec *spec = &trial->spec;

  trial_fill (h, trial, fill);
  if (!trial_run (h, trial, op, &error)) {
    harness_fail (h, error, "run %dx%d", spec->width, spec->height);
    return;
  }

  test_bytes_equal (h, trial->got, trial->want, trial->size_bytes,
      "%dx%d, %u bits, %d channels, pixel stride %d, %s, kind %d, %u byte %s, "
      "fill %s, "
      "row "
      "stride %d, sums at %" G_GSIZE_FORMAT,
      spec->width, spec->height, spec->sample.depth, spec->channels,
      spec->pixel_stride_bytes,
      spec->layout == GST_CL_LAYOUT_EXCLUSIVE ? "exclusive" : "inclusive",
      spec->kind, spec->sum_bytes, spec->is_float ? "floats" : "sums",
      fill_type_name (fill), trial->components[0].stride_bytes,
      trial->sums.offset_bytes);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of kernel tests: their samples, and the bytes that must not change. */

#include "harness.h"
#include "cl/memory/gstclbuffer.h"

#include <stdio.h>
#include <string.h>

#define GUARD_BYTE 0xA5 /* neither 0 nor 255, so that fills differ from it */

static const TestSize sizes[] = {
  /* clang-format off */
  /* the smallest, and single rows and columns */
  { 1, 1 }, { 2, 1 }, { 1, 2 }, { 3, 3 }, { 7, 1 }, { 1, 7 }, { 300, 1 },
  { 1, 300 },
  /* around powers of two and work-groups */
  { 15, 3 }, { 16, 16 }, { 17, 9 }, { 31, 33 }, { 63, 65 }, { 64, 64 },
  { 65, 63 }, { 127, 5 }, { 128, 128 }, { 129, 127 }, { 255, 17 }, { 256, 8 },
  { 257, 65 },
  /* primes; several tiles each way */
  { 13, 211 }, { 509, 101 }, { 1031, 37 }, { 2053, 7 }, { 5, 2053 },
  { 1283, 521 },
  /* clang-format on */
};

/* One sample; partial vectors, exactly one, and more; tiles and strips each way
 * and both. */
static const TestSize small_sizes[] = { { 1, 1 }, { 3, 7 }, { 53, 5 },
  { 263, 3 }, { 5, 67 }, { 261, 67 } };

const TestSize *
harness_sizes (const Harness *h, guint *n_sizes)
{
  *n_sizes = h->is_small ? G_N_ELEMENTS (small_sizes) : G_N_ELEMENTS (sizes);

  return h->is_small ? small_sizes : sizes;
}

const GstClSampleType test_samples[] = {
  { .bytes = 1, .depth = 8 },
  { .bytes = 2, .depth = 10 },
  { .bytes = 2, .depth = 10, .shift = 6 },
  { .bytes = 2, .depth = 12 },
  { .bytes = 2, .depth = 16 },
};
const guint n_test_samples = G_N_ELEMENTS (test_samples);

TestPlane *
test_plane_new_of (Harness *h, GstClSampleType sample, gint width, gint height,
    guint n_components, gint pixel_stride, gint pad_bytes, gint guard_bytes)
{
  TestPlane *plane = g_new0 (TestPlane, 1);
  g_autoptr (GError) error = NULL;
  const gint bytes = (gint) sample.bytes;
  const gint stride = width * pixel_stride * bytes + pad_bytes;
  /* the last row ends with its last sample: reading on leaves the buffer */
  const gint last_row = ((width - 1) * pixel_stride + (gint) n_components) *
                        bytes;

  g_assert_cmpint (n_components, <=, pixel_stride);
  g_assert_cmpint (pad_bytes % bytes + guard_bytes % bytes, ==, 0);
  plane->context = gst_object_ref (h->context);
  plane->n_components = n_components;
  plane->size_bytes = (gsize) 2 * guard_bytes + (gsize) (height - 1) * stride +
                      last_row;
  plane->bytes = g_malloc (plane->size_bytes);
  memset (plane->bytes, GUARD_BYTE, plane->size_bytes);

  cl_mem mem = gst_cl_buffer_new (h->context, plane->size_bytes, &error);
  if (!mem)
    g_error ("test plane: %s", error->message);

  for (guint c = 0; c < n_components; c++) {
    plane->components[c] = (GstClComponent){
      .mem = mem,
      .offset_bytes = (gsize) guard_bytes + c * bytes,
      .stride_bytes = stride,
      .pixel_stride_bytes = pixel_stride * bytes,
      .width = width,
      .height = height,
      .sample = sample,
    };
  }

  return plane;
}

TestPlane *
test_plane_new (Harness *h, gint width, gint height, guint n_components,
    gint pixel_stride, gint pad_bytes, gint guard_bytes)
{
  return test_plane_new_of (h, test_samples[0], width, height, n_components,
      pixel_stride, pad_bytes, guard_bytes);
}

static guint
fill_code (Harness *h, FillType fill, guint depth, gint x, gint y)
{
  const guint max = (1u << depth) - 1;

  switch (fill) {
    case FILL_MAX:
      return max;
    case FILL_ALTERNATING:
      return (x + y) & 1 ? max : 0;
    case FILL_RANDOM:
      return g_rand_int (h->rand) >> (32 - depth);
    case FILL_ZERO:
    default:
      return 0;
  }
}

static void
fill_component (Harness *h, guint8 *bytes, const GstClComponent *component,
    FillType fill)
{
  for (gint y = 0; y < component->height; y++) {
    guint8 *sample = bytes + component->offset_bytes +
                     (gsize) y * component->stride_bytes;

    for (gint x = 0; x < component->width; x++) {
      const guint16 word = fill_code (h, fill, component->sample.depth, x, y)
                           << component->sample.shift;

      if (component->sample.bytes == 2)
        memcpy (sample, &word, sizeof word);
      else
        *sample = (guint8) word;
      sample += component->pixel_stride_bytes;
    }
  }
}

void
test_plane_fill (Harness *h, TestPlane *plane, FillType fill)
{
  g_autoptr (GError) error = NULL;

  memset (plane->bytes, GUARD_BYTE, plane->size_bytes);
  for (guint c = 0; c < plane->n_components; c++)
    fill_component (h, plane->bytes, &plane->components[c], fill);

  if (!gst_cl_buffer_write (plane->context, plane->components[0].mem, 0,
          plane->size_bytes, plane->bytes, &error))
    harness_fail (h, error, "cannot upload a test plane");
}

void
test_plane_download (Harness *h, TestPlane *plane)
{
  g_autoptr (GError) error = NULL;

  if (!gst_cl_buffer_read (plane->context, plane->components[0].mem, 0,
          plane->size_bytes, plane->bytes, &error))
    harness_fail (h, error, "cannot download a test plane");
}

void
test_plane_free (TestPlane *plane)
{
  if (!plane)
    return;

  gst_cl_buffer_free (plane->components[0].mem);
  gst_object_unref (plane->context);
  g_free (plane->bytes);
  g_free (plane);
}

/* Returns up to sixteen bytes around byte number @at, which is in brackets.
 * transfer full */
static gchar *
hex_dump (const guint8 *bytes, gsize size_bytes, gsize at)
{
  GString *text = g_string_new (NULL);
  const gsize first = at > 8 ? at - 8 : 0;

  for (gsize i = first; i < MIN (first + 16, size_bytes); i++)
    g_string_append_printf (text, i == at ? "[%02x] " : "%02x ", bytes[i]);

  return g_string_free (text, FALSE);
}

gboolean
test_bytes_equal (Harness *h, const guint8 *got, const guint8 *want,
    gsize size_bytes, const gchar *format, ...)
{
  gsize at = 0;
  va_list args;

  if (memcmp (got, want, size_bytes) == 0)
    return TRUE;

  while (got[at] == want[at])
    at++;

  va_start (args, format);
  g_autofree gchar *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree gchar *got_text = hex_dump (got, size_bytes, at);
  g_autofree gchar *want_text = hex_dump (want, size_bytes, at);

  harness_fail (h, NULL,
      "%s: byte %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
      "\n  found    %s\n  expected %s",
      what, at, size_bytes, got_text, want_text);

  return FALSE;
}

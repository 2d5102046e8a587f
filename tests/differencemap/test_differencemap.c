/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps of differences: every row of the table, compared with the reference. */

#include "differencemapreference.h"

#include "harness/rows.h"
#include "harness/testframe.h"

#define N_RANDOM_FRAMES 15

/* Gains that saturate no level, some, and nearly all. */
static const guint gains[] = { 1, 3, GST_CL_DIFFERENCE_MAP_MAX_GAIN };

/* Two frames of the same format, and the map of their first components. */
typedef struct {
  Harness *h;
  GstClInstance instance;
  TestFrame *frames[2];
  TestPlane *map;
} Case;

static void
clear_case (Case *self)
{
  gst_cl_instance_clear (&self->instance);
  test_frame_free (self->frames[0]);
  test_frame_free (self->frames[1]);
  test_plane_free (self->map);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, clear_case)

static gboolean
init_case (Case *self, Harness *h, const TestFormat *format,
    GstClSampleType sample, gint width, gint height)
{
  const GstClComponent *component;
  GstClCandidate candidate;
  g_autoptr (GError) error = NULL;

  *self = (Case){ .h = h };
  for (guint i = 0; i < 2; i++)
    self->frames[i] = test_frame_new (h, format, sample, width, height,
        test_spacing_random (h));
  component = &self->frames[0]->components[0];
  self->map = test_plane_new (h, component->width, component->height, 1, 1,
      g_rand_int_range (h->rand, 0, 9), g_rand_int_range (h->rand, 0, 9));
  candidate = gst_cl_implementation_untuned (
      harness_row (h, &gst_cl_difference_map_table), component,
      h->context->device);
  if (gst_cl_instance_init (&self->instance, h->context, &candidate, component,
          &error))
    return TRUE;
  harness_fail (h, error, "cannot create an instance for %s of %u bits",
      format->name, sample.depth);

  return FALSE;
}

static GstClDifferenceMapIo
get_io (const Case *self, guint gain)
{
  return (GstClDifferenceMapIo){ { self->frames[0]->components, FALSE,
                                     self->frames[1]->components },
    self->map->components[0], gain };
}

static void
check_gain (Case *self, guint gain)
{
  const TestFrame *a = self->frames[0], *b = self->frames[1];
  const GstClDifferenceMapIo io = get_io (self, gain);
  g_autofree guint8 *want = NULL;
  g_autoptr (GError) error = NULL;

  test_plane_fill (self->h, self->map, FILL_RANDOM);
  want = g_memdup2 (self->map->bytes, self->map->size_bytes);
  ref_difference_map (test_frame_bytes (a, 0), &a->components[0],
      test_frame_bytes (b, 0), &b->components[0], gain, want, &io.map);
  if (!gst_cl_instance_run (&self->instance, &io, &error)) {
    harness_fail (self->h, error, "cannot run");
    return;
  }
  test_plane_download (self->h, self->map);
  test_bytes_equal (self->h, self->map->bytes, want, self->map->size_bytes,
      "%s of %u+%u bits, %dx%d, gain %u", a->format->name, a->sample.depth,
      a->sample.shift, a->width, a->height, gain);
}

static void
check_format (Harness *h, const TestFormat *format, GstClSampleType sample,
    gint width, gint height)
{
  /* the greatest differences, and all others */
  static const FillType fills[][2] = { { FILL_ZERO, FILL_MAX },
    { FILL_RANDOM, FILL_RANDOM } };
  g_auto (Case) self;

  if (!init_case (&self, h, format, sample, width, height))
    return;
  for (guint i = h->is_small; i < G_N_ELEMENTS (fills); i++) {
    for (guint k = 0; k < 2; k++)
      test_frame_fill (h, self.frames[k], fills[i][k]);
    for (guint k = 0; k < G_N_ELEMENTS (gains); k++)
      check_gain (&self, gains[k]);
  }
}

static void
check_row (Harness *h)
{
  test_frames_each (h, N_RANDOM_FRAMES, FALSE, check_format);
}

/* --- benchmark ------------------------------------------------------------ */

static gboolean
run_bench (gpointer user_case, GError **error)
{
  const Case *self = user_case;
  const GstClDifferenceMapIo io = get_io (self, 4);

  return gst_cl_instance_run (&self->instance, &io, error);
}

static void
bench_row (Harness *h)
{
  static const struct {
    const gchar *format;
    GstClSampleType sample;
  } pictures[] = { { "GRAY8", { 1, 8, 0 } }, { "GRAY8", { 2, 10, 6 } },
    { "RGB", { 1, 8, 0 } } };

  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++) {
    const GstClSampleType sample = pictures[i].sample;
    const TestFormat *format = test_format_find (pictures[i].format);
    g_autofree gchar *name = g_strdup_printf ("%s, %s of %u bits", h->label,
        format->name, sample.depth);
    const guint64 n_samples = 1920 * 1080;
    g_auto (Case) self;

    if (!init_case (&self, h, format, sample, 1920, 1080))
      return;
    for (guint k = 0; k < 2; k++)
      test_frame_fill (h, self.frames[k], FILL_RANDOM);
    harness_bench (h, name, 1920, 1080,
        n_samples *
            (2 * (guint64) self.frames[0]->components[0].pixel_stride_bytes +
                1),
        run_bench, &self);
  }
}

int
main (int argc, char **argv)
{
  return harness_rows_main (argc, argv, &gst_cl_difference_map_table, check_row,
      bench_row, NULL, 0);
}

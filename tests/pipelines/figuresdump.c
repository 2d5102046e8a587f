/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* figuresdump SUBSAMPLING WIDTH HEIGHT <frames: what vf_signalstats tells of raw
 * planar YUV frames of 8 bits (SUBSAMPLING is 420, 422 or 444), by the op
 * behind clframesum: a line of KEY=VALUE words a frame. */

#include "cl/gstclbuffer.h"
#include "ops/framefigures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_BINS 256

static const guint figures = GST_CL_FIGURE_HISTOGRAM | GST_CL_FIGURE_MOMENTS |
                             GST_CL_FIGURE_TEMPORAL | GST_CL_FIGURE_CHROMA |
                             GST_CL_FIGURE_OUTLIERS | GST_CL_FIGURE_REPETITION |
                             GST_CL_FIGURE_GAMUT;

typedef struct {
  GstClContext *context;
  GstClComponent components[3];
  gsize frame_bytes;
  GstClFiguresOp *op;
} Dump;

static void
fail (const gchar *what, const GError *error)
{
  fprintf (stderr, "%s: %s\n", what, error ? error->message : "failed");
  exit (EXIT_FAILURE);
}

static void
lay_out (Dump *self, const gchar *subsampling, gint width, gint height)
{
  const gint x_shift = g_str_equal (subsampling, "444") ? 0 : 1;
  const gint y_shift = g_str_equal (subsampling, "420") ? 1 : 0;

  for (guint c = 0; c < 3; c++) {
    GstClComponent *component = &self->components[c];

    component->sample = (GstClSampleType){ .bytes = 1, .depth = 8 };
    component->offset_bytes = self->frame_bytes;
    component->pixel_stride_bytes = 1;
    component->width = c ? (width + x_shift) >> x_shift : width;
    component->height = c ? (height + y_shift) >> y_shift : height;
    component->stride_bytes = component->width;
    self->frame_bytes += (gsize) component->width * component->height;
  }
}

static void
open_op (Dump *self)
{
  const GstClFiguresSpec spec = { .n_components = 3,
    .shapes = self->components,
    .figures = figures,
    .n_bins = N_BINS,
    .max_regions = 1,
    .gamut_low = { 16, 16, 16 },
    .gamut_high = { 235, 240, 240 } };
  g_autoptr (GstClDevice) device = NULL;
  g_autoptr (GError) error = NULL;
  const GstClOpVariant *rows;
  guint n_rows;
  cl_mem mem;

  device = gst_cl_device_choose (NULL, &error);
  if (!device) {
    fprintf (stderr, "%s\n", error->message);
    exit (77);
  }
  self->context = gst_cl_context_new (device, FALSE, &error);
  mem = self->context
            ? gst_cl_buffer_new (self->context, self->frame_bytes, &error)
            : NULL;
  if (!mem)
    fail ("device", error);
  for (guint c = 0; c < 3; c++)
    self->components[c].mem = mem;

  rows = gst_cl_figures_variants (&n_rows);
  self->op = gst_cl_figures_op_new (self->context,
      gst_cl_op_variant_choose (rows, n_rows, 0, device), &spec, &error);
  if (!self->op)
    fail ("op", error);
}

static void
print_component (const gchar *name, const GstClComponentFigures *component)
{
  const gdouble n = component->count;

  printf ("%sMIN=%u %sAVG=%g %sMAX=%u %sDIF=%g ", name, component->min, name,
      component->sum / n, name, component->max, name,
      component->difference / n);
}

/* First bin at which more than @threshold are met. */
static guint
find_bin (const guint32 *counts, guint64 threshold)
{
  guint64 met = 0;

  for (guint bin = 0;; bin++) {
    met += counts[bin];
    if (met > threshold)
      return bin;
  }
}

static gdouble
mean_bin (const guint32 *counts, guint n_bins, guint64 count)
{
  guint64 sum = 0;

  for (guint bin = 0; bin < n_bins; bin++)
    sum += (guint64) bin * counts[bin];

  return (gdouble) sum / count;
}

static void
print_region (const GstClRegionFigures *region, gint height)
{
  const guint64 n = region->components[0].count;
  const guint64 n_chroma = region->components[1].count;

  print_component ("Y", &region->components[0]);
  print_component ("U", &region->components[1]);
  print_component ("V", &region->components[2]);
  printf ("SATMIN=%u SATMAX=%u SATAVG=%g HUEMED=%u HUEAVG=%g ",
      find_bin (region->saturation, 0),
      find_bin (region->saturation, n_chroma - 1),
      mean_bin (region->saturation, N_BINS, n_chroma),
      find_bin (region->hue, n_chroma / 2),
      mean_bin (region->hue, GST_CL_FIGURES_HUES, n_chroma));
  printf ("TOUT=%g BRNG=%g VREP=%g\n", (gdouble) region->n_outliers / n,
      (gdouble) region->n_out_of_gamut / n,
      (gdouble) region->n_repeated_rows / height);
}

int
main (int argc, char **argv)
{
  Dump self = { 0 };
  g_autofree guint8 *bytes = NULL;
  g_autoptr (GError) error = NULL;
  GstClRegion whole = { 0 };

  if (argc != 4)
    fail ("usage: figuresdump SUBSAMPLING WIDTH HEIGHT", NULL);
  gst_init (NULL, NULL);
  whole.width = atoi (argv[2]);
  whole.height = atoi (argv[3]);
  lay_out (&self, argv[1], whole.width, whole.height);
  open_op (&self);
  bytes = g_malloc (self.frame_bytes);

  while (fread (bytes, self.frame_bytes, 1, stdin) == 1) {
    GstClRegionFigures region;

    if (!gst_cl_buffer_write (self.context, self.components[0].mem, 0,
            self.frame_bytes, bytes, &error) ||
        !gst_cl_figures_op_run (self.op, self.components, &whole, 1, 0,
            &error) ||
        !gst_cl_figures_op_fetch (self.op, 0, &error) ||
        !gst_cl_figures_op_result (self.op, 0, &region, 1, &error))
      fail ("frame", error);
    print_region (&region, whole.height);
  }

  gst_cl_figures_op_free (self.op);
  gst_cl_buffer_free (self.components[0].mem);
  gst_object_unref (self.context);

  return EXIT_SUCCESS;
}

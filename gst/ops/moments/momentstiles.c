/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frame statistics on GPUs: every work-group adds its tile to the result, in one
 * launch for all components. */

#include "momentsprivate.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/framearguments.h"
#include "ops/sample.h"

/* As kernels/moments/gpu.cl has them. */
#define GROUP      256 /* work-items, one tile */
#define TILE_WIDTH 256 /* samples */

#define USUAL_TILE_ROWS 64

struct _GstClMomentsTiles {
  guint n_components;
  gint tile_rows;
  gint n_x, n_y; /* tiles of the largest component, each way */

  GstClKernel *kernel;

  /* A run adds to one, which is empty, and empties the other, whose way to the
   * host has been enqueued before. */
  cl_mem results[2];
  guint last; /* the last run's */
};

static gint
n_tiles (gint size, gint tile_size)
{
  return (size - 1) / tile_size + 1;
}

static void
plan_tiles (GstClMomentsTiles *self, const GstClComponent *components)
{
  for (guint c = 0; c < self->n_components; c++) {
    self->n_x = MAX (self->n_x, n_tiles (components[c].width, TILE_WIDTH));
    self->n_y = MAX (self->n_y,
        n_tiles (components[c].height, self->tile_rows));
  }
}

static GstClKernel *
build_kernel (GstClContext *context, const gchar *resource,
    const GstClSampleType *sample, GError **error)
{
  g_autofree gchar *type = gst_cl_sample_options (sample);
  g_autofree gchar *options = g_strdup_printf ("%s -DSQUARES_T=%s", type,
      sample->bytes == 2 ? "ulong" : "uint");

  return gst_cl_kernel_new (context, resource, options, "moments_gpu_tiles",
      error);
}

static gboolean
make_results (GstClMomentsTiles *self, GstClContext *context, GError **error)
{
  GstClMoments empty[GST_CL_MOMENTS_MAX_COMPONENTS];

  for (guint c = 0; c < self->n_components; c++)
    empty[c] = (GstClMoments){ .min = G_MAXUINT };

  for (guint i = 0; i < G_N_ELEMENTS (self->results); i++) {
    self->results[i] = gst_cl_buffer_new_filled (context,
        self->n_components * sizeof (GstClMoments), empty, error);
    if (!self->results[i])
      return FALSE;
  }

  return TRUE;
}

GstClMomentsTiles *
gst_cl_moments_tiles_new (GstClContext *context, const GstClMomentsWay *way,
    const GstClComponent *components, guint n_components, GError **error)
{
  g_autoptr (GstClMomentsTiles) self = g_new0 (GstClMomentsTiles, 1);

  self->n_components = n_components;
  self->tile_rows = way->tile_rows > 0 ? way->tile_rows : USUAL_TILE_ROWS;
  plan_tiles (self, components);
  self->kernel = build_kernel (context, way->variant->resource,
      &components[0].sample, error);
  if (!self->kernel || !make_results (self, context, error))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_moments_tiles_free (GstClMomentsTiles *self)
{
  if (!self)
    return;

  g_clear_pointer (&self->kernel, gst_cl_kernel_free);
  for (guint i = 0; i < G_N_ELEMENTS (self->results); i++)
    g_clear_pointer (&self->results[i], gst_cl_buffer_free);
  g_free (self);
}

cl_mem
gst_cl_moments_tiles_result (const GstClMomentsTiles *self)
{
  return self->results[self->last];
}

gboolean
gst_cl_moments_tiles_run (GstClMomentsTiles *self,
    const GstClComponent *components, GError **error)
{
  const guint next = 1 - self->last;
  GstClArg args[GST_CL_FRAME_ARGUMENTS + 4];
  GstClArg *more = args + GST_CL_FRAME_ARGUMENTS;

  gst_cl_frame_arguments_get (components, self->n_components, args);
  more[0] = (GstClArg) GST_CL_INT (self->n_components);
  more[1] = (GstClArg) GST_CL_INT (self->tile_rows);
  more[2] = (GstClArg) GST_CL_MEM (self->results[next]);
  more[3] = (GstClArg) GST_CL_MEM (self->results[self->last]);

  if (!gst_cl_kernel_launch (self->kernel,
          (gsize) self->n_x * self->n_components * GROUP, self->n_y, 1, args,
          G_N_ELEMENTS (args), error))
    return FALSE;

  self->last = next;

  return TRUE;
}

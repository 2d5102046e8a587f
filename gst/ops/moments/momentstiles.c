/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frame statistics on GPUs: every work-group adds its tile to the result, in
 * one launch for all components. */

#include "momentsprivate.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/framearguments.h"
#include "ops/sample.h"

/* kernels/moments/gpu.cl has the same numbers. */
#define GROUP      256 /* work-items, one tile */
#define TILE_WIDTH 256 /* samples */

#define USUAL_TILE_ROWS 64

typedef struct {
  guint n_components;
  gint tile_rows;
  gint n_x, n_y; /* tiles of the largest component, each way */

  GstClKernel *kernel;

  /* A run adds to one, which is empty, and empties the other, whose way to the
   * host has been enqueued before. */
  cl_mem results[2];
  guint last; /* the last run's */
} Tiles;

static gint
n_tiles (gint size, gint tile_size)
{
  return (size - 1) / tile_size + 1;
}

static void
count_tiles (Tiles *self, const GstClComponent *components)
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
make_results (Tiles *self, GstClContext *context, GError **error)
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

void
gst_cl_moments_tiles_free (gpointer tiles)
{
  Tiles *self = tiles;

  if (!self)
    return;

  g_clear_pointer (&self->kernel, gst_cl_kernel_free);
  for (guint i = 0; i < G_N_ELEMENTS (self->results); i++)
    g_clear_pointer (&self->results[i], gst_cl_buffer_free);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Tiles, gst_cl_moments_tiles_free)

void
gst_cl_moments_tiles_resolve (gconstpointer problem, const GstClDevice *device,
    const GstClTuning *tuning, guint *values)
{
  values[0] = tuning ? tuning->values[0] : USUAL_TILE_ROWS;
}

gpointer
gst_cl_moments_tiles_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer user_problem, GError **error)
{
  const GstClMomentsProblem *problem = user_problem;
  g_autoptr (Tiles) self = g_new0 (Tiles, 1);

  self->n_components = problem->n_components;
  self->tile_rows = (gint) candidate->values[0];
  count_tiles (self, problem->components);
  self->kernel = build_kernel (context, candidate->implementation->resource,
      &problem->components[0].sample, error);
  if (!self->kernel || !make_results (self, context, error))
    return NULL;

  return g_steal_pointer (&self);
}

static cl_mem
get_result (gconstpointer tiles)
{
  const Tiles *self = tiles;

  return self->results[self->last];
}

const GstClMomentsRow gst_cl_moments_tiles_row = { get_result };

gboolean
gst_cl_moments_tiles_run (gpointer tiles, gconstpointer components,
    GError **error)
{
  Tiles *self = tiles;
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

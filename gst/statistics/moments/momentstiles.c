/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frame statistics on GPUs: every work-group adds its tile to the result, in
 * one launch for all components. */

#include "momentsprivate.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/sample.h"

/* Equal to the numbers in kernels/moments/gpu.cl. */
#define GROUP      256 /* work-items per work-group */
#define TILE_WIDTH 256 /* samples */

#define USUAL_TILE_ROWS 64

#define MAX_FRAMES GST_CL_MOMENTS_BATCH_FRAMES

typedef struct {
  guint n_components;
  gint tile_rows;
  gint n_x, n_y; /* tiles of the largest component, in each direction */

  GstClKernel *kernel;

  /* A run adds to one buffer, which is clear, and clears the other one, whose
   * read has been enqueued before. */
  cl_mem results[2];
  guint last;     /* index of the last run's */
  guint n_before; /* frames of the previous run, in the other buffer */
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
build_kernel (GstClContext *context, const gchar *resource, const gchar *name,
    const GstClSampleType *sample, GError **error)
{
  g_autofree gchar *type = gst_cl_sample_options (sample);
  g_autofree gchar *options = g_strdup_printf ("%s -DSQUARES_T=%s", type,
      sample->bytes == 2 ? "ulong" : "uint");

  return gst_cl_kernel_new (context, resource, options, name, error);
}

static gboolean
make_results (Tiles *self, GstClContext *context, guint n_frames,
    GError **error)
{
  const guint n = n_frames * self->n_components;
  GstClMoments empty[MAX_FRAMES * GST_CL_MOMENTS_MAX_COMPONENTS];

  for (guint i = 0; i < n; i++)
    empty[i] = (GstClMoments){ .min = G_MAXUINT };

  for (guint i = 0; i < G_N_ELEMENTS (self->results); i++) {
    self->results[i] = gst_cl_buffer_new_filled (context,
        n * sizeof (GstClMoments), empty, error);
    if (!self->results[i])
      return FALSE;
  }

  return TRUE;
}

static void
free_tiles (gpointer tiles)
{
  Tiles *self = tiles;

  if (!self)
    return;

  g_clear_pointer (&self->kernel, gst_cl_kernel_free);
  for (guint i = 0; i < G_N_ELEMENTS (self->results); i++)
    g_clear_pointer (&self->results[i], gst_cl_buffer_free);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Tiles, free_tiles)

void
gst_cl_moments_tiles_resolve (gconstpointer problem, const GstClDevice *device,
    const GstClTuning *tuning, guint *values)
{
  values[0] = tuning ? tuning->values[0] : USUAL_TILE_ROWS;
}

/* @name: of the kernel, which measures @n_frames per launch. */
static Tiles *
tiles_new (GstClContext *context, const GstClCandidate *candidate,
    const GstClMomentsProblem *problem, const gchar *name, guint n_frames,
    GError **error)
{
  g_autoptr (Tiles) self = g_new0 (Tiles, 1);

  self->n_components = problem->n_components;
  self->tile_rows = (gint) candidate->values[0];
  count_tiles (self, problem->components);
  self->kernel = build_kernel (context, candidate->implementation->resource,
      name, &problem->components[0].sample, error);
  if (!self->kernel || !make_results (self, context, n_frames, error))
    return NULL;

  return g_steal_pointer (&self);
}

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  return tiles_new (context, candidate, problem, "moments_gpu_tiles", 1, error);
}

static cl_mem
get_result (gconstpointer tiles)
{
  const Tiles *self = tiles;

  return self->results[self->last];
}

static gboolean
run (gpointer tiles, gconstpointer components, GError **error)
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

/* --- several frames ------------------------------------------------------ */

#define FRAME_ARGUMENTS 3 /* of each frame: memory, offsets, strides */
#define ALL_FRAMES      (MAX_FRAMES * FRAME_ARGUMENTS)
#define ALL_ARGUMENTS   (ALL_FRAMES + 8)

static gpointer
batch_new (GstClContext *context, const GstClCandidate *candidate,
    const GstClMomentsProblem *problem, cl_command_queue queue, GError **error)
{
  Tiles *self = tiles_new (context, candidate, problem, "moments_gpu_batch",
      MAX_FRAMES, error);

  if (self)
    gst_cl_kernel_set_queue (self->kernel, queue);

  return self;
}

static void
get_frame_arguments (const GstClComponent *components, guint n_components,
    GstClArg args[FRAME_ARGUMENTS])
{
  cl_int4 offsets = { { 0 } }, strides = { { 0 } };

  for (guint c = 0; c < n_components; c++) {
    offsets.s[c] = (cl_int) components[c].offset_bytes;
    strides.s[c] = components[c].stride_bytes;
  }
  args[0] = (GstClArg) GST_CL_MEM (components[0].mem);
  args[1] = (GstClArg) GST_CL_INT4 (offsets);
  args[2] = (GstClArg) GST_CL_INT4 (strides);
}

/* The arguments of unused frames repeat those of the first one; no work-group
 * reads them. Returns the number of events in @waits. */
static guint
get_batch_arguments (const Tiles *self, const GstClMomentsBatchPart *parts,
    guint n_parts, GstClArg args[ALL_ARGUMENTS], cl_event waits[MAX_FRAMES])
{
  const guint next = 1 - self->last;
  GstClArg frame[GST_CL_FRAME_ARGUMENTS];
  GstClArg *more = args + ALL_FRAMES;
  guint n_waits = 0;

  for (guint i = 0; i < MAX_FRAMES; i++) {
    const GstClMomentsBatchPart *part = &parts[i < n_parts ? i : 0];

    get_frame_arguments (part->components, self->n_components,
        args + i * FRAME_ARGUMENTS);
    if (i < n_parts && part->upload)
      waits[n_waits++] = part->upload;
  }
  /* pixel strides, widths and heights are the same for all frames */
  gst_cl_frame_arguments_get (parts[0].components, self->n_components, frame);
  for (guint i = 0; i < 3; i++)
    more[i] = frame[GST_CL_FRAME_ARGUMENTS - 3 + i];
  more[3] = (GstClArg) GST_CL_INT (self->n_components);
  more[4] = (GstClArg) GST_CL_INT (self->tile_rows);
  more[5] = (GstClArg) GST_CL_MEM (self->results[next]);
  more[6] = (GstClArg) GST_CL_MEM (self->results[self->last]);
  more[7] = (GstClArg) GST_CL_INT (self->n_before * self->n_components);

  return n_waits;
}

static gboolean
batch_run (gpointer tiles, const GstClMomentsBatchPart *parts, guint n_parts,
    GError **error)
{
  Tiles *self = tiles;
  GstClArg args[ALL_ARGUMENTS];
  cl_event waits[MAX_FRAMES];
  const GstClLaunch launch = {
    .items = { (gsize) self->n_x * self->n_components * GROUP, self->n_y,
        n_parts },
    .args = args,
    .n_args = G_N_ELEMENTS (args),
    .waits = waits,
    .n_waits = get_batch_arguments (self, parts, n_parts, args, waits),
  };

  if (!gst_cl_kernel_launch_after (self->kernel, &launch, error))
    return FALSE;

  self->last = 1 - self->last;
  self->n_before = n_parts;

  return TRUE;
}

static const GstClMomentsBatchRow batch_row = {
  .create = batch_new,
  .run = batch_run,
  .get_result = get_result,
  .free = free_tiles,
};

const GstClMomentsRow gst_cl_moments_tiles = {
  .funcs = {
      .create = create,
      .run = run,
      .free = free_tiles,
  },
  .get_result = get_result,
  .batch = &batch_row,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps of differences: the table of implementations, their launch, known
 * answers. */

#include "differencemap.h"

#include "cl/memory/gstclmemory.h"
#include "ops/knownanswer.h"

#define CHUNK 16 /* samples of a work-item, as in kernels/differencemap */

static void
free_kernel (gpointer kernel)
{
  gst_cl_kernel_free (kernel);
}

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClSampleType *sample = &((const GstClComponent *) problem)->sample;
  g_autofree gchar *type = gst_cl_sample_options (sample);
  g_autofree gchar *options = g_strdup_printf ("%s -DDEPTH=%u", type,
      sample->depth);

  return gst_cl_kernel_new (context, candidate->implementation->resource,
      options, candidate->implementation->data, error);
}

static gboolean
run (gpointer kernel, gconstpointer user_io, GError **error)
{
  const GstClDifferenceMapIo *io = user_io;
  const GstClComponent *component = &io->input.components[0];
  guint n = GST_CL_COMPARED_ARGUMENTS;
  GstClArg args[GST_CL_COMPARED_ARGUMENTS + 4];

  gst_cl_compared_arguments_get (&io->input, 1, args);
  args[n++] = (GstClArg) GST_CL_UINT (io->gain);
  args[n++] = (GstClArg) GST_CL_MEM (io->map.mem);
  args[n++] = (GstClArg) GST_CL_ULONG (io->map.offset_bytes);
  args[n++] = (GstClArg) GST_CL_INT (io->map.stride_bytes);

  return gst_cl_kernel_launch (kernel, (component->width + CHUNK - 1) / CHUNK,
      component->height, 1, args, n, error);
}

static const GstClInstanceFuncs funcs = {
  .create = create,
  .run = run,
  .free = free_kernel,
};

/* --- known answers -------------------------------------------------------- */

static const GstClComponent problems[] = {
  GST_CL_ANSWER_8_BITS,
  GST_CL_ANSWER_10_BITS,
};

static const GstClAnswer answers[] = {
  { "8 bits", &problems[0], G_GUINT64_CONSTANT (0x45a13ab672db80e1) },
  { "10 bits", &problems[1], G_GUINT64_CONSTANT (0x4ab361b63b037b4f) },
};

static gboolean
is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClComponent *a = answered, *b = problem;

  return a->sample.bytes == b->sample.bytes;
}

static gboolean
compute_answer (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer answered, guint64 *digest, GError **error)
{
  const GstClComponent *shape = answered;
  GstClComponent components[2];
  GstClDifferenceMapIo io = { { &components[0], FALSE, &components[1] }, *shape,
    GST_CL_DIFFERENCE_MAP_ANSWER_GAIN };
  GstMemory *memories[] = { NULL, NULL, NULL, NULL };
  gpointer kernel = create (context, candidate, answered, error);
  gboolean is_done = kernel &&
                     gst_cl_answer_components (context, shape, 1, 0,
                         &components[0], &memories[0], error) &&
                     gst_cl_answer_components (context, shape, 1,
                         GST_CL_ANSWER_COMPARED_SEED (0), &components[1],
                         &memories[1], error);

  if (is_done) {
    memories[2] = gst_cl_answer_memory_new (context,
        (gsize) shape->width * (gsize) shape->height, NULL, error);
    is_done = memories[2] != NULL;
  }
  if (is_done) {
    io.map.mem = gst_cl_memory_get_handle (memories[2]);
    io.map.stride_bytes = shape->width;
    *digest = GST_CL_ANSWER_DIGEST;
    is_done = gst_cl_answer_run (run, kernel, &io, memories, error) &&
              gst_cl_answer_memory_digest (memories[2], 1, digest, error);
  }
  for (guint i = 0; i < G_N_ELEMENTS (memories); i++)
    g_clear_pointer (&memories[i], gst_memory_unref);
  free_kernel (kernel);

  return is_done;
}

/* --- table ---------------------------------------------------------------- */

static const GstClImplementation rows[] = {
  {
      .name = "plain",
      .method = 1,
      .resource = "differencemap/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .funcs = &funcs,
      .data = "difference_map",
  },
};

static gchar *
describe (gconstpointer problem)
{
  const GstClSampleType *sample = &((const GstClComponent *) problem)->sample;

  return g_strdup_printf ("difference map of %u+%u bits", sample->depth,
      sample->shift);
}

const GstClOpTable gst_cl_difference_map_table = {
  .name = "differencemap",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
  .answers = answers,
  .n_answers = G_N_ELEMENTS (answers),
  .is_alike = is_alike,
  .compute_answer = compute_answer,
};

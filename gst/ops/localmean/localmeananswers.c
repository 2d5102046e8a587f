/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of local means and of operations on them. */

#include "localmeanprivate.h"

#include "cl/memory/gstclmemory.h"
#include "ops/knownanswer.h"

/* --- answers ------------------------------------------------------------- */

/* A square window with cllocalmean's default border; a single component of
 * bytes. */
#define ANSWERED_SIZE(of, size, step, ...)                                     \
  {                                                                            \
    .operation = GST_CL_LOCAL_MEAN_OPERATION_##of,                             \
    .window = { size, size, (size) / 2, (size) / 2, step, step,                \
      GST_CL_BORDER_SHRINK, 0 },                                               \
    .factors = { .k = 0.2, .r = 128, .offset = 2, .target = 128 },             \
    .repeat = 1, .width = GST_CL_ANSWER_WIDTH, .height = GST_CL_ANSWER_HEIGHT, \
    .sample = { 1, 8, 0 }, .src_pixel_stride_bytes = 1,                        \
    .dst_pixel_stride_bytes = 1, __VA_ARGS__                                   \
  }
#define ANSWERED(of, step, ...)                                                \
  ANSWERED_SIZE (of, 15, step, __VA_ARGS__) /* the default */
#define OF_SAMPLES .from_sums = FALSE
#define OF_SUMS                                                                \
  .from_sums = TRUE, .layout = GST_CL_LAYOUT_INCLUSIVE, .channels = 1,         \
  .sum_bytes = 4

/* On CPUs, windows with a step of two use other kernels; on GPUs, small windows
 * do. */
static const GstClLocalMeanProblem problems[GST_CL_LOCAL_MEAN_N_ANSWERS] = {
  ANSWERED (COPY, 1, OF_SAMPLES),
  ANSWERED (MEAN, 1, OF_SAMPLES),
  ANSWERED (MEAN, 2, OF_SAMPLES),
  ANSWERED (MEAN, 1, OF_SUMS),
  ANSWERED (DIFFERENCE, 1, OF_SAMPLES),
  ANSWERED (DIFFERENCE, 2, OF_SAMPLES),
  ANSWERED (DIFFERENCE, 1, OF_SUMS),
  ANSWERED (BRADLEY, 1, OF_SAMPLES),
  ANSWERED (BRADLEY, 1, OF_SUMS),
  ANSWERED (SAUVOLA, 1, OF_SAMPLES),
  ANSWERED (SAUVOLA, 1, OF_SUMS),
  ANSWERED_SIZE (MEAN, 3, 1, OF_SAMPLES),
  ANSWERED_SIZE (DIFFERENCE, 3, 1, OF_SAMPLES),
};

#define DIGEST G_GUINT64_CONSTANT

const GstClAnswer gst_cl_local_mean_answers[] = {
  { "copy", &problems[0], DIGEST (0x03cd7647088a9980) },
  { "mean", &problems[1], DIGEST (0x818b2ca7c864d059) },
  { "mean of every second", &problems[2], DIGEST (0x1413ba9d16bc345d) },
  { "mean of sums", &problems[3], DIGEST (0x818b2ca7c864d059) },
  { "difference", &problems[4], DIGEST (0xdff738f9326aef70) },
  { "difference of every second", &problems[5], DIGEST (0x39f5c98effe70fc8) },
  { "difference of sums", &problems[6], DIGEST (0xdff738f9326aef70) },
  { "bradley", &problems[7], DIGEST (0xc73f66867a8ae32b) },
  { "bradley of sums", &problems[8], DIGEST (0xc73f66867a8ae32b) },
  { "sauvola", &problems[9], DIGEST (0xcc75a21b6f25036f) },
  { "sauvola of sums", &problems[10], DIGEST (0xcc75a21b6f25036f) },
  { "small mean", &problems[11], DIGEST (0x36aaf266bc92982d) },
  { "small difference", &problems[12], DIGEST (0x01951914124240ab) },
};
G_STATIC_ASSERT (
    G_N_ELEMENTS (gst_cl_local_mean_answers) == GST_CL_LOCAL_MEAN_N_ANSWERS);

gboolean
gst_cl_local_mean_is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClLocalMeanProblem *a = answered, *b = problem;

  return a->from_sums == b->from_sums &&
         gst_cl_local_mean_typical_operation (a->operation) ==
             gst_cl_local_mean_typical_operation (b->operation);
}

/* --- frames -------------------------------------------------------------- */

typedef struct {
  GstClContext *context;
  const GstClLocalMeanProblem *problem;
  GstClLocalMeanIo io;
  GstClComponent samples, results;
  GstClSums sums, squares;

  GstMemory *memories[4]; /* NULL after the last */
  guint n_memories;
} Frames;

static void
clear_frames (Frames *self)
{
  for (guint i = 0; i < self->n_memories; i++)
    gst_memory_unref (self->memories[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Frames, clear_frames)

/* Returns the cl_mem of a new memory; NULL with @error. Transfer none. */
static cl_mem
add_memory (Frames *self, gsize n_bytes, gconstpointer bytes, GError **error)
{
  GstMemory *memory = gst_cl_answer_memory_new (self->context, n_bytes, bytes,
      error);

  if (!memory)
    return NULL;
  self->memories[self->n_memories++] = memory;

  return gst_cl_memory_get_handle (memory);
}

static gboolean
add_component (Frames *self, GstClComponent *component, gint width, gint height,
    const guint8 *bytes, GError **error)
{
  *component = gst_cl_local_mean_plane (&self->problem->sample, width, height,
      1);
  component->mem = add_memory (self, (gsize) width * height, bytes, error);

  return component->mem != NULL;
}

/* Computes an integral image of @bytes, or of their squares in sums of 8
 * bytes. */
static gboolean
add_sums (Frames *self, GstClSums *sums, const guint8 *bytes,
    gboolean are_squares, GError **error)
{
  const GstClLocalMeanProblem *problem = self->problem;
  const gsize width = problem->width, n = width * problem->height;
  g_autofree guint64 *wide = g_new (guint64, n);
  g_autofree guint32 *narrow = g_new (guint32, n);

  for (gsize i = 0, row = 0; i < n; i++) {
    row = (i % width ? row : 0) + bytes[i] * (are_squares ? bytes[i] : 1u);
    wide[i] = row + (i >= width ? wide[i - width] : 0);
    narrow[i] = (guint32) wide[i];
  }

  *sums = (GstClSums){
    .layout = problem->layout,
    .width = problem->width,
    .height = problem->height,
    .channels = problem->channels,
    .sum_bytes = are_squares ? sizeof *wide : problem->sum_bytes,
  };
  sums->mem = add_memory (self, n * sums->sum_bytes,
      are_squares ? (gconstpointer) wide : narrow, error);

  return sums->mem != NULL;
}

static gboolean
add_input (Frames *self, GError **error)
{
  const GstClLocalMeanProblem *problem = self->problem;
  g_autofree guint8 *bytes = gst_cl_answer_samples (0);

  if (!problem->from_sums) {
    self->io.samples = &self->samples;
    return add_component (self, &self->samples, problem->width, problem->height,
        bytes, error);
  }

  self->io.sums = &self->sums;
  if (!add_sums (self, &self->sums, bytes, FALSE, error))
    return FALSE;
  if (!gst_cl_local_mean_needs_squares (problem->operation))
    return TRUE;

  self->io.squares = &self->squares;

  return add_sums (self, &self->squares, bytes, TRUE, error);
}

/* --- computing ----------------------------------------------------------- */

static gboolean
run (gpointer op, gconstpointer io, GError **error)
{
  return gst_cl_local_mean_op_run (op, io, error);
}

gboolean
gst_cl_local_mean_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClLocalMeanProblem *problem = answered;
  g_auto (Frames) frames = { .context = context, .problem = problem };
  g_autoptr (GstClLocalMeanOp) op = NULL;
  gint width, height;

  *digest = GST_CL_ANSWER_DIGEST;
  gst_cl_local_mean_result_size (problem, &width, &height);
  frames.io.results = &frames.results;
  if (!add_component (&frames, &frames.results, width, height, NULL, error) ||
      !add_input (&frames, error))
    return FALSE;

  op = gst_cl_local_mean_op_new (context, candidate, problem, error);

  return op &&
         gst_cl_answer_run (run, op, &frames.io, frames.memories, error) &&
         gst_cl_answer_memory_digest (frames.memories[0], 1, digest, error);
}

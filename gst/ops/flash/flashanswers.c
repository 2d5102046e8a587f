/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known answers of flashes. */

#include "flashprivate.h"

#include "ops/selftest.h"

/* Linear light: the answer depends on no function of libm. */
#define LINEAR_CURVE(bits)                                                     \
  {                                                                            \
    .transfer = GST_CL_TRANSFER_LINEAR, .is_full_range = TRUE, .depth = bits,  \
    .peak = GST_CL_FLASH_REFERENCE,                                            \
  }

#define WEIGHTS                                                                \
  {                                                                            \
    0.2126, 0.7152, 0.0722                                                     \
  }

static const GstClFlashProblem problems[] = {
  {
      .n_components = 3,
      .shapes = { GST_CL_ANSWER_8_BITS, GST_CL_ANSWER_8_BITS,
          GST_CL_ANSWER_8_BITS },
      .matrix = { .kind = GST_CL_RGB_RGB },
      .curve = LINEAR_CURVE (8),
      .weights = WEIGHTS,
  },
  {
      .n_components = 1,
      .shapes = { GST_CL_ANSWER_10_BITS },
      .matrix = { .kind = GST_CL_RGB_GREY },
      .curve = LINEAR_CURVE (10),
      .weights = WEIGHTS,
  },
};

const GstClAnswer gst_cl_flash_answers[] = {
  { "RGB", &problems[0], G_GUINT64_CONSTANT (0xa56992276dbad8ce) },
  { "grey of 10 bits", &problems[1], G_GUINT64_CONSTANT (0xcdb179ef86ae364e) },
};
G_STATIC_ASSERT (G_N_ELEMENTS (gst_cl_flash_answers) == GST_CL_FLASH_N_ANSWERS);

gboolean
gst_cl_flash_is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClFlashProblem *a = answered, *b = problem;

  return a->shapes[0].sample.bytes == b->shapes[0].sample.bytes;
}

guint64
gst_cl_flash_digest (guint64 digest, const GstClFlashCounts *counts)
{
  const guint64 sums[] = { counts->luminance, counts->red,
    counts->n_changed_luminance, counts->n_changed_red };

  digest = gst_cl_answer_digest (digest, sums, G_N_ELEMENTS (sums),
      sizeof sums[0]);

  return gst_cl_answer_digest (digest, counts->tiles,
      GST_CL_FLASH_N_TILES * (sizeof *counts->tiles / sizeof (guint32)),
      sizeof (guint32));
}

/* Measures picture @index of two, and adds its numbers to *@digest. */
static gboolean
measure_picture (GstClContext *context, GstClFlashOp *op,
    const GstClCandidate *candidate, const GstClFlashProblem *problem,
    guint index, guint64 *digest, GError **error)
{
  GstClComponent components[GST_CL_FLASH_MAX_COMPONENTS];
  GstMemory *memories[GST_CL_FLASH_MAX_COMPONENTS + 1] = { NULL };
  GstClFlashCounts counts;
  const gboolean is_done = gst_cl_answer_components (context, problem->shapes,
                               problem->n_components,
                               index * GST_CL_FLASH_MAX_COMPONENTS, components,
                               memories, error) &&
                           gst_cl_answer_run (
                               candidate->implementation->funcs->run, op,
                               components, memories, error) &&
                           gst_cl_flash_op_fetch (op, 0, error) &&
                           gst_cl_flash_op_result (op, 0, &counts, error);

  if (is_done)
    *digest = gst_cl_flash_digest (*digest, &counts);
  for (guint c = 0; c < problem->n_components; c++)
    g_clear_pointer (&memories[c], gst_memory_unref);

  return is_done;
}

/* The second picture is compared with the first. */
gboolean
gst_cl_flash_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClFlashProblem *problem = answered;
  g_autoptr (GstClFlashOp)
      op = gst_cl_flash_op_new (context, candidate, problem, error);

  *digest = GST_CL_ANSWER_DIGEST;

  return op &&
         measure_picture (context, op, candidate, problem, 0, digest, error) &&
         measure_picture (context, op, candidate, problem, 1, digest, error);
}

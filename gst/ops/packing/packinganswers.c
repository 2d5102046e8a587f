/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known answers of packed formats. */

#include "packingprivate.h"

#include "cl/memory/gstclmemory.h"
#include "ops/knownanswer.h"

#include <string.h>

/* A frame of this size has no more bytes than gst_cl_answer_samples(). Its
 * width is no multiple of a group. */
#define WIDTH  61
#define HEIGHT 71

#define PROBLEM(_format, _method)                                              \
  {                                                                            \
    .format = GST_VIDEO_FORMAT_##_format,                                      \
    .method = GST_CL_PACKING_METHOD_##_method, .component_mask = 0xf,          \
    .width = WIDTH, .height = HEIGHT                                           \
  }

static const GstClPackingProblem problems[] = {
  PROBLEM (v210, UNPACK),
  PROBLEM (r210, UNPACK),
  PROBLEM (v210, PACK),
  PROBLEM (r210, PACK),
};

const GstClAnswer gst_cl_packing_answers[] = {
  { "v210", &problems[0], G_GUINT64_CONSTANT (0x3f9a5d38c4105013) },
  { "r210", &problems[1], G_GUINT64_CONSTANT (0xa120d49a792323a9) },
  { "pack v210", &problems[2], G_GUINT64_CONSTANT (0x9c05a869ff38f9ee) },
  { "pack r210", &problems[3], G_GUINT64_CONSTANT (0x8244cc7a4c84c1d1) },
};
G_STATIC_ASSERT (
    G_N_ELEMENTS (gst_cl_packing_answers) == GST_CL_PACKING_N_ANSWERS);

gboolean
gst_cl_packing_is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClPackingProblem *a = answered, *b = problem;

  return a->method == b->method && a->format == b->format;
}

void
gst_cl_packing_answer_info (gconstpointer answered, GstVideoInfo *info)
{
  const GstClPackingProblem *problem = answered;

  gst_video_info_set_format (info, problem->format, problem->width,
      problem->height);
}

static gboolean
run (gpointer instance, gconstpointer io, GError **error)
{
  return gst_cl_instance_run (instance, io, error);
}

/* Returns memory with random bytes, or with zeros for a result: bytes between
 * rows count, too. NULL with @error; transfer full. */
static GstMemory *
memory_new (GstClContext *context, gsize n_bytes, gboolean is_result,
    GError **error)
{
  g_autofree guint8 *random = gst_cl_answer_samples (0);
  g_autofree guint8 *bytes = g_malloc0 (n_bytes);

  g_assert (n_bytes <= GST_CL_ANSWER_SAMPLES);
  if (!is_result)
    memcpy (bytes, random, n_bytes);

  return gst_cl_answer_memory_new (context, n_bytes, bytes, error);
}

/* Answers have one plane. */
gboolean
gst_cl_packing_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClPackingProblem *asked = answered;
  const gboolean packs = asked->method == GST_CL_PACKING_METHOD_PACK;
  g_autoptr (GstMemory) packed = NULL;
  g_autoptr (GstMemory) components = NULL;
  GstMemory *memories[] = { NULL, NULL, NULL };
  GstClPackingProblem problem;
  GstClInstance instance;
  GstClFrame frame = { 0 };
  GstClPackingIo io = { .packed = &frame };
  gboolean is_run;

  gst_cl_packing_answer_info (answered, &frame.info);
  gst_cl_packing_problem_init (&problem, &frame.info, asked->method,
      asked->component_mask);
  packed = memory_new (context, GST_VIDEO_INFO_SIZE (&frame.info), packs,
      error);
  components = packed
                   ? memory_new (context,
                         gst_cl_packing_problem_bytes (&problem), !packs, error)
                   : NULL;
  if (!components ||
      !gst_cl_instance_init (&instance, context, candidate, &problem, error))
    return FALSE;

  memories[0] = packed;
  memories[1] = components;
  frame.planes[0].mem = gst_cl_memory_get_handle (packed);
  frame.planes[0].stride_bytes = GST_VIDEO_INFO_PLANE_STRIDE (&frame.info, 0);
  io.components = gst_cl_memory_get_handle (components);
  is_run = gst_cl_answer_run (run, &instance, &io, memories, error);
  gst_cl_instance_clear (&instance);
  *digest = GST_CL_ANSWER_DIGEST;

  return is_run &&
         gst_cl_answer_memory_digest (memories[packs ? 0 : 1],
             packs ? 1 : problem.components[0].sample.bytes, digest, error);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "cl/context/gstclcontext.h"
#include "cl/video/gstclcomponent.h"
#include "common/gstclmoments.h"

G_BEGIN_DECLS

/* Helpers for the known answers of ops (implementation.h): fixed samples,
 * memory as elements allocate it, digests of exact results. */

/* Odd sizes, larger than two tiles of any kernel in both directions. */
#define GST_CL_ANSWER_WIDTH  275
#define GST_CL_ANSWER_HEIGHT 141
#define GST_CL_ANSWER_SAMPLES                                                  \
  ((gsize) GST_CL_ANSWER_WIDTH * GST_CL_ANSWER_HEIGHT)

/* Initialize a GstClComponent of these samples: of 8 bits, and with pairs of
 * them as samples of 10 bits, left-aligned. */
#define GST_CL_ANSWER_8_BITS                                                   \
  {                                                                            \
    .stride_bytes = GST_CL_ANSWER_WIDTH, .pixel_stride_bytes = 1,              \
    .width = GST_CL_ANSWER_WIDTH, .height = GST_CL_ANSWER_HEIGHT, .sample = {  \
      1,                                                                       \
      8,                                                                       \
      0                                                                        \
    }                                                                          \
  }
#define GST_CL_ANSWER_10_BITS                                                  \
  {                                                                            \
    .stride_bytes = GST_CL_ANSWER_WIDTH + 1, .pixel_stride_bytes = 2,          \
    .width = GST_CL_ANSWER_WIDTH / 2, .height = GST_CL_ANSWER_HEIGHT - 1,      \
    .sample = {                                                                \
      2,                                                                       \
      10,                                                                      \
      6                                                                        \
    }                                                                          \
  }

/* Returns GST_CL_ANSWER_SAMPLES of 8 bits: random codes with runs of the
 * smallest and of the greatest code. Each @seed gives another frame. Transfer
 * full. */
guint8 *gst_cl_answer_samples (guint seed);

/* The seed of the frame with which the frame of @seed is compared: it has the
 * same runs, and other random codes. */
#define GST_CL_ANSWER_COMPARED_SEED(seed) ((seed) + 20)

/* The digest of no value, and the function that adds @n unsigned integers of
 * @value_bytes (1, 2, 4 or 8) in the host's byte order. Two lists that differ
 * in one value have different digests. */
#define GST_CL_ANSWER_DIGEST G_GUINT64_CONSTANT (0xcbf29ce484222325)
guint64 gst_cl_answer_digest (guint64 digest, gconstpointer values, gsize n,
    guint value_bytes);

/* Adds the count, sums and extremes of a set of samples to @digest. */
guint64 gst_cl_answer_moments (guint64 digest, const GstClMoments *moments);

/* Returns device memory with a copy of @bytes, or, if that is NULL, with values
 * that are no result. It is written and read by maps, as the memory of elements
 * is. NULL with @error; transfer full. */
GstMemory *gst_cl_answer_memory_new (GstClContext *context, gsize n_bytes,
    gconstpointer bytes, GError **error);

/* Sets the first @n of @components to @shapes, each in memory of its own with
 * the samples of the seeds from @seed on, and the first @n of @memories to the
 * memories. FALSE with @error; the caller unrefs all memories that are not
 * NULL, then, too. */
gboolean gst_cl_answer_components (GstClContext *context,
    const GstClComponent *shapes, guint n, guint seed,
    GstClComponent *components, GstMemory **memories, GError **error);

/* Runs an instance; see GstClImplementation.run. */
typedef gboolean (
    *GstClAnswerRun) (gpointer instance, gconstpointer io, GError **error);

/* Enqueues a run on @io, which uses @memories (at most eight; NULL after
 * the last one); does not wait. */
gboolean gst_cl_answer_run (GstClAnswerRun run, gpointer instance,
    gconstpointer io, GstMemory *const *memories, GError **error);

/* Waits, and adds the memory's values to *digest. */
gboolean gst_cl_answer_memory_digest (GstMemory *memory, guint value_bytes,
    guint64 *digest, GError **error);

G_END_DECLS

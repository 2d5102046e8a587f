/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "common/gstclmoments.h"
#include "implementation.h"

G_BEGIN_DECLS

/* The self-test of known answers: before a row of an op's table is used for the
 * first time on a device, it computes one of the op's answers, and the digest
 * of its result must be the one that stands there. What comes out is remembered
 * for the process, and on disk for the device, its driver and these kernels. */

/* FALSE if @row gives wrong results on the context's device: then
 * gst_cl_implementation_supports() is FALSE, too, from now on, and a line at
 * WARNING has said so, once a process. TRUE if it gives right ones, if nothing
 * is known about it, or if it fails with an error, which says more when the row
 * is used.
 *
 * Any thread, but one at a time tests: others that want to know about a row
 * that is not known yet wait. Takes a few milliseconds, and compiling. */
gboolean gst_cl_self_test_passes (GstClContext *context,
    const GstClOpTable *table, const GstClImplementation *row,
    gconstpointer problem);

/* --- known answers -------------------------------------------------------- */

/* What the known answers of ops (implementation.h) are made with: fixed
 * samples, memory as elements have it, digests of exact results. */

/* Odd, and larger than two tiles of any kernel each way. */
#define GST_CL_ANSWER_WIDTH  275
#define GST_CL_ANSWER_HEIGHT 141
#define GST_CL_ANSWER_SAMPLES                                                  \
  ((gsize) GST_CL_ANSWER_WIDTH * GST_CL_ANSWER_HEIGHT)

/* GST_CL_ANSWER_SAMPLES of 8 bits, runs of the least and of the greatest code
 * among random ones: as many frames as there are @seeds. transfer full */
guint8 *gst_cl_answer_samples (guint seed);

/* The digest of no value, and that of @n more: of unsigned integers of
 * @value_bytes (1, 2, 4 or 8) in the host's order. Two lists that differ in one
 * value have different ones. */
#define GST_CL_ANSWER_DIGEST G_GUINT64_CONSTANT (0xcbf29ce484222325)
guint64 gst_cl_answer_digest (guint64 digest, gconstpointer values, gsize n,
    guint value_bytes);

/* That of the counts, sums and extremes of a set of samples. */
guint64 gst_cl_answer_moments (guint64 digest, const GstClMoments *moments);

/* Device memory that holds @bytes, or where they are NULL what is no result. It
 * is written and read as elements' memory is, by maps. NULL with @error;
 * transfer full. */
GstMemory *gst_cl_answer_memory_new (GstClContext *context, gsize n_bytes,
    gconstpointer bytes, GError **error);

/* One run of an instance, as GstClImplementation.run is one. */
typedef gboolean (
    *GstClAnswerRun) (gpointer instance, gconstpointer io, GError **error);

/* Enqueues a run on @io, which lies in @memories (four at most; NULL after the
 * last); does not wait. */
gboolean gst_cl_answer_run (GstClAnswerRun run, gpointer instance,
    gconstpointer io, GstMemory *const *memories, GError **error);

/* Waits, and adds the memory's values to *digest. */
gboolean gst_cl_answer_memory_digest (GstMemory *memory, guint value_bytes,
    guint64 *digest, GError **error);

G_END_DECLS

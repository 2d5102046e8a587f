/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "cl/video/gstclcomponent.h"
#include "common/gstclmoments.h"
#include "implementation.h"

G_BEGIN_DECLS

/* The self-test with known answers: before a row of an op's table is used for
 * the first time on a device, except for the first frames of a quick start
 * (tieredop.h), it computes one of the op's answers; the digest
 * of the result must match. The verdict is stored for the process, and on disk
 * for the device, its driver and the current kernels. */

/* Returns FALSE if @row gives wrong results on the context's device: from then
 * on gst_cl_implementation_supports() is FALSE, too, and one line at WARNING
 * per process says so. Returns TRUE if the results are correct, if there is no
 * answer for the row, or if the test fails with an error; the same error occurs
 * when the row is used.
 *
 * In the build modes NOTHING, QUICKLY and UNOPTIMIZED only stored verdicts
 * count; NOTHING refuses an unknown one.
 *
 * Any thread; one thread at a time tests, and other threads that need the
 * verdict of an untested row wait. Takes a few milliseconds plus the
 * compilation. */
gboolean gst_cl_self_test_passes (GstClContext *context,
    const GstClOpTable *table, const GstClImplementation *row,
    gconstpointer problem);

/* Returns the digest of all kernel files (gst_cl_source_digest()), which is
 * computed once a process. Transfer none; any thread. */
const gchar *gst_cl_self_test_kernels (void);

/* Reads the stored verdict on @row for @problem, without a test; FALSE if the
 * row counts as failed. For rows that are measured before the chosen one is
 * tested. Any thread. */
gboolean gst_cl_self_test_recall (GstClContext *context,
    const GstClOpTable *table, const GstClImplementation *row,
    gconstpointer problem);

/* --- crashes of drivers --------------------------------------------------- */

/* A trial is one use of a row that has not been used on the device before: its
 * self-test, its measurement, the creation of an op and its first run. Trials
 * in trials are those of the steps of a row. In a compile process
 * (compileprocess.h) each is reported. Any thread. */
void gst_cl_trial_begin (GstClContext *context, const GstClOpTable *table,
    const GstClImplementation *row, gconstpointer problem);
void gst_cl_trial_end (void);

/* Sets the function that receives a text for each trial that begins, and NULL
 * for each that ends. Before the first trial. */
typedef void (*GstClTrialReporter) (const gchar *trial);
void gst_cl_self_test_set_reporter (GstClTrialReporter reporter);

/* Records that the driver has ended the process in @trial, the text of its
 * begin: from the next gst_cl_self_test_passes() or recall() on, the row counts
 * as failed, as one with wrong results. FALSE if it has no answer to record
 * that for. */
gboolean gst_cl_self_test_record_crash (GstClContext *context,
    const gchar *trial);

/* --- known answers -------------------------------------------------------- */

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

/* Enqueues a run on @io, which uses @memories (at most four; NULL after the
 * last one); does not wait. */
gboolean gst_cl_answer_run (GstClAnswerRun run, gpointer instance,
    gconstpointer io, GstMemory *const *memories, GError **error);

/* Waits, and adds the memory's values to *digest. */
gboolean gst_cl_answer_memory_digest (GstMemory *memory, guint value_bytes,
    guint64 *digest, GError **error);

G_END_DECLS

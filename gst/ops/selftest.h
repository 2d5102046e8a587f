/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

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

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/implementation.h"
#include "ops/window/localmeanproblem.h"

G_BEGIN_DECLS

/* The operations other than MEAN and COPY by one work-item a result, on any
 * device; and those on rounded means on CPUs. What they go on from is made
 * before: means or sums. create(), run() and free() are as in
 * GstClImplementation. */

/* Operations that start from sums. Where the problem is of samples, the sums
 * were made of them by the window's user, gst_cl_window_sum_bytes_within()
 * each; run() takes samples, sums and squares. */
gpointer gst_cl_operation_on_sums_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_operation_on_sums_run (gpointer self, gconstpointer io,
    GError **error);

/* Operations that start from rounded means; run() takes means, and samples or
 * sums. */
gpointer gst_cl_operation_on_means_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_operation_on_means_run (gpointer self, gconstpointer io,
    GError **error);

/* Frees what the two made. */
void gst_cl_operation_free (gpointer self);

/* Operations that start from rounded means, and from samples, by bands of rows
 * on a CPU; run() takes means and samples. */
gpointer gst_cl_operation_on_means_cpu_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_operation_on_means_cpu_run (gpointer self, gconstpointer io,
    GError **error);
void gst_cl_operation_on_means_cpu_free (gpointer self);

G_END_DECLS

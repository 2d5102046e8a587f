/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"
#include "harness/testframe.h"
#include "statistics/metrics/metrics.h"

G_BEGIN_DECLS

/* Test frames and regions for metrics. */

typedef struct {
  const GstClImplementation *row;
  const TestFormat *format;
  GstClSampleType sample;
  guint metrics, n_bins;
  gint width, height;
} MetricsCase;

/* Checks a sequence of frames with small or large differences, each as a whole
 * and in random regions: every metric of every region against the reference. */
void metrics_case_check (Harness *h, const MetricsCase *params);

/* Measures @frame with an instance of @row and checks the results: of its rows,
 * in two runs; or of the whole frame, in one run that is divided into @n_items
 * work-items (0: by default). */
void metrics_case_check_rows (Harness *h, const GstClImplementation *row,
    const TestFrame *frame, guint metrics);
void metrics_case_check_whole (Harness *h, const GstClImplementation *row,
    const TestFrame *frame, guint metrics, guint n_items);

/* Returns the problem of measuring @metrics of frames like @frame; the gamut is
 * limited range. */
GstClMetricsProblem metrics_case_problem (const TestFrame *frame, guint metrics,
    guint n_bins);

/* Returns an instance of @row with its default tuning, except for @n_items
 * work-items (0: by default); NULL with @error. transfer full */
GstClMetricsOp *metrics_case_op (Harness *h, const GstClImplementation *row,
    const GstClMetricsProblem *problem, guint n_items, GError **error);

/* Fills @frame with content for all metrics: gradients, rows that repeat every
 * four rows, outliers of a few pixels, and noise of @noise bits. */
void metrics_case_fill_picture (Harness *h, TestFrame *frame, guint noise);

G_END_DECLS

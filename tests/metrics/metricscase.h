/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"
#include "ops/metrics/metrics.h"
#include "harness/testframe.h"

G_BEGIN_DECLS

/* Frames and regions that metrics are tried on. */

typedef struct {
  const GstClImplementation *row;
  const TestFormat *format;
  GstClSampleType sample;
  guint metrics, n_bins;
  gint width, height;
} MetricsCase;

/* A sequence of frames that differ more or less, each in the whole and in
 * random regions, every metric of every region against the reference. */
void metrics_case_check (Harness *h, const MetricsCase *params);

/* Checks one frame: its rows, twice; or all of it, once, divided into @n_items
 * items (0: as usual). */
void metrics_case_check_rows (Harness *h, const GstClImplementation *row,
    const TestFrame *frame, guint metrics);
void metrics_case_check_whole (Harness *h, const GstClImplementation *row,
    const TestFrame *frame, guint metrics, guint n_items);

/* @metrics of frames like @frame, limited range within gamut. */
GstClMetricsProblem metrics_case_problem (const TestFrame *frame, guint metrics,
    guint n_bins);

/* An instance of @row with its usual tuning, but for @n_items items (0: as
 * usual). NULL with @error. */
GstClMetricsOp *metrics_case_op (Harness *h, const GstClImplementation *row,
    const GstClMetricsProblem *problem, guint n_items, GError **error);

/* Writes one code into the host copy; then all of it to the device. */
void metrics_case_put (TestFrame *frame, guint c, gint x, gint y, guint code);
void metrics_case_upload (Harness *h, TestFrame *frame);

/* A picture that has something of everything: slopes, rows that come again
 * after four, short strokes that stick out, and noise of @noise bits. */
void metrics_case_fill_picture (Harness *h, TestFrame *frame, guint noise);

G_END_DECLS

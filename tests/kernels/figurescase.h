/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness.h"
#include "ops/framefigures.h"
#include "testframe.h"

G_BEGIN_DECLS

/* Frames and regions that figures are tried on. */

typedef struct {
  const GstClOpVariant *row;
  const TestFormat *format;
  GstClSampleType sample;
  guint figures, n_bins;
  gint width, height;
} FiguresCase;

/* A sequence of frames that differ more or less, each in the whole and in random
 * regions, every figure of every region against the reference. */
void figures_case_check (Harness *h, const FiguresCase *params);

/* The same for one frame, its regions being its rows. */
void figures_case_check_rows (Harness *h, const GstClOpVariant *row,
    const TestFrame *frame, guint figures);

/* @grid: so many zones each way; 1: the frame alone. */
void figures_case_bench (Harness *h, const gchar *name,
    const FiguresCase *params, guint grid);

/* Writes one code into the host copy; then all of it to the device. */
void figures_case_put (TestFrame *frame, guint c, gint x, gint y, guint code);
void figures_case_upload (Harness *h, TestFrame *frame);

G_END_DECLS

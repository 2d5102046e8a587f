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

/* The same for one frame: its rows, twice; or all of it, once. */
void figures_case_check_rows (Harness *h, const GstClOpVariant *row,
    const TestFrame *frame, guint figures);
void figures_case_check_whole (Harness *h, const GstClOpVariant *row,
    const TestFrame *frame, guint figures);

/* @figures of frames like @frame, limited range within gamut. */
GstClFiguresSpec figures_case_spec (const TestFrame *frame, guint figures,
    guint n_bins);

/* Writes one code into the host copy; then all of it to the device. */
void figures_case_put (TestFrame *frame, guint c, gint x, gint y, guint code);
void figures_case_upload (Harness *h, TestFrame *frame);

/* A picture that has something of everything: slopes, rows that come again after
 * four, short strokes that stick out, and noise of @noise bits. */
void figures_case_fill_picture (Harness *h, TestFrame *frame, guint noise);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstcldevice.h"
#include "localmeanproblem.h"

G_BEGIN_DECLS

/* Problems and integral images in the terms of kernels that take windows. */

/* -D options of a component's samples and borders, for kernels that are built
 * for both. @sum_bytes: size of the sums that windows are taken from. transfer
 * full */
gchar *gst_cl_window_options (const GstClLocalMeanProblem *problem,
    guint sum_bytes);

/* -D options of plain kernels that take windows: the C types, and the border
 * where gst_cl_device_prefers_constants(). transfer full */
gchar *gst_cl_window_plain_options (const GstClLocalMeanProblem *problem,
    guint sum_bytes, const GstClDevice *device);

/* format.x y z w of plain kernels, for which the former are arguments: samples
 * from a result to the next, unused bits below a code, largest code, border. */
cl_int4 gst_cl_window_format (const GstClLocalMeanProblem *problem);

/* grid.x y z w of the kernels: columns and rows of results, steps. */
cl_int4 gst_cl_window_grid (const GstClLocalMeanProblem *problem);

/* window.x y z w: size, and anchors of windows that start at the result. */
cl_int4 gst_cl_window_argument (const GstClWindow *window);

/* Sums of one channel, whatever their layout: S(1, 1) and what follows it. */
typedef struct {
  gsize first_sum;  /* S(1, 1), in sums from the buffer's start */
  gsize first_word; /* S(1, 1), in words of four bytes from there */
  cl_int4 size; /* frame.x y z w: samples each way; sums from row to row, and
                       from one of the channel to the next */
} GstClWindowSums;

GstClWindowSums gst_cl_window_sums (const GstClSums *sums, gint channel);

/* Work-items that share @n_rows rows of results on a CPU, where a row costs the
 * same wherever a band begins. */
gsize gst_cl_window_bands (const GstClDevice *device, gint n_rows);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "ops/localmean/localmean.h"

G_BEGIN_DECLS

/* Ways to compute the means of all whole windows of WINDOWS_SIZE x WINDOWS_SIZE
 * samples of a frame, with a step in both directions: kernels of
 * clbench/windows.cl, and rows of the plugin's own table. */

#define WINDOWS_SIZE 15

/* The last is wrong on purpose: a checker that reports a limited number of
 * faults, as oclgrind does, has then checked the others. */
typedef enum {
  WINDOWS_ONE_BUFFER,
  WINDOWS_FOUR_BUFFERS,
  WINDOWS_CONTIGUOUS,
  WINDOWS_CLLOCALMEAN, /* ONE_BUFFER of the plugin, for all borders */
  WINDOWS_DIRECT,
  WINDOWS_DIRECT_IN_BANDS, /* on CPUs only */
  WINDOWS_SLIDING,     /* reads samples; all others read an integral image */
  WINDOWS_NO_BARRIERS, /* ONE_BUFFER without its barriers */
  WINDOWS_N_WAYS
} WindowsWay;

/* Returns its name in the table. */
const gchar *windows_way_name (WindowsWay way);

/* Returns whether @device supports it. */
gboolean windows_way_exists (WindowsWay way, const GstClDevice *device);

/* Input and output of the ways. */
typedef struct {
  GstClContext *context;
  GstClComponent samples; /* of 8 bits */
  GstClSums sums;         /* their integral image: exclusive, 4 bytes a sum */
  cl_mem results; /* tightly packed; large enough for a step of 1 sample */
} WindowsFrame;

/* A way, ready to run on a frame with a step. */
typedef struct {
  gint step;
  gint columns, rows;    /* of results */
  gdouble bytes_to_read; /* that every way must read: samples in windows, or
                          * sums at corners */

  /*< private >*/
  WindowsFrame frame;
  GstClLocalMeanProblem problem;
  GstClKernel *kernel; /* NULL: the plugin's op */
  cl_int4 window, grid;
  gsize items;
  GstClLocalMeanOp *op;
} WindowsJob;

/* Builds the kernels. FALSE with @error if the device fails, without one if the
 * plugin has no such row for it. */
gboolean windows_job_init (WindowsJob *job, const WindowsFrame *frame,
    WindowsWay way, gint step, GError **error);
void windows_job_clear (WindowsJob *job);

/* Enqueues one run; does not wait. A TimingRun. */
gboolean windows_job_run (gpointer job, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WindowsJob, windows_job_clear)

G_END_DECLS

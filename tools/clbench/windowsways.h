/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "ops/localmean/localmean.h"

G_BEGIN_DECLS

/* Ways to come to the means of all whole windows of WINDOWS_SIZE x WINDOWS_SIZE
 * samples of a frame, sampled every so many samples each way: kernels of
 * clbench/windows.cl, and rows of the plugin's own table. */

#define WINDOWS_SIZE 15

/* The last is wrong on purpose: a checker that logs so many faults and no more,
 * as oclgrind does, has seen the others by then. */
typedef enum {
  WINDOWS_ONE_BUFFER,
  WINDOWS_FOUR_BUFFERS,
  WINDOWS_CONTIGUOUS,
  WINDOWS_CLLOCALMEAN, /* ONE_BUFFER as the plugin has it, for all borders */
  WINDOWS_DIRECT,
  WINDOWS_DIRECT_IN_BANDS, /* on CPUs alone */
  WINDOWS_SLIDING,         /* of samples; all others read an integral image */
  WINDOWS_NO_BARRIERS,     /* ONE_BUFFER without what makes it right */
  WINDOWS_N_WAYS
} WindowsWay;

/* What people call it. */
const gchar *windows_way_name (WindowsWay way);

/* Whether there is such a way on @device. */
gboolean windows_way_exists (WindowsWay way, const GstClDevice *device);

/* What ways read and write. */
typedef struct {
  GstClContext *context;
  GstClComponent samples; /* of 8 bits */
  GstClSums sums;         /* their integral image: exclusive, 4 bytes a sum */
  cl_mem results; /* tightly packed; room for those of a step of 1 sample */
} WindowsFrame;

/* A way, ready to run on a frame at a step. */
typedef struct {
  gint step;
  gint columns, rows;    /* of results */
  gdouble bytes_to_read; /* that no way can do without: samples that windows
                            cover, or sums that are corners */

  /*< private >*/
  WindowsFrame frame;
  GstClLocalMeanProblem problem;
  GstClKernel *kernel; /* NULL: the plugin's op */
  cl_int4 window, grid;
  gsize items;
  GstClLocalMeanOp *op;
} WindowsJob;

/* Builds what is needed. FALSE with @error where the device fails, and without
 * one where the plugin has no such row for it. */
gboolean windows_job_init (WindowsJob *job, const WindowsFrame *frame,
    WindowsWay way, gint step, GError **error);
void windows_job_clear (WindowsJob *job);

/* Enqueues one run; does not wait. A TimingRun. */
gboolean windows_job_run (gpointer job, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WindowsJob, windows_job_clear)

G_END_DECLS

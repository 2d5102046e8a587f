/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "ops/localmean/localmean.h"

G_BEGIN_DECLS

/* Methods to compute the means of all whole windows of WINDOWS_SIZE x
 * WINDOWS_SIZE samples of a frame, with a step in both directions: kernels of
 * clbench/windows.cl, and rows of the plugin's own table. */

#define WINDOWS_SIZE 15

/* The last method is wrong on purpose. It runs last because oclgrind stops
 * after a limited number of errors: it has then checked all other methods. */
typedef enum {
  WINDOWS_ONE_BUFFER,
  WINDOWS_FOUR_BUFFERS,
  WINDOWS_CONTIGUOUS,
  WINDOWS_CLLOCALMEAN, /* ONE_BUFFER of the plugin, for all borders */
  WINDOWS_DIRECT,
  WINDOWS_DIRECT_IN_BANDS, /* on CPUs only */
  WINDOWS_SLIDING,     /* reads samples; all others read an integral image */
  WINDOWS_NO_BARRIERS, /* ONE_BUFFER without its barriers */
  WINDOWS_N_METHODS
} WindowsMethod;

/* Returns the name of @method in the table. */
const gchar *windows_method_name (WindowsMethod method);

/* Returns whether @device supports @method. */
gboolean windows_method_exists (WindowsMethod method,
    const GstClDevice *device);

/* Input and output of the methods. */
typedef struct {
  GstClContext *context;
  GstClComponent samples; /* of 8 bits */
  GstClSums sums;         /* their integral image: exclusive, 4 bytes a sum */
  cl_mem results; /* tightly packed; large enough for a step of 1 sample */
} WindowsFrame;

/* A method, ready to run on a frame with a step. */
typedef struct {
  gint step;
  gint columns, rows;    /* of results */
  gdouble bytes_to_read; /* that every method must read: samples in windows, or
                          * sums at corners */

  /*< private >*/
  WindowsFrame frame;
  GstClLocalMeanProblem problem;
  GstClKernel *kernel; /* NULL: the plugin's op */
  cl_int4 window, grid;
  gsize items;
  GstClLocalMeanOp *op;
} WindowsJob;

/* Builds the kernels of @job. FALSE with @error if the device fails; FALSE
 * without @error if the plugin has no such row for the device. */
gboolean windows_job_init (WindowsJob *job, const WindowsFrame *frame,
    WindowsMethod method, gint step, GError **error);
void windows_job_clear (WindowsJob *job);

/* Enqueues one run of @job, a WindowsJob; does not wait. FALSE with @error. A
 * TimingRun. */
gboolean windows_job_run (gpointer job, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WindowsJob, windows_job_clear)

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "cl/context/gstclcontext.h"
#include "kernelfile.h"
#include "kernelframe.h"

G_BEGIN_DECLS

/* Builds and launches the kernels of a user's file. */
typedef struct _GstClKernelOp GstClKernelOp;

typedef struct {
  GstClKernelFile *file;
  const GstVideoInfo *in; /* of each input, in the order of file->inputs */
  guint n_inputs;
  const GstVideoInfo *out;
  const GstClParameterValue *values; /* of file->parameters */
  const gchar *options;              /* of the compiler; NULL: none */
  const gchar *work;                 /* instead of file->work; NULL: that */
  gboolean is_checked; /* kernels run on copies between guard zones, and a write
                          outside is an error of gst_cl_kernel_op_run() */
} GstClKernelProblem;

/* Builds the program and allocates memory. NULL with @error: that of the
 * compiler has file, line and text. Keeps a reference to the file. transfer
 * full */
GstClKernelOp *gst_cl_kernel_op_new (GstClContext *context,
    const GstClKernelProblem *problem, GError **error);

void gst_cl_kernel_op_free (GstClKernelOp *self); /* accepts NULL */

/* Returns the file (borrowed). */
GstClKernelFile *gst_cl_kernel_op_file (const GstClKernelOp *self);

/* Returns TRUE if the program has the constants of @values. */
gboolean gst_cl_kernel_op_has_constants (const GstClKernelOp *self,
    const GstClParameterValue *values);

/* Sets the parameters of the launches that follow, except constants. */
gboolean gst_cl_kernel_op_set_values (GstClKernelOp *self,
    const GstClParameterValue *values, GError **error);

/* Sets the regions of interest of the launches that follow: @n numbers, x, y,
 * width and height of each, in pixels. They follow the values of parameters
 * with //!REGIONS. */
gboolean gst_cl_kernel_op_set_regions (GstClKernelOp *self, const gint *numbers,
    guint n, GError **error);

/* Clears the statistics and enqueues the passes for one frame; does not wait.
 * @in: problem.n_inputs frames. */
gboolean gst_cl_kernel_op_run (GstClKernelOp *self, const GstClKernelFrame *in,
    const GstClKernelFrame *out, GError **error);

/* Waits for the device and adds each statistic of the last frame to @structure:
 * a number, or an array of numbers. */
gboolean gst_cl_kernel_op_add_statistics (GstClKernelOp *self,
    GstStructure *structure, GError **error);

/* The next frame is the first: it has no frames of GST_CL_PREVIOUS, and buffers
 * of zeros. */
void gst_cl_kernel_op_reset (GstClKernelOp *self);

/* Evaluates @text, the width or height of the output; NULL: @initial. A result
 * below 1 is an error. */
gboolean gst_cl_kernel_size (const gchar *text, gint in_width, gint in_height,
    gint initial, gint *size, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClKernelOp, gst_cl_kernel_op_free)

G_END_DECLS

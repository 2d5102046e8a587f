/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "ops/kernel/kernelop.h"

G_BEGIN_DECLS

/* The properties that say which kernels run. Strings are interned, or NULL. */
typedef struct {
  const gchar *location, *source, *function, *options;
  const gchar *work_size, *statistics;
  const gchar *output_format, *output_width, *output_height;
  gboolean auto_reload;
} GstClKernelSettings;

/* What an element is asked for. Embedded in its owner. */
typedef struct {
  GstClKernelSettings settings;
  GstStructure *parameters; /* NULL: the defaults */
  guint serial;             /* changes with each of these */
} GstClKernelRequest;

/* Copies @from to @to, which is cleared before. */
void gst_cl_kernel_request_copy (GstClKernelRequest *to,
    const GstClKernelRequest *from);
void gst_cl_kernel_request_clear (GstClKernelRequest *self);

/* Reads the file, or the source, that @settings name. NULL with @error.
 * transfer full */
GstClKernelFile *gst_cl_kernel_settings_load (
    const GstClKernelSettings *settings, GError **error);

/* Returns TRUE if both settings name the same file and kernels. */
gboolean gst_cl_kernel_settings_name_same (const GstClKernelSettings *a,
    const GstClKernelSettings *b);

/* What the output takes from the properties, else from the file; NULL: as the
 * input. Borrowed. */
typedef struct {
  const gchar *format, *width, *height;
} GstClKernelOutput;

GstClKernelOutput gst_cl_kernel_settings_output (
    const GstClKernelSettings *settings, const GstClKernelFile *file);

/* Checks that @file takes frames of @in, and sets @out to its output for them.
 * FALSE with @error, which names the file. */
gboolean gst_cl_kernel_settings_check (const GstClKernelSettings *settings,
    const GstClKernelFile *file, const GstVideoInfo *in, GstVideoInfo *out,
    GError **error);

/* The kernels that run, and those that are to follow them, which another thread
 * reads and compiles. Streaming thread. */
typedef struct _GstClKernelRunner GstClKernelRunner;

/* Messages are posted by @element (borrowed). transfer full */
GstClKernelRunner *gst_cl_kernel_runner_new (GstElement *element);
void gst_cl_kernel_runner_free (GstClKernelRunner *self); /* accepts NULL */

/* The file of @settings has been read: it changes when the one on disk does. */
void gst_cl_kernel_runner_set_loaded (GstClKernelRunner *self,
    const GstClKernelSettings *settings);

/* Builds the kernels of @file and @request for frames of @in and @out. If they
 * cannot be built and others have run before, those are built again, and the
 * reason is a warning on the bus. @loaded: the settings that name @file; if
 * @request names another one, it is read and built before the next frame. FALSE
 * with @error: nothing runs. */
gboolean gst_cl_kernel_runner_configure (GstClKernelRunner *self,
    GstClContext *context, GstClKernelFile *file,
    const GstClKernelSettings *loaded, const GstClKernelRequest *request,
    const GstVideoInfo *in, guint n_inputs, const GstVideoInfo *out,
    GError **error);

/* Called before each frame: applies new values of @request to the kernels that
 * run; begins to build others if it needs them, or if the file has changed; and
 * takes those that are ready. What cannot be used is a warning on the bus, and
 * what runs goes on. Returns FALSE if the caps of the output change: the caller
 * negotiates, and configures for *next (transfer full). */
gboolean gst_cl_kernel_runner_update (GstClKernelRunner *self,
    const GstClKernelRequest *request, GstClKernelFile **next);

/* Returns the kernels that run (borrowed); NULL: none. */
GstClKernelOp *gst_cl_kernel_runner_op (GstClKernelRunner *self);

/* Frees the kernels. */
void gst_cl_kernel_runner_clear (GstClKernelRunner *self);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* Shared virtual memory (OpenCL 2.0): host memory that a kernel reads and
 * writes at its own address. Only the kind that host and kernel may use at the
 * same time is offered: fine-grained buffers with atomics. Runs on devices,
 * platforms and loaders that are older; there is none then. Any thread. */

/* TRUE where the device of @context has such memory; else
 * CL_INVALID_OPERATION, which says what it has instead. */
gboolean gst_cl_svm_check (GstClContext *context, GError **error);

/* Allocates @size_bytes, contents undefined; errors as above, too. */
gpointer gst_cl_svm_new (GstClContext *context, gsize size_bytes,
    GError **error);

/* No command that uses @data may be enqueued any more. Accepts NULL. */
void gst_cl_svm_free (GstClContext *context, gpointer data);

/* Passes @data as the __global pointer @index of @kernel: an OpenCL code. */
cl_int gst_cl_svm_set_argument (cl_kernel kernel, cl_uint index,
    gconstpointer data);

G_END_DECLS

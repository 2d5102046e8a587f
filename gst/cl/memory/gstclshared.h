/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"

G_BEGIN_DECLS

/* A few words of memory that the host and a kernel read and write while the
 * kernel runs: flags, and what goes with them. */
typedef struct _GstClShared GstClShared;

typedef enum {
  /* Pinned host memory, mapped all the time. OpenCL promises nothing about it
   * before a launch ends: whether it works is to be tried. */
  GST_CL_SHARED_PINNED,
  /* Fine-grained shared virtual memory with atomics (gstclsvm.h). */
  GST_CL_SHARED_SVM,
} GstClSharedKind;

/* @n_words words of zero. CL_INVALID_OPERATION where the device has no memory
 * of @kind. Keeps a reference to @context. */
GstClShared *gst_cl_shared_new (GstClContext *context, GstClSharedKind kind,
    guint n_words, GError **error);

/* Waits for all that was enqueued; what the device may write to after a wait
 * that failed is kept (gstclquarantine.h). Accepts NULL. */
void gst_cl_shared_free (GstClShared *shared);

/* The words as an argument of a kernel: volatile __global uint *. */
GstClArg gst_cl_shared_argument (const GstClShared *shared);

/* Word @index, in order with what the calling thread reads and writes besides:
 * who sees a flag sees what was written before it. Any thread. */
guint32 gst_cl_shared_get (const GstClShared *shared, guint index);
void gst_cl_shared_set (GstClShared *shared, guint index, guint32 value);

/* Looks at word @index until it is @value, at most until @deadline_us of
 * g_get_monotonic_time(). FALSE: it was not. */
gboolean gst_cl_shared_wait (const GstClShared *shared, guint index,
    guint32 value, gint64 deadline_us);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClShared, gst_cl_shared_free)

G_END_DECLS

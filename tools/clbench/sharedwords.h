/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* A few words of memory that the host and a kernel read and write while the
 * kernel runs: flags, and what goes with them. */
typedef struct _SharedWords SharedWords;

typedef enum {
  /* Pinned host memory, mapped all the time. OpenCL promises nothing about it
   * before a launch ends: whether it works is to be tried. */
  SHARED_WORDS_PINNED,
  /* Shared virtual memory (OpenCL 2.0), which a kernel reads and writes at its
   * own address, of the kind that host and kernel may use at the same time:
   * fine-grained buffers with atomics. Devices, platforms and loaders that are
   * older have none. */
  SHARED_WORDS_SVM,
} SharedWordsKind;

/* @n_words words of zero. CL_INVALID_OPERATION where the device has no memory
 * of @kind, which says what it has instead. Keeps a reference to @context. */
SharedWords *shared_words_new (GstClContext *context, SharedWordsKind kind,
    guint n_words, GError **error);

/* Waits for all that was enqueued; what the device may write to after a wait
 * that failed is kept (gstclquarantine.h). Accepts NULL. */
void shared_words_free (SharedWords *shared);

/* Passes the words as argument @index of @kernel, volatile __global uint *:
 * an OpenCL code. */
cl_int shared_words_set_argument (const SharedWords *shared, cl_kernel kernel,
    cl_uint index);

/* Word @index, in order with what the calling thread reads and writes besides:
 * who sees a flag sees what was written before it. Any thread. */
guint32 shared_words_get (const SharedWords *shared, guint index);
void shared_words_set (SharedWords *shared, guint index, guint32 value);

/* Looks at word @index until it is @value, at most until @deadline_us of
 * g_get_monotonic_time(). FALSE: it was not. */
gboolean shared_words_wait (const SharedWords *shared, guint index,
    guint32 value, gint64 deadline_us);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedWords, shared_words_free)

G_END_DECLS

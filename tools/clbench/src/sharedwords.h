/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Words of memory that the host and a kernel read and write while the kernel
 * runs: flags and their data. */
typedef struct _SharedWords SharedWords;

typedef enum {
  /* Pinned host memory that stays mapped. OpenCL gives no guarantee about it
   * before a launch ends: it must be tested. */
  SHARED_WORDS_PINNED,
  /* Shared virtual memory (OpenCL 2.0) that host and kernel may use at the same
   * time: fine-grained buffers with atomics. Older devices, platforms and
   * loaders do not support it. */
  SHARED_WORDS_SVM,
} SharedWordsKind;

/* Allocates @n_words words of zero. CL_INVALID_OPERATION if the device has no
 * memory of @kind; the error names the kind that it has. Keeps a reference to
 * @context. */
SharedWords *shared_words_new (GstClContext *context, SharedWordsKind kind,
    guint n_words, GError **error);

/* Waits for all enqueued commands. After a failed wait, memory that the device
 * may still write to is kept (gstclquarantine.h). Accepts NULL. */
void shared_words_free (SharedWords *shared);

/* Passes the words as argument @index of @kernel, of type volatile __global
 * uint *. Returns the OpenCL error code. */
cl_int shared_words_set_argument (const SharedWords *shared, cl_kernel kernel,
    cl_uint index);

/* Reads or writes word @index, ordered with the other accesses of the calling
 * thread: a thread that reads the value of a flag also sees all writes before
 * the flag. Any thread. */
guint32 shared_words_get (const SharedWords *shared, guint index);
void shared_words_set (SharedWords *shared, guint index, guint32 value);

/* Polls word @index until it is @value, or until g_get_monotonic_time() is
 * @deadline_us. Returns whether the word was @value. */
gboolean shared_words_wait (const SharedWords *shared, guint index,
    guint32 value, gint64 deadline_us);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedWords, shared_words_free)

G_END_DECLS

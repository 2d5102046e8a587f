/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words that host and kernel share while the kernel runs. */

#include "gstclshared.h"

#include "cl/context/gstclsvm.h"
#include "gstclpinned.h"
#include "gstclquarantine.h"

#include <string.h>

/* A look takes nanoseconds: between two of the clock, and before other threads
 * get the processor, in case it is one of them that is waited for. */
#define LOOKS_PER_CLOCK 256
#define CLOCKS_OF_OURS  64

struct _GstClShared {
  GstClContext *context;
  guint n_words;
  guint32 *words;
  gpointer svm;       /* NULL: pinned */
  GstClPinned pinned; /* empty: shared virtual memory */
};

static void
destroy (gpointer data)
{
  GstClShared *self = data;

  gst_cl_svm_free (self->context, self->svm);
  gst_cl_pinned_clear (&self->pinned, self->context);
  gst_object_unref (self->context);
  g_free (self);
}

GstClShared *
gst_cl_shared_new (GstClContext *context, GstClSharedKind kind, guint n_words,
    GError **error)
{
  const gsize size_bytes = n_words * sizeof (guint32);
  g_autoptr (GstClShared) self = g_new0 (GstClShared, 1);

  self->context = gst_object_ref (context);
  self->n_words = n_words;

  if (kind == GST_CL_SHARED_SVM)
    self->words = self->svm = gst_cl_svm_new (context, size_bytes, error);
  else if (gst_cl_pinned_reserve (&self->pinned, context, size_bytes, error))
    self->words = (guint32 *) self->pinned.data;

  if (!self->words)
    return NULL;
  memset (self->words, 0, size_bytes);

  return g_steal_pointer (&self);
}

void
gst_cl_shared_free (GstClShared *self)
{
  if (!self)
    return;

  if (gst_cl_context_finish (self->context, NULL))
    destroy (self);
  else
    gst_cl_quarantine_add (self->context, self->n_words * sizeof (guint32),
        self, destroy);
}

GstClArg
gst_cl_shared_argument (const GstClShared *self)
{
  if (self->svm)
    return (GstClArg) GST_CL_SVM (self->svm);

  return (GstClArg) GST_CL_MEM (self->pinned.mem);
}

guint32
gst_cl_shared_get (const GstClShared *self, guint index)
{
  return (guint32) g_atomic_int_get (&self->words[index]);
}

void
gst_cl_shared_set (GstClShared *self, guint index, guint32 value)
{
  g_atomic_int_set (&self->words[index], value);
}

gboolean
gst_cl_shared_wait (const GstClShared *self, guint index, guint32 value,
    gint64 deadline_us)
{
  for (guint n_clocks = 0; g_get_monotonic_time () < deadline_us; n_clocks++) {
    for (guint i = 0; i < LOOKS_PER_CLOCK; i++) {
      if (gst_cl_shared_get (self, index) == value)
        return TRUE;
    }
    if (n_clocks >= CLOCKS_OF_OURS)
      g_thread_yield ();
  }

  return gst_cl_shared_get (self, index) == value;
}

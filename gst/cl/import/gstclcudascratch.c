/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory shared by CUDA and OpenCL, as long as frames go through it. */

#include "gstclcudascratch.h"

#include "cl/memory/gstclquarantine.h"

#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY_EXTERN (gst_cl_cuda_debug);
#define GST_CAT_DEFAULT gst_cl_cuda_debug ()

/* Frames that go another way after a shortage; there is a scratch for each of
 * several frames in flight. */
#define N_WITHOUT 60

gboolean
gst_cl_cuda_scratch_reserve (GstClCudaScratch *self, GstClContext *context,
    GstObject *cuda_context, gsize size_bytes, cl_mem_flags flags)
{
  g_autoptr (GError) failure = NULL;

  if (gst_cl_cuda_shared_serves (self->shared, cuda_context, size_bytes))
    return TRUE;

  if (self->n_without > 0) {
    self->n_without--;
    return FALSE;
  }

  g_clear_pointer (&self->shared, gst_cl_cuda_shared_free);
  self->shared = gst_cl_cuda_shared_new (context, cuda_context, size_bytes,
      flags, &failure);
  if (failure) {
    GST_INFO_OBJECT (context, "%s", failure->message);
    self->n_without = N_WITHOUT;
  }

  return self->shared != NULL;
}

void
gst_cl_cuda_scratch_clear (GstClCudaScratch *self)
{
  gst_cl_cuda_shared_free (self->shared);
  *self = (GstClCudaScratch){ 0 };
}

static void
free_shared (gpointer data)
{
  gst_cl_cuda_shared_free (data);
}

void
gst_cl_cuda_scratch_quarantine (GstClCudaScratch *self, GstClContext *context)
{
  GstClCudaShared *shared = g_steal_pointer (&self->shared);

  if (shared)
    gst_cl_quarantine_add (context, gst_cl_cuda_shared_bytes (shared), shared,
        free_shared);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory shared by CUDA and OpenCL, as long as frames go through it. */

#include "gstclcudascratch.h"

#include "cl/memory/gstclproof.h"
#include "cl/memory/gstclquarantine.h"

#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY_EXTERN (gst_cl_cuda_debug);
#define GST_CAT_DEFAULT gst_cl_cuda_debug ()

gboolean
gst_cl_cuda_scratch_reserve (GstClCudaScratch *self, GstClContext *context,
    GstObject *cuda_context, gsize size_bytes, cl_mem_flags flags)
{
  g_autoptr (GError) failure = NULL;

  if (gst_cl_cuda_shared_serves (self->shared, cuda_context, size_bytes))
    return TRUE;

  if (g_get_monotonic_time () < self->retry_us)
    return FALSE;

  g_clear_pointer (&self->shared, gst_cl_cuda_shared_free);
  self->shared = gst_cl_cuda_shared_new (context, cuda_context, size_bytes,
      flags, &failure);
  if (failure) {
    GST_INFO_OBJECT (context, "%s", failure->message);
    self->retry_us = g_get_monotonic_time () + GST_CL_SHORTAGE_US;
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcudashared.h"

G_BEGIN_DECLS

/* Memory shared by CUDA and OpenCL that one frame after the other goes through.
 * One thread at a time. Zero-initialised it is empty. */
typedef struct {
  GstClCudaShared *shared; /* NULL: none */
  /*< private >*/
  gint64 retry_us; /* when such memory is asked for again, by
                      g_get_monotonic_time(); 0: at once */
} GstClCudaScratch;

/* Makes it hold @size_bytes or more on the GPU of @cuda_context, as
 * gst_cl_cuda_shared_new(). FALSE where there is no such memory, with a line in
 * the log (INFO): frames have to go another way, and it is asked for again
 * after GST_CL_SHORTAGE_US (gstclproof.h). */
gboolean gst_cl_cuda_scratch_reserve (GstClCudaScratch *scratch,
    GstClContext *context, GstObject *cuda_context, gsize size_bytes,
    cl_mem_flags flags);

/* No command may still use it. */
void gst_cl_cuda_scratch_clear (GstClCudaScratch *scratch);

/* A command may still use it, as a wait has failed: it is kept as long as
 * necessary (gstclquarantine.h), and the scratch is empty. */
void gst_cl_cuda_scratch_quarantine (GstClCudaScratch *scratch,
    GstClContext *context);

G_END_DECLS

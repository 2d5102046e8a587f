/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Setup and teardown of each test of CUDA memory. */

#include "memory/cudafixture.h"

#include "memory/importcontext.h"
#include "mocks/cuda.h"
#include "mocks/external.h"
#include "mocks/gstcuda.h"

GstObject *cuda;

void
cuda_setup (void)
{
  cuda = cuda_context_new (0);
  cuda_set_is_free (external_is_free);
}

void
cuda_teardown (void)
{
  external_set_fault (EXTERNAL_WORKS);
  cuda_set_fault (CUDA_WORKS);
  fail_unless_equals_int (external_n_held (), 0);
  fail_unless_equals_int (cuda_n_alive (), 0);
  fail_unless_equals_int (cuda_n_running (), 0);
  fail_unless_equals_int (cuda_n_out_of_order (), 0);
  ASSERT_OBJECT_REFCOUNT (cuda, "context", 1);
  gst_clear_object (&cuda);
}

gboolean
cuda_can_run (void)
{
  return import_context_is_on_cpu () || external_has_reported_gpu ();
}

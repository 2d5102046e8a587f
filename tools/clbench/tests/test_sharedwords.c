/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared virtual memory on a mock device without it. */

#include "sharedwords.h"
#include "suite.h"

/* A device of a platform with OpenCL 1.2 only: its table of functions ends
 * there, and a later entry would crash. */
static GstClContext *
make_old_context (void)
{
  GstClContext *context = gst_object_ref_sink (
      g_object_new (GST_TYPE_CL_CONTEXT, NULL));

  context->device = g_rc_box_new0 (GstClDevice);
  context->device->name = g_strdup ("Graphics One");
  context->device->platform_version = g_strdup ("OpenCL 1.2 Vendor 7");

  return context;
}

TEST (test_old_platform_is_refused)
{
  g_autoptr (GstClContext) context = make_old_context ();
  g_autoptr (GError) error = NULL;

  fail_if (shared_words_new (context, SHARED_WORDS_SVM, 1, &error));
  fail_unless (g_error_matches (error, GST_CL_ERROR, CL_INVALID_OPERATION));
  fail_unless_equals_string (error->message,
      "Fine-grained shared virtual memory with atomics is required; Graphics "
      "One has no shared virtual memory: its platform is older than OpenCL "
      "2.0.");
}

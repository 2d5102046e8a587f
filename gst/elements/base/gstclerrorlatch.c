/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failures to configure, each posted once. */

#include "gstclerrorlatch.h"

#include "cl/device/gstclerror.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cl_base_filter_debug);
#define GST_CAT_DEFAULT gst_cl_base_filter_debug

static gboolean
is_repeated (const GError *error, const GError *last)
{
  return last && g_error_matches (last, error->domain, error->code) &&
         (error->domain != GST_CORE_ERROR ||
             g_str_equal (last->message, error->message));
}

gboolean
gst_cl_error_latch_post (GstClErrorLatch *self, GstElement *element,
    GstClContext *context, GError *error)
{
  if (is_repeated (error, self->last)) {
    GST_DEBUG_OBJECT (element, "again: %s", error->message);
  } else if (gst_cl_context_latch_failure (context, error, element)) {
    gst_cl_post_error (element, error);
    gst_cl_context_set_failure_posted (context, element);
  }
  gst_cl_error_latch_clear (self);
  self->last = error;

  return gst_cl_context_is_failure_posted (context, element);
}

void
gst_cl_error_latch_clear (GstClErrorLatch *self)
{
  g_clear_error (&self->last);
}

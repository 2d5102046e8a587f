/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Posts an OpenCL error once. */

#include "gstclfailure.h"

#include <gst/base/gstbasetransform.h>

#include "cl/device/gstclerror.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cl_base_filter_debug);
#define GST_CAT_DEFAULT gst_cl_base_filter_debug

enum {
  STATE_NONE,
  STATE_POSTING, /* a thread is about to post it */
  STATE_POSTED,
  STATE_POSTED_ELSEWHERE /* another element of the pipeline has posted it */
};

void
gst_cl_failure_clear (GstClFailure *self)
{
  g_atomic_int_set (&self->state, STATE_NONE);
}

gboolean
gst_cl_failure_is_set (GstClFailure *self)
{
  return g_atomic_int_get (&self->state) != STATE_NONE;
}

void
gst_cl_failure_post (GstClFailure *self, GstElement *element,
    GstClContext *context, const GError *error)
{
  const gboolean is_ours = error->domain == GST_CL_ERROR;
  const gboolean is_first = is_ours &&
                            g_atomic_int_compare_and_exchange (&self->state,
                                STATE_NONE, STATE_POSTING);
  gboolean is_news;

  /* Another thread of this element is about to post. It may not have called
   * gst_cl_context_latch_failure() yet, which returns TRUE to one thread only:
   * a call here could take that TRUE away, and nobody would post. */
  if (is_ours && !is_first &&
      g_atomic_int_get (&self->state) == STATE_POSTING) {
    GST_DEBUG_OBJECT (element, "not posted, another thread posts an error: %s",
        error->message);
    return;
  }

  is_news = gst_cl_context_latch_failure (context, error, element);
  if (!is_ours || (is_first && is_news))
    gst_cl_post_error (element, error);
  else
    GST_DEBUG_OBJECT (element, "not posted again: %s", error->message);

  if (is_first)
    g_atomic_int_set (&self->state,
        is_news ? STATE_POSTED : STATE_POSTED_ELSEWHERE);
  /* Also if this element posts nothing, because it has posted before: otherwise
   * gst_cl_context_is_failure_posted() stays FALSE. */
  if (is_ours && is_news)
    gst_cl_context_set_failure_posted (context, element);
}

GstFlowReturn
gst_cl_failure_flow (GstClFailure *self, GstElement *element,
    GstClContext *context)
{
  const gint state = g_atomic_int_get (&self->state);

  if (state == STATE_POSTING ||
      (state == STATE_POSTED_ELSEWHERE &&
          !gst_cl_context_is_failure_posted (context, element)))
    return GST_BASE_TRANSFORM_FLOW_DROPPED;

  return GST_FLOW_ERROR;
}

/* --- failures to configure ------------------------------------------------ */

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
    GST_DEBUG_OBJECT (element, "not posted again: %s", error->message);
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What has failed on a context, and whether an application was told. */

#include "cl/device/gstcldeviceverdict.h"
#include "common/gstcldebug.h"
#include "gstclcontext.h"

GST_CL_DEBUG_CATEGORY_EXTERN (gst_cl_context_debug);
#define GST_CAT_DEFAULT gst_cl_context_debug ()

/* The outermost bin around @element; not a reference. */
static gconstpointer
find_pipeline (GstElement *element)
{
  GstObject *object = gst_object_ref (GST_OBJECT (element)), *parent;

  while ((parent = gst_object_get_parent (object))) {
    gst_object_unref (object);
    object = parent;
  }
  gst_object_unref (object);

  return object;
}

static gboolean
is_of_resources (cl_int code)
{
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
         code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
}

/* A command that waits for one that has failed fails with a code of its own.
 * Drivers that have too little of something say so with one code here and
 * another there. */
static gboolean
may_follow (cl_int code, cl_int other)
{
  return code == other || (is_of_resources (code) && is_of_resources (other)) ||
         code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ||
         other == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

/* Object lock held. */
static gboolean
is_told (const GstClContext *self, cl_int code, gconstpointer element,
    gconstpointer pipeline)
{
  if (self->told_for != pipeline)
    return FALSE;

  return self->is_lost ||
         (self->told_by != element && may_follow (code, self->told_code));
}

gboolean
gst_cl_context_latch_failure (GstClContext *self, const GError *error,
    GstElement *element)
{
  gconstpointer pipeline = find_pipeline (element);
  gboolean is_lost, is_news;

  if (error->domain != GST_CL_ERROR)
    return TRUE;

  /* no implementation passes its self-test: CL_INVALID_DEVICE */
  if (self->alternative && (gst_cl_error_is_compiler_failure (error) ||
                               error->code == CL_INVALID_DEVICE))
    gst_cl_device_verdict_set_unable (self->device, error->message);

  /* CL_OUT_OF_RESOURCES may be one frame's; a lost device fails at everything
   */
  is_lost = error->code == CL_DEVICE_NOT_AVAILABLE ||
            (error->code == CL_OUT_OF_RESOURCES &&
                clFinish (self->queue) != CL_SUCCESS);

  GST_OBJECT_LOCK (self);
  is_news = !is_told (self, error->code, element, pipeline);
  if (is_lost && !self->is_lost)
    GST_INFO ("device lost: %s", error->message);
  self->is_lost |= is_lost;
  if (is_news) {
    self->told_for = pipeline;
    self->told_by = element;
    self->told_code = error->code;
    self->is_posted = FALSE;
  }
  GST_OBJECT_UNLOCK (self);

  return is_news;
}

void
gst_cl_context_set_failure_posted (GstClContext *self, GstElement *element)
{
  GST_OBJECT_LOCK (self);
  self->is_posted |= self->told_by == element;
  GST_OBJECT_UNLOCK (self);
}

gboolean
gst_cl_context_is_failure_posted (GstClContext *self, GstElement *element)
{
  gconstpointer pipeline = find_pipeline (element);
  gboolean is_posted;

  GST_OBJECT_LOCK (self);
  is_posted = self->told_for != pipeline || self->is_posted;
  GST_OBJECT_UNLOCK (self);

  return is_posted;
}

void
gst_cl_context_forget_failure (GstClContext *self)
{
  GST_OBJECT_LOCK (self);
  if (!self->is_lost)
    self->told_for = NULL;
  GST_OBJECT_UNLOCK (self);
}

gboolean
gst_cl_context_is_lost (GstClContext *self)
{
  gboolean is_lost;

  GST_OBJECT_LOCK (self);
  is_lost = self->is_lost;
  GST_OBJECT_UNLOCK (self);

  return is_lost;
}

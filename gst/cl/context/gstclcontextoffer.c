/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contexts of OpenCL within GstContexts. */

#include "gstclcontextoffer.h"

static void
append_value (GValue *array, GstClContext *context)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_CL_CONTEXT);
  g_value_set_object (&value, context);
  gst_value_array_append_and_take_value (array, &value);
}

/* Sets the field "others" of @structure, unless there are none. */
static void
set_others (GstStructure *structure, GstClContext *shared, GPtrArray *others)
{
  GValue array = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  for (guint i = 0; i < others->len; i++) {
    GstClContext *other = g_ptr_array_index (others, i);

    if (other->device->id != shared->device->id)
      append_value (&array, other);
  }
  if (gst_value_array_get_size (&array) > 0)
    gst_structure_set_value (structure, "others", &array);
  g_value_unset (&array);
}

GstContext *
gst_cl_context_offer_new (GstClContext *shared, GPtrArray *others)
{
  /* Not persistent: the device's memory is free again once the pipeline is
   * down, and a device that has failed is not offered once more. */
  GstContext *offer = gst_context_new (GST_CL_CONTEXT_TYPE, FALSE);
  GstStructure *structure = gst_context_writable_structure (offer);

  gst_structure_set (structure, "context", GST_TYPE_CL_CONTEXT, shared,
      "cl-platform", G_TYPE_POINTER, shared->device->platform, "cl-device",
      G_TYPE_POINTER, shared->device->id, "cl-context", G_TYPE_POINTER,
      shared->handle, "cl-queue", G_TYPE_POINTER, shared->queue, NULL);
  if (others)
    set_others (structure, shared, others);

  return offer;
}

/* The first device of an application's context. */
static cl_device_id
first_device (cl_context handle)
{
  cl_device_id devices[64];

  if (clGetContextInfo (handle, CL_CONTEXT_DEVICES, sizeof devices, devices,
          NULL) != CL_SUCCESS)
    return NULL;

  return devices[0];
}

GstClContext *
gst_cl_context_offer_read (GstContext *offer, GError **error)
{
  const GstStructure *structure = gst_context_get_structure (offer);
  GstClContext *shared = NULL;
  gpointer handle = NULL, device = NULL, queue = NULL;

  gst_structure_get (structure, "context", GST_TYPE_CL_CONTEXT, &shared, NULL);
  if (shared)
    return shared;

  gst_structure_get (structure, "cl-context", G_TYPE_POINTER, &handle, NULL);
  gst_structure_get (structure, "cl-device", G_TYPE_POINTER, &device, NULL);
  gst_structure_get (structure, "cl-queue", G_TYPE_POINTER, &queue, NULL);
  if (!handle)
    return NULL;

  return gst_cl_context_wrap (handle, device ? device : first_device (handle),
      queue, error);
}

GPtrArray *
gst_cl_context_offer_list_new (void)
{
  return g_ptr_array_new_with_free_func (gst_object_unref);
}

static void
append (GPtrArray *contexts, GstClContext *context)
{
  if (gst_cl_context_is_lost (context))
    return;
  for (guint i = 0; i < contexts->len; i++) {
    const GstClContext *known = g_ptr_array_index (contexts, i);

    if (known->device->id == context->device->id)
      return;
  }

  g_ptr_array_add (contexts, gst_object_ref (context));
}

/* Applications may have filled the field with anything. */
static void
append_others (GPtrArray *contexts, const GValue *others)
{
  for (guint i = 0; i < gst_value_array_get_size (others); i++) {
    const GValue *other = gst_value_array_get_value (others, i);

    if (G_VALUE_HOLDS (other, GST_TYPE_CL_CONTEXT) &&
        g_value_get_object (other))
      append (contexts, g_value_get_object (other));
  }
}

void
gst_cl_context_offer_list (GstContext *offer, GPtrArray *contexts)
{
  g_autoptr (GstClContext) first = gst_cl_context_offer_read (offer, NULL);
  const GValue *others = gst_structure_get_value (
      gst_context_get_structure (offer), "others");

  if (first)
    append (contexts, first);
  if (others && GST_VALUE_HOLDS_ARRAY (others))
    append_others (contexts, others);
}

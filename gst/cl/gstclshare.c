/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One GstClContext for the elements of a pipeline. */

#include "gstclshare.h"

GST_DEBUG_CATEGORY_STATIC (GST_CAT_CONTEXT);

static GstContext *
make_context (GstClContext *shared)
{
  /* Not persistent: the device's memory is free again once the pipeline is
   * down, and a device that has failed is not offered once more. */
  GstContext *context = gst_context_new (GST_CL_CONTEXT_TYPE, FALSE);

  gst_structure_set (gst_context_writable_structure (context), "context",
      GST_TYPE_CL_CONTEXT, shared, NULL);

  return context;
}

/* transfer full, NULL if @context carries none */
static GstClContext *
read_context (GstContext *context)
{
  GstClContext *shared = NULL;

  if (gst_context_has_context_type (context, GST_CL_CONTEXT_TYPE))
    gst_structure_get (gst_context_get_structure (context), "context",
        GST_TYPE_CL_CONTEXT, &shared, NULL);

  return shared;
}

void
gst_cl_share_set_context (GstElement *element, GstContext *context,
    GstClContext **shared)
{
  GstClContext *offered = read_context (context);

  if (!offered)
    return;

  GST_OBJECT_LOCK (element);
  if (!*shared)
    *shared = g_steal_pointer (&offered);
  GST_OBJECT_UNLOCK (element);
  gst_clear_object (&offered);
}

gboolean
gst_cl_share_answer_query (GstQuery *query, GstClContext *shared)
{
  g_autoptr (GstContext) context = NULL;
  const gchar *type;

  gst_query_parse_context_type (query, &type);
  if (!shared || g_strcmp0 (type, GST_CL_CONTEXT_TYPE) != 0)
    return FALSE;

  context = make_context (shared);
  gst_query_set_context (query, context);

  return TRUE;
}

/* --- asking the neighbours ----------------------------------------------- */

static gboolean
query_peer (const GValue *item, GValue *result, gpointer user_data)
{
  GstPad *pad = g_value_get_object (item);

  if (!gst_pad_peer_query (pad, user_data))
    return TRUE;

  g_value_set_boolean (result, TRUE);

  return FALSE;
}

/* The answer, if any, reaches *shared through the element's set_context. */
static void
query_neighbours (GstElement *element, GstPadDirection direction)
{
  g_autoptr (GstQuery) query = gst_query_new_context (GST_CL_CONTEXT_TYPE);
  GstIterator *pads = direction == GST_PAD_SRC
                          ? gst_element_iterate_src_pads (element)
                          : gst_element_iterate_sink_pads (element);
  GValue answered = G_VALUE_INIT;

  g_value_init (&answered, G_TYPE_BOOLEAN);
  while (gst_iterator_fold (pads, query_peer, &answered, query) ==
         GST_ITERATOR_RESYNC)
    gst_iterator_resync (pads);
  gst_iterator_free (pads);

  if (g_value_get_boolean (&answered)) {
    GstContext *context;

    gst_query_parse_context (query, &context);
    if (context)
      gst_element_set_context (element, context);
  }
}

/* A context that serves @wanted, out of *shared; one that does not is dropped.
 * transfer full */
static GstClContext *
take_fitting (GstElement *element, GstClContext **shared, const gchar *wanted)
{
  g_autoptr (GPtrArray) devices = g_ptr_array_new ();
  g_autoptr (GstClDevice) device = NULL;
  GstClContext *context;

  GST_OBJECT_LOCK (element);
  context = *shared ? gst_object_ref (*shared) : NULL;
  GST_OBJECT_UNLOCK (element);
  if (!context)
    return NULL;

  g_ptr_array_add (devices, context->device);
  device = gst_cl_device_choose_from (devices, wanted, NULL);
  if (device)
    return context;

  GST_CAT_INFO_OBJECT (GST_CAT_CONTEXT, element,
      "device \"%s\" asked for, the context offered is of %s", wanted,
      context->device->name);
  GST_OBJECT_LOCK (element);
  if (*shared == context)
    gst_clear_object (shared);
  GST_OBJECT_UNLOCK (element);
  gst_object_unref (context);

  return NULL;
}

static GstClContext *
create_and_offer (GstElement *element, GstClContext **shared,
    const gchar *wanted, GError **error)
{
  g_autoptr (GstClDevice) device = gst_cl_device_choose (wanted, error);
  GstClContext *context = device ? gst_cl_context_new (device, FALSE, error)
                                 : NULL;
  GstContext *offer;

  if (!context)
    return NULL;

  GST_OBJECT_LOCK (element);
  gst_object_replace ((GstObject **) shared, GST_OBJECT (context));
  GST_OBJECT_UNLOCK (element);

  offer = make_context (context);
  gst_element_set_context (element, offer);
  gst_element_post_message (element,
      gst_message_new_have_context (GST_OBJECT (element), offer));

  return context;
}

GstClContext *
gst_cl_share_ensure (GstElement *element, GstClContext **shared,
    const gchar *wanted, GError **error)
{
  static const GstPadDirection directions[] = { GST_PAD_SRC, GST_PAD_SINK };
  GstClContext *context;

  GST_DEBUG_CATEGORY_GET (GST_CAT_CONTEXT, "GST_CONTEXT");

  context = take_fitting (element, shared, wanted);
  for (guint i = 0; i < G_N_ELEMENTS (directions) && !context; i++) {
    query_neighbours (element, directions[i]);
    context = take_fitting (element, shared, wanted);
  }
  if (!context) {
    gst_element_post_message (element,
        gst_message_new_need_context (GST_OBJECT (element),
            GST_CL_CONTEXT_TYPE));
    context = take_fitting (element, shared, wanted);
  }
  if (!context)
    context = create_and_offer (element, shared, wanted, error);

  return context;
}

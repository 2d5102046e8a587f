/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One GstClContext a device for the elements of a pipeline. */

#include "gstclcontextshare.h"
#include "cl/device/gstcldeviceverdict.h"
#include "gstclprobe.h"

GST_DEBUG_CATEGORY_STATIC (GST_CAT_CONTEXT);

static GstContext *
make_context (GstClContext *shared)
{
  /* Not persistent: the device's memory is free again once the pipeline is
   * down, and a device that has failed is not offered once more. */
  GstContext *context = gst_context_new (GST_CL_CONTEXT_TYPE, FALSE);

  gst_structure_set (gst_context_writable_structure (context), "context",
      GST_TYPE_CL_CONTEXT, shared, "cl-platform", G_TYPE_POINTER,
      shared->device->platform, "cl-device", G_TYPE_POINTER, shared->device->id,
      "cl-context", G_TYPE_POINTER, shared->handle, "cl-queue", G_TYPE_POINTER,
      shared->queue, NULL);

  return context;
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

/* transfer full; NULL without @error if @context carries none */
static GstClContext *
read_context (GstContext *context, GError **error)
{
  const GstStructure *structure = gst_context_get_structure (context);
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

/* Contexts of other devices that stand in @context. */
static guint
n_others (GstContext *context)
{
  const GValue *others = gst_structure_get_value (
      gst_context_get_structure (context), "others");

  return others && GST_VALUE_HOLDS_ARRAY (others)
             ? gst_value_array_get_size (others)
             : 0;
}

/* transfer none; NULL where the field was filled with something else */
static GstClContext *
get_other (GstContext *context, guint i)
{
  const GValue *others = gst_structure_get_value (
      gst_context_get_structure (context), "others");
  const GValue *other = gst_value_array_get_value (others, i);

  return G_VALUE_HOLDS (other, GST_TYPE_CL_CONTEXT) ? g_value_get_object (other)
                                                    : NULL;
}

static void
add_other (GValue *others, GstClContext *other, GstClContext *shared)
{
  GValue value = G_VALUE_INIT;

  if (!other || other->device->id == shared->device->id ||
      gst_cl_context_is_lost (other))
    return;

  g_value_init (&value, GST_TYPE_CL_CONTEXT);
  g_value_set_object (&value, other);
  gst_value_array_append_and_take_value (others, &value);
}

/* Beside @shared, @offer names what was @given to the element, and is of other
 * devices. */
static void
add_others (GstContext *offer, GstClContext *shared, GstContext *given)
{
  g_autoptr (GstClContext) first = read_context (given, NULL);
  GValue others = G_VALUE_INIT;

  g_value_init (&others, GST_TYPE_ARRAY);
  add_other (&others, first, shared);
  for (guint i = 0; i < n_others (given); i++)
    add_other (&others, get_other (given, i), shared);
  if (gst_value_array_get_size (&others) > 0)
    gst_structure_set_value (gst_context_writable_structure (offer), "others",
        &others);
  g_value_unset (&others);
}

gboolean
gst_cl_context_share_answer_query (GstQuery *query, GstClContext *shared)
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

/* The answer, if any, is one that the element was given. */
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

/* --- choosing ------------------------------------------------------------ */

static gboolean
fits (GstElement *element, GstClContext *context, const gchar *wanted)
{
  g_autoptr (GPtrArray) devices = g_ptr_array_new ();
  g_autoptr (GstClDevice) device = NULL;

  if (gst_cl_context_is_lost (context)) {
    GST_CAT_INFO_OBJECT (GST_CAT_CONTEXT, element,
        "the context offered has lost its device");
    return FALSE;
  }
  if (!wanted || g_ascii_strcasecmp (wanted, "auto") == 0) {
    if (!context->alternative || gst_cl_device_verdict_get (context->device) !=
                                     GST_CL_DEVICE_VERDICT_UNABLE)
      return TRUE;
    GST_CAT_INFO_OBJECT (GST_CAT_CONTEXT, element,
        "the context offered is of %s, which does not compile, or not right",
        context->device->name);
    return FALSE;
  }

  g_ptr_array_add (devices, context->device);
  device = gst_cl_device_choose_from (devices, wanted, NULL);
  if (!device)
    GST_CAT_INFO_OBJECT (GST_CAT_CONTEXT, element,
        "device \"%s\" asked for, the context offered is of %s", wanted,
        context->device->name);

  return device != NULL;
}

/* transfer full; NULL if none fits */
static GstClContext *
take_other (GstElement *element, GstContext *given, const gchar *wanted)
{
  for (guint i = 0; i < n_others (given); i++) {
    GstClContext *other = get_other (given, i);

    if (other && fits (element, other, wanted))
      return gst_object_ref (other);
  }

  return NULL;
}

/* The context that the element was given last, or one of the others that stand
 * there, if it fits. transfer full; FALSE with @error if the first cannot be
 * used at all */
static gboolean
take_given (GstElement *element, const gchar *wanted, GstClContext **context,
    GError **error)
{
  g_autoptr (GstContext)
      given = gst_element_get_context (element, GST_CL_CONTEXT_TYPE);
  g_autoptr (GError) read_error = NULL;

  *context = given ? read_context (given, &read_error) : NULL;
  if (read_error) {
    g_propagate_error (error, g_steal_pointer (&read_error));
    return FALSE;
  }
  if (*context && !fits (element, *context, wanted)) {
    gst_object_unref (*context);
    *context = take_other (element, given, wanted);
  }

  return TRUE;
}

/* The first of @devices that compiles a small program; the last one need not,
 * since there is nothing else to go to: its own failure says more. One that
 * cannot be opened is an error, as it may be busy or lost. */
static GstClContext *
open_able (GPtrArray *devices, GError **error)
{
  for (guint i = 0;; i++) {
    g_autoptr (GstClContext) context = gst_cl_context_new (
        g_ptr_array_index (devices, i), FALSE, error);
    g_autoptr (GError) reason = NULL;

    if (!context || i + 1 == devices->len)
      return g_steal_pointer (&context);

    if (gst_cl_probe_try (context, &reason)) {
      context->alternative = gst_cl_device_ref (
          g_ptr_array_index (devices, i + 1));
      return g_steal_pointer (&context);
    }
    if (gst_cl_device_verdict_get (context->device) !=
        GST_CL_DEVICE_VERDICT_UNABLE) {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  }
}

static GstClContext *
create_and_offer (GstElement *element, const gchar *wanted, GError **error)
{
  g_autoptr (GstContext)
      given = gst_element_get_context (element, GST_CL_CONTEXT_TYPE);
  g_autoptr (GPtrArray) listed = gst_cl_device_list ();
  g_autoptr (GPtrArray)
      devices = gst_cl_device_choose_all (listed, wanted, error);
  GstClContext *context = devices ? open_able (devices, error) : NULL;
  GstContext *offer;

  if (!context)
    return NULL;

  offer = make_context (context);
  if (given)
    add_others (offer, context, given);
  gst_element_set_context (element, offer);
  gst_element_post_message (element,
      gst_message_new_have_context (GST_OBJECT (element), offer));

  return context;
}

/* Ways to be given a context, in their order. */
static void
ask_nobody (GstElement *element)
{
}

static void
ask_downstream (GstElement *element)
{
  query_neighbours (element, GST_PAD_SRC);
}

static void
ask_upstream (GstElement *element)
{
  query_neighbours (element, GST_PAD_SINK);
}

static void
ask_parents (GstElement *element)
{
  gst_element_post_message (element,
      gst_message_new_need_context (GST_OBJECT (element), GST_CL_CONTEXT_TYPE));
}

/* Elements of several pipelines start at once. */
static void
find_category (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_GET (GST_CAT_CONTEXT, "GST_CONTEXT");
    g_once_init_leave (&once, 1);
  }
}

GstClContext *
gst_cl_context_share_ensure (GstElement *element, const gchar *wanted,
    GError **error)
{
  static void (*const ways[]) (
      GstElement *) = { ask_nobody, ask_downstream, ask_upstream, ask_parents };
  GstClContext *context = NULL;

  find_category ();
  for (guint i = 0; i < G_N_ELEMENTS (ways) && !context; i++) {
    ways[i](element);
    if (!take_given (element, wanted, &context, error))
      return NULL;
  }

  return context ? context : create_and_offer (element, wanted, error);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shares one GstClContext per device among the elements of a pipeline. */

#include "cl/device/gstcldevice.h"
#include "gstclcontext.h"
#include "gstclprogram.h"
#include "libraryresources.h"

/* --- offers --------------------------------------------------------------- */

static void
append_value (GValue *array, GstClContext *context)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_CL_CONTEXT);
  g_value_set_object (&value, context);
  gst_value_array_append_and_take_value (array, &value);
}

/* Sets the field "others" of @structure, unless the list is empty. */
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

/* Creates an offer of @shared. @others (may be NULL): contexts; those of other
 * devices are added to the offer. Transfer full. */
static GstContext *
offer_new (GstClContext *shared, gboolean is_persistent, GPtrArray *others)
{
  GstContext *offer = gst_context_new (GST_CL_CONTEXT_TYPE, is_persistent);
  GstStructure *structure = gst_context_writable_structure (offer);

  gst_structure_set (structure, "context", GST_TYPE_CL_CONTEXT, shared,
      "cl-platform", G_TYPE_POINTER, shared->device->platform, "cl-device",
      G_TYPE_POINTER, shared->device->id, "cl-context", G_TYPE_POINTER,
      shared->handle, "cl-queue", G_TYPE_POINTER, shared->queue, NULL);
  if (others)
    set_others (structure, shared, others);

  return offer;
}

/* Elements' offers are not persistent: the device's memory is freed when the
 * pipeline stops, and a failed device is not offered again. */
GstContext *
gst_cl_context_to_gst_context (GstClContext *context)
{
  return offer_new (context, TRUE, NULL);
}

/* Sets *pointer to field @name, or to NULL if there is none. FALSE with @error
 * if it is no pointer. */
static gboolean
read_pointer (const GstStructure *structure, const gchar *name,
    gpointer *pointer, GError **error)
{
  const GValue *value = gst_structure_get_value (structure, name);

  *pointer = NULL;
  if (!value)
    return TRUE;
  if (G_VALUE_HOLDS_POINTER (value)) {
    *pointer = g_value_get_pointer (value);
    return TRUE;
  }

  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "The field %s of the GstContext " GST_CL_CONTEXT_TYPE
      " is no pointer but a %s.",
      name, G_VALUE_TYPE_NAME (value));

  return FALSE;
}

/* Returns the context of @offer; an application's objects are wrapped. Transfer
 * full; NULL with @error. */
static GstClContext *
offer_read (GstContext *offer, GError **error)
{
  const GstStructure *structure = gst_context_get_structure (offer);
  GstClContext *shared = NULL;
  gpointer handle, device, queue;

  gst_structure_get (structure, "context", GST_TYPE_CL_CONTEXT, &shared, NULL);
  if (shared)
    return shared;

  if (!read_pointer (structure, "cl-context", &handle, error) ||
      !read_pointer (structure, "cl-device", &device, error) ||
      !read_pointer (structure, "cl-queue", &queue, error))
    return NULL;
  if (!handle) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        gst_structure_has_field (structure, "cl-context")
            ? "The field cl-context of the GstContext " GST_CL_CONTEXT_TYPE
              " is NULL."
            : "The GstContext " GST_CL_CONTEXT_TYPE
              " has no field cl-context.");
    return NULL;
  }

  return gst_cl_context_new_wrapped (handle, device, queue, error);
}

/* Returns an empty list for the next function; transfer full. */
static GPtrArray *
offer_list_new (void)
{
  return g_ptr_array_new_with_free_func (gst_object_unref);
}

static void
add_context (GPtrArray *contexts, GstClContext *context)
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

/* The field may have any contents: applications may have set it. */
static void
append_others (GPtrArray *contexts, const GValue *others)
{
  for (guint i = 0; i < gst_value_array_get_size (others); i++) {
    const GValue *other = gst_value_array_get_value (others, i);

    if (G_VALUE_HOLDS (other, GST_TYPE_CL_CONTEXT) &&
        g_value_get_object (other))
      add_context (contexts, g_value_get_object (other));
  }
}

/* Appends the contexts of @offer to @contexts, except lost ones, and those of a
 * device that has a context in the list. */
static void
offer_list (GstContext *offer, GPtrArray *contexts)
{
  g_autoptr (GstClContext) first = offer_read (offer, NULL);
  const GValue *others = gst_structure_get_value (
      gst_context_get_structure (offer), "others");

  if (first)
    add_context (contexts, first);
  if (others && GST_VALUE_HOLDS_ARRAY (others))
    append_others (contexts, others);
}

GST_DEBUG_CATEGORY_STATIC (GST_CAT_CONTEXT);

/* --- whether a device compiles -------------------------------------------- */

/* A broken compiler may give any error; these errors have another cause. */
static gboolean
is_gone_or_full (const GError *error)
{
  return g_error_matches (error, GST_CL_ERROR, CL_DEVICE_NOT_AVAILABLE) ||
         gst_cl_error_is_shortage (error);
}

/* Compiles a small program with the constructs that all kernels use, or loads
 * it; once per process and device. FALSE with @error if that fails: then
 * device=auto ignores the device, unless it was lost or out of memory. Any
 * thread. */
static gboolean
try_device (GstClContext *context, GError **error)
{
  g_autoptr (GError) reason = NULL;
  cl_kernel kernel;

  if (gst_cl_device_verdict_get (context->device) == GST_CL_DEVICE_VERDICT_ABLE)
    return TRUE;

  /* A linker takes from a static library only what is called by name. */
  gst_cl_library_get_resource ();
  kernel = gst_cl_program_create_kernel (context, "probe/probe.cl", "",
      "probe_all", &reason);
  if (kernel) {
    clReleaseKernel (kernel);
    gst_cl_device_verdict_set (context->device, GST_CL_DEVICE_VERDICT_ABLE);
    return TRUE;
  }

  if (!is_gone_or_full (reason))
    gst_cl_device_verdict_set_unable (context->device, reason->message);
  g_propagate_error (error, g_steal_pointer (&reason));

  return FALSE;
}

/* --- sharing ------------------------------------------------------------- */

gboolean
gst_cl_handle_context_query (GstQuery *query, GstClContext *shared)
{
  g_autoptr (GstContext) context = NULL;
  const gchar *type;

  gst_query_parse_context_type (query, &type);
  if (!shared || g_strcmp0 (type, GST_CL_CONTEXT_TYPE) != 0)
    return FALSE;

  context = offer_new (shared, FALSE, NULL);
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

/* The element receives the answer, if any, through set_context(). */
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
is_auto (const gchar *wanted)
{
  return !wanted || g_ascii_strcasecmp (wanted, "auto") == 0;
}

static gboolean
is_wanted (GstElement *element, GstClContext *context, const gchar *wanted)
{
  g_autoptr (GPtrArray) devices = g_ptr_array_new ();
  g_autoptr (GstClDevice) device = NULL;

  if (gst_cl_context_is_lost (context)) {
    GST_CAT_INFO_OBJECT (GST_CAT_CONTEXT, element,
        "the offered context has lost its device");
    return FALSE;
  }
  if (is_auto (wanted)) {
    if (!context->alternative || gst_cl_device_verdict_get (context->device) !=
                                     GST_CL_DEVICE_VERDICT_UNABLE)
      return TRUE;
    GST_CAT_INFO_OBJECT (GST_CAT_CONTEXT, element,
        "the offered context is of %s, which cannot compile kernels correctly",
        context->device->name);
    return FALSE;
  }

  g_ptr_array_add (devices, context->device);
  device = gst_cl_device_choose_from (devices, wanted, NULL);
  if (!device)
    GST_CAT_INFO_OBJECT (GST_CAT_CONTEXT, element,
        "device \"%s\" is requested, the offered context is of %s", wanted,
        context->device->name);

  return device != NULL;
}

/* Returns the context of the device that "auto" would open. Transfer full; NULL
 * if @offered has none of that device. */
static GstClContext *
find_default (GPtrArray *offered)
{
  g_autoptr (GstClDevice) usual = gst_cl_device_choose ("auto", NULL);

  for (guint i = 0; usual && i < offered->len; i++) {
    GstClContext *context = g_ptr_array_index (offered, i);

    if (context->device->id == usual->id)
      return gst_object_ref (context);
  }

  return NULL;
}

/* Returns the context of the device that @wanted names. Transfer full; NULL if
 * @offered has none of that device. */
static GstClContext *
find_named (GstElement *element, GPtrArray *offered, const gchar *wanted)
{
  for (guint i = 0; i < offered->len; i++) {
    GstClContext *context = g_ptr_array_index (offered, i);

    if (is_wanted (element, context, wanted))
      return gst_object_ref (context);
  }

  return NULL;
}

/* Returns the context that the element has received last, if it matches. Of
 * contexts of several devices "auto" uses that of the device that it would
 * open. Transfer full; FALSE with @error if it cannot be used at all. */
static gboolean
take_given (GstElement *element, const gchar *wanted, GstClContext **context,
    GError **error)
{
  g_autoptr (GPtrArray) offered = offer_list_new ();
  g_autoptr (GstContext)
      given = gst_element_get_context (element, GST_CL_CONTEXT_TYPE);
  g_autoptr (GstClContext) first = NULL;
  g_autoptr (GError) read_error = NULL;

  *context = NULL;
  if (!given)
    return TRUE;
  first = offer_read (given, &read_error);
  if (read_error) {
    g_propagate_error (error, g_steal_pointer (&read_error));
    return FALSE;
  }

  if (is_auto (wanted))
    offer_list (given, offered);
  if (offered->len > 1)
    *context = find_default (offered);
  if (!*context && first && is_wanted (element, first, wanted))
    *context = g_steal_pointer (&first);

  return TRUE;
}

/* Collects the contexts of the element and of the bins around it. The nearest
 * bin with a context answers; a bin knows only the contexts that passed through
 * it. */
static GPtrArray *
list_known (GstElement *element)
{
  GPtrArray *known = offer_list_new ();
  GstObject *object = gst_object_ref (GST_OBJECT (element));

  while (object && GST_IS_ELEMENT (object)) {
    g_autoptr (GstObject) child = object;
    g_autoptr (GstContext) given = gst_element_get_context (GST_ELEMENT (child),
        GST_CL_CONTEXT_TYPE);

    if (given)
      offer_list (given, known);
    object = gst_object_get_parent (child);
  }
  gst_clear_object (&object);

  return known;
}

/* Opens the first of @devices that compiles a small program. The last one is
 * not tested, since there is no alternative, and its own error is more
 * specific. It is an error if a device cannot be opened, as it may be busy or
 * lost. */
static GstClContext *
open_able (GPtrArray *devices, GError **error)
{
  for (guint i = 0;; i++) {
    g_autoptr (GstClContext) context = gst_cl_context_new (
        g_ptr_array_index (devices, i), FALSE, error);
    g_autoptr (GError) reason = NULL;

    if (!context || i + 1 == devices->len)
      return g_steal_pointer (&context);

    if (try_device (context, &reason)) {
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

GstClContext *
gst_cl_context_new_for_device (const gchar *wanted, GError **error)
{
  g_autoptr (GPtrArray) listed = gst_cl_device_list ();
  g_autoptr (GPtrArray)
      devices = gst_cl_device_choose_all (listed, wanted, error);

  return devices ? open_able (devices, error) : NULL;
}

/* @known: contexts that are offered together with the new one. */
static GstClContext *
create_and_offer (GstElement *element, const gchar *wanted, GPtrArray *known,
    GError **error)
{
  GstClContext *context = gst_cl_context_new_for_device (wanted, error);
  GstContext *offer;

  if (!context)
    return NULL;

  offer = offer_new (context, FALSE, known);
  gst_element_set_context (element, offer);
  gst_element_post_message (element,
      gst_message_new_have_context (GST_OBJECT (element), offer));

  return context;
}

/* The ways to receive a context, in their order. */
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

/* Elements of one pipeline lock each other out, so that the second of two that
 * start at once finds the context of the first. Elements of several pipelines
 * rarely share a lock. */
static GRecMutex *
lock_of_pipeline (GstElement *element)
{
  static GRecMutex locks[16];
  GstObject *root = gst_object_ref (GST_OBJECT (element));
  GstObject *parent;

  while ((parent = gst_object_get_parent (root))) {
    gst_object_unref (root);
    root = parent;
  }
  gst_object_unref (root);

  return &locks[(GPOINTER_TO_SIZE (root) >> 6) % G_N_ELEMENTS (locks)];
}

/* The lock of the pipeline is held. */
static GstClContext *
ensure_context (GstElement *element, const gchar *wanted, GError **error)
{
  static void (*const ways[]) (
      GstElement *) = { ask_nobody, ask_downstream, ask_upstream, ask_parents };
  g_autoptr (GPtrArray) known = NULL;
  GstClContext *context = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (ways) && !context; i++) {
    ways[i](element);
    if (!take_given (element, wanted, &context, error))
      return NULL;
  }
  if (context)
    return context;

  known = list_known (element);
  if (!is_auto (wanted))
    context = find_named (element, known, wanted);

  return context ? context : create_and_offer (element, wanted, known, error);
}

GstClContext *
gst_cl_ensure_element_context (GstElement *element, const gchar *wanted,
    GError **error)
{
  GRecMutex *lock = lock_of_pipeline (element);
  GstClContext *context;

  find_category ();
  g_rec_mutex_lock (lock);
  context = ensure_context (element, wanted, error);
  g_rec_mutex_unlock (lock);

  return context;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contexts that elements share with each other and with the application. */

#include "cl/context/gstclcontext.h"
#include "elements/common.h"
#include "suite.h"

/* OpenCL objects of an application. */
typedef struct {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
} Own;

static Own own;

static void
setup (void)
{
  g_autoptr (GstClDevice) device = gst_cl_device_choose ("auto", NULL);
  cl_int code;

  fail_unless (device != NULL);
  own.device = device->id;
  own.context = clCreateContext (NULL, 1, &own.device, NULL, NULL, &code);
  fail_unless_equals_int (code, CL_SUCCESS);
  own.queue = clCreateCommandQueue (own.context, own.device, 0, &code);
  fail_unless_equals_int (code, CL_SUCCESS);
}

static cl_uint
references (void)
{
  cl_uint n = 0;

  clGetContextInfo (own.context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n,
      NULL);

  return n;
}

/* All references to the application's objects are released. A thread of the
 * driver may hold the event of the last command for a moment longer than the
 * wait for it, and with it the queue and the context. */
static void
teardown (void)
{
  clReleaseCommandQueue (own.queue);
  for (guint i = 0; references () > 1 && i < 10000; i++)
    g_usleep (1000);
  fail_unless_equals_int (references (), 1);
  clReleaseContext (own.context);
}

/* The kind of element does not matter: sharing depends on contexts and
 * buses. */
static GstElement *
new_element (void)
{
  return gst_object_ref_sink (gst_bin_new (NULL));
}

/* Passes @element the fields that are not NULL. */
static void
give (GstElement *element, gpointer device, gpointer context, gpointer queue)
{
  g_autoptr (GstContext) given = gst_context_new (GST_CL_CONTEXT_TYPE, TRUE);
  GstStructure *structure = gst_context_writable_structure (given);

  if (device)
    gst_structure_set (structure, "cl-device", G_TYPE_POINTER, device, NULL);
  if (context)
    gst_structure_set (structure, "cl-context", G_TYPE_POINTER, context, NULL);
  if (queue)
    gst_structure_set (structure, "cl-queue", G_TYPE_POINTER, queue, NULL);
  gst_element_set_context (element, given);
}

static void
expect_refused (gpointer device, gpointer context, gpointer queue,
    const gchar *part)
{
  g_autoptr (GstElement) element = new_element ();
  g_autoptr (GError) error = NULL;

  give (element, device, context, queue);
  fail_unless (gst_cl_ensure_element_context (element, "auto", &error) == NULL);
  fail_unless (error->domain == GST_CL_ERROR);
  fail_unless (strstr (error->message, part) != NULL, "no \"%s\" in: %s", part,
      error->message);
}

/* --- an application's objects -------------------------------------------- */

TEST (test_own_context_and_queue)
{
  g_autoptr (GstElement) a = new_element ();
  g_autoptr (GstElement) b = new_element ();
  g_autoptr (GstClContext) first = NULL;
  g_autoptr (GstClContext) second = NULL;

  give (a, own.device, own.context, own.queue);
  give (b, own.device, own.context, own.queue);
  first = gst_cl_ensure_element_context (a, "auto", NULL);
  second = gst_cl_ensure_element_context (b, NULL, NULL);
  fail_unless (first != NULL && first == second);
  fail_unless (first->handle == own.context);
  fail_unless (first->queue == own.queue);
  fail_unless (first->device->id == own.device);
  fail_unless (references () > 1);
}

/* The plugin finds the device and creates a queue. */
TEST (test_own_context_alone)
{
  g_autoptr (GstElement) element = new_element ();
  g_autoptr (GstClContext) context = NULL;

  give (element, NULL, own.context, NULL);
  context = gst_cl_ensure_element_context (element, "auto", NULL);
  fail_unless (context != NULL);
  fail_unless (context->handle == own.context);
  fail_unless (context->device->id == own.device);
  fail_unless (context->queue != NULL && context->queue != own.queue);
}

TEST (test_unsuitable_queues_are_rejected)
{
  cl_int code;
  cl_command_queue unordered = clCreateCommandQueue (own.context, own.device,
      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  cl_context other = clCreateContext (NULL, 1, &own.device, NULL, NULL, NULL);

  if (code == CL_SUCCESS) {
    expect_refused (own.device, own.context, unordered, "out-of-order");
    clReleaseCommandQueue (unordered);
  }
  expect_refused (own.device, other, own.queue, "another context");
  clReleaseContext (other);
}

/* A context of another device than the requested one is ignored. */
TEST (test_other_device_requested)
{
  g_autoptr (GstElement) element = new_element ();
  g_autoptr (GError) error = NULL;

  give (element, own.device, own.context, own.queue);
  fail_unless (
      gst_cl_ensure_element_context (element, "nonsense", &error) == NULL);
  fail_unless (g_error_matches (error, GST_CL_ERROR, CL_DEVICE_NOT_FOUND));
}

/* What an application gives an element, and what the error says. "own": the
 * context of the application. */
static const struct {
  const gchar *fields, *message;
} wrong[] = {
  { "", "The GstContext gst.cl.context has no field cl-context." },
  { "cl-platform=5", "The GstContext gst.cl.context has no field cl-context." },
  { "cl-context=NULL",
      "The field cl-context of the GstContext gst.cl.context is NULL." },
  { "cl-context=(guint64)1", "The field cl-context of the GstContext "
                             "gst.cl.context is no pointer but a guint64." },
  { "cl-context=own, cl-device=(int)1", "The field cl-device of the GstContext "
                                        "gst.cl.context is no pointer but a "
                                        "gint." },
  { "cl-context=own, cl-queue=(string)queue",
      "The field cl-queue of the GstContext gst.cl.context is no pointer but a "
      "gchararray." },
};

/* Adds the fields of @text to @structure: values are numbers, texts, NULL or
 * own. */
static void
set_fields (GstStructure *structure, const gchar *text)
{
  g_auto (GStrv) fields = g_strsplit (text, ", ", -1);

  for (guint i = 0; fields[i]; i++) {
    g_auto (GStrv) parts = g_strsplit (fields[i], "=", 2);
    g_autofree gchar *line = g_strconcat ("fields, ", fields[i], NULL);
    g_autoptr (GstStructure) parsed = gst_structure_from_string (line, NULL);

    if (g_str_equal (parts[1], "NULL") || g_str_equal (parts[1], "own"))
      gst_structure_set (structure, parts[0], G_TYPE_POINTER,
          g_str_equal (parts[1], "own") ? own.context : NULL, NULL);
    else
      gst_structure_set_value (structure, parts[0],
          gst_structure_get_value (parsed, parts[0]));
  }
}

/* A context that cannot be used is an error that names the field: the element
 * does not open one of its own instead. */
LOOP_TEST (test_wrong_fields, G_N_ELEMENTS (wrong))
{
  g_autoptr (GstElement) element = new_element ();
  g_autoptr (GstContext) given = gst_context_new (GST_CL_CONTEXT_TYPE, TRUE);
  g_autoptr (GError) error = NULL;

  set_fields (gst_context_writable_structure (given), wrong[__i__].fields);
  gst_element_set_context (element, given);
  fail_unless (gst_cl_ensure_element_context (element, "auto", &error) == NULL);
  fail_unless_equals_string (error->message, wrong[__i__].message);
  fail_unless (
      g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS));
}

/* --- shared contexts ------------------------------------------------------ */

TEST (test_offer)
{
  g_autoptr (GstElement) element = new_element ();
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstContext) offered = NULL;
  GstClContext *context;
  gpointer platform = NULL, device = NULL, handle = NULL, queue = NULL;
  gpointer watched;

  gst_element_set_bus (element, bus);
  context = gst_cl_ensure_element_context (element, "auto", NULL);
  fail_unless (context != NULL);

  message = gst_bus_pop_filtered (bus, GST_MESSAGE_HAVE_CONTEXT);
  fail_unless (message != NULL);
  gst_message_parse_have_context (message, &offered);
  fail_if (gst_context_is_persistent (offered));
  fail_unless (gst_structure_get (gst_context_get_structure (offered),
      "cl-platform", G_TYPE_POINTER, &platform, "cl-device", G_TYPE_POINTER,
      &device, "cl-context", G_TYPE_POINTER, &handle, "cl-queue",
      G_TYPE_POINTER, &queue, NULL));
  fail_unless (platform == context->device->platform);
  fail_unless (device == context->device->id);
  fail_unless (handle == context->handle);
  fail_unless (queue == context->queue);

  /* nothing else holds a reference to it */
  watched = context;
  g_object_add_weak_pointer (G_OBJECT (context), &watched);
  gst_clear_message (&message);
  gst_context_unref (g_steal_pointer (&offered));
  gst_bus_set_flushing (bus, TRUE);
  gst_element_set_bus (element, NULL);
  gst_object_unref (g_steal_pointer (&element));
  gst_object_unref (context);
  fail_unless (watched == NULL);
}

/* --- several devices ------------------------------------------------------ */

#define N_SHARING 6 /* elements, with the devices alternating */

/* Returns the numbers of two devices of one platform, first the one of "auto";
 * NULL if there are none. PoCL creates them if the environment requests it. */
static GStrv
name_two_devices (void)
{
  g_autoptr (GPtrArray) devices = gst_cl_device_list ();
  GStrv names;

  for (guint i = 0; i + 1 < devices->len; i++) {
    const GstClDevice *first = g_ptr_array_index (devices, i);
    const GstClDevice *second = g_ptr_array_index (devices, i + 1);

    if (!first->id || !second->id || first->id != own.device ||
        first->platform_index != second->platform_index)
      continue;
    names = g_new0 (gchar *, 3);
    names[0] = g_strdup_printf ("%u.%u", first->platform_index,
        first->device_index);
    names[1] = g_strdup_printf ("%u.%u", second->platform_index,
        second->device_index);
    return names;
  }
  for (guint i = 0; i < devices->len; i++) {
    const GstClDevice *device = g_ptr_array_index (devices, i);

    fail_if (g_strcmp0 (g_getenv ("POCL_DEVICES"), "pthread pthread") == 0 &&
             device->platform_name &&
             strstr (device->platform_name, "Portable Computing Language"));
  }

  return NULL;
}

static void
release (GstClContext *const *contexts, guint n_contexts)
{
  for (guint i = 0; i < n_contexts; i++)
    gst_object_unref (contexts[i]);
}

static GstElement *
new_child (GstElement *bin)
{
  GstElement *element = gst_bin_new (NULL);

  gst_bin_add (GST_BIN (bin), element);

  return element;
}

static void
expect_two_contexts (GstElement *const elements[N_SHARING], GStrv names)
{
  GstClContext *contexts[N_SHARING];

  for (guint i = 0; i < N_SHARING; i++)
    contexts[i] = gst_cl_ensure_element_context (elements[i], names[i % 2],
        NULL);
  fail_unless (contexts[0] && contexts[1] && contexts[0] != contexts[1]);
  for (guint i = 2; i < N_SHARING; i++)
    fail_unless (contexts[i] == contexts[i % 2],
        "element %u does not share the context of element %u", i, i % 2);
  release (contexts, N_SHARING);
}

/* Elements share the contexts of all devices of a bin, in whichever order they
 * were offered, and do so again after a restart. */
TEST (test_one_context_a_device)
{
  GstElement *bin = gst_object_ref_sink (gst_pipeline_new (NULL));
  GstElement *elements[N_SHARING];
  g_auto (GStrv) names = name_two_devices ();

  if (names) {
    for (guint i = 0; i < N_SHARING; i++)
      elements[i] = new_child (bin);
    expect_two_contexts (elements, names);
    expect_two_contexts (elements, names);
  }
  gst_object_unref (bin);
}

/* An element without a `device` gets the context of the default device, in
 * whichever order contexts were offered. If that device is lost, the element
 * uses another device of the pipeline; an element that names the device opens
 * it. */
TEST (test_auto_among_several)
{
  GstElement *bin = gst_object_ref_sink (gst_pipeline_new (NULL));
  GstElement *elements[3];
  g_auto (GStrv) names = name_two_devices ();

  if (names) {
    g_autoptr (GError)
        lost = g_error_new (GST_CL_ERROR, CL_DEVICE_NOT_AVAILABLE, "gone");
    GstClContext *contexts[5];

    for (guint i = 0; i < 3; i++)
      elements[i] = new_child (bin);
    contexts[0] = gst_cl_ensure_element_context (elements[0], "auto", NULL);
    contexts[1] = gst_cl_ensure_element_context (elements[1], names[1], NULL);
    contexts[2] = gst_cl_ensure_element_context (elements[2], "auto", NULL);
    fail_unless (contexts[0] != contexts[1]);
    fail_unless (contexts[2] == contexts[0]);

    gst_cl_context_latch_failure (contexts[0], lost, elements[0]);
    contexts[3] = gst_cl_ensure_element_context (elements[2], "auto", NULL);
    fail_unless (contexts[3] == contexts[1]);
    contexts[4] = gst_cl_ensure_element_context (elements[2], names[0], NULL);
    fail_unless (contexts[4] != contexts[0] && contexts[4] != contexts[1]);
    fail_unless (contexts[4]->device->id == own.device);
    release (contexts, 5);
  }
  gst_object_unref (bin);
}

/* The nearest bin that has a context answers; it may not know the contexts of
 * its parent bins. */
TEST (test_bins_within_bins)
{
  GstElement *outer = gst_object_ref_sink (gst_pipeline_new (NULL));
  GstElement *inner = new_child (outer);
  g_auto (GStrv) names = name_two_devices ();

  if (names) {
    GstClContext *contexts[4];
    GstElement *const parents[] = { inner, outer, inner, outer };

    for (guint i = 0; i < 4; i++)
      contexts[i] = gst_cl_ensure_element_context (new_child (parents[i]),
          names[i == 0 || i == 3 ? 1 : 0], NULL);
    fail_unless (contexts[0] != contexts[1]);
    fail_unless (contexts[2] == contexts[1]);
    fail_unless (contexts[3] == contexts[0]);
    release (contexts, 4);
  }
  gst_object_unref (outer);
}

#define N_THREADS 4
#define N_ROUNDS  20

static gint n_starting; /* threads; atomic */

/* Starts when all threads have been created. */
static gpointer
start (gpointer element)
{
  g_atomic_int_inc (&n_starting);
  while (g_atomic_int_get (&n_starting) < N_THREADS)
    g_thread_yield ();

  return gst_cl_ensure_element_context (element, "auto", NULL);
}

/* One of the elements that start at once opens the device. */
TEST (test_threads)
{
  for (guint round = 0; round < N_ROUNDS; round++) {
    GstElement *bin = gst_object_ref_sink (gst_pipeline_new (NULL));
    GThread *threads[N_THREADS];
    GstClContext *contexts[N_THREADS];

    g_atomic_int_set (&n_starting, 0);
    for (guint i = 0; i < N_THREADS; i++)
      threads[i] = g_thread_new ("start", start, new_child (bin));
    for (guint i = 0; i < N_THREADS; i++)
      contexts[i] = g_thread_join (threads[i]);
    for (guint i = 0; i < N_THREADS; i++)
      fail_unless (contexts[i] && contexts[i] == contexts[0]);
    release (contexts, N_THREADS);
    gst_object_unref (bin);
  }
}

/* The field may have any value: a string, or no context. */
LOOP_TEST (test_strange_others, 2)
{
  g_autoptr (GstElement) element = new_element ();
  g_autoptr (GstContext) given = gst_context_new (GST_CL_CONTEXT_TYPE, FALSE);
  g_autoptr (GError) error = NULL;
  GValue others = G_VALUE_INIT;
  GValue value = G_VALUE_INIT;

  g_value_init (&others, GST_TYPE_ARRAY);
  g_value_init (&value, __i__ == 0 ? G_TYPE_STRING : GST_TYPE_CL_CONTEXT);
  gst_value_array_append_and_take_value (&others, &value);
  gst_structure_take_value (gst_context_writable_structure (given), "others",
      &others);
  gst_structure_set (gst_context_writable_structure (given), "cl-device",
      G_TYPE_POINTER, own.device, "cl-context", G_TYPE_POINTER, own.context,
      NULL);
  gst_element_set_context (element, given);
  fail_unless (
      gst_cl_ensure_element_context (element, "nonsense", &error) == NULL);
  fail_unless (g_error_matches (error, GST_CL_ERROR, CL_DEVICE_NOT_FOUND));
}

/* --- lost devices -------------------------------------------------------- */

TEST (test_lost_contexts_are_not_shared)
{
  g_autoptr (GstElement) element = new_element ();
  g_autoptr (GstElement) other = new_element ();
  g_autoptr (GstClContext) context = NULL;
  g_autoptr (GstClContext) next = NULL;
  g_autoptr (GError)
      lost = g_error_new (GST_CL_ERROR, CL_DEVICE_NOT_AVAILABLE, "gone");
  g_autoptr (GError) full = g_error_new (GST_CL_ERROR, CL_OUT_OF_RESOURCES,
      "one frame too many");

  context = gst_cl_ensure_element_context (element, "auto", NULL);
  fail_unless (gst_cl_context_latch_failure (context, full, element));
  fail_if (gst_cl_context_is_lost (context)); /* the device works again */
  fail_unless (gst_cl_context_latch_failure (context, lost, element));
  fail_unless (gst_cl_context_is_lost (context));

  /* each pipeline gets one message */
  fail_if (gst_cl_context_latch_failure (context, full, element));
  fail_unless (gst_cl_context_latch_failure (context, full, other));

  next = gst_cl_ensure_element_context (element, "auto", NULL);
  fail_unless (next != NULL && next != context);
  fail_if (gst_cl_context_is_lost (next));
}

SUITE (.setup = setup, .teardown = teardown);

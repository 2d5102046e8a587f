/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An opened device: context, queues, counters, waiting. */

#include "gstclcontext.h"

#include "cl/device/gstcldevice.h"
#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY (gst_cl_context_debug, "clcontext", "OpenCL contexts");
#define GST_CAT_DEFAULT gst_cl_context_debug ()

G_DEFINE_TYPE (GstClContext, gst_cl_context, GST_TYPE_OBJECT)

/* TRUE in a thread whose calls may fail without a warning. */
static GPrivate is_trying;

void
gst_cl_context_set_trying (gboolean trying)
{
  g_private_set (&is_trying, GINT_TO_POINTER (trying));
}

/* Called by the driver in any thread; logs what the driver reports. */
static void CL_CALLBACK
log_driver_report (const char *text, const void *data, size_t data_bytes,
    void *user_data)
{
  if (g_private_get (&is_trying))
    GST_INFO ("driver: %s", text);
  else
    GST_WARNING ("driver: %s", text);
}

/* --- opening ------------------------------------------------------------- */

/* GstClContexts around an application's objects: not referenced; they remove
 * themselves from the list when they are freed. */
static GMutex wrapped_lock;
static GSList *wrapped;

cl_command_queue
gst_cl_context_create_queue (GstClContext *self, GError **error)
{
  g_autofree gchar *what = g_strdup_printf ("create a queue on %s",
      self->device->name);
  cl_int code;
  cl_command_queue queue = clCreateCommandQueue (self->handle, self->device->id,
      self->is_profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &code);

  return gst_cl_check (code, what, error) ? queue : NULL;
}

/* Returns a new reference to @queue; NULL with @error. */
static cl_command_queue
retain_queue (cl_command_queue queue, GError **error)
{
  return gst_cl_check (clRetainCommandQueue (queue), "share a queue", error)
             ? queue
             : NULL;
}

/* Creates the queues other than the compute queue. */
static gboolean
complete_queues (GstClContext *self, GError **error)
{
  self->queues[GST_CL_QUEUE_COMPUTE] = self->queue;
  self->is_discrete = !self->device->is_host_unified;

  for (guint i = GST_CL_QUEUE_COMPUTE + 1; i < GST_CL_N_QUEUES; i++) {
    self->queues[i] = self->is_discrete
                          ? gst_cl_context_create_queue (self, error)
                          : retain_queue (self->queue, error);
    if (!self->queues[i])
      return FALSE;
  }

  return TRUE;
}

static GstClContext *
alloc_context (GstClDevice *device)
{
  static gint n_contexts = 0; /* atomic */
  GstClContext *self = gst_object_ref_sink (
      g_object_new (GST_TYPE_CL_CONTEXT, NULL));

  self->device = gst_cl_device_ref (device);
  self->tuning_db = gst_cl_tuning_db_new (device);
  self->verdicts = gst_cl_tuning_db_new_for_verdicts (device);
  self->serial = (guint) g_atomic_int_add (&n_contexts, 1);

  return self;
}

/* Returns NULL with @error. */
static cl_context
open_device (const GstClDevice *device, GError **error)
{
  const cl_context_properties properties[] = { CL_CONTEXT_PLATFORM,
    (cl_context_properties) device->platform, 0 };
  g_autofree gchar *what = g_strdup_printf ("open device %s", device->name);
  cl_int code;
  cl_context handle = clCreateContext (properties, 1, &device->id,
      log_driver_report, NULL, &code);

  return gst_cl_check (code, what, error) ? handle : NULL;
}

GstClContext *
gst_cl_context_new (GstClDevice *device, gboolean profiling, GError **error)
{
  g_autoptr (GstClContext) self = alloc_context (device);

  self->is_profiling = profiling;
  self->handle = open_device (device, error);
  if (!self->handle)
    return NULL;

  self->queue = gst_cl_context_create_queue (self, error);
  if (!self->queue || !complete_queues (self, error))
    return NULL;

  return g_steal_pointer (&self);
}

cl_context
gst_cl_context_create_compiler (GstClContext *self, GError **error)
{
  return open_device (self->device, error);
}

/* --- an application's objects -------------------------------------------- */

static gboolean
check_foreign_queue (cl_context handle, cl_device_id device,
    cl_command_queue queue, GError **error)
{
  cl_command_queue_properties properties = 0;
  cl_context queue_context = NULL;
  cl_device_id queue_device = NULL;
  const gchar *reason = NULL;
  cl_int code;

#define GET(what, field)                                                       \
  clGetCommandQueueInfo (queue, what, sizeof field, &field, NULL)
  code = GET (CL_QUEUE_CONTEXT, queue_context);
  code |= GET (CL_QUEUE_DEVICE, queue_device);
  code |= GET (CL_QUEUE_PROPERTIES, properties);
#undef GET

  if (code != CL_SUCCESS)
    reason = "does not describe itself";
  else if (queue_context != handle || queue_device != device)
    reason = "belongs to another context or device";
  else if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    reason = "is out-of-order";

  if (reason)
    g_set_error (error, GST_CL_ERROR, CL_INVALID_COMMAND_QUEUE,
        "The application's queue %s.", reason);

  return !reason;
}

/* wrapped_lock held; transfer full */
static GstClContext *
find_wrapped (cl_context handle, cl_device_id device, cl_command_queue queue)
{
  for (GSList *item = wrapped; item; item = item->next) {
    GstClContext *self = g_weak_ref_get (item->data);

    if (self && self->handle == handle && self->device->id == device &&
        (!queue || self->queue == queue))
      return self;
    gst_clear_object (&self);
  }

  return NULL;
}

static void
free_weak_ref (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

/* wrapped_lock held */
static void
remember_wrapped (GstClContext *self)
{
  GWeakRef *ref = g_new0 (GWeakRef, 1);

  for (GSList *item = wrapped, *next; item; item = next) {
    g_autoptr (GstClContext) alive = g_weak_ref_get (item->data);

    next = item->next;
    if (!alive) {
      free_weak_ref (item->data);
      wrapped = g_slist_delete_link (wrapped, item);
    }
  }

  g_weak_ref_init (ref, self);
  wrapped = g_slist_prepend (wrapped, ref);
}

static GstClContext *
wrap_new (cl_context handle, cl_device_id device_id, cl_command_queue queue,
    GError **error)
{
  g_autoptr (GstClDevice) device = gst_cl_device_describe (device_id, error);
  g_autoptr (GstClContext) self = NULL;
  cl_int code;

  if (!device)
    return NULL;

  code = clRetainContext (handle);
  if (!gst_cl_check (code, "use the application's context", error))
    return NULL;
  self = alloc_context (device);
  self->handle = handle;

  if (!queue)
    self->queue = gst_cl_context_create_queue (self, error);
  else if (check_foreign_queue (handle, device_id, queue, error))
    self->queue = retain_queue (queue, error);
  if (!self->queue || !complete_queues (self, error))
    return NULL;

  return g_steal_pointer (&self);
}

/* Returns NULL with @error. */
static cl_device_id
first_device (cl_context handle, GError **error)
{
  cl_device_id devices[64];

  return gst_cl_check (clGetContextInfo (handle, CL_CONTEXT_DEVICES,
                           sizeof devices, devices, NULL),
             "list the devices of the application's context", error)
             ? devices[0]
             : NULL;
}

GstClContext *
gst_cl_context_new_wrapped (gpointer handle, gpointer device, gpointer queue,
    GError **error)
{
  GstClContext *self;

  if (!device)
    device = first_device (handle, error);
  if (!device)
    return NULL;

  g_mutex_lock (&wrapped_lock);
  self = find_wrapped (handle, device, queue);
  if (!self) {
    self = wrap_new (handle, device, queue, error);
    if (self)
      remember_wrapped (self);
  }
  g_mutex_unlock (&wrapped_lock);

  return self;
}

gpointer
gst_cl_context_get_handle (GstClContext *self)
{
  return self->handle;
}

gpointer
gst_cl_context_get_device (GstClContext *self)
{
  return self->device->id;
}

gpointer
gst_cl_context_get_queue (GstClContext *self)
{
  return self->queue;
}

/* --- the queue of a thread ------------------------------------------------ */

static GPrivate own_queue; /* cl_command_queue, borrowed; NULL: none */

cl_int
gst_cl_finish (cl_command_queue queue)
{
  cl_event event;
  cl_int code = clEnqueueMarkerWithWaitList (queue, 0, NULL, &event);

  if (code == CL_SUCCESS) {
    code = clWaitForEvents (1, &event);
    clReleaseEvent (event);
  }

  /* also if a command before the marker has failed */
  return code == CL_SUCCESS ? code : clFinish (queue);
}

void
gst_cl_context_release_queue (cl_command_queue queue)
{
  if (!queue)
    return;

  gst_cl_finish (queue);
  clReleaseCommandQueue (queue);
}

void
gst_cl_context_use_queue (cl_command_queue queue)
{
  g_private_set (&own_queue, queue);
}

cl_command_queue
gst_cl_context_find_queue (GstClContext *self, GstClQueue queue)
{
  cl_command_queue own = g_private_get (&own_queue);

  return own ? own : self->queues[queue];
}

/* --- waiting for queues --------------------------------------------------- */

gboolean
gst_cl_context_flush (GstClContext *self, GstClQueue queue, GError **error)
{
  return gst_cl_check (clFlush (gst_cl_context_find_queue (self, queue)),
      "flush a queue", error);
}

gboolean
gst_cl_context_finish_queue (GstClContext *self, GstClQueue queue,
    GError **error)
{
  return gst_cl_check (gst_cl_finish (gst_cl_context_find_queue (self, queue)),
      "wait for the device", error);
}

gboolean
gst_cl_context_finish (GstClContext *self, GError **error)
{
  for (guint i = 0; i < (self->is_discrete ? GST_CL_N_QUEUES : 1); i++) {
    if (!gst_cl_context_finish_queue (self, i, error))
      return FALSE;
  }

  return TRUE;
}

/* --- counters ------------------------------------------------------------ */

void
gst_cl_context_count (GstClContext *self, guint64 to_device,
    guint64 from_device)
{
  GST_OBJECT_LOCK (self);
  self->bytes_to_device += to_device;
  self->bytes_from_device += from_device;
  GST_OBJECT_UNLOCK (self);
}

void
gst_cl_context_count_within (GstClContext *self, guint64 n_bytes)
{
  GST_OBJECT_LOCK (self);
  self->bytes_within_device += n_bytes;
  GST_OBJECT_UNLOCK (self);
}

/* --- life cycle ---------------------------------------------------------- */

enum {
  PROP_0,
  PROP_BYTES_TO_DEVICE,
  PROP_BYTES_FROM_DEVICE,
  PROP_BYTES_WITHIN_DEVICE
};

static void
gst_cl_context_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClContext *self = GST_CL_CONTEXT (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_BYTES_TO_DEVICE:
      g_value_set_uint64 (value, self->bytes_to_device);
      break;
    case PROP_BYTES_FROM_DEVICE:
      g_value_set_uint64 (value, self->bytes_from_device);
      break;
    case PROP_BYTES_WITHIN_DEVICE:
      g_value_set_uint64 (value, self->bytes_within_device);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
release_event (gpointer event)
{
  clReleaseEvent (event);
}

static void
gst_cl_context_finalize (GObject *object)
{
  GstClContext *self = GST_CL_CONTEXT (object);

  for (guint i = 0; i < GST_CL_N_QUEUES; i++)
    gst_cl_context_release_queue (self->queues[i]);
  if (self->queue && !self->queues[GST_CL_QUEUE_COMPUTE])
    clReleaseCommandQueue (self->queue);
  g_clear_pointer (&self->profile, g_ptr_array_unref);
  g_clear_pointer (&self->programs, g_hash_table_unref);
  g_clear_pointer (&self->handle, clReleaseContext);
  g_clear_pointer (&self->tuning_db, gst_cl_tuning_db_free);
  g_clear_pointer (&self->verdicts, gst_cl_tuning_db_free);
  g_clear_pointer (&self->alternative, gst_cl_device_unref);
  g_clear_pointer (&self->device, gst_cl_device_unref);
  g_mutex_clear (&self->program_lock);
  g_mutex_clear (&self->profile_lock);
  for (guint i = 0; i < GST_CL_N_SYNC_LOCKS; i++)
    g_mutex_clear (&self->sync_locks[i]);

  G_OBJECT_CLASS (gst_cl_context_parent_class)->finalize (object);
}

static void
gst_cl_context_init (GstClContext *self)
{
  g_mutex_init (&self->program_lock);
  g_mutex_init (&self->profile_lock);
  for (guint i = 0; i < GST_CL_N_SYNC_LOCKS; i++)
    g_mutex_init (&self->sync_locks[i]);
  self->profile = g_ptr_array_new_with_free_func (release_event);
}

static void
gst_cl_context_class_init (GstClContextClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  gst_cl_context_debug ();
  object_class->get_property = gst_cl_context_get_property;
  object_class->finalize = gst_cl_context_finalize;

  g_object_class_install_property (object_class, PROP_BYTES_TO_DEVICE,
      g_param_spec_uint64 ("bytes-to-device", "Bytes to the device",
          "Bytes of frames copied to device memory", 0, G_MAXUINT64, 0, flags));
  g_object_class_install_property (object_class, PROP_BYTES_FROM_DEVICE,
      g_param_spec_uint64 ("bytes-from-device", "Bytes from the device",
          "Bytes of frames copied back to the host", 0, G_MAXUINT64, 0, flags));
  g_object_class_install_property (object_class, PROP_BYTES_WITHIN_DEVICE,
      g_param_spec_uint64 ("bytes-within-device", "Bytes within the device",
          "Bytes of frames copied between foreign memory and OpenCL memory "
          "on the device",
          0, G_MAXUINT64, 0, flags));
}

/* --- failures ------------------------------------------------------------- */

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

/* A command fails with a code of its own if a command that it waits for has
 * failed. Drivers use different codes for a shortage of resources. */
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
  if (self->failure_pipeline != pipeline)
    return FALSE;

  return self->is_lost || (self->failure_element != element &&
                              may_follow (code, self->failure_code));
}

gboolean
gst_cl_context_latch_failure (GstClContext *self, const GError *error,
    GstElement *element)
{
  gconstpointer pipeline = find_pipeline (element);
  gboolean is_lost, is_news;

  if (error->domain != GST_CL_ERROR)
    return TRUE;

  /* no implementation has passed its self-test: CL_INVALID_DEVICE */
  if (self->alternative && (gst_cl_error_is_compiler_failure (error) ||
                               error->code == CL_INVALID_DEVICE))
    gst_cl_device_verdict_set_unable (self->device, error->message);

  /* CL_OUT_OF_RESOURCES may affect one frame only; all commands fail on a lost
   * device */
  is_lost = error->code == CL_DEVICE_NOT_AVAILABLE ||
            (error->code == CL_OUT_OF_RESOURCES &&
                clFinish (self->queue) != CL_SUCCESS);

  GST_OBJECT_LOCK (self);
  is_news = !is_told (self, error->code, element, pipeline);
  if (is_lost && !self->is_lost)
    GST_INFO ("device lost: %s", error->message);
  self->is_lost |= is_lost;
  if (is_news) {
    self->failure_pipeline = pipeline;
    self->failure_element = element;
    self->failure_code = error->code;
    self->is_posted = FALSE;
  }
  GST_OBJECT_UNLOCK (self);

  return is_news;
}

void
gst_cl_context_set_failure_posted (GstClContext *self, GstElement *element)
{
  GST_OBJECT_LOCK (self);
  self->is_posted |= self->failure_element == element;
  GST_OBJECT_UNLOCK (self);
}

gboolean
gst_cl_context_is_failure_posted (GstClContext *self, GstElement *element)
{
  gconstpointer pipeline = find_pipeline (element);
  gboolean is_posted;

  GST_OBJECT_LOCK (self);
  is_posted = self->failure_pipeline != pipeline || self->is_posted;
  GST_OBJECT_UNLOCK (self);

  return is_posted;
}

void
gst_cl_context_forget_failure (GstClContext *self)
{
  GST_OBJECT_LOCK (self);
  if (!self->is_lost)
    self->failure_pipeline = NULL;
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

/* --- waiting for a command ------------------------------------------------ */

/* The first and the longest interval between two polls of a command; each
 * interval is twice as long as the one before. */
#define FIRST_NAP_US 50
#define LAST_NAP_US  400

#define PROCESSORS_PER_SPINNING 4 /* threads that wait */

cl_int
gst_cl_completion_state (cl_event event)
{
  cl_int status = CL_QUEUED;
  const cl_int code = clGetEventInfo (event, CL_EVENT_COMMAND_EXECUTION_STATUS,
      sizeof status, &status, NULL);

  return code == CL_SUCCESS ? status : code;
}

void
gst_cl_completion_clear (cl_event *event)
{
  g_clear_pointer (event, clReleaseEvent);
}

gboolean
gst_cl_context_mark (GstClContext *self, cl_event *event, GError **error)
{
  cl_command_queue queue = gst_cl_context_find_queue (self,
      GST_CL_QUEUE_COMPUTE);

  return gst_cl_check (clEnqueueMarkerWithWaitList (queue, 0, NULL, event),
             "enqueue a marker", error) &&
         gst_cl_context_flush (self, GST_CL_QUEUE_COMPUTE, error);
}

void
gst_cl_context_expect_long_waits (GstClContext *self)
{
  g_atomic_int_set (&self->has_long_waits, TRUE);
}

/* Returns the number of threads that may busy-wait at once. GLib queries the
 * system each time. */
static gint
max_spinning (void)
{
  static gsize n = 0;

  if (g_once_init_enter (&n))
    g_once_init_leave (&n,
        MAX (g_get_num_processors () / PROCESSORS_PER_SPINNING, 1));

  return (gint) n;
}

/* Returns TRUE if one of @n_waiting threads must sleep. Drivers of host-unified
 * devices do not busy-wait. */
static gboolean
shall_sleep (GstClContext *self, gint n_waiting)
{
  return g_atomic_int_get (&self->has_long_waits) ||
         (self->is_discrete && n_waiting > max_spinning ());
}

/* Returns the state of @event after the sleep. */
static cl_int
nap_until_ended (cl_event event)
{
  gulong nap_us = FIRST_NAP_US;
  cl_int state;

  while ((state = gst_cl_completion_state (event)) > CL_COMPLETE) {
    g_usleep (nap_us);
    nap_us = MIN (2 * nap_us, LAST_NAP_US);
  }

  return state;
}

/* Returns the result of the command of @event. */
static cl_int
wait_for (GstClContext *self, cl_event event, gboolean reads)
{
  const gint n_waiting = g_atomic_int_add (&self->n_waiting, 1) + 1;
  const gboolean sleeps = shall_sleep (self, n_waiting);
  cl_int state = sleeps ? nap_until_ended (event) : CL_COMPLETE;
  cl_int code = CL_SUCCESS;

  /* only clWaitForEvents() makes the command's bytes visible to the host */
  if (reads || !sleeps) {
    code = clWaitForEvents (1, &event);
    state = gst_cl_completion_state (event);
  }
  g_atomic_int_add (&self->n_waiting, -1);

  /* The command's own code is more specific than that of the wait, and NVIDIA's
   * driver reports success for a wait for a failed command. */
  return state < 0 ? state : code;
}

gboolean
gst_cl_context_wait (GstClContext *self, cl_event *event, const gchar *what,
    GError **error)
{
  cl_int code;

  if (!*event)
    return TRUE;

  code = wait_for (self, *event, TRUE);
  g_clear_pointer (event, clReleaseEvent);

  return gst_cl_check (code, what, error);
}

gboolean
gst_cl_context_wait_for_end (GstClContext *self, cl_event *event,
    const gchar *what, GError **error)
{
  cl_int code;

  if (!*event)
    return TRUE;

  code = gst_cl_completion_state (*event);
  if (code > CL_COMPLETE)
    code = wait_for (self, *event, FALSE);
  g_clear_pointer (event, clReleaseEvent);

  return gst_cl_check (code, what, error);
}

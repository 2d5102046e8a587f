/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that another library or a kernel driver has allocated, imported by
 * calls of OpenCL 3.0 and of an extension. */

#define _GNU_SOURCE /* RTLD_DEFAULT */
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300

#include "gstclexternal.h"

#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define ACQUIRE "clEnqueueAcquireExternalMemObjectsKHR"
#define RELEASE "clEnqueueReleaseExternalMemObjectsKHR"

/* Older headers have other names for these. */
#define DEVICE_HANDLE_LIST     0x2051
#define DEVICE_HANDLE_LIST_END 0

typedef cl_int (CL_API_CALL *EnqueueFunction) (cl_command_queue queue,
    cl_uint n_mems, const cl_mem *mems, cl_uint n_waits, const cl_event *waits,
    cl_event *event);

typedef cl_mem (CL_API_CALL *CreateFunction) (cl_context context,
    const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
    void *host, cl_int *code);

/* Returns NULL if the platform does not have the function. */
static EnqueueFunction
find_function (GstClContext *context, const char *name)
{
  void *function = clGetExtensionFunctionAddressForPlatform (
      context->device->platform, name);

  return *(EnqueueFunction *) &function;
}

/* Returns NULL if the loader is older than OpenCL 3.0. */
static CreateFunction
find_create (void)
{
  void *create = dlsym (RTLD_DEFAULT, "clCreateBufferWithProperties");

  return *(CreateFunction *) &create;
}

static gboolean
imports_handle (const GstClDevice *device, GstClHandle handle)
{
  cl_external_memory_handle_type_khr types[16];
  gsize n_bytes = 0;

  if (clGetDeviceInfo (device->id,
          CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, sizeof types,
          types, &n_bytes) != CL_SUCCESS)
    return FALSE;

  for (gsize i = 0; i < n_bytes / sizeof types[0]; i++) {
    if (types[i] == (cl_external_memory_handle_type_khr) handle)
      return TRUE;
  }

  return FALSE;
}

/* Other entries of a platform's function table must not be called before its
 * version is known. */
const gchar *
gst_cl_external_find_obstacle (GstClContext *context, GstClHandle handle)
{
  const gchar *version = context->device->platform_version;

  if (!version || g_str_has_prefix (version, "OpenCL 1.") ||
      g_str_has_prefix (version, "OpenCL 2.") || !find_create ())
    return "no buffers with properties: it, or the loader, is older than "
           "OpenCL 3.0";
  if (!imports_handle (context->device, handle) ||
      !find_function (context, ACQUIRE) || !find_function (context, RELEASE))
    return handle == GST_CL_HANDLE_DMA_BUF
               ? "no import of DMABuf (cl_khr_external_memory_dma_buf)"
               : "no import of memory by file descriptors";

  return NULL;
}

static gboolean
lacks_descriptors (void)
{
  const int fd = open ("/dev/null", O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return errno == EMFILE || errno == ENFILE;
  close (fd);

  return FALSE;
}

/* Drivers have no error code for it. */
void
gst_cl_external_explain (GError **error)
{
  g_autoptr (GError) failure = NULL;

  if (!error || !*error || gst_cl_error_is_shortage (*error) ||
      !lacks_descriptors ())
    return;

  failure = g_steal_pointer (error);
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "%s: the process has no file descriptors left (ulimit -n)",
      failure->message);
}

/* Passes the device, because an application's context may have several devices,
 * and the memory is on one of them. */
static gboolean
has_other_devices (GstClContext *context)
{
  cl_uint n_devices = 0;

  return clGetContextInfo (context->handle, CL_CONTEXT_NUM_DEVICES,
             sizeof n_devices, &n_devices, NULL) == CL_SUCCESS &&
         n_devices > 1;
}

cl_mem
gst_cl_external_import (GstClContext *context, GstClHandle handle, int fd,
    gsize size_bytes, cl_mem_flags flags, GError **error)
{
  const cl_mem_properties properties[] = { handle, (cl_mem_properties) fd,
    has_other_devices (context) ? DEVICE_HANDLE_LIST : 0,
    (cl_mem_properties) (guintptr) context->device->id, DEVICE_HANDLE_LIST_END,
    0 };
  cl_int code;
  cl_mem mem = find_create () (context->handle, properties, flags, size_bytes,
      NULL, &code);

  if (gst_cl_check (code, "import memory by a file descriptor", error))
    return mem;
  gst_cl_external_explain (error);
  close (fd);

  return NULL;
}

cl_int
gst_cl_external_acquire (GstClContext *context, cl_command_queue queue,
    const cl_mem *mems, guint n_mems)
{
  return find_function (context, ACQUIRE) (queue, n_mems, mems, 0, NULL, NULL);
}

cl_int
gst_cl_external_release (GstClContext *context, cl_command_queue queue,
    const cl_mem *mems, guint n_mems, cl_event *event)
{
  return find_function (context, RELEASE) (queue, n_mems, mems, 0, NULL, event);
}

/* --- imports of recurring memory ------------------------------------------ */

/* Imports that one GstMemory keeps. One for each branch of a tee is enough. */
#define MAX_KEPT 4

typedef struct {
  guint context_serial;
  cl_mem mem;
} Kept;

/* all lists of Kept, the newest first; each is the qdata of a GstMemory */
G_LOCK_DEFINE_STATIC (kept);

static GQuark
kept_quark (void)
{
  return g_quark_from_static_string ("gst-cl-imports");
}

static void
free_kept (gpointer data)
{
  Kept *kept = data;

  clReleaseMemObject (kept->mem);
  g_free (kept);
}

static void
free_all_kept (gpointer data)
{
  g_queue_free_full (data, free_kept);
}

static gint
compare_serial (gconstpointer data, gconstpointer serial)
{
  return ((const Kept *) data)->context_serial == GPOINTER_TO_UINT (serial) ? 0
                                                                            : 1;
}

void
gst_cl_imported_take (GstClImported *self, GstClContext *context,
    GstMemory *memory)
{
  /* parts of a memory share its file descriptor */
  GstMemory *whole = memory->parent ? memory->parent : memory;
  GList *found = NULL;
  GQueue *all;

  *self = (GstClImported){ NULL, context->serial, gst_memory_ref (whole) };

  G_LOCK (kept);
  all = gst_mini_object_get_qdata (GST_MINI_OBJECT (whole), kept_quark ());
  if (all)
    found = g_queue_find_custom (all, GUINT_TO_POINTER (context->serial),
        compare_serial);
  if (found) {
    self->mem = ((Kept *) found->data)->mem;
    g_free (found->data);
    g_queue_delete_link (all, found);
  }
  G_UNLOCK (kept);
}

void
gst_cl_imported_keep (GstClImported *self)
{
  Kept *oldest = NULL;

  if (self->mem) {
    Kept *kept = g_new (Kept, 1);
    GQueue *all;

    *kept = (Kept){ self->context_serial, self->mem };
    G_LOCK (kept);
    all = gst_mini_object_get_qdata (GST_MINI_OBJECT (self->memory),
        kept_quark ());
    if (!all) {
      all = g_queue_new ();
      gst_mini_object_set_qdata (GST_MINI_OBJECT (self->memory), kept_quark (),
          all, free_all_kept);
    }
    g_queue_push_head (all, kept);
    if (g_queue_get_length (all) > MAX_KEPT)
      oldest = g_queue_pop_tail (all);
    G_UNLOCK (kept);
  }
  g_clear_pointer (&oldest, free_kept);
  g_clear_pointer (&self->memory, gst_memory_unref);
  self->mem = NULL;
}

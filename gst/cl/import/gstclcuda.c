/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA, loaded at run time: NVIDIA's driver, GStreamer's CUDA memory, and
 * memory that CUDA and OpenCL share. */

#include "gstclcuda.h"

#include <dlfcn.h>

#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclimportcheck.h"
#include "cl/memory/gstclquarantine.h"
#include "common/gstcldebug.h"
#include "gstclexternal.h"

GST_CL_DEBUG_CATEGORY (gst_cl_cuda_debug, "clcuda", "OpenCL import from CUDA");
#define GST_CAT_DEFAULT gst_cl_cuda_debug ()

/* --- NVIDIA's driver ------------------------------------------------------ */

#define OUT_OF_MEMORY 2 /* CUDA_ERROR_OUT_OF_MEMORY */

/* clang-format off */
static const struct {
  const gchar *name;
  gsize offset;
} driver_functions[] = {
#define FUNCTION(name, field) { name, G_STRUCT_OFFSET (GstClCudaDriver, field) }
  FUNCTION ("cuInit", init),
  FUNCTION ("cuGetErrorName", get_error_name),
  FUNCTION ("cuDeviceGetCount", device_count),
  FUNCTION ("cuDeviceGet", device_get),
  FUNCTION ("cuDeviceGetUuid", device_uuid),
  FUNCTION ("cuCtxPushCurrent_v2", context_push),
  FUNCTION ("cuCtxPopCurrent_v2", context_pop),
  FUNCTION ("cuCtxGetDevice", context_device),
  FUNCTION ("cuCtxGetFlags", context_flags),
  FUNCTION ("cuMemGetAllocationGranularity", mem_granularity),
  FUNCTION ("cuMemCreate", mem_create),
  FUNCTION ("cuMemRelease", mem_release),
  FUNCTION ("cuMemAddressReserve", mem_reserve),
  FUNCTION ("cuMemAddressFree", mem_unreserve),
  FUNCTION ("cuMemMap", mem_map),
  FUNCTION ("cuMemUnmap", mem_unmap),
  FUNCTION ("cuMemSetAccess", mem_set_access),
  FUNCTION ("cuMemExportToShareableHandle", mem_export),
  FUNCTION ("cuMemAlloc_v2", alloc),
  FUNCTION ("cuMemFree_v2", free),
  FUNCTION ("cuMemcpyHtoD_v2", copy_from_host),
  FUNCTION ("cuMemcpyDtoH_v2", copy_to_host),
  FUNCTION ("cuMemcpyDtoDAsync_v2", copy),
  FUNCTION ("cuMemcpy2DAsync_v2", copy_rows),
  FUNCTION ("cuStreamCreate", stream_create),
  FUNCTION ("cuStreamSynchronize", stream_wait),
  FUNCTION ("cuStreamDestroy_v2", stream_destroy),
  FUNCTION ("cuEventCreate", event_create),
  FUNCTION ("cuEventRecord", event_record),
  FUNCTION ("cuEventSynchronize", event_wait),
  FUNCTION ("cuEventDestroy_v2", event_destroy),
#undef FUNCTION
};
/* clang-format on */

static gboolean
load_driver (GstClCudaDriver *driver)
{
  gpointer library = dlopen ("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  gpointer uuid_of_instance;
  GstClCudaCode code;

  gst_cl_cuda_debug ();
  if (!library) {
    GST_INFO ("no CUDA: %s", dlerror ());
    return FALSE;
  }

  for (guint i = 0; i < G_N_ELEMENTS (driver_functions); i++) {
    gpointer function = dlsym (library, driver_functions[i].name);

    if (!function) {
      GST_INFO ("no CUDA: its driver has no %s", driver_functions[i].name);
      return FALSE;
    }
    G_STRUCT_MEMBER (gpointer, driver, driver_functions[i].offset) = function;
  }

  *(gpointer *) &driver->context_set_flags = dlsym (library, "cuCtxSetFlags");
  uuid_of_instance = dlsym (library, "cuDeviceGetUuid_v2");
  if (uuid_of_instance)
    *(gpointer *) &driver->device_uuid = uuid_of_instance;

  code = driver->init (0);
  if (code != 0)
    GST_INFO ("no CUDA: its driver does not start (%d)", code);

  return code == 0;
}

const GstClCudaDriver *
gst_cl_cuda_driver (void)
{
  static GstClCudaDriver driver;
  static gboolean is_there;
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    is_there = load_driver (&driver);
    g_once_init_leave (&once, 1);
  }

  return is_there ? &driver : NULL;
}

gboolean
gst_cl_cuda_check (GstClCudaCode code, const gchar *what, GError **error)
{
  const char *name = NULL;

  if (code == 0)
    return TRUE;

  if (gst_cl_cuda_driver ()->get_error_name (code, &name) != 0 || !name)
    name = "an unknown error";
  g_set_error (error, GST_RESOURCE_ERROR,
      code == OUT_OF_MEMORY ? GST_RESOURCE_ERROR_NO_SPACE_LEFT
                            : GST_RESOURCE_ERROR_FAILED,
      "CUDA: %s: %s (%d)", what, name, code);

  return FALSE;
}

/* --- GStreamer's CUDA memory ---------------------------------------------- */

/* Declarations of gst/cuda/gstcudamemory.h, the same in every version from 1.22
 * on. */
#define MEMORY_TYPE "gst.cuda.memory"
#define MAP_CUDA    ((GstMapFlags) (GST_MAP_FLAG_LAST << 1))

typedef struct {
  GstMemory parent;
  GstObject *context;
} CudaMemory;

typedef struct {
  gpointer (*get_handle) (GstObject *context);
  /* NULL before 1.24: earlier users have waited for their commands, or use the
   * NULL stream */
  void (*sync) (GstMemory *memory);
  gpointer (*get_stream) (GstMemory *memory); /* a GstCudaStream or NULL */
  GstClCudaStream (*stream_handle) (gpointer stream);
  GstBufferPool *(*new_pool) (GstObject *context);
} Functions;

/* Returns NULL while the library is not loaded. */
static const Functions *
find_functions (void)
{
  static Functions found;
  static gsize is_done = 0;
  gpointer library;

  if (g_atomic_pointer_get (&is_done))
    return &found;

  library = dlopen ("libgstcuda-1.0.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (!library)
    return NULL;

  if (g_once_init_enter (&is_done)) {
    *(gpointer *) &found.get_handle = dlsym (library,
        "gst_cuda_context_get_handle");
    *(gpointer *) &found.sync = dlsym (library, "gst_cuda_memory_sync");
    *(gpointer *) &found.get_stream = dlsym (library,
        "gst_cuda_memory_get_stream");
    *(gpointer *) &found.stream_handle = dlsym (library,
        "gst_cuda_stream_get_handle");
    *(gpointer *) &found.new_pool = dlsym (library, "gst_cuda_buffer_pool_new");
    g_once_init_leave (&is_done, 1);
  }

  return &found;
}

gboolean
gst_cl_cuda_memory_exists (void)
{
  const Functions *functions = find_functions ();

  return functions && functions->get_handle;
}

gboolean
gst_cl_is_cuda_memory (GstMemory *memory)
{
  return memory->allocator &&
         g_strcmp0 (memory->allocator->mem_type, MEMORY_TYPE) == 0;
}

GstBufferPool *
gst_cl_cuda_pool_new (GstContext *context)
{
  const Functions *functions = find_functions ();
  const GValue *value = gst_structure_get_value (
      gst_context_get_structure (context), GST_CL_CUDA_CONTEXT);
  GstObject *cuda_context = value && G_VALUE_HOLDS_OBJECT (value)
                                ? g_value_get_object (value)
                                : NULL;

  return cuda_context && functions && functions->new_pool
             ? functions->new_pool (cuda_context)
             : NULL;
}

GstObject *
gst_cl_cuda_memory_context (GstMemory *memory)
{
  return ((CudaMemory *) memory)->context;
}

gboolean
gst_cl_cuda_enter (GstObject *cuda_context, GError **error)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();

  return gst_cl_cuda_check (
      driver->context_push (find_functions ()->get_handle (cuda_context)),
      "use a context", error);
}

void
gst_cl_cuda_leave (void)
{
  GstClCudaContext context;

  gst_cl_cuda_driver ()->context_pop (&context);
}

/* transfer full */
static gchar *
ask_for_uuid (GstObject *cuda_context)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();
  GString *text = g_string_new (NULL);
  GstClCudaUuid uuid = { { 0 } };
  GstClCudaCode code;
  int device = 0;

  if (!gst_cl_cuda_enter (cuda_context, NULL))
    return g_string_free (text, FALSE);

  code = driver->context_device (&device);
  if (code == 0)
    code = driver->device_uuid (&uuid, device);
  gst_cl_cuda_leave ();
  for (guint i = 0; code == 0 && i < sizeof uuid.bytes; i++)
    g_string_append_printf (text, "%02x", uuid.bytes[i]);

  return g_string_free (text, FALSE);
}

/* Returns the UUID of the GPU of @cuda_context, as 32 hexadecimal digits; NULL
 * if it cannot be queried. Transfer none. */
static const gchar *
context_uuid (GstObject *cuda_context)
{
  static GMutex lock;
  const GQuark quark = g_quark_from_static_string ("gst-cl-uuid");
  gchar *uuid;

  g_mutex_lock (&lock);
  uuid = g_object_get_qdata (G_OBJECT (cuda_context), quark);
  if (!uuid) {
    uuid = ask_for_uuid (cuda_context);
    g_object_set_qdata_full (G_OBJECT (cuda_context), quark, uuid, g_free);
  }
  g_mutex_unlock (&lock);

  return uuid[0] ? uuid : NULL;
}

gboolean
gst_cl_cuda_memory_is_of (GstMemory *memory, const GstClDevice *device)
{
  return gst_cl_is_cuda_memory (memory) && device->uuid &&
         gst_cl_cuda_memory_exists () && gst_cl_cuda_driver () &&
         g_strcmp0 (device->uuid,
             context_uuid (gst_cl_cuda_memory_context (memory))) == 0;
}

GstClCudaStream
gst_cl_cuda_memory_stream (GstMemory *memory)
{
  const Functions *functions = find_functions ();
  gpointer stream = functions->get_stream && functions->stream_handle
                        ? functions->get_stream (memory)
                        : NULL;

  return stream ? functions->stream_handle (stream) : NULL;
}

gboolean
gst_cl_cuda_memory_map (GstMemory *memory, GstMapInfo *map, GstMapFlags flags)
{
  const Functions *functions = find_functions ();

  if (!gst_memory_map (memory, map, flags | MAP_CUDA))
    return FALSE;
  if (functions->sync && !gst_cl_cuda_memory_stream (memory))
    functions->sync (memory);

  return TRUE;
}

/* --- memory that CUDA and OpenCL share ------------------------------------ */

/* Values of CUDA's enumerations. */
#define PINNED               1
#define FILE_DESCRIPTOR      1
#define DEVICE               1
#define READ_AND_WRITE       3
#define DEVICE_MEMORY        2
#define STREAM_DEFAULT       0
#define EVENT_BLOCKING_SYNC  1
#define EVENT_DISABLE_TIMING 2
#define SCHEDULING_MASK      7
#define SCHEDULING_AUTO      0
#define SCHEDULING_BLOCKING  4

struct _GstClCudaShared {
  GstClContext *context;
  GstObject *cuda_context;
  /* The stream of copies, which runs after the NULL stream: in that stream
   * GStreamer copies memory that has no stream, and does not wait before
   * 1.24. */
  GstClCudaStream stream;
  GstClCudaEvent copied;
  gboolean waits_sleep; /* waits of other users of the CUDA context */

  gsize size_bytes;
  GstClCudaAllocation allocation; /* 0: none */
  GstClCudaPointer pointer;       /* 0: no address */
  gboolean is_mapped;
  cl_mem mem;
};

/* Some members may be unset. The CUDA context must be current. */
static void
release_shared (GstClCudaShared *self)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();

  gst_cl_buffer_free (self->mem);
  if (self->is_mapped)
    driver->mem_unmap (self->pointer, self->size_bytes);
  if (self->pointer)
    driver->mem_unreserve (self->pointer, self->size_bytes);
  if (self->allocation)
    driver->mem_release (self->allocation);
  if (self->copied)
    driver->event_destroy (self->copied);
  if (self->stream)
    driver->stream_destroy (self->stream);
}

void
gst_cl_cuda_shared_free (GstClCudaShared *self)
{
  if (!self)
    return;

  if (gst_cl_cuda_enter (self->cuda_context, NULL)) {
    release_shared (self);
    gst_cl_cuda_leave ();
  }
  gst_object_unref (self->cuda_context);
  gst_object_unref (self->context);
  g_free (self);
}

/* Rounds @size_bytes up to whole pages. The CUDA context must be current. */
static gboolean
allocate_shared (GstClCudaShared *self, gsize size_bytes, GError **error)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();
  GstClCudaProperties properties = { .type = PINNED,
    .handle_types = FILE_DESCRIPTOR,
    .location = { .type = DEVICE } };
  GstClCudaAccess access = { .flags = READ_AND_WRITE };
  gsize page_bytes = 0;

  if (!gst_cl_cuda_check (driver->context_device (&properties.location.id),
          "find the GPU", error) ||
      !gst_cl_cuda_check (driver->mem_granularity (&page_bytes, &properties, 0),
          "find the size of a page", error))
    return FALSE;

  self->size_bytes = (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
  access.location = properties.location;
  if (!gst_cl_cuda_check (driver->mem_create (&self->allocation,
                              self->size_bytes, &properties, 0),
          "allocate memory to share", error) ||
      !gst_cl_cuda_check (
          driver->mem_reserve (&self->pointer, self->size_bytes, 0, 0, 0),
          "reserve addresses", error) ||
      !gst_cl_cuda_check (driver->mem_map (self->pointer, self->size_bytes, 0,
                              self->allocation, 0),
          "map memory to share", error))
    return FALSE;
  self->is_mapped = TRUE;

  return gst_cl_cuda_check (
      driver->mem_set_access (self->pointer, self->size_bytes, &access, 1),
      "write to memory to share", error);
}

/* The CUDA context must be current. */
static gboolean
set_up (GstClCudaShared *self, gsize size_bytes, cl_mem_flags flags,
    GError **error)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();
  int fd = -1;

  if (!gst_cl_buffer_check_size (self->context, size_bytes, error) ||
      !allocate_shared (self, size_bytes, error) ||
      !gst_cl_cuda_check (
          driver->mem_export (&fd, self->allocation, FILE_DESCRIPTOR, 0),
          "export memory", error))
    return FALSE;
  self->mem = gst_cl_external_import (self->context, GST_CL_HANDLE_OPAQUE_FD,
      fd, self->size_bytes, flags, error);

  return self->mem &&
         gst_cl_cuda_check (
             driver->stream_create (&self->stream, STREAM_DEFAULT),
             "create a stream", error) &&
         gst_cl_cuda_check (driver->event_create (&self->copied,
                                EVENT_BLOCKING_SYNC | EVENT_DISABLE_TIMING),
             "create an event", error);
}

GstClCudaShared *
gst_cl_cuda_shared_new (GstClContext *context, GstObject *cuda_context,
    gsize size_bytes, cl_mem_flags flags, GError **error)
{
  g_autoptr (GstClCudaShared) self = g_new0 (GstClCudaShared, 1);
  gboolean is_ready;

  self->context = gst_object_ref (context);
  self->cuda_context = gst_object_ref (cuda_context);
  if (!gst_cl_cuda_enter (cuda_context, error))
    return NULL;
  is_ready = set_up (self, size_bytes, flags, error);
  if (!is_ready)
    gst_cl_external_explain (error);
  gst_cl_cuda_leave ();

  return is_ready ? g_steal_pointer (&self) : NULL;
}

static gsize
shared_bytes (const GstClCudaShared *self)
{
  return self->size_bytes;
}

/* Returns TRUE if the memory has at least @size_bytes, and was allocated with
 * @cuda_context. Accepts NULL: FALSE. */
static gboolean
shared_serves (const GstClCudaShared *self, GstObject *cuda_context,
    gsize size_bytes)
{
  return self && self->cuda_context == cuda_context &&
         self->size_bytes >= size_bytes;
}

cl_mem
gst_cl_cuda_shared_mem (const GstClCudaShared *self)
{
  return self->mem;
}

static GstClCudaCode
enqueue_copy (GstClCudaShared *self, GstClCudaPointer from, GstClCudaPointer to,
    const GstClRows *rows, gboolean in_one_piece, GstClCudaStream stream)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();
  const GstClCudaRows copy = {
    .src_type = DEVICE_MEMORY,
    .src_device = from,
    .src_pitch = rows->src_stride_bytes,
    .dst_type = DEVICE_MEMORY,
    .dst_device = to,
    .dst_pitch = rows->dst_stride_bytes,
    .width_bytes = rows->row_bytes,
    .height = rows->n_rows,
  };

  if (in_one_piece)
    return driver->copy (to, from, gst_cl_rows_source_bytes (rows), stream);

  return driver->copy_rows (&copy, stream);
}

/* Waits for an event instead of the stream: the wait for an event can sleep;
 * busy-waiting takes three times the CPU time on a GPU that alternates between
 * CUDA and OpenCL (docs/devices.md). */
static gboolean
wait_for_event (GstClCudaShared *self, GstClCudaStream stream, GError **error)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();

  return gst_cl_cuda_check (driver->event_record (self->copied, stream),
             "mark the end of a copy", error) &&
         gst_cl_cuda_check (driver->event_wait (self->copied),
             "wait for a copy", error);
}

/* Waits for the copy even after an error: it must not access the frame after
 * another element has received it. */
gboolean
gst_cl_cuda_shared_wait (GstClCudaShared *self, GstClCudaStream stream,
    GError **error)
{
  if (!stream)
    stream = self->stream;
  if (wait_for_event (self, stream, error))
    return TRUE;
  gst_cl_cuda_driver ()->stream_wait (stream);

  return FALSE;
}

gboolean
gst_cl_cuda_shared_copy (GstClCudaShared *self, GstClCudaPointer from,
    const GstClRows *rows, GstClCudaStream stream, GError **error)
{
  return gst_cl_cuda_check (enqueue_copy (self, from, self->pointer, rows,
                                gst_cl_rows_are_packed (rows),
                                stream ? stream : self->stream),
             "copy a frame", error) &&
         gst_cl_cuda_shared_wait (self, stream, error);
}

/* Bytes between the rows of the destination do not change. */
gboolean
gst_cl_cuda_shared_start_out (GstClCudaShared *self, gsize offset_bytes,
    GstClCudaPointer to, const GstClRows *rows, GstClCudaStream stream,
    GError **error)
{
  return gst_cl_cuda_check (
      enqueue_copy (self, self->pointer + offset_bytes, to, rows,
          rows->n_rows == 1 || rows->row_bytes == rows->dst_stride_bytes,
          stream ? stream : self->stream),
      "copy a frame", error);
}

void
gst_cl_cuda_shared_let_waits_sleep (GstClCudaShared *self)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();
  guint flags = 0;

  if (self->waits_sleep)
    return;
  self->waits_sleep = TRUE;
  if (driver->context_set_flags && driver->context_flags (&flags) == 0 &&
      (flags & SCHEDULING_MASK) == SCHEDULING_AUTO)
    driver->context_set_flags (flags | SCHEDULING_BLOCKING);
}

/* --- shared memory that frames go through --------------------------------- */

gboolean
gst_cl_cuda_scratch_reserve (GstClCudaScratch *self, GstClContext *context,
    GstObject *cuda_context, gsize size_bytes, cl_mem_flags flags)
{
  g_autoptr (GError) failure = NULL;

  if (shared_serves (self->shared, cuda_context, size_bytes))
    return TRUE;

  if (g_get_monotonic_time () < self->retry_us)
    return FALSE;

  g_clear_pointer (&self->shared, gst_cl_cuda_shared_free);
  self->shared = gst_cl_cuda_shared_new (context, cuda_context, size_bytes,
      flags, &failure);
  if (failure) {
    GST_INFO_OBJECT (context, "%s", failure->message);
    self->retry_us = g_get_monotonic_time () + GST_CL_SHORTAGE_US;
  }

  return self->shared != NULL;
}

void
gst_cl_cuda_scratch_clear (GstClCudaScratch *self)
{
  gst_cl_cuda_shared_free (self->shared);
  *self = (GstClCudaScratch){ 0 };
}

static void
free_shared (gpointer data)
{
  gst_cl_cuda_shared_free (data);
}

void
gst_cl_cuda_scratch_quarantine (GstClCudaScratch *self, GstClContext *context)
{
  GstClCudaShared *shared = g_steal_pointer (&self->shared);

  if (shared)
    gst_cl_quarantine_add (context, shared_bytes (shared), shared, free_shared);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GStreamer's CUDA memory, by its library where that is in the process. */

#include "gstclcudamemory.h"

#include <dlfcn.h>

/* What gst/cuda/gstcudamemory.h says in every version from 1.22 on. */
#define MEMORY_TYPE "gst.cuda.memory"
#define MAP_CUDA    ((GstMapFlags) (GST_MAP_FLAG_LAST << 1))

typedef struct {
  GstMemory parent;
  GstObject *context;
} CudaMemory;

typedef struct {
  gpointer (*get_handle) (GstObject *context);
  /* NULL before 1.24: whoever has written or read has waited for it, or does
   * it in the NULL stream */
  void (*sync) (GstMemory *memory);
  gpointer (*get_stream) (GstMemory *memory); /* a GstCudaStream or NULL */
  GstClCudaStream (*stream_handle) (gpointer stream);
  GstBufferPool *(*new_pool) (GstObject *context);
} Functions;

/* NULL as long as the library is not there. */
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

const gchar *
gst_cl_cuda_context_uuid (GstObject *cuda_context)
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
             gst_cl_cuda_context_uuid (gst_cl_cuda_memory_context (memory))) ==
             0;
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

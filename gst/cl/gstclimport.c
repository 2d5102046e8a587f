/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From GstBuffer bytes to device memory. */

#include "gstclimport.h"

#include "gstclbuffer.h"
#include "gstclmemory.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_import_debug);
#define GST_CAT_DEFAULT gst_cl_import_debug

/* What drivers of integrated GPUs ask of a host pointer before they use it in
 * place instead of making a hidden copy: a page, and whole cache lines. */
#define GPU_WRAP_ALIGN_BYTES 4096
#define GPU_WRAP_SIZE_BYTES  64

struct _GstClImporter {
  GstClContext *context;
  struct {
    cl_mem mem;
    gsize size_bytes;
  } staging[GST_CL_IMPORTER_SLOTS];
  guint64 copied_bytes;
};

/* A GstMemory's bytes as a cl_mem; lives as qdata of that GstMemory. */
typedef struct {
  GstClContext *context;
  cl_mem mem;
  gconstpointer data;
  gsize size_bytes;
} Wrap;

G_LOCK_DEFINE_STATIC (wraps);

GstClImporter *
gst_cl_importer_new (GstClContext *context)
{
  static gsize once = 0;
  GstClImporter *self = g_new0 (GstClImporter, 1);

  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (gst_cl_import_debug, "climport", 0,
        "OpenCL import of buffers");
    g_once_init_leave (&once, 1);
  }

  self->context = gst_object_ref (context);

  return self;
}

void
gst_cl_importer_free (GstClImporter *self)
{
  if (!self)
    return;

  for (guint i = 0; i < GST_CL_IMPORTER_SLOTS; i++)
    gst_cl_buffer_free (self->staging[i].mem);
  gst_object_unref (self->context);
  g_free (self);
}

guint64
gst_cl_importer_copied_bytes (const GstClImporter *self)
{
  return self->copied_bytes;
}

/* --- wrapped host memory ------------------------------------------------- */

static void
free_wrap (gpointer data)
{
  Wrap *wrap = data;

  clReleaseMemObject (wrap->mem);
  gst_object_unref (wrap->context);
  g_free (wrap);
}

static gboolean
can_wrap (const GstClDevice *device, gconstpointer data, gsize size_bytes)
{
  if (!device->is_host_unified)
    return FALSE;
  if (device->type & CL_DEVICE_TYPE_CPU)
    return (guintptr) data % sizeof (gpointer) == 0;

  return (guintptr) data % GPU_WRAP_ALIGN_BYTES == 0 &&
         size_bytes % GPU_WRAP_SIZE_BYTES == 0;
}

static cl_mem
create_wrap (GstClContext *context, gpointer data, gsize size_bytes)
{
  cl_int code;
  cl_mem mem = clCreateBuffer (context->handle,
      CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, size_bytes, data, &code);

  if (code == CL_SUCCESS)
    return mem;

  GST_INFO_OBJECT (context, "wrapping %zu bytes at %p: %s", size_bytes, data,
      gst_cl_error_name (code));

  return NULL;
}

/* A reference to a cl_mem over @data; NULL if the driver will not have it. On a
 * CPU device it is made at most once for as long as @memory stays where it is;
 * a GPU's driver may keep what the memory held when the cl_mem was made, so
 * there it is made for each use. Any thread: the branches of a tee may ask for
 * one memory at the same time. */
static cl_mem
wrap_memory (GstClContext *context, GstMemory *memory, gpointer data,
    gsize size_bytes)
{
  static GQuark quark = 0;
  cl_mem mem = NULL;
  Wrap *wrap;

  if (!(context->device->type & CL_DEVICE_TYPE_CPU))
    return create_wrap (context, data, size_bytes);

  G_LOCK (wraps);
  if (!quark)
    quark = g_quark_from_static_string ("gst-cl-wrap");

  wrap = gst_mini_object_get_qdata (GST_MINI_OBJECT (memory), quark);
  if (!wrap || wrap->context != context || wrap->data != data ||
      wrap->size_bytes != size_bytes) {
    mem = create_wrap (context, data, size_bytes);
    if (mem) {
      wrap = g_new0 (Wrap, 1);
      wrap->context = gst_object_ref (context);
      wrap->mem = mem;
      wrap->data = data;
      wrap->size_bytes = size_bytes;
      gst_mini_object_set_qdata (GST_MINI_OBJECT (memory), quark, wrap,
          free_wrap);
    } else {
      wrap = NULL;
    }
  }
  if (wrap) {
    mem = wrap->mem;
    clRetainMemObject (mem);
  }
  G_UNLOCK (wraps);

  return mem;
}

/* --- ranges -------------------------------------------------------------- */

void
gst_cl_range_release (GstClRange *range)
{
  if (range->memory)
    gst_memory_unmap (range->memory, &range->map);
  if (range->buffer)
    gst_buffer_unmap (range->buffer, &range->map);
  if (range->owns_mem)
    clReleaseMemObject (range->mem);

  *range = (GstClRange){ 0 };
}

static gboolean
fail_map (GError **error)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
      "A buffer's memory could not be mapped.");

  return FALSE;
}

/* Copies @data into the slot's staging buffer, growing it first if need be.
 * The write waits for earlier commands (in-order queue), so the kernels of the
 * frame before have read the buffer by then. */
static gboolean
stage (GstClImporter *self, guint slot, gconstpointer data, gsize size_bytes,
    GstClRange *range, GError **error)
{
  if (self->staging[slot].size_bytes < size_bytes) {
    g_clear_pointer (&self->staging[slot].mem, gst_cl_buffer_free);
    self->staging[slot].size_bytes = 0;
    self->staging[slot].mem = gst_cl_buffer_new (self->context, size_bytes,
        error);
    if (!self->staging[slot].mem)
      return FALSE;
    self->staging[slot].size_bytes = size_bytes;
  }

  if (!gst_cl_buffer_write (self->context, self->staging[slot].mem, 0,
          size_bytes, data, error))
    return FALSE;

  self->copied_bytes += size_bytes;
  range->mem = self->staging[slot].mem;
  range->offset_bytes = 0;

  return TRUE;
}

/* The bytes lie at @skip of one memory. */
static gboolean
take_from_memory (GstClImporter *self, guint slot, GstMemory *memory,
    gsize skip, gsize size_bytes, GstMapFlags flags, GstClRange *range,
    GError **error)
{
  if (gst_is_cl_memory (memory) &&
      gst_cl_memory_context (memory) == self->context) {
    if (!gst_memory_map (memory, &range->map, flags | GST_MAP_OPENCL))
      return fail_map (error);
    range->memory = memory;
    range->mem = gst_cl_memory_handle (memory);
    range->offset_bytes = memory->offset + skip;
    return TRUE;
  }

  if ((flags & GST_MAP_WRITE) || !gst_memory_map (memory, &range->map, flags))
    return fail_map (error);
  range->memory = memory;

  if (can_wrap (self->context->device, range->map.data, range->map.size)) {
    range->mem = wrap_memory (self->context, memory, range->map.data,
        range->map.size);
    if (range->mem) {
      range->owns_mem = TRUE;
      range->is_host = TRUE;
      range->offset_bytes = skip;
      return TRUE;
    }
  }

  return stage (self, slot, range->map.data + skip, size_bytes, range, error);
}

/* The bytes lie in several memories: GStreamer merges them for the map. */
static gboolean
take_merged (GstClImporter *self, guint slot, GstBuffer *buffer,
    gsize offset_bytes, gsize size_bytes, GstMapFlags flags, GstClRange *range,
    GError **error)
{
  if ((flags & GST_MAP_WRITE) || !gst_buffer_map (buffer, &range->map, flags))
    return fail_map (error);
  range->buffer = buffer;
  GST_LOG ("merging the memories of a buffer of %zu bytes", range->map.size);

  return stage (self, slot, range->map.data + offset_bytes, size_bytes, range,
      error);
}

gboolean
gst_cl_importer_take (GstClImporter *self, guint slot, GstBuffer *buffer,
    gsize offset_bytes, gsize size_bytes, GstMapFlags flags, GstClRange *range,
    GError **error)
{
  const gsize buffer_bytes = gst_buffer_get_size (buffer);
  guint index, n_memories;
  gboolean taken;
  gsize skip;

  g_return_val_if_fail (slot < GST_CL_IMPORTER_SLOTS, FALSE);

  *range = (GstClRange){ 0 };
  if (offset_bytes > buffer_bytes || size_bytes > buffer_bytes - offset_bytes ||
      !gst_buffer_find_memory (buffer, offset_bytes, size_bytes, &index,
          &n_memories, &skip)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "A buffer of %zu bytes is smaller than its caps say: bytes %zu to %zu "
        "are needed.",
        buffer_bytes, offset_bytes, offset_bytes + size_bytes);
    return FALSE;
  }

  if (n_memories == 1)
    taken = take_from_memory (self, slot,
        gst_buffer_peek_memory (buffer, index), skip, size_bytes, flags, range,
        error);
  else
    taken = take_merged (self, slot, buffer, offset_bytes, size_bytes, flags,
        range, error);

  if (!taken)
    gst_cl_range_release (range);

  return taken;
}

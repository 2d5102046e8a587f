/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device memory as GstMemory. */

#include "gstclmemory.h"
#include "gstclbuffer.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_memory_debug);
#define GST_CAT_DEFAULT gst_cl_memory_debug

typedef struct {
  GstMemory parent;
  GstClContext *context;
  cl_mem handle;

  GMutex lock;     /* the two below */
  guint n_maps;    /* CPU maps not yet undone */
  gpointer mapped; /* host pointer while n_maps > 0 */
} GstClMemory;

struct _GstClAllocator {
  GstAllocator parent;
  GstClContext *context;
};

G_DEFINE_TYPE_WITH_CODE (GstClAllocator, gst_cl_allocator, GST_TYPE_ALLOCATOR,
    GST_DEBUG_CATEGORY_INIT (gst_cl_memory_debug, "clmemory", 0,
        "OpenCL memory"))

gboolean
gst_is_cl_memory (GstMemory *memory)
{
  return GST_IS_CL_ALLOCATOR (memory->allocator);
}

cl_mem
gst_cl_memory_handle (GstMemory *memory)
{
  return ((GstClMemory *) memory)->handle;
}

GstClContext *
gst_cl_memory_context (GstMemory *memory)
{
  return ((GstClMemory *) memory)->context;
}

/* --- allocation ---------------------------------------------------------- */

static GstMemory *
gst_cl_allocator_alloc (GstAllocator *allocator, gsize size,
    GstAllocationParams *params)
{
  GstClContext *context = GST_CL_ALLOCATOR (allocator)->context;
  g_autoptr (GError) error = NULL;
  const cl_uchar zero = 0;
  GstClMemory *self;
  cl_mem handle = gst_cl_buffer_new (context, size, &error);

  /* Kernels write samples only: what lies between rows stays defined. */
  if (!handle ||
      !gst_cl_check (clEnqueueFillBuffer (context->queue, handle, &zero,
                         sizeof zero, 0, MAX (size, 1), 0, NULL, NULL),
          "clear a new buffer", &error)) {
    GST_ERROR_OBJECT (allocator, "%s", error->message);
    gst_cl_buffer_free (handle);
    return NULL;
  }

  self = g_new0 (GstClMemory, 1);
  gst_memory_init (GST_MEMORY_CAST (self), params->flags, allocator, NULL, size,
      0, 0, size);
  self->context = gst_object_ref (context);
  self->handle = handle;
  g_mutex_init (&self->lock);

  return GST_MEMORY_CAST (self);
}

static void
gst_cl_allocator_free (GstAllocator *allocator, GstMemory *memory)
{
  GstClMemory *self = (GstClMemory *) memory;

  gst_cl_buffer_free (self->handle);
  gst_object_unref (self->context);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* --- access from the CPU ------------------------------------------------- */

static gpointer
map_for_cpu (GstClMemory *self, GstMapFlags flags)
{
  g_autoptr (GError) error = NULL;
  cl_map_flags cl_flags = 0;
  gpointer data;
  cl_int code;

  if (flags & GST_MAP_READ)
    cl_flags |= CL_MAP_READ;
  if (flags & GST_MAP_WRITE)
    cl_flags |= CL_MAP_WRITE; /* never INVALIDATE: callers may write a part */

  data = clEnqueueMapBuffer (self->context->queue, self->handle, CL_TRUE,
      cl_flags, 0, self->parent.maxsize, 0, NULL, NULL, &code);
  if (!gst_cl_check (code, "map device memory", &error)) {
    GST_ERROR_OBJECT (self->context, "%s", error->message);
    return NULL;
  }

  return data;
}

/* GstMemory's own lock admits a nested map only with flags that the first one
 * had, so one mapping serves all. */
static gpointer
gst_cl_memory_map (GstMemory *memory, GstMapInfo *info, gsize max_size)
{
  GstClMemory *self = (GstClMemory *) memory;
  gpointer data;

  if (info->flags & GST_MAP_OPENCL)
    return self->handle;

  g_mutex_lock (&self->lock);
  if (self->n_maps == 0)
    self->mapped = map_for_cpu (self, info->flags);
  if (self->mapped)
    self->n_maps++;
  data = self->mapped;
  g_mutex_unlock (&self->lock);

  return data;
}

static void
gst_cl_memory_unmap (GstMemory *memory, GstMapInfo *info)
{
  GstClMemory *self = (GstClMemory *) memory;

  if (info->flags & GST_MAP_OPENCL)
    return;

  g_mutex_lock (&self->lock);
  if (--self->n_maps == 0) {
    clEnqueueUnmapMemObject (self->context->queue, self->handle, self->mapped,
        0, NULL, NULL);
    self->mapped = NULL;
  }
  g_mutex_unlock (&self->lock);
}

/* --- copies -------------------------------------------------------------- */

static GstMemory *
gst_cl_memory_copy (GstMemory *memory, gssize offset, gssize size)
{
  GstClMemory *self = (GstClMemory *) memory;
  GstAllocationParams params = { 0 };
  g_autoptr (GError) error = NULL;
  GstMemory *copy;

  if (size == -1)
    size = (gssize) memory->size > offset ? memory->size - offset : 0;

  copy = gst_allocator_alloc (memory->allocator, size, &params);
  if (!copy)
    return NULL;

  if (size > 0 &&
      !gst_cl_check (clEnqueueCopyBuffer (self->context->queue, self->handle,
                         gst_cl_memory_handle (copy), memory->offset + offset,
                         0, size, 0, NULL, NULL),
          "copy device memory", &error)) {
    GST_ERROR_OBJECT (self->context, "%s", error->message);
    gst_memory_unref (copy);
    return NULL;
  }

  return copy;
}

/* Parts are copied instead: a cl_mem handle has no place for an offset. */
static GstMemory *
gst_cl_memory_share (GstMemory *memory, gssize offset, gssize size)
{
  return NULL;
}

/* --- life cycle ---------------------------------------------------------- */

GstAllocator *
gst_cl_allocator_new (GstClContext *context)
{
  GstClAllocator *self = gst_object_ref_sink (
      g_object_new (GST_TYPE_CL_ALLOCATOR, NULL));

  self->context = gst_object_ref (context);

  return GST_ALLOCATOR (self);
}

static void
gst_cl_allocator_finalize (GObject *object)
{
  gst_clear_object (&GST_CL_ALLOCATOR (object)->context);

  G_OBJECT_CLASS (gst_cl_allocator_parent_class)->finalize (object);
}

static void
gst_cl_allocator_init (GstClAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = GST_CL_MEMORY_TYPE;
  allocator->mem_map_full = gst_cl_memory_map;
  allocator->mem_unmap_full = gst_cl_memory_unmap;
  allocator->mem_copy = gst_cl_memory_copy;
  allocator->mem_share = gst_cl_memory_share;
}

static void
gst_cl_allocator_class_init (GstClAllocatorClass *klass)
{
  GstAllocatorClass *allocator_class = GST_ALLOCATOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_cl_allocator_finalize;
  allocator_class->alloc = gst_cl_allocator_alloc;
  allocator_class->free = gst_cl_allocator_free;
}

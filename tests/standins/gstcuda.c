/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stands in for libgstcuda-1.0.so.0. */

#include "standins/gstcuda.h"

#include <gst/video/video.h>

#include "standins/cuda.h"

#define MAP_CUDA ((GstMapFlags) (GST_MAP_FLAG_LAST << 1))

/* --- context ------------------------------------------------------------- */

typedef struct {
  GstObject parent;
  CudaStandinContext handle;
} Context;

typedef struct {
  GstObjectClass parent_class;
} ContextClass;

GType standin_context_get_type (void);
G_DEFINE_TYPE (Context, standin_context, GST_TYPE_OBJECT)

static void
standin_context_init (Context *self)
{
}

static void
standin_context_class_init (ContextClass *klass)
{
}

GstObject *
cuda_context_new (int device)
{
  Context *self = gst_object_ref_sink (
      g_object_new (standin_context_get_type (), NULL));

  self->handle.device = device;

  return GST_OBJECT (self);
}

void
cuda_context_set_flags (GstObject *context, guint flags)
{
  ((Context *) context)->handle.flags = flags;
}

guint
cuda_context_flags (GstObject *context)
{
  return ((Context *) context)->handle.flags;
}

/* The plugin knows it by its name. */
gpointer gst_cuda_context_get_handle (GstObject *context);

gpointer
gst_cuda_context_get_handle (GstObject *context)
{
  return &((Context *) context)->handle;
}

/* --- memory -------------------------------------------------------------- */

typedef struct {
  GstMemory parent;
  GstObject *context;
  gboolean needs_sync;
  guint8 *data;
} Memory;

typedef struct {
  GstAllocator parent;
} Allocator;

typedef struct {
  GstAllocatorClass parent_class;
} AllocatorClass;

GType standin_allocator_get_type (void);
G_DEFINE_TYPE (Allocator, standin_allocator, GST_TYPE_ALLOCATOR)

static gint n_host_maps; /* atomic */

gint
cuda_n_host_maps (void)
{
  return g_atomic_int_get (&n_host_maps);
}

/* What was written asynchronously is there now. */
static void
finish (Memory *self)
{
  for (gsize i = 0; self->needs_sync && i < self->parent.maxsize; i++)
    self->data[i] ^= 0xFF;
  self->needs_sync = FALSE;
}

static gpointer
map_memory (GstMemory *memory, GstMapInfo *info, gsize size)
{
  Memory *self = (Memory *) memory;

  if (!(info->flags & MAP_CUDA)) {
    g_atomic_int_inc (&n_host_maps);
    finish (self);
  }

  return self->data;
}

static void
unmap_memory (GstMemory *memory, GstMapInfo *info)
{
}

static void
free_memory (GstAllocator *allocator, GstMemory *memory)
{
  Memory *self = (Memory *) memory;

  gst_object_unref (self->context);
  g_free (self->data);
  g_free (self);
}

static void
standin_allocator_init (Allocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = "gst.cuda.memory";
  allocator->mem_map_full = map_memory;
  allocator->mem_unmap_full = unmap_memory;
  GST_OBJECT_FLAG_SET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

static void
standin_allocator_class_init (AllocatorClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->free = free_memory;
}

void gst_cuda_memory_sync (GstMemory *memory);

void
gst_cuda_memory_sync (GstMemory *memory)
{
  finish ((Memory *) memory);
}

GstBuffer *
cuda_buffer_new (GstObject *context, GstBuffer *buffer)
{
  GstAllocator *allocator = gst_object_ref_sink (
      g_object_new (standin_allocator_get_type (), NULL));
  const gsize size = gst_buffer_get_size (buffer);
  GstVideoMeta *layout = gst_buffer_get_video_meta (buffer);
  GstBuffer *copy = gst_buffer_new ();
  Memory *self = g_new0 (Memory, 1);

  gst_memory_init (GST_MEMORY_CAST (self), GST_MEMORY_FLAG_NO_SHARE, allocator,
      NULL, size, 0, 0, size);
  self->context = gst_object_ref (context);
  self->data = g_malloc (size);
  gst_buffer_extract (buffer, 0, self->data, size);
  for (gsize i = 0; i < size; i++)
    self->data[i] ^= 0xFF;
  self->needs_sync = TRUE;
  gst_object_unref (allocator);

  gst_buffer_append_memory (copy, GST_MEMORY_CAST (self));
  gst_buffer_copy_into (copy, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  if (layout)
    gst_buffer_add_video_meta_full (copy, layout->flags, layout->format,
        layout->width, layout->height, layout->n_planes, layout->offset,
        layout->stride);

  return copy;
}

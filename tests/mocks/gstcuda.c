/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mock of libgstcuda-1.0.so.0. */

#include "mocks/gstcuda.h"

#include <gst/video/video.h>
#include <string.h>

#include "mocks/cuda.h"
#include "mocks/cudaorder.h"

#define MAP_CUDA ((GstMapFlags) (GST_MAP_FLAG_LAST << 1))

/* --- context ------------------------------------------------------------- */

typedef struct {
  GstObject parent;
  CudaMockContext handle;
  gpointer stream; /* stream in which buffers are written; NULL: none */
} Context;

typedef struct {
  GstObjectClass parent_class;
} ContextClass;

GType mock_context_get_type (void);
G_DEFINE_TYPE (Context, mock_context, GST_TYPE_OBJECT)

static void
mock_context_init (Context *self)
{
}

static void
mock_context_finalize (GObject *object)
{
  g_clear_pointer (&((Context *) object)->stream, cuda_stream_free);
  G_OBJECT_CLASS (mock_context_parent_class)->finalize (object);
}

static void
mock_context_class_init (ContextClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = mock_context_finalize;
}

GstObject *
cuda_context_new (int device)
{
  Context *self = gst_object_ref_sink (
      g_object_new (mock_context_get_type (), NULL));

  self->handle.device = device;

  return GST_OBJECT (self);
}

void
cuda_context_use_stream (GstObject *context)
{
  Context *self = (Context *) context;

  if (!cuda_is_older ())
    self->stream = cuda_stream_new (&self->handle);
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

/* The plugin identifies it by its name. */
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
  gpointer stream; /* stream of commands that use it; NULL: none */
  gboolean needs_sync;
  guint8 *data;
  guint8 *staging;                       /* the host's view */
  gboolean needs_download, needs_upload; /* to the host, or from it */
} Memory;

typedef struct {
  GstAllocator parent;
} Allocator;

typedef struct {
  GstAllocatorClass parent_class;
} AllocatorClass;

GType mock_allocator_get_type (void);
G_DEFINE_TYPE (Allocator, mock_allocator, GST_TYPE_ALLOCATOR)

static gint n_host_maps; /* atomic */

gint
cuda_n_host_maps (void)
{
  return g_atomic_int_get (&n_host_maps);
}

/* Asynchronous writes are complete now. */
static void
end_writes (gpointer data)
{
  Memory *self = data;

  for (gsize i = 0; self->needs_sync && i < self->parent.maxsize; i++)
    self->data[i] ^= 0xFF;
  self->needs_sync = FALSE;
}

static void
finish (Memory *self)
{
  if (self->needs_sync && self->stream)
    cuda_stream_finish (self->stream);
  else
    end_writes (self);
}

static gpointer
map_for_cuda (Memory *self, GstMapFlags flags)
{
  if (self->needs_upload)
    memcpy (self->data, self->staging, self->parent.maxsize);
  self->needs_upload = FALSE;
  if (flags & GST_MAP_WRITE)
    self->needs_download = TRUE;

  return self->data;
}

static gpointer
map_for_host (Memory *self, GstMapFlags flags)
{
  g_atomic_int_inc (&n_host_maps);
  finish (self);
  if (self->needs_download)
    memcpy (self->staging, self->data, self->parent.maxsize);
  self->needs_download = FALSE;
  if (flags & GST_MAP_WRITE)
    self->needs_upload = TRUE;

  return self->staging;
}

/* Writes without a stream are not ordered before other commands. */
static gpointer
map_memory (GstMemory *memory, GstMapInfo *info, gsize size)
{
  Memory *self = (Memory *) memory;

  return info->flags & MAP_CUDA ? map_for_cuda (self, info->flags)
                                : map_for_host (self, info->flags);
}

static void
unmap_memory (GstMemory *memory, GstMapInfo *info)
{
}

static void
free_memory (GstAllocator *allocator, GstMemory *memory)
{
  Memory *self = (Memory *) memory;

  finish (self);
  if (self->stream)
    cuda_order_forget (self->data);
  gst_object_unref (self->context);
  g_free (self->data);
  g_free (self->staging);
  g_free (self);
}

static void
mock_allocator_init (Allocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = "gst.cuda.memory";
  allocator->mem_map_full = map_memory;
  allocator->mem_unmap_full = unmap_memory;
  GST_OBJECT_FLAG_SET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

static void
mock_allocator_class_init (AllocatorClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->free = free_memory;
}

#ifndef OLDER
void gst_cuda_memory_sync (GstMemory *memory);

void
gst_cuda_memory_sync (GstMemory *memory)
{
  finish ((Memory *) memory);
}

/* A stream is its own handle. */
gpointer gst_cuda_memory_get_stream (GstMemory *memory);
gpointer gst_cuda_stream_get_handle (gpointer stream);

gpointer
gst_cuda_memory_get_stream (GstMemory *memory)
{
  return ((Memory *) memory)->stream;
}

gpointer
gst_cuda_stream_get_handle (gpointer stream)
{
  return stream;
}
#endif

/* @stream: of commands that use it; NULL: none */
static Memory *
new_memory (GstObject *context, gsize size, gpointer stream)
{
  GstAllocator *allocator = gst_object_ref_sink (
      g_object_new (mock_allocator_get_type (), NULL));
  Memory *self = g_new0 (Memory, 1);

  gst_memory_init (GST_MEMORY_CAST (self), GST_MEMORY_FLAG_NO_SHARE, allocator,
      NULL, size, 0, 0, size);
  self->context = gst_object_ref (context);
  self->data = g_malloc0 (size);
  self->staging = g_malloc0 (size);
  self->stream = stream;
  if (stream)
    cuda_order_note_stream (self->data, size, stream);
  gst_object_unref (allocator);

  return self;
}

GstBuffer *
cuda_buffer_new (GstObject *context, GstBuffer *buffer)
{
  const gsize size = gst_buffer_get_size (buffer);
  GstVideoMeta *layout = gst_buffer_get_video_meta (buffer);
  GstBuffer *copy = gst_buffer_new ();
  Memory *self = new_memory (context, size, ((Context *) context)->stream);

  gst_buffer_extract (buffer, 0, self->data, size);
  for (gsize i = 0; i < size && !cuda_is_older (); i++)
    self->data[i] ^= 0xFF;
  self->needs_sync = !cuda_is_older ();
  self->needs_download = TRUE;
  if (self->stream)
    cuda_stream_start (self->stream, end_writes, self);

  gst_buffer_append_memory (copy, GST_MEMORY_CAST (self));
  gst_buffer_copy_into (copy, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  if (layout)
    gst_buffer_add_video_meta_full (copy, layout->flags, layout->format,
        layout->width, layout->height, layout->n_planes, layout->offset,
        layout->stride);

  return copy;
}

/* --- pool ---------------------------------------------------------------- */

#define PITCH_ALIGN 511 /* a mask */

typedef struct {
  GstBufferPool parent;
  GstObject *context;
  gpointer stream; /* stream of commands that use its memory */
  GstVideoInfo info;
} Pool;

typedef struct {
  GstBufferPoolClass parent_class;
} PoolClass;

GType mock_pool_get_type (void);
G_DEFINE_TYPE (Pool, mock_pool, GST_TYPE_BUFFER_POOL)

static gboolean
mock_pool_set_config (GstBufferPool *pool, GstStructure *config)
{
  GstVideoAlignment align;
  Pool *self = (Pool *) pool;
  guint min, max;
  GstCaps *caps;

  gst_buffer_pool_config_get_params (config, &caps, NULL, &min, &max);
  if (!gst_video_info_from_caps (&self->info, caps))
    return FALSE;
  gst_video_alignment_reset (&align);
  for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++)
    align.stride_align[p] = PITCH_ALIGN;
  gst_video_info_align (&self->info, &align);
  gst_buffer_pool_config_set_params (config, caps,
      (guint) GST_VIDEO_INFO_SIZE (&self->info), min, max);

  return GST_BUFFER_POOL_CLASS (mock_pool_parent_class)
      ->set_config (pool, config);
}

static GstFlowReturn
mock_pool_alloc_buffer (GstBufferPool *pool, GstBuffer **buffer,
    GstBufferPoolAcquireParams *params)
{
  Pool *self = (Pool *) pool;
  GstVideoInfo *info = &self->info;

  *buffer = gst_buffer_new ();
  gst_buffer_append_memory (*buffer,
      GST_MEMORY_CAST (new_memory (self->context, GST_VIDEO_INFO_SIZE (info),
          self->stream)));
  gst_buffer_add_video_meta_full (*buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), (guint) GST_VIDEO_INFO_WIDTH (info),
      (guint) GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info),
      info->offset, info->stride);

  return GST_FLOW_OK;
}

static void
mock_pool_finalize (GObject *object)
{
  GstObject *context = ((Pool *) object)->context;
  gpointer stream = ((Pool *) object)->stream;

  /* which frees its buffers */
  G_OBJECT_CLASS (mock_pool_parent_class)->finalize (object);
  cuda_stream_free (stream);
  gst_object_unref (context);
}

static void
mock_pool_init (Pool *self)
{
}

static void
mock_pool_class_init (PoolClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = mock_pool_finalize;
  GST_BUFFER_POOL_CLASS (klass)->set_config = mock_pool_set_config;
  GST_BUFFER_POOL_CLASS (klass)->alloc_buffer = mock_pool_alloc_buffer;
}

GstBufferPool *
cuda_pool_new (GstObject *context)
{
  Pool *self = gst_object_ref_sink (g_object_new (mock_pool_get_type (), NULL));

  self->context = gst_object_ref (context);
  self->stream = cuda_stream_new (&((Context *) context)->handle);

  return GST_BUFFER_POOL (self);
}

/* The plugin identifies it by its name. */
GstBufferPool *gst_cuda_buffer_pool_new (GstObject *context);

GstBufferPool *
gst_cuda_buffer_pool_new (GstObject *context)
{
  return cuda_pool_new (context);
}

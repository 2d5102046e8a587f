/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pinned host memory. */

#include "gstclpinned.h"

#include "gstclbuffer.h"
#include "gstclquarantine.h"
#include "common/gstcldebug.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

GST_CL_DEBUG_CATEGORY (gst_cl_pinned_debug, "clpinned",
    "OpenCL pinned host memory");
#define GST_CAT_DEFAULT gst_cl_pinned_debug ()

/* --- plain --------------------------------------------------------------- */

gboolean
gst_cl_pinned_reserve (GstClPinned *self, GstClContext *context,
    gsize size_bytes, GError **error)
{
  static const gchar what[] = "allocate pinned host memory";
  cl_int code;

  if (self->data && self->size_bytes >= size_bytes)
    return TRUE;

  gst_cl_pinned_clear (self, context);
  self->mem = clCreateBuffer (context->handle,
      CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, MAX (size_bytes, 1), NULL,
      &code);
  if (gst_cl_check (code, what, error))
    self->data = gst_cl_buffer_map (context, GST_CL_QUEUE_DOWNLOAD, self->mem,
        CL_MAP_READ | CL_MAP_WRITE, size_bytes, what, error);
  if (!self->data) {
    gst_cl_pinned_clear (self, context);
    return FALSE;
  }
  self->size_bytes = size_bytes;

  return TRUE;
}

void
gst_cl_pinned_clear (GstClPinned *self, GstClContext *context)
{
  if (self->data)
    clEnqueueUnmapMemObject (context->queues[GST_CL_QUEUE_DOWNLOAD], self->mem,
        self->data, 0, NULL, NULL);
  gst_cl_buffer_free (self->mem);
  *self = (GstClPinned){ 0 };
}

typedef struct {
  GstClPinned pinned;
  GstClContext *context; /* which the quarantine holds */
} Kept;

static void
free_kept (gpointer data)
{
  Kept *kept = data;

  gst_cl_pinned_clear (&kept->pinned, kept->context);
  g_free (kept);
}

void
gst_cl_pinned_quarantine (GstClPinned *self, GstClContext *context)
{
  Kept *kept;

  if (!self->mem)
    return;

  kept = g_new (Kept, 1);
  *kept = (Kept){ *self, context };
  gst_cl_quarantine_add (context, self->size_bytes, kept, free_kept);
  *self = (GstClPinned){ 0 };
}

/* --- copying ------------------------------------------------------------- */

#define MAX_COPY_THREADS 8
#define MIN_PART_BYTES   (512 * 1024)

typedef struct {
  guint8 *dst;
  const guint8 *src;
  gsize size_bytes;
  gint *n_left; /* of all parts of this copy; copy_lock */
} CopyPart;

static GMutex copy_lock;
static GCond copy_done;

/* Past the caches, where the compiler knows how: nobody but the device reads
 * what is written, and it would have to fetch it out of many cores' caches. */
static void
copy_through (guint8 *dst, const guint8 *src, gsize size_bytes)
{
#ifdef __SSE2__
  const gsize n_blocks = (guintptr) dst % 16 == 0 ? size_bytes / 64 : 0;

  for (gsize i = 0; i < n_blocks; i++) {
    const __m128i *from = (const __m128i *) src + 4 * i;
    __m128i *to = (__m128i *) dst + 4 * i;
    const __m128i a = _mm_loadu_si128 (from), b = _mm_loadu_si128 (from + 1);
    const __m128i c = _mm_loadu_si128 (from + 2);
    const __m128i d = _mm_loadu_si128 (from + 3);

    _mm_stream_si128 (to, a);
    _mm_stream_si128 (to + 1, b);
    _mm_stream_si128 (to + 2, c);
    _mm_stream_si128 (to + 3, d);
  }
  _mm_sfence ();
  memcpy (dst + 64 * n_blocks, src + 64 * n_blocks, size_bytes - 64 * n_blocks);
#else
  memcpy (dst, src, size_bytes);
#endif
}

static void
copy_part (gpointer data, gpointer user_data)
{
  CopyPart *part = data;

  copy_through (part->dst, part->src, part->size_bytes);

  g_mutex_lock (&copy_lock);
  if (--*part->n_left == 0)
    g_cond_broadcast (&copy_done);
  g_mutex_unlock (&copy_lock);
}

/* NULL where there is one processor only. */
static GThreadPool *
copy_pool (guint *n_threads)
{
  static GThreadPool *pool = NULL;
  static gsize once = 0;
  static guint n = 0;

  if (g_once_init_enter (&once)) {
    n = MIN (g_get_num_processors () / 2, MAX_COPY_THREADS);
    if (n > 1)
      pool = g_thread_pool_new (copy_part, NULL, n - 1, FALSE, NULL);
    g_once_init_leave (&once, 1);
  }
  *n_threads = pool ? n : 1;

  return pool;
}

void
gst_cl_pinned_copy (guint8 *dst, const guint8 *src, gsize size_bytes)
{
  CopyPart parts[MAX_COPY_THREADS];
  guint n_threads, n_parts;
  GThreadPool *pool = copy_pool (&n_threads);
  gsize part_bytes;
  gint n_left;

  n_parts = CLAMP (size_bytes / MIN_PART_BYTES, 1, n_threads);
  if (n_parts == 1) {
    copy_through (dst, src, size_bytes);
    return;
  }

  /* whole pages a part: no two threads write one cache line */
  part_bytes = (size_bytes / n_parts + 4095) & ~(gsize) 4095;
  n_left = n_parts;
  for (guint i = 0; i < n_parts; i++) {
    const gsize start = MIN (i * part_bytes, size_bytes);

    parts[i] = (CopyPart){ dst + start, src + start,
      MIN (part_bytes, size_bytes - start), &n_left };
  }
  for (guint i = 1; i < n_parts; i++)
    g_thread_pool_push (pool, &parts[i], NULL);
  copy_part (&parts[0], NULL);

  g_mutex_lock (&copy_lock);
  while (n_left > 0)
    g_cond_wait (&copy_done, &copy_lock);
  g_mutex_unlock (&copy_lock);
}

/* --- as GstMemory -------------------------------------------------------- */

typedef struct {
  GstMemory parent;
  GstClContext *context;
  GstClPinned pinned; /* empty in a part of another memory */
  guint8 *data;
} PinnedMemory;

struct _GstClPinnedAllocator {
  GstAllocator parent;
  GstClContext *context;
};

G_DEFINE_TYPE (GstClPinnedAllocator, gst_cl_pinned_allocator,
    GST_TYPE_ALLOCATOR)

gboolean
gst_cl_pinned_is_memory_of (GstMemory *memory, GstClContext *context)
{
  return GST_IS_CL_PINNED_ALLOCATOR (memory->allocator) &&
         ((PinnedMemory *) memory)->context == context;
}

static GstMemory *
gst_cl_pinned_allocator_alloc (GstAllocator *allocator, gsize size,
    GstAllocationParams *params)
{
  GstClContext *context = GST_CL_PINNED_ALLOCATOR (allocator)->context;
  const gsize max_size = params->prefix + size + params->padding;
  g_autoptr (GError) error = NULL;
  GstClPinned pinned = { 0 };
  PinnedMemory *self;

  /* any memory will do, at the price of a copy */
  if (!gst_cl_pinned_reserve (&pinned, context, max_size + params->align,
          &error)) {
    GST_INFO_OBJECT (allocator, "%s", error->message);
    return gst_allocator_alloc (NULL, size, params);
  }

  self = g_new0 (PinnedMemory, 1);
  self->context = gst_object_ref (context);
  self->pinned = pinned;
  self->data = (guint8 *) (((guintptr) pinned.data + params->align) &
                           ~(guintptr) params->align);
  memset (self->data, 0, max_size);
  gst_memory_init (GST_MEMORY_CAST (self), params->flags, allocator, NULL,
      max_size, params->align, params->prefix, size);

  return GST_MEMORY_CAST (self);
}

static void
gst_cl_pinned_allocator_free (GstAllocator *allocator, GstMemory *memory)
{
  PinnedMemory *self = (PinnedMemory *) memory;

  gst_cl_pinned_clear (&self->pinned, self->context);
  gst_object_unref (self->context);
  g_free (self);
}

static gpointer
gst_cl_pinned_memory_map (GstMemory *memory, gsize max_size, GstMapFlags flags)
{
  return ((PinnedMemory *) memory)->data;
}

static void
gst_cl_pinned_memory_unmap (GstMemory *memory)
{
}

static GstMemory *
gst_cl_pinned_memory_share (GstMemory *memory, gssize offset, gssize size)
{
  GstMemory *whole = memory->parent ? memory->parent : memory;
  PinnedMemory *part = g_new0 (PinnedMemory, 1);

  if (size == -1)
    size = memory->size - offset;

  part->context = gst_object_ref (((PinnedMemory *) memory)->context);
  part->data = ((PinnedMemory *) memory)->data;
  gst_memory_init (GST_MEMORY_CAST (part),
      GST_MINI_OBJECT_FLAGS (whole) | GST_MINI_OBJECT_FLAG_LOCK_READONLY,
      memory->allocator, whole, memory->maxsize, memory->align,
      memory->offset + offset, size);

  return GST_MEMORY_CAST (part);
}

GstAllocator *
gst_cl_pinned_allocator_new (GstClContext *context)
{
  GstClPinnedAllocator *self = gst_object_ref_sink (
      g_object_new (GST_TYPE_CL_PINNED_ALLOCATOR, NULL));

  self->context = gst_object_ref (context);

  return GST_ALLOCATOR (self);
}

static void
gst_cl_pinned_allocator_finalize (GObject *object)
{
  gst_clear_object (&GST_CL_PINNED_ALLOCATOR (object)->context);

  G_OBJECT_CLASS (gst_cl_pinned_allocator_parent_class)->finalize (object);
}

static void
gst_cl_pinned_allocator_init (GstClPinnedAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = GST_CL_PINNED_MEMORY_TYPE;
  allocator->mem_map = gst_cl_pinned_memory_map;
  allocator->mem_unmap = gst_cl_pinned_memory_unmap;
  allocator->mem_share = gst_cl_pinned_memory_share;
}

static void
gst_cl_pinned_allocator_class_init (GstClPinnedAllocatorClass *klass)
{
  GstAllocatorClass *allocator_class = GST_ALLOCATOR_CLASS (klass);

  gst_cl_pinned_debug ();
  G_OBJECT_CLASS (klass)->finalize = gst_cl_pinned_allocator_finalize;
  allocator_class->alloc = gst_cl_pinned_allocator_alloc;
  allocator_class->free = gst_cl_pinned_allocator_free;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host memory for DMA: the plugin's pinned memory, and foreign memory that the
 * driver pins. */

#include "gstclpinned.h"

#include <string.h>
#include <unistd.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "common/gstcldebug.h"
#include "gstclbuffer.h"
#include "gstclquarantine.h"

GST_CL_DEBUG_CATEGORY (gst_cl_pinned_debug, "clpinned",
    "OpenCL pinned host memory");
#define GST_CAT_DEFAULT gst_cl_pinned_debug ()

/* --- pinned memory ------------------------------------------------------- */

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
  GstClContext *context; /* referenced by the quarantine */
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

/* Bypasses the caches, if the compiler supports it: only the device reads the
 * copy, and would otherwise have to read it from the caches of many cores. */
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

/* Returns NULL if there is only one processor. */
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

  /* whole pages per part: no two threads write one cache line */
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

  /* any memory can be imported, at the cost of a copy */
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

/* --- foreign memory that the driver pins ---------------------------------- */

GST_CL_DEBUG_CATEGORY (gst_cl_registered_debug, "clregistered",
    "OpenCL registered host memory");

/* Copying less takes less time than a transfer takes to begin. */
#define MIN_BYTES (64 * 1024)

/* The number of uses after which memory is registered. Several uses without a
 * time may be one frame with several planes, or in several branches. */
#define ENOUGH_USES      24
#define USE_AT_A_TIME    8
#define USE_AT_NO_TIME   1
#define PARTS_OF_THE_RAM 4 /* a quarter of the RAM may be registered */

/* The state of a memory. The memory references it as its qdata, and so does the
 * context that it is registered with. */
typedef struct {
  gint n_references; /* atomic */
  guint n_uses;
  GstClockTime last; /* the last frame */
  GWeakRef owner;    /* the GstClContext of the registration or attempt */
  cl_mem mem;        /* NULL: not registered */
  gsize size_bytes;
} Registered;

/* Protects all of them, and the sum of their bytes. */
G_LOCK_DEFINE_STATIC (registered);
static gsize n_bytes;

/* Queries the system once: beyond the limit each frame would query it. */
static gsize
max_bytes (void)
{
  static gsize once = 0, limit = 0;

  if (g_once_init_enter (&once)) {
    const glong n_pages = sysconf (_SC_PHYS_PAGES);
    const glong page_bytes = sysconf (_SC_PAGESIZE);

    if (n_pages > 0 && page_bytes > 0)
      limit = (gsize) n_pages / PARTS_OF_THE_RAM * (gsize) page_bytes;
    g_once_init_leave (&once, 1);
  }

  return limit;
}

gboolean
gst_cl_registered_is_supported (GstMemory *memory)
{
  return memory->maxsize >= MIN_BYTES &&
         gst_memory_is_type (memory, GST_ALLOCATOR_SYSMEM);
}

cl_mem
gst_cl_registered_pin (GstClContext *context, gpointer data, gsize size_bytes,
    GError **error)
{
  cl_int code;
  cl_mem mem = gst_cl_buffer_new_over (context, data, size_bytes, &code);

  return gst_cl_check (code, "register host memory", error) ? mem : NULL;
}

static void
unref (Registered *self)
{
  if (!g_atomic_int_dec_and_test (&self->n_references))
    return;

  g_weak_ref_clear (&self->owner);
  g_free (self);
}

/* Called with the lock: if a context is freed meanwhile in another thread,
 * context_is_gone() waits for the end of the release. */
static void
unpin (Registered *self)
{
  G_LOCK (registered);
  gst_cl_buffer_free (g_steal_pointer (&self->mem));
  n_bytes -= self->size_bytes;
  self->size_bytes = 0;
  G_UNLOCK (registered);
}

/* NVIDIA's driver crashes if buffers are released after their context. */
static void
context_is_gone (gpointer data, GObject *where)
{
  unpin (data);
  unref (data);
}

static void
memory_is_gone (gpointer data)
{
  Registered *self = data;
  GstClContext *owner = g_weak_ref_get (&self->owner);
  gboolean was_pinned;

  G_LOCK (registered);
  was_pinned = self->mem != NULL;
  G_UNLOCK (registered);

  unpin (self);
  if (owner && was_pinned) {
    g_object_weak_unref (G_OBJECT (owner), context_is_gone, self);
    unref (self);
  }
  gst_clear_object (&owner);
  unref (self);
}

/* @memory must not be a part of another memory. Lock held. */
static Registered *
find_or_add (GstMemory *memory)
{
  static GQuark quark = 0;
  Registered *self;

  if (!quark)
    quark = g_quark_from_static_string ("gst-cl-registered");

  self = gst_mini_object_get_qdata (GST_MINI_OBJECT (memory), quark);
  if (!self) {
    self = g_new0 (Registered, 1);
    self->n_references = 1;
    self->last = GST_CLOCK_TIME_NONE;
    g_weak_ref_init (&self->owner, NULL);
    gst_mini_object_set_qdata (GST_MINI_OBJECT (memory), quark, self,
        memory_is_gone);
  }

  return self;
}

/* Lock held. */
static void
count_use (Registered *self, GstClockTime time)
{
  if (self->n_uses >= ENOUGH_USES)
    return;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    self->n_uses += USE_AT_NO_TIME;
  else if (time != self->last)
    self->n_uses += USE_AT_A_TIME;
  self->last = time;
}

/* Returns TRUE if the calling thread must register the memory for a context: it
 * has been used often enough, and a context that is being freed has released
 * it. Lock held. */
static gboolean
claim (Registered *self, GstClContext *context, gsize size_bytes)
{
  if (self->mem || self->size_bytes > 0 || self->n_uses < ENOUGH_USES ||
      n_bytes + size_bytes > max_bytes ())
    return FALSE;

  g_weak_ref_set (&self->owner, context);
  n_bytes += size_bytes;
  self->size_bytes = size_bytes;

  return TRUE;
}

/* Takes half a millisecond or more, without the lock. Returns TRUE if the
 * memory is registered then. */
static gboolean
pin (Registered *self, GstClContext *context, gpointer data, gsize size_bytes)
{
  g_autoptr (GError) error = NULL;
  cl_mem mem = gst_cl_registered_pin (context, data, size_bytes, &error);

  gst_cl_registered_debug ();
  if (!mem) {
    GST_CAT_INFO_OBJECT (gst_cl_registered_debug (), context,
        "%zu bytes at %p: %s", size_bytes, data, error->message);
    unpin (self);
    return FALSE;
  }

  GST_CAT_DEBUG_OBJECT (gst_cl_registered_debug (), context,
      "registered %zu bytes at %p", size_bytes, data);
  g_atomic_int_inc (&self->n_references);
  g_object_weak_ref (G_OBJECT (context), context_is_gone, self);
  G_LOCK (registered);
  self->mem = mem;
  G_UNLOCK (registered);

  return TRUE;
}

/* Memory stays registered with one context as long as that lives: its device
 * may be reading it while another context imports it. */
gboolean
gst_cl_registered_use (GstClContext *context, GstMemory *memory,
    const guint8 *data, GstClockTime time)
{
  GstMemory *whole = memory->parent ? memory->parent : memory;
  /* offsets of parts are relative to the whole memory */
  guint8 *first = (guint8 *) data - memory->offset;
  gboolean is_claimed = FALSE, is_there;
  GstClContext *owner;
  Registered *self;

  G_LOCK (registered);
  self = find_or_add (whole);
  count_use (self, time);
  owner = g_weak_ref_get (&self->owner);
  is_there = owner == context && self->mem;
  if (!owner)
    is_claimed = claim (self, context, whole->maxsize);
  G_UNLOCK (registered);

  gst_clear_object (&owner);

  return is_there || (is_claimed && pin (self, context, first, whole->maxsize));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that cannot be mapped, as from an upstream that has lost its
 * device. */

#include "brokenmemory.h"

#define FUZZ_TYPE_BROKEN_ALLOCATOR (fuzz_broken_allocator_get_type ())
G_DECLARE_FINAL_TYPE (FuzzBrokenAllocator, fuzz_broken_allocator, FUZZ,
    BROKEN_ALLOCATOR, GstAllocator)

struct _FuzzBrokenAllocator {
  GstAllocator parent;
};

G_DEFINE_TYPE (FuzzBrokenAllocator, fuzz_broken_allocator, GST_TYPE_ALLOCATOR)

static GstMemory *
new_memory (GstAllocator *allocator, gsize n_bytes)
{
  GstMemory *memory = g_new0 (GstMemory, 1);

  gst_memory_init (memory, GST_MEMORY_FLAG_NO_SHARE, allocator, NULL, n_bytes,
      0, 0, n_bytes);

  return memory;
}

static GstMemory *
fuzz_broken_allocator_alloc (GstAllocator *allocator, gsize n_bytes,
    GstAllocationParams *params)
{
  return new_memory (allocator, n_bytes);
}

static void
fuzz_broken_allocator_free (GstAllocator *allocator, GstMemory *memory)
{
  g_free (memory);
}

static gpointer
refuse_map (GstMemory *memory, gsize max_bytes, GstMapFlags flags)
{
  return NULL;
}

static void
unmap (GstMemory *memory)
{
}

static GstMemory *
refuse_copy (GstMemory *memory, gssize offset, gssize n_bytes)
{
  return NULL;
}

static gboolean
is_span (GstMemory *first, GstMemory *second, gsize *offset)
{
  return FALSE;
}

static void
fuzz_broken_allocator_class_init (FuzzBrokenAllocatorClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->alloc = fuzz_broken_allocator_alloc;
  GST_ALLOCATOR_CLASS (klass)->free = fuzz_broken_allocator_free;
}

static void
fuzz_broken_allocator_init (FuzzBrokenAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = "broken";
  allocator->mem_map = refuse_map;
  allocator->mem_unmap = unmap;
  allocator->mem_copy = refuse_copy;
  allocator->mem_is_span = is_span;
}

GstMemory *
fuzz_broken_memory_new (gsize n_bytes)
{
  GstAllocator *allocator = g_object_new (FUZZ_TYPE_BROKEN_ALLOCATOR, NULL);
  GstMemory *memory = new_memory (allocator, n_bytes);

  gst_object_unref (allocator);

  return memory;
}

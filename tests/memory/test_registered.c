/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registration of host memory: which memory, when, for which context, and for
 * how long. */

#include "cl/memory/gstclpinned.h"
#include "memory/hostpins.h"
#include "elements/common.h"
#include "suite.h"

#define SIZE_BYTES (256 * 1024)

static GstClContext *context;

static GstClContext *
open_context (void)
{
  g_autoptr (GstClDevice) device = gst_cl_device_choose ("auto", NULL);
  GstClContext *opened;

  fail_unless (device != NULL);
  opened = gst_cl_context_new (device, FALSE, NULL);
  fail_unless (opened != NULL);

  return opened;
}

static void
setup (void)
{
  context = open_context ();
}

static void
teardown (void)
{
  gst_clear_object (&context);
  fail_unless_equals_uint64 (host_pins_bytes (), 0);
}

/* Returns whether the device can read a frame of @time from @memory
 * directly. */
static gboolean
use (GstClContext *by, GstMemory *memory, GstClockTime time)
{
  GstMapInfo map;
  gboolean is_registered;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  is_registered = gst_cl_registered_use (by, memory, map.data, time);
  gst_memory_unmap (memory, &map);

  return is_registered;
}

static GstMemory *
new_memory (gsize size_bytes)
{
  return gst_allocator_alloc (NULL, size_bytes, NULL);
}

/* Uses @memory in three frames, with which it is registered. */
static void
use_often (GstClContext *by, GstMemory *memory)
{
  fail_if (use (by, memory, 1));
  fail_if (use (by, memory, 2));
  fail_unless (use (by, memory, 3));
}

TEST (third_frame_registers)
{
  GstMemory *memory = new_memory (SIZE_BYTES);

  for (guint i = 0; i < 100; i++)
    fail_if (use (context, memory, 1));
  fail_if (use (context, memory, 2));
  fail_unless_equals_uint64 (host_pins_bytes (), 0);
  fail_unless (use (context, memory, 3));
  fail_unless_equals_uint64 (host_pins_bytes (), memory->maxsize);
  fail_unless (use (context, memory, 3));
  fail_unless (use (context, memory, GST_CLOCK_TIME_NONE));
  gst_memory_unref (memory);
}

/* Memories that share bytes have one registration, which lasts until all of
 * them are freed. */
TEST (shared_memories_have_one_registration)
{
  GstMemory *memory = new_memory (SIZE_BYTES);
  GstMemory *part = gst_memory_share (memory, SIZE_BYTES / 2, 1000);
  GstMemory *other = gst_memory_share (memory, 10, 100);

  gst_memory_unref (memory);
  use_often (context, part);
  fail_unless (use (context, other, 3));
  fail_unless_equals_uint64 (host_pins_bytes (), part->maxsize);
  gst_memory_unref (part);
  fail_unless (use (context, other, 4));
  gst_memory_unref (other);
}

/* Another context cannot register memory of a context, whose device may be
 * reading it. */
TEST (registration_lasts_as_long_as_its_context)
{
  GstClContext *other = open_context ();
  GstMemory *memory = new_memory (SIZE_BYTES);

  use_often (context, memory);
  fail_if (use (other, memory, 4));
  fail_if (use (other, memory, 5));
  fail_unless (use (context, memory, 6));
  gst_clear_object (&context);
  fail_unless (use (other, memory, 7));
  fail_unless_equals_uint64 (host_pins_bytes (), memory->maxsize);
  gst_object_unref (other);
  gst_memory_unref (memory);
}

/* At most a quarter of the machine's memory is registered. The bytes of this
 * memory are never read. */
TEST (registration_has_a_limit)
{
  static guint8 bytes[16];
  const gsize far_too_many = (gsize) 1 << 46;
  GstMemory *memory = gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, bytes,
      far_too_many, 0, far_too_many, NULL, NULL);

  fail_unless (gst_cl_registered_is_supported (memory));
  for (guint i = 0; i < 10; i++)
    fail_if (use (context, memory, i));
  fail_unless_equals_uint64 (host_pins_bytes (), 0);
  gst_memory_unref (memory);
}

/* Small memory, memory that may move, and memory that the device can read
 * anyway are not registered. */
TEST (unsuitable_memory_is_not_registered)
{
  GstAllocator *allocator = gst_cl_pinned_allocator_new (context);
  GstMemory *small = new_memory (1000);
  GstMemory *pinned = gst_allocator_alloc (allocator, SIZE_BYTES, NULL);

  fail_if (gst_cl_registered_is_supported (small));
  fail_if (gst_cl_registered_is_supported (pinned));
  gst_memory_unref (small);
  gst_memory_unref (pinned);
  gst_object_unref (allocator);
}

SUITE (.setup = setup, .teardown = teardown);

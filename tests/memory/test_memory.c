/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device memory as GstMemory, and the import of buffers, on a device. */

#include "cl/memory/gstclbuffer.h"
#include "cl/video/gstclformat.h"
#include "cl/video/gstclframe.h"
#include "cl/memory/gstclmemory.h"
#include "elements/common.h"
#include "suite.h"

#include <string.h>

#define N_BYTES 10007

static GstClContext *context;
static GstAllocator *allocator;

static void
setup (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClDevice) device = gst_cl_device_choose ("auto", &error);

  fail_unless (device != NULL);
  context = gst_cl_context_new (device, FALSE, &error);
  fail_unless (context != NULL);
  allocator = gst_cl_allocator_new (context);
}

/* The context must have no references left: allocator, memories and wraps are
 * freed. */
static void
teardown (void)
{
  gpointer watched = context;

  gst_clear_object (&allocator);
  g_object_add_weak_pointer (G_OBJECT (context), &watched);
  gst_object_unref (context);
  fail_unless (watched == NULL);
}

static guint8
pattern (gsize i)
{
  return (guint8) (i * 7 + i / 251);
}

static void
fill_pattern (guint8 *data, gsize offset, gsize n)
{
  for (gsize i = 0; i < n; i++)
    data[i] = pattern (offset + i);
}

static void
check_pattern (const guint8 *data, gsize offset, gsize n)
{
  for (gsize i = 0; i < n; i++)
    fail_unless_equals_int (data[i], pattern (offset + i));
}

/* --- memory -------------------------------------------------------------- */

TEST (new_memory_is_zero_and_writable)
{
  GstMemory *memory = gst_allocator_alloc (allocator, N_BYTES, NULL);
  GstMapInfo map, nested;

  fail_unless (gst_is_cl_memory (memory));
  fail_unless (gst_memory_is_type (memory, GST_CL_MEMORY_TYPE));

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, N_BYTES);
  for (gsize i = 0; i < N_BYTES; i++)
    fail_unless_equals_int (map.data[i], 0);
  gst_memory_unmap (memory, &map);

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READWRITE));
  fill_pattern (map.data, 0, N_BYTES);
  fail_unless (gst_memory_map (memory, &nested, GST_MAP_READ));
  fail_unless (nested.data == map.data);
  gst_memory_unmap (memory, &nested);
  gst_memory_unmap (memory, &map);

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  check_pattern (map.data, 0, N_BYTES);
  gst_memory_unmap (memory, &map);
  gst_memory_unref (memory);
}

/* Two values: stale bytes of the host's copy match one of them at most. */
LOOP_TEST (memory_of_zero_and_one_bytes_is_mapped, 2)
{
  const gsize n_bytes = __i__;
  GstMemory *memory = gst_allocator_alloc (allocator, n_bytes, NULL);
  GstMapInfo map;

  for (guint8 value = 1; value <= 2; value++) {
    fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
    memset (map.data, value, n_bytes);
    gst_memory_unmap (memory, &map);

    fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
    fail_unless_equals_uint64 (map.size, n_bytes);
    if (n_bytes > 0)
      fail_unless_equals_int (map.data[0], value);
    gst_memory_unmap (memory, &map);
  }
  gst_memory_unref (memory);
}

TEST (memory_is_copied_not_shared)
{
  GstMemory *memory = gst_allocator_alloc (allocator, N_BYTES, NULL);
  GstBuffer *buffer = gst_buffer_new ();
  GstBuffer *part;
  GstMemory *copy;
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  fill_pattern (map.data, 0, N_BYTES);
  gst_memory_unmap (memory, &map);

  copy = gst_memory_copy (memory, 0, -1);
  fail_unless (gst_is_cl_memory (copy));
  fail_unless (gst_memory_map (copy, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, N_BYTES);
  check_pattern (map.data, 0, N_BYTES);
  gst_memory_unmap (copy, &map);
  gst_memory_unref (copy);

  gst_buffer_append_memory (buffer, memory);
  part = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_MEMORY, 100, 1000);
  fail_unless (part != NULL);
  fail_unless (gst_buffer_map (part, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, 1000);
  check_pattern (map.data, 100, 1000);
  gst_buffer_unmap (part, &map);
  gst_buffer_unref (part);
  gst_buffer_unref (buffer);
}

static guint64
bytes_to_device (void)
{
  guint64 bytes;

  g_object_get (context, "bytes-to-device", &bytes, NULL);

  return bytes;
}

/* --- import -------------------------------------------------------------- */

/* Reads the bytes of @range on the device. */
static void
check_range (const GstClDeviceRange *range, gsize offset, gsize n)
{
  g_autofree guint8 *data = g_malloc (n);

  fail_unless (gst_cl_buffer_read (context, range->mem, range->offset_bytes, n,
      data, NULL));
  check_pattern (data, offset, n);
}

/* Host bytes at @misalign bytes after a multiple of a page. */
static GstBuffer *
host_buffer (gsize misalign)
{
  gsize page = 4096, all = N_BYTES + misalign + 2 * page;
  guint8 *block = g_malloc0 (all);
  gsize skip = page - (gsize) block % page + misalign;

  fill_pattern (block + skip, 0, N_BYTES);

  return gst_buffer_new_wrapped_full (0, block, all, skip, N_BYTES, block,
      g_free);
}

static gboolean
take (GstClImporter *importer, GstBuffer *buffer, gsize offset, gsize n,
    GstClDeviceRange *range, GError **error)
{
  const GstClImportRequest request = { .buffer = buffer,
    .offset_bytes = offset,
    .rows = gst_cl_rows_block (n),
    .align_bytes = 1,
    .flags = GST_MAP_READ };

  return gst_cl_importer_import (importer, &request, range, error);
}

TEST (aligned_host_memory_is_used_in_place)
{
  g_autoptr (GstClImporter) importer = gst_cl_importer_new (context);
  GstBuffer *buffer = host_buffer (0);
  GstClDeviceRange range, again;
  cl_mem wrapped;

  fail_unless (take (importer, buffer, 13, 5000, &range, NULL));
  check_range (&range, 13, 5000);
  fail_unless_equals_int (range.is_host, context->device->is_host_unified);
  if (range.is_host)
    fail_unless_equals_uint64 (bytes_to_device (), 0);
  wrapped = range.mem;
  gst_cl_device_range_release (&range);

  /* wrapped once in the lifetime of the memory */
  fail_unless (take (importer, buffer, 0, N_BYTES, &again, NULL));
  if (again.is_host)
    fail_unless (again.mem == wrapped);
  check_range (&again, 0, N_BYTES);
  gst_cl_device_range_release (&again);
  gst_buffer_unref (buffer);
}

static void CL_CALLBACK
note_free (cl_mem mem, void *user_data)
{
  *(gboolean *) user_data = TRUE;
}

/* No command uses the cl_mem: otherwise a driver may keep it longer. */
TEST (in_place_memory_is_released_with_its_buffer)
{
  g_autoptr (GstClImporter) importer = gst_cl_importer_new (context);
  GstBuffer *buffer = host_buffer (0);
  gboolean has_ended = FALSE;
  GstClDeviceRange range;

  fail_unless (take (importer, buffer, 0, N_BYTES, &range, NULL));
  if (range.is_host)
    clSetMemObjectDestructorCallback (range.mem, note_free, &has_ended);
  else
    has_ended = TRUE;
  gst_cl_device_range_release (&range);
  gst_buffer_unref (buffer);
  fail_unless (has_ended);
}

TEST (misaligned_host_memory_is_copied)
{
  g_autoptr (GstClImporter) importer = gst_cl_importer_new (context);
  GstBuffer *buffer = host_buffer (1);
  GstClDeviceRange range;

  fail_unless (take (importer, buffer, 13, 5000, &range, NULL));
  check_range (&range, 13, 5000);
  fail_unless_equals_int (range.is_host, FALSE);
  fail_unless_equals_uint64 (bytes_to_device (), 5000);
  gst_cl_device_range_release (&range);

  /* more than before through the same staging buffer */
  fail_unless (take (importer, buffer, 0, N_BYTES, &range, NULL));
  check_range (&range, 0, N_BYTES);
  gst_cl_device_range_release (&range);
  gst_buffer_unref (buffer);
}

TEST (several_memories_are_merged_only_where_needed)
{
  g_autoptr (GstClImporter) importer = gst_cl_importer_new (context);
  GstBuffer *buffer = gst_buffer_new ();
  GstClDeviceRange range;

  for (gsize start = 0; start < 6000; start += 2000) {
    guint8 *data = g_malloc (2000);

    fill_pattern (data, start, 2000);
    gst_buffer_append_memory (buffer,
        gst_memory_new_wrapped (0, data, 2000, 0, 2000, data, g_free));
  }

  fail_unless (take (importer, buffer, 2100, 1800, &range, NULL));
  check_range (&range, 2100, 1800);
  fail_unless_equals_int (range.is_host, context->device->is_host_unified);
  gst_cl_device_range_release (&range);

  fail_unless (take (importer, buffer, 1500, 4000, &range, NULL));
  check_range (&range, 1500, 4000);
  fail_unless_equals_int (range.is_host, FALSE);
  gst_cl_device_range_release (&range);
  gst_buffer_unref (buffer);
}

TEST (device_memory_is_not_copied)
{
  g_autoptr (GstClImporter) importer = gst_cl_importer_new (context);
  GstMemory *memory = gst_allocator_alloc (allocator, N_BYTES, NULL);
  GstBuffer *buffer = gst_buffer_new ();
  GstClDeviceRange range;
  GstMapInfo map;
  guint64 written;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  fill_pattern (map.data, 0, N_BYTES);
  gst_memory_unmap (memory, &map);
  gst_buffer_append_memory (buffer, memory);
  written = bytes_to_device (); /* by the map, if that is a transfer */

  fail_unless (take (importer, buffer, 77, 900, &range, NULL));
  fail_unless (range.mem == gst_cl_memory_get_handle (memory));
  fail_unless_equals_uint64 (range.offset_bytes, 77);
  check_range (&range, 77, 900);
  gst_cl_device_range_release (&range);
  fail_unless_equals_uint64 (bytes_to_device (), written);
  gst_buffer_unref (buffer);
}

TEST (ranges_beyond_the_buffer_are_refused)
{
  g_autoptr (GstClImporter) importer = gst_cl_importer_new (context);
  GstBuffer *buffer = host_buffer (0);
  const gsize cases[][2] = { { 0, N_BYTES + 1 }, { N_BYTES, 1 },
    { N_BYTES + 1, 0 }, { 8, G_MAXSIZE - 4 }, { G_MAXSIZE, 8 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    GstClDeviceRange range;

    fail_if (take (importer, buffer, cases[i][0], cases[i][1], &range, &error));
    fail_unless (
        g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT));
    gst_cl_device_range_release (&range); /* nothing: harmless */
  }
  gst_buffer_unref (buffer);
}

/* --- frames -------------------------------------------------------------- */

/* Copied, not wrapped: bytes that are not copied are invisible to the
 * device. */
TEST (copies_include_padding_of_last_pixel)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_RGBx,
    GST_VIDEO_FORMAT_xRGB };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autoptr (GstClImporter) importer = gst_cl_importer_new (context);
    GstBuffer *buffer = host_buffer (1);
    GstVideoInfo info;
    GstClFrame frame;
    guint8 byte;
    gint padding;

    gst_video_info_set_format (&info, formats[i], 5, 3);
    padding = gst_cl_format_padding_offset (info.finfo);
    fail_unless (gst_cl_frame_take (&frame, importer, buffer, &info,
        GST_CL_ALL_PLANES, GST_MAP_READ, NULL));

    for (guint b = 0; b < 4; b++) {
      GstClComponent view = gst_cl_frame_padding (&frame, b);
      const gsize at = 2 * view.stride_bytes + 4 * view.pixel_stride_bytes;

      fail_unless (gst_cl_buffer_read (context, view.mem,
          view.offset_bytes + at, 1, &byte, NULL));
      fail_unless_equals_int (byte, pattern (2 * 5 * 4 + 4 * 4 + b));
    }
    fail_unless (padding == (formats[i] == GST_VIDEO_FORMAT_RGBx ? 3 : 0));
    gst_cl_frame_release (&frame);
    gst_buffer_unref (buffer);
  }
}

/* The first byte of sample (@x, @y) of component @component is that of
 * @data. */
static void
check_sample (const GstClFrame *frame, guint component, const guint8 *data,
    gsize plane_offset, gint x, gint y)
{
  const GstClComponent view = gst_cl_frame_component (frame, component);
  const gsize at = (gsize) (y * view.stride_bytes +
                            x * view.pixel_stride_bytes);
  guint8 byte;

  fail_unless (gst_cl_buffer_read (context, view.mem, view.offset_bytes + at, 1,
      &byte, NULL));
  fail_unless_equals_int (byte, data[plane_offset + at]);
}

/* A frame of 16x4, 4:2:0 in three planes. */
typedef struct {
  GstVideoFormat format;
  gsize offsets[GST_VIDEO_MAX_PLANES];
  gboolean has_memory_per_plane; /* offsets ascend */
  guint plane_mask;
  guint n_ranges; /* expected values */
} Layout;

/* @data in the memories of @layout. */
static GstBuffer *
buffer_of_layout (const Layout *layout, const guint8 *data, gsize n_bytes)
{
  const guint n = layout->has_memory_per_plane ? 3 : 1;
  GstBuffer *buffer = gst_buffer_new ();

  for (guint i = 0; i < n; i++) {
    const gsize start = i == 0 ? 0 : layout->offsets[i];
    const gsize end = i + 1 == n ? n_bytes : layout->offsets[i + 1];

    gst_buffer_append_memory (buffer,
        gst_allocator_alloc (NULL, end - start, NULL));
  }
  gst_buffer_fill (buffer, 0, data, n_bytes);

  return buffer;
}

static void
check_ranges (const Layout *layout)
{
  const gboolean is_wide = layout->format != GST_VIDEO_FORMAT_I420;
  gint strides[GST_VIDEO_MAX_PLANES] = { 16 << is_wide, 8 << is_wide,
    8 << is_wide };
  const gsize n_bytes = 64 * 2 + MAX (layout->offsets[0], layout->offsets[2]);
  g_autoptr (GstClImporter) importer = gst_cl_importer_new (context);
  g_autofree guint8 *data = g_malloc (n_bytes);
  g_autoptr (GstBuffer) buffer = NULL;
  GstVideoInfo info;
  GstClFrame frame;

  fill_pattern (data, 0, n_bytes);
  buffer = buffer_of_layout (layout, data, n_bytes);
  gst_video_info_set_format (&info, layout->format, 16, 4);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      layout->format, 16, 4, 3, (gsize *) layout->offsets, strides);

  fail_unless (gst_cl_frame_take (&frame, importer, buffer, &info,
      layout->plane_mask, GST_MAP_READ, NULL));
  fail_unless_equals_int (frame.n_ranges, layout->n_ranges);
  for (guint c = 0; c < 3; c++) {
    if (!(layout->plane_mask & (1u << c)))
      continue;
    check_sample (&frame, c, data, layout->offsets[c], 0, 0);
    check_sample (&frame, c, data, layout->offsets[c], c ? 7 : 15, c ? 1 : 3);
  }
  gst_cl_frame_release (&frame);
}

TEST (planes_close_together_are_one_range)
{
  const GstVideoFormat bytes = GST_VIDEO_FORMAT_I420,
                       words = GST_VIDEO_FORMAT_I420_10LE;
  const gsize gap = GST_CL_MAX_GAP_BYTES;
  const Layout layouts[] = {
    { bytes, { 0, 64, 80 }, FALSE, 7, 1 },
    { bytes, { 128, 1000, 1016 + gap }, FALSE, 7, 1 },
    { bytes, { 0, 65 + gap, 82 + 2 * gap }, FALSE, 7, 3 },
    { bytes, { 0, 64, 80 }, TRUE, 7, 3 },
    /* in another order */
    { bytes, { 32, 16, 0 }, FALSE, 7, 3 },
    { bytes, { 0, 80, 64 }, FALSE, 7, 2 },
    /* a plane that is not requested is not imported */
    { bytes, { 0, 64, 80 }, FALSE, 3, 1 },
    { bytes, { 0, 64, 80 }, FALSE, 5, 2 },
    { bytes, { 0, 80, 64 }, FALSE, 3, 2 },
    { words, { 0, 128, 160 }, FALSE, 7, 1 },
    { words, { 0, 129, 162 }, FALSE, 7, 3 },
    { words, { 1, 129, 161 }, FALSE, 7, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    check_ranges (&layouts[i]);
}

SUITE (.setup = setup, .teardown = teardown);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers as upstream might send them. */

#include "buffers.h"

#include "brokenmemory.h"
#include "cl/memory/gstclmemory.h"

/* No buffer is larger, whatever the caps are. */
#define MAX_BYTES (256 * 1024)

#define MAX_MEMORIES 6

/* --- memories ------------------------------------------------------------ */

typedef enum {
  MEMORY_SYSTEM,
  MEMORY_WRAPPED, /* at any address, read-only or not */
  MEMORY_PART,    /* of a larger one */
  MEMORY_DEVICE,
  MEMORY_BROKEN,
  N_MEMORY_KINDS
} MemoryKind;

static GstMemory *
fill (GstMemory *memory, FuzzBytes *bytes)
{
  GstMapInfo map;

  if (memory && gst_memory_map (memory, &map, GST_MAP_WRITE)) {
    fuzz_bytes_fill (bytes, map.data, map.size);
    gst_memory_unmap (memory, &map);
  }

  return memory;
}

static GstMemory *
new_device_memory (const FuzzShape *shape, gsize n_bytes)
{
  GstAllocator *allocator = gst_cl_allocator_new (shape->context);
  GstMemory *memory = gst_allocator_alloc (allocator, n_bytes, NULL);

  gst_object_unref (allocator);

  return memory;
}

/* Its start has the alignment of @skip. */
static GstMemory *
wrap (FuzzBytes *bytes, gsize n_bytes, guint skip, GstMemoryFlags flags)
{
  guint8 *data = g_malloc (n_bytes + skip + 1);

  fuzz_bytes_fill (bytes, data, n_bytes + skip);

  return gst_memory_new_wrapped (flags, data, n_bytes + skip, skip, n_bytes,
      data, g_free);
}

static GstMemory *
new_part (FuzzBytes *bytes, gsize n_bytes)
{
  const gsize before = fuzz_bytes_below (bytes, 64);
  const gsize after = fuzz_bytes_below (bytes, 64);
  GstMemory *whole = fill (
      gst_allocator_alloc (NULL, before + n_bytes + after, NULL), bytes);
  GstMemory *part = gst_memory_share (whole, (gssize) before, (gssize) n_bytes);

  gst_memory_unref (whole);

  return part;
}

static GstMemory *
new_memory (FuzzBytes *bytes, const FuzzShape *shape, MemoryKind kind,
    gsize n_bytes)
{
  GstMemory *memory = NULL;
  guint8 mode;

  switch (kind) {
    case MEMORY_WRAPPED:
      mode = fuzz_bytes_u8 (bytes);
      memory = wrap (bytes, n_bytes, mode % 64,
          mode & 128 ? GST_MEMORY_FLAG_READONLY : 0);
      break;
    case MEMORY_PART:
      memory = new_part (bytes, n_bytes);
      break;
    case MEMORY_DEVICE:
      memory = fill (new_device_memory (shape, n_bytes), bytes);
      break;
    case MEMORY_BROKEN:
      memory = fuzz_broken_memory_new (n_bytes);
      break;
    default:
      break;
  }

  return memory ? memory
                : fill (gst_allocator_alloc (NULL, n_bytes, NULL), bytes);
}

/* Half of all memories have the type of the caps. */
static MemoryKind
pick_kind (FuzzBytes *bytes, const FuzzShape *shape)
{
  const guint8 byte = fuzz_bytes_u8 (bytes);

  if (byte < 128)
    return shape->is_device ? MEMORY_DEVICE : MEMORY_SYSTEM;

  return byte < 250 ? byte % (guint) MEMORY_BROKEN : MEMORY_BROKEN;
}

static void
add_memories (GstBuffer *buffer, FuzzBytes *bytes, const FuzzShape *shape,
    gsize n_bytes)
{
  const guint8 byte = fuzz_bytes_u8 (bytes);
  const guint n = byte < 160 ? 1 : 1 + byte % MAX_MEMORIES;

  for (guint i = 0; i < n; i++) {
    const gsize size = i + 1 == n ? n_bytes
                                  : fuzz_bytes_below_many (bytes, n_bytes + 1);

    gst_buffer_append_memory (buffer,
        new_memory (bytes, shape, pick_kind (bytes, shape), size));
    n_bytes -= size;
  }
}

/* --- layouts ------------------------------------------------------------- */

typedef struct {
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
} Layout;

/* Row strides and plane offsets that are larger than necessary, in multiples of
 * @step bytes. Returns the bytes needed. */
static gsize
space_out (FuzzBytes *bytes, const GstVideoInfo *info, Layout *layout)
{
  const guint step = 1u << fuzz_bytes_below (bytes, 5);
  gsize end = 0;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];
    gint rows;

    gst_video_format_info_component (info->finfo, p, components);
    rows = GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]);
    layout->stride[p] = GST_VIDEO_INFO_PLANE_STRIDE (info, p) +
                        (gint) (fuzz_bytes_below (bytes, 4) * step);
    layout->offset[p] = end + fuzz_bytes_below (bytes, 4) * step;
    end = layout->offset[p] + (gsize) layout->stride[p] * (gsize) rows;
  }

  return end;
}

/* Numbers close to the correct one, or any. */
static void
lie (FuzzBytes *bytes, GstVideoMeta *meta)
{
  const guint8 what = fuzz_bytes_u8 (bytes);
  const guint plane = what % GST_VIDEO_MAX_PLANES;

  switch (what / GST_VIDEO_MAX_PLANES % 8) {
    case 0:
      meta->stride[plane] += (gint8) fuzz_bytes_u8 (bytes);
      break;
    case 1:
      meta->stride[plane] = (gint) fuzz_bytes_u32 (bytes);
      break;
    case 2:
      meta->offset[plane] += (gsize) (gint8) fuzz_bytes_u8 (bytes);
      break;
    case 3:
      meta->offset[plane] = fuzz_bytes_u64 (bytes);
      break;
    case 4:
      meta->width = fuzz_bytes_u32 (bytes);
      break;
    case 5:
      meta->height = fuzz_bytes_u32 (bytes);
      break;
    case 6:
      meta->n_planes = fuzz_bytes_below (bytes, GST_VIDEO_MAX_PLANES + 1);
      break;
    default:
      meta->format = fuzz_bytes_below (bytes, GST_VIDEO_FORMAT_NV12 * 2);
      break;
  }
}

/* Adds a GstVideoMeta, and sets *n_bytes to the bytes that a buffer needs for
 * it. */
static void
add_layout (GstBuffer *buffer, FuzzBytes *bytes, const FuzzShape *shape,
    gsize *n_bytes)
{
  const GstVideoInfo *info = &shape->video;
  const guint8 byte = fuzz_bytes_u8 (bytes);
  Layout layout;
  GstVideoMeta *meta;

  if (byte < 96 || !shape->is_video || *n_bytes > MAX_BYTES)
    return;

  if (byte < 128) {
    for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
      layout.offset[p] = GST_VIDEO_INFO_PLANE_OFFSET (info, p);
      layout.stride[p] = GST_VIDEO_INFO_PLANE_STRIDE (info, p);
    }
  } else {
    *n_bytes = space_out (bytes, info, &layout);
  }
  meta = gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), (guint) GST_VIDEO_INFO_WIDTH (info),
      (guint) GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info),
      layout.offset, layout.stride);
  for (guint i = byte < 192 ? 0 : byte % 4; i > 0; i--)
    lie (bytes, meta);
}

/* --- metas --------------------------------------------------------------- */

static void
add_region (GstBuffer *buffer, FuzzBytes *bytes)
{
  g_autofree gchar *name = fuzz_bytes_text (bytes, 8);
  const gboolean is_small = !fuzz_bytes_chance (bytes, 64);
  guint at[4];
  GstVideoRegionOfInterestMeta *meta;

  for (guint i = 0; i < G_N_ELEMENTS (at); i++)
    at[i] = is_small ? fuzz_bytes_below (bytes, 96) : fuzz_bytes_u32 (bytes);
  meta = gst_buffer_add_video_region_of_interest_meta (buffer, name, at[0],
      at[1], at[2], at[3]);
  meta->id = fuzz_bytes_u8 (bytes);
}

static void
add_crop (GstBuffer *buffer, FuzzBytes *bytes)
{
  GstVideoCropMeta *meta = gst_buffer_add_video_crop_meta (buffer);
  const gboolean is_small = !fuzz_bytes_chance (bytes, 64);
  guint at[4];

  for (guint i = 0; i < G_N_ELEMENTS (at); i++)
    at[i] = is_small ? fuzz_bytes_below (bytes, 96) : fuzz_bytes_u32 (bytes);
  meta->x = at[0];
  meta->y = at[1];
  meta->width = at[2];
  meta->height = at[3];
}

static void
add_metas (GstBuffer *buffer, FuzzBytes *bytes)
{
  const guint8 which = fuzz_bytes_u8 (bytes);

  if (which < 128)
    return;

  for (guint n = which % 4; n > 0; n--)
    add_region (buffer, bytes);
  if (which & 4)
    add_crop (buffer, bytes);
  if (which & 8)
    gst_buffer_add_video_affine_transformation_meta (buffer);
  if (which & 16)
    gst_buffer_add_protection_meta (buffer,
        gst_structure_new_empty ("application/x-any"));
}

/* --- buffers ------------------------------------------------------------- */

static void
set_times (GstBuffer *buffer, FuzzBytes *bytes, guint number)
{
  const guint8 mode = fuzz_bytes_u8 (bytes);

  if (mode < 192) {
    GST_BUFFER_PTS (buffer) = number * 40 * GST_MSECOND;
    GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  } else if (mode < 240) {
    GST_BUFFER_PTS (buffer) = fuzz_bytes_u64 (bytes);
    GST_BUFFER_DURATION (buffer) = fuzz_bytes_u64 (bytes);
    GST_BUFFER_OFFSET (buffer) = fuzz_bytes_u64 (bytes);
  }
  if (mode % 8 == 7)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  if (mode % 8 == 6)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (mode % 8 == 5)
    GST_BUFFER_FLAG_SET (buffer,
        GST_BUFFER_FLAG_CORRUPTED | GST_VIDEO_BUFFER_FLAG_INTERLACED);
}

/* Most buffers have the necessary size. */
static gsize
change_size (FuzzBytes *bytes, gsize n_bytes)
{
  const guint8 mode = fuzz_bytes_u8 (bytes);

  if (mode < 200)
    return n_bytes;
  if (mode < 220)
    return n_bytes - fuzz_bytes_below (bytes, (guint) MIN (n_bytes, 255) + 1);
  if (mode < 240)
    return n_bytes + fuzz_bytes_u8 (bytes);
  if (mode < 254)
    return fuzz_bytes_below_many (bytes, n_bytes + 1);

  return 0;
}

GstBuffer *
fuzz_buffer_new (FuzzBytes *bytes, const FuzzShape *shape, guint number)
{
  GstBuffer *buffer = gst_buffer_new ();
  gsize n_bytes = shape->n_bytes;

  add_layout (buffer, bytes, shape, &n_bytes);
  n_bytes = change_size (bytes, MIN (n_bytes, MAX_BYTES));
  if (n_bytes > 0)
    add_memories (buffer, bytes, shape, n_bytes);
  add_metas (buffer, bytes);
  set_times (buffer, bytes, number);

  return buffer;
}

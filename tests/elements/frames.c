/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of random bytes, and the layouts in which a buffer may store one. */

#include "frames.h"

#include <gst/check/gstcheck.h>

#define AROUND 0xEE /* value of bytes that belong to no frame */

static const GstVideoFormat formats[] = {
  GST_VIDEO_FORMAT_GRAY8,
  GST_VIDEO_FORMAT_I420,
  GST_VIDEO_FORMAT_YV12,
  GST_VIDEO_FORMAT_Y41B,
  GST_VIDEO_FORMAT_Y42B,
  GST_VIDEO_FORMAT_Y444,
  GST_VIDEO_FORMAT_NV12,
  GST_VIDEO_FORMAT_NV21,
  GST_VIDEO_FORMAT_NV16,
  GST_VIDEO_FORMAT_NV24,
  GST_VIDEO_FORMAT_RGB,
  GST_VIDEO_FORMAT_BGR,
  GST_VIDEO_FORMAT_RGBx,
  GST_VIDEO_FORMAT_BGRx,
  GST_VIDEO_FORMAT_xRGB,
  GST_VIDEO_FORMAT_xBGR,
  GST_VIDEO_FORMAT_RGBA,
  GST_VIDEO_FORMAT_BGRA,
  GST_VIDEO_FORMAT_ARGB,
  GST_VIDEO_FORMAT_ABGR,
  GST_VIDEO_FORMAT_RGBP,
  GST_VIDEO_FORMAT_YUY2,
  GST_VIDEO_FORMAT_UYVY,
  GST_VIDEO_FORMAT_AYUV,
  GST_VIDEO_FORMAT_YUV9,
  GST_VIDEO_FORMAT_YVU9,
  GST_VIDEO_FORMAT_NV61,
  GST_VIDEO_FORMAT_A420,
  GST_VIDEO_FORMAT_AV12,
  GST_VIDEO_FORMAT_GBR,
  GST_VIDEO_FORMAT_GBRA,
  GST_VIDEO_FORMAT_YVYU,
  GST_VIDEO_FORMAT_VYUY,
  GST_VIDEO_FORMAT_IYU2,
  GST_VIDEO_FORMAT_v308,
  GST_VIDEO_FORMAT_VUYA,
};

#define N_FIXED 3

/* The first N_FIXED are always tested. */
static const GstVideoFormat wide_formats[] = {
  GST_VIDEO_FORMAT_GRAY16_LE,
  GST_VIDEO_FORMAT_I420_10LE,
  GST_VIDEO_FORMAT_P010_10LE,
  GST_VIDEO_FORMAT_I422_10LE,
  GST_VIDEO_FORMAT_Y444_10LE,
  GST_VIDEO_FORMAT_I420_12LE,
  GST_VIDEO_FORMAT_P016_LE,
  GST_VIDEO_FORMAT_P012_LE,
  GST_VIDEO_FORMAT_I422_12LE,
  GST_VIDEO_FORMAT_Y444_16LE,
  GST_VIDEO_FORMAT_A420_10LE,
  GST_VIDEO_FORMAT_A422_10LE,
  GST_VIDEO_FORMAT_GBR_10LE,
  GST_VIDEO_FORMAT_GBRA_12LE,
  GST_VIDEO_FORMAT_v216,
  GST_VIDEO_FORMAT_Y210,
  GST_VIDEO_FORMAT_Y212_LE,
  GST_VIDEO_FORMAT_Y412_LE,
  GST_VIDEO_FORMAT_AYUV64,
  GST_VIDEO_FORMAT_ARGB64_LE,
  GST_VIDEO_FORMAT_BGRA64_LE,
};

static const GstVideoFormat packed_formats[] = {
  GST_VIDEO_FORMAT_v210,
  GST_VIDEO_FORMAT_RGB16,
  GST_VIDEO_FORMAT_I420_10BE,
  GST_VIDEO_FORMAT_UYVP,
  GST_VIDEO_FORMAT_r210,
  GST_VIDEO_FORMAT_RGB10A2_LE,
  GST_VIDEO_FORMAT_IYU1,
  GST_VIDEO_FORMAT_GRAY10_LE32,
  GST_VIDEO_FORMAT_NV12_10LE32,
  GST_VIDEO_FORMAT_NV12_10LE40,
};

/* Components whose byte within the pixel GStreamer 1.22 does not know, and the
 * unused bits below their codes. */
static const struct {
  GstVideoFormat format;
  gint bytes[4];
  guint shift;
} places[] = {
  { GST_VIDEO_FORMAT_VYUY, { 1, 2, 0 }, 0 },
  { GST_VIDEO_FORMAT_P010_10LE, { 0, 0, 2 }, 6 },
  { GST_VIDEO_FORMAT_P012_LE, { 0, 0, 2 }, 4 },
  { GST_VIDEO_FORMAT_P016_LE, { 0, 0, 2 }, 0 },
  { GST_VIDEO_FORMAT_Y210, { 0, 2, 6 }, 6 },
  { GST_VIDEO_FORMAT_Y212_LE, { 0, 2, 6 }, 4 },
  { GST_VIDEO_FORMAT_Y412_LE, { 2, 0, 4, 6 }, 4 },
};

const FrameSize test_sizes[] = { { 33, 17 }, { 1, 1 }, { 2, 3 }, { 130, 70 } };
const guint n_test_sizes = G_N_ELEMENTS (test_sizes);

const GstVideoFormat *
test_formats (guint *n)
{
  *n = G_N_ELEMENTS (formats);

  return formats;
}

guint
test_seed (void)
{
  const gchar *seed = g_getenv ("CL_TEST_SEED");

  return seed ? (guint) g_ascii_strtoull (seed, NULL, 10) : 0;
}

/* Writes the first N_FIXED of the @n formats @all to @some, and as many of the
 * others. */
static void
choose_formats (const GstVideoFormat *all, guint n, GstVideoFormat *some)
{
  const guint n_others = n - N_FIXED;

  for (guint i = 0; i < N_FIXED; i++) {
    const guint other = test_seed () + i * (n_others / N_FIXED);

    some[i] = all[i];
    some[N_FIXED + i] = all[N_FIXED + other % n_others];
  }
}

const GstVideoFormat *
test_wide_formats (guint *n)
{
  static GstVideoFormat some[2 * N_FIXED];

  choose_formats (wide_formats, G_N_ELEMENTS (wide_formats), some);
  *n = G_BYTE_ORDER == G_LITTLE_ENDIAN ? G_N_ELEMENTS (some) : 0;

  return some;
}

const GstVideoFormat *
test_packed_formats (guint *n)
{
  static GstVideoFormat some[2 * N_FIXED];

  choose_formats (packed_formats, G_N_ELEMENTS (packed_formats), some);
  *n = G_N_ELEMENTS (some);

  return some;
}

static gboolean
is_packed (const GstVideoInfo *info)
{
  for (guint i = 0; i < G_N_ELEMENTS (packed_formats); i++) {
    if (packed_formats[i] == GST_VIDEO_INFO_FORMAT (info))
      return TRUE;
  }

  return FALSE;
}

static gint
sample_bytes (const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_COMP_DEPTH (info, 0) > 8 ? 2 : 1;
}

/* Returns the position of a component within its pixel. */
static gint
component_byte (const GstVideoInfo *info, guint component)
{
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    if (places[i].format == GST_VIDEO_INFO_FORMAT (info))
      return places[i].bytes[component];
  }

  return GST_VIDEO_INFO_COMP_POFFSET (info, component);
}

guint
frame_shift (const GstVideoInfo *info)
{
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    if (places[i].format == GST_VIDEO_INFO_FORMAT (info))
      return places[i].shift;
  }

  return 0;
}

const gchar *
frame_layout_name (FrameLayout layout)
{
  static const gchar *const names[] = { "plain", "padded", "cropped", "planes",
    "split", "cut", "unaligned" };

  return names[layout];
}

/* --- making -------------------------------------------------------------- */

GstBuffer *
frame_new (const GstVideoInfo *info, guint seed)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info),
      NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  GstMapInfo map;

  fail_unless (gst_buffer_map (frame, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = g_rand_int (rand);
  if (sample_bytes (info) == 2 && !is_packed (info)) {
    const guint code_mask = (1u << GST_VIDEO_INFO_COMP_DEPTH (info, 0)) - 1;
    const guint mask = code_mask << frame_shift (info);

    for (gsize i = 0; i < map.size; i++)
      map.data[i] &= mask >> (i % 2 * 8);
  }
  gst_buffer_unmap (frame, &map);

  return frame;
}

GstBuffer *
frame_new_filled (const GstVideoInfo *info, guint8 value)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info),
      NULL);

  gst_buffer_memset (frame, 0, value, -1);

  return frame;
}

static GstMemory *
new_memory (gsize size)
{
  GstMemory *memory = gst_allocator_alloc (NULL, size, NULL);
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  memset (map.data, AROUND, map.size);
  gst_memory_unmap (memory, &map);

  return memory;
}

/* The number of rows of plane @plane, and the bytes of each with samples.
 * gst_video_frame_copy() omits the last V of YUY2 at odd widths. */
static void
plane_size (const GstVideoInfo *info, guint plane, gint *row_bytes,
    gint *n_rows)
{
  *row_bytes = *n_rows = 0;
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    if (GST_VIDEO_INFO_COMP_PLANE (info, c) == plane) {
      const gint end = component_byte (info, c) +
                       (GST_VIDEO_INFO_COMP_WIDTH (info, c) - 1) *
                           GST_VIDEO_INFO_COMP_PSTRIDE (info, c) +
                       sample_bytes (info);

      *row_bytes = MAX (*row_bytes, end);
      *n_rows = MAX (*n_rows, GST_VIDEO_INFO_COMP_HEIGHT (info, c));
    }
  }

  if (is_packed (info))
    *row_bytes = GST_VIDEO_INFO_PLANE_STRIDE (info, plane);
  /* packed RGB: including the padding byte of the last pixel */
  else if (GST_VIDEO_INFO_IS_RGB (info) && GST_VIDEO_INFO_N_PLANES (info) == 1)
    *row_bytes = GST_VIDEO_INFO_WIDTH (info) *
                 GST_VIDEO_INFO_COMP_PSTRIDE (info, 0);
}

static void
copy_picture (GstBuffer *to, GstBuffer *from, const GstVideoInfo *info)
{
  GstVideoInfo frame_info = *info;
  GstVideoFrame dst, src;

  fail_unless (gst_video_frame_map (&src, &frame_info, from, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&dst, &frame_info, to, GST_MAP_WRITE));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    const guint8 *read = GST_VIDEO_FRAME_PLANE_DATA (&src, p);
    guint8 *write = GST_VIDEO_FRAME_PLANE_DATA (&dst, p);
    gint row_bytes, n_rows;

    plane_size (info, p, &row_bytes, &n_rows);
    for (gint y = 0; y < n_rows; y++)
      memcpy (write + y * GST_VIDEO_FRAME_PLANE_STRIDE (&dst, p),
          read + y * GST_VIDEO_FRAME_PLANE_STRIDE (&src, p), row_bytes);
  }
  gst_video_frame_unmap (&dst);
  gst_video_frame_unmap (&src);
}

static void
add_meta (GstBuffer *buffer, const GstVideoInfo *info, gsize *offset,
    gint *stride)
{
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info), offset,
      stride);
}

/* Returns a buffer with padding of an odd number of bytes after rows, and with
 * gaps between planes. The memory ends with the last sample of the last row.
 * transfer full */
static GstBuffer *
new_padded (const GstVideoInfo *info)
{
  GstBuffer *buffer = gst_buffer_new ();
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 }, end = 3;
  gint stride[GST_VIDEO_MAX_PLANES] = { 0 };

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint row_bytes, n_rows;

    plane_size (info, p, &row_bytes, &n_rows);
    offset[p] = end + 29;
    stride[p] = row_bytes + 7 + 4 * p;
    end = offset[p] + (gsize) (n_rows - 1) * stride[p] + row_bytes;
  }
  gst_buffer_append_memory (buffer, new_memory (end));
  add_meta (buffer, info, offset, stride);

  return buffer;
}

/* Returns a buffer with the samples from column 4 and row 2 of a larger frame;
 * these are whole samples of every component. transfer full */
static GstBuffer *
new_cropped (const GstVideoInfo *info)
{
  GstBuffer *buffer = gst_buffer_new ();
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  GstVideoInfo larger;

  gst_video_info_set_format (&larger, GST_VIDEO_INFO_FORMAT (info),
      GST_VIDEO_INFO_WIDTH (info) + 12, GST_VIDEO_INFO_HEIGHT (info) + 6);
  for (gint c = GST_VIDEO_INFO_N_COMPONENTS (info) - 1; c >= 0; c--) {
    const guint plane = GST_VIDEO_INFO_COMP_PLANE (info, c);
    const GstVideoFormatInfo *format = info->finfo;

    offset[plane] = GST_VIDEO_INFO_PLANE_OFFSET (&larger, plane) +
                    (gsize) (2 >> GST_VIDEO_FORMAT_INFO_H_SUB (format, c)) *
                        GST_VIDEO_INFO_PLANE_STRIDE (&larger, plane) +
                    (4 >> GST_VIDEO_FORMAT_INFO_W_SUB (format, c)) *
                        GST_VIDEO_INFO_COMP_PSTRIDE (info, c);
  }
  gst_buffer_append_memory (buffer, new_memory (GST_VIDEO_INFO_SIZE (&larger)));
  add_meta (buffer, info, offset, larger.stride);

  return buffer;
}

static GstBuffer *
new_planes (const GstVideoInfo *info)
{
  GstBuffer *buffer = gst_buffer_new ();
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 }, end = 0;
  gint stride[GST_VIDEO_MAX_PLANES] = { 0 };

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint row_bytes, n_rows;

    plane_size (info, p, &row_bytes, &n_rows);
    offset[p] = end;
    stride[p] = GST_ROUND_UP_16 (row_bytes);
    gst_buffer_append_memory (buffer, new_memory ((gsize) stride[p] * n_rows));
    end += (gsize) stride[p] * n_rows;
  }
  add_meta (buffer, info, offset, stride);

  return buffer;
}

/* Returns a buffer with the first @head bytes in one memory, and the others in
 * a second memory. transfer full */
static GstBuffer *
new_split (GstBuffer *frame, gsize head)
{
  const gsize size = gst_buffer_get_size (frame);
  GstBuffer *buffer = gst_buffer_new ();
  GstMapInfo map;

  fail_unless (gst_buffer_map (frame, &map, GST_MAP_READ));
  head = MIN (head, size);
  gst_buffer_append_memory (buffer, new_memory (head));
  if (size > head)
    gst_buffer_append_memory (buffer, new_memory (size - head));
  fail_unless_equals_uint64 (gst_buffer_fill (buffer, 0, map.data, size), size);
  gst_buffer_unmap (frame, &map);

  return buffer;
}

static GstBuffer *
new_unaligned (GstBuffer *frame)
{
  const gsize size = gst_buffer_get_size (frame);
  guint8 *data = g_malloc (size + 1);

  gst_buffer_extract (frame, 0, data + 1, size);

  return gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, data + 1, size,
      0, size, data, g_free);
}

GstBuffer *
frame_copy_to_layout (GstBuffer *frame, const GstVideoInfo *info,
    FrameLayout layout)
{
  GstBuffer *buffer = NULL;

  switch (layout) {
    case LAYOUT_PADDED:
      buffer = new_padded (info);
      break;
    case LAYOUT_CROPPED:
      buffer = is_packed (info) ? new_padded (info) : new_cropped (info);
      break;
    case LAYOUT_PLANES:
      buffer = new_planes (info);
      break;
    case LAYOUT_SPLIT:
      return new_split (frame, (gst_buffer_get_size (frame) + 2) / 3);
    case LAYOUT_CUT:
      return new_split (frame, GST_VIDEO_INFO_N_PLANES (info) > 1
                                   ? GST_VIDEO_INFO_PLANE_OFFSET (info, 1) + 7
                                   : 7);
    case LAYOUT_UNALIGNED:
      return new_unaligned (frame);
    default:
      return gst_buffer_copy_deep (frame);
  }
  copy_picture (buffer, frame, info);

  return buffer;
}

/* --- reading ------------------------------------------------------------- */

gboolean
frame_has_padding (const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_IS_RGB (info) && GST_VIDEO_INFO_N_PLANES (info) == 1 &&
         GST_VIDEO_INFO_COMP_PSTRIDE (info, 0) >
             (gint) GST_VIDEO_INFO_N_COMPONENTS (info) * sample_bytes (info);
}

/* Returns the samples at byte @byte of each pixel of component @component.
 * g_free() */
static guint8 *
read_samples (GstBuffer *buffer, const GstVideoInfo *info, guint component,
    gint byte)
{
  const gint width = GST_VIDEO_INFO_COMP_WIDTH (info, component);
  const gint height = GST_VIDEO_INFO_COMP_HEIGHT (info, component);
  const guint plane = GST_VIDEO_INFO_COMP_PLANE (info, component);
  guint8 *samples = g_malloc ((gsize) width * height);
  GstVideoInfo frame_info = *info;
  GstVideoFrame frame;

  fail_unless (gst_video_frame_map (&frame, &frame_info, buffer, GST_MAP_READ));
  for (gint y = 0; y < height; y++) {
    const guint8 *row = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame,
                            plane) +
                        (gsize) y *
                            GST_VIDEO_FRAME_PLANE_STRIDE (&frame, plane) +
                        byte;

    for (gint x = 0; x < width; x++)
      samples[(gsize) y * width + x] =
          row[x * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, component)];
  }
  gst_video_frame_unmap (&frame);

  return samples;
}

guint8 *
frame_component (GstBuffer *frame, const GstVideoInfo *info, guint component,
    gint *width, gint *height)
{
  if (width)
    *width = GST_VIDEO_INFO_COMP_WIDTH (info, component);
  if (height)
    *height = GST_VIDEO_INFO_COMP_HEIGHT (info, component);

  return read_samples (frame, info, component,
      component_byte (info, component));
}

void
frame_expect_components (GstBuffer *frame, GstBuffer *expected,
    const GstVideoInfo *info, const gchar *what)
{
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    gint width, height;
    g_autofree guint8 *a = frame_component (expected, info, c, &width, &height);
    g_autofree guint8 *b = frame_component (frame, info, c, NULL, NULL);

    fail_unless (memcmp (a, b, (gsize) width * height) == 0,
        "%s, component %u differs: %s", GST_VIDEO_INFO_NAME (info), c, what);
  }
}

guint16 *
frame_codes (GstBuffer *frame, const GstVideoInfo *info, guint component,
    gint *width, gint *height)
{
  const gint byte = component_byte (info, component);
  const gboolean is_wide = sample_bytes (info) == 2;
  g_autofree guint8 *low = frame_component (frame, info, component, width,
      height);
  g_autofree guint8 *high = read_samples (frame, info, component,
      is_wide ? byte + 1 : byte);
  const gsize n = (gsize) GST_VIDEO_INFO_COMP_WIDTH (info, component) *
                  GST_VIDEO_INFO_COMP_HEIGHT (info, component);
  guint16 *codes = g_new (guint16, n);

  for (gsize i = 0; i < n; i++)
    codes[i] = is_wide ? (low[i] | high[i] << 8) >> frame_shift (info) : low[i];

  return codes;
}

guint8 *
frame_padding (GstBuffer *frame, const GstVideoInfo *info)
{
  /* the first byte of xRGB, the last of RGBx */
  return read_samples (frame, info, 0,
      GST_VIDEO_INFO_COMP_POFFSET (info, 0) == 0 ||
              GST_VIDEO_INFO_COMP_POFFSET (info, 2) == 0
          ? 3
          : 0);
}

GBytes *
frame_bytes (GstBuffer *frame)
{
  const gsize size = gst_buffer_get_size (frame);
  guint8 *data = g_malloc (size);

  fail_unless_equals_uint64 (gst_buffer_extract (frame, 0, data, size), size);

  return g_bytes_new_take (data, size);
}

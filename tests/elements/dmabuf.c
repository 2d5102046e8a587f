/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstMemory of DMABuf without a device. */

#define _GNU_SOURCE /* memfd_create */

#include "elements/dmabuf.h"

#include <fcntl.h>
#include <gst/allocators/gstdmabuf.h>
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEAD 64 /* bytes of a file in front of the memory */

static GstAllocator *allocator; /* never freed: memories may outlive a test */

GstMemory *
dma_buf_new (gsize size_bytes, gboolean is_readable)
{
  int fd = memfd_create ("dmabuf", MFD_CLOEXEC);

  fail_unless (fd >= 0 && ftruncate (fd, (off_t) size_bytes) == 0);
  if (!is_readable) {
    g_autofree gchar *name = g_strdup_printf ("/proc/self/fd/%d", fd);
    const int write_only = open (name, O_WRONLY | O_CLOEXEC);

    fail_unless (write_only >= 0);
    close (fd);
    fd = write_only;
  }
  if (!allocator) {
    allocator = gst_dmabuf_allocator_new ();
    GST_OBJECT_FLAG_SET (allocator, GST_OBJECT_FLAG_MAY_BE_LEAKED);
  }

  return gst_dmabuf_allocator_alloc (allocator, fd, size_bytes);
}

GstBuffer *
dma_buf_copy (GstBuffer *frame)
{
  GstVideoMeta *meta = gst_buffer_get_video_meta (frame);
  GstBuffer *copy = gst_buffer_new ();

  if (meta)
    gst_buffer_add_video_meta_full (copy, meta->flags, meta->format,
        meta->width, meta->height, meta->n_planes, meta->offset, meta->stride);
  for (guint i = 0; i < gst_buffer_n_memory (frame); i++) {
    GstMemory *from = gst_buffer_peek_memory (frame, i);
    GstMemory *to = dma_buf_new (LEAD + from->size, TRUE);
    GstMapInfo from_map, to_map;

    gst_memory_resize (to, LEAD, from->size);
    fail_unless (gst_memory_map (from, &from_map, GST_MAP_READ));
    fail_unless (gst_memory_map (to, &to_map, GST_MAP_READWRITE));
    memcpy (to_map.data, from_map.data, from_map.size);
    gst_memory_unmap (to, &to_map);
    gst_memory_unmap (from, &from_map);
    gst_buffer_append_memory (copy, to);
  }

  return copy;
}

guint
dma_buf_n_descriptors (void)
{
  GDir *folder = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  fail_unless (folder != NULL);
  while (g_dir_read_name (folder))
    n++;
  g_dir_close (folder);

  return n;
}

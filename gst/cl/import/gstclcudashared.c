/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that CUDA and OpenCL share. */

#include "gstclcudashared.h"

#include "cl/memory/gstclbuffer.h"
#include "gstclcudamemory.h"
#include "gstclexternal.h"

/* Values of CUDA's enumerations. */
#define PINNED               1
#define FILE_DESCRIPTOR      1
#define DEVICE               1
#define READ_AND_WRITE       3
#define DEVICE_MEMORY        2
#define STREAM_DEFAULT       0
#define EVENT_BLOCKING_SYNC  1
#define EVENT_DISABLE_TIMING 2
#define SCHEDULING_MASK      7
#define SCHEDULING_AUTO      0
#define SCHEDULING_BLOCKING  4

struct _GstClCudaShared {
  GstClContext *context;
  GstObject *cuda_context;
  /* In which copies run, after those of the NULL stream: by that one GStreamer
   * copies memory that has no stream, and does not wait before 1.24. */
  GstClCudaStream stream;
  GstClCudaEvent copied;
  gboolean waits_sleep; /* those of others in the CUDA context */

  gsize size_bytes;
  GstClCudaAllocation allocation; /* 0: none */
  GstClCudaPointer pointer;       /* 0: no address */
  gboolean is_mapped;
  cl_mem mem;
};

/* Some of it may be missing. In the CUDA context. */
static void
release (GstClCudaShared *self)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();

  gst_cl_buffer_free (self->mem);
  if (self->is_mapped)
    driver->mem_unmap (self->pointer, self->size_bytes);
  if (self->pointer)
    driver->mem_unreserve (self->pointer, self->size_bytes);
  if (self->allocation)
    driver->mem_release (self->allocation);
  if (self->copied)
    driver->event_destroy (self->copied);
  if (self->stream)
    driver->stream_destroy (self->stream);
}

void
gst_cl_cuda_shared_free (GstClCudaShared *self)
{
  if (!self)
    return;

  if (gst_cl_cuda_enter (self->cuda_context, NULL)) {
    release (self);
    gst_cl_cuda_leave ();
  }
  gst_object_unref (self->cuda_context);
  gst_object_unref (self->context);
  g_free (self);
}

/* @size_bytes become whole pages. In the CUDA context. */
static gboolean
allocate (GstClCudaShared *self, gsize size_bytes, GError **error)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();
  GstClCudaProperties properties = { .type = PINNED,
    .handle_types = FILE_DESCRIPTOR,
    .location = { .type = DEVICE } };
  GstClCudaAccess access = { .flags = READ_AND_WRITE };
  gsize page_bytes = 0;

  if (!gst_cl_cuda_check (driver->context_device (&properties.location.id),
          "find the GPU", error) ||
      !gst_cl_cuda_check (driver->mem_granularity (&page_bytes, &properties, 0),
          "find the size of a page", error))
    return FALSE;

  self->size_bytes = (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
  access.location = properties.location;
  if (!gst_cl_cuda_check (driver->mem_create (&self->allocation,
                              self->size_bytes, &properties, 0),
          "allocate memory to share", error) ||
      !gst_cl_cuda_check (
          driver->mem_reserve (&self->pointer, self->size_bytes, 0, 0, 0),
          "reserve addresses", error) ||
      !gst_cl_cuda_check (driver->mem_map (self->pointer, self->size_bytes, 0,
                              self->allocation, 0),
          "map memory to share", error))
    return FALSE;
  self->is_mapped = TRUE;

  return gst_cl_cuda_check (
      driver->mem_set_access (self->pointer, self->size_bytes, &access, 1),
      "write to memory to share", error);
}

/* In the CUDA context. */
static gboolean
set_up (GstClCudaShared *self, gsize size_bytes, cl_mem_flags flags,
    GError **error)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();
  int fd = -1;

  if (!gst_cl_buffer_check_size (self->context, size_bytes, error) ||
      !allocate (self, size_bytes, error) ||
      !gst_cl_cuda_check (
          driver->mem_export (&fd, self->allocation, FILE_DESCRIPTOR, 0),
          "export memory", error))
    return FALSE;
  self->mem = gst_cl_external_import (self->context, fd, self->size_bytes,
      flags, error);

  return self->mem &&
         gst_cl_cuda_check (
             driver->stream_create (&self->stream, STREAM_DEFAULT),
             "create a stream", error) &&
         gst_cl_cuda_check (driver->event_create (&self->copied,
                                EVENT_BLOCKING_SYNC | EVENT_DISABLE_TIMING),
             "create an event", error);
}

GstClCudaShared *
gst_cl_cuda_shared_new (GstClContext *context, GstObject *cuda_context,
    gsize size_bytes, cl_mem_flags flags, GError **error)
{
  g_autoptr (GstClCudaShared) self = g_new0 (GstClCudaShared, 1);
  gboolean is_ready;

  self->context = gst_object_ref (context);
  self->cuda_context = gst_object_ref (cuda_context);
  if (!gst_cl_cuda_enter (cuda_context, error))
    return NULL;
  is_ready = set_up (self, size_bytes, flags, error);
  if (!is_ready)
    gst_cl_external_explain (error);
  gst_cl_cuda_leave ();

  return is_ready ? g_steal_pointer (&self) : NULL;
}

gsize
gst_cl_cuda_shared_bytes (const GstClCudaShared *self)
{
  return self->size_bytes;
}

gboolean
gst_cl_cuda_shared_serves (const GstClCudaShared *self, GstObject *cuda_context,
    gsize size_bytes)
{
  return self && self->cuda_context == cuda_context &&
         self->size_bytes >= size_bytes;
}

cl_mem
gst_cl_cuda_shared_mem (const GstClCudaShared *self)
{
  return self->mem;
}

static GstClCudaCode
enqueue_copy (GstClCudaShared *self, GstClCudaPointer from, GstClCudaPointer to,
    const GstClRows *rows, gboolean in_one_piece, GstClCudaStream stream)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();
  const GstClCudaRows copy = {
    .src_type = DEVICE_MEMORY,
    .src_device = from,
    .src_pitch = rows->src_stride_bytes,
    .dst_type = DEVICE_MEMORY,
    .dst_device = to,
    .dst_pitch = rows->dst_stride_bytes,
    .width_bytes = rows->row_bytes,
    .height = rows->n_rows,
  };

  if (in_one_piece)
    return driver->copy (to, from, gst_cl_rows_source_bytes (rows), stream);

  return driver->copy_rows (&copy, stream);
}

/* An event rather than the stream is waited for: it can be waited for without
 * spinning, which takes three times the processor's time where the GPU changes
 * between CUDA and OpenCL (docs/devices.md). */
static gboolean
wait_for_event (GstClCudaShared *self, GstClCudaStream stream, GError **error)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();

  return gst_cl_cuda_check (driver->event_record (self->copied, stream),
             "mark the end of a copy", error) &&
         gst_cl_cuda_check (driver->event_wait (self->copied),
             "wait for a copy", error);
}

/* A copy whose end is not known must not touch the frame any more when that
 * goes to others. */
gboolean
gst_cl_cuda_shared_wait (GstClCudaShared *self, GstClCudaStream stream,
    GError **error)
{
  if (!stream)
    stream = self->stream;
  if (wait_for_event (self, stream, error))
    return TRUE;
  gst_cl_cuda_driver ()->stream_wait (stream);

  return FALSE;
}

gboolean
gst_cl_cuda_shared_copy (GstClCudaShared *self, GstClCudaPointer from,
    const GstClRows *rows, GstClCudaStream stream, GError **error)
{
  return gst_cl_cuda_check (enqueue_copy (self, from, self->pointer, rows,
                                gst_cl_rows_are_packed (rows),
                                stream ? stream : self->stream),
             "copy a frame", error) &&
         gst_cl_cuda_shared_wait (self, stream, error);
}

/* What lies between the rows of others stays as it is. */
gboolean
gst_cl_cuda_shared_start_out (GstClCudaShared *self, gsize offset_bytes,
    GstClCudaPointer to, const GstClRows *rows, GstClCudaStream stream,
    GError **error)
{
  return gst_cl_cuda_check (
      enqueue_copy (self, self->pointer + offset_bytes, to, rows,
          rows->n_rows == 1 || rows->row_bytes == rows->dst_stride_bytes,
          stream ? stream : self->stream),
      "copy a frame", error);
}

void
gst_cl_cuda_shared_let_waits_sleep (GstClCudaShared *self)
{
  const GstClCudaDriver *driver = gst_cl_cuda_driver ();
  guint flags = 0;

  if (self->waits_sleep)
    return;
  self->waits_sleep = TRUE;
  if (driver->context_set_flags && driver->context_flags (&flags) == 0 &&
      (flags & SCHEDULING_MASK) == SCHEDULING_AUTO)
    driver->context_set_flags (flags | SCHEDULING_BLOCKING);
}

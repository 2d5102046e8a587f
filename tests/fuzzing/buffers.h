/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "bytes.h"
#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Parameters of buffers. */
typedef struct {
  GstClContext *context; /* for memory on a device; borrowed */
  gboolean is_video;
  gboolean is_device; /* the caps have the feature memory:OpenCLMemory */
  GstVideoInfo video; /* if is_video */
  gsize n_bytes;      /* of a buffer, by the caps */
} FuzzShape;

/* Creates a valid or an invalid buffer, as upstream might send it: in one or
 * several memories, of the system, of the device, or not mappable; with the
 * size of the caps or another; with or without a GstVideoMeta, which may be
 * wrong; with other metas. @bytes select all these properties, and are the
 * pixels. @number: number of the buffer in its stream. transfer full */
GstBuffer *fuzz_buffer_new (FuzzBytes *bytes, const FuzzShape *shape,
    guint number);

G_END_DECLS

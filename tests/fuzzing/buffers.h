/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "bytes.h"
#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* What buffers are made for. */
typedef struct {
  GstClContext *context; /* of memory on a device; borrowed */
  gboolean is_video;
  gboolean is_device; /* the caps say memory:OpenCLMemory */
  GstVideoInfo video; /* if is_video */
  gsize n_bytes;      /* of a buffer, by the caps */
} FuzzShape;

/* A buffer as upstream might send one, right or wrong: in one memory or in
 * several, of the system, of the device, or that cannot be mapped; of the size
 * in the caps or of another; with or without a GstVideoMeta that describes it
 * or anything else; with other metas. Its bytes are pixels. @number is that of
 * the buffer in its stream. transfer full */
GstBuffer *fuzz_buffer_new (FuzzBytes *bytes, const FuzzShape *shape,
    guint number);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "cl/video/gstclcomponent.h"

G_BEGIN_DECLS

/* A frame as the kernels see it. */
typedef struct {
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];
  guint n_components;
  gint64 time;    /* running time in ns; -1: unknown */
  guint64 number; /* of the frame */
} GstClKernelFrame;

G_END_DECLS

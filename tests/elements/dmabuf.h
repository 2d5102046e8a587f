/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* GstMemory of DMABuf without a device: files in memory (memfd), which can be
 * mapped like dma_bufs. */

/* Returns a copy of @frame, with its GstVideoMeta, in which each memory is such
 * a file, and begins behind the beginning of its file. transfer full */
GstBuffer *dma_buf_copy (GstBuffer *frame);

/* Returns a memory of @size_bytes; if not @is_readable, it cannot be mapped for
 * reading. transfer full */
GstMemory *dma_buf_new (gsize size_bytes, gboolean is_readable);

/* Returns the number of file descriptors that the process has open. */
guint dma_buf_n_descriptors (void);

G_END_DECLS

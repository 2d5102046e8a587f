/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/memory/gstclsync.h"

G_BEGIN_DECLS

/* Rows of bytes: @row_bytes each, one every @stride_bytes. */
typedef struct {
  gsize row_bytes, n_rows;
  gsize src_stride_bytes, dst_stride_bytes;
} GstClRows;

/* From the first byte to the last in the source. */
static inline gsize
gst_cl_rows_source_bytes (const GstClRows *rows)
{
  return (rows->n_rows - 1) * rows->src_stride_bytes + rows->row_bytes;
}

/* From the first byte to the last where they go. */
static inline gsize
gst_cl_rows_target_bytes (const GstClRows *rows)
{
  return (rows->n_rows - 1) * rows->dst_stride_bytes + rows->row_bytes;
}

/* TRUE if the rows and what lies between them go as one piece. */
static inline gboolean
gst_cl_rows_are_packed (const GstClRows *rows)
{
  return rows->n_rows == 1 || rows->src_stride_bytes == rows->dst_stride_bytes;
}

/* Where a copy of them goes on the device. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes;
  GstClSync *sync; /* which mem belongs to */
} GstClTarget;

/* Rows of host memory, from data on, and where they are to go over the bus. All
 * of it must last until the transfer has ended. */
typedef struct {
  const guint8 *data;
  GstClRows rows;
  GstClTarget target;
} GstClWrite;

/* Enqueues @write on the queue of uploads, behind what uses its target, and
 * sets *event (transfer full) to its end. gst_cl_sync_submit() is yet to hand
 * the queue to the device. Where the device shares the host's memory, the
 * driver has copied the bytes when this returns. Any thread. */
gboolean gst_cl_write_enqueue (const GstClWrite *write, GstClContext *context,
    cl_event *event, GError **error);

G_END_DECLS

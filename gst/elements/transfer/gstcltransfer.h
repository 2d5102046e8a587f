/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclbasefilter.h"

G_BEGIN_DECLS

/* Base class of clupload and cldownload. They copy raw video and integral
 * images between device and system memory, or pass them unchanged if the caps
 * of both pads are equal. cldownload also outputs raw video in foreign memory.
 */
#define GST_TYPE_CL_TRANSFER (gst_cl_transfer_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstClTransfer, gst_cl_transfer, GST, CL_TRANSFER,
    GstClBaseFilter)

struct _GstClTransferClass {
  GstClBaseFilterClass parent_class;

  gboolean to_device; /* clupload; else cldownload */

  /* Returns a buffer with the contents of @in in the output memory without a
   * copy: @in itself or a new buffer around its memory. Returns NULL if that is
   * not possible. */
  GstBuffer *(*pass) (GstClTransfer *self, GstBuffer *in);

  /* Copies @in to @out, a buffer of the pool; enqueues the copy if possible. */
  gboolean (*copy) (GstClTransfer *self, GstClInFlight *frames, GstBuffer *in,
      GstBuffer *out, GError **error);
};

/* For class_init, after to_device is set: adds the pads. */
void gst_cl_transfer_class_add_templates (GstClTransferClass *klass);

/* Return the negotiated video info (borrowed; NULL: an integral image), and the
 * size of a frame or integral image. Streaming thread. */
const GstVideoInfo *gst_cl_transfer_video_info (GstClTransfer *self);
gsize gst_cl_transfer_size_bytes (GstClTransfer *self);

G_END_DECLS

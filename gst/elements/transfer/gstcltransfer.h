/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclbasefilter.h"

G_BEGIN_DECLS

/* Base of clupload and cldownload: raw video and integral images, from one
 * memory to the other or, with the same caps on both sides, untouched.
 * cldownload also gives raw video in foreign memory. */
#define GST_TYPE_CL_TRANSFER (gst_cl_transfer_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstClTransfer, gst_cl_transfer, GST, CL_TRANSFER,
    GstClBaseFilter)

struct _GstClTransferClass {
  GstClBaseFilterClass parent_class;

  gboolean to_device; /* clupload; else cldownload */

  /* A buffer that has the contents of @in where they are wanted, without a
   * copy: @in itself, a new one around its memory, or NULL where that cannot
   * be. */
  GstBuffer *(*pass) (GstClTransfer *self, GstBuffer *in);

  /* Copies @in to @out, a buffer of the pool; enqueues what it can. */
  gboolean (*copy) (GstClTransfer *self, GstClInFlight *frames, GstBuffer *in,
      GstBuffer *out, GError **error);
};

/* For class_init, once to_device is set: adds the pads. */
void gst_cl_transfer_class_add_templates (GstClTransferClass *klass);

/* What flows: raw video, or an integral image of so many bytes. Streaming
 * thread. NULL: no video. */
const GstVideoInfo *gst_cl_transfer_video_info (GstClTransfer *self);
gsize gst_cl_transfer_size_bytes (GstClTransfer *self);

G_END_DECLS

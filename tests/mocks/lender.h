/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Mock of a decoder of nvcodec in GStreamer 1.24, as a source: its frames are
 * the surfaces of the decoder, without a pool. It has two more than the last
 * ALLOCATION query requested, and waits if all are in use. It produces grey
 * frames of 64x48 in CUDA memory, or in system memory if downstream supports
 * nothing else. */

/* Creates the element, with CUDA memory of @context. transfer floating */
GstElement *lender_new (GstObject *context, const gchar *name);

/* Returns how many surfaces @lender has, and the most that were in use at a
 * time. */
guint lender_n_surfaces (GstElement *lender);
guint lender_max_out (GstElement *lender);

G_END_DECLS

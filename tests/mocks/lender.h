/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Stands in for a decoder of nvcodec in GStreamer 1.24, as a source: its frames
 * are the surfaces of the decoder, without a pool. There are two more than the
 * last ALLOCATION query has asked for, and it waits for one when all are out.
 * It gives grey frames of 64x48 in CUDA memory, or in system memory where
 * downstream takes nothing else. */

/* The element: its CUDA memory is that of @context. transfer floating */
GstElement *lender_new (GstObject *context, const gchar *name);

/* How many surfaces @lender has, and the most that were out at a time. */
guint lender_n_surfaces (GstElement *lender);
guint lender_max_out (GstElement *lender);

G_END_DECLS

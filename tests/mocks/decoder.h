/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Mock of a decoder of nvcodec in GStreamer 1.24, as a source. Its frames are
 * the surfaces of the decoder, not buffers of a pool. It has two more surfaces
 * than the last ALLOCATION query requested, and waits while all are in use. It
 * produces grey frames of 64x48 in CUDA memory, or in system memory if
 * downstream supports nothing else. */

/* Creates the element, with CUDA memory of @context. transfer floating */
GstElement *mock_decoder_new (GstObject *context, const gchar *name);

/* Return the number of surfaces of @decoder, and the greatest number that were
 * in use at the same time. */
guint mock_decoder_n_surfaces (GstElement *decoder);
guint mock_decoder_max_in_use (GstElement *decoder);

G_END_DECLS

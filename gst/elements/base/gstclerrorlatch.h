/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Keeps an element from posting the same error about caps and properties again
 * and again: upstream may offer what does not work many times, which is one
 * failure and one message. Part of its owner; all zeros means that nothing has
 * failed. Streaming thread. */
typedef struct {
  GError *last; /* on the bus already; NULL after a success */
} GstClErrorLatch;

/* Posts @error (transfer full), unless the error before was the same: of the
 * same domain and code and, if a property or the caps have to answer for it,
 * with the same text. A driver may word one failure in several ways. FALSE:
 * another element of the pipeline is about to post the failure. */
gboolean gst_cl_error_latch_post (GstClErrorLatch *self, GstElement *element,
    GstClContext *context, GError *error);

/* Forgets the last error: caps and properties work now, or the element starts
 * anew. */
void gst_cl_error_latch_clear (GstClErrorLatch *self);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* What an element has told its application about caps and properties that do not
 * work: upstream may offer the same ones again and again, which is one failure
 * and one message. Part of its owner; all zeros is none. Streaming thread. */
typedef struct {
  GError *last; /* on the bus already; NULL after a success */
} GstClErrorLatch;

/* Posts @error, which it takes, if that says more than the one before. Only
 * what a property or the caps have to answer for may change its text; a driver
 * may word the same failure in several ways. */
void gst_cl_error_latch_post (GstClErrorLatch *self, GstElement *element,
    GstClContext *context, GError *error);

/* It works now, or another start is made. */
void gst_cl_error_latch_clear (GstClErrorLatch *self);

G_END_DECLS

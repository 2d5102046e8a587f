/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* GStreamer refuses a CAPS event that an ACCEPT_CAPS query refuses, often at a
 * queue or the pad of a bin further up, and says neither which element it was
 * nor which caps. The query is all that the element sees. */

/* Returns the error to post after @query, an answered ACCEPT_CAPS query of
 * @sink: it names the format that was refused and the one to convert to. NULL:
 * the caps were accepted, or no pad upstream has sent them, and somebody only
 * asks. transfer full. Any thread. */
GError *gst_cl_refusal_of_input (GstPad *sink, GstQuery *query);

G_END_DECLS

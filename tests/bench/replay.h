/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Makes each appsrc of @pipeline whose name begins with "replay" push @n_frames
 * prepared frames as fast as possible. @offered: in buffers of the pool that
 * downstream offers, otherwise in ordinary memory. The caps of each must be
 * set. */
void replay_attach (GstElement *pipeline, guint n_frames, gboolean offered);

G_END_DECLS

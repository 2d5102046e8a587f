/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/frames.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* Elements between a pad that pushes and a pad that keeps what comes, like a
 * GstHarness whose elements may fail to start. Pushes, flushes and seeks happen
 * in the thread that calls. */

typedef struct {
  const gchar *description; /* elements, linked by "!" */
  gboolean out_in_device;   /* they end in memory:OpenCLMemory */
  gboolean knows_no_meta;   /* downstream takes no GstVideoMeta */
} LineKind;

typedef struct _Line Line;

/* Made, and not started. @kind must outlive it. */
Line *line_new (const LineKind *kind);

/* The elements; borrowed. */
GstElement *line_element (Line *line);

/* To PLAYING. FALSE: an element does not start. */
gboolean line_open (Line *line);

/* What comes next, I420. */
void line_set_size (Line *line, gint width, gint height);

/* A frame of random bytes, the next in @layout. */
GstFlowReturn line_push (Line *line, FrameLayout layout);

/* Returns when everything that was pushed has come out, or has failed. */
void line_settle (Line *line);

void line_flush (Line *line);

/* Downstream seeks, and the source does. */
gboolean line_seek (Line *line);

void line_push_eos (Line *line);

/* Frames that came since the last time, one line each with time and checksum,
 * and messages of elements. g_free() */
gchar *line_take_results (Line *line);

/* Frames that came and that the CPU could not read. */
guint line_n_unreadable (Line *line);

/* The errors on the bus since it was made, in their order: GstMessage. */
const GPtrArray *line_errors (Line *line);

/* To NULL. FALSE: that fails. */
gboolean line_stop (Line *line);

void line_free (Line *line);

G_END_DECLS

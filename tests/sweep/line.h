/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/frames.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* Elements between a source pad and a sink pad, which keeps its input; like a
 * GstHarness whose elements may fail to start. Pushes, flushes and seeks run in
 * the calling thread. */

typedef struct {
  const gchar *description; /* elements, linked by "!" */
  gboolean out_in_device;   /* the output is memory:OpenCLMemory */
  gboolean knows_no_meta;   /* downstream does not support GstVideoMeta */
} LineKind;

typedef struct _Line Line;

/* Creates the line; does not start it. @kind must outlive it. */
Line *line_new (const LineKind *kind);

/* The elements; borrowed. */
GstElement *line_element (Line *line);

/* Changes to PLAYING. FALSE: an element does not start. */
gboolean line_open (Line *line);

/* Sets the caps of the next frames, I420. */
void line_set_size (Line *line, gint width, gint height);

/* Pushes a frame of random bytes, in the next @layout. */
GstFlowReturn line_push (Line *line, FrameLayout layout);

/* Returns when everything that was pushed has been output, or has failed. */
void line_settle (Line *line);

void line_flush (Line *line);

/* Downstream seeks, and the source does. */
gboolean line_seek (Line *line);

void line_push_eos (Line *line);

/* Returns the frames since the last call, one line each with time and checksum,
 * and messages of elements. g_free() */
gchar *line_take_results (Line *line);

/* Returns the number of frames that the CPU could not read. */
guint line_n_unreadable (Line *line);

/* Returns the errors on the bus since the line was created, in order:
 * GstMessage. */
const GPtrArray *line_errors (Line *line);

/* Changes to NULL. FALSE: that fails. */
gboolean line_stop (Line *line);

void line_free (Line *line);

G_END_DECLS

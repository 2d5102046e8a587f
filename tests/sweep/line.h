/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/frames.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* Elements between a source pad and a sink pad, which records its input. Unlike
 * a GstHarness, a line supports elements that fail to start. Pushes, flushes
 * and seeks run in the calling thread. */

typedef struct {
  const gchar *description;  /* elements, linked by "!" */
  gboolean out_in_device;    /* the output is memory:OpenCLMemory */
  gboolean lacks_video_meta; /* downstream does not support GstVideoMeta */
  GstVideoFormat format;     /* of the input; GST_VIDEO_FORMAT_UNKNOWN: I420 */
  gboolean is_interlaced;    /* frames of two fields */
  gboolean in_dma_buf;       /* the input is DMABuf (elements/dmabuf.h) */
  const gchar *drm_format;   /* in caps of the input; the format is then
                                DMA_DRM. NULL: none */
  const gchar *caps_feature; /* of the input, and possibly of the output; NULL:
                                none */
} LineKind;

typedef struct _Line Line;

/* Creates the line; does not start it. @kind must outlive it. */
Line *line_new (const LineKind *kind);

/* Returns the bin of the elements; borrowed. */
GstElement *line_element (Line *line);

/* Changes the elements to PLAYING. FALSE: an element fails to start. */
gboolean line_open (Line *line);

/* Sets the caps of the next frames. */
void line_set_size (Line *line, gint width, gint height);

/* Pushes a frame of random bytes, in the next @layout. */
GstFlowReturn line_push (Line *line, FrameLayout layout);

/* Drains the elements: returns when all pushed frames are output or dropped. */
void line_drain (Line *line);

/* Sends flush-start, flush-stop and a new segment. */
void line_flush (Line *line);

/* Sends a flushing seek to the start from downstream; the source flushes.
 * Returns whether the seek succeeded. */
gboolean line_seek (Line *line);

void line_push_eos (Line *line);

/* Returns the output since the last call: a line for each frame, with its time
 * and checksum, and for each element message. g_free() */
gchar *line_take_results (Line *line);

/* Returns the number of frames that the CPU could not read. */
guint line_n_unreadable (Line *line);

/* Returns the errors on the bus since the line was created, in order:
 * GstMessage. */
const GPtrArray *line_errors (Line *line);

/* Changes the elements to NULL. FALSE: the state change fails. */
gboolean line_stop (Line *line);

void line_free (Line *line);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/series/gstclseries.h"

G_BEGIN_DECLS

/* Reads lines that clframesum has written, of the type `frame`, back into what
 * events and pooled results follow from. */
typedef struct _FrameLine FrameLine;

typedef enum {
  FRAME_LINE_WRONG,
  FRAME_LINE_OTHER,      /* a line of another type */
  FRAME_LINE_UNMEASURED, /* a frame without any statistic */
  FRAME_LINE_MEASURED,
} FrameLineResult;

/* @needs: what the events to be detected ask for; @zone_needs: those of zones,
 * 0: zones are not read. */
FrameLine *frame_line_new (GstClStatistics needs, GstClStatistics zone_needs);
void frame_line_free (FrameLine *self);

/* Reads @line, which ends with NUL. WRONG with @error, which names the field:
 * it is broken, is missing, or does not go with others. */
FrameLineResult frame_line_read (FrameLine *self, const gchar *line,
    GError **error);

/* Returns the frame that was MEASURED, or the time alone of one that was
 * UNMEASURED. Borrowed until the next line is read. */
const GstClSeriesInput *frame_line_input (const FrameLine *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FrameLine, frame_line_free)

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "series/gstclevents.h"

G_BEGIN_DECLS

/* Frames of ten a second into a GstClEvents, and what it tells as text. */

#define FRAME_TIME (100 * GST_MSECOND)
#define N_SAMPLES  1000 /* a component */
#define MAX_CODES  65536

typedef struct {
  GstClEvents *events;
  GstClEventSettings settings;
  GstClSeriesFrame frame; /* of the next frame */
  guint32 histograms[GST_CL_SERIES_MAX_COMPONENTS][MAX_CODES];
  GstClockTime now; /* by the clock, when the next frame comes; or unknown */
  GString *text;    /* "black start 0.5; black end 3.0 (2.5); " */
  GstClEvent last;
  guint64 n_told;
} EventLog;

/* Detects @types with the default settings, grey limited 8-bit frames. */
EventLog *event_log_new (GstClEventType types);
void event_log_free (EventLog *self);

/* Detects @types from the next frame on, with @self's settings. */
void event_log_configure (EventLog *self, GstClEventType types);

/* Fills the histogram of @component: @n samples with @code, the others spread
 * evenly over the codes 100 to 199. */
void event_log_set_level (EventLog *self, guint component, guint code, guint n);

/* @n frames with the statistics as they are, 0.1 s each. */
void event_log_push (EventLog *self, guint n);

/* Compares what was told since the last call. */
void event_log_expect (EventLog *self, const gchar *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (EventLog, event_log_free)

G_END_DECLS

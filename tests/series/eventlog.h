/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/series/gstclevents.h"

G_BEGIN_DECLS

/* Frames at ten a second into a GstClEvents, and its events as text. */

#define FRAME_TIME (100 * GST_MSECOND)
#define N_SAMPLES  1000 /* a component */
#define MAX_CODES  65536

typedef struct {
  GstClEvents *events;
  GstClEventSettings settings;
  GstClSeriesFrame frame; /* timestamp of the next frame */
  guint32 histograms[GST_CL_SERIES_MAX_COMPONENTS][MAX_CODES];
  GstClockTime now; /* by the clock, at the arrival of the next frame; or
                     * unknown */
  GString *text;    /* "black start 0.5; black end 3.0 (2.5); " */
  GstClEvent last;
  guint64 n_told;
} EventLog;

/* Detects @types with the default settings, grey limited 8-bit frames. */
EventLog *event_log_new (GstClEventType types);
void event_log_free (EventLog *self);

/* Detects @types from the next frame on, with the settings of @self. */
void event_log_configure (EventLog *self, GstClEventType types);

/* Sets the histogram of @component: @n samples with @code, the others
 * distributed evenly over the codes 100 to 199. */
void event_log_set_level (EventLog *self, guint component, guint code, guint n);

/* Adds @n frames with the current statistics, 0.1 s each. */
void event_log_push (EventLog *self, guint n);

/* Compares the events since the last call with @expected. */
void event_log_expect (EventLog *self, const gchar *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (EventLog, event_log_free)

G_END_DECLS

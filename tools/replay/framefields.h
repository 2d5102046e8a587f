/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "framezones.h"

G_BEGIN_DECLS

/* The fields of a line of the type `frame`, as they are written. */

#define FRAME_MAX_COMPONENTS GST_CL_POOLED_MAX_COMPONENTS

/* An array with one integer a component. */
typedef struct {
  guint n;
  guint64 values[FRAME_MAX_COMPONENTS];
} FrameNumbers;

/* The fields that statistics have, in the order of their rows. */
typedef enum {
  FRAME_COUNT,
  FRAME_SUM,
  FRAME_SUM_SQUARES,
  FRAME_MIN,
  FRAME_MAX,
  FRAME_HISTOGRAM,
  FRAME_RANGE_EVIDENCE,
  FRAME_CELLS,
} FrameStatistic;

typedef struct {
  guint present;        /* bit i: row i of the table is there */
  guint64 series;       /* bit i: row i of gst_cl_series_fields is there */
  gboolean is_measured; /* there is a statistic, known or not */

  /* The time, and what gst_cl_series_fields has. */
  GstClSeriesFrame frame;
  guint64 depth;
  guint n_components;
  const gchar *names[FRAME_MAX_COMPONENTS]; /* static */
  FrameNumbers numbers[FRAME_HISTOGRAM];    /* by FrameStatistic */
  guint n_histograms; /* which have the same length, not 0 */
  guint n_cell_means; /* arrays, which have the same length */
  GstClRangeEvidence evidence;
  GArray *bins;      /* guint32: those of all histograms, one after the other */
  GArray *cells;     /* guint32: the means of all components */
  FrameZones *zones; /* NULL: those of a line are skipped */
} FrameFields;

/* @has_zones: the members of zones are read, too. */
void frame_fields_init (FrameFields *self, gboolean has_zones);
void frame_fields_clear (FrameFields *self);

/* Reads @line, which ends with NUL. *is_frame: it is of the type `frame`;
 * nothing else is read of another. FALSE with @error, which names the field: it
 * is no object of JSON, its first member is not the type, or a field is broken,
 * or missing that every frame has. */
gboolean frame_fields_read (FrameFields *self, const gchar *line,
    gboolean *is_frame, GError **error);

gboolean frame_fields_has (const FrameFields *self, FrameStatistic statistic);
const gchar *frame_fields_name (FrameStatistic statistic);

G_END_DECLS

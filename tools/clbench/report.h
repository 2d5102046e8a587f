/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdio.h>

#include "cl/device/gstcldevice.h"

G_BEGIN_DECLS

/* What clbench has found on a device: a table that grows while it runs, and a
 * JSON object at the end (clbench.schema.json). One thread. */
typedef struct _Report Report;

/* Strings and figures are those of the caller, and copied. */
typedef struct {
  const gchar *technique;  /* name of the subcommand */
  const gchar *row;        /* unique within the technique */
  gboolean correct;        /* its result was what the scalar reference says */
  gboolean expected_wrong; /* leaves something out to show why it is there */
  gdouble median_us, low_us, high_us; /* of one run; 0: not timed */
  gdouble per_second;  /* 0: none; else jobs, rounds, ... a second */
  const gchar *detail; /* "", or figures for people: "4.1 ns a barrier" */
  /* NULL or floating a{sd}: more numbers by name and unit ("ns_per_barrier",
   * "wrong_share", "gb_per_s"), members of the row in JSON; consumed */
  GVariant *figures;
} ReportRow;

/* A time in the unit that reads best: "5.812 us", "160.20 ms". transfer full */
gchar *report_format_us (gdouble us);

/* A report of what runs on @device with random numbers from @seed. Every row is
 * printed to @table when it is added; NULL: nowhere. */
Report *report_new (const GstClDevice *device, guint32 seed, FILE *table);
void report_free (Report *report);

/* What is under way, in place of what was before. Shown on stderr where that
 * is a terminal. */
void report_progress (Report *report, const gchar *what);

void report_add (Report *report, const ReportRow *row);
/* A row that the device refuses, or that gave up. */
void report_skip (Report *report, const gchar *technique, const gchar *row,
    const gchar *reason);
/* The technique's result in one sentence: which row wins here, by how much. */
void report_conclude (Report *report, const gchar *technique,
    const gchar *sentence);

/* Prints the sentences, and rows that should have been correct and were not.
 * Nothing is to be added afterwards. FALSE with @error (G_FILE_ERROR) where the
 * table's file has not taken all of it. */
gboolean report_finish (Report *report, GError **error);

/* Whether every row was correct that is not expected to be wrong. */
gboolean report_is_good (const Report *report);

/* The whole as JSON, one object. transfer full */
gchar *report_to_json (const Report *report);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Report, report_free)

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdio.h>

#include "cl/device/gstcldevice.h"
#include "timing.h"

G_BEGIN_DECLS

/* The results of clbench on a device: a table that is printed while it runs,
 * and a JSON object at the end (clbench.schema.json). One thread. */
typedef struct _Report Report;

/* One row. The caller owns the strings; report_add() copies them. */
typedef struct {
  const gchar *technique; /* name of the subcommand */
  const gchar *row;       /* unique within the technique */
  gboolean correct;       /* its result equals the scalar reference */
  gboolean
      expected_wrong;  /* leaves out a necessary part, to show its purpose */
  Spread us;           /* of one run; 0: not timed */
  gdouble per_second;  /* 0: none; else jobs, rounds, ... a second */
  const gchar *detail; /* "", or figures for readers: "4.1 ns a barrier" */
  /* NULL or a{sd}: more numbers by name and unit ("ns_per_barrier",
   * "wrong_share", "gb_per_s"), members of the row in JSON. report_add()
   * consumes a floating reference; else it adds its own. */
  GVariant *figures;
} ReportRow;

/* Formats a time in a suitable unit: "5.812 us", "160.20 ms". transfer full */
gchar *report_format_us (gdouble us);

/* Creates a report of a run on @device with random numbers from @seed. Every
 * row is printed to @table when it is added; NULL: not printed. */
Report *report_new (const GstClDevice *device, guint32 seed, FILE *table);
void report_free (Report *report);

/* Shows the current work on stderr, if that is a terminal; replaces the text
 * before. @row: NULL: none yet. */
void report_progress (Report *report, const gchar *technique, const gchar *row);

void report_add (Report *report, const ReportRow *row);
/* Adds a row that the device does not support, or that gave up. */
void report_skip (Report *report, const gchar *technique, const gchar *row,
    const gchar *reason);
/* Adds the result of the technique as one sentence: the fastest row, and its
 * advantage. */
void report_conclude (Report *report, const gchar *technique,
    const gchar *sentence);

/* Prints the sentences, and the rows that should have been correct and were
 * not. No row may be added afterwards. FALSE with @error (G_FILE_ERROR) if the
 * table could not be written completely. */
gboolean report_finish (Report *report, GError **error);

/* Returns whether all rows that are not expected to be wrong were correct. */
gboolean report_is_good (const Report *report);

/* Returns the report as JSON, one object. transfer full */
gchar *report_to_json (const Report *report);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Report, report_free)

G_END_DECLS

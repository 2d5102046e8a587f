/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "report.h"

G_BEGIN_DECLS

/* What a technique gets. */
typedef struct {
  GstClContext *context;   /* does not profile */
  GstClContext *profiling; /* one of the same device that records the times of
                              launches */
  Report *report;
  gboolean is_quick; /* every row, small: for tests */
  gint64 allowed_us; /* for the technique as a whole: scales its repeats */
  guint32 seed;      /* of all random numbers */
} Bench;

/* Runs every row of a technique. FALSE with @error where the device failed; a
 * wrong result is a row, and what the device refuses is a skipped one. */
typedef gboolean (*BenchRun) (Bench *bench, GError **error);

/* Defined in the file of that name; main.c has the table of them. */
gboolean bench_barriers (Bench *bench, GError **error);
gboolean bench_reductions (Bench *bench, GError **error);
gboolean bench_windows (Bench *bench, GError **error);
gboolean bench_latency (Bench *bench, GError **error);
gboolean bench_memory (Bench *bench, GError **error);

/* Random numbers of @row of @technique, or of what its rows share. They follow
 * from the seed and from these names, whatever was run before, and for however
 * long. transfer full */
GRand *bench_rand (const Bench *bench, const gchar *technique,
    const gchar *row);

/* What is under way: "barriers: leader, 64 items, 2 groups". */
void bench_progress (Bench *bench, const gchar *what);

G_END_DECLS

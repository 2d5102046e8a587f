/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "report.h"

G_BEGIN_DECLS

/* Arguments of a technique. */
typedef struct {
  GstClContext *context;   /* without profiling */
  GstClContext *profiling; /* of the same device, with profiling */
  Report *report;
  gboolean is_quick; /* small problems, for tests */
  gint64 allowed_us; /* time for the technique as a whole: scales its repeats */
  guint32 seed;      /* of all random numbers */
} Bench;

/* Runs every row of a technique. FALSE with @error if the device failed. A
 * wrong result is a row; a row that the device does not support is skipped. */
typedef gboolean (*BenchRun) (Bench *bench, GError **error);

/* Each is defined in the file of its name; main.c has their table. */
gboolean bench_barriers (Bench *bench, GError **error);
gboolean bench_reductions (Bench *bench, GError **error);
gboolean bench_windows (Bench *bench, GError **error);
gboolean bench_latency (Bench *bench, GError **error);
gboolean bench_memory (Bench *bench, GError **error);

/* Returns random numbers of @row of @technique, or those that its rows share.
 * They depend on the seed and these names only, not on earlier runs. transfer
 * full */
GRand *bench_rand (const Bench *bench, const gchar *technique,
    const gchar *row);

G_END_DECLS

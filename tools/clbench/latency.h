/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "bench.h"

#include "cl/context/gstclkernel.h"

G_BEGIN_DECLS

/* What the parts of the technique share. */

#define LATENCY_TECHNIQUE  "latency"
#define LATENCY_MAX_FRAMES 16 /* a launch */
#define LATENCY_STEP_INSTRUCTIONS                                              \
  6 /* xorshift: three shifts, three exclusive ors */

/* Words that host and kernel share, as kernels/latency.cl has them. */
typedef enum {
  LATENCY_FLAG,    /* number of the launch or the round that is done */
  LATENCY_RESULT,  /* what belongs to it */
  LATENCY_ANSWER,  /* of the host: number of the launch or round that may be */
  LATENCY_HEARD,   /* the kernel has seen that answer */
  LATENCY_INPUT,   /* of the round that may be */
  LATENCY_GAVE_UP, /* number of the round whose job did not come */
  LATENCY_N_WORDS
} LatencyWord;

typedef struct {
  Bench *bench;

  /* what the sentence at the end says */
  gdouble finish_us;     /* launch and finish */
  gdouble quickest_us;   /* of all completions */
  const gchar *quickest; /* its row, static */
  guint enough_frames;   /* a launch: twice as many gain next to nothing */
  gdouble resident_us;   /* a small job of the resident loop; 0: none */
  guint resident_instructions; /* of that job */
} Latency;

/* How one sample went. */
typedef struct {
  gdouble us;           /* it took */
  gboolean is_correct;  /* its results were those of the reference */
  const gchar *gave_up; /* why there is none, static; NULL: there is one */
} LatencySample;

/* Takes one: @sample is correct and nothing more at first. FALSE with @error
 * where the device failed. */
typedef gboolean (
    *LatencyTake) (gpointer user_data, LatencySample *sample, GError **error);

typedef struct {
  const gchar *name;
  LatencyTake take;
  gpointer user_data;
  gdouble share;     /* of the time allowed for the technique */
  guint n_jobs;      /* done a sample, for jobs a second; 0: of no interest */
  GVariant *figures; /* as in ReportRow, consumed */
} LatencyRow;

/* Takes the samples of @row and adds it to the report, or a skipped row.
 * *median_us, which may be NULL, receives the median of a sample, 0 where it is
 * skipped. */
gboolean latency_measure (Latency *self, const LatencyRow *row,
    gdouble *median_us, GError **error);

/* What the jobs of kernels/latency.cl come to: @n_steps steps from @x. */
guint32 latency_work (guint32 x, guint n_steps);

/* The time of a clock that never goes back, finer than microseconds. */
gdouble latency_now_us (void);

/* Kernel @name of kernels/latency.cl. */
GstClKernel *latency_kernel (Latency *self, const gchar *name, GError **error);

/* How often a kernel looks for what the host writes before it gives up: for
 * about a second on a CPU, a tenth of it elsewhere. */
guint latency_n_looks (const Latency *self);

/* The parts: files of these names. */
gboolean latency_completions (Latency *self, GError **error);
gboolean latency_batches (Latency *self, GError **error);
gboolean latency_resident (Latency *self, GError **error);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "bench.h"

#include "cl/context/gstclkernel.h"
#include "sharedwords.h"

G_BEGIN_DECLS

/* Shared by the parts of the technique. */

#define LATENCY_TECHNIQUE  "latency"
#define LATENCY_MAX_FRAMES 16 /* a launch */
#define LATENCY_STEP_INSTRUCTIONS                                              \
  6 /* xorshift: three shifts, three exclusive ors */

/* Words that host and kernel share, as in kernels/latency.cl. */
typedef enum {
  LATENCY_FLAG,   /* number of the launch or the round that is complete */
  LATENCY_RESULT, /* its result */
  LATENCY_ANSWER, /* written by the host: number of the launch or round that
                    * may run */
  LATENCY_ANSWER_SEEN, /* the kernel has seen that answer */
  LATENCY_INPUT,       /* input of the round that may run */
  LATENCY_GAVE_UP,     /* number of the round whose job did not arrive */
  LATENCY_N_WORDS
} LatencyWord;

typedef struct {
  Bench *bench;

  /* data of the final sentence */
  gdouble finish_us;    /* launch and finish */
  gdouble fastest_us;   /* of all completions */
  const gchar *fastest; /* its row, static */
  guint enough_frames;  /* in a launch: twice as many gain less than 10 % */
  gdouble resident_us;  /* a small job of the resident loop; 0: not measured */
  guint resident_instructions; /* of that job */
} Latency;

/* Result of one sample. */
typedef struct {
  gdouble us;           /* its duration */
  gboolean is_correct;  /* its results equal the reference */
  const gchar *gave_up; /* why there is no sample, static; NULL: there is one */
} LatencySample;

/* Takes one sample and stores it in *@sample, whose is_correct is TRUE at
 * first. FALSE with @error if the device failed. */
typedef gboolean (*LatencySampler) (gpointer user_data, LatencySample *sample,
    GError **error);

typedef struct {
  const gchar *name;
  LatencySampler sample;
  gpointer user_data;
  gdouble share;     /* of the time allowed for the technique */
  guint n_jobs;      /* jobs of a sample, for jobs a second; 0: not reported */
  GVariant *figures; /* as in ReportRow, consumed */
} LatencyRow;

/* Takes the samples of @row and adds the row to the report, as skipped if it
 * gave up. *median_us (may be NULL) receives the median of the samples; 0 if
 * the row is skipped. FALSE with @error if the device failed. */
gboolean latency_measure (Latency *self, const LatencyRow *row,
    gdouble *median_us, GError **error);

/* Returns the result of a job of kernels/latency.cl: @n_steps steps from @x. */
guint32 latency_work (guint32 x, guint n_steps);

/* Returns the time of a monotonic clock with a resolution below a
 * microsecond. */
gdouble latency_now_us (void);

/* Returns kernel @name of kernels/latency.cl (transfer full). NULL with
 * @error. */
GstClKernel *latency_kernel (Latency *self, const gchar *name, GError **error);

/* Returns how often a kernel reads a word of the host before it gives up: for
 * about a second on a CPU, a tenth of a second on other devices. */
guint latency_max_polls (const Latency *self);

/* Launches of kernels of kernels/latency.cl with one work-item, with events and
 * memory that the plugin has no functions for. */

/* Creates kernel @name; NULL with @error. latency_single_kernel_free() accepts
 * NULL. */
cl_kernel latency_single_kernel (GstClContext *context, const gchar *name,
    GError **error);
void latency_single_kernel_free (cl_kernel kernel);

/* The words that a kernel writes, indexed by LatencyWord. */
typedef struct {
  cl_mem mem;                /* in device memory; ignored if shared is set */
  const SharedWords *shared; /* in memory shared with the host, or NULL */
} LatencyWords;

/* Enqueues @kernel with the arguments @words and @numbers on the compute queue;
 * does not wait. @event receives the event of its end (transfer full); NULL:
 * none is created. */
gboolean latency_launch (GstClContext *context, cl_kernel kernel,
    LatencyWords words, const guint32 *numbers, guint n_numbers,
    cl_event *event, GError **error);

/* Each measures the rows of one part of the technique and adds them to the
 * report. FALSE with @error if the device failed. */
gboolean latency_completions (Latency *self, GError **error);
gboolean latency_batches (Latency *self, GError **error);
gboolean latency_resident (Latency *self, GError **error);

G_END_DECLS

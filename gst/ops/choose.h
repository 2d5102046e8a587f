/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/cache/gstcltuningdb.h"
#include "implementation.h"

G_BEGIN_DECLS

/* --- measuring candidates ------------------------------------------------- */

/* Choosing by measurement among candidates, which give the same result and take
 * different times on a device and for caps. Candidate 0 is what the order of a
 * table says; another one must be faster by more than noise.
 *
 * All candidates are made ready and run once, which is when drivers compile.
 * Then they take turns, each turn about a millisecond, of which the shortest
 * counts. Candidates that fail are left out with a line at INFO. */

/* What all turns take at most, if each candidate's first one fits into its
 * share: that one is always taken. In microseconds. */
#define GST_CL_TUNE_MEASURING_US 100000

/* No candidate is made ready once that has taken so long in all, the first one
 * aside, which is needed anyway. What was compiled by then is kept on disk, so
 * that the next start comes further; only a choice among all candidates is kept
 * itself. In microseconds. */
#define GST_CL_TUNE_PREPARING_US 300000

typedef struct {
  /* What is done and all of the caps that may matter, in words without
   * brackets: the choice is remembered under it. */
  const gchar *key;

  /* Raise it when another candidate may have become the fastest, since kernels
   * have changed. */
  guint version;

  const gchar *const *names; /* of the candidates, no two alike */
  guint n_candidates;        /* at least 1 */

  /* Makes candidate @index ready to run; NULL with @error if it cannot be. */
  gpointer (*make) (gpointer user_data, guint index, GError **error);
  /* Runs what make() gave @n_times, and waits for the end. */
  gboolean (
      *run) (gpointer user_data, gpointer made, guint n_times, GError **error);
  void (*free) (gpointer made);
  gpointer user_data; /* of these */

  gint64 (*now) (void); /* a clock of microseconds; NULL: the usual one */
} GstClTuneJob;

/* Where a choice comes from. */
typedef enum {
  GST_CL_TUNE_ONLY_ONE,     /* there is one candidate */
  GST_CL_TUNE_SWITCHED_OFF, /* candidate 0, by GST_OPENCL_TUNE=0 */
  GST_CL_TUNE_NOT_NOW,      /* candidate 0: nothing is remembered, and nothing
                               may be measured */
  GST_CL_TUNE_FAILED,       /* candidate 0: none works */
  GST_CL_TUNE_REMEMBERED,
  GST_CL_TUNE_MEASURED,
} GstClTuneReason;

/* FALSE with environment variable GST_OPENCL_TUNE=0: nothing is measured, read
 * or written, and candidate 0 chosen. */
gboolean gst_cl_tune_is_on (void);

/* The index of the candidate to take: the one that @db remembers, else, if
 * @may_measure, the one that measures fastest, else 0. *@reason (NULL: not
 * asked for) receives why.
 *
 * Any thread. One at a time measures in @db, so that they do not disturb
 * each other; the others wait for it, then for what they have to measure
 * themselves, which is nothing if it was the same. Without @may_measure nobody
 * waits. */
guint gst_cl_tune_choose (GstClTuningDb *db, const GstClTuneJob *job,
    gboolean may_measure, GstClTuneReason *reason);

/* --- the candidate for a problem ------------------------------------------ */

/* The candidate of @table to make for @problem on the context's device. With a
 * @method it is the row that the order gives, with its usual tuning. With AUTO
 * it is the candidate that is remembered to be the fastest. Where none is
 * remembered, candidates are measured if @may_measure, which takes a while
 * (gst_cl_tune_choose()); else it is the first by order.
 *
 * Its row has passed its self-test (selftest.h), which runs here where it is
 * not known yet. Rows that fail are left out; where all of @method do, AUTO
 * chooses.
 *
 * Its implementation is NULL if no row serves @method for @problem; then @error
 * is set if that is because rows have failed their self-test, and device=auto
 * passes over the device from now on where it has another one.
 *
 * Any thread. GST_DEBUG=clop:5 says what was chosen, and why. */
GstClCandidate gst_cl_op_table_choose (const GstClOpTable *table,
    GstClContext *context, gint method, gconstpointer problem,
    gboolean may_measure, GError **error);

G_END_DECLS

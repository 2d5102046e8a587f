/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/cache/gstcltuningdb.h"

G_BEGIN_DECLS

/* Chooses among candidates by measurement. Candidates give the same result, and
 * take different times on a device and for caps. Candidate 0 is the first by
 * order of the table; another candidate must be faster by more than noise.
 *
 * All candidates are prepared and run once, which is when drivers compile. Then
 * they run alternating in rounds of about a millisecond each; the shortest
 * round counts. Candidates that fail are skipped, with a line at INFO. */

/* The maximum time of all rounds in microseconds, if the first round of each
 * candidate fits into its share: the first round always runs. */
#define GST_CL_TUNE_MEASURING_US 100000

/* Unless gst_cl_build_is_patient(), no further candidate is prepared once
 * preparation has taken this time in total, in microseconds. Candidate 0, which
 * is needed anyway, does not count.
 * The programs compiled by then are cached on disk, so that the next start gets
 * further; a choice is stored only if it was made among all candidates. */
#define GST_CL_TUNE_PREPARING_US 300000

typedef struct {
  /* The operation and all properties of the caps that may matter, without
   * brackets: the key of the stored choice. */
  const gchar *key;

  /* Increase it when kernels have changed so that another candidate may have
   * become the fastest. */
  guint version;

  const gchar *const *names; /* unique names of the candidates */
  guint n_candidates;        /* at least 1 */

  /* Prepares candidate @index; NULL with @error if that fails. */
  gpointer (*make) (gpointer user_data, guint index, GError **error);
  /* Runs the result of make() @n_times, and waits until the runs are complete.
   */
  gboolean (
      *run) (gpointer user_data, gpointer made, guint n_times, GError **error);
  void (*free) (gpointer made);
  gpointer user_data; /* for make(), run() and free() */

  gint64 (*now) (void); /* a clock in microseconds; NULL: g_get_monotonic_time()
                           */
} GstClTuneJob;

/* The reason of a choice. */
typedef enum {
  GST_CL_TUNE_ONLY_ONE,     /* there is one candidate */
  GST_CL_TUNE_SWITCHED_OFF, /* candidate 0, by GST_OPENCL_TUNE=0 */
  GST_CL_TUNE_NOT_NOW,      /* candidate 0: none is stored, and measuring is not
                               allowed */
  GST_CL_TUNE_FAILED,       /* candidate 0: none works */
  GST_CL_TUNE_STORED,
  GST_CL_TUNE_MEASURED,
} GstClTuneReason;

/* Returns FALSE if environment variable GST_OPENCL_TUNE is 0: then nothing is
 * measured, read or written, and candidate 0 is chosen. */
gboolean gst_cl_tune_is_on (void);

/* Returns whether a choice for @job is stored in @db. Any thread. */
gboolean gst_cl_tune_is_stored (GstClTuningDb *db, const GstClTuneJob *job);

/* Returns the index of the chosen candidate: the one stored in @db, else, if
 * @may_measure, the fastest one as measured, else 0. Sets *@reason (may be
 * NULL).
 *
 * Any thread. One thread at a time measures in @db, so that measurements do not
 * disturb each other; other threads wait, and then measure only what is not
 * stored yet. Without @may_measure no thread waits. */
guint gst_cl_tune_choose (GstClTuningDb *db, const GstClTuneJob *job,
    gboolean may_measure, GstClTuneReason *reason);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "cl/device/gstcldevice.h"

G_BEGIN_DECLS

/* How every op is built: a problem, a table of implementations, tunings.
 *
 * A problem is a plain struct of the op: what is to be computed, of frames of
 * which shape. An implementation is one way to compute it, and a row of the
 * op's table. A tuning is a set of numbers that change how long an
 * implementation takes, and nothing else. An implementation together with one
 * of its tunings is a candidate, which is what an instance is made of.
 *
 * Choosing by order (this file), choosing by measurement (choose.h), preparing
 * kernels ahead, tests and benchmarks walk the table. Nothing else decides. */

#define GST_CL_MAX_TUNING_VALUES 4
#define GST_CL_MAX_CANDIDATES    16

/* A set of numbers that a row can be tuned with. */
typedef struct {
  const gchar *name; /* of no other tuning, and of no row, of the op */
  guint values[GST_CL_MAX_TUNING_VALUES]; /* their meaning is the row's */
} GstClTuning;

typedef struct _GstClImplementation GstClImplementation;

/* A row with the numbers that one of its tunings comes to for a problem. */
typedef struct {
  const GstClImplementation *implementation;
  const GstClTuning *tuning; /* NULL: the usual one, which has no name */
  guint values[GST_CL_MAX_TUNING_VALUES];
} GstClCandidate;

/* A set of the values of the element's method enum. */
#define GST_CL_METHOD(value) (1u << (value))

/* Methods count from 1; 0 is `auto`. */
#define GST_CL_METHOD_AUTO 0

/* How instances of rows are made and run: a constant beside its functions,
 * which several rows may share. */
typedef struct {
  /* Whether instances compute @problem, of those that the row is for: for the
   * row's supports() to ask. NULL: always. */
  gboolean (*fits) (gconstpointer problem);

  /* Builds the kernels and allocates scratch memory. NULL with @error. Any
   * thread; transfer full. */
  gpointer (*create) (GstClContext *context, const GstClCandidate *candidate,
      gconstpointer problem, GError **error);

  /* Enqueues one run on @io, a struct of the op's. Waits for nothing and
   * allocates nothing. Not for two threads at once. */
  gboolean (*run) (gpointer instance, gconstpointer io, GError **error);

  /* FALSE with @error if runs have done something else than the row says, so
   * that their time counts for nothing. NULL: they never do. */
  gboolean (*check) (gpointer instance, GError **error);

  void (*free) (gpointer instance); /* accepts NULL */
} GstClInstanceFuncs;

struct _GstClImplementation {
  const gchar *name;
  gint method;           /* the one that it belongs to, never AUTO */
  const gchar *resource; /* kernel file below kernels/ that create() builds */
  GstClFamily family;    /* devices that it is written for; right on all */

  /* GST_CL_METHOD()s that come to this row where no row of theirs supports the
   * problem. */
  guint stands_in_for;

  /* Whether @row, the one that this function is in, computes @problem on
   * @device. NULL: always. */
  gboolean (*supports) (const GstClImplementation *row, gconstpointer problem,
      const GstClDevice *device);

  /* Whether `auto` takes it by order for @problem, which it supports. NULL:
   * wherever its place in the order says so. */
  gboolean (*suits) (gconstpointer problem, const GstClDevice *device);

  /* Whether it is a candidate on @device for @problem, which it supports. NULL:
   * only where it is what the order of rows gives. */
  gboolean (*is_candidate) (gconstpointer problem, const GstClDevice *device);

  /* Candidates beside the usual tuning; after the last comes one without a
   * name. NULL: none. */
  const GstClTuning *tunings;

  /* The numbers that @tuning (NULL: the usual one) comes to for @problem on
   * @device. @values are zeros before. NULL: @tuning's own, or zeros. */
  void (*resolve) (gconstpointer problem, const GstClDevice *device,
      const GstClTuning *tuning, guint values[GST_CL_MAX_TUNING_VALUES]);

  const GstClInstanceFuncs *funcs;

  /* It runs other rows or ops, one after the other, whose kernels are compiled
   * beside those of @resource, the file of the step that it is named after. */
  gboolean has_steps;

  gconstpointer data; /* what the op's code wants to know of the row */
};

/* A fixed problem of the op and what comes out for fixed samples: rows are
 * tested by it. */
typedef struct {
  const gchar *name; /* of no other answer of the op */
  gconstpointer problem;
  guint64 digest; /* of the exact result; tests compute it by the op's scalar
                     reference */
} GstClAnswer;

/* An op. Rows stand in order of preference. */
typedef struct {
  const gchar *name; /* of no other op; NULL: it has no answers */
  const GstClImplementation *rows;
  guint n_rows;

  /* @problem in words without brackets, all of it that may change which
   * candidate is the fastest: what tests and the log print, and what the
   * fastest is remembered under. transfer full */
  gchar *(*describe) (gconstpointer problem);

  /* To be raised when the kernels have changed so much that another candidate
   * may be the fastest. */
  guint version;

  /* Makes what candidates are measured with: the io of their run(). NULL with
   * @error;
   * transfer full. NULL, all three: the op has nothing to measure. */
  gpointer (
      *make_io) (GstClContext *context, gconstpointer problem, GError **error);
  void (*free_io) (gpointer io);
  /* Device memory that io and @n_candidates instances take together, about. */
  guint64 (*count_bytes) (gconstpointer problem, guint n_candidates);

  /* Known answers (selftest.h): each row supports the problem of one of them on
   * each device that it is written for. 0: rows are not tested. */
  const GstClAnswer *answers;
  guint n_answers;
  /* Whether a row that computes @problem and @answered, the problem of an
   * answer, does so by the same kernels. NULL: always. */
  gboolean (*is_alike) (gconstpointer answered, gconstpointer problem);
  /* Computes @answered, the problem of an answer, by @candidate: the digest of
   * what comes out. FALSE with @error. */
  gboolean (*compute_answer) (GstClContext *context,
      const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
      GError **error);
} GstClOpTable;

/* An instance of a row; all zeros where there is none. */
typedef struct {
  const GstClInstanceFuncs *funcs;
  gpointer data; /* what create() of the row has made */
} GstClInstance;

/* Makes an instance of @candidate, whose row supports @problem. FALSE with
 * @error, and all zeros. Any thread. */
gboolean gst_cl_instance_init (GstClInstance *self, GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);

/* Enqueues one run on @io, a struct of the op's. Waits for nothing and
 * allocates nothing. Not for two threads at once. */
gboolean gst_cl_instance_run (const GstClInstance *self, gconstpointer io,
    GError **error);

/* Frees the instance, if there is one. */
void gst_cl_instance_clear (GstClInstance *self);

/* Whether @row computes @problem on @device. */
gboolean gst_cl_implementation_is_made_for (const GstClImplementation *row,
    gconstpointer problem, const GstClDevice *device);

/* Whether @row computes @problem on @device, and has not failed its self-test
 * (selftest.h) there. */
gboolean gst_cl_implementation_supports (const GstClImplementation *row,
    gconstpointer problem, const GstClDevice *device);

/* TRUE if a row that serves @method or stands in for it would support @problem,
 * but has failed its self-test on @device. */
gboolean gst_cl_op_table_has_failed_rows (const GstClOpTable *table,
    gint method, gconstpointer problem, const GstClDevice *device);

/* The row that the order gives: the first one of @method (AUTO: of any that
 * suits @problem) written for the device's family that supports @problem, else
 * the first one for any device that does, else the first that stands in for
 * @method, families in the same order. NULL: none. */
const GstClImplementation *gst_cl_op_table_first (const GstClOpTable *table,
    gint method, gconstpointer problem, const GstClDevice *device);

/* @row with @tuning (NULL: its usual one), and what that comes to. */
GstClCandidate gst_cl_implementation_tuned (const GstClImplementation *row,
    const GstClTuning *tuning, gconstpointer problem,
    const GstClDevice *device);

/* @row with its usual tuning. */
GstClCandidate gst_cl_implementation_usual (const GstClImplementation *row,
    gconstpointer problem, const GstClDevice *device);

/* Fills @candidates with what `auto` chooses from, what the order gives first;
 * returns how many. No two come to the same. What shares a kernel file with the
 * first comes before what has to be compiled anew; rows before tunings. */
guint gst_cl_op_table_candidates (const GstClOpTable *table,
    gconstpointer problem, const GstClDevice *device,
    GstClCandidate candidates[GST_CL_MAX_CANDIDATES]);

/* The known answer that tests @row for @problem on @device: the first whose
 * kernels are those of the problem, else (or with a @problem of NULL) the first
 * that the row supports. NULL: there is none. transfer none */
const GstClAnswer *gst_cl_op_table_find_answer (const GstClOpTable *table,
    const GstClImplementation *row, gconstpointer problem,
    const GstClDevice *device);

/* The tuning's name, else the row's; no two candidates have the same. transfer
 * none */
const gchar *gst_cl_candidate_name (const GstClCandidate *candidate);

/* For is_candidate: on GPUs. */
gboolean gst_cl_is_candidate_on_gpus (gconstpointer problem,
    const GstClDevice *device);

/* --- what self-tests have found ------------------------------------------- */

/* What self-tests (selftest.h) have found out in this process about rows of the
 * ops' tables on devices. Rows and answers are told apart by their addresses.
 * Any thread. */

/* Whether @row gives wrong results on @device. */
gboolean gst_cl_row_has_failed (const GstClDevice *device, gconstpointer row);
void gst_cl_row_set_failed (const GstClDevice *device, gconstpointer row);

/* Whether @row has given @answer on @device. */
gboolean gst_cl_row_has_passed (const GstClDevice *device, gconstpointer row,
    gconstpointer answer);
void gst_cl_row_set_passed (const GstClDevice *device, gconstpointer row,
    gconstpointer answer);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "cl/context/gstclkernel.h"
#include "cl/device/gstcldevice.h"

G_BEGIN_DECLS

/* The structure of every op: a problem, a table of implementations, tunings.
 *
 * A problem is a plain struct of the op: the computation and the shape of the
 * frames. An implementation is one algorithm for it, and a row of the op's
 * table. A tuning is a set of numbers that change only the time that an
 * implementation takes. An implementation with one of its tunings is a
 * candidate, from which an instance is created.
 *
 * Choosing by order (this file), choosing by measurement (choose.h), preparing
 * kernels ahead, tests and benchmarks read the table. Nothing else decides. */

#define GST_CL_MAX_TUNING_VALUES 4
#define GST_CL_MAX_CANDIDATES    16

/* A set of numbers that tunes a row. */
typedef struct {
  const gchar *name; /* unique among tunings and rows of the op */
  guint values[GST_CL_MAX_TUNING_VALUES]; /* the row defines their meaning */
} GstClTuning;

typedef struct _GstClImplementation GstClImplementation;

/* A row with the values of one of its tunings for a problem. */
typedef struct {
  const GstClImplementation *implementation;
  const GstClTuning *tuning; /* NULL: the default tuning, which has no name */
  guint values[GST_CL_MAX_TUNING_VALUES];
} GstClCandidate;

/* A set of the values of the element's method enum. */
#define GST_CL_METHOD(value) (1u << (value))

/* Methods begin with 1; 0 is `auto`. */
#define GST_CL_METHOD_AUTO 0

/* Functions that create and run instances of rows; several rows may share them.
 */
typedef struct {
  /* Returns TRUE if instances compute @problem, among those of the row; called
   * by the row's supports(). NULL: always. */
  gboolean (*computes) (gconstpointer problem);

  /* Builds the kernels and allocates scratch memory. NULL with @error. Any
   * thread; transfer full. */
  gpointer (*create) (GstClContext *context, const GstClCandidate *candidate,
      gconstpointer problem, GError **error);

  /* Enqueues one run on @io, a struct of the op. Neither waits nor allocates.
   * Not thread-safe. */
  gboolean (*run) (gpointer instance, gconstpointer io, GError **error);

  /* Returns FALSE with @error if earlier runs did not use the row's algorithm,
   * so that their time does not count. NULL: they always do. */
  gboolean (*check) (gpointer instance, GError **error);

  void (*free) (gpointer instance); /* accepts NULL */
} GstClInstanceFuncs;

struct _GstClImplementation {
  const gchar *name;
  gint method;           /* the method of the row, never AUTO */
  const gchar *resource; /* the kernel file below kernels/ for create() */
  GstClFamily family;    /* the devices that it is written for; correct on all
                            */

  /* The GST_CL_METHOD()s for which this row is the fallback, if no row of the
   * method supports the problem. */
  guint fallback_for;

  /* The GST_CL_FAMILY_BIT()s of devices on which the row takes the least time
   * from a cold start to its first results. On other devices the preferred row
   * takes the least, compiled without optimizing. */
  guint quick_on;

  /* TRUE: drivers compute wrong results if they do not optimize, see
   * docs/devices.md. */
  gboolean needs_optimizer;

  /* Returns TRUE if @row, the row of this function, computes @problem on
   * @device. NULL: always. */
  gboolean (*supports) (const GstClImplementation *row, gconstpointer problem,
      const GstClDevice *device);

  /* Returns TRUE if `auto` prefers the row by order for @problem, which it
   * supports. NULL: always. */
  gboolean (*is_preferred) (gconstpointer problem, const GstClDevice *device);

  /* Returns TRUE if the row is a candidate on @device for @problem, which it
   * supports. NULL: only if it is the first by order. */
  gboolean (*is_candidate) (gconstpointer problem, const GstClDevice *device);

  /* Candidates in addition to the default tuning; a tuning without a name ends
   * the list. NULL: none. */
  const GstClTuning *tunings;

  /* Sets @values, which are zeros, to the values of @tuning (NULL: the default)
   * for @problem on @device. NULL: the values of @tuning, or zeros. */
  void (*resolve) (gconstpointer problem, const GstClDevice *device,
      const GstClTuning *tuning, guint values[GST_CL_MAX_TUNING_VALUES]);

  const GstClInstanceFuncs *funcs;

  /* The row runs other rows or ops one after the other. Their kernels are
   * compiled in addition to those of @resource, the file of the step that names
   * the row. */
  gboolean has_steps;

  gconstpointer data; /* data for the op's code */
};

/* A known answer: a fixed problem of the op and the digest of its result for
 * fixed samples, for the self-tests of rows. */
typedef struct {
  const gchar *name; /* unique among the answers of the op */
  gconstpointer problem;
  guint64 digest; /* of the exact result; tests compute it with the op's scalar
                     reference */
} GstClAnswer;

/* An op. Rows are in order of preference. */
typedef struct {
  const gchar *name; /* unique among ops; NULL: it has no answers */
  const GstClImplementation *rows;
  guint n_rows;

  /* Returns @problem as text without brackets, with all properties that may
   * change which candidate is the fastest. Tests and the log print it, and
   * choices are stored under it. Transfer full. */
  gchar *(*describe) (gconstpointer problem);

  /* Increase it when kernels have changed so that another candidate may be the
   * fastest. */
  guint version;

  /* Creates the io of run() for measurements. NULL with @error; transfer full.
   * All three functions are NULL if the op has nothing to measure. */
  gpointer (
      *make_io) (GstClContext *context, gconstpointer problem, GError **error);
  void (*free_io) (gpointer io);
  /* Returns the approximate device memory of io and @n_candidates instances. */
  guint64 (*count_bytes) (gconstpointer problem, guint n_candidates);

  /* Known answers (selftest.h): each row supports the problem of at least one
   * answer on each device that it is written for. 0 answers: rows are not
   * tested. */
  const GstClAnswer *answers;
  guint n_answers;
  /* Returns TRUE if a row uses the same kernels for @problem and for @answered,
   * the problem of an answer. NULL: always. */
  gboolean (*is_alike) (gconstpointer answered, gconstpointer problem);
  /* Computes @answered, the problem of an answer, by @candidate, and sets the
   * digest of the result. FALSE with @error. */
  gboolean (*compute_answer) (GstClContext *context,
      const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
      GError **error);
} GstClOpTable;

/* An instance of a row; all zeros: none. */
typedef struct {
  const GstClInstanceFuncs *funcs;
  gpointer data; /* the result of the row's create() */
} GstClInstance;

/* Creates an instance of @candidate, whose row supports @problem. FALSE with
 * @error, and all zeros. Any thread. */
gboolean gst_cl_instance_init (GstClInstance *self, GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);

/* A kernel of a row's file. */
typedef struct {
  const gchar *name;    /* NULL: not needed */
  GstClKernel **kernel; /* receives it; transfer full */
} GstClNamedKernel;

/* For create(): builds those of the @n @kernels that are needed. FALSE with
 * @error. Any thread. */
gboolean gst_cl_candidate_build (const GstClCandidate *candidate,
    GstClContext *context, const gchar *options,
    const GstClNamedKernel *kernels, guint n, GError **error);

/* Enqueues one run on @io, a struct of the op. Neither waits nor allocates. Not
 * thread-safe. */
gboolean gst_cl_instance_run (const GstClInstance *self, gconstpointer io,
    GError **error);

/* Frees the instance, if any. */
void gst_cl_instance_clear (GstClInstance *self);

/* Returns TRUE if @row computes @problem on @device. */
gboolean gst_cl_implementation_is_made_for (const GstClImplementation *row,
    gconstpointer problem, const GstClDevice *device);

/* Returns TRUE if @row computes @problem on @device, and has not failed its
 * self-test (selftest.h) there. */
gboolean gst_cl_implementation_supports (const GstClImplementation *row,
    gconstpointer problem, const GstClDevice *device);

/* Returns TRUE if a row of @method, or a fallback of @method, would support
 * @problem, but has failed its self-test on @device. */
gboolean gst_cl_op_table_has_failed_rows (const GstClOpTable *table,
    gint method, gconstpointer problem, const GstClDevice *device);

/* Returns the first row by order. It is the first row of @method that supports
 * @problem and is written for the device's family (AUTO: of any method, if the
 * row is preferred for @problem), else the first such row for any device, else
 * the first fallback of @method, with the families in the same order. NULL:
 * none. */
const GstClImplementation *gst_cl_op_table_first (const GstClOpTable *table,
    gint method, gconstpointer problem, const GstClDevice *device);

/* Returns the first row that is quick on @device (quick_on) and supports
 * @problem; NULL: none. */
const GstClImplementation *gst_cl_op_table_find_quick (
    const GstClOpTable *table, gconstpointer problem,
    const GstClDevice *device);

/* Returns @row with @tuning (NULL: its default) and the values of that tuning.
 */
GstClCandidate gst_cl_implementation_tuned (const GstClImplementation *row,
    const GstClTuning *tuning, gconstpointer problem,
    const GstClDevice *device);

/* Returns @row with its default tuning. */
GstClCandidate gst_cl_implementation_untuned (const GstClImplementation *row,
    gconstpointer problem, const GstClDevice *device);

/* Fills @candidates with the candidates of `auto`, the first by order first;
 * returns their number. No two candidates have the same row and values.
 * Candidates that share a kernel file with the first one precede those that
 * need another compilation; rows precede tunings. */
guint gst_cl_op_table_candidates (const GstClOpTable *table,
    gconstpointer problem, const GstClDevice *device,
    GstClCandidate candidates[GST_CL_MAX_CANDIDATES]);

/* Returns the known answer that tests @row for @problem on @device: the first
 * one with the same kernels as the problem, else (or if @problem is NULL) the
 * first one that the row supports. NULL: none. Transfer none. */
const GstClAnswer *gst_cl_op_table_find_answer (const GstClOpTable *table,
    const GstClImplementation *row, gconstpointer problem,
    const GstClDevice *device);

/* Returns the tuning's name, else the row's; unique among candidates. Transfer
 * none. */
const gchar *gst_cl_candidate_name (const GstClCandidate *candidate);

/* For is_candidate: returns TRUE on GPUs. */
gboolean gst_cl_is_candidate_on_gpus (gconstpointer problem,
    const GstClDevice *device);

/* --- results of self-tests ------------------------------------------------ */

/* Results of the self-tests (selftest.h) of rows on devices in this process.
 * Rows and answers are identified by their addresses. Any thread. */

/* Returns TRUE if @row gives wrong results on @device. */
gboolean gst_cl_row_has_failed (const GstClDevice *device, gconstpointer row);
void gst_cl_row_set_failed (const GstClDevice *device, gconstpointer row);

/* Returns TRUE if @row has computed @answer correctly on @device. */
gboolean gst_cl_row_has_passed (const GstClDevice *device, gconstpointer row,
    gconstpointer answer);
void gst_cl_row_set_passed (const GstClDevice *device, gconstpointer row,
    gconstpointer answer);

G_END_DECLS

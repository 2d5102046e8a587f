/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* A litmus test on a device: work-items exchange data; only one result is
 * correct. */

typedef enum {
  MEMORY_POST,       /* words from one work-item to another */
  MEMORY_MESSAGE,    /* words of whole groups */
  MEMORY_LAUNCHES,   /* a chain of launches */
  MEMORY_ONE_LAUNCH, /* the whole chain in one launch */
  MEMORY_GLOBAL,     /* atomics of global memory */
  MEMORY_LOCAL,
  MEMORY_HISTOGRAM,
  MEMORY_EXCHANGE, /* within a group, by barriers */
} MemoryKind;

typedef struct {
  MemoryKind kind;
  const gchar *kernel;       /* of clbench/memory.cl */
  guint operation;           /* memoryreference.h */
  gboolean missing_is_wrong; /* a message that does not arrive counts as a wrong
                             * result: the kernel cannot report that it gave
                             * up */
} MemoryTest;

/* Totals of the runs. */
typedef struct {
  guint64 n_runs;
  guint64 n_gave_up; /* runs without a result: a wait gave up */
  guint64 n_results; /* compared results */
  guint64 n_wrong;   /* wrong results */
  GArray *us; /* gdouble: host time of each run with a result, from launch to
                * end */
} MemoryOutcome;

typedef struct _MemoryLitmus MemoryLitmus;

/* Prepares @test, with kernels built with @options. transfer full. NULL with
 * CL_INVALID_VALUE for a test that needs two concurrent groups on a device of
 * one compute unit. */
MemoryLitmus *memory_litmus_new (GstClContext *context, const MemoryTest *test,
    const gchar *options, gboolean is_quick, guint32 seed, GError **error);
void memory_litmus_free (MemoryLitmus *litmus);

/* Returns the number of operations of one run: atomics, messages, launches or
 * barriers. */
guint memory_litmus_n_operations (const MemoryLitmus *litmus);
/* Returns how many operations follow each other in one work-item. */
guint memory_litmus_n_rounds (const MemoryLitmus *litmus);

/* Runs the test once, waits, and adds the result to @outcome. */
gboolean memory_litmus_run (MemoryLitmus *litmus, MemoryOutcome *outcome,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (MemoryLitmus, memory_litmus_free)

G_END_DECLS

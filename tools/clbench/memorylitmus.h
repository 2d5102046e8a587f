/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* One litmus test on a device: many work-items, one answer that is right. */

typedef enum {
  MEMORY_POST,       /* words from one work-item to another */
  MEMORY_MESSAGE,    /* words of whole groups */
  MEMORY_LAUNCHES,   /* a chain of launches */
  MEMORY_ONE_LAUNCH, /* all of the chain in one */
  MEMORY_GLOBAL,     /* atomics of global memory */
  MEMORY_LOCAL,
  MEMORY_HISTOGRAM,
  MEMORY_EXCHANGE, /* within a group, by barriers */
} MemoryKind;

typedef struct {
  MemoryKind kind;
  const gchar *kernel;      /* of clbench/memory.cl */
  guint operation;          /* memoryreference.h */
  gboolean loses_its_words; /* a message that does not arrive is a wrong one:
                               the kernel cannot see it */
} MemoryTest;

/* What runs have shown. */
typedef struct {
  guint64 n_runs;
  guint64 n_gave_up; /* runs that say nothing: a wait was in vain */
  guint64 n_results; /* compared */
  guint64 n_wrong;   /* of these */
  GArray *us;        /* gdouble: host time of these runs, launch to end */
} MemoryOutcome;

typedef struct _MemoryLitmus MemoryLitmus;

/* Prepares @test, with kernels built with @options. One that needs two groups
 * at a time is not for a device of one compute unit: CL_INVALID_VALUE.
 * transfer full */
MemoryLitmus *memory_litmus_new (GstClContext *context, const MemoryTest *test,
    const gchar *options, gboolean is_quick, guint32 seed, GError **error);
void memory_litmus_free (MemoryLitmus *litmus);

/* Operations of one run: atomics, messages, launches or barriers. */
guint memory_litmus_n_operations (const MemoryLitmus *litmus);
/* How many of these come one after the other. */
guint memory_litmus_n_rounds (const MemoryLitmus *litmus);

/* Runs it once, waits, and adds to @outcome. */
gboolean memory_litmus_run (MemoryLitmus *litmus, MemoryOutcome *outcome,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (MemoryLitmus, memory_litmus_free)

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the kernels of kernels/memory.cl should leave, by plain loops. Words are
 * modulo 2^32. */

/* Numbers that the kernels have as well. */
enum {
  MEMORY_GAVE_UP = 0, /* the word in which work-groups say that they gave up */
  MEMORY_ITEMS = 64,  /* work-items of a group */
  MEMORY_EXCHANGE_ITEMS = 256,
  MEMORY_LOCAL_CELLS = 8,
  MEMORY_BINS = 256,

  /* What an atomic does: one of ADD, MIN and MAX, and what goes with it. */
  MEMORY_WITH_RESULT = 1,
  MEMORY_PLAIN = 2,
  MEMORY_ADD = 4,
  MEMORY_MIN = 8,
  MEMORY_MAX = 16,

  /* What a histogram does without atomics. */
  MEMORY_PLAIN_COUNT = 1,
  MEMORY_PLAIN_MERGE = 2,
};

/* The cell of work-item @item of all groups. @is_local: each group has
 * MEMORY_LOCAL_CELLS of its own; else all groups share one for each of their
 * work-items. */
guint memory_reference_cell (guint item, gboolean is_local);

/* What a cell holds at first. */
guint32 memory_reference_start (guint operation);

/* @cells, which hold that, after @n_rounds of @n_items work-items in all.
 * @totals receives, for each cell, the sum of what its work-items note. */
void memory_reference_atomics (guint32 *cells, guint32 *totals, guint n_cells,
    guint n_items, guint n_rounds, guint32 seed, guint operation,
    gboolean is_local);

/* Adds to MEMORY_BINS @bins. */
void memory_reference_histogram (guint32 *bins, guint n_items, guint n_rounds,
    guint32 seed);

/* @words, @n_items of them, after @n_rounds steps of the chain of launches. */
void memory_reference_launches (guint32 *words, guint n_items, guint n_rounds);

/* @words: what the work-items of groups of MEMORY_EXCHANGE_ITEMS have in the
 * end. */
void memory_reference_exchange (guint32 *words, guint n_items, guint n_rounds,
    guint32 seed);

G_END_DECLS

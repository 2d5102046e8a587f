/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Expected results of the kernels of kernels/memory.cl, computed by plain
 * loops. Words are modulo 2^32. */

/* Constants that the kernels share. */
enum {
  MEMORY_GAVE_UP = 0, /* the word that a work-group sets when it gives up */
  MEMORY_ITEMS = 64,  /* work-items of a group */
  MEMORY_EXCHANGE_ITEMS = 256,
  MEMORY_LOCAL_CELLS = 8,
  MEMORY_BINS = 256,

  /* Operation of an atomic: one of ADD, MIN and MAX, with these flags. */
  MEMORY_WITH_RESULT = 1,
  MEMORY_PLAIN = 2,
  MEMORY_ADD = 4,
  MEMORY_MIN = 8,
  MEMORY_MAX = 16,

  /* Flags of a histogram without atomics. */
  MEMORY_PLAIN_COUNT = 1,
  MEMORY_PLAIN_MERGE = 2,
};

/* Returns the cell of work-item @item of all groups. @is_local: each group has
 * MEMORY_LOCAL_CELLS of its own; otherwise all groups share one for each of
 * their work-items. */
guint memory_reference_cell (guint item, gboolean is_local);

/* Returns the initial value of a cell. */
guint32 memory_reference_start (guint operation);

/* Replaces the initial values in @cells by the values after @n_rounds rounds of
 * @n_items work-items. *@totals receives, for each cell, the sum of the totals
 * of its work-items. */
void memory_reference_atomics (guint32 *cells, guint32 *totals, guint n_cells,
    guint n_items, guint n_rounds, guint32 seed, guint operation,
    gboolean is_local);

/* Adds the counts of all work-items to @bins, MEMORY_BINS of them. */
void memory_reference_histogram (guint32 *bins, guint n_items, guint n_rounds,
    guint32 seed);

/* Computes @words, @n_items of them, after @n_rounds steps of the chain of
 * launches. */
void memory_reference_launches (guint32 *words, guint n_items, guint n_rounds);

/* Stores the final word of each work-item in @words, @n_items of them, in
 * groups of MEMORY_EXCHANGE_ITEMS. */
void memory_reference_exchange (guint32 *words, guint n_items, guint n_rounds,
    guint32 seed);

G_END_DECLS

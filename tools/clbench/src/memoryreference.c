/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scalar references of the litmus tests. */

#include "memoryreference.h"

#define PRIME 0x9E3779B1u

static guint32
round_value (guint item, guint round, guint n_rounds, guint32 seed)
{
  return (item * n_rounds + round) * PRIME + seed;
}

guint
memory_reference_cell (guint item, gboolean is_local)
{
  const guint place = item % MEMORY_ITEMS;

  return is_local ? item / MEMORY_ITEMS * MEMORY_LOCAL_CELLS +
                        place % MEMORY_LOCAL_CELLS
                  : place;
}

guint32
memory_reference_start (guint operation)
{
  return operation & MEMORY_MIN ? G_MAXUINT32 : 0;
}

/* Returns a cell after the operation with @value. */
static guint32
new_value (guint32 before, guint32 value, guint operation)
{
  if (operation & MEMORY_MIN)
    return MIN (before, value);
  if (operation & MEMORY_MAX)
    return MAX (before, value);

  return before + value;
}

void
memory_reference_atomics (guint32 *cells, guint32 *totals, guint n_cells,
    guint n_items, guint n_rounds, guint32 seed, guint operation,
    gboolean is_local)
{
  const gboolean counts = (operation & MEMORY_ADD) &&
                          (operation & MEMORY_WITH_RESULT);

  for (guint i = 0; i < n_cells; i++)
    totals[i] = 0;

  for (guint item = 0; item < n_items; item++) {
    const guint cell = memory_reference_cell (item, is_local);

    for (guint r = 0; r < n_rounds; r++) {
      const guint32 value = counts ? 1 : round_value (item, r, n_rounds, seed);

      /* in any order, counts return each number once; minima and maxima never
       * go back, so that their totals are 0 */
      if (counts)
        totals[cell] += cells[cell];
      cells[cell] = new_value (cells[cell], value, operation);
    }
  }
}

void
memory_reference_histogram (guint32 *bins, guint n_items, guint n_rounds,
    guint32 seed)
{
  for (guint item = 0; item < n_items; item++) {
    for (guint r = 0; r < n_rounds; r++)
      bins[round_value (item, r, n_rounds, seed) >> 24]++;
  }
}

void
memory_reference_launches (guint32 *words, guint n_items, guint n_rounds)
{
  g_autofree guint32 *before = g_new (guint32, n_items);

  for (guint r = 0; r < n_rounds; r++) {
    for (guint i = 0; i < n_items; i++)
      before[i] = words[i];
    for (guint i = 0; i < n_items; i++)
      words[i] = 5 * before[(i + n_items / 2 + 1) % n_items] + i;
  }
}

void
memory_reference_exchange (guint32 *words, guint n_items, guint n_rounds,
    guint32 seed)
{
  for (guint i = 0; i < n_items; i++)
    words[i] = i * PRIME + seed;

  for (guint first = 0; first < n_items; first += MEMORY_EXCHANGE_ITEMS) {
    guint32 *own = words + first;

    for (guint r = 0; r < n_rounds; r++) {
      for (guint i = 0; i < MEMORY_EXCHANGE_ITEMS / 2; i++) {
        const guint other = MEMORY_EXCHANGE_ITEMS - 1 - i;
        const guint32 a = own[i], b = own[other];

        own[i] = 3 * a + b;
        own[other] = 3 * b + a;
      }
    }
  }
}

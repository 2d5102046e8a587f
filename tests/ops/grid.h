/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/implementation.h"

G_BEGIN_DECLS

/* Problems of an op, many enough that each of its rows is chosen for some. */
typedef struct {
  const gchar
      *name; /* folder below tests/, with the op's implementations.txt */
  const GstClOpTable *table;
  const gchar *const *methods; /* by value, from AUTO on; NULL after the last */

  /* Problem @index, counted from 0; NULL after the last. Lasts until the next
   * call. */
  gconstpointer (*get_problem) (guint index);
} OpGrid;

extern const OpGrid devicesync_grid, integral_grid, metrics_grid, moments_grid;

G_END_DECLS

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

  /* Whether no row serves @method for @problem. NULL: one always does. */
  gboolean (*lacks) (gint method, gconstpointer problem);

  const GstClDevice *devices; /* NULL: those of test_tables.c */
  guint n_devices;

  /* For many problems, which are printed in groups, a line for all members that
   * have one choice. A group's problems follow each other; those that share a
   * member's name have the same choice. NULL, both: problems are printed one by
   * one, in the table's words. */
  gchar *(*name_group) (guint index); /* NULL after the last; transfer full */
  const gchar *(*name_member) (guint index); /* transfer none */
} OpGrid;

extern const OpGrid integral_grid, local_mean_grid, metrics_grid, moments_grid;

G_END_DECLS

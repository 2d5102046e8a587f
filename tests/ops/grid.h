/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* Problems of an op, so many that each of its rows is selected for some. */
typedef struct {
  const gchar
      *name; /* folder below tests/, with the op's implementations.txt */
  const GstClOpTable *table;
  const gchar *const *methods; /* by value, from AUTO on; NULL after the last */

  /* Returns problem @index, counted from 0; NULL after the last. Valid until
   * the next call. */
  gconstpointer (*get_problem) (guint index);

  /* Returns whether no row supports @method for @problem. NULL: one always
   * does. */
  gboolean (*lacks) (gint method, gconstpointer problem);

  const GstClDevice *devices; /* NULL: those of test_tables.c */
  guint n_devices;

  /* For many problems, which are printed in groups, with a line for all members
   * that have the same choice. The problems of a group are consecutive; those
   * with the same member's name have the same choice. Both NULL: problems are
   * printed one by one, with the table's names. */
  gchar *(*name_group) (guint index); /* NULL after the last; transfer full */
  const gchar *(*name_member) (guint index); /* transfer none */
} OpGrid;

/* Components of 1920 x 1080 samples of several types, for the problems of ops
 * on components: test_tables.c. */
#define N_OP_GRID_COMPONENTS 3
extern const GstClComponent op_grid_components[N_OP_GRID_COMPONENTS];

extern const OpGrid blocks_grid, cells_grid, errors_grid, flash_grid,
    integral_grid, light_grid, local_mean_grid, metrics_grid, moments_grid,
    packing_grid, profiles_grid, scope_draw_grid, scopes_grid, ssim_grid,
    xpsnr_grid;

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/implementation.h"

G_BEGIN_DECLS

/* Returns the row of @table named @name; aborts if there is none. */
static inline const GstClImplementation *
op_row_find (const GstClOpTable *table, const gchar *name)
{
  for (guint i = 0; i < table->n_rows; i++) {
    if (g_str_equal (table->rows[i].name, name))
      return &table->rows[i];
  }

  g_error ("there is no implementation \"%s\"", name);
}

G_END_DECLS

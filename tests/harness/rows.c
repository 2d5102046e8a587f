/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of a test for the rows of a table of implementations. */

#include "rows.h"

#include "oprow.h"

#include <string.h>

int
harness_rows_main (int argc, char **argv, const GstClOpTable *table,
    void (*check) (Harness *h), void (*bench) (Harness *h),
    const HarnessCase *more, guint n_more)
{
  g_autoptr (GArray) cases = g_array_new (FALSE, FALSE, sizeof (HarnessCase));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < table->n_rows; i++) {
    gchar *name = g_strconcat (table->name, "/", table->rows[i].name, NULL);
    const HarnessCase of_row = { name, check, bench, FALSE };

    g_ptr_array_add (names, name);
    g_array_append_val (cases, of_row);
  }
  if (n_more > 0)
    g_array_append_vals (cases, more, n_more);

  return harness_main (argc, argv, (const HarnessCase *) cases->data,
      cases->len);
}

const GstClImplementation *
harness_row (const Harness *h, const GstClOpTable *table)
{
  return op_row_find (table, h->label + strlen (table->name) + strlen ("/"));
}

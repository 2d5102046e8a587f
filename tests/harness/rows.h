/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness.h"

G_BEGIN_DECLS

/* Cases of a test for the rows of a table of implementations. */

/* harness_main() with a case TABLE/ROW for each row of @table, which calls
 * @check and @bench, and with the @n_more cases of @more. */
int harness_rows_main (int argc, char **argv, const GstClOpTable *table,
    void (*check) (Harness *h), void (*bench) (Harness *h),
    const HarnessCase *more, guint n_more);

/* Returns the row of @table that such a case is for. */
const GstClImplementation *harness_row (const Harness *h,
    const GstClOpTable *table);

G_END_DECLS

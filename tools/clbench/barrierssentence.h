/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What a barrier across all compute units costs, or a launch in its place. */
typedef struct {
  const gchar *kind; /* its rows' name */
  guint n_items;     /* of a work-group */
  gdouble ns;        /* of itself, without the work beside it; 0 or less: it
                        cannot be told from the work */
} BarriersCost;

/* A time in the unit that reads best: "321 ns", "1.33 us". transfer full */
gchar *barriers_format_ns (gdouble ns);

/* Which of @barriers costs least, in one sentence, beside the cheapest of
 * @launches; both are arrays of BarriersCost of @n_groups work-groups, and hold
 * what was right. What costs nothing that can be measured is not compared.
 * transfer full */
gchar *barriers_sentence (const GArray *barriers, const GArray *launches,
    guint n_groups);

G_END_DECLS

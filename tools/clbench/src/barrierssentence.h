/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The cost of a barrier across all compute units, or of a launch in its
 * place. */
typedef struct {
  const gchar *kind; /* name in its rows */
  guint n_items;     /* of a work-group */
  gdouble ns; /* without the work of the round; 0 or less: not measurable */
} BarriersCost;

/* Formats a time with three digits: "321 ns", "1.33 us". transfer full */
gchar *barriers_format_ns (gdouble ns);

/* Returns a sentence about the cheapest of @barriers, compared with the
 * cheapest of @launches. Both are arrays of BarriersCost of @n_groups
 * work-groups, with correct results only. Costs that are not measurable are not
 * compared. transfer full */
gchar *barriers_sentence (const GArray *barriers, const GArray *launches,
    guint n_groups);

G_END_DECLS

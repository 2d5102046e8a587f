/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Summarizes the rows of barriers in one sentence. */

#include "barrierssentence.h"

gchar *
barriers_format_ns (gdouble ns)
{
  if (ABS (ns) < 1e3)
    return g_strdup_printf ("%.0f ns", ns);
  if (ABS (ns) < 1e6)
    return g_strdup_printf ("%.2f us", ns / 1e3);

  return g_strdup_printf ("%.2f ms", ns / 1e6);
}

/* Returns the cheapest; with @beside the cheapest of another kind at its size.
 * NULL if nothing has a measurable cost. */
static const BarriersCost *
find_cheapest (const GArray *costs, const BarriersCost *beside)
{
  const BarriersCost *cheapest = NULL;

  for (guint i = 0; i < costs->len; i++) {
    const BarriersCost *cost = &g_array_index (costs, BarriersCost, i);

    if (cost->ns <= 0)
      continue;
    if (beside && (cost == beside || cost->n_items != beside->n_items))
      continue;
    if (!cheapest || cost->ns < cheapest->ns)
      cheapest = cost;
  }

  return cheapest;
}

gchar *
barriers_sentence (const GArray *barriers, const GArray *launches,
    guint n_groups)
{
  const BarriersCost *first = find_cheapest (barriers, NULL);
  const BarriersCost *second = first ? find_cheapest (barriers, first) : NULL;
  const BarriersCost *cheapest_launch = find_cheapest (launches, NULL);
  const gdouble launch_ns = cheapest_launch ? cheapest_launch->ns : 0;
  g_autofree gchar *launch = barriers_format_ns (launch_ns);
  g_autofree gchar *barrier = NULL, *lead = NULL;

  if (barriers->len == 0)
    return g_strdup ("no barrier holds across all compute units; several "
                     "launches do.");
  if (!first)
    return g_strdup_printf ("no barrier of %u work-groups costs anything "
                            "measurable; a launch takes %s.",
        n_groups, launch);

  if (second)
    lead = g_strdup_printf (" (%s takes %.2f times as long)", second->kind,
        second->ns / first->ns);
  barrier = barriers_format_ns (first->ns);

  return g_strdup_printf (
      "across all %u compute units %s wins, with work-groups of %u: %s a "
      "barrier%s; a launch takes %s, as long as %.1f barriers.",
      n_groups, first->kind, first->n_items, barrier, lead ? lead : "", launch,
      launch_ns / first->ns);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fastest barrier, from the costs of barriers on several devices. */

#include "barrierssentence.h"
#include "suite.h"

/* Ends with an entry without a kind. */
static GArray *
list_costs (const BarriersCost *costs)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (BarriersCost));

  for (; costs->kind; costs++)
    g_array_append_val (list, *costs);

  return list;
}

#define NO_COST                                                                \
  {                                                                            \
    NULL, 0, 0                                                                 \
  }

static void
expect (const BarriersCost *barriers, const BarriersCost *launches,
    const gchar *expected)
{
  g_autoptr (GArray) barrier_costs = list_costs (barriers);
  g_autoptr (GArray) launch_costs = list_costs (launches);
  g_autofree gchar *sentence = barriers_sentence (barrier_costs, launch_costs,
      2);

  fail_unless_equals_string (sentence, expected);
}

/* Two cores with PoCL: costs that are not measurable do not win; sizes with
 * larger work beside the barrier are not penalized. */
TEST (test_fastest_barrier_without_work)
{
  static const BarriersCost barriers[] = {
    { "every-item", 32, 446.3 },
    { "leader", 32, 480.5 },
    { "leader", 64, 507.3 },
    { "flags", 64, 763.4 },
    { "atomics", 64, 321.3 },
    { "leader", 256, -100.1 },
    { "flags", 256, 412.6 },
    { "atomics", 256, -39.1 },
    { "leader", 1024, 1998.8 },
    NO_COST,
  };
  static const BarriersCost launches[] = {
    { "launches", 32, 3179.4 },
    { "launches", 64, 3867.2 },
    { "launches", 256, 5566.7 },
    NO_COST,
  };

  expect (barriers, launches,
      "across all 2 compute units atomics wins, with work-groups of 64: 321 ns "
      "a barrier (leader takes 1.58 times as long); a launch takes 3.18 us, as "
      "long as 9.9 barriers.");
}

TEST (test_one_barrier_at_its_size)
{
  static const BarriersCost barriers[] = {
    { "leader", 32, 2e3 },
    { "flags", 64, 3e3 },
    NO_COST,
  };
  static const BarriersCost launches[] = { { "launches", 64, 4e6 }, NO_COST };

  expect (barriers, launches,
      "across all 2 compute units leader wins, with work-groups of 32: 2.00 us "
      "a barrier; a launch takes 4.00 ms, as long as 2000.0 barriers.");
}

TEST (test_no_winner)
{
  static const BarriersCost none[] = { NO_COST };
  static const BarriersCost free_of_cost[] = { { "leader", 32, -1 },
    { "flags", 32, 0 }, NO_COST };
  static const BarriersCost launches[] = { { "launches", 32, 5e3 }, NO_COST };

  expect (none, launches,
      "no barrier holds across all compute units; several launches do.");
  expect (free_of_cost, launches,
      "no barrier of 2 work-groups costs anything measurable; a launch takes "
      "5.00 us.");
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Barriers across the work-groups of one launch: whether they work, and the
 * cost of one, compared with a launch. */

#include "barriersmeasure.h"
#include "barrierssentence.h"

#define TECHNIQUE "barriers"

static const guint group_sizes[] = { 32, 64, 256, 1024 };

enum { NONE, LAUNCHES, FIRST_BARRIER };

static const BarriersKind kinds[] = {
  [NONE] = { .name = "none", .barrier = "NO_BARRIER", .expected_wrong = TRUE },
  [LAUNCHES] = { .name = "launches",
      .barrier = "NO_BARRIER",
      .takes_several_launches = TRUE },
  [FIRST_BARRIER] = { .name = "every-item", .barrier = "EVERY_ITEM" },
  { .name = "leader", .barrier = "LEADER" },
  { .name = "flags", .barrier = "FLAGS" },
  { .name = "atomics", .barrier = "ATOMICS", .needs_scoped_atomics = TRUE },
};

/* Rings of one size. */
typedef struct {
  guint n_items, n_groups;
  /* of half a round, with its barrier or launch; 0: none, or a wrong one */
  gdouble ns[G_N_ELEMENTS (kinds)];
} Size;

typedef struct {
  Bench *bench;
  gint64 end_us; /* when all rows should be complete */
  guint n_rows_left;
  GArray *sizes; /* number of sizes complete or running */
} Sweep;

/* ---- rows ---- */

/* Returns the time of a barrier or a launch, without the sums of the ring. */
static gdouble
net_ns (const Size *size, guint kind)
{
  return size->ns[kind] - size->ns[NONE];
}

static gchar *
describe (const Size *size, guint kind, const BarriersOutcome *outcome)
{
  const gchar *step = kind == LAUNCHES ? "launch" : "barrier";
  const gdouble wrong_share = outcome->n_wrong / (gdouble) outcome->n_elements;
  const gdouble net = net_ns (size, kind);
  g_autofree gchar *whole = barriers_format_ns (size->ns[kind]);
  g_autofree gchar *part = net > 0 ? barriers_format_ns (net) : NULL;

  if (kind == NONE)
    return g_strdup_printf ("%s for half a round, %.1f %% of elements wrong",
        whole, 100 * wrong_share);

  return g_strdup_printf ("%s a %s, %s with half a round, %" G_GUINT64_FORMAT
                          " rounds",
      part ? part : "nothing measurable", step, whole, outcome->n_rounds);
}

static GVariant *
list_figures (const Size *size, guint kind, const BarriersOutcome *outcome)
{
  GVariantBuilder figures;

  g_variant_builder_init (&figures, G_VARIANT_TYPE ("a{sd}"));
#define ADD(name, value)                                                       \
  g_variant_builder_add (&figures, "{sd}", name, (gdouble) (value))
  ADD ("items", size->n_items);
  ADD ("groups", size->n_groups);
  ADD ("rounds", outcome->n_rounds);
  ADD ("ns_with_work", size->ns[kind]);
  if (kind == LAUNCHES)
    ADD ("ns_per_launch", net_ns (size, kind));
  else if (kind != NONE)
    ADD ("ns_per_barrier", net_ns (size, kind));
  ADD ("wrong_share", outcome->n_wrong / (gdouble) outcome->n_elements);
#undef ADD

  return g_variant_builder_end (&figures);
}

static void
add_row (const Sweep *sweep, Size *size, guint kind, const gchar *name,
    const BarriersOutcome *outcome)
{
  g_autofree gchar *detail = NULL;

  size->ns[kind] = outcome->round.median * 1e3 / 2;
  detail = describe (size, kind, outcome);

  const ReportRow row = {
    .technique = TECHNIQUE,
    .row = name,
    .correct = outcome->n_wrong == 0,
    .expected_wrong = kinds[kind].expected_wrong,
    .median_us = outcome->round.median,
    .low_us = outcome->round.low,
    .high_us = outcome->round.high,
    .detail = detail,
    .figures = list_figures (size, kind, outcome),
  };
  report_add (sweep->bench->report, &row);
  if (outcome->n_wrong > 0 && kind >= FIRST_BARRIER)
    size->ns[kind] = 0; /* not a candidate for the fastest */
}

static gboolean
bench_row (Sweep *sweep, Size *size, guint kind, GError **error)
{
  const gint64 left_us = sweep->end_us - g_get_monotonic_time ();
  g_autofree gchar *name = g_strdup_printf ("%s, %u items, %u %s",
      kinds[kind].name, size->n_items, size->n_groups,
      size->n_groups == 1 ? "group" : "groups");
  g_autofree gchar *what = g_strconcat (TECHNIQUE ": ", name, NULL);
  g_autofree gchar *refusal = NULL;
  BarriersOutcome outcome;

  bench_progress (sweep->bench, what);
  if (!barriers_measure (sweep->bench, &kinds[kind], size->n_items,
          size->n_groups, MAX (left_us, 0) / sweep->n_rows_left, &outcome,
          &refusal, error))
    return FALSE;

  if (refusal)
    report_skip (sweep->bench->report, TECHNIQUE, name, refusal);
  else
    add_row (sweep, size, kind, name, &outcome);
  sweep->n_rows_left--;

  return TRUE;
}

/* ---- the technique ---- */

static void
conclude (const Sweep *sweep)
{
  const guint n_units = sweep->bench->context->device->compute_units;
  g_autoptr (GArray)
      barriers = g_array_new (FALSE, FALSE, sizeof (BarriersCost));
  g_autoptr (GArray)
      launches = g_array_new (FALSE, FALSE, sizeof (BarriersCost));
  g_autofree gchar *sentence = NULL;

  for (guint i = 0; i < sweep->sizes->len; i++) {
    const Size *size = &g_array_index (sweep->sizes, Size, i);

    for (guint kind = LAUNCHES; kind < G_N_ELEMENTS (kinds); kind++) {
      const BarriersCost cost = { kinds[kind].name, size->n_items,
        net_ns (size, kind) };

      if (size->n_groups == n_units && size->ns[kind] > 0)
        g_array_append_val (kind == LAUNCHES ? launches : barriers, cost);
    }
  }

  sentence = barriers_sentence (barriers, launches, n_units);
  report_conclude (sweep->bench->report, TECHNIQUE, sentence);
}

/* 1, 2, 4, ..., all compute units. */
static guint
next_count (guint n_groups, guint most)
{
  return n_groups == most ? most + 1 : MIN (2 * n_groups, most);
}

static guint
count_rows (guint most)
{
  guint n_counts = 0;

  for (guint n = 1; n <= most; n = next_count (n, most))
    n_counts++;

  return n_counts * G_N_ELEMENTS (group_sizes) * G_N_ELEMENTS (kinds);
}

static gboolean
bench_size (Sweep *sweep, guint n_items, guint n_groups, GError **error)
{
  const Size new_size = { .n_items = n_items, .n_groups = n_groups };
  Size *size;

  g_array_append_val (sweep->sizes, new_size);
  size = &g_array_index (sweep->sizes, Size, sweep->sizes->len - 1);
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++) {
    if (!bench_row (sweep, size, kind, error))
      return FALSE;
  }

  return TRUE;
}

gboolean
bench_barriers (Bench *bench, GError **error)
{
  const guint most = bench->context->device->compute_units;
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (Size));
  Sweep sweep = {
    .bench = bench,
    .end_us = g_get_monotonic_time () + bench->allowed_us,
    .n_rows_left = count_rows (most),
    .sizes = sizes,
  };

  for (guint i = 0; i < G_N_ELEMENTS (group_sizes); i++) {
    for (guint n = 1; n <= most; n = next_count (n, most)) {
      if (!bench_size (&sweep, group_sizes[i], n, error))
        return FALSE;
    }
  }
  conclude (&sweep);

  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Litmus tests of kernels/memory.cl: their initial values, and the check of
 * their results. */

#include "memorylitmus.h"

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclbuffer.h"
#include "memoryreference.h"

#include <string.h>

#define RESOURCE "clbench/memory.cl"

/* Layout of shared and results, as in the kernels. */
#define LINE       32 /* words */
#define PAIR_WORDS (2 * LINE)

#define MAX_PAIRS 32

/* The size of a run. */
typedef struct {
  guint least_groups, groups_per_unit, most_groups;
  guint n_rounds, n_quick_rounds;
} Size;

static const Size sizes[] = {
  [MEMORY_POST] = { 2, 1, 2 * MAX_PAIRS, 200, 50 },
  [MEMORY_MESSAGE] = { 2, 1, 2 * MAX_PAIRS, 200, 50 },
  [MEMORY_LAUNCHES] = { 64, 2, 256, 64, 16 },
  [MEMORY_ONE_LAUNCH] = { 64, 2, 256, 64, 16 },
  [MEMORY_GLOBAL] = { 64, 2, 256, 32, 32 },
  [MEMORY_LOCAL] = { 16, 2, 256, 64, 64 },
  [MEMORY_HISTOGRAM] = { 128, 2, 256, 4, 4 },
  [MEMORY_EXCHANGE] = { 4, 2, 256, 64, 64 },
};

/* A buffer of the device, with its initial values and a copy of its
 * contents. */
typedef struct {
  guint n_words;
  guint32 *start, *got;
  cl_mem mem;
} Words;

struct _MemoryLitmus {
  GstClContext *context;
  MemoryTest test;
  GstClKernel *kernel;
  guint n_groups, n_items, n_rounds;
  guint32 seed;
  Words shared, results;

  guint n_expected; /* words to compare, of shared or of results */
  guint32 *expected;
  guint32 *totals; /* totals of the work-items of a cell; NULL: no atomics */
};

/* ---- life cycle ---- */

static gboolean
words_init (Words *words, guint n_words, GstClContext *context, GError **error)
{
  words->n_words = n_words;
  words->start = g_new0 (guint32, n_words);
  words->got = g_new0 (guint32, n_words);
  words->mem = gst_cl_buffer_new (context, n_words * sizeof *words->start,
      error);

  return words->mem != NULL;
}

static void
words_clear (Words *words)
{
  gst_cl_buffer_free (words->mem);
  g_free (words->start);
  g_free (words->got);
}

static gboolean
words_write (const Words *words, GstClContext *context, GError **error)
{
  return gst_cl_buffer_write (context, words->mem, 0,
      words->n_words * sizeof *words->start, words->start, error);
}

static gboolean
words_read (const Words *words, GstClContext *context, GError **error)
{
  return gst_cl_buffer_read (context, words->mem, 0,
      words->n_words * sizeof *words->got, words->got, error);
}

static gboolean
allocate (MemoryLitmus *self, GError **error)
{
  const guint n_pairs = self->n_groups / 2;
  guint n_shared = self->n_items, n_results = self->n_items;

  switch (self->test.kind) {
    case MEMORY_POST:
      n_shared = LINE + n_pairs * PAIR_WORDS;
      n_results = 2 * n_pairs * LINE;
      break;
    case MEMORY_MESSAGE:
      n_shared = LINE + n_pairs * PAIR_WORDS;
      n_results = 3 * n_pairs * MEMORY_ITEMS;
      break;
    case MEMORY_GLOBAL:
      n_shared = MEMORY_ITEMS;
      break;
    case MEMORY_LOCAL:
      n_shared = self->n_groups * MEMORY_LOCAL_CELLS;
      break;
    case MEMORY_HISTOGRAM:
      n_shared = MEMORY_BINS;
      n_results = 1;
      break;
    default:
      break;
  }

  return words_init (&self->shared, n_shared, self->context, error) &&
         words_init (&self->results, n_results, self->context, error);
}

/* Initial values of a run, and the expected results. */
static void
prepare (MemoryLitmus *self)
{
  const MemoryTest *test = &self->test;
  const gboolean is_local = test->kind == MEMORY_LOCAL;
  Words *shared = &self->shared;

  switch (test->kind) {
    case MEMORY_POST:
    case MEMORY_MESSAGE:
      return; /* zeros; the kernel compares */
    case MEMORY_LAUNCHES:
    case MEMORY_ONE_LAUNCH:
      self->n_expected = shared->n_words;
      for (guint i = 0; i < shared->n_words; i++)
        shared->start[i] = self->seed + i;
      break;
    case MEMORY_GLOBAL:
    case MEMORY_LOCAL:
      self->n_expected = shared->n_words;
      for (guint i = 0; i < shared->n_words; i++)
        shared->start[i] = memory_reference_start (test->operation);
      self->totals = g_new0 (guint32, shared->n_words);
      break;
    case MEMORY_HISTOGRAM:
      self->n_expected = shared->n_words;
      break;
    case MEMORY_EXCHANGE:
      self->n_expected = self->n_items;
      break;
  }

  self->expected = g_new0 (guint32, self->n_expected);
  if (self->n_expected == shared->n_words)
    memcpy (self->expected, shared->start,
        self->n_expected * sizeof *self->expected);

  if (self->totals)
    memory_reference_atomics (self->expected, self->totals, self->n_expected,
        self->n_items, self->n_rounds, self->seed, test->operation, is_local);
  else if (test->kind == MEMORY_HISTOGRAM)
    memory_reference_histogram (self->expected, self->n_items, self->n_rounds,
        self->seed);
  else if (test->kind == MEMORY_EXCHANGE)
    memory_reference_exchange (self->expected, self->n_items, self->n_rounds,
        self->seed);
  else
    memory_reference_launches (self->expected, self->n_items, self->n_rounds);
}

/* Sets the numbers of groups, work-items and rounds. FALSE with
 * CL_INVALID_VALUE: the test needs two groups at once, the device runs one. */
static gboolean
choose_size (MemoryLitmus *self, gboolean is_quick, GError **error)
{
  const Size *size = &sizes[self->test.kind];
  const guint n_units = self->context->device->compute_units;
  const gboolean is_of_pairs = self->test.kind <= MEMORY_MESSAGE;

  if (is_of_pairs && n_units < 2) {
    g_set_error (error, GST_CL_ERROR, CL_INVALID_VALUE,
        "two work-groups cannot wait for each other on %s: it runs one at a "
        "time",
        self->context->device->name);
    return FALSE;
  }

  self->n_groups = CLAMP (n_units * size->groups_per_unit, size->least_groups,
      size->most_groups);
  if (is_of_pairs)
    self->n_groups -= self->n_groups % 2;
  self->n_items = self->n_groups *
                  (guint) gst_cl_kernel_local_size (self->kernel, 0);
  self->n_rounds = is_quick ? size->n_quick_rounds : size->n_rounds;

  return TRUE;
}

MemoryLitmus *
memory_litmus_new (GstClContext *context, const MemoryTest *test,
    const gchar *options, gboolean is_quick, guint32 seed, GError **error)
{
  g_autoptr (MemoryLitmus) self = g_new0 (MemoryLitmus, 1);

  self->context = gst_object_ref (context);
  self->test = *test;
  self->seed = seed;
  self->kernel = gst_cl_kernel_new (context, RESOURCE, options, test->kernel,
      error);
  if (!self->kernel || !choose_size (self, is_quick, error) ||
      !allocate (self, error))
    return NULL;
  prepare (self);

  return g_steal_pointer (&self);
}

void
memory_litmus_free (MemoryLitmus *self)
{
  if (!self)
    return;

  words_clear (&self->shared);
  words_clear (&self->results);
  gst_cl_kernel_free (self->kernel);
  gst_object_unref (self->context);
  g_free (self->expected);
  g_free (self->totals);
  g_free (self);
}

guint
memory_litmus_n_rounds (const MemoryLitmus *self)
{
  return self->n_rounds;
}

guint
memory_litmus_n_operations (const MemoryLitmus *self)
{
  switch (self->test.kind) {
    case MEMORY_POST:
    case MEMORY_MESSAGE:
      return self->n_groups / 2 * self->n_rounds;
    case MEMORY_LAUNCHES:
    case MEMORY_ONE_LAUNCH:
      return self->n_rounds;
    case MEMORY_EXCHANGE:
      return self->n_groups * self->n_rounds * 2;
    default:
      return self->n_items * self->n_rounds;
  }
}

/* ---- results of a run ---- */

/* Returns whether a reader or a writer gave up. Such a run is discarded,
 * because the writer then overwrites words that are being read. The kernel
 * without volatile flags cannot report this: its run counts if waits are
 * allowed at all. */
static gboolean
gave_up (const MemoryLitmus *self, guint n_arrived)
{
  if (self->test.missing_is_wrong)
    return gst_cl_device_spin_limit (self->context->device) == 0;

  return self->shared.got[MEMORY_GAVE_UP] != 0 || n_arrived < self->n_rounds;
}

/* Adds the results of the readers to @outcome. */
static void
judge_messages (const MemoryLitmus *self, MemoryOutcome *outcome)
{
  const gboolean is_post = self->test.kind == MEMORY_POST;
  const guint n_pairs = self->n_groups / 2;
  const guint n_words = is_post ? 1 : MEMORY_ITEMS; /* of a message */
  const guint pitch = is_post ? LINE : MEMORY_ITEMS;
  guint64 n_wrong = 0;

  for (guint pair = 0; pair < n_pairs; pair++) {
    const guint32 *found = self->results.got + (n_pairs + pair) * pitch;
    const guint n_arrived = is_post ? found[1] : found[n_pairs * pitch];

    if (gave_up (self, n_arrived)) {
      outcome->n_gave_up++;
      return;
    }
    n_wrong += self->n_rounds - n_arrived;
    for (guint i = 0; i < n_words; i++)
      n_wrong += found[i];
  }
  outcome->n_wrong += n_wrong;
  outcome->n_results += (guint64) n_pairs * n_words * self->n_rounds;
  outcome->n_runs++;
}

static void
judge_atomics (const MemoryLitmus *self, MemoryOutcome *outcome)
{
  const gboolean is_local = self->test.kind == MEMORY_LOCAL;
  g_autofree guint32 *totals = g_new0 (guint32, self->n_expected);

  for (guint item = 0; item < self->n_items; item++)
    totals[memory_reference_cell (item, is_local)] += self->results.got[item];
  for (guint cell = 0; cell < self->n_expected; cell++)
    outcome->n_wrong += self->shared.got[cell] != self->expected[cell] ||
                        totals[cell] != self->totals[cell];
  outcome->n_results += self->n_expected;
  outcome->n_runs++;
}

static void
judge_words (const MemoryLitmus *self, MemoryOutcome *outcome)
{
  const Words *words = self->test.kind == MEMORY_EXCHANGE ? &self->results
                                                          : &self->shared;

  for (guint i = 0; i < self->n_expected; i++)
    outcome->n_wrong += words->got[i] != self->expected[i];
  outcome->n_results += self->n_expected;
  outcome->n_runs++;
}

static void
judge (const MemoryLitmus *self, MemoryOutcome *outcome)
{
  if (!self->expected)
    judge_messages (self, outcome);
  else if (self->totals)
    judge_atomics (self, outcome);
  else
    judge_words (self, outcome);
}

/* ---- a run ---- */

static gboolean
launch (MemoryLitmus *self, cl_mem shared, cl_mem results, GError **error)
{
  const GstClArg args[] = {
    GST_CL_MEM (shared),
    GST_CL_MEM (results),
    GST_CL_UINT (self->n_rounds),
    GST_CL_UINT (self->seed),
    GST_CL_UINT (self->test.operation),
    GST_CL_UINT (gst_cl_device_spin_limit (self->context->device)),
  };

  return gst_cl_kernel_launch (self->kernel, self->n_items, 1, 1, args,
      G_N_ELEMENTS (args), error);
}

static gboolean
launch_all (MemoryLitmus *self, GError **error)
{
  cl_mem from = self->shared.mem, to = self->results.mem;

  if (self->test.kind != MEMORY_LAUNCHES)
    return launch (self, from, to, error);

  /* an even number of steps: the last one writes to shared */
  for (guint r = 0; r < self->n_rounds; r++) {
    const cl_mem last = from;

    if (!launch (self, from, to, error))
      return FALSE;
    from = to;
    to = last;
  }

  return TRUE;
}

gboolean
memory_litmus_run (MemoryLitmus *self, MemoryOutcome *outcome, GError **error)
{
  const guint64 n_runs = outcome->n_runs;
  gint64 start_us;
  gdouble us;

  if (!words_write (&self->shared, self->context, error) ||
      !words_write (&self->results, self->context, error))
    return FALSE;

  start_us = g_get_monotonic_time ();
  if (!launch_all (self, error) ||
      !gst_cl_context_finish (self->context, error))
    return FALSE;
  us = (gdouble) (g_get_monotonic_time () - start_us);

  if (!words_read (&self->shared, self->context, error) ||
      !words_read (&self->results, self->context, error))
    return FALSE;

  judge (self, outcome);
  if (outcome->n_runs > n_runs)
    g_array_append_val (outcome->us, us);

  return TRUE;
}

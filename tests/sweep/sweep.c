/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plays streams in which one OpenCL function fails. Each stream must have
 * correct results or one error that names its cause.
 *
 * usage: sweep [OPTION...]
 * environment:
 *   CL_TEST_SEED       the seed without --seed
 *   CL_REQUIRE_DEVICE  1: exit with 1 without an OpenCL device; otherwise with
 *                      77 (skipped) */

#include "cases.h"
#include "faults/objects.h"
#include "folder.h"

#include <gst/check/gstcheck.h>
#include <stdio.h>

#define EXIT_SKIPPED 77

static gint n_sampled = 0, seconds = 60, build_ms = 10000;
static gint64 seed = 0;
static gboolean lists_entry_points, is_verbose;
static gchar *only, *part;
static gchar *cache; /* a folder for compiled programs */

static const GOptionEntry options[] = {
  { "sample", 0, 0, G_OPTION_ARG_INT, &n_sampled,
      "Play about N of all cases, chosen at random", "N" },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &seed,
      "Seed of the random choice (CL_TEST_SEED)", "SEED" },
  { "only", 0, 0, G_OPTION_ARG_STRING, &only,
      "Play the cases whose names match this pattern, * for any letters",
      "PATTERN" },
  { "part", 0, 0, G_OPTION_ARG_STRING, &part,
      "Play part I, from 0, of N equal parts", "I/N" },
  { "build-ms", 0, 0, G_OPTION_ARG_INT, &build_ms,
      "How long a slow build takes (10000)", "MS" },
  { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "Timeout of a stream (60)",
      "S" },
  { "verbose", 0, 0, G_OPTION_ARG_NONE, &is_verbose, "Name each case", NULL },
  { "entry-points", 0, 0, G_OPTION_ARG_NONE, &lists_entry_points,
      "Print the functions that can fail, and exit", NULL },
  { 0 },
};

/* --- totals --------------------------------------------------------------- */

typedef struct {
  guint n_cases, n_injected, n_keeping_memory;
  guint n_outcomes[N_OUTCOMES];
  gboolean has_failed[N_ENTRY_POINTS];
  GHashTable *codes; /* entry points and codes that FAULT_CODE has returned */
} Totals;

static void
count (Totals *totals, const Case *item, const PlayVerdict *verdict)
{
  const Fault *fault = &item->fault;

  totals->n_cases++;
  totals->n_injected += verdict->n_failed;
  totals->n_keeping_memory += verdict->keeps_memory;
  totals->n_outcomes[verdict->outcome]++;
  if (verdict->n_failed == 0)
    return;
  totals->has_failed[fault->entry] = TRUE;
  if (fault->kind == FAULT_CODE)
    g_hash_table_add (totals->codes,
        GINT_TO_POINTER ((gint) fault->entry * 10000 - fault->code));
}

/* Prints a line for each number. scripts/faults.sh adds up those of all parts;
 * for it, each function and each code that has failed has a line, too. */
static void
print_totals (const Totals *totals)
{
  static const gchar *const outcomes[N_OUTCOMES] = {
    "streams with correct results", "streams with one correct error",
    "streams with a frame that cannot be mapped", "streams that fail the check"
  };
  GHashTableIter iter;
  gpointer code;
  guint n_codes = 0;

  for (guint i = 0; i < N_ENTRY_POINTS; i++) {
    n_codes += entry_point_n_codes (i);
    if (part && totals->has_failed[i])
      g_print ("failed %s\n", entry_points[i].name);
  }
  g_hash_table_iter_init (&iter, totals->codes);
  while (part && g_hash_table_iter_next (&iter, &code, NULL))
    g_print ("code %d\n", GPOINTER_TO_INT (code));
  g_print ("known %u %u\n", (guint) N_ENTRY_POINTS, n_codes);
  g_print ("figure %u streams\n", totals->n_cases);
  for (guint i = 0; i < N_OUTCOMES; i++)
    g_print ("figure %u %s\n", totals->n_outcomes[i], outcomes[i]);
  g_print ("figure %u streams whose memory stays in quarantine: waits fail\n",
      totals->n_keeping_memory);
  g_print ("figure %u failed calls\n", totals->n_injected);
}

/* --- playing ------------------------------------------------------------- */

/* By setting, and by host-unified or discrete mode. */
static Reference (*references)[2];

/* Prints a line that begins with FAIL; the other lines of @fault are
 * indented. */
static void
print_failure (const gchar *name, const gchar *fault)
{
  g_auto (GStrv) lines = g_strsplit (fault, "\n", -1);
  g_autofree gchar *text = g_strjoinv ("\n      ", lines);

  g_print ("FAIL %s: %s\n", name, text);
}

static gboolean
add_all_cases (GArray *cases)
{
  gboolean are_right = TRUE;

  for (guint i = 0; i < 2 * n_settings; i++) {
    const guint setting = i / 2;
    const gboolean is_unified = i % 2;
    g_autofree gchar *fault = NULL;

    play_use (&settings[setting], is_unified);
    /* the first stream compiles and stores the programs */
    if (settings[setting].is_cached)
      play_reference (&settings[setting], &references[setting][is_unified],
          &fault);
    g_clear_pointer (&fault, g_free);
    if (play_reference (&settings[setting], &references[setting][is_unified],
            &fault)) {
      cases_add (cases, setting, is_unified, &references[setting][is_unified]);
    } else {
      g_autofree gchar *name = g_strconcat (settings[setting].name,
          " without a fault", NULL);

      print_failure (name, fault);
      are_right = FALSE;
    }
  }

  return are_right;
}

static void
play_case (const Case *item, Totals *totals)
{
  g_autofree gchar *name = cases_name (item);
  g_autofree gchar *fault = NULL;
  PlayVerdict verdict;

  if (only && !g_pattern_match_simple (only, name))
    return;
  if (is_verbose)
    g_print ("%s\n", name);
  play_use (&settings[item->setting], item->is_unified);
  verdict = play_with_fault (&settings[item->setting],
      &references[item->setting][item->is_unified], item->phase, &item->fault,
      name);
  fault = verdict.fault;
  if (fault)
    print_failure (name, fault);
  count (totals, item, &verdict);
}

static gboolean
has_device (void)
{
  cl_platform_id platforms[8];
  cl_device_id device;
  cl_uint n = 0, n_devices = 0;

  clGetPlatformIDs (G_N_ELEMENTS (platforms), platforms, &n);
  for (cl_uint i = 0; i < n && n_devices == 0; i++)
    clGetDeviceIDs (platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, &n_devices);

  return n_devices > 0;
}

/* A test of gst-check, because frames.c calls its assertions. */
GST_START_TEST (play_all)
{
  Totals totals = { .codes = g_hash_table_new (NULL, NULL) };
  GArray *cases = g_array_new (FALSE, FALSE, sizeof (Case));
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) seed);
  guint first = 0, n_parts = 1;
  gboolean are_right;

  references = g_malloc0 (n_settings * sizeof *references);
  are_right = add_all_cases (cases);
  if (n_sampled > 0)
    cases_sample (cases, n_sampled, random);
  if (part && sscanf (part, "%u/%u", &first, &n_parts) != 2)
    g_error ("--part=%s is not I/N", part);
  g_print ("%u cases, seed %" G_GINT64_FORMAT "\n", cases->len, seed);
  for (guint i = first; i < cases->len; i += n_parts)
    play_case (&g_array_index (cases, Case, i), &totals);
  print_totals (&totals);
  g_array_unref (cases);
  g_hash_table_unref (totals.codes);

  test_folder_remove (g_steal_pointer (&cache));
  fail_unless (
      are_right && totals.n_cases > 0 && totals.n_outcomes[OUTCOME_WRONG] == 0);
}

GST_END_TEST;

static int
run (void)
{
  Suite *suite = suite_create ("faults");
  TCase *tcase = tcase_create ("faults");
  SRunner *runner;
  int n_failed;

  GST_DEBUG_CATEGORY_INIT (check_debug, "check", 0, NULL); /* it logs */
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, play_all);
  tcase_set_timeout (tcase, 0);
  runner = srunner_create (suite);
  srunner_set_fork_status (runner, CK_NOFORK);
  srunner_run_all (runner, CK_SILENT);
  n_failed = srunner_ntests_failed (runner);
  srunner_free (runner);

  return n_failed > 0;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  const gchar *shared_seed = g_getenv ("CL_TEST_SEED");

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  if (lists_entry_points) {
    for (guint i = 0; i < N_ENTRY_POINTS; i++)
      g_print ("%s\n", entry_points[i].name);
    return 0;
  }
  if (!has_device ())
    return g_strcmp0 (g_getenv ("CL_REQUIRE_DEVICE"), "1") == 0 ? 1
                                                                : EXIT_SKIPPED;

  if (seed == 0)
    seed = shared_seed ? g_ascii_strtoll (shared_seed, NULL, 10)
                       : g_get_real_time () / G_USEC_PER_SEC;
  cache = g_dir_make_tmp ("gst-opencl-faults-XXXXXX", &error);
  play_init (seconds, cache);
  layer_set_build_ms (build_ms);
  objects_watch ();

  return run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options, device and the loop over the cases of a kernel test. */

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

/* Further messages of a case are counted, not printed. */
#define MAX_MESSAGES 5

#define BUILD_FLAGS "POCL_EXTRA_BUILD_FLAGS" /* of PoCL */

#define EXIT_SKIP 77 /* meson shows it as SKIP */

static struct {
  gchar *pattern;
  gchar *device;
  gint64 seed;
  gboolean is_small, is_bench, is_json, is_list;
} options = { .seed = -1 };

static const GOptionEntry option_entries[] = {
  { "test", 't', 0, G_OPTION_ARG_STRING, &options.pattern,
      "Only the cases that match the glob", "PATTERN" },
  { "seed", 's', 0, G_OPTION_ARG_INT64, &options.seed,
      "Start of the random numbers", "N" },
  { "small", 'm', 0, G_OPTION_ARG_NONE, &options.is_small,
      "Few frames, and small ones, for a simulator", NULL },
  { "bench", 'b', 0, G_OPTION_ARG_NONE, &options.is_bench,
      "Time the cases instead of checking them", NULL },
  { "json", 'j', 0, G_OPTION_ARG_NONE, &options.is_json,
      "One JSON object a line", NULL },
  { "device", 'd', 0, G_OPTION_ARG_STRING, &options.device,
      "OpenCL device, as the elements' property", "NAME" },
  { "list", 'l', 0, G_OPTION_ARG_NONE, &options.is_list, "Names of the cases",
      NULL },
  { 0 },
};

const gchar *
fill_type_name (FillType fill)
{
  static const gchar *const names[N_FILL_TYPES] = { "zero", "max",
    "alternating", "random" };

  return names[fill];
}

void
harness_fail (Harness *h, GError *error, const gchar *format, ...)
{
  va_list args;

  if (h->n_failed++ >= MAX_MESSAGES)
    return;

  va_start (args, format);
  g_autofree gchar *what = g_strdup_vprintf (format, args);
  va_end (args);

  fprintf (stderr, "FAIL %s: %s%s%s\n", h->label, what, error ? ": " : "",
      error ? error->message : "");
}

guint
harness_count (const Harness *h, guint n, guint n_small)
{
  return h->is_small ? n_small : n;
}

gboolean
harness_draws (const Harness *h, guint i, guint n)
{
  return h->context->device->family != GST_CL_FAMILY_CPU ||
         (h->seed + i) % n == 0;
}

static gboolean is_unoptimized; /* BUILD_FLAGS is set by the function below */

void
harness_choose_optimizer (const Harness *h, const GstClImplementation *row)
{
  const gboolean is_optimized = row &&
                                (row->family == h->context->device->family ||
                                    row->needs_optimizer ||
                                    harness_draws (h, g_str_hash (row->name),
                                        8));

  if (is_optimized || h->is_bench || g_getenv (BUILD_FLAGS) ||
      g_strcmp0 (g_getenv ("CL_TEST_OPTIMIZED"), "1") == 0)
    return;
  g_setenv (BUILD_FLAGS, "-cl-opt-disable", TRUE);
  is_unoptimized = TRUE;
}

static gboolean
is_wanted (const HarnessCase *test)
{
  if (test->is_large && options.is_small)
    return FALSE;
  if (!(options.is_bench ? test->bench : test->check))
    return FALSE;

  return !options.pattern ||
         g_pattern_match_simple (options.pattern, test->name);
}

/* Cases that a driver version cannot run, because of driver faults;
 * docs/devices.md has the smallest kernel for each. */
static const struct {
  const gchar *platform, *driver, *cases, *reason;
} driver_faults[] = {
  { "Intel(R) OpenCL", "2026.22.10.0.01_160000", "*moments/gpu",
      "its compiler crashes" },
  { "Intel(R) OpenCL", "2026.22.10.0.01_160000", "moments/repeat",
      "its compiler crashes" },
  { "Intel(R) OpenCL", "2026.22.10.0.01_160000", "moments/candidates",
      "its compiler crashes" },
  { "Portable Computing Language", "6.0+debian", "integral/async-copy*",
      "its compiler makes invalid code with AVX-512" },
  { "Portable Computing Language", "6.0+debian", "localmean/sliding-gpu/means",
      "wrong in some runs, with empty caches" },
  { "Portable Computing Language", "6.0+debian", "localmeansliding/gpu/windows",
      "wrong in some runs, with empty caches" },
};

/* Returns why @device cannot run the case, or NULL. CL_TEST_DRIVER_FAULTS=1
 * runs it all the same. */
static const gchar *
find_driver_fault (const GstClDevice *device, const HarnessCase *test)
{
  if (g_strcmp0 (g_getenv ("CL_TEST_DRIVER_FAULTS"), "1") == 0)
    return NULL;

  for (guint i = 0; i < G_N_ELEMENTS (driver_faults); i++) {
    if (g_str_equal (driver_faults[i].platform, device->platform_name) &&
        g_str_equal (driver_faults[i].driver, device->driver_version) &&
        g_pattern_match_simple (driver_faults[i].cases, test->name))
      return driver_faults[i].reason;
  }

  return NULL;
}

/* A machine without a device skips its kernel tests, unless it is known to have
 * one: a skip would then hide that nothing was tested. */
static int
report_no_device (const GError *error)
{
  const gchar *require = g_getenv ("CL_REQUIRE_DEVICE");
  const gboolean is_required = require && g_str_equal (require, "1");

  fprintf (stderr, "%s: %s\n", is_required ? "FAIL" : "SKIP", error->message);
  printf ("0 passed, %d failed\n", is_required ? 1 : 0);

  return is_required ? EXIT_FAILURE : EXIT_SKIP;
}

static void
print_header (const Harness *h)
{
  const GstClDevice *device = h->context->device;

  if (options.is_json)
    printf ("{\"device\": \"%s\", \"platform\": \"%s\", \"driver\": \"%s\"}\n",
        device->name, device->platform_name, device->driver_version);
  else
    printf ("device %s, %s, driver %s; seed %u\n", device->name,
        device->platform_name, device->driver_version, h->seed);
}

/* Without profiling first, as profiling takes time. */
static void
bench_case (Harness *h, const HarnessCase *test)
{
  GstClContext *profiling = h->context;
  g_autoptr (GError) error = NULL;

  h->context = gst_cl_context_new (profiling->device, FALSE, &error);
  h->host_times = g_array_new (FALSE, FALSE, sizeof (Spread));
  if (h->context) {
    if (h->copy_gb_per_s == 0)
      h->copy_gb_per_s = harness_copy_rate (h);
    test->bench (h);
    gst_object_unref (h->context);
  } else {
    harness_fail (h, error, "cannot create a context for the benchmark of %s",
        test->name);
  }

  h->context = profiling;
  if (h->n_failed == 0)
    test->bench (h);
  g_array_unref (h->host_times);
}

/* TRUE if the case passed. */
static gboolean
run_case (Harness *h, const HarnessCase *test)
{
  const gint64 start_us = g_get_monotonic_time ();

  h->label = test->name;
  h->n_failed = 0;
  g_rand_set_seed (h->rand, h->seed ^ g_str_hash (test->name));

  if (options.is_bench) {
    bench_case (h, test);
    return h->n_failed == 0;
  }

  test->check (h);
  if (is_unoptimized)
    g_unsetenv (BUILD_FLAGS);
  is_unoptimized = FALSE;

  if (h->n_failed > 0)
    fprintf (stderr, "FAIL %s: %u failures, --seed %u\n", test->name,
        h->n_failed, h->seed);
  else
    printf ("ok   %s (%.1f s)\n", test->name,
        (gdouble) (g_get_monotonic_time () - start_us) / G_USEC_PER_SEC);

  return h->n_failed == 0;
}

static int
run_cases (Harness *h, const HarnessCase *cases, guint n_cases)
{
  guint n_passed = 0, n_bad = 0, n_skipped = 0;

  for (guint i = 0; i < n_cases; i++) {
    const gchar *fault = find_driver_fault (h->context->device, &cases[i]);

    if (!is_wanted (&cases[i]))
      continue;
    if (fault) {
      fprintf (stderr, "skip %s: driver %s: %s\n", cases[i].name,
          h->context->device->driver_version, fault);
      n_skipped++;
      continue;
    }
    if (run_case (h, &cases[i]))
      n_passed++;
    else
      n_bad++;
  }

  if (n_passed + n_bad + n_skipped == 0) {
    fprintf (stderr, "FAIL: no case matches\n");
    n_bad = 1;
  }

  if (options.is_json)
    printf ("{\"passed\": %u, \"failed\": %u}\n", n_passed, n_bad);
  else
    printf ("%u passed, %u failed\n", n_passed, n_bad);

  return n_bad ? EXIT_FAILURE : n_passed ? EXIT_SUCCESS : EXIT_SKIP;
}

static gboolean
parse_options (int *argc, char ***argv, GError **error)
{
  g_autoptr (GOptionContext) parser = g_option_context_new (NULL);

  g_option_context_add_main_entries (parser, option_entries, NULL);

  return g_option_context_parse (parser, argc, argv, error);
}

int
harness_main (int argc, char **argv, const HarnessCase *cases, guint n_cases)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClDevice) device = NULL;
  Harness h = { 0 };

  if (!parse_options (&argc, &argv, &error)) {
    fprintf (stderr, "%s\n", error->message);
    return EXIT_FAILURE;
  }

  if (options.is_list) {
    for (guint i = 0; i < n_cases; i++) {
      if (is_wanted (&cases[i]))
        printf ("%s\n", cases[i].name);
    }
    return EXIT_SUCCESS;
  }

  /* kernels need no elements: skip the registry scan */
  g_setenv ("GST_REGISTRY_DISABLE", "yes", FALSE);
  gst_init (NULL, NULL);
  setvbuf (stdout, NULL, _IOLBF, 0);

  device = gst_cl_device_choose (options.device, &error);
  if (!device)
    return report_no_device (error);

  h.context = gst_cl_context_new (device, options.is_bench, &error);
  if (!h.context) {
    fprintf (stderr, "FAIL: %s\n", error->message);
    printf ("0 passed, 1 failed\n");
    return EXIT_FAILURE;
  }

  const gchar *shared_seed = g_getenv ("CL_TEST_SEED");

  h.seed = options.seed >= 0 ? (guint32) options.seed
           : shared_seed ? (guint32) g_ascii_strtoull (shared_seed, NULL, 10)
                         : g_random_int ();
  h.is_bench = options.is_bench;
  h.is_json = options.is_json;
  h.is_small = options.is_small;
  h.rand = g_rand_new ();
  print_header (&h);

  const int status = run_cases (&h, cases, n_cases);

  g_rand_free (h.rand);
  gst_object_unref (h.context);

  return status;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clbench: the command line. */

#include "bench.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <locale.h>
#include <unistd.h>

#define EXIT_USAGE 2

#define QUICK_ALLOWED_US (G_USEC_PER_SEC / 5) /* a technique */

typedef struct {
  const gchar *name; /* of the subcommand */
  BenchRun run;
  gint cpu_seconds, gpu_seconds; /* time allowed on a device of that family */
  const gchar *description;
} Technique;

/* In the order of `all`. */
static const Technique techniques[] = {
  { "barriers", bench_barriers, 80, 15,
      "barriers across all work-groups of a launch" },
  { "reductions", bench_reductions, 35, 7,
      "sum of a frame, alternating between two buffers" },
  { "windows", bench_windows, 60, 10,
      "means of windows from an integral image" },
  { "latency", bench_latency, 40, 10,
      "time to start a job and to learn that it is complete" },
  { "memory", bench_memory, 45, 8,
      "guarantees about the order of memory accesses" },
};

static struct {
  gchar *device, *json;
  gint64 seed;
  gboolean is_quick, is_list, is_version;
  gchar **words; /* arguments that are no options; NULL: none */
} options = { .seed = -1 };

static const GOptionEntry option_entries[] = {
  { "device", 'd', 0, G_OPTION_ARG_STRING, &options.device,
      "OpenCL device, as the elements' property: auto, gpu, cpu, P.D, part of "
      "a name",
      "DEVICE" },
  { "json", 'j', 0, G_OPTION_ARG_FILENAME, &options.json,
      "Write the results as JSON; -: to stdout, without the table", "FILE" },
  { "quick", 'q', 0, G_OPTION_ARG_NONE, &options.is_quick,
      "Every row with a small problem, within seconds", NULL },
  { "seed", 's', 0, G_OPTION_ARG_INT64, &options.seed,
      "Seed of the random numbers", "N" },
  { "list-devices", 'l', 0, G_OPTION_ARG_NONE, &options.is_list,
      "Print the devices and exit", NULL },
  { "version", 'V', 0, G_OPTION_ARG_NONE, &options.is_version,
      "Print the version and exit", NULL },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.words, NULL,
      "TECHNIQUE" },
  { 0 },
};

GRand *
bench_rand (const Bench *bench, const gchar *technique, const gchar *row)
{
  const guint32 seeds[] = { bench->seed, g_str_hash (technique),
    g_str_hash (row) };

  return g_rand_new_with_seed_array (seeds, G_N_ELEMENTS (seeds));
}

/* --- techniques ----------------------------------------------------------- */

static gboolean
is_wanted (const Technique *technique, const gchar *wanted)
{
  return g_str_equal (wanted, "all") || g_str_equal (wanted, technique->name);
}

static gboolean
is_subcommand (const gchar *word)
{
  if (g_str_equal (word, "all"))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (techniques); i++) {
    if (g_str_equal (word, techniques[i].name))
      return TRUE;
  }

  return FALSE;
}

static gint64
allowed_us (const Technique *technique, const GstClDevice *device)
{
  if (options.is_quick)
    return QUICK_ALLOWED_US;

  return G_USEC_PER_SEC * (device->family == GST_CL_FAMILY_CPU
                                  ? technique->cpu_seconds
                                  : technique->gpu_seconds);
}

/* If the device fails in one technique, the others run all the same. */
static gboolean
run_techniques (Bench *bench, const gchar *wanted)
{
  gboolean is_done = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (techniques); i++) {
    const Technique *technique = &techniques[i];
    g_autoptr (GError) error = NULL;

    if (!is_wanted (technique, wanted))
      continue;

    bench->allowed_us = allowed_us (technique, bench->context->device);
    report_progress (bench->report, technique->name, NULL);
    if (!technique->run (bench, &error)) {
      report_skip (bench->report, technique->name, "the rest", error->message);
      g_printerr ("clbench: %s: %s\n", technique->name, error->message);
      is_done = FALSE;
    }
  }

  return is_done;
}

/* --- the run as a whole --------------------------------------------------- */

/* FALSE with a message if the file cannot be written. Closes @file. */
static gboolean
write_json (const Report *report, FILE *file)
{
  g_autofree gchar *text = report_to_json (report);
  /* stdout may be redirected to a file with other contents; devices have no
   * length */
  const gboolean is_ready = file == stdout ||
                            ftruncate (fileno (file), 0) == 0 ||
                            errno == EINVAL;
  const gboolean is_written = is_ready && fputs (text, file) >= 0;

  if (fclose (file) == 0 && is_written)
    return TRUE;

  g_printerr ("clbench: cannot write %s: %s\n", options.json,
      g_strerror (errno));

  return FALSE;
}

static int
run (const gchar *wanted, GstClDevice *device, FILE *json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClContext) context = gst_cl_context_new (device, FALSE, &error);
  g_autoptr (GstClContext) profiling = NULL;
  g_autoptr (Report) report = NULL;
  gboolean is_done;

  if (context)
    profiling = gst_cl_context_new (device, TRUE, &error);
  if (!profiling) {
    g_printerr ("clbench: %s\n", error->message);
    return EXIT_FAILURE;
  }

  const guint32 seed = options.seed >= 0 ? (guint32) options.seed
                                         : g_random_int ();
  report = report_new (device, seed, json == stdout ? NULL : stdout);

  Bench bench = {
    .context = context,
    .profiling = profiling,
    .report = report,
    .is_quick = options.is_quick,
    .seed = seed,
  };
  is_done = run_techniques (&bench, wanted);
  if (!report_finish (report, &error)) {
    g_printerr ("clbench: %s\n", error->message);
    is_done = FALSE;
  }
  if (!report_is_good (report)) {
    g_printerr ("clbench: wrong results; --seed %u\n", seed);
    is_done = FALSE;
  }
  if (json && !write_json (report, json))
    is_done = FALSE;

  return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void
print_devices (void)
{
  g_autoptr (GPtrArray) devices = gst_cl_device_list ();

  for (guint i = 0; i < devices->len; i++) {
    const GstClDevice *device = g_ptr_array_index (devices, i);

    g_print ("%u.%u  %s (%s)%s%s\n", device->platform_index,
        device->device_index, device->name ? device->name : "no device",
        device->platform_name ? device->platform_name : "no name",
        device->unusable ? ": cannot be used: " : "",
        device->unusable ? device->unusable : "");
  }
}

/* --- the command line ----------------------------------------------------- */

static GOptionContext *
new_parser (void)
{
  GOptionContext *parser = g_option_context_new (NULL);
  g_autoptr (GString) words = g_string_new (NULL);

  g_option_context_set_summary (parser,
      "Runs OpenCL techniques on a device, checks their results and times "
      "them.");
  g_option_context_add_main_entries (parser, option_entries, NULL);
  g_string_append (words, "Techniques:\n");
  for (guint i = 0; i < G_N_ELEMENTS (techniques); i++)
    g_string_append_printf (words, "  %-24s %s\n", techniques[i].name,
        techniques[i].description);
  g_string_append_printf (words, "  %-24s %s\n", "all", "each of these");
  g_string_append (words, "\nExit status: 0 all results are right, 1 one is "
                          "wrong or the device failed,\n2 wrong usage. Results "
                          "that are wrong on purpose count as right.");
  g_option_context_set_description (parser, words->str);

  return parser;
}

static int
report_usage (const gchar *what)
{
  g_printerr ("clbench: %s\nTry 'clbench --help'.\n", what);

  return EXIT_USAGE;
}

/* Opened before the techniques run. NULL with a message. */
static FILE *
open_json (void)
{
  FILE *file;

  if (g_str_equal (options.json, "-"))
    return stdout;

  /* keeps the contents until the new ones are written */
  file = g_fopen (options.json, "ae");
  if (!file)
    g_printerr ("clbench: cannot write %s: %s\n", options.json,
        g_strerror (errno));

  return file;
}

/* Runs @wanted; the command line is valid. */
static int
run_wanted (const gchar *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClDevice)
      device = gst_cl_device_choose (options.device, &error);
  FILE *json = NULL;

  if (!device) {
    g_printerr ("clbench: %s\n", error->message);
    return EXIT_FAILURE;
  }
  if (options.json) {
    json = open_json ();
    if (!json)
      return EXIT_FAILURE;
  }

  return run (wanted, device, json);
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) parser = new_parser ();
  g_autoptr (GError) error = NULL;

  setlocale (LC_CTYPE,
      ""); /* for messages; numbers keep their decimal points */
  if (!g_option_context_parse (parser, &argc, &argv, &error))
    return report_usage (error->message);
  if (options.is_version) {
    g_print ("clbench %s\n", PACKAGE_VERSION);
    return EXIT_SUCCESS;
  }

  if (options.seed < -1 || options.seed > G_MAXUINT32)
    return report_usage ("the seed is 0 .. 4294967295");

  /* kernels need no elements: skip the registry scan */
  g_setenv ("GST_REGISTRY_DISABLE", "yes", FALSE);
  gst_init (NULL, NULL);

  if (options.is_list) {
    print_devices ();
    return EXIT_SUCCESS;
  }
  if (!options.words)
    return report_usage ("no technique: name one, or all");
  if (options.words[1])
    return report_usage ("more than one technique: name one, or all");
  if (!is_subcommand (options.words[0])) {
    g_autofree gchar *what = g_strdup_printf ("no technique '%s'",
        options.words[0]);

    return report_usage (what);
  }

  return run_wanted (options.words[0]);
}

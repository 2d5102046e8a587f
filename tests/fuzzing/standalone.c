/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzz target without libFuzzer: on each file of the given folders, then
 * for some seconds on mutated copies of them, which are random but the same in
 * each run.
 *
 * usage: fuzz_TARGET [--seconds=N] [--seed=N] [--last=FILE] FILE|FOLDER...
 *
 * If the target crashes or a sanitizer ends it, its input is in FILE. An input
 * that takes a minute ends the process, too. */

#include "environment.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_INPUT_BYTES  4096
#define MAX_CHANGES      8
#define SECONDS_OF_INPUT 60

static gint n_seconds = 0;
static gint seed = 1;
static gchar *last = NULL;
static gchar **paths = NULL;

static const GOptionEntry options[] = { { "seconds", 0, 0, G_OPTION_ARG_INT,
                                            &n_seconds,
                                            "Time for changed "
                                            "copies",
                                            "N" },
  { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Of what is changed", "N" },
  { "last", 0, 0, G_OPTION_ARG_FILENAME, &last, "Keeps the input that runs",
      "FILE" },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &paths, NULL,
      "FILE|FOLDER..." },
  { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL } };

/* --- inputs -------------------------------------------------------------- */

static void
load (GPtrArray *inputs, const gchar *path)
{
  gchar *content;
  gsize n_bytes;

  if (g_file_get_contents (path, &content, &n_bytes, NULL))
    g_ptr_array_add (inputs, g_bytes_new_take (content, n_bytes));
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar *const *) a, *(const gchar *const *) b);
}

/* By name, which gives the same order on all file systems. */
static void
load_folder (GPtrArray *inputs, const gchar *path, GDir *folder)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const gchar *name;

  while ((name = g_dir_read_name (folder)))
    g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    load (inputs, g_ptr_array_index (names, i));
}

static GPtrArray *
load_all (void)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (
      (GDestroyNotify) g_bytes_unref);

  for (guint i = 0; paths && paths[i]; i++) {
    GDir *folder = g_dir_open (paths[i], 0, NULL);

    if (folder) {
      load_folder (inputs, paths[i], folder);
      g_dir_close (folder);
    } else {
      load (inputs, paths[i]);
    }
  }

  return inputs;
}

/* --- mutations ------------------------------------------------------------ */

static guint
pick (GRand *random, guint n)
{
  return (guint) g_rand_int_range (random, 0, (gint32) MAX (n, 1));
}

static void
change_bytes (GRand *random, GByteArray *input)
{
  static const guint8 telling[] = { 0, 1, 127, 128, 254, 255 };
  guint8 *byte = &input->data[pick (random, input->len)];

  switch (pick (random, 4)) {
    case 0:
      *byte ^= (guint8) (1 << pick (random, 8));
      break;
    case 1:
      *byte = telling[pick (random, G_N_ELEMENTS (telling))];
      break;
    case 2:
      *byte += (guint8) (pick (random, 9) - 4);
      break;
    default:
      *byte = (guint8) pick (random, 256);
      break;
  }
}

/* Inserts a part of @other into @input, or replaces bytes by it.
 */
static void
splice (GRand *random, GByteArray *input, GBytes *other)
{
  gsize n_bytes;
  const guint8 *data = g_bytes_get_data (other, &n_bytes);
  const guint from = pick (random, (guint) n_bytes);
  const guint n = pick (random, (guint) MIN (n_bytes - from, 64));
  const guint to = pick (random, input->len + 1);
  const guint n_after = input->len - to;

  if (n_after >= n && pick (random, 2)) {
    memcpy (input->data + to, data + from, n);
    return;
  }

  g_byte_array_set_size (input, input->len + n);
  memmove (input->data + to + n, input->data + to, n_after);
  memcpy (input->data + to, data + from, n);
}

static void
remove_some (GRand *random, GByteArray *input)
{
  const guint from = pick (random, input->len);
  const guint n = 1 + pick (random, 16);

  g_byte_array_remove_range (input, from, MIN (n, input->len - from));
}

/* transfer full */
static GByteArray *
change (GRand *random, GPtrArray *inputs)
{
  GBytes *origin = g_ptr_array_index (inputs, pick (random, inputs->len));
  GByteArray *input = g_byte_array_new ();

  g_byte_array_append (input, g_bytes_get_data (origin, NULL),
      (guint) MIN (g_bytes_get_size (origin), MAX_INPUT_BYTES));
  for (guint i = 1 + pick (random, MAX_CHANGES); i > 0; i--) {
    const guint kind = pick (random, 8);

    if (kind == 0)
      splice (random, input,
          g_ptr_array_index (inputs, pick (random, inputs->len)));
    else if (input->len > 0 && kind == 1)
      remove_some (random, input);
    else if (input->len > 0)
      change_bytes (random, input);
  }

  return input;
}

/* --- running ------------------------------------------------------------- */

static void
run (const guint8 *data, gsize n_bytes)
{
  if (last)
    g_unlink (last); /* otherwise the end of a longer file stays */
  if (last && !g_file_set_contents_full (last, (const gchar *) data,
                  (gssize) n_bytes, G_FILE_SET_CONTENTS_NONE, 0600, NULL))
    g_printerr ("%s cannot be written\n", last);

  alarm (SECONDS_OF_INPUT);
  LLVMFuzzerTestOneInput (data, n_bytes);
  alarm (0);
}

static guint
run_changed (GPtrArray *inputs)
{
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) seed);
  const gint64 end = g_get_monotonic_time () + n_seconds * G_TIME_SPAN_SECOND;
  guint n = 0;

  while (inputs->len > 0 && g_get_monotonic_time () < end) {
    GByteArray *input = change (random, inputs);

    /* a copy of the exact size, so that a sanitizer detects reads after its
     * end */
    g_autofree guint8 *data = g_memdup2 (input->data, input->len);

    run (data, input->len);
    g_byte_array_unref (input);
    n++;
  }

  return n;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GError) error = NULL;
  gint64 start;
  guint n;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }

  inputs = load_all ();
  if (inputs->len == 0) {
    g_printerr ("there is no input\n");
    return 2;
  }

  LLVMFuzzerInitialize (&argc, &argv);
  start = g_get_monotonic_time ();
  for (guint i = 0; i < inputs->len; i++) {
    gsize n_bytes;
    const guint8 *data = g_bytes_get_data (inputs->pdata[i], &n_bytes);

    run (data, n_bytes);
  }
  n = run_changed (inputs);
  g_print ("%u files and %u changed copies in %.1f s\n", inputs->len, n,
      (gdouble) (g_get_monotonic_time () - start) / G_TIME_SPAN_SECOND);
  g_strfreev (paths);
  g_free (last);

  return 0;
}

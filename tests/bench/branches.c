/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plays one launch line several times at once, in one pipeline, and prints
 * frames a second, processor time a frame, and bytes transferred over the bus.
 *
 * usage: branches [--threads] N LAUNCH-LINE
 *
 * Each branch ends in a fakesink. The clock starts when each of them has had
 * some frames, and stops at EOS. With --threads, on Linux, a line follows for
 * each thread name: the number of threads with it at EOS, and their processor
 * time a frame. */

#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define WARM_UP_FRAMES 30 /* of each branch */

typedef struct {
  guint n_branches;
  gint n_warm, n_frames; /* atomic */
  gint n_frames_at_start;
  gint64 start_us, start_cpu_us;
  gboolean has_threads;
  GHashTable *threads_at_start; /* as count_threads() returns it, or NULL */
} Measure;

typedef struct {
  Measure *measure;
  guint n_frames;
} Branch;

static gint64
cpu_us (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);

  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * G_USEC_PER_SEC +
         usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

/* --- threads ------------------------------------------------------------- */

#define TASKS "/proc/self/task"

/* Threads of one name, without digits. */
typedef struct {
  guint n_threads;
  guint64 used_ns;
} Threads;

/* Returns the text of @file of a thread, transfer full; NULL if it has
 * ended. */
static gchar *
read_task (const gchar *task, const gchar *file)
{
  g_autofree gchar *path = g_build_filename (TASKS, task, file, NULL);
  gchar *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

static void
add_thread (GHashTable *all, const gchar *task)
{
  g_autofree gchar *name = read_task (task, "comm");
  g_autofree gchar *schedstat = read_task (task, "schedstat");
  Threads *threads;

  if (!name || !schedstat)
    return;

  g_strdelimit (g_strchomp (name), "0123456789", '#');
  threads = g_hash_table_lookup (all, name);
  if (!threads) {
    threads = g_new0 (Threads, 1);
    g_hash_table_insert (all, g_steal_pointer (&name), threads);
  }
  threads->n_threads++;
  threads->used_ns += g_ascii_strtoull (schedstat, NULL, 10);
}

/* Returns the processor time of all threads: name -> Threads. */
static GHashTable *
count_threads (void)
{
  GHashTable *all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  g_autoptr (GDir) tasks = g_dir_open (TASKS, 0, NULL);
  const gchar *task;

  while (tasks && (task = g_dir_read_name (tasks)))
    add_thread (all, task);

  return all;
}

/* Prints the processor time since @before. */
static void
print_threads (GHashTable *before, gint n_frames)
{
  g_autoptr (GHashTable) all = count_threads ();
  GHashTableIter iter;
  gpointer name, threads;

  g_hash_table_iter_init (&iter, all);
  while (g_hash_table_iter_next (&iter, &name, &threads)) {
    const Threads *now = threads, *then = g_hash_table_lookup (before, name);

    g_print ("  %u %s: %.1f us\n", now->n_threads, (const gchar *) name,
        (gdouble) (now->used_ns - (then ? then->used_ns : 0)) / 1000 /
            n_frames);
  }
}

/* --- the measurement ----------------------------------------------------- */

static GstPadProbeReturn
count (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Branch *branch = data;
  Measure *measure = branch->measure;

  g_atomic_int_inc (&measure->n_frames);
  if (++branch->n_frames == WARM_UP_FRAMES &&
      g_atomic_int_add (&measure->n_warm, 1) + 1 ==
          (gint) measure->n_branches) {
    measure->n_frames_at_start = g_atomic_int_get (&measure->n_frames);
    measure->start_us = g_get_monotonic_time ();
    measure->start_cpu_us = cpu_us ();
    if (measure->has_threads)
      measure->threads_at_start = count_threads ();
  }

  return GST_PAD_PROBE_OK;
}

static void
watch_sinks (GstBin *pipeline, Measure *measure)
{
  for (GList *item = pipeline->children; item; item = item->next) {
    GstElement *element = item->data;
    GstPad *pad = gst_element_get_static_pad (element, "sink");

    if (pad && GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK)) {
      Branch *branch = g_new0 (Branch, 1);

      branch->measure = measure;
      gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count, branch, g_free);
    }
    gst_clear_object (&pad);
  }
}

typedef struct {
  guint64 to, from, within;
} Bytes;

/* @object: a GstClContext, or NULL */
static void
add_bytes (Bytes *bytes, GObject *object)
{
  guint64 to = 0, from = 0, within = 0;

  if (!object)
    return;

  g_object_get (object, "bytes-to-device", &to, "bytes-from-device", &from,
      NULL);
  /* older plugins, measured for comparison, do not have it */
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (object),
          "bytes-within-device"))
    g_object_get (object, "bytes-within-device", &within, NULL);
  bytes->to += to;
  bytes->from += from;
  bytes->within += within;
}

/* Returns the counters of the OpenCL contexts, which the bin received in
 * messages. */
static void
print_bytes (GstElement *pipeline, gint n_frames)
{
  GstContext *context = gst_element_get_context (pipeline, "gst.cl.context");
  const GstStructure *structure = context ? gst_context_get_structure (context)
                                          : NULL;
  const GValue *value = structure
                            ? gst_structure_get_value (structure, "context")
                            : NULL;
  const GValue *others = structure
                             ? gst_structure_get_value (structure, "others")
                             : NULL;
  Bytes bytes = { 0 };

  if (value)
    add_bytes (&bytes, g_value_get_object (value));
  for (guint i = 0; others && i < gst_value_array_get_size (others); i++)
    add_bytes (&bytes,
        g_value_get_object (gst_value_array_get_value (others, i)));
  g_print (", bytes a frame to the device %.0f, from it %.0f, within it %.0f",
      (gdouble) bytes.to / n_frames, (gdouble) bytes.from / n_frames,
      (gdouble) bytes.within / n_frames);
  if (context)
    gst_context_unref (context);
}

int
main (int argc, char **argv)
{
  Measure measure = { 0 };
  g_autoptr (GString) line = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstBus) bus = NULL;
  gint64 us, used_us;
  gint n_frames;

  gst_init (&argc, &argv);
  measure.has_threads = argc > 1 && strcmp (argv[1], "--threads") == 0;
  argc -= measure.has_threads;
  argv += measure.has_threads;
  if (argc != 3 || atoi (argv[1]) < 1) {
    g_printerr ("usage: branches [--threads] N LAUNCH-LINE\n");
    return 2;
  }

  measure.n_branches = (guint) atoi (argv[1]);
  for (guint i = 0; i < measure.n_branches; i++)
    g_string_append_printf (line, "%s ", argv[2]);
  pipeline = gst_parse_launch (line->str, &error);
  if (error) {
    g_printerr ("%s\n", error->message);
    return 1;
  }

  watch_sinks (GST_BIN (pipeline), &measure);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  us = g_get_monotonic_time () - measure.start_us;
  used_us = cpu_us () - measure.start_cpu_us;
  n_frames = measure.n_frames - measure.n_frames_at_start;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
  } else if (measure.start_us == 0) {
    g_printerr ("too few frames\n");
  } else {
    g_print ("%u branches: %.0f frames/s, %.0f us of processor a frame",
        measure.n_branches, (gdouble) n_frames * G_USEC_PER_SEC / us,
        (gdouble) used_us / n_frames);
    print_bytes (pipeline, measure.n_frames);
    g_print ("\n");
    if (measure.has_threads)
      print_threads (measure.threads_at_start, n_frames);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_clear_pointer (&measure.threads_at_start, g_hash_table_unref);

  return error || measure.start_us == 0 ? 1 : 0;
}

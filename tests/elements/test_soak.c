/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Long streams, and streams with random disturbances.
 *
 * environment: CL_SOAK_SECONDS of random seeks (default 3) CL_SOAK_FRAMES of
 *   streams whose memory use is measured (default 2400) CL_SOAK_SEED of the
 *   random numbers (default: by the clock) */

#include "common.h"

#include "suite.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

static gint64
setting (const gchar *name, gint64 otherwise)
{
  const gchar *text = g_getenv (name);

  return text && text[0] ? g_ascii_strtoll (text, NULL, 10) : otherwise;
}

static GstElement *
launch (const gchar *line)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  fail_unless (error == NULL, "cannot create %s: %s", line,
      error ? error->message : "");

  return pipeline;
}

/* Discards messages, so that they do not accumulate; fails at an error. */
static void
discard_messages (GstBus *bus)
{
  GstMessage *message;

  while ((message = gst_bus_pop (bus))) {
    g_autoptr (GError) error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    fail_unless (error == NULL, "unexpected error: %s",
        error ? error->message : "");
    gst_message_unref (message);
  }
}

/* --- memory -------------------------------------------------------------- */

/* Resident bytes of this process. */
static gsize
resident_bytes (void)
{
  g_autofree gchar *text = NULL;
  gulong pages = 0;

  fail_unless (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  fail_unless (sscanf (text, "%*u %lu", &pages) == 1);

  return pages * (gsize) sysconf (_SC_PAGESIZE);
}

typedef struct {
  guint n_frames, n_before; /* time of the first measurement */
  gsize before, after;      /* resident bytes */
} Watch;

static GstPadProbeReturn
watch_frames (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Watch *watch = user_data;

  if (++watch->n_frames == watch->n_before)
    watch->before = resident_bytes ();
  watch->after = watch->n_frames % 100 == 0 ? resident_bytes () : watch->after;

  return GST_PAD_PROBE_OK;
}

/* Results accumulate on the bus while this thread gets no processor time. */
static GstBusSyncReply
drop_results (GstBus *bus, GstMessage *message, gpointer user_data)
{
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT)
    return GST_BUS_PASS;
  gst_message_unref (message);

  return GST_BUS_DROP;
}

static const gchar *const flat_chains[] = {
  "clupload ! clintegral ! cllocalmean ! cldownload",
  "clframesum stats-meta=false ! cllocalmean ! video/x-raw",
  "clframesum async-depth=3",
  ("queue ! clupload ! tee name=t t. ! queue ! clframesum ! fakesink t. ! "
   "queue ! cllocalmean ! queue ! cldownload"),
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* These keep freed memory, or records of it; the first one detects leaks. */
#define MAX_GROWTH_BYTES (1024 * 1024 * 1024)
#else
#define MAX_GROWTH_BYTES (3 * 1024 * 1024)
#endif

/* Memory use does not grow with the stream. */
LOOP_TEST (test_flat_memory, G_N_ELEMENTS (flat_chains))
{
  const guint n_frames = setting ("CL_SOAK_FRAMES", 2400);
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=%u ! video/x-raw,format=I420,width=65,"
      "height=48 ! %s ! fakesink name=watched",
      n_frames, flat_chains[__i__]);
  g_autoptr (GstElement) pipeline = launch (line);
  g_autoptr (GstElement)
      sink = gst_bin_get_by_name (GST_BIN (pipeline), "watched");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  Watch watch = { .n_before = n_frames / 3 };
  gboolean done = FALSE;

  /* otherwise each new thread that allocates gets an arena of its own */
  mallopt (M_ARENA_MAX, 1);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, watch_frames, &watch,
      NULL);
  gst_bus_set_sync_handler (bus, drop_results, NULL, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!done) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop (bus, 60 * GST_SECOND);

    fail_unless (message != NULL, "no message for a minute");
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    done = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (watch.n_frames, n_frames);
  fail_unless (watch.after < watch.before + MAX_GROWTH_BYTES,
      "%zu resident bytes after %u frames, %zu after %u: expected a growth "
      "below "
      "%d",
      watch.before, watch.n_before, watch.after, n_frames, MAX_GROWTH_BYTES);
}

/* --- leaks ---------------------------------------------------------------- */

/* Context, pools and allocators are freed with the pipeline. */
LOOP_TEST (test_no_leaks, G_N_ELEMENTS (flat_chains))
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=30 ! video/x-raw,format=I420 ! %s ! fakesink",
      flat_chains[__i__]);
  g_autoptr (GstElement) pipeline = launch (line);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstIterator *elements = gst_bin_iterate_elements (GST_BIN (pipeline));
  GValue item = G_VALUE_INIT;
  gpointer watched = NULL;
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);

  while (!watched && gst_iterator_next (elements, &item) == GST_ITERATOR_OK) {
    g_autoptr (GstContext) context = gst_element_get_context (
        g_value_get_object (&item), "gst.cl.context");

    if (context)
      watched = g_value_get_object (gst_structure_get_value (
          gst_context_get_structure (context), "context"));
    g_value_reset (&item);
  }
  g_value_unset (&item);
  gst_iterator_free (elements);
  fail_unless (watched != NULL);

  /* memory, pool, allocator and element all hold a reference to the context */
  g_object_add_weak_pointer (watched, &watched);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_set_flushing (bus, TRUE);
  fail_unless (watched == NULL);
}

/* --- disturbances -------------------------------------------------------- */

static GstPadProbeReturn
count_frames (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_atomic_int_inc ((gint *) user_data);

  return GST_PAD_PROBE_OK;
}

static void
seek_at_random (GstElement *pipeline, GRand *rand)
{
  const GstClockTime start = g_rand_int_range (rand, 0, 100) * GST_SECOND / 10;
  const gboolean stops = g_rand_boolean (rand);

  gst_element_seek (pipeline, 1.0, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | (stops ? GST_SEEK_FLAG_ACCURATE : 0),
      GST_SEEK_TYPE_SET, start, GST_SEEK_TYPE_NONE, 0);
}

static void
change_at_random (GstElement *pipeline, GRand *rand)
{
  g_autoptr (GstElement) sum = gst_bin_get_by_name (GST_BIN (pipeline), "sum");
  g_autoptr (GstElement)
      mean = gst_bin_get_by_name (GST_BIN (pipeline), "mean");

  g_object_set (sum, "async-depth", g_rand_int_range (rand, 0, 6), "stats-meta",
      g_rand_boolean (rand), "planes", 1 + g_rand_int_range (rand, 0, 7), NULL);
  g_object_set (mean, "kernel-width", 1 + 2 * g_rand_int_range (rand, 0, 9),
      NULL);
}

static void
toggle_at_random (GstElement *pipeline, GRand *rand)
{
  gst_element_set_state (pipeline,
      g_rand_boolean (rand) ? GST_STATE_PAUSED : GST_STATE_PLAYING);
}

/* A tee, a queue between all elements, one synchronized sink and one that is
 * not. */
#define DISTURBED                                                              \
  "videotestsrc ! video/x-raw,format=I420,width=96,height=64,framerate=200/1 " \
  "! queue ! clupload ! queue ! tee name=t "                                   \
  "t. ! queue ! clframesum name=sum ! queue ! cldownload ! queue ! "           \
  "fakesink name=watched sync=true "                                           \
  "t. ! queue ! cllocalmean name=mean ! queue ! clintegral ! queue ! "         \
  "cllocalmean ! queue ! cldownload ! queue ! fakesink sync=false "            \
  "t. ! queue ! clframesum stats-meta=false ! queue ! fakesink"

TEST (test_disturbed)
{
  static void (*const disturb[]) (GstElement *, GRand *) = { seek_at_random,
    seek_at_random, change_at_random, toggle_at_random };
  const guint32 seed = setting ("CL_SOAK_SEED", g_get_real_time ());
  const gint64 end = g_get_monotonic_time () +
                     setting ("CL_SOAK_SECONDS", 3) * G_USEC_PER_SEC;
  g_autoptr (GstElement) pipeline = launch (DISTURBED);
  g_autoptr (GstElement)
      sink = gst_bin_get_by_name (GST_BIN (pipeline), "watched");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  gint n_frames = 0, before;

  g_print ("seed %u\n", seed);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_frames, &n_frames,
      NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (g_get_monotonic_time () < end) {
    disturb[g_rand_int_range (rand, 0, G_N_ELEMENTS (disturb))](pipeline, rand);
    g_usleep (g_rand_int_range (rand, 0, 40000));
    discard_messages (bus);
  }

  /* after the disturbances, the pipeline plays and reaches EOS */
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, 60 * GST_SECOND) ==
               GST_STATE_CHANGE_SUCCESS);
  before = g_atomic_int_get (&n_frames);
  for (guint i = 0; i < 600 && g_atomic_int_get (&n_frames) < before + 3; i++)
    g_usleep (G_USEC_PER_SEC / 10);
  fail_unless (g_atomic_int_get (&n_frames) >= before + 3,
      "fewer than 3 frames in a minute after the disturbances");
  gst_element_send_event (pipeline, gst_event_new_eos ());
  for (;;) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
        60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

    fail_unless (message != NULL, "neither EOS nor an error after a minute");
    fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
    break;
  }
  fail_unless (gst_element_set_state (pipeline, GST_STATE_NULL) ==
               GST_STATE_CHANGE_SUCCESS);
}

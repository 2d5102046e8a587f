/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A decoder has a small number of surfaces: elements return its frames in time,
 * whichever properties change while the stream plays. CUDA's driver,
 * GStreamer's CUDA library, the import of CUDA memory and the decoder are
 * mocks. */

#include "elements/common.h"
#include "memory/cudafixture.h"
#include "mocks/gstcuda.h"
#include "mocks/decoder.h"
#include "suite.h"

/* Caps between elements of the plugin, which otherwise pass device memory to
 * each other. */
#define CUDA "video/x-raw(memory:CUDAMemory)"

#define N_FRAMES 60
#define CHANGE   10 /* the frame at which async-depth is raised */

/* A mock decoder of @context upstream of @description, in which the first
 * clframesum is named "sum"; transfer full. */
static GstElement *
new_pipeline (const gchar *description, GstObject *context,
    GstElement **decoder)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *rest = gst_parse_bin_from_description (description, TRUE, NULL);

  fail_unless (rest != NULL);
  *decoder = mock_decoder_new (context, "decoder");
  g_object_set (*decoder, "num-buffers", N_FRAMES, NULL);
  gst_bin_add_many (GST_BIN (pipeline), *decoder, rest, NULL);
  fail_unless (gst_element_link (*decoder, rest));

  return pipeline;
}

/* Plays @pipeline to its end, and frees it. */
static void
play (GstElement *pipeline, const gchar *description)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS,
      "%s: expected EOS, found %s", description,
      message ? "an error" : "no message in ten seconds");
}

static const struct {
  const gchar *description;
  guint raised;     /* new value of async-depth; 0: unchanged */
  guint min_in_use; /* least number of surfaces in use at the same time */
  gboolean
      reconfigures; /* the source then requests the number of surfaces again */
} pipelines[] = {
  { "clframesum name=sum ! fakesink", 32, 1, FALSE },
  { "clframesum name=sum async-depth=2 ! fakesink", 32, 3, FALSE },
  { "clframesum name=sum async-depth=8 ! fakesink", 0, 9, FALSE },
  { "clframesum name=sum async-depth=8 ! " CUDA " ! queue ! "
    "clframesum async-depth=8 ! fakesink",
      0, 17, FALSE },
  { "clframesum name=sum async-depth=8 ! " CUDA " ! queue ! "
    "clframesum async-depth=8 ! fakesink",
      12, 21, TRUE },
  { "clframesum name=sum ! fakesink", 16, 17, TRUE },
  { "queue ! clframesum name=sum async-depth=4 ! " CUDA " ! "
    "clframesum async-depth=8 ! queue ! fakesink",
      20, 13, FALSE },
  { "clframesum name=sum stats-meta=false ! " CUDA " ! "
    "clframesum async-depth=8 ! fakesink",
      8, 9, FALSE },
  { "clupload ! clframesum name=sum ! fakesink", 32, 1, FALSE },
  { "cllocalmean ! clframesum name=sum async-depth=8 ! fakesink", 32, 1,
      FALSE },
};

typedef struct {
  GstElement *sum;
  guint depth;
  gboolean reconfigures;
} Change;

static GstPadProbeReturn
raise_depth (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  const Change *change = user_data;
  const GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (GST_BUFFER_PTS (buffer) != CHANGE * 40 * GST_MSECOND)
    return GST_PAD_PROBE_OK;

  g_object_set (change->sum, "async-depth", change->depth, NULL);
  if (change->reconfigures)
    gst_pad_mark_reconfigure (pad);

  return GST_PAD_PROBE_OK;
}

LOOP_TEST (decoder_surfaces_are_returned_in_time, G_N_ELEMENTS (pipelines))
{
  const gchar *description = pipelines[__i__].description;
  GstElement *decoder;
  g_autoptr (GstElement) pipeline = new_pipeline (description, cuda, &decoder);
  g_autoptr (GstElement) sum = gst_bin_get_by_name (GST_BIN (pipeline), "sum");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (decoder, "src");
  Change change = { sum, pipelines[__i__].raised,
    pipelines[__i__].reconfigures };

  if (change.depth > 0)
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, raise_depth, &change,
        NULL);
  play (pipeline, description);
  fail_unless (mock_decoder_max_in_use (decoder) >= pipelines[__i__].min_in_use,
      "%s: expected at least %u surfaces in use, found %u", description,
      pipelines[__i__].min_in_use, mock_decoder_max_in_use (decoder));
}

/* --- decoders without an allocation query --------------------------------- */

static GstPadProbeReturn
drop_allocation (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  return GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) ==
                 GST_QUERY_ALLOCATION
             ? GST_PAD_PROBE_DROP
             : GST_PAD_PROBE_OK;
}

static const gchar *const without_query[] = {
  "clframesum async-depth=8 ! fakesink enable-last-sample=false",
  "cllocalmean ! fakesink enable-last-sample=false",
  "clupload ! clframesum async-depth=8 ! fakesink enable-last-sample=false",
};

/* Without an ALLOCATION query, two surfaces are enough, on this GPU and on
 * another GPU, whose frames the host copies. */
LOOP_TEST (two_surfaces_suffice_without_query, 2 * G_N_ELEMENTS (without_query))
{
  const gchar *description = without_query[__i__ / 2];
  GstObject *context = cuda_context_new (__i__ % 2);
  GstElement *decoder;
  GstElement *pipeline = new_pipeline (description, context, &decoder);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (decoder, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, drop_allocation,
      NULL, NULL);
  play (pipeline, description);
  fail_unless_equals_int (mock_decoder_n_surfaces (decoder), 2);
  gst_clear_object (&pad);
  gst_object_unref (pipeline);
  gst_object_unref (context);
}

/* --- without a converter -------------------------------------------------- */

/* Counts lines of the log about the import path of frames. */
static void
count_imports (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer n_lines)
{
  if (level == GST_LEVEL_DEBUG && g_str_equal (gst_debug_message_get (message),
                                      "frames are imported by CUDA memory"))
    g_atomic_int_inc ((gint *) n_lines);
}

static const gchar *const elements[] = { "clframesum ! fakesink",
  "cllocalmean ! fakesink", "clintegral ! fakesink" };

/* A decoder that also supports system memory passes CUDA memory to the element
 * that it is linked to; the log names the import path. */
LOOP_TEST (decoder_links_without_converter, G_N_ELEMENTS (elements))
{
  GstElement *decoder;
  GstElement *pipeline = new_pipeline (elements[__i__], cuda, &decoder);
  gint n_lines = 0;

  gst_debug_add_log_function (count_imports, &n_lines, NULL);
  gst_debug_set_threshold_for_name ("climport", GST_LEVEL_DEBUG);
  play (pipeline, elements[__i__]);
  gst_debug_unset_threshold_for_name ("climport");
  gst_debug_remove_log_function (count_imports);
  gst_object_unref (pipeline);
  fail_unless (n_lines > 0, "%s: the log has no line", elements[__i__]);
}

SUITE (CUDA_SUITE);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clkernelmix: frames of several inputs, their order and times, ends, changes
 * while playing, pools, errors. */

#include "elements/common.h"
#include "elements/frames.h"
#include "faults/layer.h"
#include "folder.h"
#include "suite.h"

#define AT                                                                     \
  "const int x = (int) get_global_id (0), y = (int) get_global_id (1);\n"
#define EACH(f) AT "for (int c = 0; c < gst_cl_components (" #f "); c++)\n"

/* The difference of each sample and that of b at the same place. */
#define DIFFER                                                                 \
  "__kernel void differ (GST_CL_IN (a), GST_CL_IN (b), GST_CL_OUT (out)) "     \
  "{\n" EACH (                                                                 \
      out) "gst_cl_store (out, c, x, y, abs (gst_cl_load (a, c, x, y) -\n"     \
           "gst_cl_load (b, min (c, gst_cl_components (b) - 1), x, y))); "     \
           "}\n"

/* a + n b */
#define ADD                                                                    \
  "//!PARAM n\n//!TYPE int\n//!MINIMUM -9\n//!MAXIMUM 9\n1\n\n"                \
  "__kernel void add (GST_CL_IN (a), GST_CL_IN (b), GST_CL_OUT (out), int n) " \
  "{\n" EACH (out) "gst_cl_store (out, c, x, y, gst_cl_load (a, c, x, y) +\n"  \
                   "n * gst_cl_load (b, c, x, y)); }\n"

/* The times of the inputs in ms, and the number of the frame. */
#define TIMES                                                                  \
  "//!STATISTICS times int 4\n//!WORK 1x1\n"                                   \
  "__kernel void k (GST_CL_IN (a), GST_CL_IN (b), GST_CL_PREVIOUS (p, 1),\n"   \
  "    GST_CL_OUT (out), __global int *times) {\n"                             \
  "if (get_global_id (0) > 0) return;\n"                                       \
  "times[0] = (int) (gst_cl_time (a) / 1000000);\n"                            \
  "times[1] = (int) (gst_cl_time (b) / 1000000);\n"                            \
  "times[2] = (int) gst_cl_number (a);\n"                                      \
  "times[3] = (int) (gst_cl_time (p) / 1000000); }\n"

/* --- harnesses of several inputs ------------------------------------------ */

#define MAX_INPUTS 3

typedef struct {
  GstHarness *inputs[MAX_INPUTS]; /* the first one has the output */
  guint n;
  GstVideoInfo infos[MAX_INPUTS];
  GstClockTime next; /* PTS of the next frames of mix_run() */
} Mix;

static void
mix_free (Mix *mix)
{
  while (mix->n > 1)
    gst_harness_teardown (mix->inputs[--mix->n]);
  harness_free (mix->inputs[0]);
  g_free (mix);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Mix, mix_free)

/* A clkernelmix of @source with @properties. @pads: NULL-terminated, requested
 * in this order. transfer full */
static Mix *
mix_new_of_pads (const gchar *source, const gchar *properties,
    const gchar *const *pads)
{
  g_autofree gchar *location = g_build_filename (test_folder, "test.cl", NULL);
  g_autofree gchar *line = g_strdup_printf ("clkernelmix location=%s %s",
      location, properties);
  Mix *mix = g_new0 (Mix, 1);

  fail_unless (g_file_set_contents (location, source, -1, NULL));
  mix->inputs[mix->n++] = harness_new_of_pad (line, pads[0]);
  for (; pads[mix->n]; mix->n++)
    mix->inputs[mix->n] = harness_new_input (mix->inputs[0], pads[mix->n]);

  return mix;
}

static Mix *
mix_new (const gchar *source, const gchar *properties)
{
  static const gchar *const pads[] = { "sink_0", "sink_1", NULL };

  return mix_new_of_pads (source, properties, pads);
}

static void
mix_set_format (Mix *mix, guint input, GstVideoFormat format, gint width,
    gint height)
{
  harness_set_format (mix->inputs[input], format, width, height,
      &mix->infos[input]);
}

static void
mix_set_grey (Mix *mix)
{
  for (guint i = 0; i < mix->n; i++)
    mix_set_format (mix, i, GST_VIDEO_FORMAT_GRAY8, 5, 3);
}

static void
set_times (GstBuffer *buffer, GstClockTime time, GstClockTime duration)
{
  GST_BUFFER_PTS (buffer) = time;
  GST_BUFFER_DURATION (buffer) = duration;
}

static void
push (Mix *mix, guint input, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (mix->inputs[input], buffer),
      GST_FLOW_OK);
}

/* Waits for a frame of the output. transfer full */
static GstBuffer *
pull (Mix *mix)
{
  g_autoptr (GstBus) bus = harness_bus (mix->inputs[0]);
  GstBuffer *out = gst_harness_pull (mix->inputs[0]);

  if (!out)
    expect_no_error (bus);
  fail_unless (out != NULL, "no output");

  return out;
}

/* Pushes a frame of each input (transfer full) for the time that is next, and
 * returns the output. transfer full */
static GstBuffer *
mix_run (Mix *mix, GstBuffer *a, GstBuffer *b)
{
  GstBuffer *frames[] = { a, b };

  for (guint i = 0; i < mix->n; i++) {
    set_times (frames[i], mix->next, 40 * GST_MSECOND);
    push (mix, i, frames[i]);
  }
  mix->next += 40 * GST_MSECOND;

  return pull (mix);
}

/* Runs frames whose bytes are @a and @b; returns the first code of the output.
 */
static guint
mix_codes (Mix *mix, guint8 a, guint8 b)
{
  g_autoptr (GstBuffer)
      out = mix_run (mix, frame_new_filled (&mix->infos[0], a),
          frame_new_filled (&mix->infos[1], b));
  g_autofree guint16 *codes = NULL;
  GstVideoInfo info;

  harness_out_info (mix->inputs[0], &info);
  codes = frame_codes (out, &info, 0, NULL, NULL);

  return codes[0];
}

/* Waits for an event of @type on the output. */
static void
wait_for_event (Mix *mix, GstEventType type)
{
  GstEventType got = GST_EVENT_UNKNOWN;

  while (got != type) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (mix->inputs[0]);

    fail_unless (event != NULL, "no %s", gst_event_type_get_name (type));
    got = GST_EVENT_TYPE (event);
  }
}

static GstElement *
mix_element (Mix *mix)
{
  return harness_element (mix->inputs[0], "clkernelmix");
}

/* --- frames --------------------------------------------------------------- */

typedef enum { IN_SYSTEM, IN_DEVICE, N_MEMORIES } Memory;

/* Returns @frame (transfer full) in @memory, with the caps of input @input set
 * to that. transfer full */
static GstBuffer *
in_memory (Mix *mix, guint input, GstBuffer *frame, Memory memory)
{
  g_autoptr (GstHarness) upload = NULL;
  GstVideoInfo info;
  GstBuffer *uploaded;

  if (memory == IN_SYSTEM)
    return frame;

  upload = harness_new ("clupload");
  gst_harness_set_sink_caps_str (upload, "video/x-raw(memory:OpenCLMemory)");
  harness_set_format (upload, GST_VIDEO_INFO_FORMAT (&mix->infos[input]),
      mix->infos[input].width, mix->infos[input].height, &info);
  uploaded = harness_run (upload, frame);
  gst_harness_set_src_caps (mix->inputs[input], harness_out_caps (upload));

  return uploaded;
}

static guint
code_at (const guint16 *codes, gint width, gint height, gint x, gint y)
{
  return codes[MIN (y, height - 1) * width + MIN (x, width - 1)];
}

/* @b: of b_info, of which codes can be read. */
static void
expect_difference (GstBuffer *out, GstBuffer *a, const GstVideoInfo *a_info,
    GstBuffer *b, const GstVideoInfo *b_info)
{
  const guint n_b = GST_VIDEO_INFO_N_COMPONENTS (b_info);

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (a_info); c++) {
    const gint largest = (1 << GST_VIDEO_INFO_COMP_DEPTH (a_info, c)) - 1;
    gint width, height, b_width, b_height;
    g_autofree guint16 *x = frame_codes (a, a_info, c, &width, &height);
    g_autofree guint16 *y = frame_codes (b, b_info, MIN (c, n_b - 1), &b_width,
        &b_height);
    g_autofree guint16 *got = frame_codes (out, a_info, c, NULL, NULL);

    for (gint i = 0; i < width * height; i++) {
      const gint difference = (gint) x[i] - (gint) code_at (y, b_width,
                                                b_height, i % width, i / width);

      fail_unless_equals_int (got[i], MIN (ABS (difference), largest));
    }
  }
}

typedef struct {
  GstVideoFormat a, b;
  gint a_width, a_height, b_width, b_height;
} Pair;

static const Pair pairs[] = {
  { GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_I420, 37, 19, 37, 19 },
  { GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_GRAY8, 64, 48, 16, 7 },
  { GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_NV12, 21, 10, 64, 64 },
  { GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_Y444_10LE, 5, 3, 5, 3 },
  { GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_RGBA, 1, 1, 40, 2 },
};

/* Each pair of formats and sizes, in system memory and in device memory, in
 * several layouts. */
LOOP_TEST (differences_are_exact, G_N_ELEMENTS (pairs))
{
  const Pair *row = &pairs[__i__];

  for (guint k = 0; k < N_MEMORIES * N_MEMORIES; k++) {
    g_autoptr (Mix) mix = mix_new (DIFFER, "");

    mix_set_format (mix, 0, row->a, row->a_width, row->a_height);
    mix_set_format (mix, 1, row->b, row->b_width, row->b_height);
    for (guint i = 0; i < N_LAYOUTS; i++) {
      g_autoptr (GstBuffer) a = frame_new (&mix->infos[0], i);
      g_autoptr (GstBuffer) b = frame_new (&mix->infos[1], 100 + i);
      GstBuffer *x = frame_copy_to_layout (a, &mix->infos[0], i);
      GstBuffer *y = frame_copy_to_layout (b, &mix->infos[1],
          (i + 3) % N_LAYOUTS);
      g_autoptr (GstBuffer)
          out = mix_run (mix, in_memory (mix, 0, x, k % N_MEMORIES),
              in_memory (mix, 1, y, k / N_MEMORIES));

      expect_difference (out, a, &mix->infos[0], b, &mix->infos[1]);
    }
  }
}

/* Both inputs are unpacked, each by itself: the codes are those that clkernel
 * finds in the same frames. */
TEST (packed_inputs_are_unpacked)
{
  static const gchar copy[] =
      "clkernel output-format=I422_10LE source=\"__kernel void copy ("
      "GST_CL_IN (in), GST_CL_OUT (out)) { int x = get_global_id (0), "
      "y = get_global_id (1); for (int c = 0; c < gst_cl_components (in)\\; "
      "c++) gst_cl_store (out, c, x, y, gst_cl_load (in, c, x, y))\\; }\"";
  g_autoptr (Mix) mix = mix_new (DIFFER, "output-format=I422_10LE");
  GstBuffer *in[2], *codes[2];
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo info;

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstHarness) h = harness_new (copy);

    mix_set_format (mix, i, GST_VIDEO_FORMAT_v210, 37, 5);
    in[i] = frame_new (&mix->infos[i], i);
    harness_set_format (h, GST_VIDEO_FORMAT_v210, 37, 5, &info);
    codes[i] = harness_run (h, gst_buffer_ref (in[i]));
  }
  out = mix_run (mix, gst_buffer_copy (in[0]), gst_buffer_copy (in[1]));
  harness_out_info (mix->inputs[0], &info);
  fail_unless_equals_string (GST_VIDEO_INFO_NAME (&info), "I422_10LE");
  expect_difference (out, codes[0], &info, codes[1], &info);
  for (guint i = 0; i < 2; i++) {
    gst_buffer_unref (in[i]);
    gst_buffer_unref (codes[i]);
  }
}

/* The mask chooses between two pictures. */
TEST (masks_choose)
{
  static const gchar *const pads[] = { "sink_0", "sink_1", "sink_2", NULL };
  g_autoptr (Mix) mix = mix_new_of_pads (
      "__kernel void key (GST_CL_IN (a), GST_CL_IN (b), GST_CL_IN (mask),\n"
      "    GST_CL_OUT (out)) {\n" EACH (
          out) "gst_cl_store (out, c, x, y, gst_cl_load (mask, 0, x, y) > 127\n"
               "    ? gst_cl_load (a, c, x, y) : gst_cl_load (b, c, x, y)); "
               "}\n",
      "", pads);
  GstBuffer *frames[MAX_INPUTS];
  g_autoptr (GstBuffer) out = NULL;
  g_autofree guint16 *mask = NULL;

  for (guint i = 0; i < MAX_INPUTS; i++) {
    mix_set_format (mix, i,
        i < 2 ? GST_VIDEO_FORMAT_RGB : GST_VIDEO_FORMAT_GRAY8, 33, 9);
    frames[i] = frame_new (&mix->infos[i], i);
    set_times (frames[i], 0, 40 * GST_MSECOND);
    push (mix, i, gst_buffer_ref (frames[i]));
  }
  out = pull (mix);
  mask = frame_codes (frames[2], &mix->infos[2], 0, NULL, NULL);
  for (guint c = 0; c < 3; c++) {
    g_autofree guint16 *got = frame_codes (out, &mix->infos[0], c, NULL, NULL);
    g_autofree guint16 *a = frame_codes (frames[0], &mix->infos[0], c, NULL,
        NULL);
    g_autofree guint16 *b = frame_codes (frames[1], &mix->infos[1], c, NULL,
        NULL);

    for (guint i = 0; i < 33 * 9; i++)
      fail_unless_equals_int (got[i], mask[i] > 127 ? a[i] : b[i]);
  }
  for (guint i = 0; i < MAX_INPUTS; i++)
    gst_buffer_unref (frames[i]);
}

/* The order is that of the pads' numbers, not of their requests; it is that of
 * the file's passes. */
TEST (inputs_have_an_order)
{
  static const gchar *const pads[] = { "sink_10", "sink_0", "sink_9", NULL };
  static const guint8 codes[] = { 3, 1, 2 };
  g_autoptr (Mix) mix = mix_new_of_pads (
      "//!PASS one\n//!PASS two\n//!BUFFER sum uint 1\n"
      "__kernel void two (GST_CL_IN (third), GST_CL_OUT (out),\n"
      "    __global const uint *sum) {\n" EACH (
          out) "gst_cl_store (out, c, x, y, *sum + 49 * gst_cl_load (third, 0, "
               "0, "
               "0)); }\n"
               "__kernel void one (GST_CL_IN (first), GST_CL_IN (second),\n"
               "    __global uint *sum) {\n" AT "if (x == 0 && y == 0)\n"
               "  *sum = gst_cl_load (first, 0, 0, 0) + 7 * gst_cl_load "
               "(second, 0, 0, "
               "0); }\n",
      "", pads);
  g_autoptr (GstBuffer) out = NULL;
  g_autofree guint16 *got = NULL;

  mix_set_grey (mix);
  for (guint i = 0; i < MAX_INPUTS; i++) {
    GstBuffer *frame = frame_new_filled (&mix->infos[i], codes[i]);

    set_times (frame, 0, 40 * GST_MSECOND);
    push (mix, i, frame);
  }
  out = pull (mix);
  got = frame_codes (out, &mix->infos[0], 0, NULL, NULL);
  fail_unless_equals_int (got[0], 1 + 7 * 2 + 49 * 3);
}

/* --- times ---------------------------------------------------------------- */

/* Frames of an input; times in ms. */
typedef struct {
  gint64 start, step, base; /* base: of the segment, whose start is @start */
  guint n;
} Series;

typedef struct {
  Mix *mix;
  guint input;
  const Series *series;
} Pusher;

/* Pushes the frames and EOS. */
static gpointer
push_series (gpointer data)
{
  const Pusher *self = data;
  const Series *series = self->series;
  GstHarness *h = self->mix->inputs[self->input];
  GstFlowReturn flow = GST_FLOW_OK;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = (guint64) series->start * GST_MSECOND;
  segment.base = (guint64) series->base * GST_MSECOND;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  for (guint i = 0; i < series->n && flow == GST_FLOW_OK; i++) {
    GstBuffer *frame = frame_new_filled (&self->mix->infos[self->input], 1);

    set_times (frame,
        (guint64) (series->start + i * series->step) * GST_MSECOND,
        (guint64) series->step * GST_MSECOND);
    flow = gst_harness_push (h, frame);
  }
  gst_harness_push_event (h, gst_event_new_eos ());

  return NULL;
}

#define MAX_FRAMES 6

typedef struct {
  Series a, b;
  const gchar *properties;
  /* the times of both inputs in each frame; -1: the end */
  gint expected[MAX_FRAMES + 1][2];
} Timing;

static const Timing timings[] = {
  /* the same times */
  { { 0, 40, 0, 3 }, { 0, 40, 0, 3 }, "",
      { { 0, 0 }, { 40, 40 }, { 80, 80 }, { -1 } } },
  /* running times: timestamps that differ, segments that begin with them */
  { { 0, 40, 0, 2 }, { 9000, 40, 0, 2 }, "", { { 0, 0 }, { 40, 40 }, { -1 } } },
  { { 5000, 40, 1000, 2 }, { 0, 40, 1000, 2 }, "",
      { { 1000, 1000 }, { 1040, 1040 }, { -1 } } },
  /* a slower input repeats frames */
  { { 0, 40, 0, 5 }, { 0, 100, 0, 2 }, "",
      { { 0, 0 }, { 40, 0 }, { 80, 100 }, { 120, 100 }, { 160, 100 },
          { -1 } } },
  /* of a faster one, frames are left out */
  { { 0, 40, 0, 3 }, { 0, 20, 0, 6 }, "",
      { { 0, 0 }, { 40, 40 }, { 80, 80 }, { -1 } } },
  /* an input begins later */
  { { 0, 40, 0, 4 }, { 0, 40, 80, 3 }, "",
      { { 80, 80 }, { 120, 120 }, { -1 } } },
  /* an input ends earlier, and the stream with it, whichever it is */
  { { 0, 40, 0, 5 }, { 0, 40, 0, 2 }, "", { { 0, 0 }, { 40, 40 }, { -1 } } },
  { { 0, 40, 0, 2 }, { 0, 40, 0, 5 }, "", { { 0, 0 }, { 40, 40 }, { -1 } } },
  { { 0, 40, 0, 5 }, { 0, 40, 0, 0 }, "", { { -1 } } },
  { { 0, 40, 0, 0 }, { 0, 40, 0, 5 }, "", { { -1 } } },
  /* or its last frame is repeated */
  { { 0, 40, 0, 4 }, { 0, 40, 0, 2 }, "sink_1::repeat-after-eos=true",
      { { 0, 0 }, { 40, 40 }, { 80, 40 }, { 120, 40 }, { -1 } } },
  { { 0, 40, 0, 2 }, { 0, 40, 0, 4 }, "sink_0::repeat-after-eos=true",
      { { 0, 0 }, { 40, 40 }, { 40, 80 }, { 40, 120 }, { -1 } } },
};

/* Pushes both series at once, and pulls what comes out. */
LOOP_TEST (inputs_meet_by_running_time, G_N_ELEMENTS (timings))
{
  const Timing *row = &timings[__i__];
  g_autoptr (Mix) mix = mix_new (TIMES, row->properties);
  g_autoptr (GstBus) bus = harness_bus (mix->inputs[0]);
  Pusher pushers[] = { { mix, 0, &row->a }, { mix, 1, &row->b } };
  GThread *threads[2];

  mix_set_grey (mix);
  for (guint i = 0; i < 2; i++)
    threads[i] = g_thread_new ("pusher", push_series, &pushers[i]);
  wait_for_event (mix, GST_EVENT_EOS);
  for (guint i = 0; i < 2; i++)
    g_thread_join (threads[i]);

  for (guint i = 0; row->expected[i][0] >= 0; i++) {
    g_autoptr (GstMessage) message = pop_element_message (bus, "clkernelmix");
    g_autoptr (GstBuffer) out = gst_harness_try_pull (mix->inputs[0]);
    const GstStructure *result;
    const GValue *times;
    gint got[4];

    fail_unless (message != NULL && out != NULL, "no frame %u", i);
    result = gst_message_get_structure (message);
    times = gst_structure_get_value (result, "times");
    for (guint k = 0; k < 4; k++)
      got[k] = g_value_get_int (gst_value_array_get_value (times, k));
    fail_unless_equals_int (got[0], row->expected[i][0]);
    fail_unless_equals_int (got[1], row->expected[i][1]);
    fail_unless_equals_int (got[2], i);
    fail_unless_equals_int (got[3], row->expected[i > 0 ? i - 1 : 0][0]);
    fail_unless_equals_uint64 (uint64_field (result, "frame"), i);
    fail_unless_equals_uint64 (uint64_field (result, "timestamp"),
        GST_BUFFER_PTS (out));
    fail_unless_equals_uint64 (
        uint64_field (gst_custom_meta_get_structure (
                          gst_buffer_get_custom_meta (out, "GstClKernelMeta")),
            "running-time"),
        uint64_field (result, "running-time"));
  }
  fail_unless (gst_harness_try_pull (mix->inputs[0]) == NULL);
  expect_no_error (bus);
}

/* The frame rate of the output is that of the first input, or the one that
 * downstream asks for. */
TEST (downstream_chooses_the_rate)
{
  g_autoptr (Mix) mix = mix_new (ADD, "");
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo info;

  gst_harness_set_sink_caps_str (mix->inputs[0], "video/x-raw,framerate=50/1");
  mix_set_grey (mix);
  out = mix_run (mix, frame_new_filled (&mix->infos[0], 1),
      frame_new_filled (&mix->infos[1], 2));
  harness_out_info (mix->inputs[0], &info);
  fail_unless_equals_int (info.fps_n, 50);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 20 * GST_MSECOND);
}

/* --- changes while playing ------------------------------------------------ */

static void
set_parameters (Mix *mix, const gchar *text)
{
  g_autoptr (GstElement) element = mix_element (mix);

  gst_util_set_object_arg (G_OBJECT (element), "parameters", text);
}

TEST (parameters_change)
{
  g_autoptr (Mix) mix = mix_new (ADD, "n::value=2");
  g_autoptr (GstElement) element = mix_element (mix);
  g_autoptr (GstBus) bus = harness_bus (mix->inputs[0]);

  mix_set_grey (mix);
  fail_unless_equals_int (mix_codes (mix, 100, 10), 120);
  set_parameters (mix, "p, n=3");
  fail_unless_equals_int (mix_codes (mix, 100, 10), 130);
  gst_child_proxy_set (GST_CHILD_PROXY (element), "n::value", -4.0, NULL);
  fail_unless_equals_int (mix_codes (mix, 100, 10), 60);
  expect_no_error (bus);

  /* pads and parameters are children */
  fail_unless_equals_int (
      gst_child_proxy_get_children_count (GST_CHILD_PROXY (element)), 3);
}

/* The caps of one input, then of the other. */
TEST (caps_change)
{
  g_autoptr (Mix) mix = mix_new (DIFFER, "");

  mix_set_grey (mix);
  fail_unless_equals_int (mix_codes (mix, 100, 10), 90);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) a = NULL, b = NULL, out = NULL;
    GstVideoInfo info;

    mix_set_format (mix, 1 - i % 2,
        i < 2 ? GST_VIDEO_FORMAT_I420 : GST_VIDEO_FORMAT_GRAY8, 7 + (gint) i,
        4);
    a = frame_new (&mix->infos[0], i);
    b = frame_new (&mix->infos[1], 10 + i);
    out = mix_run (mix, gst_buffer_copy (a), gst_buffer_copy (b));
    harness_out_info (mix->inputs[0], &info);
    fail_unless (gst_video_info_is_equal (&info, &mix->infos[0]));
    expect_difference (out, a, &mix->infos[0], b, &mix->infos[1]);
  }
}

TEST (output_changes)
{
  g_autoptr (Mix) mix = mix_new (ADD, "");
  g_autoptr (GstElement) element = mix_element (mix);
  GstVideoInfo info;

  mix_set_grey (mix);
  fail_unless_equals_int (mix_codes (mix, 100, 10), 110);
  g_object_set (element, "output-width", "2*iw", "output-height", "4",
      "output-format", "RGB", NULL);
  fail_unless_equals_int (mix_codes (mix, 100, 11), 111);
  harness_out_info (mix->inputs[0], &info);
  fail_unless_equals_string (GST_VIDEO_INFO_NAME (&info), "RGB");
  fail_unless_equals_int (info.width, 10);
  fail_unless_equals_int (info.height, 4);
}

/* A source of as many inputs replaces the kernels; one of others is a warning.
 */
TEST (sources_change)
{
  g_autoptr (Mix) mix = mix_new (ADD, "");
  g_autoptr (GstElement) element = mix_element (mix);
  g_autoptr (GstBus) bus = harness_bus (mix->inputs[0]);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  mix_set_grey (mix);
  fail_unless_equals_int (mix_codes (mix, 100, 10), 110);
  g_object_set (element, "location", NULL, "source", DIFFER, NULL);
  while (mix_codes (mix, 100, 10) == 110)
    ;
  fail_unless_equals_int (mix_codes (mix, 100, 10), 90);
  expect_no_error (bus);

  g_object_set (element, "source",
      "__kernel void k (GST_CL_IN (a), GST_CL_IN (b), GST_CL_IN (c)) { }\n",
      NULL);
  while (!(message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)))
    fail_unless_equals_int (mix_codes (mix, 100, 10), 90);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "3 frames GST_CL_IN") != NULL &&
                   strstr (error->message, "2 inputs") != NULL,
      "%s", error->message);
}

/* --- flushes -------------------------------------------------------------- */

/* After a flush, the first frame is the first of a series. */
TEST (flushes_begin_anew)
{
  g_autoptr (Mix) mix = mix_new (
      "__kernel void k (GST_CL_IN (a), GST_CL_IN (b), GST_CL_PREVIOUS (p, 1),\n"
      "    GST_CL_OUT (out)) {\n" EACH (
          out) "gst_cl_store (out, c, x, y, gst_cl_load (p, c, x, y) +\n"
               "    gst_cl_load (b, c, x, y)); }\n",
      "");

  mix_set_grey (mix);
  fail_unless_equals_int (mix_codes (mix, 10, 1), 11);
  fail_unless_equals_int (mix_codes (mix, 20, 2), 12);
  for (guint pass = 0; pass < 2; pass++) {
    const guint32 seqnum = gst_util_seqnum_next ();

    /* a frame that is queued goes with the flush */
    if (pass == 1) {
      GstBuffer *late = frame_new_filled (&mix->infos[0], 99);

      set_times (late, mix->next, 40 * GST_MSECOND);
      push (mix, 0, late);
    }
    for (guint k = 0; k < 2; k++) {
      for (guint i = 0; i < 2; i++) {
        GstEvent *event = k == 0 ? gst_event_new_flush_start ()
                                 : gst_event_new_flush_stop (TRUE);

        gst_event_set_seqnum (event, seqnum);
        fail_unless (gst_harness_push_event (mix->inputs[i], event));
      }
    }
    mix->next = 0;
    for (guint i = 0; i < 2; i++) {
      GstSegment segment;

      gst_segment_init (&segment, GST_FORMAT_TIME);
      gst_harness_push_event (mix->inputs[i], gst_event_new_segment (&segment));
    }
    fail_unless_equals_int (mix_codes (mix, 30, 3), 33);
    fail_unless_equals_int (mix_codes (mix, 40, 4), 34);
  }
}

/* --- pipelines ------------------------------------------------------------ */

/* Returns a pipeline of @description with the text ADD in "mix". transfer full
 */
static GstElement *
new_pipeline (const gchar *description, const gchar *source)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);
  g_autoptr (GstElement) element = NULL;

  fail_unless (error == NULL, "%s: %s", description,
      error ? error->message : "");
  element = gst_bin_get_by_name (GST_BIN (pipeline), "mix");
  if (source)
    g_object_set (element, "source", source, NULL);

  return pipeline;
}

static void
expect_eos (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  fail_unless (error == NULL, "%s", error ? error->message : "");
}

#define GREY  "video/x-raw,format=GRAY8,width=64,height=32"
#define INPUT "videotestsrc num-buffers=40 ! " GREY

static const gchar *const lines[] = {
  INPUT " ! queue max-size-buffers=1 ! mix.sink_0 " INPUT
        " ! queue max-size-buffers=1 ! mix.sink_1 "
        "clkernelmix name=mix ! queue max-size-buffers=1 ! fakesink",
  INPUT " ! clupload ! queue max-size-buffers=1 ! mix.sink_0 " INPUT
        " ! mix.sink_1 clkernelmix name=mix ! fakesink",
  INPUT " ! clupload ! mix. " INPUT " ! clupload ! mix. "
        "clkernelmix name=mix ! cldownload ! fakesink",
  INPUT " ! tee name=t t. ! queue ! mix. t. ! queue ! mix. "
        "clkernelmix name=mix ! clkernelmix name=mix2 sink_0::zorder=3 "
        "source=\"__kernel void k (GST_CL_IN (a), GST_CL_OUT (b)) { }\" ! "
        "fakesink",
};

/* Queues of one buffer, and other elements of the plugin on both sides. */
LOOP_TEST (pipelines_end, G_N_ELEMENTS (lines))
{
  g_autoptr (GstElement) pipeline = new_pipeline (lines[__i__], ADD);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  expect_eos (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* One frame on both inputs, in system memory and in device memory. */
LOOP_TEST (one_frame_on_both_inputs, N_MEMORIES)
{
  g_autofree gchar *line = g_strdup_printf (INPUT
      " ! %s ! tee name=t t. ! queue ! mix. t. ! queue ! mix. "
      "clkernelmix name=mix ! fakesink",
      __i__ == IN_DEVICE ? "clupload" : "identity");
  g_autoptr (GstElement) pipeline = new_pipeline (line,
      "//!STATISTICS wrong uint 1\n"
      "__kernel void k (GST_CL_IN (a), GST_CL_IN (b), GST_CL_OUT (out),\n"
      "    volatile __global uint *wrong) {\n" AT
      "if (gst_cl_load (a, 0, x, y) != gst_cl_load (b, 0, x, y) ||\n"
      "    gst_cl_time (a) != gst_cl_time (b))\n"
      "  atomic_inc (wrong); }\n");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  guint n = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (;; n++) {
    g_autoptr (GstMessage)
        message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
            GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    guint wrong;

    if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT) {
      fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
      break;
    }
    fail_unless (gst_structure_get_uint (gst_message_get_structure (message),
        "wrong", &wrong));
    fail_unless_equals_int (wrong, 0);
  }
  fail_unless_equals_int (n, 40);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* The caps of the output: device memory if downstream prefers it, else system
 * memory. */
TEST (output_has_the_memory_of_downstream)
{
  static const gchar *const sinks[] = { "cldownload ! fakesink",
    "identity ! fakesink" };

  for (guint i = 0; i < G_N_ELEMENTS (sinks); i++) {
    g_autofree gchar *line = g_strdup_printf (INPUT
        " ! mix. " INPUT " ! clupload ! mix. clkernelmix name=mix ! %s",
        sinks[i]);
    g_autoptr (GstElement) pipeline = new_pipeline (line, ADD);
    g_autoptr (GstElement)
        element = gst_bin_get_by_name (GST_BIN (pipeline), "mix");
    g_autoptr (GstPad) src = gst_element_get_static_pad (element, "src");
    g_autoptr (GstCaps) caps = NULL;

    gst_element_set_state (pipeline, GST_STATE_PAUSED);
    fail_unless_equals_int (
        gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE),
        GST_STATE_CHANGE_SUCCESS);
    caps = gst_pad_get_current_caps (src);
    fail_unless_equals_int (
        gst_caps_features_contains (gst_caps_get_features (caps, 0),
            "memory:OpenCLMemory"),
        i == 0);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
}

/* A seek of all inputs. */
TEST (a_seek_begins_at_its_time)
{
  g_autoptr (GstElement) pipeline = new_pipeline (
      "videotestsrc num-buffers=90 ! " GREY ",framerate=25/1 ! queue ! mix. "
      "videotestsrc num-buffers=90 ! " GREY ",framerate=25/1 ! mix. "
      "clkernelmix name=mix ! fakesink",
      TIMES);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *result;
  const GValue *times;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (
      gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE),
      GST_STATE_CHANGE_SUCCESS);
  fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, 2 * GST_SECOND));
  fail_unless_equals_int (
      gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE),
      GST_STATE_CHANGE_SUCCESS);
  do {
    gst_clear_message (&message);
    message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
    fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
    result = gst_message_get_structure (message);
  } while (uint64_field (result, "stream-time") < 2 * GST_SECOND);
  fail_unless_equals_uint64 (uint64_field (result, "stream-time"),
      2 * GST_SECOND);
  fail_unless_equals_uint64 (uint64_field (result, "running-time"), 0);
  times = gst_structure_get_value (result, "times");
  for (guint k = 0; k < 4; k++) {
    if (k != 2)
      fail_unless_equals_int (
          g_value_get_int (gst_value_array_get_value (times, k)), 0);
  }
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  expect_eos (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* Stops at any time, and starts again. */
TEST (running_pipelines_stop)
{
  g_autoptr (GstElement) pipeline = new_pipeline (
      "videotestsrc ! " GREY " ! queue max-size-buffers=1 ! mix. "
      "videotestsrc ! " GREY " ! clupload ! mix. "
      "clkernelmix name=mix ! queue max-size-buffers=1 ! fakesink",
      TIMES);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  for (guint i = 0; i < 8; i++) {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    for (guint n = 0; n < i; n++) {
      g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
          GST_CLOCK_TIME_NONE, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);

      fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
    }
    gst_element_set_state (pipeline, i % 2 ? GST_STATE_NULL : GST_STATE_READY);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* --- pools ---------------------------------------------------------------- */

/* The buffers that GstVideoAggregator needs: the frame that it may repeat, the
 * next one, and one that is pushed. */
#define N_BUFFERS 3
#define N_FRAMES  20

typedef struct {
  Mix *mix;
  guint input;
  GstBufferPool *pool;
} Producer;

static gpointer
push_from_pool (gpointer data)
{
  const Producer *self = data;
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < N_FRAMES && flow == GST_FLOW_OK; i++) {
    GstBuffer *frame;

    fail_unless_equals_int (
        gst_buffer_pool_acquire_buffer (self->pool, &frame, NULL), GST_FLOW_OK);
    gst_buffer_memset (frame, 0, (guint8) (i + self->input), G_MAXSIZE);
    set_times (frame, i * 40 * GST_MSECOND, 40 * GST_MSECOND);
    flow = gst_harness_push (self->mix->inputs[self->input], frame);
  }
  gst_harness_push_event (self->mix->inputs[self->input], gst_event_new_eos ());

  return NULL;
}

/* Upstream has no more buffers than GstVideoAggregator keeps: the frames in
 * flight keep none of them. */
TEST (bounded_pools_suffice)
{
  g_autoptr (Mix) mix = mix_new (ADD, "");
  Producer producers[2];
  GThread *threads[2];

  mix_set_grey (mix);
  for (guint i = 0; i < 2; i++) {
    GstBufferPool *pool = gst_buffer_pool_new ();
    GstStructure *config = gst_buffer_pool_get_config (pool);
    g_autoptr (GstCaps) caps = gst_video_info_to_caps (&mix->infos[i]);
    const GstAllocationParams params = { .align = 4095 };

    gst_buffer_pool_config_set_params (config, caps,
        (guint) GST_VIDEO_INFO_SIZE (&mix->infos[i]), 0, N_BUFFERS);
    gst_buffer_pool_config_set_allocator (config, NULL, &params);
    fail_unless (gst_buffer_pool_set_config (pool, config));
    fail_unless (gst_buffer_pool_set_active (pool, TRUE));
    producers[i] = (Producer){ mix, i, pool };
    threads[i] = g_thread_new ("producer", push_from_pool, &producers[i]);
  }
  for (guint i = 0; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) out = pull (mix);
    g_autofree guint16 *codes = NULL;

    codes = frame_codes (out, &mix->infos[0], 0, NULL, NULL);
    fail_unless_equals_int (codes[0], 2 * i + 1);
  }
  wait_for_event (mix, GST_EVENT_EOS);
  for (guint i = 0; i < 2; i++) {
    g_thread_join (threads[i]);
    gst_buffer_pool_set_active (producers[i].pool, FALSE);
    gst_object_unref (producers[i].pool);
  }
}

/* Each input is offered enough buffers, with strides of upstream's choice. */
TEST (inputs_offer_pools)
{
  g_autoptr (Mix) mix = mix_new (ADD, "");

  mix_set_grey (mix);
  fail_unless_equals_int (mix_codes (mix, 1, 2), 3);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstCaps) caps = gst_video_info_to_caps (&mix->infos[i]);
    g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
    guint size, min, max;

    fail_unless (gst_pad_peer_query (mix->inputs[i]->srcpad, query));
    fail_unless (
        gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
    fail_unless (gst_query_get_n_allocation_pools (query) == 1);
    gst_query_parse_nth_allocation_pool (query, 0, NULL, &size, &min, &max);
    fail_unless_equals_int (size, GST_VIDEO_INFO_SIZE (&mix->infos[i]));
    fail_unless_equals_int (min, 6);
    fail_unless_equals_int (max, 0);
  }
}

/* Each input has the formats of the file; the first one also follows what
 * downstream accepts. */
TEST (inputs_have_caps)
{
  g_autoptr (Mix) mix = mix_new ("//!FORMATS RGB I420 NV12\n" ADD, "");
  g_autoptr (GstCaps) first = NULL, second = NULL, expected = NULL;

  gst_harness_set_sink_caps_str (mix->inputs[0],
      "video/x-raw,format={I420,RGB,GRAY8},width=8,framerate=50/1");
  first = gst_pad_peer_query_caps (mix->inputs[0]->srcpad, NULL);
  second = gst_pad_peer_query_caps (mix->inputs[1]->srcpad, NULL);
  expected = gst_caps_from_string (
      "video/x-raw(memory:OpenCLMemory),format={RGB,I420},width=8,"
      "height=[1,2147483647],framerate=[0/1,2147483647/1];"
      "video/x-raw,format={RGB,I420},width=8,height=[1,2147483647],"
      "framerate=[0/1,2147483647/1]");
  fail_unless (gst_caps_is_subset (expected, first), "%s",
      gst_caps_to_string (first));
  gst_caps_take (&expected,
      gst_caps_from_string ("video/x-raw,format={NV12,GRAY8},width=8;"
                            "video/x-raw,format=I420,width=9"));
  fail_if (gst_caps_can_intersect (expected, first));
  gst_caps_take (&expected,
      gst_caps_from_string ("video/x-raw,format={RGB,I420,NV12},"
                            "width=[1,2147483647],height=[1,2147483647],"
                            "framerate=[0/1,2147483647/1]"));
  fail_unless (gst_caps_is_subset (expected, second));
  gst_caps_take (&expected, gst_caps_from_string ("video/x-raw,format=GRAY8"));
  fail_if (gst_caps_can_intersect (expected, second));
}

/* --- errors --------------------------------------------------------------- */

#define ONE(caps)  "videotestsrc num-buffers=2 ! " caps " ! mix. "
#define SMALL      "video/x-raw,format=GRAY8,width=5,height=3"
#define TWO        ONE (SMALL) ONE (SMALL)
#define INTERLACED SMALL ",interlace-mode=interleaved"

typedef struct {
  const gchar *source, *inputs, *properties;
  const gchar *parts[4];
} Refusal;

static const Refusal refusals[] = {
  { NULL, TWO, "", { "location", "source" } },
  { NULL, TWO, "location=/nonexistent.cl", { "/nonexistent.cl" } },
  { ADD, ONE (SMALL), "", { "source: ", "GST_CL_IN, 2 (a, b)", "1 (sink_0)" } },
  { ADD, TWO ONE (SMALL), "",
      { "source: ", "GST_CL_IN, 2 (a, b)", "3 (sink_0, sink_1, sink_2)" } },
  { "__kernel void k (GST_CL_OUT (out)) { }\n", TWO, "",
      { "source: ", "GST_CL_IN, 0 ()", "2 (sink_0, sink_1)" } },
  { "__kernel void k (GST_CL_IN (a), GST_CL_IN (b)) { int a = 1 }\n", TWO, "",
      { "source:1" } },
  { ADD, TWO, "parameters=\"p,n=100\"", { "source:1", "-9 to 9" } },
  { ADD, TWO, "output-width=iw-5", { "\"iw-5\"", "0 for an input of 5x3" } },
  { ADD, TWO, "output-format=NV99", { "\"NV99\"" } },
  { ADD, ONE (SMALL) ONE (INTERLACED), "", { "interlace" } },
};

/* One error, which names what is wrong, and no frame. */
LOOP_TEST (what_cannot_run_is_one_error, G_N_ELEMENTS (refusals))
{
  const Refusal *row = &refusals[__i__];
  g_autofree gchar *line = g_strdup_printf (
      "%s clkernelmix name=mix %s ! fakesink", row->inputs, row->properties);
  g_autoptr (GstElement) pipeline = new_pipeline (line, row->source);
  g_autoptr (GstElement)
      element = gst_bin_get_by_name (GST_BIN (pipeline), "mix");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (element), "%s",
      error->message);
  for (guint i = 0; i < G_N_ELEMENTS (row->parts); i++)
    fail_unless (!row->parts[i] || strstr (error->message, row->parts[i]),
        "expected \"%s\", found \"%s\"", row->parts[i], error->message);
  gst_element_set_state (pipeline, GST_STATE_READY);
  while (message) {
    gst_message_unref (message);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    fail_if (message && GST_MESSAGE_SRC (message) == GST_OBJECT (element));
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* Upstream has a format that the file does not list. */
TEST (other_formats_are_a_warning)
{
  g_autoptr (GstElement)
      pipeline = new_pipeline (ONE ("video/x-raw,format=RGB") ONE (
                                   SMALL) "clkernelmix name=mix ! fakesink",
          "//!FORMATS RGB\n" ADD);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_WARNING | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "RGB (//!FORMATS)") != NULL &&
                   strstr (error->message, "GRAY8") != NULL,
      "%s", error->message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* Waits until an error is on @bus, where it stays. */
static void
wait_for_error (GstBus *bus)
{
  gst_bus_post (bus,
      gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR));
}

/* Downstream does not accept the output. */
TEST (refused_output_is_an_error)
{
  g_autoptr (Mix) mix = mix_new (ADD, "output-width=7");
  g_autoptr (GstBus) bus = harness_bus (mix->inputs[0]);
  static const gchar *const parts[] = { "output-width", "width=(int)7",
    "width=(int)8", NULL };

  gst_harness_set_sink_caps_str (mix->inputs[0], "video/x-raw,width=8");
  mix_set_grey (mix);
  for (guint i = 0; i < 2; i++) {
    GstBuffer *frame = frame_new_filled (&mix->infos[i], 1);

    set_times (frame, 0, 40 * GST_MSECOND);
    gst_harness_push (mix->inputs[i], frame);
  }
  wait_for_error (bus);
  expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, parts);
}

/* A frame that is shorter than its caps. */
TEST (short_frames_are_refused)
{
  g_autoptr (Mix) mix = mix_new (ADD, "");
  g_autoptr (GstBus) bus = harness_bus (mix->inputs[0]);
  GstBuffer *frame;

  mix_set_grey (mix);
  fail_unless_equals_int (mix_codes (mix, 1, 2), 3);
  for (guint i = 0; i < 2; i++) {
    frame = frame_new_filled (&mix->infos[i], 1);
    set_times (frame, mix->next, 40 * GST_MSECOND);
    if (i == 1)
      gst_buffer_set_size (frame, 3);
    gst_harness_push (mix->inputs[i], frame);
  }
  wait_for_error (bus);
  expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, NULL);
  wait_for_event (mix, GST_EVENT_EOS);
}

/* Calls of OpenCL that fail while frames are processed: one error, the end of
 * the output, and no further frame of an input. */
LOOP_TEST (failures_are_one_error, 4)
{
  static const EntryPoint calls[] = { ENTRY_clEnqueueNDRangeKernel,
    ENTRY_clSetKernelArg };
  const gboolean is_later = __i__ % 2;
  g_autoptr (Mix) mix = mix_new (ADD, "");
  g_autoptr (GstBus) bus = harness_bus (mix->inputs[0]);
  g_autoptr (GstElement) element = mix_element (mix);
  GstFlowReturn flow = GST_FLOW_OK;
  GstMessage *message;
  guint n = 0;

  mix_set_grey (mix);
  if (is_later)
    fail_unless_equals_int (mix_codes (mix, 1, 2), 3);
  layer_fail (calls[__i__ / 2], CL_OUT_OF_RESOURCES);
  for (guint i = 0; flow == GST_FLOW_OK; i++) {
    GstBuffer *frame = frame_new_filled (&mix->infos[i % 2], 1);

    set_times (frame, mix->next + i / 2 * 40 * GST_MSECOND, 40 * GST_MSECOND);
    flow = gst_harness_push (mix->inputs[i % 2], frame);
  }
  fail_unless_equals_int (flow, GST_FLOW_ERROR);
  wait_for_event (mix, GST_EVENT_EOS);
  layer_fail (calls[__i__ / 2], CL_SUCCESS);
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR))) {
    n += GST_MESSAGE_SRC (message) == GST_OBJECT (element);
    gst_message_unref (message);
  }
  fail_unless_equals_int (n, 1);
  fail_unless (gst_harness_try_pull (mix->inputs[0]) == NULL);
}

static void
start (void)
{
  test_folder_setup ();
  harness_share_context ();
}

SUITE (.start = start, .end = test_folder_teardown);

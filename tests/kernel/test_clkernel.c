/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clkernel: what kernels see, parameters, results, changes while playing,
 * errors. */

#include <math.h>

#include <glib/gstdio.h>
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#include <gst/check/gsttestclock.h>

#include "elements/common.h"
#include "elements/frames.h"
#include "folder.h"
#include "gst/opencl/opencl.h"
#include "suite.h"

#include <CL/cl.h>

#define PARTS(...) ((const gchar *const[]){ __VA_ARGS__, NULL })

#define AT                                                                     \
  "const int x = (int) get_global_id (0), y = (int) get_global_id (1);\n"
#define EACH(f) AT "for (int c = 0; c < gst_cl_components (" #f "); c++)\n"
#define COPY                                                                   \
  "__kernel void copy (GST_CL_IN (in), GST_CL_OUT (out)) {\n" EACH (           \
      in) "gst_cl_store (out, c, x, y, gst_cl_load (in, c, x, y)); }\n"
#define INVERT                                                                 \
  "__kernel void invert (GST_CL_IN (in), GST_CL_OUT (out)) {\n" EACH (         \
      in) "gst_cl_store (out, c, x, y, gst_cl_largest (in) -\n"                \
          "gst_cl_load (in, c, x, y)); }\n"

/* A kernel that adds n to each sample, with the parameter lines @head. */
#define ADD(head, arguments)                                                   \
  head "__kernel void add (GST_CL_IN (in), GST_CL_OUT (out)" arguments         \
       ") {\n" EACH (in) "gst_cl_store (out, c, x, y, gst_cl_load (in, c, x, " \
                         "y) + (n)); }\n"
#define ADD_N                                                                  \
  ADD ("//!PARAM n\n//!TYPE int\n//!MINIMUM -9\n//!MAXIMUM 99\n3\n", ", int "  \
                                                                     "n")

/* A harness around a clkernel of @source in a file, with @properties. transfer
 * full */
static GstHarness *
new_kernel_with (const gchar *source, const gchar *properties)
{
  g_autofree gchar *location = g_build_filename (test_folder, "test.cl", NULL);
  g_autofree gchar *line = g_strdup_printf ("clkernel location=%s %s", location,
      properties);

  fail_unless (g_file_set_contents (location, source, -1, NULL));

  return harness_new (line);
}

static GstHarness *
new_kernel (const gchar *source)
{
  return new_kernel_with (source, "");
}

/* Pushes a frame of 5x3 bytes, all @code; returns the first code of the
 * output. */
static guint
push_code (GstHarness *h, guint8 code)
{
  GstVideoInfo info;
  g_autoptr (GstBuffer) out = NULL;
  g_autofree guint16 *codes = NULL;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, 5, 3);
  out = harness_run (h, frame_new_filled (&info, code));
  codes = frame_codes (out, &info, 0, NULL, NULL);

  return codes[0];
}

static void
set_grey (GstHarness *h)
{
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 5, 3, &info);
}

/* Flushes the stream, and begins it again in grey. */
static void
flush (GstHarness *h)
{
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  set_grey (h);
  gst_harness_push_event (h,
      gst_event_new_segment (&(GstSegment){ .format = GST_FORMAT_TIME,
          .rate = 1,
          .applied_rate = 1,
          .stop = GST_CLOCK_TIME_NONE,
          .duration = GST_CLOCK_TIME_NONE }));
}

static void
set_parameters (GstHarness *h, const gchar *text)
{
  g_autoptr (GstElement) element = harness_element (h, "clkernel");

  gst_util_set_object_arg (G_OBJECT (element), "parameters", text);
}

/* @message (transfer full) is a warning whose text contains @part. */
static void
expect_warning (GstMessage *message, const gchar *part)
{
  g_autoptr (GError) error = NULL;

  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, part) != NULL, "%s", error->message);
  gst_message_unref (message);
}

/* --- frames --------------------------------------------------------------- */

static void
expect_inverted (GstBuffer *out, GstBuffer *in, const GstVideoInfo *info)
{
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    const guint largest = (1u << GST_VIDEO_INFO_COMP_DEPTH (info, c)) - 1;
    gint width, height;
    g_autofree guint16 *codes = frame_codes (in, info, c, &width, &height);
    g_autofree guint16 *got = frame_codes (out, info, c, NULL, NULL);

    for (gint i = 0; i < width * height; i++)
      fail_unless_equals_int (got[i], largest - codes[i]);
  }
}

static void
check_inverted (GstHarness *h, GstVideoFormat format, guint size)
{
  GstVideoInfo info;

  harness_set_format (h, format, test_sizes[size].width,
      test_sizes[size].height, &info);
  for (guint layout = 0; layout < N_LAYOUTS; layout++) {
    g_autoptr (GstBuffer) in = frame_new (&info, size);
    g_autoptr (GstBuffer)
        out = harness_run (h, frame_copy_to_layout (in, &info, layout));

    expect_inverted (out, in, &info);
  }
}

/* Each format, layout and kind of size. */
TEST (kernels_see_samples)
{
  g_autoptr (GstHarness) h = new_kernel (INVERT);
  guint n, n_wide;
  const GstVideoFormat *formats = test_formats (&n),
                       *wide = test_wide_formats (&n_wide);

  for (guint i = 0; i < n; i++)
    check_inverted (h, formats[i], i % n_test_sizes);
  for (guint i = 0; i < n_wide; i++)
    check_inverted (h, wide[i], i % n_test_sizes);
}

/* A packed format passes as it is, through its components. */
TEST (kernels_see_packed_samples)
{
  guint n;
  const GstVideoFormat *formats = test_packed_formats (&n);
  g_autoptr (GstHarness) h = new_kernel (COPY);

  for (guint i = 0; i < n; i++) {
    GstVideoInfo info;
    g_autoptr (GstBuffer) in = NULL, out = NULL, again = NULL;
    g_autoptr (GBytes) once = NULL, twice = NULL;

    harness_set_format (h, formats[i], 37, 5, &info);
    in = frame_new (&info, i);
    out = harness_run (h, gst_buffer_ref (in));
    once = frame_bytes (out);
    again = harness_run (h, gst_buffer_ref (out));
    twice = frame_bytes (again);
    fail_unless (g_bytes_equal (once, twice));
  }
}

/* Sixteen samples at once are those that are read one by one, for each size and
 * address, as on CPUs and as on GPUs. */
LOOP_TEST (sixteen_samples_at_once, 2)
{
  static const gchar source[] =
      "//!WORK (ow+15)/16xohxcomponents\n"
      "//!STATISTICS wrong uint 1\n"
      "__kernel void many (GST_CL_IN (in), GST_CL_OUT (out),\n"
      "    volatile __global uint *wrong) {\n"
      "  const int x = 16 * (int) get_global_id (0);\n"
      "  const int y = (int) get_global_id (1), c = (int) get_global_id (2);\n"
      "  int16 v;\n"
      "  int one[16];\n"
      "  if (c >= gst_cl_components (in)) return;\n"
      "  for (int from = x - 3; from < x + 3; from++) {\n"
      "    v = gst_cl_load16 (in, c, from, y);\n"
      "    vstore16 (v, 0, one);\n"
      "    for (int i = 0; i < 16; i++)\n"
      "      if (one[i] != gst_cl_load (in, c, from + i, y))\n"
      "        atomic_inc (wrong);\n"
      "  }\n"
      "  gst_cl_store16 (out, c, x - 3, y, gst_cl_largest (in) -\n"
      "      gst_cl_load16 (in, c, x - 3, y));\n"
      "  gst_cl_store16 (out, c, x + 13, y, gst_cl_largest (in) -\n"
      "      gst_cl_load16 (in, c, x + 13, y));\n"
      "}\n";
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_P010_10LE,
    GST_VIDEO_FORMAT_Y444_10LE };
  g_autoptr (GstHarness) h = new_kernel_with (source,
      __i__ == 0 ? "" : "options=-DGST_CL_AS_GPU_");
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    for (gint width = 1; width < 66; width += width < 50 ? 8 : 1) {
      GstVideoInfo info;
      g_autoptr (GstBuffer) in = NULL, out = NULL;
      g_autoptr (GstMessage) message = NULL;
      guint wrong;

      harness_set_format (h, formats[f], width, 3, &info);
      in = frame_new (&info, (guint) width);
      out = harness_run (h, gst_buffer_ref (in));
      expect_inverted (out, in, &info);
      message = pop_element_message (bus, "clkernel");
      fail_unless (gst_structure_get_uint (gst_message_get_structure (message),
          "wrong", &wrong));
      fail_unless_equals_int (wrong, 0);
    }
  }
}

typedef struct {
  const gchar *name;
  guint8 row[11]; /* columns -4 to 6 of 10 20 30 */
} Border;

static const Border borders[] = {
  { "REPLICATE", { 10, 10, 10, 10, 10, 20, 30, 30, 30, 30, 30 } },
  { "REFLECT", { 30, 30, 20, 10, 10, 20, 30, 30, 20, 10, 10 } },
  { "REFLECT_101", { 10, 20, 30, 20, 10, 20, 30, 20, 10, 20, 30 } },
  { "WRAP", { 30, 10, 20, 30, 10, 20, 30, 10, 20, 30, 10 } },
  { "ZERO", { 0, 0, 0, 0, 10, 20, 30, 0, 0, 0, 0 } },
};

/* Along rows, and along columns. */
LOOP_TEST (borders_by_their_names, 2 * G_N_ELEMENTS (borders))
{
  const Border *border = &borders[__i__ / 2];
  const gboolean is_row = __i__ % 2 == 0;
  g_autofree gchar *source = g_strdup_printf (
      "//!WIDTH %d\n//!HEIGHT %d\n"
      "__kernel void k (GST_CL_IN (in), GST_CL_OUT (out)) {\n" AT
      "gst_cl_store (out, 0, x, y, gst_cl_load_at (in, 0, %s, "
      "GST_CL_%s)); }\n",
      is_row ? 11 : 1, is_row ? 1 : 11, is_row ? "x - 4, 0" : "0, y - 4",
      border->name);
  g_autoptr (GstHarness) h = new_kernel (source);
  GstVideoInfo info, out_info;
  g_autoptr (GstBuffer) in = NULL, out = NULL;
  g_autofree guint16 *codes = NULL;
  GstVideoFrame frame;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, is_row ? 3 : 1, is_row ? 1 : 3,
      &info);
  in = frame_new_filled (&info, 0);
  fail_unless (gst_video_frame_map (&frame, &info, in, GST_MAP_WRITE));
  for (gint i = 0; i < 3; i++)
    ((guint8 *) frame.data[0])[is_row ? i : i * info.stride[0]] = 10 + 10 * i;
  gst_video_frame_unmap (&frame);

  out = harness_run (h, gst_buffer_ref (in));
  harness_out_info (h, &out_info);
  codes = frame_codes (out, &out_info, 0, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (border->row); i++)
    fail_unless_equals_int (codes[i], border->row[i]);
}

#define N_DIVIDENDS 41
#define N_DIVISORS  7

/* gst_cl_divide() and gst_cl_round() against numbers of the host. */
TEST (numbers_are_rounded)
{
  static const gchar source[] =
      "//!WORK 41x7\n"
      "//!STATISTICS quotients int 41*7\n"
      "//!STATISTICS rounded int 41\n"
      "__kernel void k (GST_CL_OUT (out), __global int *quotients,\n"
      "    __global int *rounded) {\n" AT "if (x >= 41 || y >= 7) return;\n"
      "quotients[41 * y + x] = gst_cl_divide (x - 20, y + 1);\n"
      "rounded[x] = gst_cl_round ((x - 20) / 4.0f); }\n";
  g_autoptr (GstHarness) h = new_kernel (source);
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *result;
  const GValue *quotients, *rounded;

  set_grey (h);
  push_code (h, 1);
  message = pop_element_message (bus, "clkernel");
  result = gst_message_get_structure (message);
  quotients = gst_structure_get_value (result, "quotients");
  rounded = gst_structure_get_value (result, "rounded");
  fail_unless_equals_int (gst_value_array_get_size (quotients),
      N_DIVIDENDS * N_DIVISORS);
  for (gint x = 0; x < N_DIVIDENDS; x++) {
    fail_unless_equals_int (
        g_value_get_int (gst_value_array_get_value (rounded, (guint) x)),
        (gint) rint ((x - 20) / 4.0));
    for (gint y = 0; y < N_DIVISORS; y++)
      fail_unless_equals_int (g_value_get_int (gst_value_array_get_value (
                                  quotients, (guint) (N_DIVIDENDS * y + x))),
          (gint) floor ((gdouble) (x - 20) / (y + 1) + 0.5));
  }
}

TEST (outputs_have_other_sizes_and_formats)
{
  g_autoptr (GstHarness) h = new_kernel (
      "//!FORMAT GRAY8\n//!WIDTH ih\n//!HEIGHT iw*2\n"
      "__kernel void k (GST_CL_IN (in), GST_CL_OUT (out)) {\n" AT
      "gst_cl_store (out, 0, x, y, gst_cl_load (in, 0, y / 2, x)); }\n");
  g_autoptr (GstElement) element = harness_element (h, "clkernel");
  GstVideoInfo info, out_info;
  g_autoptr (GstBuffer) in = NULL, out = NULL;
  g_autofree guint16 *from = NULL, *to = NULL;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 21, 10, &info);
  in = frame_new (&info, 1);
  out = harness_run (h, gst_buffer_ref (in));
  harness_out_info (h, &out_info);
  fail_unless_equals_string (GST_VIDEO_INFO_NAME (&out_info), "GRAY8");
  fail_unless_equals_int (out_info.width, 10);
  fail_unless_equals_int (out_info.height, 42);
  from = frame_codes (in, &info, 0, NULL, NULL);
  to = frame_codes (out, &out_info, 0, NULL, NULL);
  for (gint y = 0; y < 42; y++) {
    for (gint x = 0; x < 10; x++)
      fail_unless_equals_int (to[10 * y + x], from[21 * x + y / 2]);
  }

  /* properties come before the file, from the next buffer on */
  g_object_set (element, "output-width", "4", "output-height", "ih-3",
      "output-format", "GRAY16_LE", NULL);
  gst_clear_buffer (&out);
  out = harness_run (h, gst_buffer_ref (in));
  harness_out_info (h, &out_info);
  fail_unless_equals_string (GST_VIDEO_INFO_NAME (&out_info), "GRAY16_LE");
  fail_unless_equals_int (out_info.width, 4);
  fail_unless_equals_int (out_info.height, 7);
}

/* --- frames before, in place, passes -------------------------------------- */

/* Each frame has the code of the frame two before, or of the first one. */
TEST (previous_frames)
{
  static const guint8 codes[] = { 1, 2, 3, 4, 5, 6 };
  static const guint8 before[] = { 1, 1, 1, 2, 3, 4 };
  g_autoptr (GstHarness) h = new_kernel (
      "__kernel void k (GST_CL_IN (in), GST_CL_PREVIOUS (one, 1),\n"
      "    GST_CL_PREVIOUS (two, 2), GST_CL_OUT (out)) {\n" EACH (
          in) "gst_cl_store (out, c, x, y, gst_cl_load (two, c, x, y) +\n"
              "    100 * (gst_cl_load (in, c, x, y) - gst_cl_load (one, c, x, "
              "y))); "
              "}\n");

  set_grey (h);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    fail_unless_equals_int (push_code (h, codes[i]),
        before[i] + (i > 0 ? 100 : 0));

  /* a flush begins another series */
  flush (h);
  fail_unless_equals_int (push_code (h, 50), 50);
}

TEST (frames_in_place)
{
  g_autoptr (GstHarness)
      h = new_kernel ("__kernel void mark (GST_CL_IN_OUT (f)) {\n" EACH (
          f) "if (x == 1) gst_cl_store (f, c, x, y, 7); }\n");
  GstVideoInfo info;
  g_autoptr (GstBuffer) in = NULL, out = NULL;
  g_autoptr (GBytes) before = NULL, after = NULL;

  harness_set_format (h, GST_VIDEO_FORMAT_NV12, 39, 7, &info);
  in = frame_new (&info, 3);
  before = frame_bytes (in);
  out = harness_run (h, gst_buffer_ref (in));
  after = frame_bytes (in);
  fail_unless (g_bytes_equal (before, after));
  for (guint c = 0; c < 3; c++) {
    gint width, height;
    g_autofree guint16 *from = frame_codes (in, &info, c, &width, &height);
    g_autofree guint16 *to = frame_codes (out, &info, c, NULL, NULL);

    for (gint i = 0; i < width * height; i++)
      fail_unless_equals_int (to[i], i % width == 1 ? 7 : from[i]);
  }
}

/* The sums of columns, then each sample as the sum of its column. */
TEST (passes_share_buffers)
{
  g_autoptr (GstHarness) h = new_kernel (
      "//!BUFFER sums uint iw\n"
      "//!PASS add iwx1\n"
      "//!PASS write\n"
      "__kernel void write (GST_CL_OUT (out), __global const uint *sums) {\n" AT
      "if (x < gst_cl_width (out, 0)) gst_cl_store (out, 0, x, y, sums[x]); }\n"
      "__kernel void add (GST_CL_IN (in), __global uint *sums) {\n"
      "  const int x = (int) get_global_id (0);\n"
      "  uint sum = 0;\n"
      "  for (int y = 0; y < gst_cl_height (in, 0); y++)\n"
      "    sum += gst_cl_load (in, 0, x, y);\n"
      "  if (x < gst_cl_width (in, 0)) sums[x] = sum; }\n");

  set_grey (h);
  fail_unless_equals_int (push_code (h, 9), 27);
  fail_unless_equals_int (push_code (h, 11), 33);
}

/* A kernel that is not launched may call its frames as it likes. */
TEST (kernels_that_are_not_launched)
{
  g_autoptr (GstHarness) h = new_kernel_with (
      "//!FORMAT GRAY16_LE\n"
      "__kernel void other (GST_CL_IN (b), GST_CL_OUT (a)) { }\n"
      "__kernel void used (GST_CL_IN (a), GST_CL_OUT (b)) {\n" AT
      "gst_cl_store (b, 0, x, y, gst_cl_largest (a)); }\n",
      "function=used");
  GstVideoInfo info, out_info;
  g_autoptr (GstBuffer) out = NULL;
  g_autofree guint16 *codes = NULL;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 5, 3, &info);
  out = harness_run (h, frame_new_filled (&info, 1));
  harness_out_info (h, &out_info);
  codes = frame_codes (out, &out_info, 0, NULL, NULL);
  fail_unless_equals_int (codes[0], 255);
}

/* --- results -------------------------------------------------------------- */

TEST (statistics_come_as_message_and_meta)
{
  static const gchar source[] =
      "//!STATISTICS hits uint 2\n"
      "__kernel void k (GST_CL_IN (in), GST_CL_OUT (out),\n"
      "    volatile __global uint *hits, volatile __global int *lowest) {\n" AT
      "if (x >= gst_cl_width (in, 0) || y >= gst_cl_height (in, 0)) return;\n"
      "const int v = gst_cl_load (in, 0, x, y);\n"
      "atomic_inc (&hits[v > 100]);\n"
      "atomic_min (lowest, -v);\n"
      "gst_cl_store (out, 0, x, y, v); }\n";
  g_autoptr (GstHarness)
      h = new_kernel_with (source, "statistics=lowest:int:1");
  g_autoptr (GstElement) element = harness_element (h, "clkernel");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autofree gchar *name = gst_object_get_name (GST_OBJECT (element));
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 5, 3, &info);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *in = frame_new_filled (&info, i == 1 ? 50 : 200);
    g_autoptr (GstBuffer) out = NULL;
    g_autoptr (GstMessage) message = NULL;
    const GstStructure *result, *of_meta;
    gint lowest;

    GST_BUFFER_PTS (in) = i * GST_SECOND;
    out = harness_run (h, in);
    message = pop_element_message (bus, "clkernel");
    fail_unless (message != NULL);
    result = gst_message_get_structure (message);
    of_meta = gst_custom_meta_get_structure (
        gst_buffer_get_custom_meta (out, "GstClKernelMeta"));
    fail_unless_equals_uint64 (uint64_field (result, "timestamp"),
        i * GST_SECOND);
    fail_unless_equals_uint64 (uint64_field (result, "frame"), i);
    fail_unless_equals_string (gst_structure_get_string (result, "element"),
        name);
    fail_unless_equals_int (
        g_value_get_uint (gst_value_array_get_value (
            gst_structure_get_value (of_meta, "hits"), i != 1)),
        15);
    fail_unless (gst_structure_get_int (result, "lowest", &lowest));
    fail_unless_equals_int (lowest, i == 1 ? -50 : -200);
  }

  g_object_set (element, "post-messages", FALSE, NULL);
  push_code (h, 1);
  fail_unless (pop_element_message (bus, "clkernel") == NULL);
}

/* Time and number of a frame, and of the one before. */
TEST (frames_have_times)
{
  g_autoptr (GstHarness) h = new_kernel (
      "//!STATISTICS times int 4\n//!WORK 1x1\n"
      "__kernel void k (GST_CL_IN (in), GST_CL_PREVIOUS (before, 1),\n"
      "    GST_CL_OUT (out), __global int *times) {\n"
      "if (get_global_id (0) > 0) return;\n"
      "times[0] = (int) (gst_cl_time (in) / 1000000);\n"
      "times[1] = (int) gst_cl_number (in);\n"
      "times[2] = (int) (gst_cl_time (before) / 1000000);\n"
      "times[3] = (int) gst_cl_number (before); }\n");
  static const gint expected[][4] = { { 0, 0, 0, 0 }, { 40, 1, 0, 0 },
    { 80, 2, 40, 1 } };
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 5, 3, &info);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    GstBuffer *in = frame_new_filled (&info, 0);
    g_autoptr (GstMessage) message = NULL;
    const GValue *times;

    GST_BUFFER_PTS (in) = i * 40 * GST_MSECOND;
    gst_buffer_unref (harness_run (h, in));
    message = pop_element_message (bus, "clkernel");
    times = gst_structure_get_value (gst_message_get_structure (message),
        "times");
    for (guint k = 0; k < 4; k++)
      fail_unless_equals_int (
          g_value_get_int (gst_value_array_get_value (times, k)),
          expected[i][k]);
  }
}

/* --- parameters ----------------------------------------------------------- */

/* A parameter of each type that is an argument, and what is added for it. */
typedef struct {
  const gchar *head, *argument, *n, *parameters;
  guint initial, set;
} Typed;

static const Typed typed[] = {
  { "//!TYPE int\n3\n", "int p", "p", "p, p=5", 3, 5 },
  { "//!TYPE uint\n3\n", "uint p", "(int) p", "p, p=5", 3, 5 },
  { "//!TYPE float\n1.5\n", "float p", "(int) (2 * p)", "p, p=2.5", 3, 5 },
  { "//!TYPE int2\n1 2\n", "int2 p", "10 * p.x + p.y", "p, p=<2,3>", 12, 23 },
  { "//!TYPE float3\n1 2 4\n", "float3 p", "(int) (p.x + p.y * p.z)",
      "p, p=<2,3,4>", 9, 14 },
  { "//!TYPE uint4\n1 2 4 8\n", "uint4 p", "(int) (p.x + p.w)",
      "p, p=\"5 0 0 6\"", 9, 11 },
  { "//!TYPE bool\nfalse\n", "int p", "p", "p, p=true", 0, 1 },
  { "//!TYPE ENUM int\nnone\nsome\nall\n\n", "int p", "p", "p, p=all", 0, 2 },
  { "//!TYPE float[]\n1 2\n", "GST_CL_ARRAY (float, p)",
      "(int) p[p_count - 1] * 10 + p_count", "p, p=<3,4,5>", 22, 53 },
  { "//!TYPE int[2]\n1 2\n", "GST_CL_ARRAY (int, p)", "p[0] + p[1]",
      "p, p=<3,4>", 3, 7 },
};

/* The default, a value, and the default again, while playing. */
LOOP_TEST (parameters_have_types, G_N_ELEMENTS (typed))
{
  const Typed *row = &typed[__i__];
  g_autofree gchar *source = g_strdup_printf (ADD ("//!PARAM p\n%s", ", %s"),
      row->head, row->argument);
  g_auto (GStrv) parts = g_strsplit (source, "(n)", 2);
  g_autofree gchar *text = g_strconcat (parts[0], row->n, parts[1], NULL);
  g_autoptr (GstHarness) h = new_kernel (text);
  g_autoptr (GstBus) bus = harness_bus (h);

  set_grey (h);
  fail_unless_equals_int (push_code (h, 100), 100 + row->initial);
  set_parameters (h, row->parameters);
  fail_unless_equals_int (push_code (h, 100), 100 + row->set);
  set_parameters (h, "p");
  fail_unless_equals_int (push_code (h, 100), 100 + row->initial);
  expect_no_error (bus);
}

/* A value that is set before the file is read. */
TEST (values_are_kept)
{
  g_autoptr (GstHarness) h = new_kernel_with (ADD_N, "parameters=\"p, n=8\"");

  set_grey (h);
  fail_unless_equals_int (push_code (h, 100), 108);
}

/* Sets @text; what is wrong in it is a warning, and the value stays. */
TEST (wrong_values_change_nothing)
{
  g_autoptr (GstHarness) h = new_kernel (ADD_N);
  g_autoptr (GstBus) bus = harness_bus (h);

  set_grey (h);
  set_parameters (h, "p, n=5");
  fail_unless_equals_int (push_code (h, 100), 105);
  for (guint i = 0; i < 2; i++) {
    set_parameters (h, i == 0 ? "p, n=100" : "p, m=1");
    fail_unless_equals_int (push_code (h, 100), 105);
    fail_unless_equals_int (push_code (h, 100), 105);
    expect_warning (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING),
        i == 0 ? "-9 to 99, not \"100\"" : "no parameter \"m\"; it has n.");
    fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  }
}

/* Pushes frames of @code until the output is @expected: kernels are compiled in
 * a thread. Each output before is @old. */
static void
push_until (GstHarness *h, guint8 code, guint old, guint expected)
{
  guint got;

  while ((got = push_code (h, code)) != expected)
    fail_unless_equals_int (got, old);
}

TEST (constants_are_compiled_beside_the_stream)
{
  g_autoptr (GstHarness)
      h = new_kernel (ADD ("//!PARAM n\n//!TYPE DEFINE int\n3\n"
                           "//!PARAM m\n//!TYPE CONSTANT float2\n1 2\n",
          ""));
  g_autoptr (GstBus) bus = harness_bus (h);

  set_grey (h);
  fail_unless_equals_int (push_code (h, 100), 103);
  set_parameters (h, "p, n=6");
  push_until (h, 100, 103, 106);
  set_parameters (h, "p");
  push_until (h, 100, 106, 103);
  expect_no_error (bus);
}

/* A child for each parameter of one number; a control source drives it. */
TEST (parameters_are_controlled)
{
  g_autoptr (GstHarness) h = new_kernel (ADD_N);
  g_autoptr (GstElement) element = harness_element (h, "clkernel");
  g_autoptr (GstControlSource) source = gst_interpolation_control_source_new ();
  g_autoptr (GObject) child = gst_child_proxy_get_child_by_name (
      GST_CHILD_PROXY (element), "n");
  GstVideoInfo info;

  fail_unless (child != NULL);
  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      0, 10);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      10 * GST_SECOND, 30);
  fail_unless (gst_object_add_control_binding (GST_OBJECT (child),
      gst_direct_control_binding_new_absolute (GST_OBJECT (child), "value",
          source)));
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 5, 3, &info);
  for (guint t = 0; t < 5; t++) {
    GstBuffer *in = frame_new_filled (&info, 100);
    g_autoptr (GstBuffer) out = NULL;
    g_autofree guint16 *codes = NULL;

    GST_BUFFER_PTS (in) = t * GST_SECOND;
    out = harness_run (h, in);
    codes = frame_codes (out, &info, 0, NULL, NULL);
    fail_unless_equals_int (codes[0], 110 + 2 * t);
  }
}

TEST (parameters_in_a_launch_line)
{
  g_autoptr (GstHarness) h = new_kernel_with (ADD_N, "n::value=4.6");

  set_grey (h);
  fail_unless_equals_int (push_code (h, 100), 105);
}

/* The regions of interest of each frame follow the values. */
TEST (regions_of_interest)
{
  g_autoptr (GstHarness) h = new_kernel (
      "//!PARAM boxes\n//!TYPE int[]\n//!REGIONS\n7\n"
      "//!WORK 1x1\n//!STATISTICS all int 20\n"
      "__kernel void k (GST_CL_OUT (out), GST_CL_ARRAY (int, boxes),\n"
      "    __global int *all) {\n"
      "if (get_global_id (0) > 0) return;\n"
      "all[0] = boxes_count;\n"
      "for (int i = 0; i < boxes_count; i++) all[i + 1] = boxes[i]; }\n");
  static const gint expected[][10] = { { 5, 7, 1, 2, 3, 4 }, { 1, 7 },
    { 9, 7, 1, 2, 3, 4, 5, 6, 7, G_MAXINT } };
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 5, 3, &info);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    GstBuffer *in = frame_new_filled (&info, 0);
    g_autoptr (GstMessage) message = NULL;
    const GValue *all;

    if (i != 1)
      gst_buffer_add_video_region_of_interest_meta (in, "face", 1, 2, 3, 4);
    if (i == 2)
      gst_buffer_add_video_region_of_interest_meta (in, "plate", 5, 6, 7,
          G_MAXUINT);
    gst_buffer_unref (harness_run (h, in));
    message = pop_element_message (bus, "clkernel");
    all = gst_structure_get_value (gst_message_get_structure (message), "all");
    for (guint k = 0; k < 10; k++)
      fail_unless_equals_int (
          g_value_get_int (gst_value_array_get_value (all, k)), expected[i][k]);
  }
}

/* --- changes of the file -------------------------------------------------- */

/* Pushes frames until a warning is on the bus. */
static void
push_until_warning (GstHarness *h, GstBus *bus, guint8 code, guint expected,
    const gchar *part)
{
  GstMessage *message;

  while (!(message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)))
    fail_unless_equals_int (push_code (h, code), expected);
  expect_warning (message, part);
}

TEST (a_file_is_loaded_again)
{
  g_autofree gchar *location = g_build_filename (test_folder, "test.cl", NULL);
  g_autoptr (GstHarness) h = new_kernel_with (ADD_N, "auto-reload=true");
  g_autoptr (GstBus) bus = harness_bus (h);

  set_grey (h);
  fail_unless_equals_int (push_code (h, 100), 103);

  fail_unless (g_file_set_contents (location, INVERT, -1, NULL));
  push_until (h, 100, 103, 155);

  fail_unless (g_file_set_contents (location, "\n" INVERT "error\n", -1, NULL));
  push_until_warning (h, bus, 100, 155, "test.cl:");

  fail_unless (g_file_set_contents (location, "", -1, NULL));
  push_until_warning (h, bus, 100, 155, "test.cl: It has no __kernel.");

  fail_unless (g_remove (location) == 0);
  fail_unless_equals_int (push_code (h, 100), 155);

  /* another size of the output */
  fail_unless (
      g_file_set_contents (location, "//!WIDTH 2*iw\n" COPY, -1, NULL));
  push_until (h, 100, 155, 100);
  fail_unless_equals_int (push_code (h, 100), 100);
  {
    GstVideoInfo info;

    harness_out_info (h, &info);
    fail_unless_equals_int (info.width, 10);
  }
  fail_unless (gst_bus_pop_filtered (bus,
                   GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
}

TEST (another_source_while_playing)
{
  g_autoptr (GstHarness) h = new_kernel (ADD_N);
  g_autoptr (GstElement) element = harness_element (h, "clkernel");
  g_autoptr (GstBus) bus = harness_bus (h);

  set_grey (h);
  fail_unless_equals_int (push_code (h, 100), 103);
  g_object_set (element, "location", NULL, "source", INVERT, NULL);
  push_until (h, 100, 103, 155);
  g_object_set (element, "source", "nonsense", NULL);
  push_until_warning (h, bus, 100, 155, "source: It has no __kernel.");
  g_object_set (element, "source", ADD_N, "options", "-Dgst_cl_divide=while",
      NULL);
  push_until_warning (h, bus, 100, 155, "gst_cl.clh");
  g_object_set (element, "options", NULL, NULL);
  push_until (h, 100, 155, 103);
}

/* --- checks --------------------------------------------------------------- */

typedef struct {
  const gchar *statement; /* of the work-item at column 0, row 0 */
  const gchar *part;      /* of the error; NULL: none */
} Write;

/* The frame is NV12, 5x3: three rows of 5 bytes, and two of 6. */
static const Write writes[] = {
  { "gst_cl_plane (out, 0)[2 * gst_cl_stride (out, 0) + 4] = 1", NULL },
  { "gst_cl_store (out, 0, 5, 3, 1)", NULL },
  { "gst_cl_store16 (out, 0, -3, 1, (int16) (9))", NULL },
  { "gst_cl_store16 (out, 1, 2, 1, (int16) (9))", NULL },
  { "b[6] = 1; s[0] = 1", NULL },
  { "gst_cl_plane (out, 0)[-1] = 1",
      "outside plane 0 of frame out: at byte -1 of row 0, it has 3 rows of 5" },
  { "gst_cl_plane (out, 0)[5] = 1",
      "plane 0 of frame out: at byte 5 of row 0" },
  { "gst_cl_plane (out, 0)[3 * gst_cl_stride (out, 0)] = 1",
      "plane 0 of frame out: at byte 0 of row 3" },
  { "gst_cl_plane (out, 1)[gst_cl_stride (out, 1) + 6] = 1",
      "plane 1 of frame out: at byte 6 of row 1, it has 2 rows of 6" },
  { "gst_cl_plane (out, 1)[-2 * gst_cl_stride (out, 1) + 1] = 1",
      "plane 1 of frame out: at byte 1 of row -2" },
  { "((__global uchar *) gst_cl_plane (in, 2))[-5] = 1",
      "plane 1 of frame in: at byte -4 of row 0" },
  { "b[7] = 1", "outside b: at byte 28, it has 28 bytes" },
  { "b[-1] = 1", "outside b: at byte -4" },
  { "s[1] = 0.5f", "outside s: at byte 4, it has 4 bytes" },
};

/* GST_OPENCL_CHECK=1 names a write outside, and changes no result. */
LOOP_TEST (writes_outside_are_found, G_N_ELEMENTS (writes))
{
  const Write *row = &writes[__i__];
  g_autofree gchar *source = g_strdup_printf (
      "//!BUFFER b int 7\n//!STATISTICS s float 1\n"
      "\n__kernel void k (GST_CL_IN (in), GST_CL_OUT (out), __global int *b,\n"
      "    volatile __global float *s) {\n" EACH (
          out) "gst_cl_store (out, c, x, y, gst_cl_load (in, c, x, y));\n"
               "if (x == 0 && y == 0) { %s; } }\n",
      row->statement);
  g_autoptr (GstHarness) h = new_kernel (source);
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;
  g_autoptr (GstBuffer) in = NULL, out = NULL;

  g_setenv ("GST_OPENCL_CHECK", "1", TRUE);
  harness_set_format (h, GST_VIDEO_FORMAT_NV12, 5, 3, &info);
  in = frame_new (&info, 1);
  if (row->part) {
    harness_run_into (h, gst_buffer_ref (in), GST_FLOW_ERROR);
    expect_one_error (bus, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
        PARTS ("test.cl:4: Kernel k has written ", row->part));
  } else {
    g_autofree guint16 *from = NULL, *to = NULL;

    out = harness_run (h, gst_buffer_ref (in));
    from = frame_codes (in, &info, 0, NULL, NULL);
    to = frame_codes (out, &info, 0, NULL, NULL);
    fail_unless_equals_int (to[4], from[4]);
    expect_no_error (bus);
  }
  g_unsetenv ("GST_OPENCL_CHECK");
}

/* Results of checked kernels are those of others: previous frames, frames in
 * place, passes, packed formats. */
TEST (checked_kernels_compute_the_same)
{
  g_setenv ("GST_OPENCL_CHECK", "1", TRUE);
  previous_frames_body (0);
  frames_in_place_body (0);
  passes_share_buffers_body (0);
  outputs_have_other_sizes_and_formats_body (0);
  kernels_see_packed_samples_body (0);
  g_unsetenv ("GST_OPENCL_CHECK");
}

/* --- kernels that do not end ---------------------------------------------- */

/* Returns the context of the harness's element. transfer full */
static GstClContext *
find_context (GstHarness *h)
{
  g_autoptr (GstElement) element = harness_element (h, "clkernel");
  g_autoptr (GstElement) other = gst_object_ref_sink (gst_bin_new (NULL));
  g_autoptr (GstQuery) query = gst_query_new_context (GST_CL_CONTEXT_TYPE);
  GstContext *offer;
  GstClContext *context;

  fail_unless (gst_element_query (element, query));
  gst_query_parse_context (query, &offer);
  gst_element_set_context (other, offer);
  context = gst_cl_ensure_element_context (other, NULL, NULL);
  fail_unless (context != NULL);

  return context;
}

/* A clock that only the test moves; kernels wait for an event of the test. */
TEST (a_kernel_that_does_not_end)
{
  g_autoptr (GstClock) clock = gst_test_clock_new ();
  g_autoptr (GstHarness) h = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstClContext) context = NULL;
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo info;
  cl_event gate;
  cl_int code;

  gst_system_clock_set_default (clock);
  h = new_kernel_with (COPY, "timeout=8");
  bus = harness_bus (h);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 5, 3, &info);
  fail_unless_equals_int (push_code (h, 1), 1);
  gst_test_clock_advance_time (GST_TEST_CLOCK (clock), 9 * GST_SECOND);
  fail_unless (gst_test_clock_crank (GST_TEST_CLOCK (clock)));
  expect_no_error (bus);

  context = find_context (h);
  gate = clCreateUserEvent (gst_cl_context_get_handle (context), &code);
  fail_unless_equals_int (code, CL_SUCCESS);
  fail_unless_equals_int (
      clEnqueueBarrierWithWaitList (gst_cl_context_get_queue (context), 1,
          &gate, NULL),
      CL_SUCCESS);
  out = harness_run (h, frame_new_filled (&info, 1));
  gst_test_clock_advance_time (GST_TEST_CLOCK (clock), 7 * GST_SECOND);
  fail_unless (gst_test_clock_crank (GST_TEST_CLOCK (clock)));
  expect_no_error (bus);
  gst_test_clock_advance_time (GST_TEST_CLOCK (clock), 8 * GST_SECOND);
  fail_unless (gst_test_clock_crank (GST_TEST_CLOCK (clock)));
  fail_unless (gst_test_clock_crank (GST_TEST_CLOCK (clock)));
  expect_one_error (bus, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
      PARTS ("A kernel of test.cl has not ended 8 s after its launch"));

  clSetUserEventStatus (gate, CL_COMPLETE);
  clReleaseEvent (gate);
  gst_system_clock_set_default (NULL);
}

/* Sets the caps of other frames; returns the first code of the output. */
static guint
push_wide (GstHarness *h, guint8 code)
{
  GstVideoInfo info;
  g_autoptr (GstBuffer) out = NULL;
  g_autofree guint16 *codes = NULL;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 50, 3, &info);
  out = harness_run (h, frame_new_filled (&info, code));
  codes = frame_codes (out, &info, 0, NULL, NULL);

  return codes[0];
}

/* Kernels that came while playing stay when the caps change; the parameters of
 * their file are children. */
TEST (caps_change_after_a_change_of_kernels)
{
  g_autofree gchar *location = g_build_filename (test_folder, "test.cl", NULL);
  g_autoptr (GstHarness) h = new_kernel_with (INVERT, "auto-reload=true");
  g_autoptr (GstElement) element = harness_element (h, "clkernel");
  g_autoptr (GstBus) bus = harness_bus (h);
  gdouble value;

  set_grey (h);
  fail_unless_equals_int (push_code (h, 100), 155);
  fail_unless (g_file_set_contents (location, ADD_N, -1, NULL));
  push_until (h, 100, 155, 103);
  fail_unless_equals_int (push_wide (h, 100), 103);
  set_parameters (h, "p, n=5");
  gst_child_proxy_get (GST_CHILD_PROXY (element), "n::value", &value, NULL);
  fail_unless_equals_float (value, 5);
  gst_child_proxy_set (GST_CHILD_PROXY (element), "n::value", 7.0, NULL);
  fail_unless_equals_int (push_wide (h, 100), 107);

  /* what was refused does not end the stream later */
  set_parameters (h, "p, n=100");
  fail_unless_equals_int (push_wide (h, 100), 107);
  expect_warning (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING), "-9 to 99");
  set_grey (h);
  fail_unless_equals_int (push_code (h, 100), 107);
  expect_warning (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING), "-9 to 99");
  expect_no_error (bus);
}

/* Properties that are set after the start, before the first caps. */
TEST (another_source_before_the_first_caps)
{
  g_autoptr (GstHarness) h = new_kernel (ADD_N);
  g_autoptr (GstElement) element = harness_element (h, "clkernel");

  g_object_set (element, "location", NULL, "source", INVERT, NULL);
  set_grey (h);
  fail_unless_equals_int (push_code (h, 100), 155);
}

/* A changed file for other caps that does not compile, or that does not take
 * the stream, changes nothing. */
TEST (files_for_other_caps_that_do_not_fit)
{
  static const struct {
    const gchar *source, *part;
  } files[] = {
    { "//!WIDTH 2*iw\n" COPY "error\n", "test.cl:" },
    { "//!FORMATS I420\n" COPY,
        "its kernels take I420 (//!FORMATS), not GRAY8" },
    { "//!WIDTH iw-5\n" COPY, "\"iw-5\" of the output is 0" },
    { "//!FORMAT NV99\n" COPY, "\"NV99\", is not supported" },
    { "//!FORMATS I240\n" COPY, "//!FORMATS: the format \"I240\"" },
  };
  g_autofree gchar *location = g_build_filename (test_folder, "test.cl", NULL);
  g_autoptr (GstHarness) h = new_kernel_with (INVERT, "auto-reload=true");
  g_autoptr (GstBus) bus = harness_bus (h);

  set_grey (h);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    fail_unless_equals_int (push_code (h, 100), 155);
    fail_unless (g_file_set_contents (location, files[i].source, -1, NULL));
    push_until_warning (h, bus, 100, 155, files[i].part);
  }
  expect_no_error (bus);
}

/* Arguments of the kernels that run do not wait for the compiler, and the new
 * kernels begin with the newest. */
TEST (arguments_change_while_kernels_are_compiled)
{
  g_autoptr (GstHarness)
      h = new_kernel (ADD ("//!PARAM n\n//!TYPE int\n3\n"
                           "//!PARAM m\n//!TYPE DEFINE int\n1\n",
          ", int n"));
  g_autoptr (GstElement) element = harness_element (h, "clkernel");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstMessage *message = NULL;

  set_grey (h);
  fail_unless_equals_int (push_code (h, 100), 103);
  set_parameters (h, "p, m=2");
  for (guint n = 0; !message; n++) {
    g_autofree gchar *text = g_strdup_printf ("p, m=2, n=%u", n % 100);

    set_parameters (h, text);
    fail_unless_equals_int (push_code (h, 100), 100 + n % 100);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_INFO);
  }
  gst_message_unref (message);
  expect_no_error (bus);
}

/* A flush begins another series, with empty buffers. */
TEST (a_flush_clears_buffers)
{
  g_autoptr (GstHarness) h = new_kernel (
      "//!BUFFER count uint 1\n//!PASS show\n//!PASS next 1x1\n"
      "__kernel void show (GST_CL_OUT (out), __global uint *count) {\n" AT
      "gst_cl_store (out, 0, x, y, count[0]); }\n"
      "__kernel void next (GST_CL_OUT (out), __global uint *count) {\n"
      "if (get_global_id (0) == 0) count[0]++; }\n");

  set_grey (h);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (push_code (h, 9), i);
  flush (h);
  fail_unless_equals_int (push_code (h, 9), 0);
}

/* Loads of a component that a frame lacks are those of the last one. */
TEST (components_that_do_not_exist)
{
  g_autoptr (GstHarness) h = new_kernel (
      "__kernel void k (GST_CL_IN (in), GST_CL_OUT (out)) {\n" AT
      "for (int c = 0; c < 4; c++) gst_cl_store (out, c, x, y,\n"
      "    gst_cl_load (in, c + 1, x, y) + gst_cl_load16 (in, 3, x, y).s0 -\n"
      "    gst_cl_load_at (in, 7, x, y, GST_CL_WRAP)); }\n");

  set_grey (h);
  fail_unless_equals_int (push_code (h, 77), 77);
}

/* --- errors --------------------------------------------------------------- */

typedef struct {
  const gchar *source, *properties;
  const gchar *parts[3];
} Refusal;

static const Refusal refusals[] = {
  { NULL, "", { "location", "source" } },
  { NULL, "location=/nonexistent.cl", { "/nonexistent.cl" } },
  { COPY, "location=a.cl", { "Set one of" } },
  { "__kernel void k (GST_CL_IN (in)) { int a = 1 }\n", "", { "source:1" } },
  { COPY "\n\nint f () { return undefined_name; }\n", "",
      { "source:7", "undefined" } },
  { COPY, "function=invert", { "no kernel \"invert\"; it has copy." } },
  { ADD_N, "parameters=\"p,n=100\"", { "source:1", "-9 to 99" } },
  { "//!FORMAT NV99\n" COPY, "", { "\"NV99\"" } },
  { COPY, "output-format=NV99", { "\"NV99\"" } },
  { COPY, "output-width=iw-5",
      { "source", "\"iw-5\"", "0 for an input of 5x3" } },
  { COPY, "output-height=foo", { "\"foo\" is unknown" } },
  { "//!FORMATS GRAY8 I240\n" COPY, "", { "//!FORMATS", "\"I240\"" } },
  { "__kernel void k (GST_CL_IN_OUT (f)) { }\n", "output-format=GRAY16_LE",
      { "GST_CL_IN_OUT has the format and size" } },
  { COPY, "device=no-such-device", { "no-such-device" } },
  { COPY, "work-size=5", { "\"5\" is not pixels" } },
  { COPY, "work-size=0x1", { "less than 1" } },
  { "__kernel void k (GST_CL_IN (a), GST_CL_IN (b), GST_CL_OUT (c)) { }\n", "",
      { "2 frames GST_CL_IN", "1 input" } },
  { "#define EXTRA , int more\n"
    "__kernel void k (GST_CL_IN (in) EXTRA) { }\n",
      "", { "source:2" } },
  { "//!BUFFER b uint iw-5\n" COPY, "", { "b:", "less than 1" } },
  { "//!STATISTICS s uint nothing\n" COPY, "", { "s:", "\"nothing\"" } },
};

/* A device with much memory, or another compiler, runs these. */
static const Refusal uncertain[] = {
  { "//!BUFFER b uint 2147483647\n" COPY, "", { "source:1: b:" } },
  { "__kernel void step (GST_CL_OUT (f)) { }\n", "",
      { "source: ", "no kernel \"step\"" } },
};

/* One error, which names what is wrong, and no frame. */
static void
check_refusal (const Refusal *row, gboolean may_run)
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=2 ! "
      "video/x-raw,format=GRAY8,width=5,height=3 ! "
      "clkernel name=k %s ! fakesink name=sink",
      row->properties);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, &error);
  g_autoptr (GstElement) element = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_autofree gchar *debug = NULL;

  g_assert_no_error (error);
  element = gst_bin_get_by_name (GST_BIN (pipeline), "k");
  if (row->source)
    g_object_set (element, "source", row->source, NULL);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (may_run && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    return;
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (element));
  gst_message_parse_error (message, &error, &debug);
  for (guint i = 0; i < G_N_ELEMENTS (row->parts); i++)
    fail_unless (!row->parts[i] || strstr (error->message, row->parts[i]),
        "expected \"%s\", found \"%s\"", row->parts[i], error->message);
}

LOOP_TEST (what_cannot_run_is_one_error, G_N_ELEMENTS (refusals))
{
  check_refusal (&refusals[__i__], FALSE);
}

LOOP_TEST (what_some_devices_cannot_run, G_N_ELEMENTS (uncertain))
{
  check_refusal (&uncertain[__i__], TRUE);
}

/* Upstream reports that it cannot negotiate; the warning says why. Formats that
 * can be converted are. */
LOOP_TEST (formats_that_a_kernel_does_not_know, 2)
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=1 ! video/x-raw,format=I420 ! %s ! "
      "clkernel name=k ! fakesink",
      __i__ == 0 ? "identity" : "videoconvert");
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement)
      element = gst_bin_get_by_name (GST_BIN (pipeline), "k");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) end = NULL;

  g_object_set (element, "source", "//!FORMATS GRAY8 NV12\n" COPY, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  end = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (__i__ == 0) {
    expect_warning (g_steal_pointer (&end),
        "source: its kernels take GRAY8, NV12 (//!FORMATS)");
  } else {
    fail_unless_equals_int (GST_MESSAGE_TYPE (end), GST_MESSAGE_EOS);
  }
}

static void
start (void)
{
  test_folder_setup ();
  harness_share_context ();
}

SUITE (.start = start, .end = test_folder_teardown);

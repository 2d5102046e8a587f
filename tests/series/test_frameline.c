/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parser of clqc-replay: valid, broken and mutated lines of frames. */

#include "frameline.h"
#include "suite.h"
#include "statistics/cells/gstclcells.h"

#define ALL                                                                    \
  (GST_CL_STATISTIC (BRIGHTNESS) | GST_CL_STATISTIC (HISTOGRAM) |              \
      GST_CL_STATISTIC (CHANGE) | GST_CL_STATISTIC (STILLNESS) |               \
      GST_CL_STATISTIC (SHARPNESS))

#define TIMES                                                                  \
  "\"timestamp\":1,\"stream-time\":null,\"running-time\":3,\"duration\":4,"    \
  "\"frame\":5,"

#define DETECTION                                                              \
  "\"full-range\":true,\"nominal-duration\":12,\"buffer-flags\":64,"           \
  "\"previous-difference\":6,\"previous-count\":7,"                            \
  "\"reference-difference\":8,\"reference-count\":9,\"reference-limit\":10,"   \
  "\"gradient-sum\":18446744073709551615,\"gradient-count\":11"

#define STATISTICS                                                             \
  "\"count\":[2,4294967295],\"sum\":[3,18446744073709551615],"                 \
  "\"sum-squares\":[5,0],\"min\":[1,4294967295],\"max\":[2,0],"

/* Returns a line of two components with @n_bins bins; bin i has i, in the
 * second component i + 1. */
static gchar *
make_line (const gchar *components, guint n_bins)
{
  GString *line = g_string_new ("{\"type\":\"frame\"," TIMES "\"width\":2,"
                                "\"format\":\"I\\\"420\",\"depth\":8,");

  g_string_append_printf (line, "\"components\":%s,%s\"histogram\":[",
      components, STATISTICS);
  for (guint c = 0; c < 2; c++) {
    for (guint i = 0; i < n_bins; i++)
      g_string_append_printf (line, "%s%u",
          i > 0   ? ","
          : c > 0 ? ",["
                  : "[",
          i + c);
    g_string_append_c (line, ']');
  }
  g_string_append (line, "],\"range-evidence\":\"full\",\"mean\":[1.5e-3,{"
                         "\"a\":\"]\"}],\"TOUT\":0.5,"
                         "\"zone-id\":[\"\\\"]\",-1]," DETECTION "}\n");

  return g_string_free (line, FALSE);
}

static void
expect_frame (const GstClSeriesFrame *frame)
{
  fail_unless_equals_uint64 (frame->time.timestamp, 1);
  fail_unless_equals_uint64 (frame->time.stream_time, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (frame->time.running_time, 3);
  fail_unless_equals_uint64 (frame->time.duration, 4);
  fail_unless_equals_uint64 (frame->time.frame, 5);
  fail_unless (frame->is_full_range);
  fail_unless_equals_int (frame->depth, 8);
  fail_unless_equals_uint64 (frame->previous_sad, 6);
  fail_unless_equals_uint64 (frame->previous_count, 7);
  fail_unless_equals_uint64 (frame->reference_sad, 8);
  fail_unless_equals_uint64 (frame->reference_count, 9);
  fail_unless_equals_uint64 (frame->reference_limit, 10);
  fail_unless_equals_uint64 (frame->gradient_sum, G_MAXUINT64);
  fail_unless_equals_uint64 (frame->gradient_count, 11);
}

TEST (test_values)
{
  g_autoptr (FrameLine) reader = frame_line_new (ALL, 0);
  g_autofree gchar *line = make_line ("[\"Y\",\"U\"]", 256);
  const GstClSeriesInput *input = frame_line_input (reader);
  const GstClMoments *moments = &input->components[1].moments;

  fail_unless_equals_int (frame_line_read (reader, line, NULL),
      FRAME_LINE_MEASURED);
  expect_frame (&input->frame);
  fail_unless (input->has_brightness && !input->frame.is_rgb);
  fail_unless_equals_int (input->n_components, 2);
  fail_unless_equals_int (input->frame.n_components, 2);
  fail_unless_equals_string (input->names[1], "U");
  fail_unless_equals_int (input->n_bins, 256);
  fail_unless_equals_uint64 (input->parts,
      GST_CL_STATISTIC (MOMENTS) | GST_CL_STATISTIC (RANGE) |
          GST_CL_STATISTIC (HISTOGRAM) | GST_CL_STATISTIC (RANGE_EVIDENCE));
  fail_unless_equals_int (input->evidence, GST_CL_RANGE_FULL);

  fail_unless_equals_uint64 (moments->count, G_MAXUINT32);
  fail_unless_equals_uint64 (moments->sum, G_MAXUINT64);
  fail_unless_equals_uint64 (moments->sum_squares, 0);
  fail_unless_equals_uint64 (moments->min, G_MAXUINT32);
  fail_unless_equals_uint64 (input->components[0].moments.max, 2);
  fail_unless_equals_int (input->components[0].histogram[255], 255);
  fail_unless_equals_int (input->components[1].histogram[255], 256);
  fail_unless (input->frame.histograms[1] == input->components[1].histogram);
}

/* The components that show brightness, and those that detectors use. */
TEST (test_components)
{
  static const struct {
    const gchar *names;
    gboolean has_brightness, is_rgb;
    guint n_components; /* for detectors */
  } rows[] = {
    { "[\"Y\",\"A\"]", TRUE, FALSE, 1 },
    { "[\"U\",\"V\"]", FALSE, FALSE, 2 },
    { "[\"G\",\"B\"]", TRUE, TRUE, 2 },
    { "[\"A\",\"A\"]", FALSE, FALSE, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (FrameLine) reader = frame_line_new (0, 0);
    g_autofree gchar *line = make_line (rows[i].names, 3);
    const GstClSeriesInput *input = frame_line_input (reader);

    fail_unless_equals_int (frame_line_read (reader, line, NULL),
        FRAME_LINE_MEASURED);
    fail_unless_equals_int (input->has_brightness, rows[i].has_brightness);
    if (input->has_brightness)
      fail_unless_equals_int (input->frame.is_rgb, rows[i].is_rgb);
    fail_unless_equals_int (input->frame.n_components, rows[i].n_components);
    fail_unless_equals_int (input->n_components, 2);
  }
}

/* Returns a line with @n arrays of @n_cells means; cell i has 3 i. */
static gchar *
make_cells (const gchar *full_range, guint n, guint n_cells)
{
  GString *line = g_string_new (
      "{\"type\":\"frame\"," TIMES "\"depth\":8,"
      "\"components\":[\"Y\",\"U\"]," STATISTICS "\"cell-means\":[");

  for (guint c = 0; c < n; c++) {
    g_string_append (line, c > 0 ? ",[" : "[");
    for (guint i = 0; i < n_cells; i++)
      g_string_append_printf (line, i > 0 ? ",%u" : "%u", 3 * i);
    g_string_append_c (line, ']');
  }
  g_string_append_printf (line, "]%s}\n", full_range);

  return g_string_free (line, FALSE);
}

TEST (test_cells)
{
  static const gchar full_range[] = ",\"full-range\":true";
  static const struct {
    const gchar *full_range;
    guint n, n_cells;
    const gchar *wrong; /* the field, or NULL */
  } rows[] = {
    { full_range, 2, GST_CL_N_CELLS, NULL },
    { full_range, 2, 0, NULL },
    { "", 2, GST_CL_N_CELLS, "full-range" },
    { full_range, 1, GST_CL_N_CELLS, "cell-means" },
    { full_range, 0, 0, "cell-means" },
    { full_range, 2, GST_CL_N_CELLS - 1, "cell-means" },
    { full_range, 2, 1, "cell-means" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (FrameLine) reader = frame_line_new (GST_CL_STATISTIC (CELLS), 0);
    g_autofree gchar *line = make_cells (rows[i].full_range, rows[i].n,
        rows[i].n_cells);
    const GstClSeriesFrame *frame = &frame_line_input (reader)->frame;
    g_autoptr (GError) error = NULL;
    const FrameLineResult result = frame_line_read (reader, line, &error);

    if (rows[i].wrong) {
      fail_unless_equals_int (result, FRAME_LINE_WRONG);
      fail_unless (strstr (error->message, rows[i].wrong), "%s",
          error->message);
      continue;
    }
    fail_unless_equals_int (result, FRAME_LINE_MEASURED);
    fail_unless_equals_int (frame->cells[1] != NULL, rows[i].n_cells > 0);
    if (rows[i].n_cells > 0)
      fail_unless_equals_int (frame->cells[1][GST_CL_N_CELLS - 1],
          3 * (GST_CL_N_CELLS - 1));
  }
}

TEST (test_other_lines)
{
  g_autoptr (FrameLine) reader = frame_line_new (ALL, 0);

  fail_unless_equals_int (
      frame_line_read (reader, " { \"type\" : \"event\" , ", NULL),
      FRAME_LINE_OTHER);
  fail_unless_equals_int (
      frame_line_read (reader,
          "{\"type\":\"frame\"," TIMES "\"depth\":16,\"components\":[]}", NULL),
      FRAME_LINE_UNMEASURED);
  fail_unless_equals_uint64 (frame_line_input (reader)->frame.time.frame, 5);
}

static void
expect_wrong (const gchar *line, const gchar *field)
{
  g_autoptr (FrameLine) reader = frame_line_new (ALL, 0);
  g_autoptr (GError) error = NULL;

  fail_unless_equals_int (frame_line_read (reader, line, &error),
      FRAME_LINE_WRONG);
  fail_unless (
      g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT));
  fail_unless (strstr (error->message, field) != NULL, "%s: %s", field,
      error->message);
}

/* A line that is cut anywhere is an error, whatever was parsed before. */
TEST (test_cut)
{
  g_autofree gchar *line = make_line ("[\"Y\",\"U\"]", 256);

  for (gsize length = strlen (line) - 2; length > 0; length--) {
    line[length] = '\0';
    expect_wrong (line, "");
  }
}

TEST (test_wrong)
{
  g_autofree gchar *few = make_line ("[\"Y\",\"U\"]", 255);
  g_autofree gchar *many = make_line ("[\"Y\",\"U\"]", 257);
  g_autofree gchar *three = make_line ("[\"Y\",\"U\",\"V\"]", 256);

  expect_wrong (few, "'histogram' has 255 bins");
  expect_wrong (many, "'histogram' is wrong");
  expect_wrong (three, "'count' is wrong");
}

/* Random changes of bytes do no harm; run with sanitizers. */
TEST (test_changed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autofree gchar *line = make_line ("[\"Y\",\"U\"]", 256);
  g_autoptr (FrameLine) reader = frame_line_new (ALL, 0);
  const gsize length = strlen (line);
  guint n_wrong = 0;

  for (guint i = 0; i < 5000; i++) {
    static const gchar bytes[] = "[]{},:\"\\0123456789.-ntfYA\n ";
    const gsize at = g_rand_int_range (rand, 0, length);
    const gchar before = line[at];

    line[at] = bytes[g_rand_int_range (rand, 0, sizeof bytes)];
    n_wrong += frame_line_read (reader, line, NULL) == FRAME_LINE_WRONG;
    line[at] = before;
  }
  fail_unless (n_wrong > 2000 && n_wrong < 5000,
      "expected 2000 to 5000 refused lines, found %u", n_wrong);
}

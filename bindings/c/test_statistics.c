/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of statistics.h on the messages of a pipeline: the values of
 * one of each kind and place, and that all find their field and its type. */

#include <gst/opencl/statistics.h>
#include <gst/video/video.h>
#include <math.h>

#define ALL                                                                    \
  "videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=320,height=240," \
  "framerate=25/1,interlace-mode=interleaved ! clframesum name=sum "           \
  "position-x=16 width=288 height=240 grid-columns=2 grid-rows=2 fields=true " \
  "zone-events=true events=freeze+defocus histogram-bins=16 "                  \
  "histogram-format=%s statistics=%u ! fakesink"
#define LINE                                                                   \
  "videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=128,height=96,"  \
  "interlace-mode=interleaved ! clframesum name=sum grid-columns=4 "           \
  "grid-rows=2 fields=true roi-meta=true histogram-bins=16 statistics="        \
  "moments+range+positions+histogram+profiles+temporal+waveform+hue+noise+"    \
  "range-evidence ! fakesink"
#define UNKNOWN                                                                \
  "fakesrc num-buffers=1 format=time sizetype=fixed sizemax=12288 "            \
  "filltype=zero ! video/x-raw,format=GRAY8,width=128,height=96,"              \
  "framerate=25/1 ! clframesum name=sum statistics=active-area ! fakesink"

static GstPadProbeReturn
add_region (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *buffer = gst_buffer_make_writable (
      GST_PAD_PROBE_INFO_BUFFER (info));

  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 0, 0, 64, 48);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;

  return GST_PAD_PROBE_OK;
}

/* Returns the structure of the last message of clframesum; transfer full. */
static GstStructure *
measure (const gchar *line)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement)
      element = gst_bin_get_by_name (GST_BIN (pipeline), "sum");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstStructure *last = NULL;
  gboolean is_eos = FALSE;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, add_region, NULL, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!is_eos) {
    g_autoptr (GstMessage)
        message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
            GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);

    g_assert_cmpint (GST_MESSAGE_TYPE (message), !=, GST_MESSAGE_ERROR);
    is_eos = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (gst_message_has_name (message, "clframesum")) {
      g_clear_pointer (&last, gst_structure_free);
      last = gst_structure_copy (gst_message_get_structure (message));
    }
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);

  return last;
}

static void
test_frame (const GstStructure *s)
{
  guint64 count = 0, sum = 0, difference = 0;
  guint min = 0, max = 0, hue = 360;
  gdouble mean = 0, noise = -1;
  const gchar *range = NULL;
  gint x = -1;

  g_assert_true (gst_cl_statistics_get_count (s, "U", &count));
  g_assert_cmpuint (count, ==, 64 * 48);
  g_assert_true (gst_cl_statistics_get_sum (s, "U", &sum));
  g_assert_true (gst_cl_statistics_get_mean (s, "U", &mean));
  g_assert_cmpfloat (mean, ==, (gdouble) sum / (gdouble) count);
  g_assert_true (gst_cl_statistics_get_min (s, "Y", &min));
  g_assert_true (gst_cl_statistics_get_max (s, "Y", &max));
  g_assert_cmpuint (min, <, max);
  g_assert_true (gst_cl_statistics_get_min_x (s, "Y", &x));
  g_assert_cmpint (x, >=, 0);
  g_assert_true (gst_cl_statistics_get_sum_differences (s, "Y", &difference));
  g_assert_true (gst_cl_statistics_get_hue_median (s, &hue));
  g_assert_cmpuint (hue, <, 360);
  g_assert_true (gst_cl_statistics_get_noise (s, &noise));
  g_assert_cmpfloat (noise, >=, 0);
  g_assert_true (gst_cl_statistics_get_range_evidence (s, &range));
  g_assert_nonnull (range);
}

static void
test_arrays (const GstStructure *s)
{
  guint64 counts[20] = { 0 }, sum = 0, n_counted = 0;
  const guint32 *rows, *waveform;
  gsize n_rows = 0, n = 0;
  guint shape[2] = { 0 };

  g_assert_cmpuint (gst_cl_statistics_get_histogram (s, "Y", NULL, 0), ==, 16);
  g_assert_cmpuint (gst_cl_statistics_get_histogram (s, "Y", counts, 20), ==,
      16);
  for (guint i = 0; i < 20; i++)
    n_counted += counts[i];
  g_assert_cmpuint (n_counted, ==, 128 * 96);

  rows = gst_cl_statistics_get_row_sum (s, "Y", &n_rows);
  g_assert_cmpuint (n_rows, ==, 96);
  for (gsize i = 0; i < n_rows; i++)
    sum += rows[i];
  g_assert_true (gst_cl_statistics_get_sum (s, "Y", &n_counted));
  g_assert_cmpuint (sum, ==, n_counted);

  waveform = gst_cl_statistics_get_waveform (s, "V", &n);
  g_assert_nonnull (waveform);
  g_assert_true (gst_cl_statistics_get_waveform_shape (s, "V", shape));
  g_assert_cmpuint (shape[0], ==, 64);
  g_assert_cmpuint (shape[0] * shape[1], ==, n);
}

/* Zones, fields and the region are parts of the frame. */
static void
test_parts (const GstStructure *s)
{
  guint64 sum = 0, of_zones = 0, of_fields = 0, of_part = 0, counts[16];
  gdouble mean = 0, hue = -1;

  g_assert_true (gst_cl_statistics_get_sum (s, "Y", &sum));
  for (guint row = 0; row < 2; row++) {
    for (guint column = 0; column < 4; column++) {
      g_assert_true (
          gst_cl_statistics_get_zone_sum (s, "Y", column, row, &of_part));
      of_zones += of_part;
    }
  }
  g_assert_cmpuint (of_zones, ==, sum);
  for (guint field = 0; field < 2; field++) {
    g_assert_true (gst_cl_statistics_get_field_sum (s, "Y", field, &of_part));
    of_fields += of_part;
  }
  g_assert_cmpuint (of_fields, ==, sum);

  /* the region has the first two zones of the first row */
  g_assert_true (gst_cl_statistics_get_roi_sum (s, "Y", 0, &of_part));
  g_assert_true (gst_cl_statistics_get_zone_sum (s, "Y", 0, 0, &of_zones));
  g_assert_true (gst_cl_statistics_get_zone_sum (s, "Y", 1, 0, &of_fields));
  g_assert_cmpuint (of_part, ==, of_zones + of_fields);
  g_assert_cmpuint (gst_cl_statistics_get_roi_histogram (s, "Y", 0, counts, 16),
      ==, 16);
  g_assert_true (gst_cl_statistics_get_zone_mean (s, "V", 3, 1, &mean));
  g_assert_true (gst_cl_statistics_get_zone_hue_mean (s, 3, 1, &hue));
  g_assert_cmpfloat (hue, >=, 0);
}

static void
test_absent (const GstStructure *s)
{
  guint64 count = 7;
  gdouble value = 7;
  gsize n = 7;
  guint shape[2] = { 7, 7 };

  g_assert_false (gst_cl_statistics_get_count (s, "R", &count));
  g_assert_false (gst_cl_statistics_get_zone_count (s, "Y", 4, 0, &count));
  g_assert_false (gst_cl_statistics_get_zone_count (s, "Y", 0, 2, &count));
  g_assert_false (gst_cl_statistics_get_roi_count (s, "Y", 1, &count));
  g_assert_false (gst_cl_statistics_get_roi_count (s, "Y", G_MAXUINT, &count));
  g_assert_false (gst_cl_statistics_get_field_count (s, "Y", 2, &count));
  g_assert_false (gst_cl_statistics_get_entropy (s, "Y", &value));
  g_assert_false (gst_cl_statistics_get_blockiness (s, &value));
  g_assert_null (gst_cl_statistics_get_vectorscope (s, &n));
  g_assert_null (gst_cl_statistics_get_cell_means (s, "Y", &n));
  g_assert_false (gst_cl_statistics_get_vectorscope_shape (s, shape));
  g_assert_cmpuint (
      gst_cl_statistics_get_zone_histogram (s, "Y", 9, 9, NULL, 0), ==, 0);
  g_assert_cmpuint (gst_cl_statistics_get_histogram (s, NULL, NULL, 0), ==, 0);
  g_assert_cmpuint (count, ==, 7);
  g_assert_cmpfloat (value, ==, 7);
  g_assert_cmpuint (n, ==, 7);
  g_assert_cmpuint (shape[0], ==, 7);
}

/* A black frame shows no border, and has no timestamp: the structure has
 * 2^64 - 1. */
static void
test_unknown (void)
{
  GstStructure *s = measure (UNKNOWN);
  guint64 value = 7, found = 0;

  g_assert_nonnull (s);
  g_assert_true (gst_structure_get_uint64 (s, "border-left", &found));
  g_assert_cmpuint (found, ==, G_MAXUINT64);
  g_assert_false (gst_cl_statistics_get_border_left (s, &value));
  g_assert_true (gst_structure_get_uint64 (s, "timestamp", &found));
  g_assert_cmpuint (found, ==, G_MAXUINT64);
  g_assert_false (gst_cl_statistics_get_timestamp (s, &value));
  g_assert_false (gst_cl_statistics_get_duration (s, &value));
  g_assert_cmpuint (value, ==, 7);
  g_assert_true (gst_cl_statistics_get_border_left_limit (s, &value));
  g_assert_true (gst_cl_statistics_get_frame (s, &value));
  g_assert_cmpuint (value, ==, 0);
  gst_structure_free (s);
}

static gboolean
is_passed (GQuark field, const GValue *value, gpointer passed)
{
  if (!g_hash_table_contains (passed, g_quark_to_string (field)))
    g_error ("no function of the field %s", g_quark_to_string (field));

  return TRUE;
}

/* Calls all functions: those of the fields that @s has succeed, and others
 * fail. Adds these fields to @passed; returns the number of functions. */
static guint
test_functions (const GstStructure *s, GHashTable *passed)
{
  guint n = 0;
  struct {
    guint64 of_uint64[1], of_numbers[2];
    guint of_uint[1], of_shape[2];
    gint of_int[1];
    gboolean of_boolean[1];
    gdouble of_double[1], of_doubles[2];
    gsize of_packed[1];
    const gchar *of_string[1];
  } values;

#define CHECK(name, found)                                                     \
  if ((found) != gst_structure_has_field (s, name))                            \
    g_error ("the function of the field %s", name);                            \
  if (gst_structure_has_field (s, name))                                       \
    g_hash_table_add (passed, (gpointer) name);                                \
  n++;
#include "statisticschecks.h"
#undef CHECK
  gst_structure_foreach (s, is_passed, passed);

  return n;
}

/* Returns the flags of the property `statistics`. */
static guint
all_flags (void)
{
  g_autoptr (GstElement)
      element = gst_element_factory_make ("clframesum", NULL);
  GParamSpec *statistics = g_object_class_find_property (
      G_OBJECT_GET_CLASS (element), "statistics");

  return G_PARAM_SPEC_FLAGS (statistics)->flags_class->mask;
}

/* Results have histograms as arrays, or packed. */
static void
test_all (void)
{
  const gchar *formats[] = { "array", "packed" };
  g_autoptr (GHashTable) passed = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autofree gchar *line = g_strdup_printf (ALL, formats[i], all_flags ());
    GstStructure *s = measure (line);
    const guint n = test_functions (s, passed);

    if (i == 1)
      g_assert_cmpuint (g_hash_table_size (passed), ==, n);
    gst_structure_free (s);
  }
}

int
main (int argc, char **argv)
{
  GstStructure *s;

  gst_init (&argc, &argv);
  s = measure (LINE);
  g_assert_nonnull (s);
  test_frame (s);
  test_arrays (s);
  test_parts (s);
  test_absent (s);
  gst_structure_free (s);
  test_unknown ();
  test_all ();

  return 0;
}

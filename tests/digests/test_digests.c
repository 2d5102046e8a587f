/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results that are the same bytes on every device.
 *
 * Each test runs a pipeline on fixed frames, prints its name and a hash of the
 * output, and searches for that line in tests/digests/digests.txt. After an
 * intended change of results, create that file again:
 *
 *     meson test -C build -v 'element digests' |
 *       grep -E '^[a-z0-9-]+ [0-9a-f]{32}$' >tests/digests/digests.txt
 */

#include "elements/common.h"
#include "elements/frames.h"
#include "folder.h"
#include "suite.h"

/* A pipeline and its input frames. */
typedef struct {
  const gchar *name, *description;
  GstVideoFormat format;
  gint width, height;
} Row;

#define EVERY_STATISTIC                                                        \
  "moments+range+positions+histogram+percentiles+entropy+temporal+bit-depth"   \
  "+outliers+repetition"
#define EVERY_SIGNALSTAT EVERY_STATISTIC "+saturation+hue+gamut"
/* without functions of libm but those of the table of flashes, whose values are
 * rounded */
#define EVERY_LIGHT      "flash+light-histogram+levels"
#define EVERY_METRIC     "psnr+ssim+xpsnr+max-difference+histogram"
#define WINDOW(width, height)                                                  \
  "kernel-width=" #width " kernel-height=" #height " "

/* Sizes are odd, and larger than a tile of the kernels for GPUs and than a band
 * of those for CPUs. Scopes are large enough for every label. */
static const Row rows[] = {
  { "integral-gray", "clintegral", GST_VIDEO_FORMAT_GRAY8, 301, 67 },
  { "integral-rgb", "clintegral layout=exclusive", GST_VIDEO_FORMAT_RGB, 299,
      65 },
  { "integral-squares-tilted", "clintegral squares=true tilted=true",
      GST_VIDEO_FORMAT_GRAY8, 131, 67 },
  { "integral-16-bits", "clintegral sum-format=u64 squares=true",
      GST_VIDEO_FORMAT_GRAY16_LE, 131, 67 },
  { "integral-float", "clintegral sum-format=f32", GST_VIDEO_FORMAT_I420_10LE,
      131, 67 },
  { "integral-async-copy", "clintegral method=async-copy",
      GST_VIDEO_FORMAT_GRAY8, 301, 67 },
  { "integral-single-pass", "clintegral method=single-pass",
      GST_VIDEO_FORMAT_GRAY8, 301, 67 },
  { "means-i420", "cllocalmean", GST_VIDEO_FORMAT_I420, 301, 67 },
  { "means-rgb", "cllocalmean border-mode=reflect-101 " WINDOW (31, 8),
      GST_VIDEO_FORMAT_RGB, 299, 65 },
  { "means-10-bits",
      "cllocalmean border-mode=replicate repeat=3 " WINDOW (5, 7),
      GST_VIDEO_FORMAT_P010_10LE, 130, 66 },
  { "means-direct", "cllocalmean method=direct step-x=3 step-y=2",
      GST_VIDEO_FORMAT_GRAY8, 301, 67 },
  { "means-async-copy", "cllocalmean method=async-copy border-mode=wrap",
      GST_VIDEO_FORMAT_GRAY8, 301, 67 },
  { "means-from-sums", "clintegral ! cllocalmean border-mode=valid",
      GST_VIDEO_FORMAT_GRAY8, 301, 67 },
  { "stddev", "cllocalmean operation=stddev", GST_VIDEO_FORMAT_I420, 301, 67 },
  { "normalize", "cllocalmean operation=normalize border-mode=constant",
      GST_VIDEO_FORMAT_BGRx, 131, 67 },
  { "sauvola", "cllocalmean operation=sauvola", GST_VIDEO_FORMAT_GRAY8, 301,
      67 },
  { "wolf", "cllocalmean operation=wolf border-mode=reflect",
      GST_VIDEO_FORMAT_GRAY16_LE, 131, 67 },
  { "nick", "cllocalmean operation=nick invert=true", GST_VIDEO_FORMAT_NV12,
      130, 66 },
  { "moments-i420", "clframesum", GST_VIDEO_FORMAT_I420, 301, 67 },
  { "moments-inner", "clframesum reduction=inner", GST_VIDEO_FORMAT_RGB, 299,
      65 },
  { "moments-outer", "clframesum reduction=outer", GST_VIDEO_FORMAT_GRAY16_LE,
      131, 67 },
  { "statistics-i420", "clframesum statistics=" EVERY_SIGNALSTAT,
      GST_VIDEO_FORMAT_I420, 301, 67 },
  { "statistics-10-bits", "clframesum statistics=" EVERY_SIGNALSTAT,
      GST_VIDEO_FORMAT_I422_10LE, 131, 67 },
  { "statistics-zones",
      "clframesum grid-columns=5 grid-rows=3 statistics=" EVERY_STATISTIC,
      GST_VIDEO_FORMAT_RGB, 131, 67 },
  { "light-i420", "clframesum statistics=" EVERY_LIGHT, GST_VIDEO_FORMAT_I420,
      301, 67 },
  { "light-10-bits", "clframesum statistics=" EVERY_LIGHT,
      GST_VIDEO_FORMAT_P010_10LE, 130, 66 },
  { "compare-i420", "clcompare metrics=" EVERY_METRIC, GST_VIDEO_FORMAT_I420,
      301, 67 },
  { "compare-10-bits", "clcompare metrics=" EVERY_METRIC,
      GST_VIDEO_FORMAT_P010_10LE, 130, 66 },
  { "compare-rgb", "clcompare grid-columns=3 metrics=" EVERY_METRIC,
      GST_VIDEO_FORMAT_RGB, 299, 65 },
  { "compare-large", "clcompare metrics=xpsnr", GST_VIDEO_FORMAT_GRAY8, 2050,
      1160 },
  { "scope-waveform", "clscope", GST_VIDEO_FORMAT_I420, 640, 360 },
  { "scope-parade", "clscope kind=parade", GST_VIDEO_FORMAT_NV12, 640, 360 },
  { "scope-parade-rgb", "clscope kind=parade-rgb", GST_VIDEO_FORMAT_RGB, 640,
      360 },
  { "scope-overlay-rgb", "clscope kind=overlay-rgb", GST_VIDEO_FORMAT_I420, 640,
      360 },
  { "scope-vectorscope", "clscope kind=vectorscope", GST_VIDEO_FORMAT_P010_10LE,
      640, 360 },
  { "scope-histogram", "clscope kind=histogram", GST_VIDEO_FORMAT_I420, 640,
      360 },
  { "scope-false-colour", "clscope kind=false-colour legend=true",
      GST_VIDEO_FORMAT_I420, 640, 360 },
  { "scope-all", "clscope kind=all", GST_VIDEO_FORMAT_I420, 640, 360 },
  { "scope-codes", "clscope kind=all graticule=codes",
      GST_VIDEO_FORMAT_I420_10LE, 640, 360 },
  { "scope-light", "clscope graticule=nits", GST_VIDEO_FORMAT_GRAY16_LE, 640,
      360 },
  { "scope-zones-of-light",
      "clscope kind=false-colour graticule=nits "
      "legend=true",
      GST_VIDEO_FORMAT_I420, 640, 360 },
  { "scope-side", "clscope kind=parade mode=side height=800",
      GST_VIDEO_FORMAT_I420, 640, 360 },
};

#define N_FRAMES 2

static void
add_codes (GChecksum *sum, GstBuffer *frame, const GstVideoInfo *info)
{
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    gint width, height;
    g_autofree guint16 *codes = frame_codes (frame, info, c, &width, &height);

    for (gint i = 0; i < width * height; i++)
      codes[i] = GUINT16_TO_LE (codes[i]);
    g_checksum_update (sum, (guchar *) codes,
        (gssize) width * height * (gssize) sizeof *codes);
  }
}

/* The output: the samples of raw video, or the bytes of an integral image,
 * which is tightly packed. */
static void
add_output (GChecksum *sum, GstHarness *h, GstBuffer *out)
{
  g_autoptr (GstCaps) caps = harness_out_caps (h);
  GstVideoInfo info;

  if (gst_structure_has_name (gst_caps_get_structure (caps, 0),
          "video/x-raw")) {
    g_assert_true (gst_video_info_from_caps (&info, caps));
    add_codes (sum, out, &info);
  } else {
    g_autoptr (GBytes) bytes = frame_bytes (out);

    g_checksum_update (sum, g_bytes_get_data (bytes, NULL),
        (gssize) g_bytes_get_size (bytes));
  }
}

/* The lines of results without the name of the element, which depends on the
 * number of elements that were created before. */
static void
add_results (GChecksum *sum, const gchar *path)
{
  g_autoptr (GRegex)
      name = g_regex_new ("\"element\":\"[a-z0-9]*\",", 0, 0, NULL);
  g_autofree gchar *lines = NULL, *nameless = NULL;

  fail_unless (g_file_get_contents (path, &lines, NULL, NULL));
  nameless = g_regex_replace_literal (name, lines, -1, 0, "", 0, NULL);
  g_checksum_update (sum, (guchar *) nameless, -1);
}

/* Returns frame @i of a stream. transfer full */
static GstBuffer *
new_frame (const GstVideoInfo *info, guint i, guint seed)
{
  GstBuffer *frame = frame_new (info, i + seed);

  GST_BUFFER_PTS (frame) = i * GST_SECOND / 25;
  GST_BUFFER_DURATION (frame) = GST_SECOND / 25;

  return frame;
}

/* Pushes @frame (transfer full), and waits for the output: transfer full. */
static GstBuffer *
run_pair (GstHarness *h, GstBuffer *frame)
{
  GstBuffer *out;

  fail_unless_equals_int (gst_harness_push (h, frame), GST_FLOW_OK);
  out = gst_harness_pull (h);
  fail_unless (out != NULL, "no output");

  return out;
}

/* Waits until the output has ended. */
static void
wait_for_eos (GstHarness *h)
{
  GstEventType got = GST_EVENT_UNKNOWN;

  while (got != GST_EVENT_EOS) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (h);

    fail_unless (event != NULL, "no EOS");
    got = GST_EVENT_TYPE (event);
  }
}

/* The integers in the lines of clcompare; figures are of functions of libm. */
static void
add_integers (GChecksum *sum, const gchar *path)
{
  g_autoptr (GRegex) integers = g_regex_new (
      "\"[a-z-]*(error|units|difference|samples|histogram)\":"
      "\\[[][0-9,-]+",
      0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree gchar *lines = NULL;

  fail_unless (g_file_get_contents (path, &lines, NULL, NULL));
  g_regex_match (integers, lines, 0, &match);
  for (; g_match_info_matches (match); g_match_info_next (match, NULL)) {
    g_autofree gchar *text = g_match_info_fetch (match, 0);

    g_checksum_update (sum, (guchar *) text, -1);
  }
}

/* g_free() */
static gchar *
digest (const Row *row)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  gchar *folder = g_dir_make_tmp ("digests-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "results.json", NULL);
  g_autofree gchar *location = g_strconcat (" location=", path, NULL);
  const gboolean compares = strstr (row->description, "clcompare") != NULL;
  const gboolean has_file = compares ||
                            strstr (row->description, "clframesum") != NULL;
  g_autofree gchar *description = g_strconcat (row->description,
      has_file ? location : "", NULL);
  GstHarness *h = compares ? harness_new_of_pad (description, "sink_0")
                           : harness_new (description);
  GstHarness *reference = compares ? harness_new_input (h, "reference") : NULL;
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, row->format, row->width, row->height, &info);
  if (reference)
    harness_set_format (reference, row->format, row->width, row->height, &info);
  for (guint i = 0; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) out = NULL;

    if (reference)
      fail_unless_equals_int (
          gst_harness_push (reference, new_frame (&info, i, 100)), GST_FLOW_OK);
    out = compares ? run_pair (h, new_frame (&info, i, 1))
                   : harness_run (h, new_frame (&info, i, 1));
    add_output (sum, h, out);
  }
  if (reference)
    fail_unless (gst_harness_push_event (reference, gst_event_new_eos ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  if (compares)
    wait_for_eos (h);
  else
    harness_drain (h);
  expect_no_error (bus);
  if (reference)
    gst_harness_teardown (reference);
  harness_free (h);
  if (has_file)
    (compares ? add_integers : add_results) (sum, path);
  test_folder_remove (folder);

  return g_strndup (g_checksum_get_string (sum), 32);
}

LOOP_TEST (test_digest, G_N_ELEMENTS (rows))
{
  const Row *row = &rows[__i__];
  g_autofree gchar *path = g_build_filename (g_getenv ("TESTS_FOLDER"),
      "digests", "digests.txt", NULL);
  g_autofree gchar *text = NULL;
  g_autofree gchar *hash = digest (row);
  g_autofree gchar *line = g_strdup_printf ("%s %s", row->name, hash);
  g_auto (GStrv) lines = NULL;

  g_print ("%s\n", line);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL), "cannot read %s",
      path);
  lines = g_strsplit (text, "\n", -1);
  fail_unless (g_strv_contains ((const gchar *const *) lines, line),
      "%s: expected the line '%s' for %s", path, line, row->name);
}

SUITE (.start = harness_share_context);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XPSNR of pictures and of clips, from the integers of the reference.
 *
 *     CLIPS_FOLDER=DIR GST_CHECKS=test_ffmpeg test_unit_xpsnr
 *
 * writes both clips of each pair as "DIR/FORMAT SIZE RATE.original" and
 * ".compared", with two bytes for each sample of more than 8 bits,
 * little-endian. tests/pipelines/test_xpsnr.py measures them with FFmpeg. */

#include "xpsnrclips.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "suite.h"

/* --- clips that FFmpeg has measured --------------------------------------- */

static void
write_plane (const RefXpsnrPlane *plane, guint depth, FILE *file)
{
  for (gint i = 0; i < plane->width * plane->height; i++) {
    fputc (plane->codes[i] & 0xff, file);
    if (depth > 8)
      fputc (plane->codes[i] >> 8, file);
  }
}

/* Appends @planes to a file of CLIPS_FOLDER, if it is set. */
static void
write_frame (const XpsnrClip *clip, const RefXpsnrPlane *planes,
    const gchar *kind)
{
  const gchar *folder = g_getenv ("CLIPS_FOLDER");
  g_autofree gchar *name = xpsnr_clip_name (clip);
  g_autofree gchar *path = NULL;
  FILE *file;

  if (!folder)
    return;
  path = g_strdup_printf ("%s/%s.%s", folder, name, kind);
  file = fopen (path, "ab");
  fail_unless (file != NULL, "cannot write %s", path);
  for (guint c = 0; c < clip->n_components; c++)
    write_plane (&planes[c], clip->depth, file);
  fclose (file);
}

static GstClXpsnrPicture
get_picture (const XpsnrClip *clip, const RefXpsnrPlane *planes)
{
  GstClXpsnrPicture picture = { clip->n_components, clip->depth, { 0 }, { 0 } };

  for (guint c = 0; c < clip->n_components; c++) {
    picture.widths[c] = (guint) planes[c].width;
    picture.heights[c] = (guint) planes[c].height;
  }

  return picture;
}

/* The lines of a clip, a frame each, and their average. */
typedef struct {
  const XpsnrClip *clip;
  GstClXpsnrPool pool;
  GString *text;
} Lines;

static void
add_line (Lines *self, const gchar *frame,
    const gdouble xpsnr[GST_CL_XPSNR_COMPONENTS])
{
  g_autofree gchar *name = xpsnr_clip_name (self->clip);

  g_string_append_printf (self->text, "%s %s:", name, frame);
  for (guint c = 0; c < self->clip->n_components; c++)
    g_string_append_printf (self->text, " %.4f", xpsnr[c]);
  g_string_append_c (self->text, '\n');
}

static void
add_frame (Lines *self, guint n, const GstClXpsnrPicture *picture,
    const GstClXpsnrBlock *blocks)
{
  guint64 sums[GST_CL_XPSNR_COMPONENTS];
  gdouble xpsnr[GST_CL_XPSNR_COMPONENTS];
  gchar frame[8];

  gst_cl_xpsnr_sums (picture, blocks, sums);
  gst_cl_xpsnr_pool_add (&self->pool, picture, sums);
  for (guint c = 0; c < picture->n_components; c++)
    xpsnr[c] = gst_cl_xpsnr_of_sum (picture, c, sums[c]);
  g_snprintf (frame, sizeof frame, "%u", n + 1);
  add_line (self, frame, xpsnr);
}

static void
add_average (Lines *self, const GstClXpsnrPicture *picture)
{
  gdouble xpsnr[GST_CL_XPSNR_COMPONENTS];

  for (guint c = 0; c < picture->n_components; c++)
    xpsnr[c] = gst_cl_xpsnr_pool_get (&self->pool, picture, c);
  add_line (self, "average", xpsnr);
}

static GstClXpsnrBlock *
new_blocks (gint width, gint height)
{
  const GstClXpsnrGrid grid = gst_cl_xpsnr_grid ((guint) width, (guint) height);

  return g_new (GstClXpsnrBlock, grid.columns * grid.rows);
}

static void
measure_clip (Lines *lines)
{
  const XpsnrClip *clip = lines->clip;
  g_autofree GstClXpsnrBlock *blocks = new_blocks (clip->width, clip->height);
  g_auto (XpsnrFrames) frames = { 0 };
  const RefXpsnrSettings settings = { clip->depth,
    gst_cl_xpsnr_order (clip->rate, 1),
    gst_cl_xpsnr_is_large ((guint) clip->width, (guint) clip->height) };
  GstClXpsnrPicture picture = { 0 };
  RefXpsnr reference = { 0 };

  for (guint n = 0; n < XPSNR_CLIP_FRAMES; n++) {
    xpsnr_frames_make (&frames, clip, n);
    write_frame (clip, frames.original, "original");
    write_frame (clip, frames.compared, "compared");
    picture = get_picture (clip, frames.original);
    ref_xpsnr_measure (&reference, frames.original, frames.compared,
        clip->n_components, &settings, blocks);
    add_frame (lines, n, &picture, blocks);
  }
  add_average (lines, &picture);
  ref_xpsnr_clear (&reference);
}

/* tests/xpsnr/ffmpeg.txt has what FFmpeg prints. */
static gchar *
read_expected (void)
{
  g_autofree gchar *path = g_build_filename (g_getenv ("TESTS_FOLDER"), "xpsnr",
      "ffmpeg.txt", NULL);
  gchar *text = NULL;

  fail_unless (g_file_get_contents (path, &text, NULL, NULL), "cannot read %s",
      path);

  return text;
}

TEST (test_ffmpeg)
{
  g_autofree gchar *expected = read_expected ();
  const gchar *next = expected;

  for (guint i = 0; i < n_xpsnr_clips; i++) {
    Lines lines = { .clip = &xpsnr_clips[i], .text = g_string_new (NULL) };

    measure_clip (&lines);
    g_print ("%s", lines.text->str);
    /* FFmpeg may just measure clips that are new */
    fail_unless (g_getenv ("CLIPS_FOLDER") ||
                     g_str_has_prefix (next, lines.text->str),
        "found\n%s, expected (up to the next clip)\n%.200s", lines.text->str,
        next);
    next += MIN (lines.text->len, strlen (next));
    g_string_free (lines.text, TRUE);
  }
  fail_unless (g_getenv ("CLIPS_FOLDER") || *next == '\0', "expected %s", next);
}

/* --- one picture ---------------------------------------------------------- */

static const GstClXpsnrPicture small = { 2, 8, { 44, 22 }, { 46, 23 } };

/* Pictures of less than 2025 samples are one block, whose activities do not
 * matter. */
TEST (test_small)
{
  const GstClXpsnrBlock block = { { 1000, 10 }, 123456, 654321 };
  guint64 sums[GST_CL_XPSNR_COMPONENTS];

  fail_unless_equals_uint64 (gst_cl_xpsnr_grid (44, 46).size, 0);
  fail_unless_equals_uint64 (gst_cl_xpsnr_grid (45, 45).size, 4);
  fail_unless_equals_uint64 (gst_cl_xpsnr_grid (3840, 2160).size, 128);
  gst_cl_xpsnr_sums (&small, &block, sums);
  fail_unless_equals_uint64 (sums[0], 1000);
  fail_unless_equals_uint64 (sums[1], 10);
  fail_unless_equals_float (gst_cl_xpsnr_of_sum (&small, 0, sums[0]),
      10 * log10 (44 * 46 * 255.0 * 255.0 / 1000));
  fail_unless (isinf (gst_cl_xpsnr_of_sum (&small, 0, 0)));
}

/* No picture has more blocks than its size allows, and no part of it. */
TEST (test_most_blocks)
{
  guint most = 0;

  for (guint width = 1; width < 5000; width += 1 + width / 100) {
    for (guint height = 1; height < 5000; height += 1 + height / 100) {
      const GstClXpsnrGrid grid = gst_cl_xpsnr_grid (width, height);
      const guint n = grid.columns * grid.rows;

      fail_unless (n <= gst_cl_xpsnr_most_blocks (width, height), "%u x %u",
          width, height);
      fail_unless (gst_cl_xpsnr_most_blocks (width, height) <=
                   gst_cl_xpsnr_most_blocks (width + 1, height + 1));
      most = MAX (most, n);
    }
  }
  /* which is less than the number of blocks of a part */
  fail_unless (gst_cl_xpsnr_grid (4999, 4999).columns *
                   gst_cl_xpsnr_grid (4999, 4999).rows <
               most);
}

/* --- many pictures -------------------------------------------------------- */

TEST (test_pool)
{
  GstClXpsnrPool pool = { 0 };

  fail_unless (isinf (gst_cl_xpsnr_pool_get (&pool, &small, 0)));
  gst_cl_xpsnr_pool_add (&pool, &small, (const guint64[]){ 100, 1, 0 });
  fail_unless_equals_float (gst_cl_xpsnr_pool_get (&pool, &small, 0),
      gst_cl_xpsnr_of_sum (&small, 0, 100));
  gst_cl_xpsnr_pool_add (&pool, &small, (const guint64[]){ 400, 0, 0 });
  /* the mean of the roots is 15, and 1/2 */
  fail_unless_equals_float (gst_cl_xpsnr_pool_get (&pool, &small, 0),
      gst_cl_xpsnr_of_sum (&small, 0, 225));
  fail_unless (isinf (gst_cl_xpsnr_pool_get (&pool, &small, 1)));
}

TEST (test_order)
{
  fail_unless_equals_uint64 (gst_cl_xpsnr_order (25, 1), 1);
  fail_unless_equals_uint64 (gst_cl_xpsnr_order (30000, 1001), 1);
  fail_unless_equals_uint64 (gst_cl_xpsnr_order (63, 2), 1);
  fail_unless_equals_uint64 (gst_cl_xpsnr_order (32, 1), 2);
  fail_unless_equals_uint64 (gst_cl_xpsnr_order (60000, 1001), 2);
  fail_unless_equals_uint64 (gst_cl_xpsnr_order (0, 1), 1);
  fail_unless_equals_uint64 (gst_cl_xpsnr_order (50, 0), 1);
}

SUITE (.start = NULL);

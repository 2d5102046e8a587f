/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pairs of clips that integers define. */

#include "xpsnrclips.h"

#define EXACT_FRAME 1 /* has no errors */

/* The formats of FFmpeg: each has components of one depth. */
#define GREY   "gray", 1, 8, 0, 0
#define GREY10 "gray10le", 1, 10, 0, 0
#define GREY16 "gray16le", 1, 16, 0, 0
#define I410   "yuv410p", 3, 8, 2, 2
#define I411   "yuv411p", 3, 8, 2, 0
#define I420   "yuv420p", 3, 8, 1, 1
#define I42010 "yuv420p10le", 3, 10, 1, 1
#define I42016 "yuv420p16le", 3, 16, 1, 1
#define I422   "yuv422p", 3, 8, 1, 0
#define I42210 "yuv422p10le", 3, 10, 1, 0
#define I42212 "yuv422p12le", 3, 12, 1, 0
#define I444   "yuv444p", 3, 8, 0, 0
#define I44412 "yuv444p12le", 3, 12, 0, 0
#define GBR    "gbrp", 3, 8, 0, 0

/* Large pictures have even sizes; the blocks at the right of 2530 x 1430 are
 * narrow, those at the bottom too low for activities. */
const XpsnrClip xpsnr_clips[] = {
  { GREY, 4, 600, 25 },
  { GREY, 64, 48, 25 },
  { GREY10, 65, 49, 50 },
  { GREY16, 352, 288, 50 },
  { I410, 301, 207, 25 },
  { I411, 97, 63, 50 },
  { I420, 64, 48, 25 },
  { I420, 352, 288, 25 },
  { I420, 352, 288, 50 },
  { I420, 353, 287, 31 },
  { I42010, 640, 480, 25 },
  { I42016, 352, 288, 25 },
  { I42016, 722, 406, 50 },
  { I42210, 722, 406, 50 },
  { I422, 723, 405, 25 },
  { I42212, 641, 480, 32 },
  { I444, 640, 480, 50 },
  { I44412, 352, 288, 25 },
  { GBR, 352, 288, 50 },
  { I420, 1920, 1080, 50 },
  { I420, 2560, 1440, 25 },
  { I420, 2530, 1430, 50 },
  { I42212, 2530, 1430, 25 },
  { GREY16, 2560, 1440, 50 },
};
const guint n_xpsnr_clips = G_N_ELEMENTS (xpsnr_clips);

gchar *
xpsnr_clip_name (const XpsnrClip *clip)
{
  return g_strdup_printf ("%s %dx%d %d", clip->format, clip->width,
      clip->height, clip->rate);
}

static guint32
scramble (guint32 a)
{
  a ^= a >> 16;
  a *= 0x7feb352d;
  a ^= a >> 15;
  a *= 0x846ca68b;

  return a ^ a >> 16;
}

/* Returns one number of 32 bits for each sample and @seed. */
static guint32
draw (guint seed, guint c, gint x, gint y)
{
  return scramble (scramble (seed * 4 + c) + (guint) y * 65536 + (guint) x);
}

/* Returns the code of sample (@x, @y), of @width x @height, in frame @n: flat
 * to the left, a chirp with noise to the right, which moves in the lower half.
 */
static gint
original_code (const XpsnrClip *clip, guint n, guint c, gint x, gint y,
    gint width, gint height)
{
  const gint scale = 1 << (clip->depth - 8);
  const gint at = y > height / 2 ? x + (gint) (3 * n * n) : x;
  const gint step = at * at / 48 + 5 * y;

  if (x < width / 4)
    return (100 + 20 * (gint) c) * scale;

  return (64 + (step & 127)) * scale +
         (gint) (draw (x > width / 2 ? n : 0, c, x, y) % (guint) (24 * scale));
}

static gint
compared_code (const XpsnrClip *clip, guint n, guint c, gint x, gint y,
    gint code)
{
  const guint reach = (1 + (guint) ((x >> 5) + (y >> 5)) % 6)
                      << (clip->depth - 8);
  const guint error = draw (1000 + n, c, x, y) % (2 * reach + 1);

  if (n == EXACT_FRAME)
    return code;

  return CLAMP (code + (gint) error - (gint) reach, 0, (1 << clip->depth) - 1);
}

void
xpsnr_frames_make (XpsnrFrames *self, const XpsnrClip *clip, guint n)
{
  for (guint c = 0; c < clip->n_components; c++) {
    const gint x_shift = c > 0 ? (gint) clip->x_shift : 0;
    const gint y_shift = c > 0 ? (gint) clip->y_shift : 0;
    const gint width = (clip->width + (1 << x_shift) - 1) >> x_shift;
    const gint height = (clip->height + (1 << y_shift) - 1) >> y_shift;
    const gsize n_codes = (gsize) width * (gsize) height;
    guint16 *original = (guint16 *) self->original[c].codes;
    guint16 *compared = (guint16 *) self->compared[c].codes;

    if (!original)
      original = g_new (guint16, n_codes);
    if (!compared)
      compared = g_new (guint16, n_codes);
    for (gint y = 0; y < height; y++) {
      for (gint x = 0; x < width; x++) {
        const gint i = y * width + x;

        original[i] = (guint16) original_code (clip, n, c, x, y, width, height);
        compared[i] = (guint16) compared_code (clip, n, c, x, y, original[i]);
      }
    }
    self->original[c] = (RefXpsnrPlane){ width, height, original };
    self->compared[c] = (RefXpsnrPlane){ width, height, compared };
  }
}

void
xpsnr_frames_clear (XpsnrFrames *self)
{
  for (guint c = 0; c < GST_CL_XPSNR_COMPONENTS; c++) {
    g_free ((gpointer) self->original[c].codes);
    g_free ((gpointer) self->compared[c].codes);
  }
}

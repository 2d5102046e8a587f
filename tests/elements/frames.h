/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Frames of random bytes, and the layouts in which a buffer may store one. */

/* Formats of 8 bits that the elements support, of every layout; *n receives the
 * number. */
const GstVideoFormat *test_formats (guint *n);

/* Returns the seed of the run, CL_TEST_SEED. A test whose cases need OpenCL
 * programs of their own runs some of them, and chooses the others by the seed:
 * many runs have every case. */
guint test_seed (void);

/* Formats of more than 8 bits that the elements support: those that differ
 * most, and some that test_seed() chooses; *n receives the number. */
const GstVideoFormat *test_wide_formats (guint *n);

/* Packed formats, chosen in the same way; *n receives the number. The functions
 * below that read codes do not support them. */
const GstVideoFormat *test_packed_formats (guint *n);

/* Returns the number of unused bits below each code of a frame of @info. */
guint frame_shift (const GstVideoInfo *info);

/* Sizes with every kind of remainder, including 1x1. */
typedef struct {
  gint width, height;
} FrameSize;
extern const FrameSize test_sizes[];
extern const guint n_test_sizes;

typedef enum {
  LAYOUT_PLAIN,   /* one memory, as the caps say */
  LAYOUT_PADDED,  /* larger row strides and plane offsets, in whole samples */
  LAYOUT_CROPPED, /* a part of a larger frame; packed formats: LAYOUT_PADDED */
  LAYOUT_PLANES,  /* one memory a plane */
  LAYOUT_SPLIT,   /* the first plane is in two memories, without a meta */
  LAYOUT_CUT,     /* the second plane is, cut at an odd byte; the third one then
                   * begins at an odd offset of its memory */
  LAYOUT_UNALIGNED, /* at an odd address */
  N_LAYOUTS
} FrameLayout;

const gchar *frame_layout_name (FrameLayout layout);

/* Returns a frame in LAYOUT_PLAIN with random bytes, samples and padding alike;
 * samples of more than 8 bits have random codes only. The same seed gives the
 * same bytes. transfer full */
GstBuffer *frame_new (const GstVideoInfo *info, guint seed);

/* Returns a frame in LAYOUT_PLAIN in which every byte is @value. transfer
 * full */
GstBuffer *frame_new_filled (const GstVideoInfo *info, guint8 value);

/* Returns a copy of @frame in @layout; bytes that are not in @frame are 0xEE.
 * It has a GstVideoMeta unless the layout follows from the caps. transfer
 * full */
GstBuffer *frame_copy_to_layout (GstBuffer *frame, const GstVideoInfo *info,
    FrameLayout layout);

/* Returns the samples of component @component, tightly packed; *width and
 * *height (may be NULL) receive its size. g_free() */
guint8 *frame_component (GstBuffer *frame, const GstVideoInfo *info,
    guint component, gint *width, gint *height);

/* Fails, with a message that begins with @what, unless @frame has the samples
 * of @expected, in any layout. Formats of 8 bits only. */
void frame_expect_components (GstBuffer *frame, GstBuffer *expected,
    const GstVideoInfo *info, const gchar *what);

/* Returns the codes of component @component of a frame of any format, tightly
 * packed; *width and *height (may be NULL) receive its size. g_free() */
guint16 *frame_codes (GstBuffer *frame, const GstVideoInfo *info,
    guint component, gint *width, gint *height);

/* Returns the padding byte of each pixel of a frame for which
 * frame_has_padding(). g_free() */
guint8 *frame_padding (GstBuffer *frame, const GstVideoInfo *info);

/* Returns whether pixels of the format have a byte that belongs to no
 * component, as in RGBx. */
gboolean frame_has_padding (const GstVideoInfo *info);

/* Returns the bytes of the buffer's memories, concatenated. */
GBytes *frame_bytes (GstBuffer *frame);

G_END_DECLS

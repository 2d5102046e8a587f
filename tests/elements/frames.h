/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Frames of random bytes, and the ways in which a buffer may hold one. */

/* Every 8-bit format that the elements take; *n receives how many. */
const GstVideoFormat *test_formats (guint *n);

/* Every format of more than 8 bits that the elements take; *n receives how
 * many. */
const GstVideoFormat *test_wide_formats (guint *n);

/* Sizes that leave every kind of rest, 1x1 among them. */
typedef struct {
  gint width, height;
} FrameSize;
extern const FrameSize test_sizes[];
extern const guint n_test_sizes;

typedef enum {
  LAYOUT_PLAIN,   /* one memory, as the caps say */
  LAYOUT_PADDED,  /* rows and planes further apart, by whole samples */
  LAYOUT_CROPPED, /* a part of a larger frame */
  LAYOUT_PLANES,  /* one memory a plane */
  LAYOUT_SPLIT,   /* the first plane lies in two memories, without a meta */
  LAYOUT_CUT,     /* the second plane does, cut at an odd byte, after which the
                       third one begins at an odd place of its memory */
  LAYOUT_UNALIGNED, /* at an odd address */
  N_LAYOUTS
} FrameLayout;

const gchar *frame_layout_name (FrameLayout layout);

/* A frame in LAYOUT_PLAIN, every byte random, samples and padding alike; of
 * samples of more than 8 bits, those bits that codes have. The same numbers for
 * the same seed. transfer full */
GstBuffer *frame_new (const GstVideoInfo *info, guint seed);

/* A frame whose every byte is @value. */
GstBuffer *frame_new_filled (const GstVideoInfo *info, guint8 value);

/* A copy of the picture, held in another way; bytes around it are 0xEE. Layouts
 * that differ from the caps' have a GstVideoMeta. transfer full */
GstBuffer *frame_copy_to_layout (GstBuffer *frame, const GstVideoInfo *info,
    FrameLayout layout);

/* The samples of component @component, tightly packed; *width and *height
 * (may be NULL) receive its size. g_free() */
guint8 *frame_component (GstBuffer *frame, const GstVideoInfo *info,
    guint component, gint *width, gint *height);

/* Fails with @what unless @frame has the samples of @expected, wherever they
 * lie; 8 bits. */
void frame_expect_components (GstBuffer *frame, GstBuffer *expected,
    const GstVideoInfo *info, const gchar *what);

/* The codes of component @component of any format, tightly packed. */
guint16 *frame_codes (GstBuffer *frame, const GstVideoInfo *info,
    guint component, gint *width, gint *height);

/* The bytes of RGBx and its like that are no component, pixel by pixel. */
guint8 *frame_padding (GstBuffer *frame, const GstVideoInfo *info);

/* TRUE if the format has a padding byte. */
gboolean frame_has_padding (const GstVideoInfo *info);

/* Every byte of the buffer's memories, one after the other. */
GBytes *frame_bytes (GstBuffer *frame);

G_END_DECLS

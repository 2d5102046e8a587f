/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "xpsnrreference.h"

G_BEGIN_DECLS

/* Pairs of clips that integers define, so that FFmpeg, too, can measure them:
 * areas with and without detail, motion and errors, and a frame without
 * errors. */

#define XPSNR_CLIP_FRAMES 4

typedef struct {
  const gchar *format; /* FFmpeg's name */
  guint n_components, depth;
  guint x_shift, y_shift; /* subsampling of chroma */
  gint width, height;
  gint rate; /* frames a second */
} XpsnrClip;

extern const XpsnrClip xpsnr_clips[];
extern const guint n_xpsnr_clips;

/* A frame of a clip and the same one with errors. */
typedef struct {
  RefXpsnrPlane original[GST_CL_XPSNR_COMPONENTS];
  RefXpsnrPlane compared[GST_CL_XPSNR_COMPONENTS];
} XpsnrFrames;

/* Sets the frames of all zeros to frame @n of @clip, or changes them to it. */
void xpsnr_frames_make (XpsnrFrames *self, const XpsnrClip *clip, guint n);
void xpsnr_frames_clear (XpsnrFrames *self);

/* Returns "yuv420p 352x288 25"; transfer full. */
gchar *xpsnr_clip_name (const XpsnrClip *clip);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (XpsnrFrames, xpsnr_frames_clear)

G_END_DECLS

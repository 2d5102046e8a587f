/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <math.h>

#include <glib.h>

G_BEGIN_DECLS

/* R, G and B of a pixel, in codes of the depth and the range of its components,
 * which may be below 0 or above 2^depth - 1. kernels/common/cl_rgb.clh
 * computes the same. */

/* Coefficients are in units of 1 / GST_CL_RGB_ONE. */
#define GST_CL_RGB_SHIFT 14
#define GST_CL_RGB_ONE   (1 << GST_CL_RGB_SHIFT)

typedef enum {
  GST_CL_RGB_GREY, /* one component, which is R, G and B */
  GST_CL_RGB_YUV,
  GST_CL_RGB_RGB,
} GstClRgbKind;

typedef struct {
  GstClRgbKind kind;
  gint r_v, g_u, g_v, b_u; /* of chroma, whose neutral code is middle */
  gint middle;
} GstClRgbMatrix;

/* Sets @self to YUV of the luma coefficients @kr and @kb. In limited range,
 * chroma has 224 steps where luma has 219. @depth: bits of a code. */
static inline void
gst_cl_rgb_matrix_init (GstClRgbMatrix *self, gdouble kr, gdouble kb,
    gboolean is_full_range, guint depth)
{
  const gdouble kg = 1 - kr - kb;
  const gdouble one = GST_CL_RGB_ONE * (is_full_range ? 1.0 : 219.0 / 224);

  self->kind = GST_CL_RGB_YUV;
  self->r_v = (gint) (one * 2 * (1 - kr) + 0.5);
  self->b_u = (gint) (one * 2 * (1 - kb) + 0.5);
  self->g_u = -(gint) (one * 2 * (1 - kb) * kb / kg + 0.5);
  self->g_v = -(gint) (one * 2 * (1 - kr) * kr / kg + 0.5);
  self->middle = 1 << (depth - 1);
}

/* Sets @rounded to the @weights of R, G and B, whose sum is 1, in units of
 * 1 / @one; the sum of @rounded is @one. */
static inline void
gst_cl_rgb_round_weights (const gdouble weights[3], gint one, gint rounded[3])
{
  rounded[0] = (gint) lrint (weights[0] * one);
  rounded[2] = (gint) lrint (weights[2] * one);
  rounded[1] = one - rounded[0] - rounded[2];
}

/* Sets @rgb to R, G and B of the components @codes. */
static inline void
gst_cl_rgb_of_codes (const GstClRgbMatrix *self, const gint codes[3],
    gint rgb[3])
{
  const gint half = GST_CL_RGB_ONE / 2;
  gint y, u, v;

  rgb[0] = rgb[1] = rgb[2] = codes[0];
  if (self->kind == GST_CL_RGB_RGB) {
    rgb[1] = codes[1];
    rgb[2] = codes[2];
  }
  if (self->kind != GST_CL_RGB_YUV)
    return;

  y = codes[0] * GST_CL_RGB_ONE + half;
  u = codes[1] - self->middle;
  v = codes[2] - self->middle;
  rgb[0] = (y + self->r_v * v) >> GST_CL_RGB_SHIFT;
  rgb[1] = (y + self->g_u * u + self->g_v * v) >> GST_CL_RGB_SHIFT;
  rgb[2] = (y + self->b_u * u) >> GST_CL_RGB_SHIFT;
}

G_END_DECLS

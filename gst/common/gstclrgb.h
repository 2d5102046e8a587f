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

/* The sums of products of R, G and B with the rows of weights, in units of
 * 1 / GST_CL_RGB_ONE, are Y, and U and V beside their neutral code. */
typedef struct {
  gint weights[3][3];
  gint offsets[3]; /* that are added */
} GstClYuvMatrix;

/* Sets @self to the luma coefficients @kr and @kb. Y has @y_scale times the
 * codes of R, G and B, U and V have @uv_scale times as many; offsets are added
 * to them. The weights of grey in U and V add up to 0. */
static inline void
gst_cl_yuv_matrix_init (GstClYuvMatrix *self, gdouble kr, gdouble kb,
    gdouble y_scale, gdouble uv_scale, gint y_offset, gint uv_offset)
{
  const gdouble weights[3] = { kr, 1 - kr - kb, kb };
  const gdouble of_u[2] = { -kr / (2 * (1 - kb)), 0.5 };
  const gdouble of_v[2] = { 0.5, -kb / (2 * (1 - kr)) };
  const gdouble one = GST_CL_RGB_ONE * uv_scale;

  gst_cl_rgb_round_weights (weights, (gint) lrint (GST_CL_RGB_ONE * y_scale),
      self->weights[0]);
  self->weights[1][0] = (gint) lrint (of_u[0] * one);
  self->weights[1][2] = (gint) lrint (of_u[1] * one);
  self->weights[1][1] = -self->weights[1][0] - self->weights[1][2];
  self->weights[2][0] = (gint) lrint (of_v[0] * one);
  self->weights[2][2] = (gint) lrint (of_v[1] * one);
  self->weights[2][1] = -self->weights[2][0] - self->weights[2][2];
  self->offsets[0] = y_offset;
  self->offsets[1] = self->offsets[2] = uv_offset;
}

/* Returns Y, U or V (@i: 0, 1 or 2) of @rgb. */
static inline gint
gst_cl_yuv_of_rgb (const GstClYuvMatrix *self, const gint rgb[3], guint i)
{
  const gint *weights = self->weights[i];

  return ((rgb[0] * weights[0] + rgb[1] * weights[1] + rgb[2] * weights[2] +
              GST_CL_RGB_ONE / 2) >>
             GST_CL_RGB_SHIFT) +
         self->offsets[i];
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

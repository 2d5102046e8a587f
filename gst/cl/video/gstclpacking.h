/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* The layout of a packed format: codes that do not begin at a byte, that have
 * the other byte order, or that have no fixed distance between them. Kernels of
 * the op `packing` copy the codes to planes of bytes or of 16-bit words, and
 * back. */

/* The bytes of a group, and the samples of a component in it. */
#define GST_CL_PACKING_MAX_BYTES   16
#define GST_CL_PACKING_MAX_SAMPLES 8

/* One sample in a group of a plane. */
typedef struct {
  guint component; /* in GStreamer's order */
  guint first_bit; /* of the group: little-endian from the lowest bit of the
                      first byte, big-endian from its highest */
  guint n_bits;
} GstClPackedSample;

/* A plane is rows of groups of bytes; each group has the same samples, in the
 * order in which they are in the picture. */
typedef struct {
  guint group_bytes;
  guint n_samples;
  GstClPackedSample samples[2 * GST_CL_PACKING_MAX_SAMPLES];
} GstClPackedPlane;

typedef struct {
  gboolean is_big_endian; /* a code's upper bits are in its first byte */
  guint depth;            /* of the unpacked codes, 8 .. 16: shorter codes are
                             extended to it by repeating their bits */
  guint n_planes;
  GstClPackedPlane planes[GST_VIDEO_MAX_PLANES];
} GstClPacking;

/* Reads the layouts of the planes of @info. A layout lists the codes of a group
 * by the letters of their components, from the first byte on: little-endian
 * from the lowest bit, big-endian from the highest. A number is a number of
 * unused bits. "UYV2YUY2VYU2YVY2": v210. */
void gst_cl_packing_init (GstClPacking *packing, const GstVideoFormatInfo *info,
    const gchar *const *planes, gboolean is_big_endian);

/* Returns the number of samples of component @component in a group of @plane.
 */
guint gst_cl_packed_plane_count (const GstClPackedPlane *plane,
    guint component);

/* Returns the bytes of a row of plane @plane, for the width of @info. */
gint gst_cl_packing_row_bytes (const GstClPacking *packing,
    const GstVideoInfo *info, guint plane);

/* Returns the largest of 4, 2 and 1 that divides the bytes of every group:
 * kernels read words of this size. */
guint gst_cl_packing_word_bytes (const GstClPacking *packing);

G_END_DECLS

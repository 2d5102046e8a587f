/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* XPSNR, the PSNR with a weight for each block of the picture (JVET-H0047;
 * Helmrich et al., ICASSP 2020; ITU-T H-Suppl.), as the filter xpsnr of FFmpeg
 * 7.1 computes it. A block in which the original has much detail, or much
 * motion, counts less. The first component gives the weights of all: luma, or G
 * where the filter is to be equalled for RGB. Alpha has no XPSNR.
 *
 * The integers of each block are measured on the device (xpsnr.h), or by any
 * other code that counts what GstClXpsnrBlock says; all else is double, in one
 * order, on the host.
 *
 * As in the filter, the weights of a picture of up to 640 x 480 samples that is
 * one block wide are 0, and its XPSNR is infinite. Differences from the filter:
 * - Pictures of less than 2025 samples have plain PSNR, without weights. The
 *   filter means this, but divides by zero.
 * - Large pictures of odd sizes: cells of 2 x 2 samples that reach beyond the
 *   picture repeat its last column and row. The filter uses other memory there:
 *   it has other figures at odd widths, by some 0.001 dB, and may crash at odd
 *   heights. */

#define GST_CL_XPSNR_COMPONENTS 3 /* the most */

/* The sizes of a measured picture, in samples. */
typedef struct {
  guint n_components; /* 1 .. GST_CL_XPSNR_COMPONENTS */
  guint depth;        /* bits of a code, 8 .. 16 */
  guint widths[GST_CL_XPSNR_COMPONENTS], heights[GST_CL_XPSNR_COMPONENTS];
} GstClXpsnrPicture;

/* The blocks of the first component, in row order. */
typedef struct {
  guint size; /* width and height in samples; the last column and row may be
               * smaller. 0: one block, the whole picture, and no weights */
  guint columns, rows;
} GstClXpsnrGrid;

/* Integers of a block. Block (column, row) of component c has samples from
 * column * (size * widths[c] / widths[0]) on, rounded down within the
 * parentheses, and rows likewise.
 *
 * Activities are sums of absolute values over the block in the first component
 * of the original. Codes of 16 bits count as signed, from -32768 on, as in the
 * filter.
 *
 * Spatial: 12 c - 2 (n + s + w + e) - (nw + ne + sw + se) of each sample c that
 * is not at the edge of the picture. In large pictures, for each cell of 2 x 2
 * samples whose first sample has even coordinates, and is not in the two
 * outermost rows and columns of the picture:
 *
 *          -1 -1 -1 -1
 *       -1 -2 -3 -3 -2 -1
 *       -1 -3 12 12 -3 -1
 *       -1 -3 12 12 -3 -1
 *       -1 -2 -3 -3 -2 -1
 *          -1 -1 -1 -1
 *
 * Temporal: the difference from the picture before, or with order 2, the
 * difference of this difference from that before it, for each sample; in large
 * pictures, for the sums of cells of 2 x 2 samples. Pictures before the first
 * one are zeros. */
typedef struct {
  guint64 squares[GST_CL_XPSNR_COMPONENTS]; /* sums of squared errors */
  guint64 spatial, temporal;
} GstClXpsnrBlock;

GstClXpsnrGrid gst_cl_xpsnr_grid (guint width, guint height);

/* Returns a number of blocks that no part of a picture of this size exceeds. */
gsize gst_cl_xpsnr_most_blocks (guint width, guint height);

/* Returns whether activities are of cells of 2 x 2 samples: above 2048 x 1152
 * samples. */
gboolean gst_cl_xpsnr_is_large (guint width, guint height);

/* Returns the order of temporal differences: 1 below 32 pictures a second, else
 * 2. A rate of 0/1, or x/0, is unknown: 1. */
guint gst_cl_xpsnr_order (gint rate_numerator, gint rate_denominator);

/* Sets @sums to the weighted sums of squared errors of each component. @blocks:
 * those of gst_cl_xpsnr_grid(). */
void gst_cl_xpsnr_sums (const GstClXpsnrPicture *picture,
    const GstClXpsnrBlock *blocks, guint64 sums[GST_CL_XPSNR_COMPONENTS]);

/* Returns the XPSNR of component @c of one picture, in dB; INFINITY for a sum
 * of 0. */
gdouble gst_cl_xpsnr_of_sum (const GstClXpsnrPicture *picture, guint c,
    guint64 sum);

/* The square root of a sum as an integer: 1.0. */
#define GST_CL_XPSNR_ROOT_ONE 65536

/* The XPSNR of many pictures; all zeros: of none yet. Pools of two parts of a
 * stream add up to that of the whole. */
typedef struct {
  guint64 n_pictures;
  guint64 roots[GST_CL_XPSNR_COMPONENTS]; /* square roots of their sums, in
                                             units of 1 / GST_CL_XPSNR_ROOT_ONE,
                                             to the nearest */
} GstClXpsnrPool;

void gst_cl_xpsnr_pool_add (GstClXpsnrPool *self,
    const GstClXpsnrPicture *picture,
    const guint64 sums[GST_CL_XPSNR_COMPONENTS]);

/* Returns the XPSNR of component @c, of the mean of the square roots. INFINITY
 * where that is less than 1: a picture has no errors, so that the filter's
 * other mean, that of dB, is infinite. INFINITY for no picture. @picture: any
 * of them. */
gdouble gst_cl_xpsnr_pool_get (const GstClXpsnrPool *self,
    const GstClXpsnrPicture *picture, guint c);

G_END_DECLS

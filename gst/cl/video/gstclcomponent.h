/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstclerror.h"

G_BEGIN_DECLS

/* The storage of one sample: in the lowest bytes of a machine word, with its
 * code shifted left by `shift` bits (P010: 6 of 16) and all other bits zero.
 * Everywhere in the plugin a sample's value is its code, 0 .. 2^depth - 1. */
typedef struct {
  guint bytes; /* 1 or 2 */
  guint depth; /* bits of the code, 8 .. 16 */
  guint shift; /* unused bits below it */
} GstClSampleType;

/* One component of a frame (Y, U, V, R, ...) as kernels see it: sample (x, y)
 * is at offset_bytes + y * stride_bytes + x * pixel_stride_bytes. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes;      /* of sample (0, 0) */
  gint stride_bytes;       /* from one row to the next */
  gint pixel_stride_bytes; /* from one sample to the next: 1 planar, 4 RGBA */
  gint width, height;      /* in samples of this component */
  GstClSampleType sample;
} GstClComponent;

/* The layout of an integral image: clintegral's property `layout`. */
typedef enum {
  GST_CL_LAYOUT_INCLUSIVE, /* width x height sums, S(x, y) includes (x, y) */
  GST_CL_LAYOUT_EXCLUSIVE, /* one more row and column; row 0 and column 0 are
                              zero */
} GstClLayout;

/* An array of an integral image: rows tightly packed, channels interleaved. A
 * row has (width + exclusive) * channels sums. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes; /* of the array, a multiple of 4 */
  GstClLayout layout;
  gint width, height; /* of the frame, without the extra row and column */
  gint channels;      /* 1 .. 4 */
  guint sum_bytes;    /* 4: modulo 2^32, 8: exact */
  gboolean is_float;  /* FALSE: unsigned integers; TRUE: float (4 bytes) or
                         double (8 bytes), nearest to the exact sum */
} GstClSums;

G_END_DECLS

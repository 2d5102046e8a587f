/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What lies beyond the frame's edge. */
typedef enum {
  GST_CL_BORDER_SHRINK,      /* the window is clipped to the frame */
  GST_CL_BORDER_VALID,       /* only whole windows give a result */
  GST_CL_BORDER_REPLICATE,   /* the nearest edge sample: aaa|abcd|ddd */
  GST_CL_BORDER_CONSTANT,    /* border_value */
  GST_CL_BORDER_REFLECT,     /* mirrored, edges too: cba|abcd|dcb */
  GST_CL_BORDER_REFLECT_101, /* mirrored at the edges: dcb|abcd|cba */
  GST_CL_BORDER_WRAP,        /* from the other side: bcd|abcd|abc */
} GstClBorder;

/* A window that slides over a plane; counts in samples of that plane.
 * Result (i, j) belongs to sample (i * step_x, j * step_y) and covers
 * kernel_width x kernel_height samples from that sample minus the anchor on;
 * with VALID it covers them from (i * step_x, j * step_y) on, and belongs to
 * that plus the anchor. */
typedef struct {
  gint kernel_width, kernel_height; /* at least 1; may exceed the plane, but
                                       for VALID */
  gint anchor_x, anchor_y;          /* any; 0 .. kernel size - 1 lies within */
  gint step_x, step_y;              /* at least 1 */
  GstClBorder border;
  guint border_value; /* code of every sample beyond the frame; CONSTANT */
} GstClWindow;

/* Results along one axis of @size samples: ceil (size / step), or with VALID
 * (size - kernel) / step + 1, which is 0 where the window does not fit. */
gint gst_cl_window_results (GstClBorder border, gint size, gint kernel,
    gint step);

/* Value of BORDER for kernels: windows of VALID are never clipped, and share
 * the programs of SHRINK. */
gint gst_cl_window_border_of_kernels (GstClBorder border);

/* TRUE if every window has its own sample within. */
gboolean gst_cl_window_has_inner_anchor (const GstClWindow *window);

/* Samples of a whole window. */
guint64 gst_cl_window_samples (const GstClWindow *window);

/* The code of samples beyond the frame, as kernels take it: 0 but for CONSTANT,
 * since with the other borders there is none, or one of the frame. */
guint gst_cl_window_outside (const GstClWindow *window);

/* Bytes that hold the sum of any window of samples up to @max_sample exactly: 4
 * or 8. The division that rounds adds nothing to it (cl_exact.clh). */
guint gst_cl_window_sum_bytes (const GstClWindow *window, guint max_sample);

/* Bytes that hold the sum of any window on a plane of @width x @height samples:
 * with SHRINK no window has more samples than that. */
guint gst_cl_window_sum_bytes_within (const GstClWindow *window, gint width,
    gint height, guint max_sample);

G_END_DECLS

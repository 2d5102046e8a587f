/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* What the elements must give, by loops over samples that say no more than the
 * definition. Each compares and fails the test at the first difference. */

/* @out, of caps @caps, is the integral image of component @component of @in
 * (-1: luma, or every component of the first plane of RGB), with the arrays
 * that @caps name and nothing behind them. referenceintegral.c. */
void expect_integral (GstBuffer *out, const GstCaps *caps, GstBuffer *in,
    const GstVideoInfo *info, gint component);

/* @out holds the means of @in's windows, or what the operation makes of them,
 * by the properties that @element (a cllocalmean) has now.
 * referencelocalmean.c. */
void expect_means (GstElement *element, GstBuffer *out,
    const GstVideoInfo *out_info, GstBuffer *in, const GstVideoInfo *in_info);

/* Compares one component of each: what comes of an integral image. */
void expect_component_means (GstElement *element, GstBuffer *out,
    const GstVideoInfo *out_info, guint out_component, GstBuffer *in,
    const GstVideoInfo *in_info, guint in_component);

/* @stats holds all statistics of the components of @in in @planes, and the
 * frame's size and format. */
void expect_statistics (const GstStructure *stats, GstBuffer *in,
    const GstVideoInfo *info, guint planes);

/* @a and @b hold the same bytes. */
void expect_same_bytes (GstBuffer *a, GstBuffer *b);

G_END_DECLS

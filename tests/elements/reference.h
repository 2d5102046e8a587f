/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Reference results of the elements, by loops over samples that follow the
 * definitions. Each function compares and fails the test at the first
 * difference. */

/* @out, of caps @caps, is the integral image of component @component of @in
 * (-1: luma, or every component of the first plane of RGB), with the arrays
 * that @caps name and no bytes after them. referenceintegral.c. */
void expect_integral (GstBuffer *out, const GstCaps *caps, GstBuffer *in,
    const GstVideoInfo *info, gint component);

/* Checks that @out has the means of the windows of @in, or the results of the
 * operation, for the current properties of @element (a cllocalmean). In
 * referencelocalmean.c. */
void expect_means (GstElement *element, GstBuffer *out,
    const GstVideoInfo *out_info, GstBuffer *in, const GstVideoInfo *in_info);

/* Checks one component of @out, the output for an integral image. */
void expect_component_means (GstElement *element, GstBuffer *out,
    const GstVideoInfo *out_info, guint out_component, GstBuffer *in,
    const GstVideoInfo *in_info, guint in_component);

/* Checks that @stats has all statistics of the components of @in in @planes,
 * and the size and format of the frame. */
void expect_statistics (const GstStructure *stats, GstBuffer *in,
    const GstVideoInfo *info, guint planes);

/* Checks that @a and @b have the same bytes. */
void expect_same_bytes (GstBuffer *a, GstBuffer *b);

G_END_DECLS

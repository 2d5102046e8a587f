/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "gstclprofile.h"

G_BEGIN_DECLS

/* Borders of a picture: bars of one colour at its sides. */

typedef enum {
  GST_CL_SIDE_LEFT,
  GST_CL_SIDE_RIGHT,
  GST_CL_SIDE_TOP,
  GST_CL_SIDE_BOTTOM,
} GstClSide;

#define GST_CL_N_SIDES        4
#define GST_CL_BORDER_UNKNOWN G_MAXUINT64

/* What one frame shows of its borders, by GstClSide, in rows or columns. */
typedef struct {
  guint64 width[GST_CL_N_SIDES];     /* outside an edge that is as long as the
                                  * side, 0 without a border;
                                  * GST_CL_BORDER_UNKNOWN: no edge */
  guint64 limit[GST_CL_N_SIDES];     /* a border is not wider than this */
  guint64 frame_width, frame_height; /* of the caps, pixels */
} GstClBorders;

/* Sets the widths and limits of @borders from the profiles of @n_components
 * components: luma and chroma, or red, green and blue. docs/events.md has the
 * rules. */
void gst_cl_borders_find (GstClBorders *borders,
    const GstClProfile *const *profiles, guint n_components, guint depth);

/* The borders of a stream; all zeros: none before the first frame. */
typedef struct {
  gboolean is_known; /* a frame has shown where the picture ends on each side */
  guint64 widths[GST_CL_N_SIDES];    /* the current borders */
  gboolean has_next;                 /* later frames show other borders */
  guint64 next[GST_CL_N_SIDES];      /* the borders that they show */
  GstClockTime next_since;           /* position of the first frame with them */
  guint64 frame_width, frame_height; /* of the last frame */
} GstClActiveArea;

/* Returns TRUE if frames have been added, and the frame of @borders has another
 * size: their borders say nothing about it. */
gboolean gst_cl_active_area_ends (const GstClActiveArea *self,
    const GstClBorders *borders);

/* Adds what the frame at @position shows. A frame of another size is the first
 * frame again. Other borders become the current ones
 * when frames have shown them for @min_duration; then returns TRUE. */
gboolean gst_cl_active_area_add (GstClActiveArea *self,
    const GstClBorders *borders, GstClockTime position,
    GstClockTime min_duration);

/* Returns TRUE if the frame shows where the picture ends on each side. */
gboolean gst_cl_borders_are_evident (const GstClBorders *borders);

/* Adds the area within the current borders of a picture of @width x @height to
 * @structure: `active-x`, `active-y`, `active-width`, `active-height` and
 * `active-evidence`. */
void gst_cl_active_area_add_fields (const GstClActiveArea *self,
    const GstClBorders *borders, guint width, guint height,
    GstStructure *structure);

G_END_DECLS

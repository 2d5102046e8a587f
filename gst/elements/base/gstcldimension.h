/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Widths and heights in caps, which may be fixed, ranges or lists. */

/* Returns the smallest (@upper FALSE) or largest (TRUE) result for @n. */
typedef gint (*GstClDimensionFunc) (gint n, gboolean upper, gpointer user_data);

/* Sets the field @name of @out to what @map makes of that field of @in: a value
 * or a range [map (low), map (high)], within 1 .. G_MAXINT, and lists element
 * by element. FALSE if @in has no such field of a known type. */
gboolean gst_cl_dimension_map (const GstStructure *in, GstStructure *out,
    const gchar *name, GstClDimensionFunc map, gpointer user_data);

G_END_DECLS

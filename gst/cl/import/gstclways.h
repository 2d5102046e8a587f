/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclway.h"

G_BEGIN_DECLS

/* The kinds of memory that frames may come in, the best way first; the last row
 * takes anything that can be mapped. */
extern const GstClWay *const gst_cl_ways[];
extern const guint gst_cl_n_ways;

extern const GstClWay gst_cl_way_own;
extern const GstClWay gst_cl_way_cuda;
extern const GstClWay gst_cl_way_in_place;
extern const GstClWay gst_cl_way_registered;
extern const GstClWay gst_cl_way_pinned;

/* TRUE if @caps_feature stands for memory of others than us that some way is
 * for. Any thread. */
gboolean gst_cl_ways_know_feature (const gchar *caps_feature);

/* FALSE if nothing but the last way leads memory of @caps_feature, which
 * gst_cl_ways_know_feature(), to the device of @context. Tries none. Any
 * thread. */
gboolean gst_cl_ways_take_feature (GstClContext *context,
    const gchar *caps_feature);

G_END_DECLS

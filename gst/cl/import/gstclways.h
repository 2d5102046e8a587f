/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclway.h"

G_BEGIN_DECLS

/* The kinds of memory that frames may come in, the best way first; the last row
 * takes anything that can be mapped. */
extern const GstClWay *const gst_cl_ways[];
extern const guint gst_cl_n_ways;

extern const GstClWay gst_cl_way_own;
extern const GstClWay gst_cl_way_in_place;
extern const GstClWay gst_cl_way_pinned;

G_END_DECLS

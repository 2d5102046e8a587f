/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of ways to the device. */

#include "gstclways.h"

const GstClWay *const gst_cl_ways[] = {
  &gst_cl_way_own,
  &gst_cl_way_in_place,
  &gst_cl_way_pinned,
};
const guint gst_cl_n_ways = G_N_ELEMENTS (gst_cl_ways);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "implementation.h"

G_BEGIN_DECLS

/* The candidate of @table to make for @problem on the context's device. With a
 * @method it is the row that the order gives, with its usual tuning. With AUTO
 * it is the candidate that is remembered to be the fastest. Where none is
 * remembered, candidates are measured if @may_measure, which takes a while
 * (tune.h); else it is the first by order. Its implementation is NULL if no row
 * serves @method for @problem.
 *
 * Any thread. GST_DEBUG=clop:5 says what was chosen, and why. */
GstClCandidate gst_cl_op_table_choose (const GstClOpTable *table,
    GstClContext *context, gint method, gconstpointer problem,
    gboolean may_measure);

G_END_DECLS

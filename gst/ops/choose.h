/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "implementation.h"

G_BEGIN_DECLS

/* The candidate of @table to make for @problem on the context's device. @method:
 * the row that it has by order, with the usual tuning. AUTO: the candidate that
 * is remembered to be the fastest; what is not is measured if @may_measure, which
 * takes a while (tune.h), else the first by order. Its implementation is NULL if
 * no row serves @method for @problem.
 *
 * Any thread. GST_DEBUG=clop:5 says what was chosen, and why. */
GstClCandidate gst_cl_op_table_choose (const GstClOpTable *table,
    GstClContext *context, gint method, gconstpointer problem,
    gboolean may_measure);

G_END_DECLS

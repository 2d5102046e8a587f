/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "implementation.h"

G_BEGIN_DECLS

/* The candidate of @table to make for @problem on the context's device. With a
 * @method it is the row that the order gives, with its usual tuning. With AUTO
 * it is the candidate that is remembered to be the fastest. Where none is
 * remembered, candidates are measured if @may_measure, which takes a while
 * (tune.h); else it is the first by order.
 *
 * Its row has passed its self-test (selftest.h), which runs here where it is
 * not known yet. Rows that fail are left out; where all of @method do, AUTO
 * chooses.
 *
 * Its implementation is NULL if no row serves @method for @problem; then @error
 * is set if that is because rows have failed their self-test, and device=auto
 * passes over the device from now on where it has another one.
 *
 * Any thread. GST_DEBUG=clop:5 says what was chosen, and why. */
GstClCandidate gst_cl_op_table_choose (const GstClOpTable *table,
    GstClContext *context, gint method, gconstpointer problem,
    gboolean may_measure, GError **error);

G_END_DECLS

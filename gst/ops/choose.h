/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclprogram.h"
#include "implementation.h"

G_BEGIN_DECLS

/* Returns the candidate of @table to create for @problem on the context's
 * device. With a @method it is the first row by order with its default tuning.
 * With AUTO it is the stored fastest candidate. If none is stored, candidates
 * are measured if @may_measure, which takes a while (tune.h);
 * otherwise it is the first by order.
 *
 * The row has passed its self-test (selftest.h), which runs here if its result
 * is not known yet. Rows that fail are skipped; if all rows of @method fail,
 * AUTO chooses.
 *
 * The implementation of the candidate is NULL if no row supports @problem with
 * @method. If the reason is failed self-tests, @error is set, and device=auto
 * ignores the device from now on if there is another one.
 *
 * Any thread. GST_DEBUG=clop:5 logs the choice and its reason. */
GstClCandidate gst_cl_op_table_choose (const GstClOpTable *table,
    GstClContext *context, gint method, gconstpointer problem,
    gboolean may_measure, GError **error);

/* Returns TRUE if @method is AUTO, there is more than one candidate, and no
 * fastest one is stored. Any thread. */
gboolean gst_cl_op_table_is_undecided (const GstClOpTable *table,
    GstClContext *context, gint method, gconstpointer problem);

/* Returns the candidate that gives the first results soonest on the context's
 * device if nothing is compiled, and sets *@mode to the mode to build it in:
 * with AUTO the first row that is quick there (GstClImplementation.quick_on)
 * and supports @problem, else the first row by order, not optimized unless it
 * needs the optimizer. The implementation is NULL if no row supports @problem
 * with @method. Rows with a stored failure of their self-test are skipped. Any
 * thread in one of these modes. */
GstClCandidate gst_cl_op_table_choose_quick (const GstClOpTable *table,
    GstClContext *context, gint method, gconstpointer problem,
    GstClBuildMode *mode);

G_END_DECLS

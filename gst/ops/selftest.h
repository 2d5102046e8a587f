/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "implementation.h"

G_BEGIN_DECLS

/* The self-test of known answers: before a row of an op's table is used for the
 * first time on a device, it computes one of the op's answers, and the digest
 * of its result must be the one that stands there. What comes out is remembered
 * for the process, and on disk for the device, its driver and these kernels. */

/* FALSE with environment variable GST_OPENCL_SELF_TEST=0: nothing is tested,
 * read or written. */
gboolean gst_cl_self_test_is_on (void);

/* FALSE if @row gives wrong results on the context's device: then
 * gst_cl_implementation_supports() is FALSE, too, from now on, and a line at
 * WARNING has said so, once a process. TRUE if it gives right ones, if nothing
 * is known about it, or if it fails with an error, which says more when the row
 * is used.
 *
 * Any thread, but one at a time tests: others that want to know about a row
 * that is not known yet wait. Takes a few milliseconds, and compiling. */
gboolean gst_cl_self_test_passes (GstClContext *context,
    const GstClOpTable *table, const GstClImplementation *row,
    gconstpointer problem);

G_END_DECLS

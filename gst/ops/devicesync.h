/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Work-groups of one launch that wait for each other. */

/* Looks at a flag after which a work-item gives up waiting: on a GPU less than a
 * second, for what takes a microsecond. Environment variable
 * GST_OPENCL_SPIN_LIMIT overrules, for tests; 0: give up at once. */
guint gst_cl_device_sync_spin_limit (void);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Host memory that the device may still read or write, because a wait has
 * failed: if it were freed, the driver might access memory of another owner.
 * The quarantine keeps it until all queues of the context are known to be done;
 * if a lost device never reports that, until the process ends. Any thread. */

/* Takes ownership of @data of @n_bytes, which @free_data frees: at once, if the
 * queues are done. References @context. */
void gst_cl_quarantine_add (GstClContext *context, gsize n_bytes, gpointer data,
    GDestroyNotify free_data);

/* Called at the end of each user of @context: waits for its queues and frees
 * the memory in quarantine. If the wait fails again, one line in the log (WARN)
 * gives the size of the memory. Does nothing if the quarantine is empty. */
void gst_cl_quarantine_release (GstClContext *context);

G_END_DECLS

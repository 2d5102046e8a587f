/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Host memory that the device may still read or write, because a wait for it
 * has failed: freed, it would be somebody else's while the driver goes on with
 * it. The quarantine keeps it until all queues of the context are known to be
 * done; where a lost device never says so, until the process ends. Any
 * thread. */

/* Takes over @data of @n_bytes, which @free_data frees: now, if the queues turn
 * out to be done after all. Keeps a reference to @context. */
void gst_cl_quarantine_add (GstClContext *context, gsize n_bytes, gpointer data,
    GDestroyNotify free_data);

/* For the end of each user of @context: waits for its queues and frees what was
 * kept. If that fails again, one line in the log (WARN) says how much is kept.
 * Without anything kept it costs nothing. */
void gst_cl_quarantine_release (GstClContext *context);

G_END_DECLS

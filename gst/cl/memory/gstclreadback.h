/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Small results on their way to the host: a row of slots in host memory, each
 * filled by the device once what was enqueued before is done. One thread at a
 * time may use a slot; different threads may use different slots. */
typedef struct _GstClReadback GstClReadback;

GstClReadback *gst_cl_readback_new (GstClContext *context, guint n_slots,
    gsize slot_bytes, GError **error);

/* Reads go to @queue from now on, which is in order and of the context, instead
 * of to the compute queue. No read is on its way. */
void gst_cl_readback_set_queue (GstClReadback *readback,
    cl_command_queue queue);

/* Waits. What the device may write to after a wait that failed is kept
 * (gstclquarantine.h). Accepts NULL. */
void gst_cl_readback_free (GstClReadback *readback);

/* Enqueues the read of the first slot_bytes of @mem into @slot, after all that
 * is on the queue; does not wait. */
gboolean gst_cl_readback_enqueue (GstClReadback *readback, guint slot,
    cl_mem mem, GError **error);

/* Enqueues the read of the first @n_bytes of @mem, at most slot_bytes; does not
 * wait. */
gboolean gst_cl_readback_enqueue_part (GstClReadback *readback, guint slot,
    cl_mem mem, gsize n_bytes, GError **error);

/* Returns the event of what was enqueued for @slot last, transfer full; NULL if
 * that has been waited for, or the event cannot be retained. */
cl_event gst_cl_readback_event (const GstClReadback *readback, guint slot);

/* Waits for what was enqueued for @slot last. NULL with @error; else what came,
 * valid until the next enqueue for the slot. */
const void *gst_cl_readback_wait (GstClReadback *readback, guint slot,
    GError **error);

/* What came into @slot, once gst_cl_readback_event() has been waited for; valid
 * until the next enqueue for the slot. Any thread. */
const void *gst_cl_readback_data (const GstClReadback *readback, guint slot);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClReadback, gst_cl_readback_free)

G_END_DECLS

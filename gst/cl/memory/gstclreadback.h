/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Transfers small results to the host, through an array of slots in host
 * memory. The device fills a slot after the commands enqueued before are
 * complete. One thread at a time may use a slot; different threads may use
 * different slots. */
typedef struct _GstClReadback GstClReadback;

GstClReadback *gst_cl_readback_new (GstClContext *context, guint n_slots,
    gsize slot_bytes, GError **error);

/* Enqueues later reads on @queue, an in-order queue of the context, instead of
 * the compute queue. No read may be in flight. */
void gst_cl_readback_set_queue (GstClReadback *readback,
    cl_command_queue queue);

/* Waits for all reads and frees @readback; accepts NULL. If a wait failed, the
 * quarantine keeps the memory that the device may still write
 * (gstclquarantine.h). */
void gst_cl_readback_free (GstClReadback *readback);

/* Enqueues a read of the first slot_bytes of @mem into @slot, after all
 * commands on the queue; does not wait. */
gboolean gst_cl_readback_enqueue (GstClReadback *readback, guint slot,
    cl_mem mem, GError **error);

/* Enqueues a read of the first @n_bytes of @mem, 0 to slot_bytes; does not
 * wait. */
gboolean gst_cl_readback_enqueue_part (GstClReadback *readback, guint slot,
    cl_mem mem, gsize n_bytes, GError **error);

/* Enqueues a read as gst_cl_readback_enqueue_part() does, without a flush:
 * another read on the queue follows, before this one is waited for. */
gboolean gst_cl_readback_enqueue_first (GstClReadback *readback, guint slot,
    cl_mem mem, gsize n_bytes, GError **error);

/* Returns the event of the last read enqueued for @slot, transfer full; NULL if
 * that read has been waited for, or if the event cannot be retained. */
cl_event gst_cl_readback_event (const GstClReadback *readback, guint slot);

/* Waits for the last read enqueued for @slot. Returns its data, valid until the
 * next enqueue for the slot; NULL with @error. */
const void *gst_cl_readback_wait (GstClReadback *readback, guint slot,
    GError **error);

/* Returns the data in @slot after the caller has waited for
 * gst_cl_readback_event(); valid until the next enqueue for the slot. Any
 * thread. */
const void *gst_cl_readback_data (const GstClReadback *readback, guint slot);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClReadback, gst_cl_readback_free)

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclpinned.h"
#include "gstclsync.h"

G_BEGIN_DECLS

/* The CPU's copy of memory on a discrete device, in pinned host memory. A map
 * by the driver would delay later kernels until it ends (docs/devices.md).
 *
 * Valid when zero-initialised. One thread at a time. */
typedef struct {
  GstClPinned pinned;
  gboolean is_valid;     /* after fetched is complete */
  cl_event fetched;      /* NULL: no transfer in flight */
  gboolean has_lost_one; /* a wait has failed, and its event is gone */
} GstClHostCopy;

/* Starts the transfer of @size_bytes of @mem, unless the copy is valid; it runs
 * after an earlier transfer of old contents. FALSE with @error. */
gboolean gst_cl_host_copy_fetch (GstClHostCopy *self, GstClContext *context,
    cl_mem mem, GstClSync *sync, gsize size_bytes, GError **error);

/* Waits for the transfer and returns the copy. NULL with @error. */
gpointer gst_cl_host_copy_wait (GstClHostCopy *self, GstClContext *context,
    GError **error);

/* Call it before the device memory changes. A running transfer continues: the
 * write runs after it. */
void gst_cl_host_copy_invalidate (GstClHostCopy *self);

/* Waits and frees the copy. */
void gst_cl_host_copy_clear (GstClHostCopy *self, GstClContext *context);

G_END_DECLS

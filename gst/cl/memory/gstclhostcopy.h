/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclpinned.h"
#include "gstclsync.h"

G_BEGIN_DECLS

/* What the CPU reads of device memory that it does not share: a copy in pinned
 * host memory. A map by the driver would do as well, but later kernels would
 * have to wait for its end (docs/devices.md).
 *
 * Zero-initialised it is empty. One thread at a time. */
typedef struct {
  GstClPinned pinned;
  gboolean is_valid;     /* once fetched is done */
  cl_event fetched;      /* NULL: nothing on its way */
  gboolean has_lost_one; /* a wait has failed, and its event is gone */
} GstClHostCopy;

/* Starts the transfer of @size_bytes of @mem, unless the copy is valid, behind
 * an earlier one that is of no use any more. */
gboolean gst_cl_host_copy_fetch (GstClHostCopy *copy, GstClContext *context,
    cl_mem mem, GstClSync *sync, gsize size_bytes, GError **error);

/* Waits for it. NULL with @error */
gpointer gst_cl_host_copy_wait (GstClHostCopy *copy, GstClContext *context,
    GError **error);

/* The device memory is about to change. A transfer under way goes on: what is
 * written comes after it. */
void gst_cl_host_copy_invalidate (GstClHostCopy *copy);

void gst_cl_host_copy_clear (GstClHostCopy *copy, GstClContext *context);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/memory/gstclpinned.h"
#include "cl/memory/gstclsync.h"
#include "gstclcudascratch.h"

G_BEGIN_DECLS

/* Where a range of a frame goes that the device cannot reach where it lies, and
 * what it goes through. Serves one frame at a time: the device must be done
 * with it before another takes its place. Zero-initialised it is empty. */
typedef struct {
  cl_mem mem;
  gsize size_bytes;
  GstClSync sync;
  GstClPinned pinned;    /* on the way there */
  GstClCudaScratch cuda; /* instead of mem, for CUDA memory */
} GstClSlot;

/* Makes the buffer at least @size_bytes large; what it held is lost if it
 * grows. */
gboolean gst_cl_slot_reserve (GstClSlot *slot, GstClContext *context,
    gsize size_bytes, GError **error);

void gst_cl_slot_clear (GstClSlot *slot, GstClContext *context);

G_END_DECLS

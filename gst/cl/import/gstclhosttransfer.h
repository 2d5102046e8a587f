/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclway.h"

G_BEGIN_DECLS

/* What the ways of host memory over the bus share. */

/* upload() and copy() of GstClWay, of the bytes that its find_bytes() finds. */
gboolean gst_cl_host_transfer_upload (const GstClWay *way,
    const GstClSource *source, const GstClRows *rows, GstClSlot *slot,
    const GstClTarget *target, GstClRange *range, GError **error);
gboolean gst_cl_host_transfer_copy (const GstClWay *way,
    const GstClSource *source, const GstClRows *rows, GstClSlot *slot,
    GstClRange *range, GError **error);

/* Maps the memory of @source for @range, unless it is. FALSE with @error */
gboolean gst_cl_host_transfer_map (const GstClSource *source, GstClRange *range,
    GError **error);

/* try() of GstClProof: brings @bytes from @from, which holds them already, to
 * the device by a transfer as above, and from there to @back. */
gboolean gst_cl_host_transfer_try (GstClContext *context,
    cl_command_queue queue, const guint8 *from, gsize size_bytes, guint8 *back,
    GError **error);

G_END_DECLS

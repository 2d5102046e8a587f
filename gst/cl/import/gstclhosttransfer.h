/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclway.h"

G_BEGIN_DECLS

/* What the ways of host memory over the bus share. */

/* Returns @size_bytes of @source where a transfer may read them until it is
 * done, with what that takes held by @slot and @range. NULL with @error, or
 * without: a row further on takes the frame. */
typedef const guint8 *(*GstClFindBytes) (const GstClSource *source,
    GstClSlot *slot, gsize size_bytes, GstClRange *range, GError **error);

/* upload() and copy() of GstClWay, of the bytes that @find has found. */
gboolean gst_cl_host_transfer_upload (GstClFindBytes find,
    const GstClSource *source, const GstClRows *rows, GstClSlot *slot,
    const GstClTarget *target, GstClRange *range, GError **error);
gboolean gst_cl_host_transfer_copy (GstClFindBytes find,
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

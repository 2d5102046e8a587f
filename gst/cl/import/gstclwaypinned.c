/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host memory: transferred from pinned memory, into which it is copied first
 * unless it is pinned. Takes anything that can be mapped. */

#include "gstclhosttransfer.h"
#include "gstclway.h"

#include <string.h>

static gboolean
suits (GstClContext *context, GstMemory *memory)
{
  return TRUE;
}

/* --- host bytes ---------------------------------------------------------- */

/* A copy of the bytes at @source in the slot's pinned memory. NULL with
 * @error */
static const guint8 *
gather (const GstClSource *source, GstClSlot *slot, gsize size_bytes,
    GError **error)
{
  GstClPinned *pinned = &slot->pinned;

  if (!gst_cl_pinned_reserve (pinned, source->context, size_bytes, error) ||
      !gst_cl_place_gather (&source->place, source->buffer, size_bytes,
          pinned->data, error))
    return NULL;

  return pinned->data;
}

/* Where the bytes of @source lie, if the transfer waits for its end or @range
 * holds pinned memory; else a copy in the slot's pinned memory. */
static const guint8 *
find_bytes (const GstClSource *source, GstClSlot *slot, gsize size_bytes,
    GstClRange *range, GError **error)
{
  GstClContext *context = source->context;
  GstClPinned *pinned = &slot->pinned;
  const guint8 *data;

  if (!source->memory)
    return gather (source, slot, size_bytes, error);

  if (!gst_cl_host_transfer_map (source, range, error))
    return NULL;
  data = range->map.data + source->place.skip;
  if (!context->is_split)
    return data;
  if (gst_cl_pinned_is_memory_of (range->memory, context)) {
    range->is_host = TRUE;
    return data;
  }

  if (!gst_cl_pinned_reserve (pinned, context, size_bytes, error))
    return NULL;
  gst_cl_pinned_copy (pinned->data, data, size_bytes);

  return pinned->data;
}

/* --- proof --------------------------------------------------------------- */

static gboolean
try (GstClContext *context, cl_command_queue queue, gpointer data,
    const guint8 *bytes, gsize size_bytes, guint8 *back, GError **error)
{
  GstClPinned pinned = { 0 };
  gboolean done;

  if (!context->is_split)
    return gst_cl_host_transfer_try (context, queue, bytes, size_bytes, back,
        error);

  if (!gst_cl_pinned_reserve (&pinned, context, size_bytes, error))
    return FALSE;
  memcpy (pinned.data, bytes, size_bytes);
  done = gst_cl_host_transfer_try (context, queue, pinned.data, size_bytes,
      back, error);
  gst_cl_pinned_clear (&pinned, context);

  return done;
}

static const GstClProof proof = { .name = "pinned host memory", .try = try };

const GstClWay gst_cl_way_pinned = {
  .proof = &proof,
  .suits = suits,
  .copy = gst_cl_host_transfer_copy,
  .upload = gst_cl_host_transfer_upload,
  .find_bytes = find_bytes,
};

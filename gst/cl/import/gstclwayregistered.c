/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host memory of others that comes again and again: the driver pins it, and the
 * device fetches it from where it lies. */

#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclregistered.h"
#include "gstclhosttransfer.h"
#include "gstclway.h"

#include <string.h>

static gboolean
suits (GstClContext *context, GstMemory *memory)
{
  return memory && gst_cl_registered_suits (memory);
}

/* NULL without @error as long as the memory is not registered; it stays mapped
 * for the way that takes it then. */
static const guint8 *
find_bytes (const GstClSource *source, GstClSlot *slot, gsize size_bytes,
    GstClRange *range, GError **error)
{
  if (!gst_cl_host_transfer_map (source, range, error) ||
      !gst_cl_registered_use (source->context, range->memory, range->map.data,
          GST_BUFFER_PTS (source->buffer)))
    return NULL;
  range->is_host = TRUE;

  return range->map.data + source->place.skip;
}

/* --- proof --------------------------------------------------------------- */

#define LEAD 96 /* bytes: memory is registered wherever it begins */

static const gchar *
find_obstacle (GstClContext *context)
{
  return context->is_split ? NULL : "memory that it shares with the host";
}

/* The bytes are written after the memory is registered, as those of every frame
 * but the first are, and are a part of it. */
static gboolean
try (GstClContext *context, cl_command_queue queue, gpointer data,
    const guint8 *bytes, gsize size_bytes, guint8 *back, GError **error)
{
  g_autofree guint8 *memory = g_malloc0 (size_bytes + 2 * LEAD);
  cl_mem pinned = gst_cl_registered_pin (context, memory + LEAD / 2,
      size_bytes + LEAD, error);
  gboolean done;

  if (!pinned)
    return FALSE;

  memcpy (memory + LEAD, bytes, size_bytes);
  done = gst_cl_host_transfer_try (context, queue, memory + LEAD, size_bytes,
      back, error);
  gst_cl_buffer_free (pinned);

  return done;
}

static const GstClProof proof = {
  .name = "registered host memory",
  .find_obstacle = find_obstacle,
  .try = try,
};

const GstClWay gst_cl_way_registered = {
  .proof = &proof,
  .suits = suits,
  .copy = gst_cl_host_transfer_copy,
  .upload = gst_cl_host_transfer_upload,
  .find_bytes = find_bytes,
};

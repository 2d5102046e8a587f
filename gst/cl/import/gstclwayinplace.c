/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host memory that the device reads where it lies: nothing is copied. */

#include "cl/memory/gstclmemory.h"
#include "cl/memory/gstclwrap.h"
#include "gstclway.h"

static gboolean
suits (GstClContext *context, GstMemory *memory)
{
  return memory && !gst_cl_way_own.suits (context, memory);
}

/* Where the memory cannot be wrapped it remains mapped for the copy. */
static gboolean
take (const GstClSource *source, guint align_bytes, GstMapFlags flags,
    GstClRange *range, GError **error)
{
  const gsize skip = source->place.skip;

  if (!gst_cl_range_map (range, source->memory, flags))
    return gst_cl_place_fail (source->memory, error);
  if (skip % align_bytes != 0)
    return FALSE;

  range->mem = gst_cl_wrap_memory (source->context, source->memory,
      range->map.data, range->map.size);
  if (!range->mem)
    return FALSE;
  range->owns_mem = TRUE;
  range->is_host = TRUE;
  range->offset_bytes = skip;

  return TRUE;
}

const GstClWay gst_cl_way_in_place = {
  .proof = &gst_cl_wrap_proof,
  .suits = suits,
  .take = take,
};

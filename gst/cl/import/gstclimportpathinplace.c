/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Imports memory that the device uses in place, without a copy. */

#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclmemory.h"
#include "gstclimportpath.h"

/* --- OpenCL memory of the same context ------------------------------------ */

static gboolean
supports_own (GstClContext *context, GstMemory *memory)
{
  return memory && gst_is_cl_memory (memory) &&
         gst_cl_memory_get_context (memory) == context;
}

static gboolean
take_own (const GstClSource *source, guint align_bytes, GstMapFlags flags,
    GstClDeviceRange *range, GError **error)
{
  GstMemory *memory = source->memory;
  const gsize offset_bytes = memory->offset + source->region.skip;

  if (offset_bytes % align_bytes != 0)
    return FALSE;

  if (!gst_cl_device_range_map (range, memory, flags | GST_MAP_OPENCL))
    return gst_cl_buffer_region_fail (memory, error);
  range->mem = gst_cl_memory_get_handle (memory);
  range->is_host = gst_cl_memory_wrapped_buffer (memory) != NULL;
  range->offset_bytes = offset_bytes;

  return TRUE;
}

static gboolean
try (GstClContext *context, const GstClImportCheckRun *run, gpointer data,
    GError **error)
{
  cl_mem mem = gst_cl_buffer_new_filled (context, run->size_bytes, run->bytes,
      error);
  cl_int code;

  if (!mem)
    return FALSE;

  code = clEnqueueReadBuffer (run->queue, mem, CL_FALSE, 0, run->size_bytes,
      run->back, 0, NULL, NULL);
  if (code == CL_SUCCESS)
    code = gst_cl_finish (run->queue);
  gst_cl_buffer_free (mem);

  return gst_cl_check (code, "read a buffer", error);
}

static const GstClImportCheck check = { .name = "OpenCL memory", .try = try };

const GstClImportPath gst_cl_import_path_own = {
  .check = &check,
  .caps_feature = GST_CAPS_FEATURE_MEMORY_OPENCL_MEMORY,
  .supports = supports_own,
  .can_write = TRUE,
  .take = take_own,
};

/* --- host memory ---------------------------------------------------------- */

static gboolean
supports_in_place (GstClContext *context, GstMemory *memory)
{
  return memory && !gst_cl_import_path_own.supports (context, memory);
}

/* If the memory cannot be wrapped, it remains mapped for the copy. */
static gboolean
take_in_place (const GstClSource *source, guint align_bytes, GstMapFlags flags,
    GstClDeviceRange *range, GError **error)
{
  const gsize skip = source->region.skip;

  if (!gst_cl_device_range_map (range, source->memory, flags))
    return gst_cl_buffer_region_fail (source->memory, error);
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

const GstClImportPath gst_cl_import_path_in_place = {
  .check = &gst_cl_wrap_check,
  .supports = supports_in_place,
  .take = take_in_place,
};

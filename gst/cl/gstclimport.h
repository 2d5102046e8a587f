/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* How the bytes of a GstBuffer reach the device:
 *  - device memory of the same context: as it is;
 *  - host memory, on a device that shares it and where the pointer is aligned
 *    as the device asks: wrapped (CL_MEM_USE_HOST_PTR), once per GstMemory on
 *    a CPU;
 *  - else written into a staging buffer of the importer, which is reused. */
typedef struct _GstClImporter GstClImporter;

#define GST_CL_IMPORTER_SLOTS 4 /* ranges in use at a time, one a plane */

GstClImporter *gst_cl_importer_new (GstClContext *context);
void gst_cl_importer_free (GstClImporter *importer);

/* Bytes of host memory written to the device so far; wrapped and device memory
 * counts nothing. */
guint64 gst_cl_importer_copied_bytes (const GstClImporter *importer);

/* A range of bytes on the device. Zero-initialised, it may be released. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes; /* of the range within mem */
  gboolean is_host;   /* wrapped host memory: release only when the device is
                         done with it */
  /*< private >*/
  gboolean owns_mem;
  GstMemory *memory; /* mapped with map; NULL if none */
  GstBuffer *buffer; /* mapped as a whole with map; NULL if none */
  GstMapInfo map;
} GstClRange;

/* Makes @size_bytes from @offset_bytes of @buffer readable (@flags
 * GST_MAP_READ) or writable (GST_MAP_WRITE, device memory only) by kernels.
 * @slot (0 .. GST_CL_IMPORTER_SLOTS - 1) names the staging buffer. A buffer
 * that is too small gives GST_STREAM_ERROR_FORMAT. Streaming thread. */
gboolean gst_cl_importer_take (GstClImporter *importer, guint slot,
    GstBuffer *buffer, gsize offset_bytes, gsize size_bytes, GstMapFlags flags,
    GstClRange *range, GError **error);

void gst_cl_range_release (GstClRange *range);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClImporter, gst_cl_importer_free)

G_END_DECLS

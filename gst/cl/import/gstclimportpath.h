/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/memory/gstclpinned.h"
#include "cl/memory/gstclimportcheck.h"
#include "gstclcuda.h"
#include "gstclrange.h"

G_BEGIN_DECLS

/* Bytes of a buffer that are to reach the device. */
typedef struct {
  GstClContext *context;
  GstBuffer *buffer;
  GstClBufferRegion region;
  GstMemory *memory; /* the one they lie in; NULL: they lie in several */
} GstClSource;

/* The destination of bytes that the device cannot read where they are, and the
 * memory through which they are copied. One frame uses it at a time: the device
 * must be done with that frame before the next one uses it. Zero-initialised it
 * is empty. */
typedef struct {
  cl_mem mem;
  gsize size_bytes;
  GstClSync sync;
  GstClPinned pinned;    /* copied here first */
  GstClCudaScratch cuda; /* instead of mem, for CUDA memory */
} GstClStagingBuffer;

/* Makes the buffer at least @size_bytes large; what it held is lost if it
 * grows. */
gboolean gst_cl_staging_buffer_reserve (GstClStagingBuffer *staging,
    GstClContext *context, gsize size_bytes, GError **error);

void gst_cl_staging_buffer_clear (GstClStagingBuffer *staging,
    GstClContext *context);

typedef struct _GstClImportPath GstClImportPath;

/* One kind of memory, and how its bytes reach the device: an element of
 * gst_cl_import_paths. The streaming thread calls its functions. */
struct _GstClImportPath {
  /* Its name in the log, and whether it is right on a device. */
  const GstClImportCheck *check;

  /* What caps with such memory have; NULL: system memory. */
  const gchar *caps_feature;

  /* Returns TRUE if @memory (NULL: several) is of this kind. */
  gboolean (*supports) (GstClContext *context, GstMemory *memory);

  gboolean can_write; /* take() also makes it writable */

  /* Makes @source readable where it lies; its first byte is at a multiple of
   * @align_bytes. FALSE without @error, or NULL: a later path imports it. */
  gboolean (*take) (const GstClSource *source, guint align_bytes,
      GstMapFlags flags, GstClRange *range, GError **error);

  /* Copies @rows of @source into the buffer of @staging, which @range is set
   * to, for kernels that are enqueued after range->pending. NULL: a later path
   * does. */
  gboolean (*copy) (const GstClImportPath *path, const GstClSource *source,
      const GstClRows *rows, GstClStagingBuffer *staging, GstClRange *range,
      GError **error);

  /* Copies @rows of @source to @target; range->uploaded tells when that is
   * done. NULL where copy() is. */
  gboolean (*upload) (const GstClImportPath *path, const GstClSource *source,
      const GstClRows *rows, GstClStagingBuffer *staging,
      const GstClTarget *target, GstClRange *range, GError **error);

  /* Returns @size_bytes of @source where a transfer over the bus may read them
   * until it is done, with what that takes held by @staging and @range. NULL
   * with @error; NULL without: a later path imports the frame. For the copy()
   * and upload() of gstclimportpathhost.c; NULL where those are others. */
  const guint8 *(*find_bytes) (const GstClSource *source,
      GstClStagingBuffer *staging, gsize size_bytes, GstClRange *range,
      GError **error);
};

/* The import paths, the fastest first; the last one supports any memory that
 * can be mapped. */
extern const GstClImportPath *const gst_cl_import_paths[];
extern const guint gst_cl_n_import_paths;

extern const GstClImportPath gst_cl_import_path_own;
extern const GstClImportPath gst_cl_import_path_cuda;
extern const GstClImportPath gst_cl_import_path_in_place;
extern const GstClImportPath gst_cl_import_path_registered;
extern const GstClImportPath gst_cl_import_path_pinned;

/* Returns TRUE if @caps_feature stands for foreign memory that has an import
 * path. Any thread. */
gboolean gst_cl_import_paths_know_feature (const gchar *caps_feature);

/* Returns FALSE if only the last path supports memory of @caps_feature, which
 * gst_cl_import_paths_know_feature(), to the device of @context. Tries none.
 * Any thread. */
gboolean gst_cl_import_paths_support_feature (GstClContext *context,
    const gchar *caps_feature);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/memory/gstclpinned.h"
#include "cl/memory/gstclimportcheck.h"
#include "gstclcuda.h"
#include "gstcldevicerange.h"

G_BEGIN_DECLS

/* Rows of a buffer to import. */
typedef struct {
  GstClContext *context;
  GstBuffer *buffer;
  GstClBufferRegion region; /* the bytes from the first row to the last one */
  GstClRows rows;
  GstMemory *memory; /* the memory that contains it; NULL: several memories */
} GstClSource;

/* A device buffer for bytes that the device cannot read in place, and the host
 * memory through which they are copied. One frame uses it at a time: the device
 * must be done with that frame before the next one uses it. Valid when
 * zero-initialised. */
typedef struct {
  cl_mem mem;
  gsize size_bytes;
  GstClSync sync;
  GstClPinned pinned;    /* host memory for the first copy */
  GstClCudaScratch cuda; /* instead of mem, for CUDA memory */
} GstClStagingBuffer;

/* Makes the buffer at least @size_bytes large; its contents are lost if it
 * grows. */
gboolean gst_cl_staging_buffer_reserve (GstClStagingBuffer *staging,
    GstClContext *context, gsize size_bytes, GError **error);

void gst_cl_staging_buffer_clear (GstClStagingBuffer *staging,
    GstClContext *context);

typedef struct _GstClImportPath GstClImportPath;

/* An import path for one kind of memory: an element of gst_cl_import_paths. The
 * streaming thread calls its functions. */
struct _GstClImportPath {
  /* Its name in the log, and its check on a device. */
  const GstClImportCheck *check;

  /* The caps feature of such memory; NULL: system memory. */
  const gchar *caps_feature;
  gboolean is_host_memory; /* a later path imports it on other devices */
  gboolean has_export;     /* cldownload can fill it (gst/cl/export) */

  /* Returns TRUE if the path supports @memory (NULL: several memories). */
  gboolean (*supports) (GstClContext *context, GstMemory *memory);

  gboolean can_write; /* take() also makes it writable */

  /* Makes @source readable in place; its first byte is at a multiple of
   * @align_bytes. FALSE without @error: a later path imports it. May be NULL.
   */
  gboolean (*take) (const GstClSource *source, guint align_bytes,
      GstMapFlags flags, GstClDeviceRange *range, GError **error);

  /* Copies the rows of @source into the buffer of @staging, and sets @range to
   * it, for kernels that are enqueued after range->pending. NULL: a later path
   * copies them. */
  gboolean (*copy) (const GstClImportPath *path, const GstClSource *source,
      GstClStagingBuffer *staging, GstClDeviceRange *range, GError **error);

  /* Copies the rows of @source to @target; range->uploaded is the event of the
   * copy. NULL if copy() is NULL. */
  gboolean (*upload) (const GstClImportPath *path, const GstClSource *source,
      GstClStagingBuffer *staging, const GstClTarget *target,
      GstClDeviceRange *range, GError **error);

  /* Returns the rows of @source at an address that a transfer over the bus
   * can read until it is complete; @staging and @range own the memory. NULL
   * with @error; NULL without @error: a later path imports the frame. Used by
   * the copy() and upload() of gstclimportpathhost.c; NULL for paths with other
   * functions. */
  const guint8 *(*find_bytes) (const GstClSource *source,
      GstClStagingBuffer *staging, GstClDeviceRange *range, GError **error);
};

/* All import paths, the fastest first; the last one supports any memory that
 * can be mapped. */
extern const GstClImportPath *const gst_cl_import_paths[];
extern const guint gst_cl_n_import_paths;

extern const GstClImportPath gst_cl_import_path_own;
extern const GstClImportPath gst_cl_import_path_cuda;
extern const GstClImportPath gst_cl_import_path_dmabuf;
extern const GstClImportPath gst_cl_import_path_in_place;
extern const GstClImportPath gst_cl_import_path_registered;
extern const GstClImportPath gst_cl_import_path_pinned;

/* Returns TRUE if @caps_feature names foreign memory that has an import path.
 * Any thread. */
gboolean gst_cl_import_paths_know_feature (const gchar *caps_feature);

/* Returns FALSE if elements on the device of @context should not accept memory
 * of @caps_feature, since only the last path can import it.
 * gst_cl_import_paths_know_feature() must be TRUE for @caps_feature. Runs no
 * check. Any thread. */
gboolean gst_cl_import_paths_support_feature (GstClContext *context,
    const gchar *caps_feature);

G_END_DECLS

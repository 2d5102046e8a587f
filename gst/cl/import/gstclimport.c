/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Imports bytes of a GstBuffer to device memory. */

#include "gstclimport.h"

#include "cl/memory/gstclquarantine.h"
#include "common/gstcldebug.h"
#include "gstclimportpath.h"

GST_CL_DEBUG_CATEGORY (gst_cl_import_debug, "climport",
    "OpenCL import of buffers");
#define GST_CAT_DEFAULT gst_cl_import_debug ()

struct _GstClImporter {
  GstClContext *context;
  GstClStagingBuffer staging[GST_CL_IMPORTER_SLOTS];
  const GstClImportPath *last_path; /* for the log; NULL: none yet */
  gboolean last_was_host;           /* is_host of its last range */
  gboolean has_lost_one;            /* the wait for a transfer has failed */
};

GstClImporter *
gst_cl_importer_new (GstClContext *context)
{
  GstClImporter *self = g_new0 (GstClImporter, 1);

  gst_cl_import_debug ();
  self->context = gst_object_ref (context);

  return self;
}

static void
destroy (gpointer data)
{
  GstClImporter *self = data;

  for (guint i = 0; i < GST_CL_IMPORTER_SLOTS; i++)
    gst_cl_staging_buffer_clear (&self->staging[i], self->context);
  gst_object_unref (self->context);
  g_free (self);
}

void
gst_cl_importer_free (GstClImporter *self)
{
  if (!self)
    return;

  if (self->has_lost_one)
    gst_cl_quarantine_add (self->context, gst_cl_importer_bytes (self), self,
        destroy);
  else
    destroy (self);
}

GstClContext *
gst_cl_importer_context (const GstClImporter *self)
{
  return self->context;
}

gsize
gst_cl_importer_bytes (const GstClImporter *self)
{
  gsize n_bytes = 0;

  for (guint i = 0; i < GST_CL_IMPORTER_SLOTS; i++)
    n_bytes += self->staging[i].pinned.size_bytes;

  return n_bytes;
}

static void
free_range (gpointer data)
{
  gst_cl_device_range_release (data);
  g_free (data);
}

void
gst_cl_importer_abandon (GstClImporter *self, GstClDeviceRange *range)
{
  if (gst_cl_device_range_wait_for_upload (range, self->context, NULL)) {
    gst_cl_device_range_release (range);
    return;
  }

  self->has_lost_one = TRUE;
  gst_cl_quarantine_add (self->context, range->map.size,
      g_memdup2 (range, sizeof *range), free_range);
  *range = (GstClDeviceRange){ 0 };
}

/* --- import paths --------------------------------------------------------- */

static gboolean
find_source (GstClSource *source, GstClImporter *self,
    const GstClImportRequest *request, GError **error)
{
  *source = (GstClSource){ .context = self->context,
    .buffer = request->buffer,
    .rows = request->rows };
  if (!gst_cl_buffer_region_find (&source->region, request->buffer,
          request->offset_bytes, gst_cl_rows_source_bytes (&request->rows),
          error))
    return FALSE;
  if (source->region.n_memories == 1)
    source->memory = gst_buffer_peek_memory (request->buffer,
        source->region.index);

  return TRUE;
}

static gboolean
takes (const GstClImportPath *path, const GstClImportRequest *request)
{
  return request->align_bytes > 0 && path->take &&
         (path->can_write || !(request->flags & GST_MAP_WRITE));
}

static gboolean
copies (const GstClImportPath *path, const GstClImportRequest *request)
{
  return !(request->flags & GST_MAP_WRITE) && path->copy;
}

/* FALSE without @error: the next path is tried. */
static gboolean
try_import (const GstClImportPath *path, const GstClSource *source,
    const GstClImportRequest *request, GstClStagingBuffer *staging,
    GstClDeviceRange *range, GError **error)
{
  GError *failure = NULL;
  gboolean done = FALSE;

  if (takes (path, request))
    done = path->take (source, request->align_bytes,
        request->flags & ~GST_CL_MAP_LATE, range, &failure);
  if (!done && !failure && copies (path, request))
    done = request->target.mem
               ? path->upload (path, source, staging, &request->target, range,
                     &failure)
               : path->copy (path, source, staging, range, &failure);
  if (failure)
    g_propagate_error (error, failure);

  return done;
}

/* Logs a line for each frame, and one when @path replaces another path. */
static void
log_path (GstClImporter *self, const GstClImportPath *path, GstBuffer *buffer,
    const GstClDeviceRange *range)
{
  const gboolean is_host = range->is_host;
  const gchar *how = path == &gst_cl_import_path_pinned && !is_host
                         ? ", copied there by the CPU"
                         : "";

  GST_LOG_OBJECT (self->context, "%" GST_PTR_FORMAT " by %s%s",
      (gpointer) buffer, path->check->name, how);
  if (path != self->last_path || is_host != self->last_was_host)
    GST_DEBUG_OBJECT (self->context, "frames are imported by %s%s",
        path->check->name, how);
  self->last_path = path;
  self->last_was_host = is_host;
}

/* Imports by the first path that supports the memory, the request and the
 * device. If the last path that supports the memory has failed its import
 * check, sets that error. */
static gboolean
find_path (GstClImporter *self, const GstClSource *source,
    const GstClImportRequest *request, GstClDeviceRange *range, GError **error)
{
  g_autoptr (GError) failure = NULL;
  gboolean done = FALSE;

  for (guint i = 0; i < gst_cl_n_import_paths && !done; i++) {
    const GstClImportPath *path = gst_cl_import_paths[i];

    if (!(takes (path, request) || copies (path, request)) ||
        !path->supports (source->context, source->memory))
      continue;
    g_clear_error (&failure);
    if (!gst_cl_import_check_passes (path->check, source->context,
            source->memory, &failure))
      continue;
    done = try_import (path, source, request, &self->staging[request->slot],
        range, &failure);
    if (failure)
      break;
    if (done)
      log_path (self, path, source->buffer, range);
  }
  if (!done && !failure)
    gst_cl_buffer_region_fail (
        gst_buffer_peek_memory (source->buffer, source->region.index),
        &failure);
  if (!done) {
    gst_cl_importer_abandon (self, range);
    g_propagate_error (error, g_steal_pointer (&failure));
  }

  return done;
}

gboolean
gst_cl_importer_import (GstClImporter *self, const GstClImportRequest *request,
    GstClDeviceRange *range, GError **error)
{
  GstClSource source;

  g_return_val_if_fail (request->slot < GST_CL_IMPORTER_SLOTS, FALSE);

  *range = (GstClDeviceRange){ 0 };

  if (!find_source (&source, self, request, error) ||
      !find_path (self, &source, request, range, error))
    return FALSE;
  if (request->flags & GST_CL_MAP_LATE ||
      gst_cl_device_range_begin_reads (range, self->context, error))
    return TRUE;
  gst_cl_importer_abandon (self, range);

  return FALSE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of import paths, and the staging buffers of copies. */

#include "gstclimportpath.h"

#include "cl/memory/gstclbuffer.h"

const GstClImportPath *const gst_cl_import_paths[] = {
  &gst_cl_import_path_own,
  &gst_cl_import_path_cuda,
  &gst_cl_import_path_dmabuf,
  &gst_cl_import_path_in_place,
  &gst_cl_import_path_registered,
  &gst_cl_import_path_pinned,
};
const guint gst_cl_n_import_paths = G_N_ELEMENTS (gst_cl_import_paths);

/* NULL: none */
static const GstClImportPath *
find_path (const gchar *caps_feature)
{
  for (guint i = 0; i < gst_cl_n_import_paths; i++) {
    if (gst_cl_import_paths[i] != &gst_cl_import_path_own &&
        g_strcmp0 (gst_cl_import_paths[i]->caps_feature, caps_feature) == 0)
      return gst_cl_import_paths[i];
  }

  return NULL;
}

gboolean
gst_cl_import_paths_know_feature (const gchar *caps_feature)
{
  return find_path (caps_feature) != NULL;
}

gboolean
gst_cl_import_paths_support_feature (GstClContext *context,
    const gchar *caps_feature)
{
  const GstClImportPath *path = find_path (caps_feature);

  return path->is_host_memory ||
         gst_cl_import_check_may_pass (path->check, context);
}

/* --- staging buffers ------------------------------------------------------ */

gboolean
gst_cl_staging_buffer_reserve (GstClStagingBuffer *self, GstClContext *context,
    gsize size_bytes, GError **error)
{
  if (self->size_bytes >= size_bytes)
    return TRUE;

  g_clear_pointer (&self->mem, gst_cl_buffer_free);
  self->size_bytes = 0;
  self->mem = gst_cl_buffer_new (context, size_bytes, error);
  if (!self->mem)
    return FALSE;
  self->size_bytes = size_bytes;

  return TRUE;
}

void
gst_cl_staging_buffer_clear (GstClStagingBuffer *self, GstClContext *context)
{
  gst_cl_buffer_free (self->mem);
  gst_cl_sync_clear (context, &self->sync);
  gst_cl_pinned_clear (&self->pinned, context);
  gst_cl_cuda_scratch_clear (&self->cuda);
  *self = (GstClStagingBuffer){ 0 };
}

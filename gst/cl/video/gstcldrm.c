/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of DMABuf with DRM formats. */

#include "gstcldrm.h"

#include <gst/video/video.h>
#include <string.h>

#define DMA_DRM    "DMA_DRM"
#define DRM_FORMAT "drm-format"

gboolean
gst_cl_drm_is_structure (const GstStructure *structure)
{
  return g_strcmp0 (gst_structure_get_string (structure, "format"), DMA_DRM) ==
         0;
}

const gchar *
gst_cl_drm_find_modifier (const GstStructure *structure)
{
  const gchar *drm = gst_structure_get_string (structure, DRM_FORMAT);
  const gchar *colon = drm ? strchr (drm, ':') : NULL;

  return gst_cl_drm_is_structure (structure) && colon ? colon + 1 : NULL;
}

#if GST_CHECK_VERSION(1, 24, 0)

/* Returns the name that replaces @name; NULL: there is none. g_free() */
typedef gchar *(*RenameFunc) (const gchar *name);

/* Sets @out, zero-initialised, to a list of the names in @in, a name or a list
 * of names, as @rename replaces them. FALSE: no name is left. */
static gboolean
rename_all (const GValue *in, RenameFunc rename, GValue *out)
{
  const gboolean is_list = in && GST_VALUE_HOLDS_LIST (in);
  const guint n = is_list ? gst_value_list_get_size (in) : 1;

  g_value_init (out, GST_TYPE_LIST);
  for (guint i = 0; i < n; i++) {
    const GValue *name = is_list ? gst_value_list_get_value (in, i) : in;
    GValue renamed = G_VALUE_INIT;
    gchar *text = name && G_VALUE_HOLDS_STRING (name)
                      ? rename (g_value_get_string (name))
                      : NULL;

    if (!text)
      continue;
    g_value_init (&renamed, G_TYPE_STRING);
    g_value_take_string (&renamed, text);
    gst_value_list_append_and_take_value (out, &renamed);
  }

  return gst_value_list_get_size (out) > 0;
}

/* Sets the field @name of @structure to @names, a list that is not empty. */
static void
set_names (GstStructure *structure, const gchar *name, const GValue *names)
{
  gst_structure_set_value (structure, name,
      gst_value_list_get_size (names) == 1 ? gst_value_list_get_value (names, 0)
                                           : names);
}

static gchar *
format_to_drm (const gchar *name)
{
  const GstVideoFormat format = gst_video_format_from_string (name);
  const guint32 code = format > GST_VIDEO_FORMAT_ENCODED
                           ? gst_video_dma_drm_fourcc_from_format (format)
                           : 0;

  return code ? gst_video_dma_drm_fourcc_to_string (code, 0) : NULL;
}

static gchar *
linear_drm_to_format (const gchar *name)
{
  guint64 modifier = G_MAXUINT64;
  const guint32 code = gst_video_dma_drm_fourcc_from_string (name, &modifier);
  const GstVideoFormat format = code && modifier == 0
                                    ? gst_video_dma_drm_fourcc_to_format (code)
                                    : GST_VIDEO_FORMAT_UNKNOWN;

  return format == GST_VIDEO_FORMAT_UNKNOWN
             ? NULL
             : g_strdup (gst_video_format_to_string (format));
}

GstStructure *
gst_cl_drm_make_structure (const GstStructure *structure)
{
  GstStructure *made = NULL;
  g_auto (GValue) names = G_VALUE_INIT;

  if (rename_all (gst_structure_get_value (structure, "format"), format_to_drm,
          &names)) {
    made = gst_structure_copy (structure);
    gst_structure_set (made, "format", G_TYPE_STRING, DMA_DRM, NULL);
    set_names (made, DRM_FORMAT, &names);
  }

  return made;
}

static gboolean
resolve (GstCapsFeatures *features, GstStructure *structure, gpointer unused)
{
  g_auto (GValue) names = G_VALUE_INIT;

  if (!gst_cl_drm_is_structure (structure))
    return TRUE;
  if (!rename_all (gst_structure_get_value (structure, DRM_FORMAT),
          linear_drm_to_format, &names))
    return FALSE;
  set_names (structure, "format", &names);
  gst_structure_remove_field (structure, DRM_FORMAT);

  return TRUE;
}

static gboolean
has_drm_format (GstCaps *caps)
{
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    if (gst_cl_drm_is_structure (gst_caps_get_structure (caps, i)))
      return TRUE;
  }

  return FALSE;
}

GstCaps *
gst_cl_drm_resolve (GstCaps *caps)
{
  if (!has_drm_format (caps))
    return caps;

  caps = gst_caps_make_writable (caps);
  gst_caps_filter_and_map_in_place (caps, resolve, NULL);

  return caps;
}

#else

GstStructure *
gst_cl_drm_make_structure (const GstStructure *structure)
{
  return NULL;
}

GstCaps *
gst_cl_drm_resolve (GstCaps *caps)
{
  return caps;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Caps of DMABuf from GStreamer 1.24 on: the format is DMA_DRM, and the field
 * drm-format has a DRM code and a modifier, such as NV12:0x0100000000000002; a
 * linear layout has no modifier. Built with an older GStreamer, only the last
 * function does something. */

/* Returns @structure, raw video with formats, as caps in linear DMABuf; NULL if
 * no format has a DRM code. transfer full */
GstStructure *gst_cl_drm_make_structure (const GstStructure *structure);

/* Returns @caps (transfer full) with the formats of linear layouts instead of
 * DMA_DRM. Removes structures that have no linear layout. transfer full */
GstCaps *gst_cl_drm_resolve (GstCaps *caps);

/* Returns TRUE if the format of @structure is DMA_DRM. */
gboolean gst_cl_drm_is_structure (const GstStructure *structure);

/* Returns the modifier of the fixed @structure; NULL if the layout is linear,
 * or if the format is not DMA_DRM. Valid as long as @structure. */
const gchar *gst_cl_drm_find_modifier (const GstStructure *structure);

G_END_DECLS
